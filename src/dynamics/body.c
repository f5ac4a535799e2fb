#include "body.h"

#include "../core/error.h"
#include "integrate.h"

td_placement td_placement_after(const td_body *body, double time) {
    return (td_placement){td_add(body->at.position, td_scale(body->velocity, time)),
                          td_turn_steadily(body->at.rotation, body->spin, time)};
}

td_pose td_relative_pose(const td_body *a, const td_placement *at_a, const td_body *b,
                         const td_placement *at_b) {
    const td_mat3 turn_a = td_quat_matrix(at_a->rotation), turn_b = td_quat_matrix(at_b->rotation);
    // Centres of mass apart first: small numbers, wherever the bodies are.
    const td_vec3 apart =
        td_sub(td_sub(at_b->position, at_a->position), td_mat3_apply(turn_b, b->surface->centre));
    const td_vec3 t = td_add(td_mat3_unapply(turn_a, apart), a->surface->centre);
    const td_quat q = td_quat_normalise(td_quat_mul(td_quat_conjugate(at_a->rotation), at_b->rotation));
    return (td_pose){{t.x, t.y, t.z}, {q.x, q.y, q.z, q.w}};
}

// How far a point within `radius` of `centre` is moved from one pose to the other.
static double td_pose_motion(const td_pose *before, const td_pose *after, td_vec3 centre, double radius) {
    const td_quat p =
        td_quat_make(before->rotation[0], before->rotation[1], before->rotation[2], before->rotation[3]);
    const td_quat q =
        td_quat_make(after->rotation[0], after->rotation[1], after->rotation[2], after->rotation[3]);
    const td_vec3 c0 = td_mat3_apply(td_quat_matrix(p), centre),
                  c1 = td_mat3_apply(td_quat_matrix(q), centre);
    const td_vec3 shift = td_vec3_make(after->position[0] - before->position[0] + c1.x - c0.x,
                                       after->position[1] - before->position[1] + c1.y - c0.y,
                                       after->position[2] - before->position[2] + c1.z - c0.z);
    const td_quat turn = td_quat_mul(td_quat_conjugate(p), q);
    const double half_sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    const double size = fabs(after->position[0]) + fabs(after->position[1]) + fabs(after->position[2]) +
                        td_length(centre) + radius;
    return td_length(shift) + 2 * half_sine * radius + 0x1p-44 * size;
}

static td_pose td_inverse_pose(const td_pose *pose) {
    const td_quat q = td_quat_conjugate(
        td_quat_make(pose->rotation[0], pose->rotation[1], pose->rotation[2], pose->rotation[3]));
    const td_vec3 t = td_mat3_apply(td_quat_matrix(q),
                                    td_vec3_make(pose->position[0], pose->position[1], pose->position[2]));
    return (td_pose){{-t.x, -t.y, -t.z}, {q.x, q.y, q.z, q.w}};
}

double td_relative_motion(const td_body *a, const td_body *b, const td_pose *before, const td_pose *after) {
    if (b->surface->radius <= a->surface->radius) {
        return td_pose_motion(before, after, b->surface->centre, b->surface->radius);
    }
    // The smaller one is moved less by a turn: a in the frame of b.
    const td_pose p = td_inverse_pose(before), q = td_inverse_pose(after);
    return td_pose_motion(&p, &q, a->surface->centre, a->surface->radius);
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
