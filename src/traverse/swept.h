// Pairs of features that touch during a step: two swept hierarchies are walked together (swept_wide.c), pairs
// of triangles whose boxes meet test the features they own (swept_pairs.c).
#ifndef TD_TRAVERSE_SWEPT_H
#define TD_TRAVERSE_SWEPT_H

#include "../bvh/swept.h"
#include "../bvh/swept_features.h"
#include "../core/array.h"
#include "../predicates/moving_decide.h"
#include "swept_lanes.h"
#include "traversal.h"

#include <stdatomic.h>

// Whether and when they touch.
typedef td_result td_decide_fn(td_moving_contact *out, const td_swept_question *question,
                               const td_candidate *candidate);

struct td_swept_question {
    td_context *context;
    const td_swept *a, *b;
    const td_features *features_a, *features_b;
    td_swept_frame frame;
    bool self; // b is a
    td_continuous_mode mode;
    td_moving_def moving;
    td_decide_fn *decide;
    const void *user; // of `decide`
    bool planes;      // pairs whose four points are never in one plane are apart, and need not be decided
    bool cut;         // TD_CONTINUOUS_EARLIEST: times beyond `best` may be left out
    atomic_ullong *best_bits; // the earliest time found by any worker, as the bits of a double, which for
                              // numbers that are not negative have the order of the numbers
};

typedef TD_ARRAY(td_feature_contact) td_contact_list;
typedef TD_ARRAY(td_pair) td_swept_pairs;

// Buffers of one thread, and what it found.
struct td_swept_worker {
    td_worker walk;                    // of the strategies that binary hierarchies are walked by
    td_swept_pairs stack;              // pairs of blocks to be visited
    TD_ARRAY(td_candidate) candidates; // to be decided
    td_contact_list found[TD_CONTACT_KINDS];
    uint64_t count[TD_CONTACT_KINDS];
    bool touching, uncertain;
    td_contact_kind first_kind; // of the earliest contact, if touching
    td_feature_contact first;
    td_continuous_counters counters;
    double decide_ms; // in td_decide_candidates
    td_result result; // TD_ERROR_MEMORY: the answer is void
};

void td_swept_worker_begin(td_swept_worker *worker);
void td_swept_worker_release(td_swept_worker *worker, td_context *context);

// Whether a contact comes before another: by time, kind, numbers.
bool td_contact_before(td_contact_kind kind_a, td_feature_contact a, td_contact_kind kind_b,
                       td_feature_contact b);

// The time beyond which nothing needs to be looked at.
static inline double td_best_time(const td_swept_question *question) {
    const unsigned long long bits = atomic_load_explicit(question->best_bits, memory_order_relaxed);
    double time;
    __builtin_memcpy(&time, &bits, sizeof time);
    return time;
}

// td_decide_fn of straight paths.
td_result td_decide_linear(td_moving_contact *out, const td_swept_question *question,
                           const td_candidate *candidate);

// The path of a candidate's point i.
static inline const td_path *td_path_of(const td_swept_question *question, const td_candidate *candidate,
                                        int i) {
    return &(td_is_of_b(candidate->kind, i) ? question->b : question->a)->paths[candidate->vertex[i]];
}

// Which of the candidates, 16 at most, may be in one plane at some time: bit i for candidate i.
typedef uint32_t td_swept_coplanar_fn(const td_swept_question *question, const td_candidate *candidates,
                                      size_t count);
td_swept_coplanar_fn td_swept_coplanar;

enum {
    TD_CANDIDATES_AT = 512,          // so many are decided together
    TD_CANDIDATES_OF_TILE = 16 * 15, // at most, of two quads
};

// Decides the worker's candidates, keeps those that touch and empties the list.
void td_decide_candidates(td_swept_worker *worker, const td_swept_question *question);

// Keeps what the mode of the question wants of a contact.
void td_keep_contact(td_swept_worker *worker, const td_swept_question *question, td_contact_kind kind,
                     td_feature_contact contact);

// At least `wanted` pairs of blocks from which everything is reached once, if there are so many.
td_result td_swept_starts(td_swept_pairs *starts, size_t wanted, const td_swept_question *question);

// Visits everything below the given pairs of blocks, in the registers of the context's instruction set.
typedef void td_swept_run_fn(td_swept_worker *worker, const td_swept_question *question,
                             const td_pair *starts, size_t start_count);
td_swept_run_fn td_swept_run;

// Work units of strategy `balanced`: tests a pair of blocks and returns how many pairs, at most 16, were
// written to `out`. The worker's list has room for candidates.
typedef uint32_t td_swept_unit_fn(td_pair *out, td_swept_worker *worker, const td_swept_question *question,
                                  td_pair pair);
// Pairs of quads, and the pairs of triangles of them that count (TD_LANES_UNKNOWN: is noted).
typedef void td_swept_tiles_fn(td_swept_worker *worker, const td_swept_question *question,
                               td_front_tile *tiles, size_t count);
td_swept_unit_fn td_swept_unit;
td_swept_tiles_fn td_swept_tiles;

// Room for the candidates of a worker; on failure its result says so.
bool td_swept_ready(td_swept_worker *worker, const td_swept_question *question);

// One pair of triangles: its candidates go to the worker's list, which has room for 15.
void td_swept_test_pair(td_swept_worker *worker, const td_swept_question *question, td_pair triangles);

td_swept_run_fn td_swept_run_scalar;
td_swept_coplanar_fn td_swept_coplanar_scalar;
td_swept_unit_fn td_swept_unit_scalar;
td_swept_tiles_fn td_swept_tiles_scalar;
#if defined(__x86_64__)
td_swept_run_fn td_swept_run_sse4, td_swept_run_avx2, td_swept_run_avx512;
td_swept_coplanar_fn td_swept_coplanar_sse4, td_swept_coplanar_avx2, td_swept_coplanar_avx512;
td_swept_unit_fn td_swept_unit_sse4, td_swept_unit_avx2, td_swept_unit_avx512;
td_swept_tiles_fn td_swept_tiles_sse4, td_swept_tiles_avx2, td_swept_tiles_avx512;
#elif defined(__aarch64__)
td_swept_run_fn td_swept_run_neon;
td_swept_coplanar_fn td_swept_coplanar_neon;
td_swept_unit_fn td_swept_unit_neon;
td_swept_tiles_fn td_swept_tiles_neon;
#endif

// Every pair of triangles of which the first is one of [first, end) of A.
void td_swept_brute(td_swept_worker *worker, const td_swept_question *question, uint32_t first, uint32_t end);

#endif
