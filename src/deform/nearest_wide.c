// Where the features of contacts are nearest at the beginning of a lap, one contact per lane of float64.
#include "closest_wide.h"
#include "nearest.h"

TD_OP td_wd td_wd_abs(td_wd a) {
    return td_wd_max(a, -a);
}

// The corner that has most of the nearest point of each feature.
TD_OP td_wd td_wide_main_corners(const td_wd weight[4], bool edges) {
    const td_wd one = td_wd_set1(1), two = td_wd_set1(2), three = td_wd_set1(3), zero = td_wd_set1(0);
    td_wd second = edges ? two : one, least = edges ? weight[2] : weight[1];
    if (!edges) {
        second = td_wd_pick(td_wd_lt(weight[2], least), two, second);
        least = td_wd_min(weight[2], least);
    }
    second = td_wd_pick(td_wd_lt(weight[3], least), three, second);
    const td_wd first = edges ? td_wd_pick(td_wd_lt(weight[0], weight[1]), one, zero) : zero;
    return first + td_wd_set1(4) * second;
}

// Along a direction of length 1, but for what roundings, of the direction, too, could make of it.
TD_OP td_wd td_wide_clear_along(const td_wd3 p[4], bool edges, td_wd3 direction) {
    td_wd size = td_wd_set1(0);
    for (int i = 0; i < 4; ++i) {
        size = size + (td_wd_abs(p[i].x) + td_wd_abs(p[i].y) + td_wd_abs(p[i].z));
    }
    return td_wide_ahead_along(p, edges, direction) - td_wd_set1(0x1p-46) * size;
}

// Which side of the face the vertex is on.
TD_OP td_wd td_wide_side(const td_wd3 p[4]) {
    const td_wd3 up = td_wd3_cross(td_wd3_sub(p[2], p[1]), td_wd3_sub(p[3], p[1]));
    return td_wd3_dot(up, td_wd3_sub(p[0], p[1]));
}

TD_OP td_wd td_wide_longest_way(const td_nearest_points *points, size_t first) {
    const td_wd3 other = {td_wd_load(points->other[0] + first), td_wd_load(points->other[1] + first),
                          td_wd_load(points->other[2] + first)};
    td_wd most = td_wd_set1(0);
    for (int i = 0; i < 4; ++i) {
        const td_wd3 velocity = td_wd3_gather(points->velocity[i] + first, 0);
        const td_wd3 d = td_wd3_sub(td_wd3_scale(velocity, td_wd_set1(points->time)), other);
        most = td_wd_max(most, td_wd3_dot(d, d) * td_wd_load(points->soft[i] + first));
    }
    return td_wd_sqrt(most);
}

TD_OP void td_nearest_lanes(td_nearest *out, const td_nearest_points *points, size_t first, bool edges) {
    td_wd3 p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = td_wd3_gather(points->at[i] + first, 0);
    }
    const td_wd zero = td_wd_set1(0);
    const td_wide_closest near = td_wide_closest_of(p, edges);
    const td_wd from = td_wd_sqrt(td_wd3_dot(near.way, near.way));
    const td_wdm apart = td_wd_lt(zero, from);
    const td_wd3 unit = td_wd3_scale(near.way, td_wd_set1(1) / from);
    const td_wd3 normal = td_wd3_pick(apart, unit, (td_wd3){zero, zero, zero});
    td_wd_store(out->from + first, from);
    td_wd_store(out->normal[0] + first, normal.x);
    td_wd_store(out->normal[1] + first, normal.y);
    td_wd_store(out->normal[2] + first, normal.z);
    td_wd_store(out->clear + first, td_wide_clear_along(p, edges, normal));
    td_wd_store(out->side + first, edges ? zero : td_wide_side(p));
    td_wd_store(out->within + first, near.within);
    td_wd_store(out->main + first, td_wide_main_corners(near.weight, edges));
    td_wd_store(out->way + first, td_wide_longest_way(points, first));
}

void TD_WIDE(td_find_nearest)(td_nearest *out, const td_nearest_points *points, bool edges) {
    for (size_t first = 0; first < TD_NEAREST_LANES; first += TD_LANES64) {
        if (edges) {
            td_nearest_lanes(out, points, first, true);
        } else {
            td_nearest_lanes(out, points, first, false);
        }
    }
}
