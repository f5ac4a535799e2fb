// What the kernels of ray-traced contacts share: their arguments, what they count, and how they tell of hits.
// OpenCL C.
#ifndef TD_RAYS_KERNEL_H
#define TD_RAYS_KERNEL_H

#include "step.h"

#define TD_MESH_PARAMETERS                                                                                   \
    __global const td_step_shape *shapes, __global const double *corners, __global const double *inward,     \
        __global const double *own, __global const uint *indices, __global const uint *neighbours,           \
        __global const uint *starts, __global const td_skip_node *nodes,                                     \
        __global const td_step_object *objects

#define TD_MESHES                                                                                            \
    td_step_meshes m;                                                                                        \
    m.shapes = shapes;                                                                                       \
    m.corners = corners;                                                                                     \
    m.inward = inward;                                                                                       \
    m.own = own;                                                                                             \
    m.indices = indices;                                                                                     \
    m.neighbours = neighbours;                                                                               \
    m.starts = starts;                                                                                       \
    m.nodes = nodes;                                                                                         \
    m.objects = objects

#define TD_MEMORIES                                                                                          \
    td_step_memories of;                                                                                     \
    of.of_rigid = memories;                                                                                  \
    of.courses = courses

static void td_put_hit(__global td_step_hit *hits, __global uint *counts, td_step_rules rules,
                       td_trace_hit hit, uint side, uint number, int outward, double around, double touch) {
    if (!td_step_counts(hit, outward, around, touch)) {
        return;
    }
    const uint at = atomic_inc(&counts[TD_SUM_HITS]);
    if (at < rules.room[4]) {
        td_step_hit out;
        out.t = hit.t;
        out.side = side;
        out.number = number;
        out.triangle = hit.triangle;
        out.state = hit.state;
        out.met = hit.side;
        out.spare = 0;
        hits[at] = out;
    }
}

// What a work-item saw.
typedef struct td_tally {
    uint bounds, temporal, open, vertices;
} td_tally;

static void td_count_way(td_tally *tally, uint way) {
    ++tally->vertices;
    if (way == TD_WAY_BOUNDS) {
        ++tally->bounds;
    } else if (way == TD_WAY_TEMPORAL) {
        ++tally->temporal;
    } else if (way == TD_WAY_OPEN) {
        ++tally->open;
    }
}

static void td_add_some(__local uint *sum, uint some) {
    if (some > 0) {
        atomic_add(sum, some);
    }
}

// Sums of a work-group, so that there is one atomic operation per group and counter.
static void td_add_tallies(__local uint *tallies, __global uint *counts, td_tally tally) {
    const uint item = get_local_id(0);
    if (item == 0) {
        tallies[0] = tallies[1] = tallies[2] = tallies[3] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    td_add_some(&tallies[0], tally.bounds);
    td_add_some(&tallies[1], tally.temporal);
    td_add_some(&tallies[2], tally.open);
    td_add_some(&tallies[3], tally.vertices);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        atomic_add(&counts[TD_SUM_BOUNDS], tallies[0]);
        atomic_add(&counts[TD_SUM_TEMPORAL], tallies[1]);
        atomic_add(&counts[TD_SUM_OPEN], tallies[2]);
        atomic_add(&counts[TD_SUM_VERTICES], tallies[3]);
    }
}

#endif
