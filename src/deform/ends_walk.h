// Two hierarchies over a lap walked together: pairs of features that come near each other.
#ifndef TD_DEFORM_ENDS_WALK_H
#define TD_DEFORM_ENDS_WALK_H

#include "../traverse/swept.h"
#include "ends.h"

typedef struct td_ends_question {
    const td_ends *a, *b;
    bool marked;             // only pairs of which one is marked:
    uint32_t heeded_a;       // lanes of a whose marks count, 0 or all four
    uint32_t heeded_b;       // likewise of b
    uint32_t all_b;          // lanes of b that count as marked, whatever they are
    float apart;             // local units: features farther apart along an axis at both ends are not meant
    td_swept_question swept; // its hierarchies have paths only; `user` is the pair of bodies
} td_ends_question;

// At least `wanted` pairs of blocks from which everything is reached once, if there are so many.
td_result td_ends_starts(td_swept_pairs *starts, size_t wanted, const td_ends_question *question);

// Visits everything below a pair of blocks, in the registers of the context's instruction set, and decides
// what comes of it: the worker's lists of what it found are added to.
typedef void td_ends_run_fn(td_swept_worker *worker, const td_ends_question *question, td_pair start);
td_ends_run_fn td_ends_run;

td_ends_run_fn td_ends_run_scalar;
#if defined(__x86_64__)
td_ends_run_fn td_ends_run_sse4, td_ends_run_avx2, td_ends_run_avx512;
#elif defined(__aarch64__)
td_ends_run_fn td_ends_run_neon;
#endif

// Decides the worker's candidates and empties the list (apart.c).
void td_decide_near(td_swept_worker *worker, const td_ends_question *question);

#endif
