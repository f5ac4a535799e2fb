// Whether pairs of features stay apart in an outlook, one per lane of float64. The nearest points are those
// of closest.h by the same operations in the same order, so what stays apart is the same in every instruction
// set.
#include "apart.h"
#include "closest_wide.h"

TD_OP td_wdm td_wide_beyond(td_wd3 p[2][4], bool edges, td_wd3 direction, td_wd reach) {
    const td_wd within = reach * td_wd_sqrt(td_wd3_dot(direction, direction));
    const td_wd before = td_wide_ahead_along(p[0], edges, direction),
                after = td_wide_ahead_along(p[1], edges, direction);
    const td_wdm apart = td_wdm_and(td_wd_lt(within, before), td_wd_lt(within, after));
    return td_wdm_and(apart, td_wd_lt(td_wd_set1(0), before));
}

TD_OP uint32_t td_apart_lanes(const td_apart_points *points, size_t first, bool edges, double reach) {
    td_wd3 p[2][4];
    for (int t = 0; t < 2; ++t) {
        for (int i = 0; i < 4; ++i) {
            const double *const *of = points->at[i] + first;
            p[t][i] = td_wd3_gather(of, 3 * t);
        }
    }
    const td_wd3 *q = p[0];
    const td_wd3 middles =
        edges ? td_wd3_sub(td_wd3_add(q[0], q[1]), td_wd3_add(q[2], q[3]))
              : td_wd3_sub(td_wd3_scale(q[0], td_wd_set1(3)), td_wd3_add(q[1], td_wd3_add(q[2], q[3])));
    const td_wd3 way = td_wide_closest_of(q, edges).way;
    return td_wdm_bits(td_wide_beyond(p, edges, middles, td_wd_set1(reach))) |
           td_wdm_bits(td_wide_beyond(p, edges, way, td_wd_set1(reach)));
}

// From middle to middle; then along the way between the nearest points at the beginning.
uint32_t TD_WIDE(td_stay_apart)(const td_apart_points *points, bool edges, double reach) {
    uint32_t apart = 0;
    for (size_t first = 0; first < TD_APART_LANES; first += TD_LANES64) {
        apart |=
            (edges ? td_apart_lanes(points, first, true, reach) : td_apart_lanes(points, first, false, reach))
            << first;
    }
    return apart;
}
