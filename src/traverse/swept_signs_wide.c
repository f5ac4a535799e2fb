// Most pairs of features whose boxes meet are apart because their four points are at no time in one plane: F
// of predicates/moving.h keeps its sign. Sixteen pairs at a time are asked in float32; what is not certain
// goes on.
//
// Bounds. Let e = 2^-24, and X, P, Q the largest magnitudes of a coordinate of x, p, q at both ends, in local
// units, in which they are at most 2. Differences are taken in float64 and rounded once, e of themselves. F's
// Bernstein coefficients are means of determinants, each a sum of six products of magnitude at most X P Q,
// and a product is rounded as a factor three times, in products twice, in sums and differences of the cross
// and dot products three times, in the means twice, and a third costs two more: 12 roundings, hence 6 * 12 e
// X P Q. The bound used is 128 e X P Q, which leaves room for its own roundings, and 2^-120 for what may
// underflow: no more than some fifty times 2^-149 times two factors of at most 2.
#include "swept.h"

#include "../math/wide.h"

#include <string.h>

// Coordinates x y z at t = 0, then at t = 1.
typedef float td_rows[6][TD_TILE];

// Sixteen problems side by side.
typedef struct td_sixteen {
    _Alignas(64) td_rows x;
    _Alignas(64) td_rows p;
    _Alignas(64) td_rows q;
} td_sixteen;

static inline td_wf td_lanes_at(const float *from) {
    td_wf r;
    memcpy(&r, from, sizeof r);
    return r;
}

static inline void td_put_difference(td_rows rows, size_t lane, const td_path *from, const td_path *to,
                                     double scale0, double scale1) {
    for (int end = 0; end < 2; ++end) {
        const td_vec3 d = td_scale(td_scale(td_sub(to->at[end], from->at[end]), scale0), scale1);
        rows[3 * end][lane] = (float)d.x;
        rows[3 * end + 1][lane] = (float)d.y;
        rows[3 * end + 2][lane] = (float)d.z;
    }
}

static inline void td_put_problem(td_sixteen *sixteen, size_t lane, const td_swept_question *question,
                                  const td_candidate *candidate) {
    const td_path *four[4];
    for (int i = 0; i < 4; ++i) {
        four[i] = td_path_of(question, candidate, i);
    }
    const double s0 = question->frame.scale[0], s1 = question->frame.scale[1];
    if (candidate->kind == TD_CONTACT_EDGE_EDGE) {
        td_put_difference(sixteen->p, lane, four[0], four[1], s0, s1);
        td_put_difference(sixteen->q, lane, four[2], four[3], s0, s1);
        td_put_difference(sixteen->x, lane, four[0], four[2], s0, s1);
    } else {
        td_put_difference(sixteen->p, lane, four[1], four[2], s0, s1);
        td_put_difference(sixteen->q, lane, four[1], four[3], s0, s1);
        td_put_difference(sixteen->x, lane, four[1], four[0], s0, s1);
    }
}

typedef struct td_wf3 {
    td_wf x, y, z;
} td_wf3;

static inline td_wf3 td_vectors_at(const td_rows rows, int end, int first) {
    return (td_wf3){td_lanes_at(&rows[3 * end][first]), td_lanes_at(&rows[3 * end + 1][first]),
                    td_lanes_at(&rows[3 * end + 2][first])};
}

static inline td_wf3 td_wf3_cross(td_wf3 a, td_wf3 b) {
    return (td_wf3){td_wf_fms(a.y, b.z, td_wf_mul(a.z, b.y)), td_wf_fms(a.z, b.x, td_wf_mul(a.x, b.z)),
                    td_wf_fms(a.x, b.y, td_wf_mul(a.y, b.x))};
}

static inline td_wf3 td_wf3_add(td_wf3 a, td_wf3 b) {
    return (td_wf3){td_wf_add(a.x, b.x), td_wf_add(a.y, b.y), td_wf_add(a.z, b.z)};
}

static inline td_wf td_wf3_dot(td_wf3 a, td_wf3 b) {
    return td_wf_fma(a.x, b.x, td_wf_fma(a.y, b.y, td_wf_mul(a.z, b.z)));
}

static inline td_wf td_wf3_size(td_wf3 a, td_wf3 b) {
    const td_wf largest_a = td_wf_max(td_wf_max(td_wf_abs(a.x), td_wf_abs(a.y)), td_wf_abs(a.z));
    const td_wf largest_b = td_wf_max(td_wf_max(td_wf_abs(b.x), td_wf_abs(b.y)), td_wf_abs(b.z));
    return td_wf_max(largest_a, largest_b);
}

// Lanes in which F keeps its sign, from lane `first` on.
static inline uint32_t td_signs_kept(const td_sixteen *sixteen, int first) {
    const td_wf3 x0 = td_vectors_at(sixteen->x, 0, first), x1 = td_vectors_at(sixteen->x, 1, first);
    const td_wf3 p0 = td_vectors_at(sixteen->p, 0, first), p1 = td_vectors_at(sixteen->p, 1, first);
    const td_wf3 q0 = td_vectors_at(sixteen->q, 0, first), q1 = td_vectors_at(sixteen->q, 1, first);
    const td_wf3 n0 = td_wf3_cross(p0, q0), n2 = td_wf3_cross(p1, q1);
    const td_wf3 n1 = td_wf3_add(td_wf3_cross(p0, q1), td_wf3_cross(p1, q0)); // twice the mean
    const td_wf third = td_wf_set1(1.0f / 3.0f);
    const td_wf c0 = td_wf3_dot(x0, n0), c3 = td_wf3_dot(x1, n2);
    const td_wf c1 = td_wf_mul(td_wf_add(td_wf3_dot(x0, n1), td_wf3_dot(x1, n0)), third);
    const td_wf c2 = td_wf_mul(td_wf_add(td_wf3_dot(x0, n2), td_wf3_dot(x1, n1)), third);
    const td_wf size = td_wf_mul(td_wf_mul(td_wf3_size(x0, x1), td_wf3_size(p0, p1)), td_wf3_size(q0, q1));
    const td_wf error = td_wf_fma(size, td_wf_set1(0x1p-17f), td_wf_set1(0x1p-120f));
    const td_wf least = td_wf_min(td_wf_min(c0, c1), td_wf_min(c2, c3));
    const td_wf most = td_wf_max(td_wf_max(c0, c1), td_wf_max(c2, c3));
    return td_wm_bits(td_wf_lt(error, least)) | td_wm_bits(td_wf_lt(most, td_wf_sub(td_wf_set1(0), error)));
}

uint32_t TD_WIDE(td_swept_coplanar)(const td_swept_question *question, const td_candidate *candidates,
                                    size_t count);

uint32_t TD_WIDE(td_swept_coplanar)(const td_swept_question *question, const td_candidate *candidates,
                                    size_t count) {
    td_sixteen sixteen;
    for (size_t lane = 0; lane < TD_TILE; ++lane) { // lanes beyond the last repeat it
        td_put_problem(&sixteen, lane, question, &candidates[lane < count ? lane : count - 1]);
    }
    uint32_t kept = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        kept |= td_signs_kept(&sixteen, group * TD_LANES) << (group * TD_LANES);
    }
    return ~kept & ((1u << count) - 1u);
}
