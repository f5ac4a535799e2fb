// What the builders by the surface area heuristic, natively (build_sah.c) and on devices (build_device.h),
// agree on: so that they make the same tree. C17 and OpenCL C.
#ifndef TD_BVH_SAH_H
#define TD_BVH_SAH_H

#include "tree.h"

enum {
    TD_BINS = 16,
    TD_SAMPLE = 2048,                 // prims of a large node that are binned, at least
    TD_STRIDE_MOST = 16,              // ... of so many, one
    TD_SMALL_SET = 32,                // sets up to here are built by full sweep
    TD_CHUNK_PRIMS = 4096,            // per task, of nodes that are cut by all threads together
    TD_TOGETHER = 4 * TD_CHUNK_PRIMS, // those are the nodes from here on
    TD_SUBTREE_PRIMS = 2048,          // nodes up to here are always one task
    TD_SUBTREE_SHARE = 64             // ... and nodes up to this fraction of all prims
};

// Nodes of a tree over `count` prims up to this are one task, with all below.
static inline td_u32 td_subtree_most(td_u32 count) {
    const td_u32 share = count / TD_SUBTREE_SHARE;
    return share > TD_SUBTREE_PRIMS ? share : TD_SUBTREE_PRIMS;
}

// One prim of every so many is binned.
static inline td_u32 td_sample_stride(td_u32 count) {
    const td_u32 ratio = count / TD_SAMPLE;
    return ratio < 1 ? 1 : ratio > TD_STRIDE_MOST ? TD_STRIDE_MOST : ratio;
}

// The sample: one prim of every `stride`, at places that follow no pattern, since meshes do.
static inline td_u32 td_sample_place(td_u32 sample, td_u32 stride) {
    return sample * stride + (td_u32)((td_u64)(sample * 0x9e3779b9u) * stride >> 32);
}

#endif
