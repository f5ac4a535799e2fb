#include "body.h"

#include "../core/error.h"
#include "integrate.h"

td_placement td_placement_after(const td_body *body, double time) {
    return (td_placement){td_add(body->at.position, td_scale(body->velocity, time)),
                          td_turn_steadily(body->at.rotation, body->spin, time)};
}

static td_pose td_pose_between(const td_body *a, const td_placement *at_a, const td_mat3 *turn_a,
                               const td_body *b, const td_placement *at_b, const td_mat3 *turn_b) {
    // Centres of mass apart first: small numbers, wherever the bodies are.
    const td_vec3 apart =
        td_sub(td_sub(at_b->position, at_a->position), td_mat3_apply(*turn_b, b->surface->centre));
    const td_vec3 t = td_add(td_mat3_unapply(*turn_a, apart), a->surface->centre);
    const td_quat q = td_quat_normalise(td_quat_mul(td_quat_conjugate(at_a->rotation), at_b->rotation));
    return (td_pose){{t.x, t.y, t.z}, {q.x, q.y, q.z, q.w}};
}

td_pose td_relative_pose(const td_body *a, const td_placement *at_a, const td_body *b,
                         const td_placement *at_b) {
    const td_mat3 turn_a = td_quat_matrix(at_a->rotation), turn_b = td_quat_matrix(at_b->rotation);
    return td_pose_between(a, at_a, &turn_a, b, at_b, &turn_b);
}

td_pose td_sampled_pose(const td_body *a, const td_body *b) {
    return td_pose_between(a, &a->sampled, &a->turn, b, &b->sampled, &b->turn);
}

static td_quat td_pose_quat(const td_pose *pose) {
    return td_quat_make(pose->rotation[0], pose->rotation[1], pose->rotation[2], pose->rotation[3]);
}

static td_pose td_inverse_pose(const td_pose *pose) {
    const td_quat q = td_quat_conjugate(td_pose_quat(pose));
    const td_vec3 t = td_mat3_apply(td_quat_matrix(q),
                                    td_vec3_make(pose->position[0], pose->position[1], pose->position[2]));
    return (td_pose){{-t.x, -t.y, -t.z}, {q.x, q.y, q.z, q.w}};
}

td_station td_station_at(const td_body *a, const td_body *b, const td_pose *pose) {
    const bool b_followed = td_is_b_followed(a, b);
    const td_pose seen = b_followed ? *pose : td_inverse_pose(pose);
    const td_vec3 centre = (b_followed ? b : a)->surface->centre;
    return (td_station){seen, td_mat3_apply(td_quat_matrix(td_pose_quat(&seen)), centre)};
}

double td_motion_since(const td_body *a, const td_body *b, const td_station *before, const td_station *now) {
    const td_surface *surface = (td_is_b_followed(a, b) ? b : a)->surface;
    const double *then = before->pose.position, *at = now->pose.position;
    const td_vec3 c0 = before->centre, c1 = now->centre;
    const td_vec3 shift = td_vec3_make(at[0] - then[0] + c1.x - c0.x, at[1] - then[1] + c1.y - c0.y,
                                       at[2] - then[2] + c1.z - c0.z);
    const td_quat turn =
        td_quat_mul(td_quat_conjugate(td_pose_quat(&before->pose)), td_pose_quat(&now->pose));
    const double half_sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    const double size = fabs(at[0]) + fabs(at[1]) + fabs(at[2]) + surface->offset + surface->radius;
    return td_length(shift) + 2 * half_sine * surface->radius + 0x1p-44 * size;
}

static td_sym3 td_sym3_from(const double m[3][3], double factor) {
    return (td_sym3){m[0][0] * factor, m[1][1] * factor, m[2][2] * factor,
                     m[0][1] * factor, m[0][2] * factor, m[1][2] * factor};
}

td_result td_fill_mass(td_body *body, const td_body_def *def) {
    const td_surface *surface = body->surface;
    if (!td_is_dynamic(body)) {
        return TD_OK;
    }
    double mass = def->mass;
    if (surface->is_solid) {
        mass = mass > 0 ? mass : def->density * surface->solid.volume;
        body->inertia = td_sym3_from(surface->solid.inertia, mass / surface->solid.volume);
    } else if (!(mass > 0)) {
        return td_fail(TD_ERROR_MESH, "body '%s': %s; give it a mass to take it as a shell", body->name,
                       surface->trouble);
    } else if (surface->is_shell) {
        body->inertia = td_sym3_from(surface->shell.inertia, mass / surface->shell.area);
    } else {
        return td_fail(TD_ERROR_MESH,
                       "body '%s': mesh '%s' has no area: expected a surface that can carry mass", body->name,
                       surface->mesh->triangles.name);
    }
    body->mass = mass;
    body->inverse_mass = 1 / mass;
    body->inverse_inertia = td_sym3_inverse(body->inertia);
    const td_sym3 *i = &body->inverse_inertia;
    const double check = i->xx + i->yy + i->zz + i->xy + i->xz + i->yz;
    return isfinite(check) && isfinite(body->inverse_mass) && body->inverse_mass > 0
               ? TD_OK
               : td_fail(TD_ERROR_MESH, "body '%s': a mass of %g kg is beyond what can be computed with",
                         body->name, mass);
}
