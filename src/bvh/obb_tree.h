// Oriented boxes around the nodes of a binary tree, fitted anew whenever what it holds has moved.
//
// The tree stands in the order of a walk: the first child of node n is n + 1, everything below n is
// n + 1 ... end - 1. So do post-order hierarchies (postorder.h) and split ones (split.h). A leaf holds up to
// TD_OBB_LEAF triangles, whose corners the caller tells; of something that moves along straight lines these
// are the triangles at both ends of the step, for what holds both ends of a line holds the line.
//
// As refitting has it (postorder_refit.h): moments from the leaves up; axes from where they were towards the
// principal axes of the moments; a node of a job is measured over all corners below it, one above jobs over
// the oriented boxes of sixteen of its descendants. Any axes give a box that is right. Where the box along
// the coordinate axes has the smaller surface, it is taken.
//
// based on: Gottschalk, Lin and Manocha, OBBTree, 1996; paper 001, section 6.1.
#ifndef TD_BVH_OBB_TREE_H
#define TD_BVH_OBB_TREE_H

#include "../predicates/obb_obb.h"
#include "post_sum.h"

#include <tandem/base.h>

enum {
    TD_OBB_LEAF = 8,   // most triangles of a leaf
    TD_OBB_JOB = 512,  // most nodes of a job; a binary tree has half as many leaves
    TD_OBB_TASKS = 16, // that share the jobs
    TD_OBB_ROW = 3 * TD_OBB_LEAF * ((TD_OBB_JOB + 1) / 2) + 16
};

// The local corners of the triangles of a leaf, within [-1, 1] and off by 2^-52 at most; returns their
// number, at least one.
typedef uint32_t td_obb_leaf_fn(double (*triangles)[3][3], uint32_t node, const void *user);

// Nodes node ... end - 1: a job, done by one task; or a node above all jobs, the crown, of which `end` is
// that of its subtree.
typedef struct td_obb_item {
    uint32_t node, end;
    uint32_t crown;
} td_obb_item;

// One task's.
typedef struct td_obb_scratch {
    td_post_sum sums[TD_OBB_JOB];
    uint32_t first[TD_OBB_JOB], count[TD_OBB_JOB]; // of the corners: those below a node
    float corners[3][TD_OBB_ROW];                  // coordinate; three per triangle
} td_obb_scratch;

typedef struct td_obb_tree {
    uint32_t node_count;
    uint32_t *second; // per node: its second child; TD_NONE: a leaf
    td_obbf *obbs;    // per node
    td_obb_item *items;
    uint32_t item_count, item_room;
    td_post_sum *sums;       // per item
    td_obb_scratch *scratch; // per task
    uint32_t task_count;
    bool fitted; // axes are those of the last time
} td_obb_tree;

// Room for a tree of so many nodes. The caller fills in `second`, then calls td_obb_tree_link. Both fail for
// want of memory only, and leave nothing to release.
td_result td_obb_tree_create(td_obb_tree *out, td_context *context, uint32_t node_count);
td_result td_obb_tree_link(td_obb_tree *tree, td_context *context);
void td_obb_tree_destroy(td_obb_tree *tree, td_context *context); // fine on a zeroed one
uint64_t td_obb_tree_bytes(const td_obb_tree *tree);

// New boxes. Parallel; the same bits for every number of threads and instruction set. Allocates nothing.
void td_obb_tree_fit(td_obb_tree *tree, td_context *context, td_obb_leaf_fn *corners, const void *user);

// ---------------------------------------------------------------------------------------------------------
// What follows is between obb_tree.c and obb_tree_wide.c.

typedef struct td_obb_fit_call {
    td_obb_tree *tree;
    td_obb_leaf_fn *corners;
    const void *user;
} td_obb_fit_call;

// One per instruction set: every task_count-th job, from `task` on; then, once all are done, the crown.
typedef void td_obb_fit_fn(const td_obb_fit_call *call, uint32_t task);
td_obb_fit_fn td_obb_fit_jobs_scalar, td_obb_fit_crown_scalar;
#if defined(__x86_64__)
td_obb_fit_fn td_obb_fit_jobs_sse4, td_obb_fit_jobs_avx2, td_obb_fit_jobs_avx512;
td_obb_fit_fn td_obb_fit_crown_sse4, td_obb_fit_crown_avx2, td_obb_fit_crown_avx512;
#elif defined(__aarch64__)
td_obb_fit_fn td_obb_fit_jobs_neon, td_obb_fit_crown_neon;
#endif

#endif
