// Refitting of post-order hierarchies, bottom up. A subtree is a range of the array: small ones are jobs, and
// some jobs with what lies above them are a limb, done by one task; the nodes above all limbs, the crown,
// follow.
#ifndef TD_BVH_POSTORDER_REFIT_H
#define TD_BVH_POSTORDER_REFIT_H

#include "post_sum.h"
#include "postorder.h"
#include "refit.h"

#include <stdatomic.h>

// New boxes, and oriented boxes where there are any, for the positions of the mesh, whose hierarchy has been
// refitted. Oriented boxes turn with the surface: their axes start from where they were. Parallel; the same
// bits for every number of threads and instruction set. Fails only for want of memory, and then nothing has
// changed.
td_result td_postorder_refit(td_postorder *post, const td_trimesh *mesh, const td_blocked *blocked);

// ---------------------------------------------------------------------------------------------------------
// What follows is between postorder_refit.c and postorder_refit_wide.c.

enum {
    TD_POST_JOB = 1024,               // most nodes of a job
    TD_POST_JOB_LEAVES = TD_POST_JOB, // of a chain, half of it; of one node, one
    TD_POST_ROW = 3 * TD_POST_JOB_LEAVES + 16
};

// Nodes node ... end - 1: a job; or a node above jobs, and end is that of its subtree.
typedef struct td_post_item {
    uint32_t node, end;
    bool inner; // not a job
} td_post_item;

// Items first ... end - 1, of which the first one is above all others; or that one alone, a node of the
// crown.
typedef struct td_post_limb {
    uint32_t first, end;
    bool crown;
} td_post_limb;

// One task's.
typedef struct td_post_scratch {
    td_post_sum sums[TD_POST_JOB];
    uint32_t first_leaf[TD_POST_JOB], leaf_count[TD_POST_JOB];
    uint32_t leaves[TD_POST_JOB_LEAVES]; // the leaves, and the others, within the job
    uint32_t others[TD_POST_JOB];
    float corners[3][TD_POST_ROW]; // coordinate; three per leaf
} td_post_scratch;

typedef struct td_post_refit {
    td_postorder *post;
    const td_blocked *blocked;
    td_refit_source source;
    const td_post_item *items; // ascending by node
    const td_post_limb *limbs; // likewise
    td_post_sum *sums;         // per item
    td_post_scratch *scratch;  // per task
    uint32_t item_count, limb_count;
    atomic_uint next_limb; // that no task has taken
} td_post_refit;

// One per instruction set: limbs, as long as there are any; then, once all are done, the crown.
typedef void td_refit_post_fn(td_post_refit *refit, uint32_t task);
td_refit_post_fn td_refit_post_limbs_scalar, td_refit_post_crown_scalar;
#if defined(__x86_64__)
td_refit_post_fn td_refit_post_limbs_sse4, td_refit_post_limbs_avx2, td_refit_post_limbs_avx512;
td_refit_post_fn td_refit_post_crown_sse4, td_refit_post_crown_avx2, td_refit_post_crown_avx512;
#elif defined(__aarch64__)
td_refit_post_fn td_refit_post_limbs_neon, td_refit_post_crown_neon;
#endif

#endif
