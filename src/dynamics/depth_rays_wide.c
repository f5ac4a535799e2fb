// Rays against several facets at once, one facet per lane.
#include "depth_rays.h"

#include "../math/wide64.h"

#include <math.h>

_Static_assert(TD_RAY_FACETS % TD_LANES64 == 0, "facets are read by the register");

// How far beside a triangle a ray may pass and still meet it, in parts of its sides: there is no gap between
// two.
static const double td_rim = 1e-6;

typedef struct td_wd3 {
    td_wd x, y, z;
} td_wd3;

TD_OP td_wd td_wd3_dot(td_wd3 a, td_wd3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TD_OP td_wd3 td_wd3_cross(td_wd3 a, td_wd3 b) {
    return (td_wd3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

TD_OP td_wd3 td_wd3_sub(td_wd3 a, td_wd3 b) {
    return (td_wd3){a.x - b.x, a.y - b.y, a.z - b.z};
}

TD_OP td_wd3 td_wd3_set1(td_vec3 a) {
    return (td_wd3){td_wd_set1(a.x), td_wd_set1(a.y), td_wd_set1(a.z)};
}

TD_OP td_wd3 td_wd3_load(const double v[3][TD_RAY_FACETS], int lane) {
    return (td_wd3){td_wd_load(v[0] + lane), td_wd_load(v[1] + lane), td_wd_load(v[2] + lane)};
}

TD_OP void td_wd3_store(double v[3][TD_RAY_FACETS], int lane, td_wd3 a) {
    td_wd_store(v[0] + lane, a.x);
    td_wd_store(v[1] + lane, a.y);
    td_wd_store(v[2] + lane, a.z);
}

TD_OP td_wd3 td_gather_corner(const double *const facets[TD_LANES64], int corner) {
    return (td_wd3){td_wd_gather(facets, TD_FACET_X + corner), td_wd_gather(facets, TD_FACET_Y + corner),
                    td_wd_gather(facets, TD_FACET_Z + corner)};
}

// Lanes `lane` to lane + TD_LANES64 - 1 of a group.
TD_OP void td_aim_lanes(td_ray_facets *out, int lane, const double *const facets[TD_LANES64],
                        td_wd3 direction) {
    const td_wd3 corner = td_gather_corner(facets, 0);
    const td_wd3 first = td_wd3_sub(td_gather_corner(facets, 1), corner);
    const td_wd3 second = td_wd3_sub(td_gather_corner(facets, 2), corner);
    const td_wd3 across = td_wd3_cross(direction, second);
    const td_wd det = td_wd3_dot(first, across), zero = td_wd_set1(0);
    const td_wdm flat = td_wdm_and(td_wd_le(det, zero), td_wd_le(zero, det));
    td_wd3_store(out->corner, lane, corner);
    td_wd3_store(out->edges[0], lane, first);
    td_wd3_store(out->edges[1], lane, second);
    td_wd3_store(out->across, lane, across);
    td_wd_store(out->inverse + lane, td_wd_pick(flat, td_wd_set1(NAN), 1 / det));
}

void TD_WIDE(td_rays_aim)(td_rays *rays, const td_facet *facets, const uint32_t *numbers, size_t count) {
    const td_wd3 direction = td_wd3_set1(rays->direction);
    rays->facets.count = (count + TD_RAY_FACETS - 1) / TD_RAY_FACETS;
    for (size_t i = 0; i < rays->facets.count * TD_RAY_FACETS; i += TD_LANES64) {
        const double *lanes[TD_LANES64];
        for (size_t l = 0; l < TD_LANES64; ++l) { // the last again where there are no more
            const td_facet *facet = &facets[numbers[i + l < count ? i + l : count - 1]];
            lanes[l] = (const double *)(const void *)facet;
        }
        td_aim_lanes(&rays->facets.items[i / TD_RAY_FACETS], (int)(i % TD_RAY_FACETS), lanes, direction);
    }
}

// Where rays meet facets; infinity where they do not.
TD_OP td_wd td_cast_lanes(const td_ray_facets *facets, int lane, td_wd3 from, td_wd3 direction) {
    const td_wd rim = td_wd_set1(-td_rim), end = td_wd_set1(1 + td_rim);
    const td_wd inverse = td_wd_load(facets->inverse + lane);
    const td_wd3 s = td_wd3_sub(from, td_wd3_load(facets->corner, lane));
    const td_wd3 q = td_wd3_cross(s, td_wd3_load(facets->edges[0], lane));
    const td_wd u = td_wd3_dot(s, td_wd3_load(facets->across, lane)) * inverse;
    const td_wd v = td_wd3_dot(direction, q) * inverse;
    const td_wd at = td_wd3_dot(td_wd3_load(facets->edges[1], lane), q) * inverse;
    const td_wdm within_u = td_wdm_and(td_wd_le(rim, u), td_wd_le(u, end));
    const td_wdm within_v = td_wdm_and(td_wd_le(rim, v), td_wd_le(u + v, end));
    const td_wdm ahead = td_wd_le(td_wd_set1(0), at);
    return td_wd_pick(td_wdm_and(td_wdm_and(within_u, within_v), ahead), at, td_wd_set1(INFINITY));
}

double TD_WIDE(td_rays_cast)(const td_rays *rays, td_vec3 from, double enough) {
    const td_wd3 start = td_wd3_set1(from), direction = td_wd3_set1(rays->direction);
    double least = INFINITY;
    for (size_t i = 0; i < rays->facets.count && least > enough; ++i) {
        double at[TD_LANES64];
        td_wd nearest = td_cast_lanes(&rays->facets.items[i], 0, start, direction);
        for (int lane = TD_LANES64; lane < TD_RAY_FACETS; lane += TD_LANES64) {
            nearest = td_wd_min(nearest, td_cast_lanes(&rays->facets.items[i], lane, start, direction));
        }
        td_wd_store(at, nearest);
        for (int l = 0; l < TD_LANES64; ++l) {
            least = at[l] < least ? at[l] : least;
        }
    }
    return least;
}
