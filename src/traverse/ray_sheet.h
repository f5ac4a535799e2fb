// Some rays side by side on their way into float32: what is done once per ray, in loops that compilers
// turn into registers full of rays.
#ifndef TD_TRAVERSE_RAY_SHEET_H
#define TD_TRAVERSE_RAY_SHEET_H

#include "ray.h"

enum {
    TD_SHEET = 32,     // bits of a uint32_t stand for its rays
    TD_SMALL_SHEET = 4 // lanes, if there are no more rays: the others are undefined
};

#define TD_SHEET_REACH 0.125f // of rays that start near each other, in local units

// In this order: what holds of a later one need not be asked of an earlier one.
typedef enum td_ray_way {
    TD_RAY_WALK,     // the float32 form is there
    TD_RAY_MISSES,   // the ray does not come near the mesh, or its range is empty
    TD_RAY_UNUSABLE, // float32 is good for nothing: so far away, or of such scale, that only brute force
                     // remains
    TD_RAY_BAD       // what td_cast_rays refuses
} td_ray_way;

typedef struct td_ray_sheet {
    // As they were given, in the mesh's own coordinates.
    double origin[3][TD_SHEET], direction[3][TD_SHEET];
    double t_min[TD_SHEET], t_max[TD_SHEET];
    int32_t way[TD_SHEET]; // a td_ray_way
    // The float32 form. Its t is t * rate - start.
    double rate[TD_SHEET], start[TD_SHEET], slack[TD_SHEET];
    float at[3][TD_SHEET];                     // where it starts
    float unit[3][TD_SHEET];                   // direction
    float inverse[3][TD_SHEET];                // 1 / direction
    float near[3][TD_SHEET], far[3][TD_SHEET]; // at / direction, the slack of box tests added and taken away
    float side_slack[TD_SHEET], depth_slack[TD_SHEET];
    float t_end[TD_SHEET];
} td_ray_sheet;

// The number of lanes is one that the compiler knows.
#define TD_RAY_LOOP static inline __attribute__((always_inline))
#define TD_EACH_RAY for (int i = 0; i < lanes; ++i)

// The rotation's inverse is its transpose.
TD_RAY_LOOP void td_turn_sheet_back(td_ray_sheet *sheet, int lanes, const td_rigid *m) {
    TD_EACH_RAY {
        const td_vec3 o =
            td_vec3_make(sheet->origin[0][i] - m->position.x, sheet->origin[1][i] - m->position.y,
                         sheet->origin[2][i] - m->position.z);
        const td_vec3 d =
            td_vec3_make(sheet->direction[0][i], sheet->direction[1][i], sheet->direction[2][i]);
        sheet->origin[0][i] = m->row0.x * o.x + m->row1.x * o.y + m->row2.x * o.z;
        sheet->origin[1][i] = m->row0.y * o.x + m->row1.y * o.y + m->row2.y * o.z;
        sheet->origin[2][i] = m->row0.z * o.x + m->row1.z * o.y + m->row2.z * o.z;
        sheet->direction[0][i] = m->row0.x * d.x + m->row1.x * d.y + m->row2.x * d.z;
        sheet->direction[1][i] = m->row0.y * d.x + m->row1.y * d.y + m->row2.y * d.z;
        sheet->direction[2][i] = m->row0.z * d.x + m->row1.z * d.y + m->row2.z * d.z;
    }
}

// Has the processor fetch a cache line; the address may be any.
static inline void td_fetch(uintptr_t address) {
    __builtin_prefetch((const void *)address);
}

static inline void td_put_ray(td_ray_sheet *sheet, int i, const td_ray *ray) {
    for (int k = 0; k < 3; ++k) {
        sheet->origin[k][i] = ray->origin[k];
        sheet->direction[k][i] = ray->direction[k];
    }
    sheet->t_min[i] = ray->t_min;
    sheet->t_max[i] = ray->t_max;
}

// The first `count` lanes are rays first, first + 1, ... of the batch; the others repeat the last.
TD_RAY_LOOP void td_fill_sheet(td_ray_sheet *sheet, int lanes, const td_ray_batch *batch, size_t first,
                               size_t count) {
    const td_ray *rays = batch->rays + first;
    if (count == TD_SHEET) {
        TD_EACH_RAY {
            td_put_ray(sheet, i, &rays[i]);
        }
        TD_EACH_RAY { // of the next sheet; past the last ray, whatever is there
            td_fetch((uintptr_t)&rays[i] + sizeof *rays * TD_SHEET);
        }
    } else {
        TD_EACH_RAY {
            td_put_ray(sheet, i, &rays[(size_t)i < count ? (size_t)i : count - 1]);
        }
    }
    TD_EACH_RAY { // NaN fails every comparison
        double fastest = 0;
        bool good = (sheet->t_min[i] <= sheet->t_max[i]) | (sheet->t_min[i] > sheet->t_max[i]);
        for (int k = 0; k < 3; ++k) {
            good &= fabs(sheet->origin[k][i]) < TD_RAY_FARTHEST;
            good &= fabs(sheet->direction[k][i]) <= DBL_MAX;
            fastest = td_larger(fabs(sheet->direction[k][i]), fastest);
        }
        sheet->way[i] = good && fastest > 0 ? TD_RAY_WALK : TD_RAY_BAD;
    }
    if (batch->placed) {
        td_turn_sheet_back(sheet, lanes, &batch->rigid);
    }
}

