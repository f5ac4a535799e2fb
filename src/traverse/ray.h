// One ray on its way through a blocked hierarchy.
//
// Boxes and triangles are first tested in float32, in the hierarchy's local frame, with bounds on the error:
// a test may only say "certainly not". What is left is decided in float64 (predicates/ray_tri.h) on the mesh
// as it is, so the hits do not depend on the float32 part at all.
//
// The float32 form starts where the ray enters the box around the mesh, so its coordinates stay within about
// 1 whatever the distance; it is scaled so that the largest component of its direction is 1. Its t is
// therefore at most about 2.
//
// Bounds, with e = 2^-24, local coordinates |x| <= 1, and `error` for what float64 loses on the way:
//   - A point of the float32 ray is within 3 e + error of the true one, per axis. The slab test of a box
//   loses no
//     more than 10 e more, counted as a shift of the box. TD_RAY_BOX_SLACK is 16 e.
//   - With s = p0 - o (|s| <= 3.5, within 10.4 e), r = s x d is within 45 e, and edge . r within 69 e of an
//   edge's
//     length; the third side, by way of the determinant, within 231 e. TD_RAY_SIDE_SLACK is 256 e of the
//     longer edge.
//   - normal . s and t (normal . d) are, together and with the roundings of t itself, within 105 e of the
//   longer
//     edge squared. TD_RAY_DEPTH_SLACK is 128 e.
//   - Hits are told apart by the t that float64 computes, which is within 8 e + error of the true one: where
//     more is to be feared, weights are exact (TD_LINE_OPEN). So the range of t is enlarged by
//     TD_RAY_RANGE_SLACK, 16 e, at both ends: no triangle is left out whose computed t is in it.
//   - Underflow of products adds less than 2^-140; TD_RAY_TINY is 2^-120.
#ifndef TD_TRAVERSE_RAY_H
#define TD_TRAVERSE_RAY_H

#include "../bvh/fan.h"
#include "../math/rigid.h"
#include "../predicates/ray_tri.h"
#include "../predicates/ray_tri_edges.h"

#include <tandem/ray.h>

#include <float.h>

#define TD_RAY_BOX_SLACK   0x1p-20
#define TD_RAY_RANGE_SLACK 0x1p-20
#define TD_RAY_SIDE_SLACK  0x1p-16
#define TD_RAY_DEPTH_SLACK 0x1p-17
#define TD_RAY_TINY        0x1p-120f

// The rays of a call.
typedef struct td_ray_batch {
    const td_trimesh *mesh;
    const td_blocked *hierarchy;
    const td_fan_tree *fans; // for rays that go alone; null: there are none
    uint32_t *alone;         // without fans: counts rays that would go alone; may be null
    td_ray_mode mode;
    bool placed;
    td_rigid rigid; // of the mesh, if placed
    double grain;   // td_ray_grain of the hierarchy
    const td_ray *rays;
    td_ray_hit *out;
} td_ray_batch;

// Sums of a few coordinates must not overflow.
#define TD_RAY_FARTHEST (DBL_MAX / 16)

static inline bool td_ray_is_good(const td_ray *ray) {
    bool some = false, good = !isnan(ray->t_min) && !isnan(ray->t_max);
    for (int k = 0; k < 3; ++k) {
        good = good && fabs(ray->origin[k]) < TD_RAY_FARTHEST && fabs(ray->direction[k]) <= DBL_MAX;
        some = some || ray->direction[k] != 0;
    }
    return some && good;
}

// The rotation's inverse is its transpose.
static inline td_vec3 td_turn_back(const td_rigid *m, td_vec3 v) {
    return td_add(td_add(td_scale(m->row0, v.x), td_scale(m->row1, v.y)), td_scale(m->row2, v.z));
}

// False if the ray is no good; also if it is so short that nothing is left of it once turned.
static inline bool td_ray_line(td_line *out, const td_ray_batch *batch, const td_ray *ray) {
    td_vec3 origin = td_vec3_make(ray->origin[0], ray->origin[1], ray->origin[2]);
    td_vec3 direction = td_vec3_make(ray->direction[0], ray->direction[1], ray->direction[2]);
    if (batch->placed) {
        origin = td_turn_back(&batch->rigid, td_sub(origin, batch->rigid.position));
        direction = td_turn_back(&batch->rigid, direction);
    }
    *out = td_line_make(origin, direction, batch->grain);
    return td_ray_is_good(ray) && td_component(direction, out->axis) != 0;
}

// One ray: what is asked.
typedef struct td_ray_question {
    td_line line;
    double t_min, t_max; // t_max is that of the best hit so far
} td_ray_question;

static const td_ray_hit td_no_hit = {.triangle = TD_NO_TRIANGLE};

