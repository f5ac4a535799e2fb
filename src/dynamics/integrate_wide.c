// A short turn of several bodies at once, one per lane.
//
// based on: Hairer, Norsett, Wanner, Solving ordinary differential equations I (1993), II.1, for Runge-Kutta.
//
// A stage waits for the one before it, so one body alone leaves most of the processor idle. What is done to a
// lane is what src/math/quat.h does, operation by operation.
#include "../math/wide64.h"
#include "integrate.h"

#include <math.h>

typedef struct td_wide_vec3 {
    td_wd x, y, z;
} td_wide_vec3;

typedef struct td_wide_quat {
    td_wd x, y, z, w;
} td_wide_quat;

typedef struct td_wide_mat3 {
    td_wide_vec3 row0, row1, row2;
} td_wide_mat3;

typedef struct td_wide_sym3 {
    td_wd xx, yy, zz, xy, xz, yz;
} td_wide_sym3;

TD_OP td_wide_quat td_wide_quat_mul(td_wide_quat a, td_wide_quat b) {
    return (td_wide_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

TD_OP td_wide_quat td_wide_quat_add_scaled(td_wide_quat q, td_wide_quat d, double h) {
    return (td_wide_quat){q.x + h * d.x, q.y + h * d.y, q.z + h * d.z, q.w + h * d.w};
}

TD_OP td_wide_quat td_wide_quat_normalise(td_wide_quat q) {
    double lanes[TD_LANES64];
    td_wd_store(lanes, q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    for (int l = 0; l < TD_LANES64; ++l) {
        lanes[l] = 1.0 / sqrt(lanes[l]);
    }
    const td_wd s = td_wd_load(lanes);
    return (td_wide_quat){q.x * s, q.y * s, q.z * s, q.w * s};
}

TD_OP td_wide_mat3 td_wide_matrix(td_wide_quat q) {
    return (td_wide_mat3){
        {1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y)},
        {2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x)},
        {2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)}};
}

TD_OP td_wd td_wide_vec3_dot(td_wide_vec3 a, td_wide_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TD_OP td_wide_vec3 td_wide_apply(td_wide_mat3 m, td_wide_vec3 v) {
    return (td_wide_vec3){td_wide_vec3_dot(m.row0, v), td_wide_vec3_dot(m.row1, v),
                          td_wide_vec3_dot(m.row2, v)};
}

TD_OP td_wide_vec3 td_wide_unapply(td_wide_mat3 m, td_wide_vec3 v) {
    return (td_wide_vec3){m.row0.x * v.x + m.row1.x * v.y + m.row2.x * v.z,
                          m.row0.y * v.x + m.row1.y * v.y + m.row2.y * v.z,
                          m.row0.z * v.x + m.row1.z * v.y + m.row2.z * v.z};
}

TD_OP td_wide_vec3 td_wide_sym3_apply(td_wide_sym3 s, td_wide_vec3 v) {
    return (td_wide_vec3){s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
                          s.xz * v.x + s.yz * v.y + s.zz * v.z};
}

// The rate of change of the rotation q of a body with angular momentum l (in the world): half of q times the
// angular velocity along the body's own axes, I^-1 R(q)^T l. Away from the unit sphere, where the stages of
// Runge-Kutta lie, R(q) is the same polynomial: any smooth continuation serves.
TD_OP td_wide_quat td_free_rate(td_wide_quat q, td_wide_vec3 l, td_wide_sym3 inverse_inertia) {
    const td_wide_vec3 own = td_wide_sym3_apply(inverse_inertia, td_wide_unapply(td_wide_matrix(q), l));
    return td_wide_quat_mul(q, (td_wide_quat){0.5 * own.x, 0.5 * own.y, 0.5 * own.z, td_wd_set1(0.0)});
}

TD_OP void td_turn_lanes(td_wide_quat *rotation, td_wide_vec3 *spin, td_wide_sym3 inertia,
                         td_wide_sym3 inverse_inertia, double time) {
    const td_wide_quat q = *rotation;
    const td_wide_mat3 before = td_wide_matrix(q);
    const td_wide_vec3 l = td_wide_apply(before, td_wide_sym3_apply(inertia, td_wide_unapply(before, *spin)));
    const td_wide_quat k1 = td_free_rate(q, l, inverse_inertia);
    const td_wide_quat k2 = td_free_rate(td_wide_quat_add_scaled(q, k1, 0.5 * time), l, inverse_inertia);
    const td_wide_quat k3 = td_free_rate(td_wide_quat_add_scaled(q, k2, 0.5 * time), l, inverse_inertia);
    const td_wide_quat k4 = td_free_rate(td_wide_quat_add_scaled(q, k3, time), l, inverse_inertia);
    const td_wide_quat k = {k1.x + 2.0 * (k2.x + k3.x) + k4.x, k1.y + 2.0 * (k2.y + k3.y) + k4.y,
                            k1.z + 2.0 * (k2.z + k3.z) + k4.z, k1.w + 2.0 * (k2.w + k3.w) + k4.w};
    *rotation = td_wide_quat_normalise(td_wide_quat_add_scaled(q, k, time / 6.0));
    const td_wide_mat3 after = td_wide_matrix(*rotation);
    *spin = td_wide_apply(after, td_wide_sym3_apply(inverse_inertia, td_wide_unapply(after, l)));
}

TD_OP td_wide_sym3 td_gather_sym3(const double *const at[TD_LANES64], int place) {
    return (td_wide_sym3){td_wd_gather(at, place),     td_wd_gather(at, place + 1),
                          td_wd_gather(at, place + 2), td_wd_gather(at, place + 3),
                          td_wd_gather(at, place + 4), td_wd_gather(at, place + 5)};
}

// Where they are among the doubles of a td_turning.
enum { TD_ROTATION = 0, TD_SPIN = 4, TD_INERTIA = 7, TD_INVERSE_INERTIA = 13, TD_TURNING_NUMBERS = 19 };

_Static_assert(sizeof(td_turning) == TD_TURNING_NUMBERS * sizeof(double), "read as an array of doubles");

void TD_WIDE(td_turn_a_little)(td_turning *const *bodies, size_t count, double time) {
    for (size_t first = 0; first < count; first += TD_LANES64) {
        const double *at[TD_LANES64];
        for (size_t l = 0; l < TD_LANES64; ++l) { // lanes beyond the last body have the first again
            at[l] = &bodies[first + l < count ? first + l : first]->rotation.x;
        }
        td_wide_quat q = {td_wd_gather(at, TD_ROTATION), td_wd_gather(at, TD_ROTATION + 1),
                          td_wd_gather(at, TD_ROTATION + 2), td_wd_gather(at, TD_ROTATION + 3)};
        td_wide_vec3 spin = {td_wd_gather(at, TD_SPIN), td_wd_gather(at, TD_SPIN + 1),
                             td_wd_gather(at, TD_SPIN + 2)};
        td_turn_lanes(&q, &spin, td_gather_sym3(at, TD_INERTIA), td_gather_sym3(at, TD_INVERSE_INERTIA),
                      time);
        for (size_t l = 0; l < TD_LANES64 && first + l < count; ++l) {
            td_turning *body = bodies[first + l];
            body->rotation = td_quat_make(q.x[l], q.y[l], q.z[l], q.w[l]);
            body->spin = td_vec3_make(spin.x[l], spin.y[l], spin.z[l]);
        }
    }
}