// Components of the direction that are all but zero become 2^-40 of the largest: that moves the ray by less
// than the slack.
TD_RAY_LOOP void td_set_out(td_ray_sheet *sheet, int lanes, const td_blocked *h) {
    double local[3][TD_SHEET], unit[3][TD_SHEET], error[TD_SHEET], end[TD_SHEET];
    const double origin[3] = {h->origin.x, h->origin.y, h->origin.z}, scale0 = h->scale[0],
                 scale1 = h->scale[1];
    TD_EACH_RAY {
        double distance = 0, largest = 0;
        for (int k = 0; k < 3; ++k) {
            local[k][i] = (sheet->origin[k][i] - origin[k]) * scale0 * scale1;
            distance = td_larger(fabs(local[k][i]), distance);
            largest = td_larger(fabs(sheet->direction[k][i]), largest);
        }
        const double rate = largest * scale0 * scale1, shorten = 1 / largest;
        for (int k = 0; k < 3; ++k) {
            unit[k][i] = sheet->direction[k][i] * shorten;
        }
        const bool usable = (distance < 0x1p40) & (rate > 0x1p-1000) & (rate < 0x1p1000) &
                            (largest > 0x1p-1000) & (largest < 0x1p1000);
        const int32_t way = (usable ? 0 : TD_RAY_UNUSABLE) + (largest == 0); // then it is bad
        sheet->way[i] = sheet->way[i] > way ? sheet->way[i] : way;
        error[i] = 0x1p-50 * (distance + 1);
        sheet->rate[i] = rate;
        sheet->start[i] = sheet->t_min[i] * rate - (TD_RAY_RANGE_SLACK + 2 * error[i]);
        end[i] = sheet->t_max[i] * rate + TD_RAY_RANGE_SLACK; // 2 error more come with the slack
    }
    for (int k = 0; k < 3; ++k) { // the part within the box around the mesh
        const double half = h->half[k];
        TD_EACH_RAY {
            const double steep = fabs(unit[k][i]) < 0x1p-40 ? copysign(0x1p-40, unit[k][i]) : unit[k][i];
            const double inverse = 1 / steep, middle = -local[k][i] * inverse;
            const double reach = (half + 0x1p-38 + 4 * error[i]) * fabs(inverse);
            sheet->start[i] = td_larger(middle - reach, sheet->start[i]);
            end[i] = td_smaller(middle + reach, end[i]);
            sheet->inverse[k][i] = (float)inverse;
        }
    }
    TD_EACH_RAY {
        const bool there =
            (sheet->start[i] <= end[i] + 0x1p-38 + 4 * error[i]) & (sheet->t_min[i] <= sheet->t_max[i]);
        sheet->way[i] = sheet->way[i] == TD_RAY_WALK && !there ? TD_RAY_MISSES : sheet->way[i];
        sheet->slack[i] = TD_RAY_BOX_SLACK + 2 * error[i];
        sheet->t_end[i] = (float)(end[i] - sheet->start[i] + sheet->slack[i]);
        sheet->side_slack[i] = (float)(TD_RAY_SIDE_SLACK + 8 * error[i]);
        sheet->depth_slack[i] = (float)(TD_RAY_DEPTH_SLACK + 4 * error[i]);
    }
    for (int k = 0; k < 3; ++k) {
        TD_EACH_RAY {
            const float at = (float)(local[k][i] + sheet->start[i] * unit[k][i]),
                        inverse = sheet->inverse[k][i];
            const float moved = (float)sheet->slack[i] * fabsf(inverse);
            sheet->at[k][i] = at;
            sheet->unit[k][i] = (float)unit[k][i];
            sheet->near[k][i] = at * inverse + moved;
            sheet->far[k][i] = at * inverse - moved;
        }
    }
}

// A few rays need not pay for a full sheet.
static inline void td_begin_rays(td_ray_sheet *sheet, const td_ray_batch *batch, size_t first, size_t count) {
    if (count == 1) {
        td_fill_sheet(sheet, 1, batch, first, 1);
        td_set_out(sheet, 1, batch->hierarchy);
    } else if (count > TD_SMALL_SHEET) {
        td_fill_sheet(sheet, TD_SHEET, batch, first, count);
        td_set_out(sheet, TD_SHEET, batch->hierarchy);
    } else {
        td_fill_sheet(sheet, TD_SMALL_SHEET, batch, first, count);
        td_set_out(sheet, TD_SMALL_SHEET, batch->hierarchy);
    }
}

// How the rays of a sheet that walk start.
typedef enum td_sheet_kind {
    TD_SHEET_NEAR,      // so near each other that they meet the same boxes first, wherever they go from there
    TD_SHEET_MIXED,     // in a few places
    TD_SHEET_SCATTERED, // most of them far from where the one before does
} td_sheet_kind;

// Of full sheets only, in which some ray walks.
static inline td_sheet_kind td_kind_of_sheet(const td_ray_sheet *sheet) {
    const int lanes = TD_SHEET;
    int leader = 0, walking = 0, apart = 0, jumps = 0;
    while (leader < TD_SHEET - 1 && sheet->way[leader] != TD_RAY_WALK) {
        ++leader;
    }
    TD_EACH_RAY {
        const int before = i > 0 ? i - 1 : 0, walks = sheet->way[i] == TD_RAY_WALK;
        float away = 0, step = 0;
        for (int k = 0; k < 3; ++k) {
            away += fabsf(sheet->at[k][i] - sheet->at[k][leader]);
            step += fabsf(sheet->at[k][i] - sheet->at[k][before]);
        }
        walking += walks;
        apart += walks & (away > TD_SHEET_REACH);
        jumps += walks & (step > TD_SHEET_REACH);
    }
    return apart == 0 ? TD_SHEET_NEAR : 2 * jumps > walking ? TD_SHEET_SCATTERED : TD_SHEET_MIXED;
}

#endif
