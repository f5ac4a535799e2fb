// Refitting of post-order hierarchies, bottom up. A subtree is a range of the array: small ones are jobs,
// done by one task each; the nodes above them, the crown, follow.
#ifndef TD_BVH_POSTORDER_REFIT_H
#define TD_BVH_POSTORDER_REFIT_H

#include "../math/d4.h"
#include "post_sum.h"
#include "postorder.h"
#include "refit.h"

// New boxes, and oriented boxes where there are any, for the positions of the mesh, whose hierarchy has been
// refitted. Oriented boxes turn with the surface: their axes start from where they were. Parallel; the same
// bits for every number of threads and instruction set. Fails only for want of memory, and then nothing has
// changed.
td_result td_postorder_refit(td_postorder *post, const td_trimesh *mesh, const td_blocked *blocked);

// ---------------------------------------------------------------------------------------------------------
// What follows is between postorder_refit.c and postorder_refit_wide.c.

enum {
    TD_POST_JOB = 1024,              // most nodes of a job
    TD_POST_JOB_LEAVES = TD_POST_JOB // of a chain, half of it; of one node, one
};

// Nodes node ... end - 1: a job; or a node of the crown, and end is that of its subtree.
typedef struct td_post_item {
    uint32_t node, end;
    bool crown;
} td_post_item;

// A td_post_sum as vectors want it: of every four numbers the last says nothing.
typedef struct td_node_sum {
    _Alignas(32) double mean[4];
    double spread[2][4]; // xx yy zz; xy yz zx
    _Alignas(16) float lower[4];
    float upper[4];
    double weight;
    uint32_t surface;
} td_node_sum;

// One task's.
typedef struct td_post_scratch {
    td_node_sum sums[TD_POST_JOB];
    uint32_t first_leaf[TD_POST_JOB], leaf_count[TD_POST_JOB];
    uint32_t leaves[TD_POST_JOB_LEAVES]; // the leaves, and the others, within the job
    uint32_t others[TD_POST_JOB];
    td_d4 corners[TD_POST_JOB_LEAVES][3]; // per leaf and axis: three corners, the first one twice
} td_post_scratch;

typedef struct td_post_refit {
    td_postorder *post;
    const td_blocked *blocked;
    td_refit_source source;
    const td_post_item *items; // ascending by node
    td_post_sum *sums;         // per item: of the root of a job
    td_post_scratch *scratch;  // per task
    uint32_t item_count, task_count;
} td_post_refit;

// One per instruction set: every task_count-th job, from `task` on; then, once all are done, the crown.
typedef void td_refit_post_fn(const td_post_refit *refit, uint32_t task);
td_refit_post_fn td_refit_post_jobs_scalar, td_refit_post_crown_scalar;
#if defined(__x86_64__)
td_refit_post_fn td_refit_post_jobs_sse4, td_refit_post_jobs_avx2, td_refit_post_jobs_avx512;
td_refit_post_fn td_refit_post_crown_sse4, td_refit_post_crown_avx2, td_refit_post_crown_avx512;
#elif defined(__aarch64__)
td_refit_post_fn td_refit_post_jobs_neon, td_refit_post_crown_neon;
#endif

#endif