static inline td_corner_trio td_trimesh_trio(const td_trimesh *mesh, uint32_t triangle) {
    const uint32_t *i = mesh->indices + 3 * (size_t)triangle;
    const unsigned char *const a = mesh->positions + i[0] * mesh->stride,
                               *const b = mesh->positions + i[1] * mesh->stride,
                               *const c = mesh->positions + i[2] * mesh->stride;
    td_corner_trio trio;
    if (mesh->scalar == TD_FLOAT64) {
        const double *p = (const double *)(const void *)a, *q = (const double *)(const void *)b,
                     *r = (const double *)(const void *)c;
        for (int k = 0; k < 3; ++k) {
            trio.along[k] = (td_trio){p[k], q[k], r[k], r[k]};
        }
        return trio;
    }
    const float *p = (const float *)(const void *)a, *q = (const float *)(const void *)b,
                *r = (const float *)(const void *)c;
    for (int k = 0; k < 3; ++k) {
        trio.along[k] = (td_trio){(double)p[k], (double)q[k], (double)r[k], (double)r[k]};
    }
    return trio;
}

// If a meeting at t is the best so far.
static inline bool td_ray_prefers(const td_ray_hit *best, const td_ray_question *q, double t,
                                  uint32_t triangle) {
    return t >= q->t_min && t <= q->t_max && !(best->hit && t == best->t && triangle > best->triangle);
}

// Decides about one triangle, whatever the case; true if it is the best so far, and then `best` is that.
bool td_ray_consider_carefully(td_ray_hit *best, const td_ray_question *q, const td_trimesh *mesh,
                               uint32_t triangle);

// td_orient3d of a triangle of the mesh and a point.
int td_ray_side_of(const td_trimesh *mesh, uint32_t triangle, td_vec3 point);

// The same if the case is the common one; then *open is false.
static inline bool td_ray_consider_plainly(td_ray_hit *best, const td_ray_question *q, const td_trimesh *mesh,
                                           uint32_t triangle, bool *open) {
    const td_corner_trio corners = td_trimesh_trio(mesh, triangle);
    td_plain_meeting m = td_line_meets_trio(&q->line, &corners);
    *open = m.state == TD_LINE_OPEN;
    if (m.state != TD_LINE_MEETS) {
        return false;
    }
    if (m.astride) {
        m.t = td_signed_t(m.t, m.side * td_ray_side_of(mesh, triangle, q->line.origin));
    }
    if (!td_ray_prefers(best, q, m.t, triangle)) {
        return false;
    }
    *best = (td_ray_hit){triangle, true, (int8_t)m.side, m.t, m.u, m.v};
    return true;
}

static inline bool td_ray_consider(td_ray_hit *best, const td_ray_question *q, const td_trimesh *mesh,
                                   uint32_t triangle) {
    bool open;
    return td_ray_consider_plainly(best, q, mesh, triangle, &open) ||
           (open && td_ray_consider_carefully(best, q, mesh, triangle));
}

// Every triangle, without the hierarchy.
void td_ray_visit_all(td_ray_hit *best, td_ray_question question, const td_ray_batch *batch);

// All that TD_RAY_ANY tells.
static inline td_ray_hit td_some_hit(bool hit) {
    return (td_ray_hit){.triangle = TD_NO_TRIANGLE, .hit = hit};
}

// Answers the rays first ... end - 1 in the registers of an instruction set. Stops at a ray that is no good
// and returns its number; `end` if there is none.
typedef size_t td_ray_run_fn(const td_ray_batch *batch, size_t first, size_t end);
td_ray_run_fn *td_ray_run_for(td_isa isa);
td_ray_run_fn td_ray_run_brute; // without the hierarchy

// What ray_one.h goes by: bits of float32, each for four lanes. They are in memory since compilers make each
// of them anew otherwise, which is a good part of what is done for a ray that misses. Numbers that are not
// negative are in the order of their bits, and NaN is beyond them.
extern const struct td_one_limits {
    _Alignas(16) int32_t size[4]; // all bits but the sign
    int32_t exponent[4];
    int32_t farthest[4];         // of an origin: 32
    int32_t slowest[4];          // the largest component of a direction: 2^-60
    int32_t fastest[4];          // ... 2^60
    int32_t one[4], steepest[4]; // of 1 / direction, scaled: 2^40
    int32_t inverse[4];          // less the bits of a power of two: those of 1 / power
} td_one_limits;

// Answers a ray that comes alone, by the batch's fans, in the mode of the batch; false: it is no good.
typedef bool td_ray_run_one_fn(td_ray_hit *out, const td_ray_batch *batch, const td_ray *ray);
td_ray_run_one_fn *td_ray_run_one_for(td_isa isa, td_ray_mode mode);

td_ray_run_fn td_ray_run_scalar;
td_ray_run_one_fn td_ray_run_closest_scalar, td_ray_run_any_scalar;
#if defined(__x86_64__)
td_ray_run_fn td_ray_run_sse4, td_ray_run_avx2, td_ray_run_avx512;
td_ray_run_one_fn td_ray_run_closest_sse4, td_ray_run_closest_avx2, td_ray_run_closest_avx512;
td_ray_run_one_fn td_ray_run_any_sse4, td_ray_run_any_avx2, td_ray_run_any_avx512;
#elif defined(__aarch64__)
td_ray_run_fn td_ray_run_neon;
td_ray_run_one_fn td_ray_run_closest_neon, td_ray_run_any_neon;
#endif

#endif
