#include "exact_way.h"

#include "../core/error.h"

#include <math.h>

enum { TD_WAY_HALVINGS = 32 }; // what is left is 2^-32 of the turn

static td_quat td_towards(td_quat p, td_quat q) {
    const double dot = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    return dot < 0 ? td_quat_make(-q.x, -q.y, -q.z, -q.w) : q;
}

td_placement td_exact_way_at(const td_exact_way *way, double fraction) {
    td_quat low = way->from.rotation, high = td_towards(low, way->to.rotation);
    double first = 0, last = 1;
    for (int i = 0; i < TD_WAY_HALVINGS; ++i) { // half way between two quaternions is their sum, normalised
        const double middle = 0.5 * (first + last);
        const td_quat half =
            td_quat_normalise(td_quat_make(low.x + high.x, low.y + high.y, low.z + high.z, low.w + high.w));
        if (fraction < middle) {
            high = half;
            last = middle;
        } else {
            low = half;
            first = middle;
        }
    }
    const td_vec3 all = td_sub(way->to.position, way->from.position);
    return (td_placement){td_add(way->from.position, td_scale(all, fraction)), fraction < 1 ? low : high};
}

static td_pose td_mesh_pose(const td_body *body, const td_placement *at) {
    const td_vec3 centre = td_mat3_apply(td_quat_matrix(at->rotation), body->surface->centre);
    const td_vec3 p = td_sub(at->position, centre);
    const td_quat q = at->rotation;
    return (td_pose){{p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}};
}

static td_rigid_motion td_motion_on(const td_exact_way *way) {
    const td_vec3 centre = way->body->surface->centre;
    return (td_rigid_motion){.start = td_mesh_pose(way->body, &way->from),
                             .end = td_mesh_pose(way->body, &way->to),
                             .course = TD_COURSE_LINEAR,
                             .pivot = {centre.x, centre.y, centre.z}};
}

td_result td_first_touch(double *fraction, td_continuous *query, const td_exact_way ways[2]) {
    td_continuous_def def = td_default_continuous_def();
    def.mode = TD_CONTINUOUS_EARLIEST;
    const td_rigid_motion motions[2] = {td_motion_on(&ways[0]), td_motion_on(&ways[1])};
    td_continuous_result result;
    TD_TRY(td_continuous_rigid(&result, query, ways[0].body->surface->mesh, &motions[0],
                               ways[1].body->surface->mesh, &motions[1], &def));
    *fraction = result.touching ? result.earliest : INFINITY;
    return TD_OK;
}
