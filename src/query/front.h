// A front: the cut through the test tree that a query left behind (src/traverse/front.h), and whose it is.
#ifndef TD_QUERY_FRONT_H
#define TD_QUERY_FRONT_H

#include "../traverse/front_device.h"
#include "collision.h"

#include <tandem/front.h>

// Where a task put what became of its entries.
typedef struct td_front_piece {
    uint32_t worker;
    size_t first, count;
} td_front_piece;

struct td_front {
    td_context *context;
    uint64_t most_entries;
    td_front_list entries, spare;
    TD_ARRAY(td_front_piece) pieces; // per chunk of the entries
    td_device_front away;            // where the entries are, if `is_away`; else what the next may use
    bool is_away;                    // the entries are on a device
    bool held;                       // `entries` is a front, of what the following say
    bool was_dropped;
    bool self;
    bool moving;               // of continuous collision, where other pairs of triangles count
    uint64_t id_a, id_b;       // td_mesh.id
    uint64_t built_a, built_b; // td_mesh.built
    float ratio;               // td_traversal.ratio
    td_front_report report;
};

// A step of a front: a traversal of two split hierarchies, of these meshes, by these workers, which have
// begun; on a device without any.
typedef struct td_front_question {
    const td_traversal *traversal;
    const td_mesh *a, *b;
    td_worker *workers;
    size_t worker_stride; // bytes from one to the next: they may be part of something larger
    uint32_t worker_count;
} td_front_question;

// Answers from where the front is, or from the root; the workers keep what they found. The front's report
// tells the rest. On failure the front is reset.
td_result td_step_front(td_front *front, const td_front_question *question);

// A step on a device. Before: where to start, with `away` there, to be stepped by a batch about the question;
// traversal->ratio becomes the front's. After: what became of it, or (`result`) failed; returns that.
td_result td_front_to_device(td_front *front, const td_front_question *question, td_device *device,
                             td_traversal *traversal);
td_result td_front_from_device(td_front *front, const td_front_question *question, td_result result);

// How many there are, wherever they are.
static inline uint64_t td_front_entries(const td_front *front) {
    return front->is_away ? front->away.count : front->entries.count;
}

// Sees to it that the entries are with the host.
td_result td_front_home(td_front *front);

// TD_OK if the questions can be answered with def->front.
td_result td_check_front(const td_collision *collision);

// Answers all questions one after the other, each by all workers, with def->front.
td_result td_answer_at_front(const td_collision *collision);

#endif
