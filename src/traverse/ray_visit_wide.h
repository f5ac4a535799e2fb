// What a ray does at a quad: its four triangles in float32, and those that this leaves open exactly. For
// files that are compiled once per instruction set.
#ifndef TD_TRAVERSE_RAY_VISIT_WIDE_H
#define TD_TRAVERSE_RAY_VISIT_WIDE_H

#include "ray_boxes_wide.h"

enum { TD_TRAIL = 128 };

// What a ray has still to visit, the next one last. `places` begins with TD_TRAIL_END.
typedef struct td_ray_trail {
    uint32_t held;
    td_ray_place places[TD_TRAIL + 4];
} td_ray_trail;

// The rays of a sheet, and what they have met so far.
typedef struct td_ray_group {
    const td_ray_batch *batch;
    td_ray_sheet *sheet; // its t_end and t_max shrink
    td_ray_hit *best;    // per ray
    td_ray_lanes *lanes; // per ray, of those in `ready`
    td_ray_trail *trails;
    uint32_t ready;
} td_ray_group;

static bool td_consider_lane(td_ray_group *group, int i, uint32_t triangle, td_ray_mode mode) {
    td_ray_sheet *sheet = group->sheet;
    td_ray_question question = {.t_min = sheet->t_min[i], .t_max = sheet->t_max[i]};
    question.line =
        td_line_make(td_vec3_make(sheet->origin[0][i], sheet->origin[1][i], sheet->origin[2][i]),
                     td_vec3_make(sheet->direction[0][i], sheet->direction[1][i], sheet->direction[2][i]),
                     group->batch->grain);
    td_ray_hit *best = &group->best[i];
    if (!td_ray_consider(best, &question, group->batch->mesh, triangle)) {
        return false;
    }
    if (mode == TD_RAY_ANY) {
        *best = td_some_hit(true);
        return true;
    }
    sheet->t_max[i] = best->t;
    sheet->t_end[i] = (float)(best->t * sheet->rate[i] - sheet->start[i] + sheet->slack[i]);
    td_end_ray_at(&group->lanes[i], sheet->t_end[i]);
    return false;
}

// Ray i of the group. True if nothing more is to be found out about it.
TD_OP bool td_visit_quad(td_ray_group *group, int i, const td_quad *quad, td_ray_mode mode) {
    const td_quad_ray ray = td_quad_ray_of(group->sheet, i);
    const td_quad_answer answer = td_test_quad(quad, &ray, mode == TD_RAY_ANY);
    if (answer.certain != 0) {
        group->best[i] = td_some_hit(true);
        return true;
    }
    for (uint32_t bits = answer.possible; bits != 0; bits &= bits - 1) {
        if (td_consider_lane(group, i, quad->triangle[__builtin_ctz(bits)], mode)) {
            return true;
        }
    }
    return false;
}

#endif
