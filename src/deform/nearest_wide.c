// Nearest points in the lanes of a register (nearest.h).
#include "../math/wide64.h"
#include "nearest.h"

#include <math.h>
#include <stdbool.h>

typedef struct td_wide3 {
    td_wd x, y, z;
} td_wide3;

TD_OP td_wide3 td_wide_load(const td_lanes3 *from, uint32_t lane) {
    return (td_wide3){td_wd_load(&from->x[lane]), td_wd_load(&from->y[lane]), td_wd_load(&from->z[lane])};
}

TD_OP void td_wide_store(td_lanes3 *to, uint32_t lane, const td_wide3 *a) {
    td_wd_store(&to->x[lane], a->x);
    td_wd_store(&to->y[lane], a->y);
    td_wd_store(&to->z[lane], a->z);
}

TD_OP td_wide3 td_wide_add(const td_wide3 *a, const td_wide3 *b) {
    return (td_wide3){a->x + b->x, a->y + b->y, a->z + b->z};
}

TD_OP td_wide3 td_wide_sub(const td_wide3 *a, const td_wide3 *b) {
    return (td_wide3){a->x - b->x, a->y - b->y, a->z - b->z};
}

TD_OP td_wide3 td_wide_scale(const td_wide3 *a, td_wd s) {
    return (td_wide3){a->x * s, a->y * s, a->z * s};
}

