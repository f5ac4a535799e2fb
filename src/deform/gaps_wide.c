// Gaps in the lanes of a register (gaps.h).
#include "closest_wide.h"
#include "gaps.h"

#include <math.h>

TD_OP td_wd3 td_lanes3_load(const td_lanes3 *from, uint32_t lane) {
    return (td_wd3){td_wd_load(&from->x[lane]), td_wd_load(&from->y[lane]), td_wd_load(&from->z[lane])};
}

TD_OP void td_lanes3_store(td_lanes3 *to, uint32_t lane, td_wd3 a) {
    td_wd_store(&to->x[lane], a.x);
    td_wd_store(&to->y[lane], a.y);
    td_wd_store(&to->z[lane], a.z);
}

TD_OP void td_load_points(td_wd3 p[4], const td_gaps_asked *asked, uint32_t lane) {
    for (int i = 0; i < 4; ++i) {
        p[i] = td_lanes3_load(&asked->point[i], lane);
    }
}

// ---------------------------------------------------------------------------------------------------------

TD_OP td_wd td_find_ahead(const td_gaps_asked *asked, uint32_t lane, bool edges) {
    td_wd3 p[4];
    td_load_points(p, asked, lane);
    return td_wide_ahead_along(p, edges, td_lanes3_load(&asked->from_normal, lane));
}

static void td_ahead_of_faces(double *ahead, const td_gaps_asked *asked, uint32_t count) {
    for (uint32_t lane = 0; lane < count; lane += TD_LANES64) {
        td_wd_store(&ahead[lane], td_find_ahead(asked, lane, false));
    }
}

static void td_ahead_of_edges(double *ahead, const td_gaps_asked *asked, uint32_t count) {
    for (uint32_t lane = 0; lane < count; lane += TD_LANES64) {
        td_wd_store(&ahead[lane], td_find_ahead(asked, lane, true));
    }
}

// ---------------------------------------------------------------------------------------------------------

// Along the way from one to the other, where the two are not inside of a face and beside it, or are edges.
// `turned`: what the gap is if that way, if it `turns`, is another than at the beginning of the lap.
TD_OP td_wd td_gap_along(td_wd3 *normal, const td_wide_closest *near, td_wd length, td_wd3 from_normal,
                         td_wd turned, bool turns) {
    const td_wd zero = td_wd_set1(0);
    const td_wdm some = td_wd_lt(zero, length);
    const td_wd3 along = td_wd3_scale(near->way, td_wd_set1(1) / length);
    const td_wdm same = td_wd_le(zero, td_wd3_dot(along, from_normal));
    const td_wd3 back = {-along.x, -along.y, -along.z};
    *normal = td_wd3_pick(some, turns ? td_wd3_pick(same, along, back) : along, from_normal);
    return td_wd_pick(some, td_wd_pick(same, length, turned), zero);
}

// By the side of the face that the vertex began on.
TD_OP td_wd td_gap_of_face(td_wd3 *normal, const td_wide_closest *near, td_wd length,
                           const td_gaps_asked *asked, uint32_t lane, const td_wd3 p[4]) {
    const td_wd infinite = td_wd_set1(INFINITY);
    const td_wd gap =
        td_gap_along(normal, near, length, td_lanes3_load(&asked->from_normal, lane), infinite, false);
    const td_wd3 up = td_wd3_cross(td_wd3_sub(p[2], p[1]), td_wd3_sub(p[3], p[1]));
    const td_wd rising = td_wd_load(&asked->sign[lane]) / td_wd_sqrt(td_wd3_dot(up, up));
    const td_wd3 own = td_wd3_scale(up, rising);
    const td_wdm within = td_wd_lt(td_wd_set1(0), near->within);
    *normal = td_wd3_pick(within, own, *normal);
    return td_wd_pick(within, td_wd3_dot(own, near->way), gap);
}

// If not within, a vertex is nearer to an edge, and has a contact of its own.
TD_OP td_wd td_gap_of_edges(td_wd3 *normal, const td_wide_closest *near, td_wd length,
                            const td_gaps_asked *asked, uint32_t lane) {
    const td_wd gap =
        td_gap_along(normal, near, length, td_lanes3_load(&asked->from_normal, lane), -length, true);
    return td_wd_pick(td_wd_lt(td_wd_set1(0), near->within), gap, td_wd_set1(INFINITY));
}

TD_OP void td_find_gap(td_gaps_found *out, const td_gaps_asked *asked, uint32_t lane, bool edges) {
    td_wd3 p[4], normal;
    td_load_points(p, asked, lane);
    const td_wide_closest near = td_wide_closest_of(p, edges);
    const td_wd length = td_wd_sqrt(td_wd3_dot(near.way, near.way));
    const td_wd gap = edges ? td_gap_of_edges(&normal, &near, length, asked, lane)
                            : td_gap_of_face(&normal, &near, length, asked, lane, p);
    for (int i = 0; i < 4; ++i) {
        td_wd_store(&out->weight[i][lane], near.weight[i]);
    }
    td_wd_store(&out->length[lane], length);
    td_wd_store(&out->gap[lane], gap);
    td_lanes3_store(&out->normal, lane, normal);
}

static void td_find_gaps_of_faces(td_gaps_found *out, const td_gaps_asked *asked, uint32_t count) {
    for (uint32_t lane = 0; lane < count; lane += TD_LANES64) {
        td_find_gap(out, asked, lane, false);
    }
}

static void td_find_gaps_of_edges(td_gaps_found *out, const td_gaps_asked *asked, uint32_t count) {
    for (uint32_t lane = 0; lane < count; lane += TD_LANES64) {
        td_find_gap(out, asked, lane, true);
    }
}

// ---------------------------------------------------------------------------------------------------------

extern const td_gap_finder TD_WIDE(td_gap_finders)[2];
const td_gap_finder TD_WIDE(td_gap_finders)[2] = {{td_ahead_of_faces, td_find_gaps_of_faces},
                                                  {td_ahead_of_edges, td_find_gaps_of_edges}};
