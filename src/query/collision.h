// One call of the collide functions: its questions, and what every question needs. collide.c checks what the
// caller gave; collide_native.c and collide_device.c answer.
#ifndef TD_QUERY_COLLISION_H
#define TD_QUERY_COLLISION_H

#include "mesh.h"
#include "near.h"
#include "query.h"

// What is asked about near pairs.
typedef enum td_near_question {
    TD_NEAR_PAIRS,    // td_collide_near
    TD_NEAR_MEETINGS, // td_find_meetings
    TD_NEAR_CLEAR     // td_prove_clear
} td_near_question;

// The questions are a list of object pairs, with near lists or without, or one pair of meshes in many poses,
// or (self) one mesh.
typedef struct td_collision {
    td_query *query;
    const td_near_pair *near_pairs; // null: the others tell
    td_near_question near_question;
    const td_object_pair *pairs; // null: a, b and poses tell
    const td_mesh *a, *b;
    const td_pose *poses;
    size_t count;
    const td_collide_def *def;
    const td_strategy *strategy;
    td_collide_result *out;
    bool self;
} td_collision;

td_object_pair td_question(const td_collision *collision, size_t index);
td_frame td_question_frame(const td_collision *collision, const td_object_pair *pair);
td_traversal td_question_traversal(const td_collision *collision, const td_object_pair *pair,
                                   const td_frame *frame);

// TD_OK if the object pair can be collided; else an error that names it by its index.
td_result td_check_object_pair(const td_object_pair *pair, size_t index);

// Answers all questions, whose input has been checked.
td_result td_answer(td_collision *collision);

// The answer to one question but for its pairs. If nothing intersects, asks whether one is inside the other.
void td_fill_result(td_collide_result *out, const td_collision *collision, const td_object_pair *pair,
                    const td_frame *frame, uint64_t count, td_counters counters);

// The worker's pairs from `first` on are the answer to one question: sorts them.
td_result td_sort_answer(const td_collision *collision, td_worker *worker, size_t first,
                         const td_object_pair *pair);

// Natively, by one worker: finds the pairs of one question, unsorted, and fills in its result. The worker has
// begun.
void td_answer_near(const td_collision *collision, td_worker *worker, size_t question);

// Pointers into the workers' lists, which no longer move.
void td_give_out_pairs(const td_collision *collision);

// What calls that answer natively share (collide_native.c). Begin: all workers, for a call; one, for a
// question. End: times are added up, pairs given out. Gather: brings together in worker 0 what the workers
// found, from `first` on.
void td_begin_workers(td_query *query);
void td_worker_begin(td_worker *worker);
td_result td_gather(const td_collision *collision, const td_object_pair *pair, uint64_t *count,
                    td_counters *counters, size_t first);
td_result td_workers_result(const td_query *query);
td_result td_report_progress(const td_collide_def *def, uint64_t done, uint64_t total);
void td_end_workers(const td_collision *collision);

// One question by all workers.
td_result td_answer_shared(const td_collision *collision, size_t question);

uint64_t td_scratch_bytes(const td_query *query);

// Both fill out[0 ... count - 1].
td_result td_answer_natively(const td_collision *collision);
td_result td_answer_on_device(const td_collision *collision);

#endif
