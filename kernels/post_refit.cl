// Refitting of post-order hierarchies, level by level from the leaves up (paper 001, section 4.1), by the
// operations of src/bvh/postorder_refit_wide.c, so with the same bits. A work-item does one node, with its
// oriented box if there are any (TD_REFIT_OBB).
#include "../src/bvh/obb_reach_wide.h"
#include "../src/bvh/post_sum.h"
#include "../src/bvh/refit_place.h"

#include "../src/bvh/blocked_node.h"
#include "../src/bvh/local_frame.h"

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

static void td_store_note(__global td_post_note *note, const td_post_sum *sum, uint end) {
    for (uint k = 0; k < 3; ++k) {
        note->lower[k] = sum->lower[k];
        note->upper[k] = sum->upper[k];
    }
    note->end = end;
}

static void td_load_note(td_post_sum *sum, __global const td_post_note *note) {
    for (uint k = 0; k < 3; ++k) {
        sum->lower[k] = note->lower[k];
        sum->upper[k] = note->upper[k];
    }
}

#ifdef TD_REFIT_OBB
static void td_narrow_corners(td_wf c[3][3], double (*corner)[3]) {
    for (uint k = 0; k < 9; ++k) {
        c[k / 3][k % 3] = (float)corner[k / 3][k % 3];
    }
}

static void td_store_obb(__global td_obbf *obb, const td_obb_lanes *box) {
    for (uint k = 0; k < 3; ++k) {
        obb->center[k] = box->center[k];
        obb->half[k] = box->half[k];
    }
    for (uint k = 0; k < 9; ++k) {
        obb->axes[k] = box->axes.at[k / 3][k % 3];
    }
    obb->spare = 0;
}
#endif

// Nodes levels[begin ... begin + count - 1], which are leaves. `notes` and `moments` are of this mesh alone.
__kernel void td_refit_post_leaves(__global const td_post_links *links, __global td_boxf *boxes,
                                   __global td_obbf *obbs, __global const td_quad *quads,
                                   __global const uint *triangles, __global const double *corners,
                                   __global td_post_note *notes, __global td_moments *moments,
                                   __global const uint *levels, td_refit_place place, uint begin, uint count,
                                   td_local_frame frame) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    const td_source source = td_source_at(links, quads, triangles, corners, &place, &frame);
    const uint node = levels[place.levels + begin + item];
    double corner[3][3];
    td_post_sum sum;
    td_boxf straight;
    td_load_corners(corner, &source, node);
    td_sum_corners(&sum, corner);
    td_set_box(&straight, &sum);
    boxes[place.boxes + node] = straight;
    td_store_note(notes + node, &sum, node + 1);
#ifdef TD_REFIT_OBB
    td_wf c[3][3];
    td_obb_lanes box;
    td_reach reach = td_reach_nothing();
    moments[node] = td_moments_of_triangle(corner);
    td_narrow_corners(c, corner);
    td_find_leaf_axes(&box.axes, c);
    for (uint i = 0; i < 3; ++i) {
        td_reach_point(&reach, &box.axes, c[i]);
    }
    td_close_reach(&box, &reach);
    td_keep_smaller(&box, straight.center, straight.half);
    td_store_obb(obbs + place.obbs + node, &box);
#endif
}

#ifdef TD_REFIT_OBB
static void td_load_obb(td_obb_lanes *box, __global const td_obbf *obb) {
    for (uint k = 0; k < 3; ++k) {
        box->center[k] = obb->center[k];
        box->half[k] = obb->half[k];
    }
    for (uint k = 0; k < 9; ++k) {
        box->axes.at[k / 3][k % 3] = obb->axes[k];
    }
}

// How far what lies below a node goes along its axes: by corners, or by the boxes of descendants.
static td_reach td_measure(const td_axes *axes, const td_source *source, __global const td_obbf *obbs,
                           uint node, uint end) {
    td_reach reach = td_reach_nothing();
    if (end - node <= TD_EXACT_NODES) {
        for (uint n = node; n < end; ++n) {
            if (source->links[n].kind & TD_POST_LEAF) {
                double corner[3][3];
                td_wf c[3][3];
                td_load_corners(corner, source, n);
                td_narrow_corners(c, corner);
                for (uint i = 0; i < 3; ++i) {
                    td_reach_point(&reach, axes, c[i]);
                }
            }
        }
        return reach;
    }
    uint cover[TD_COVER];
    const uint count = td_find_cover(cover, source->links, node);
    for (uint i = 0; i < count; ++i) {
        td_obb_lanes box;
        td_load_obb(&box, obbs + cover[i]);
        td_reach_box(&reach, axes, &box);
    }
    return reach;
}

static void td_numbers_of(td_wf64 numbers[10], const td_moments *moments) {
    numbers[0].v[0] = moments->weight;
    for (uint k = 0; k < 3; ++k) {
        numbers[1 + k].v[0] = moments->first[k];
    }
    for (uint k = 0; k < 6; ++k) {
        numbers[4 + k].v[0] = moments->second[k];
    }
}
#endif

// Likewise inner nodes, whose children have been refitted.
__kernel void td_refit_post_inner(__global const td_post_links *links, __global td_boxf *boxes,
                                  __global td_obbf *obbs, __global const td_quad *quads,
                                  __global const uint *triangles, __global const double *corners,
                                  __global td_post_note *notes, __global td_moments *moments,
                                  __global const uint *levels, td_refit_place place, uint begin, uint count,
                                  td_local_frame frame) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    const td_source source = td_source_at(links, quads, triangles, corners, &place, &frame);
    const uint node = levels[place.levels + begin + item];
    uint child = source.links[node].child;
    const uint end = notes[child].end; // the left-most child stands last
    td_post_sum sum;
    td_boxf straight;
    td_load_note(&sum, notes + child);
#ifdef TD_REFIT_OBB
    sum.moments = moments[child];
#endif
    while (source.links[child].counter == 0) {
        child = source.links[child].escape;
        td_post_sum other;
        td_load_note(&other, notes + child);
#ifdef TD_REFIT_OBB
        other.moments = moments[child];
        td_add_sum(&sum, &other, 1);
#else
        td_add_sum(&sum, &other, 0);
#endif
    }
    td_set_box(&straight, &sum);
    boxes[place.boxes + node] = straight;
    td_store_note(notes + node, &sum, end);
#ifdef TD_REFIT_OBB
    td_obb_lanes box;
    td_wf64 numbers[10];
    moments[node] = sum.moments;
    td_numbers_of(numbers, &sum.moments);
    td_load_obb(&box, obbs + place.obbs + node);
    td_find_axes(&box.axes, numbers);
    const td_reach reach = td_measure(&box.axes, &source, obbs + place.obbs, node, end);
    td_close_reach(&box, &reach);
    td_keep_smaller(&box, straight.center, straight.half);
    td_store_obb(obbs + place.obbs + node, &box);
#endif
}
