// Refitting of post-order hierarchies, level by level from the leaves up (paper 001, section 4.1), by the
// operations of src/bvh/postorder_refit_wide.c, so with the same bits. A work-item does TD_BATCH nodes: with
// oriented boxes (TD_REFIT_OBB) four, whose axes are found together.
#include "../src/bvh/obb_reach_wide.h"
#include "../src/bvh/post_sum.h"
#include "../src/bvh/refit_place.h"

#include "../src/bvh/blocked_node.h"
#include "../src/bvh/local_frame.h"

#ifdef TD_REFIT_OBB
#define TD_BATCH 4
#else
#define TD_BATCH 1
#endif

// What every node needs.
typedef struct td_source {
    __global const td_post_links *links; // of the mesh, as all that follows
    __global const td_quad *quads;
    __global const uint *triangles;
    __global const double *corners;
    td_local_frame frame;
} td_source;

static td_source td_source_at(__global const td_post_links *links, __global const td_quad *quads,
                              __global const uint *triangles, __global const double *corners,
                              const td_refit_place *place, const td_local_frame *frame) {
    td_source source;
    source.links = links + place->links;
    source.quads = quads + place->quads;
    source.triangles = triangles + 3 * (size_t)place->triangles;
    source.corners = corners + 3 * (size_t)place->corners;
    source.frame = *frame;
    return source;
}

// The local corners of the triangle of a leaf.
static void td_load_corners(double corner[3][3], const td_source *source, uint node) {
    const uint at = source->links[node].child, triangle = source->quads[at / 4].triangle[at % 4];
    for (uint i = 0; i < 3; ++i) {
        __global const double *p = source->corners + 3 * (size_t)source->triangles[3 * (size_t)triangle + i];
        for (uint k = 0; k < 3; ++k) {
            corner[i][k] =
                ((p[k] - source->frame.origin[k]) * source->frame.scale[0]) * source->frame.scale[1];
        }
    }
}

static void td_store_note(__global td_post_note *note, const td_post_sum *sum, uint end, uint leaves) {
    for (uint k = 0; k < 3; ++k) {
        note->lower[k] = sum->lower[k];
        note->upper[k] = sum->upper[k];
    }
    note->end = end;
    note->leaves = leaves;
}

static void td_load_note(td_post_sum *sum, __global const td_post_note *note) {
    for (uint k = 0; k < 3; ++k) {
        sum->lower[k] = note->lower[k];
        sum->upper[k] = note->upper[k];
    }
}

// Nodes levels[begin ... begin + count - 1], which are leaves. `notes` and `moments` are of this mesh alone.
__kernel void td_refit_post_leaves(__global const td_post_links *links, __global td_boxf *boxes,
                                   __global td_obbf *obbs, __global const td_quad *quads,
                                   __global const uint *triangles, __global const double *corners,
                                   __global td_post_note *notes, __global td_moments *moments,
                                   __global const uint *levels, td_refit_place place, uint begin, uint count,
                                   td_local_frame frame) {
    const uint first = TD_BATCH * get_global_id(0);
    if (first >= count) {
        return;
    }
    const td_source source = td_source_at(links, quads, triangles, corners, &place, &frame);
    const uint batch = count - first < TD_BATCH ? count - first : TD_BATCH;
    uint node[TD_BATCH];
    double corner[TD_BATCH][3][3];
    td_boxf straight[TD_BATCH];
    for (uint i = 0; i < TD_BATCH; ++i) { // the first one stands in where there are fewer
        node[i] = levels[place.levels + begin + first + (i < batch ? i : 0)];
        td_post_sum sum;
        td_load_corners(corner[i], &source, node[i]);
        td_sum_corners(&sum, corner[i]);
        td_set_box(&straight[i], &sum);
        if (i < batch) {
            boxes[place.boxes + node[i]] = straight[i];
            td_store_note(notes + node[i], &sum, node[i] + 1, 1);
#ifdef TD_REFIT_OBB
            moments[node[i]] = td_moments_of_triangle(corner[i]);
#endif
        }
    }
#ifdef TD_REFIT_OBB
    td_d4 c[3][3];
    td_obbf own[4];
    td_obbf *const pointers[4] = {&own[0], &own[1], &own[2], &own[3]};
    for (uint i = 0; i < 3; ++i) {
        for (uint k = 0; k < 3; ++k) {
            c[i][k] = td_d4_set(corner[0][i][k], corner[1][i][k], corner[2][i][k], corner[3][i][k]);
        }
    }
    for (uint i = 0; i < 4; ++i) {
        own[i] = obbs[place.obbs + node[i]];
    }
    td_axes4 axes;
    td_find_leaf_axes(&axes, c);
    td_close_leaves(pointers, batch, &axes, c);
    for (uint i = 0; i < batch; ++i) {
        td_keep_smaller(&own[i], &straight[i]);
        obbs[place.obbs + node[i]] = own[i];
    }
#endif
}

