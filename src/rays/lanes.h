// Full casts of several rays at one target by one work-item, a ray per lane: boxes are tested for all of them
// at once. For devices whose work-items do not go in step, as processors. OpenCL C.
//
// Lists are dense and in the order of sides, so that neighbours in them mostly have one target and lie near
// each other. Boxes, their slack and the order of nodes are those of td_cast_stackless; so are the answers.
#ifndef TD_RAYS_LANES_H
#define TD_RAYS_LANES_H

#include "target.h"

#define TD_RAY_LANES 8

// In local coordinates, as td_local_ray.
typedef struct td_lane_boxes {
    double8 origin[3], inverse[3], size[3];
    double8 begin; // of the range of t; its end shrinks
    double slack;
} td_lane_boxes;

// Rays of one target on their way.
typedef struct td_lane_rays {
    td_trace_ray rays[TD_RAY_LANES];
    td_line lines[TD_RAY_LANES];
    td_trace_hit hits[TD_RAY_LANES];
    double end[TD_RAY_LANES], late[TD_RAY_LANES]; // of boxes
    long walks[TD_RAY_LANES];                     // -1: the lane does, 0: it does not, or no more
} td_lane_rays;

TD_INLINE td_lane_boxes td_lane_boxes_make(td_lane_rays *all, td_target target) {
    double origin[3][TD_RAY_LANES], inverse[3][TD_RAY_LANES], begin[TD_RAY_LANES];
    td_lane_boxes boxes;
    boxes.slack = 0;
    for (int i = 0; i < TD_RAY_LANES; ++i) {
        all->end[i] = begin[i] = all->late[i] = 0;
        for (int k = 0; k < 3; ++k) {
            origin[k][i] = inverse[k][i] = 0;
        }
        if (!all->walks[i]) {
            continue;
        }
        const td_trace_ray ray = all->rays[i];
        const td_local_ray place = td_local_ray_make(target, ray.origin, ray.direction, 0.0);
        all->hits[i] = td_no_trace_hit(place.usable ? TD_TRACE_NOTHING : TD_TRACE_HANDED);
        all->walks[i] = place.usable ? -1 : 0;
        all->lines[i] = td_line_make(ray.origin, ray.direction, target.grain);
        all->late[i] = place.late;
        all->end[i] = ray.t_max + place.late;
        begin[i] = ray.t_min - place.late;
        boxes.slack = place.slack; // the same for all
        for (int k = 0; k < 3; ++k) {
            origin[k][i] = place.origin[k];
            inverse[k][i] = place.inverse[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        boxes.origin[k] = vload8(0, origin[k]);
        boxes.inverse[k] = vload8(0, inverse[k]);
        boxes.size[k] = fabs(boxes.inverse[k]);
    }
    boxes.begin = vload8(0, begin);
    return boxes;
}

// -1 in the lanes of rays that may meet the node before their end. Comparisons, not fmax: nothing is NaN.
TD_INLINE long8 td_lanes_that_meet(const td_lane_boxes *boxes, td_skip_node node, double8 end) {
    double8 enter = boxes->begin, leave = end;
    for (int k = 0; k < 3; ++k) {
        const double8 middle = ((double8)((double)node.center[k]) - boxes->origin[k]) * boxes->inverse[k];
        const double8 reach = ((double)node.half[k] + boxes->slack) * boxes->size[k];
        const double8 from = middle - reach, to = middle + reach;
        enter = from > enter ? from : enter;
        leave = to < leave ? to : leave;
    }
    return enter <= leave;
}

TD_INLINE void td_lanes_consider(td_lane_rays *all, long8 meets, td_target target, td_u32 number) {
    const td_triangle triangle = td_target_triangle(target, number);
    long lanes[TD_RAY_LANES];
    vstore8(meets, 0, lanes);
    for (int i = 0; i < TD_RAY_LANES; ++i) {
        if (!lanes[i]) {
            continue;
        }
        const td_trace_ray ray = all->rays[i];
        td_trace_hit *best = &all->hits[i];
        if (!td_trace_consider(best, triangle, number, all->lines[i], ray.t_min, ray.t_max)) {
            all->walks[i] = 0;
        } else if (best->state == TD_TRACE_HIT) {
            all->end[i] = best->t + all->late[i];
        }
    }
}

// The rays of `walks` through the hierarchy, without a stack.
TD_INLINE void td_cast_lanes(td_lane_rays *all, td_target target) {
    const td_lane_boxes boxes = td_lane_boxes_make(all, target);
    double8 end = vload8(0, all->end);
    long8 walks = vload8(0, all->walks);
    td_u32 node = 0;
    while (node != TD_TRACE_NONE) {
        const td_skip_node at = target.nodes[node];
        const long8 meets = td_lanes_that_meet(&boxes, at, end) & walks;
        if (!any(meets)) {
            node = at.escape;
        } else if (at.triangle == TD_TRACE_NONE) {
            node = node + 1;
        } else {
            td_lanes_consider(all, meets, target, at.triangle);
            end = vload8(0, all->end);
            walks = vload8(0, all->walks);
            node = at.escape;
        }
    }
}

#endif