TD_OP td_wd td_wide_dot(const td_wide3 *a, const td_wide3 *b) {
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

TD_OP td_wide3 td_wide_cross(const td_wide3 *a, const td_wide3 *b) {
    return (td_wide3){a->y * b->z - a->z * b->y, a->z * b->x - a->x * b->z, a->x * b->y - a->y * b->x};
}

TD_OP td_wide3 td_wide_pick(td_wdm mask, const td_wide3 *yes, const td_wide3 *no) {
    return (td_wide3){td_wd_pick(mask, yes->x, no->x), td_wd_pick(mask, yes->y, no->y),
                      td_wd_pick(mask, yes->z, no->z)};
}

// ---------------------------------------------------------------------------------------------------------

TD_OP td_wd td_find_ahead(const td_nearest_asked *asked, uint32_t lane, bool edges) {
    const td_wd zero = {0};
    const td_wide3 direction = td_wide_load(&asked->from_normal, lane),
                   from = td_wide_load(&asked->point[3], lane);
    td_wd h[3];
    for (int i = 0; i < 3; ++i) {
        const td_wide3 p = td_wide_load(&asked->point[i], lane), d = td_wide_sub(&p, &from);
        h[i] = td_wide_dot(&direction, &d);
    }
    const td_wd most = td_wd_max(h[2], zero);
    return edges ? td_wd_min(h[1], h[0]) - most : h[0] - td_wd_max(h[1], most);
}

static void td_ahead_of_faces(double *ahead, const td_nearest_asked *asked, uint32_t count) {
    for (uint32_t lane = 0; lane < count; lane += TD_LANES64) {
        td_wd_store(&ahead[lane], td_find_ahead(asked, lane, false));
    }
}

static void td_ahead_of_edges(double *ahead, const td_nearest_asked *asked, uint32_t count) {
    for (uint32_t lane = 0; lane < count; lane += TD_LANES64) {
        td_wd_store(&ahead[lane], td_find_ahead(asked, lane, true));
    }
}

// ---------------------------------------------------------------------------------------------------------

// Where the nearest points are not inside of both features, or the features are edges: along the way from one
// to the other. `turns`: what the gap is if that points the other way than it did.
TD_OP td_wd td_gap_along(td_wide3 *normal, const td_wide3 *way, td_wd length, const td_wide3 *from_normal,
                         td_wd turned, bool turns) {
    const td_wd zero = {0};
    const td_wdm some = td_wd_lt(zero, length);
    const td_wide3 along = td_wide_scale(way, td_wd_set1(1) / length);
    const td_wdm same = td_wd_le(zero, td_wide_dot(&along, from_normal));
    const td_wide3 back = {-along.x, -along.y, -along.z};
    *normal = turns ? td_wide_pick(same, &along, &back) : along;
    *normal = td_wide_pick(some, normal, from_normal);
    return td_wd_pick(some, td_wd_pick(same, length, turned), zero);
}

// Corners and edges in the order in which td_closest_vertex_face asks for them: the first that it is counts,
// so the last is asked first.
TD_OP td_wdm td_find_part(td_wd *v, td_wd *w, td_wd d1, td_wd d2, td_wd d3, td_wd d4, td_wd d5, td_wd d6) {
    const td_wd zero = {0}, one = td_wd_set1(1);
    const td_wd va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    const td_wd k = one / (va + vb + vc), d43 = d4 - d3, d56 = d5 - d6;
    td_wd inside = one;
    *v = vb * k;
    *w = vc * k;
    const td_wdm bc = td_wdm_and(td_wd_le(va, zero), td_wdm_and(td_wd_le(zero, d43), td_wd_le(zero, d56)));
    const td_wd along_bc = d43 / (d43 + d56);
    *w = td_wd_pick(bc, along_bc, *w);
    *v = td_wd_pick(bc, one - along_bc, *v);
    inside = td_wd_pick(bc, zero, inside);
    const td_wdm ac = td_wdm_and(td_wd_le(vb, zero), td_wdm_and(td_wd_le(zero, d2), td_wd_le(d6, zero)));
    *w = td_wd_pick(ac, d2 / (d2 - d6), *w);
    *v = td_wd_pick(ac, zero, *v);
    inside = td_wd_pick(ac, zero, inside);
    const td_wdm c = td_wdm_and(td_wd_le(zero, d6), td_wd_le(d5, d6));
    *w = td_wd_pick(c, one, *w);
    *v = td_wd_pick(c, zero, *v);
    inside = td_wd_pick(c, zero, inside);
    const td_wdm ab = td_wdm_and(td_wd_le(vc, zero), td_wdm_and(td_wd_le(zero, d1), td_wd_le(d3, zero)));
    *v = td_wd_pick(ab, d1 / (d1 - d3), *v);
    *w = td_wd_pick(ab, zero, *w);
    inside = td_wd_pick(ab, zero, inside);
    const td_wdm b = td_wdm_and(td_wd_le(zero, d3), td_wd_le(d4, d3));
    *v = td_wd_pick(b, one, *v);
    *w = td_wd_pick(b, zero, *w);
    inside = td_wd_pick(b, zero, inside);
    const td_wdm a = td_wdm_and(td_wd_le(d1, zero), td_wd_le(d2, zero));
    *v = td_wd_pick(a, zero, *v);
    *w = td_wd_pick(a, zero, *w);
    inside = td_wd_pick(a, zero, inside);
    return td_wd_lt(zero, inside);
}

TD_OP void td_find_face(td_nearest_found *out, const td_nearest_asked *asked, uint32_t lane) {
    const td_wide3 p = td_wide_load(&asked->point[0], lane), a = td_wide_load(&asked->point[1], lane),
                   b = td_wide_load(&asked->point[2], lane), c = td_wide_load(&asked->point[3], lane);
    const td_wide3 ab = td_wide_sub(&b, &a), ac = td_wide_sub(&c, &a), ap = td_wide_sub(&p, &a),
                   bp = td_wide_sub(&p, &b), cp = td_wide_sub(&p, &c);
    td_wd v, w;
    const td_wdm within =
        td_find_part(&v, &w, td_wide_dot(&ab, &ap), td_wide_dot(&ac, &ap), td_wide_dot(&ab, &bp),
                     td_wide_dot(&ac, &bp), td_wide_dot(&ab, &cp), td_wide_dot(&ac, &cp));
    const td_wide3 in_b = td_wide_scale(&ab, v), in_c = td_wide_scale(&ac, w), in = td_wide_add(&in_b, &in_c),
                   way = td_wide_sub(&ap, &in);
    const td_wd length = td_wd_sqrt(td_wide_dot(&way, &way));
    const td_wide3 from_normal = td_wide_load(&asked->from_normal, lane);
    td_wide3 normal;
    td_wd gap = td_gap_along(&normal, &way, length, &from_normal, td_wd_set1(INFINITY), false);
    const td_wide3 up = td_wide_cross(&ab, &ac);
    const td_wd rising = td_wd_load(&asked->sign[lane]) / td_wd_sqrt(td_wide_dot(&up, &up));
    const td_wide3 own = td_wide_scale(&up, rising);
    normal = td_wide_pick(within, &own, &normal);
    gap = td_wd_pick(within, td_wide_dot(&own, &way), gap);
    td_wd_store(&out->weight[0][lane], td_wd_set1(1));
    td_wd_store(&out->weight[1][lane], -(td_wd_set1(1) - v - w));
    td_wd_store(&out->weight[2][lane], -v);
    td_wd_store(&out->weight[3][lane], -w);
    td_wd_store(&out->length[lane], length);
    td_wd_store(&out->gap[lane], gap);
    td_wide_store(&out->normal, lane, &normal);
}

static void td_find_faces(td_nearest_found *out, const td_nearest_asked *asked, uint32_t count) {
    for (uint32_t lane = 0; lane < count; lane += TD_LANES64) {
        td_find_face(out, asked, lane);
    }
}

// ---------------------------------------------------------------------------------------------------------

// As td_clamp_part.
TD_OP td_wd td_clamp(td_wd x) {
    const td_wd zero = {0}, one = td_wd_set1(1);
    return td_wd_pick(td_wd_lt(x, zero), zero, td_wd_pick(td_wd_lt(one, x), one, x));
}

TD_OP void td_find_two_edges(td_nearest_found *out, const td_nearest_asked *asked, uint32_t lane) {
    const td_wide3 a0 = td_wide_load(&asked->point[0], lane), a1 = td_wide_load(&asked->point[1], lane),
                   b0 = td_wide_load(&asked->point[2], lane), b1 = td_wide_load(&asked->point[3], lane);
    const td_wd zero = {0}, one = td_wd_set1(1);
    const td_wide3 d1 = td_wide_sub(&a1, &a0), d2 = td_wide_sub(&b1, &b0), r = td_wide_sub(&a0, &b0);
    const td_wd a = td_wide_dot(&d1, &d1), e = td_wide_dot(&d2, &d2), f = td_wide_dot(&d2, &r),
                c = td_wide_dot(&d1, &r), b = td_wide_dot(&d1, &d2);
    const td_wd denominator = a * e - b * b;
    const td_wdm crosses = td_wd_lt(td_wd_set1(1e-9) * a * e, denominator);
    td_wd s = td_clamp(td_wd_pick(crosses, (b * f - c * e) / denominator, td_wd_set1(0.5)));
    const td_wd free_t = td_wd_pick(td_wd_lt(zero, e), (b * s + f) / e, zero);
    const td_wd t = td_clamp(free_t);
    const td_wd again = td_wd_pick(td_wd_lt(zero, a), td_clamp((b * t - c) / a), zero);
    s = td_wd_pick(td_wd_lt(t, free_t), again, td_wd_pick(td_wd_lt(free_t, t), again, s));
    const td_wdm inside = td_wdm_and(td_wdm_and(td_wd_lt(zero, s), td_wd_lt(s, one)),
                                     td_wdm_and(td_wd_lt(zero, t), td_wd_lt(t, one)));
    const td_wdm within = td_wdm_and(crosses, inside);
    const td_wide3 on_a = td_wide_scale(&d1, s), on_b = td_wide_scale(&d2, t), far = td_wide_add(&r, &on_a),
                   way = td_wide_sub(&far, &on_b);
    const td_wd length = td_wd_sqrt(td_wide_dot(&way, &way));
    const td_wide3 from_normal = td_wide_load(&asked->from_normal, lane);
    td_wide3 normal;
    const td_wd gap = td_gap_along(&normal, &way, length, &from_normal, -length, true);
    td_wd_store(&out->weight[0][lane], one - s);
    td_wd_store(&out->weight[1][lane], s);
    td_wd_store(&out->weight[2][lane], -(one - t));
    td_wd_store(&out->weight[3][lane], -t);
    td_wd_store(&out->length[lane], length);
    // If not within, a vertex is nearer to an edge, and has a contact of its own.
    td_wd_store(&out->gap[lane], td_wd_pick(within, gap, td_wd_set1(INFINITY)));
    td_wide_store(&out->normal, lane, &normal);
}

static void td_find_edges(td_nearest_found *out, const td_nearest_asked *asked, uint32_t count) {
    for (uint32_t lane = 0; lane < count; lane += TD_LANES64) {
        td_find_two_edges(out, asked, lane);
    }
}

// ---------------------------------------------------------------------------------------------------------

extern const td_nearest TD_WIDE(td_nearest_of)[2];
const td_nearest TD_WIDE(td_nearest_of)[2] = {{td_ahead_of_faces, td_find_faces},
                                              {td_ahead_of_edges, td_find_edges}};