#ifdef TD_REFIT_OBB
// The box of a node whose axes have been found: over the corners below it, or over the boxes of descendants.
static void td_measure(td_obbf *obb, const td_source *source, __global const td_obbf *obbs, uint node,
                       uint end, uint leaves, const td_post_sum *sum) {
    td_reach reach;
    td_start_reach(&reach, obb, sum->moments.mean);
    if (leaves <= TD_EXACT_LEAVES) {
        td_reach_lanes lanes;
        td_begin_corners(&lanes, &reach);
        for (uint n = end; n-- > node;) {
            if (source->links[n].kind & TD_POST_LEAF) {
                double corner[3][3];
                td_load_corners(corner, source, n);
                td_d4 rows[3];
                for (uint k = 0; k < 3; ++k) {
                    rows[k] = td_d4_set(corner[0][k], corner[1][k], corner[2][k], corner[0][k]);
                }
                td_reach_leaf(&lanes, rows);
            }
        }
        td_end_corners(&reach, &lanes);
    } else {
        td_reach_cover(&reach, source->links, obbs, node);
    }
    td_close_reach(obb, &reach);
}
#endif

// Likewise inner nodes, whose children have been refitted.
__kernel void td_refit_post_inner(__global const td_post_links *links, __global td_boxf *boxes,
                                  __global td_obbf *obbs, __global const td_quad *quads,
                                  __global const uint *triangles, __global const double *corners,
                                  __global td_post_note *notes, __global td_moments *moments,
                                  __global const uint *levels, td_refit_place place, uint begin, uint count,
                                  td_local_frame frame) {
    const uint first = TD_BATCH * get_global_id(0);
    if (first >= count) {
        return;
    }
    const td_source source = td_source_at(links, quads, triangles, corners, &place, &frame);
    const uint batch = count - first < TD_BATCH ? count - first : TD_BATCH;
    uint node[TD_BATCH], end[TD_BATCH], leaves[TD_BATCH];
    td_post_sum sums[TD_BATCH];
    td_boxf straight[TD_BATCH];
    for (uint i = 0; i < TD_BATCH; ++i) { // the first one stands in where there are fewer
        node[i] = levels[place.levels + begin + first + (i < batch ? i : 0)];
        uint child = source.links[node[i]].child;
        td_load_note(&sums[i], notes + child);
        end[i] = notes[child].end; // the left-most child stands last
        leaves[i] = notes[child].leaves;
#ifdef TD_REFIT_OBB
        sums[i].moments = moments[child];
#endif
        while (source.links[child].counter == 0) {
            child = source.links[child].escape;
            td_post_sum other;
            td_load_note(&other, notes + child);
            leaves[i] += notes[child].leaves;
#ifdef TD_REFIT_OBB
            other.moments = moments[child];
#endif
            td_add_sum(&sums[i], &other, TD_BATCH > 1);
        }
        td_set_box(&straight[i], &sums[i]);
    }
    for (uint i = 0; i < batch; ++i) {
        boxes[place.boxes + node[i]] = straight[i];
        td_store_note(notes + node[i], &sums[i], end[i], leaves[i]);
    }
#ifdef TD_REFIT_OBB
    td_obbf own[4];
    td_obbf *const pointers[4] = {&own[0], &own[1], &own[2], &own[3]};
    const td_obbf *const before[4] = {&own[0], &own[1], &own[2], &own[3]};
    const td_moments *const below[4] = {&sums[0].moments, &sums[1].moments, &sums[2].moments,
                                        &sums[3].moments};
    for (uint i = 0; i < 4; ++i) {
        own[i] = obbs[place.obbs + node[i]];
    }
    td_axes4 axes;
    td_find_axes(&axes, before, below);
    td_store_axes(pointers, &axes, batch);
    for (uint i = 0; i < batch; ++i) {
        moments[node[i]] = sums[i].moments;
        td_measure(&own[i], &source, obbs + place.obbs, node[i], end[i], leaves[i], &sums[i]);
        td_keep_smaller(&own[i], &straight[i]);
        obbs[place.obbs + node[i]] = own[i];
    }
#endif
}
