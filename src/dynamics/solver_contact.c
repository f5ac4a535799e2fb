#include "solver_contact.h"

#define TD_TEMPLATE static inline __attribute__((always_inline))

// ---------------------------------------------------------------------------------------------------------
// Vectors of both bodies

TD_TEMPLATE td_vec3x2 td_zip(td_vec3 a, td_vec3 b) {
    return (td_vec3x2){{a.x, b.x}, {a.y, b.y}, {a.z, b.z}};
}

TD_TEMPLATE td_vec3 td_lane(td_vec3x2 v, int lane) {
    return td_vec3_make(v.x[lane], v.y[lane], v.z[lane]);
}

TD_TEMPLATE td_vec3x2 td_add_x2(td_vec3x2 a, td_vec3x2 b) {
    return (td_vec3x2){a.x + b.x, a.y + b.y, a.z + b.z};
}

TD_TEMPLATE td_vec3x2 td_scale_x2(td_vec3x2 a, td_lanes s) {
    return (td_vec3x2){a.x * s, a.y * s, a.z * s};
}

TD_TEMPLATE td_lanes td_dot_x2(td_vec3x2 a, td_vec3x2 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TD_TEMPLATE td_vec3x2 td_cross_x2(td_vec3x2 a, td_vec3x2 b) {
    return (td_vec3x2){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

TD_TEMPLATE double td_sum_lanes(td_lanes a) {
    return a[0] + a[1];
}

// The symmetric matrices of both.
typedef struct td_sym3x2 {
    td_lanes xx, yy, zz, xy, xz, yz;
} td_sym3x2;

TD_TEMPLATE td_vec3x2 td_sym3_apply_x2(const td_sym3x2 *s, td_vec3x2 v) {
    return (td_vec3x2){s->xx * v.x + s->xy * v.y + s->xz * v.z, s->xy * v.x + s->yy * v.y + s->yz * v.z,
                       s->xz * v.x + s->yz * v.y + s->zz * v.z};
}

TD_TEMPLATE td_sym3x2 td_zip_sym3(const td_sym3 *a, const td_sym3 *b) {
    return (td_sym3x2){{a->xx, b->xx}, {a->yy, b->yy}, {a->zz, b->zz},
                       {a->xy, b->xy}, {a->xz, b->xz}, {a->yz, b->yz}};
}

// Both bodies of a constraint, while it is solved.
typedef struct td_both {
    td_vec3x2 velocity, spin;
    td_sym3x2 inverse_inertia;
    td_lanes inverse_mass; // with the sign of the impulse that the body gets: negative for a
} td_both;

TD_TEMPLATE td_both td_load_both(const td_kinetic *a, const td_kinetic *b) {
    return (td_both){.velocity = td_zip(a->velocity, b->velocity),
                     .spin = td_zip(a->spin, b->spin),
                     .inverse_inertia = td_zip_sym3(&a->inverse_inertia, &b->inverse_inertia),
                     .inverse_mass = {-a->inverse_mass, b->inverse_mass}};
}

// A body that contacts do not move may be read by others at this moment.
TD_TEMPLATE void td_store_both(const td_both *both, td_kinetic *a, td_kinetic *b) {
    if (a->inverse_mass > 0.0) {
        a->velocity = td_lane(both->velocity, 0);
        a->spin = td_lane(both->spin, 0);
    }
    if (b->inverse_mass > 0.0) {
        b->velocity = td_lane(both->velocity, 1);
        b->spin = td_lane(both->spin, 1);
    }
}

// Of b relative to a, at the point that the arms reach to.
TD_TEMPLATE td_vec3 td_relative_velocity(const td_both *both, td_vec3x2 arm) {
    const td_vec3x2 there = td_add_x2(both->velocity, td_cross_x2(both->spin, arm));
    return td_sub(td_lane(there, 1), td_lane(there, 0));
}

// An impulse on b, and the opposite on a, there.
TD_TEMPLATE void td_apply_impulse_both(td_both *both, td_vec3x2 arm, td_vec3 impulse) {
    const td_lanes signs = {-1.0, 1.0};
    const td_vec3x2 on_both = td_zip(impulse, impulse);
    both->velocity = td_add_x2(both->velocity, td_scale_x2(on_both, both->inverse_mass));
    const td_vec3x2 torque = td_cross_x2(arm, td_scale_x2(on_both, signs));
    both->spin = td_add_x2(both->spin, td_sym3_apply_x2(&both->inverse_inertia, torque));
}

// ---------------------------------------------------------------------------------------------------------
// Preparing

td_softness td_make_softness(double hertz, double damping_ratio, double substep) {
    const double omega = 2.0 * 3.14159265358979323846 * hertz;
    const double a1 = 2.0 * damping_ratio + substep * omega;
    const double a2 = substep * omega * a1;
    return (td_softness){
        .rate = omega / a1, .mass_scale = a2 / (1.0 + a2), .impulse_scale = 1.0 / (1.0 + a2)};
}

// A unit vector perpendicular to a unit vector.
static td_vec3 td_any_tangent(td_vec3 n) {
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const td_vec3 axis = x <= y && x <= z ? td_vec3_make(1.0, 0.0, 0.0)
                         : y <= z         ? td_vec3_make(0.0, 1.0, 0.0)
                                          : td_vec3_make(0.0, 0.0, 1.0);
    const td_vec3 t = td_cross(n, axis);
    return td_scale(t, 1.0 / td_length(t));
}

// From the matrix k of the tangents: changes of velocity along them by impulses along them, 1/kg.
TD_TEMPLATE void td_make_tangent_masses(td_solver_point *point, double k11, double k12, double k22) {
    const double half_sum = 0.5 * (k11 + k22), half_difference = 0.5 * (k11 - k22);
    point->slide = 1.0 / (half_sum + sqrt(half_difference * half_difference + k12 * k12));
    // A long lever about a slender body makes the matrix singular to rounding.
    const double determinant = k11 * k22 - k12 * k12;
    if (determinant > 1e-12 * half_sum * half_sum) {
        const double scale = 1.0 / determinant;
        point->stick11 = k22 * scale;
        point->stick12 = -k12 * scale;
        point->stick22 = k11 * scale;
    } else {
        point->stick11 = point->stick22 = point->slide;
        point->stick12 = 0.0;
    }
}

TD_TEMPLATE void td_make_masses(td_solver_point *point, const td_sym3x2 *inverse_inertia,
                                double inverse_mass) {
    const td_vec3 n = point->normal, t1 = point->tangent, t2 = td_cross(n, t1);
    const td_vec3x2 n_torque = td_cross_x2(point->arm, td_zip(n, n));
    const td_vec3x2 t1_torque = td_cross_x2(point->arm, td_zip(t1, t1));
    const td_vec3x2 t2_torque = td_cross_x2(point->arm, td_zip(t2, t2));
    const td_vec3x2 t1_spin = td_sym3_apply_x2(inverse_inertia, t1_torque);
    const td_vec3x2 t2_spin = td_sym3_apply_x2(inverse_inertia, t2_torque);
    const td_vec3x2 n_spin = td_sym3_apply_x2(inverse_inertia, n_torque);
    point->normal_mass = 1.0 / (inverse_mass + td_sum_lanes(td_dot_x2(n_torque, n_spin)));
    point->coupling1 = td_sum_lanes(td_dot_x2(n_torque, t1_spin));
    point->coupling2 = td_sum_lanes(td_dot_x2(n_torque, t2_spin));
    td_make_tangent_masses(point, inverse_mass + td_sum_lanes(td_dot_x2(t1_torque, t1_spin)),
                           td_sum_lanes(td_dot_x2(t1_torque, t2_spin)),
                           inverse_mass + td_sum_lanes(td_dot_x2(t2_torque, t2_spin)));
}

// Bodies that are deep in each other are pressed apart much harder than anything presses them together: with
// friction to match they would be stuck. It fades with depth.
static double td_grip(double gap, double deep) {
    const double firm = 0.4; // of `deep`: up to here friction is whole
    if (!(deep > 0.0) || -gap <= firm * deep) {
        return 1.0;
    }
    const double left = (deep + gap) / ((1.0 - firm) * deep);
    return left > 0.0 ? left : 0.0;
}

void td_refresh_contacts(const td_contact_world *world, const td_solver_constraint *constraint) {
    const td_kinetic *a = &world->bodies[constraint->a], *b = &world->bodies[constraint->b];
    const td_mat3 *rotation_a = &world->rotations[constraint->a];
    const td_mat3 *rotation_b = &world->rotations[constraint->b];
    const td_vec3x2 row0 = td_zip(rotation_a->row0, rotation_b->row0);
    const td_vec3x2 row1 = td_zip(rotation_a->row1, rotation_b->row1);
    const td_vec3x2 row2 = td_zip(rotation_a->row2, rotation_b->row2);
    const td_sym3x2 inverse_inertia = td_zip_sym3(&a->inverse_inertia, &b->inverse_inertia);
    const double inverse_mass = a->inverse_mass + b->inverse_mass;
    const td_vec3 offset = td_sub(b->position, a->position);
    const td_lanes halves = {0.5, -0.5};
    for (uint32_t i = 0; i < constraint->count; ++i) {
        td_solver_point *point = &world->points[constraint->first + i];
        const td_vec3x2 arm = {td_dot_x2(row0, point->anchor), td_dot_x2(row1, point->anchor),
                               td_dot_x2(row2, point->anchor)};
        // From a's anchor to b's; the place where both get their impulses is half way.
        const td_vec3 apart = td_add(offset, td_sub(td_lane(arm, 1), td_lane(arm, 0)));
        point->arm = td_add_x2(arm, td_scale_x2(td_zip(apart, apart), halves));
        point->gap = point->separation + td_dot(point->normal, apart);
        point->grip = td_grip(point->gap, constraint->deep);
        td_make_masses(point, &inverse_inertia, inverse_mass);
    }
}

// Of the impulse that a contact ended the last step with, how much is its own: the spring holds only the
// rest. With nothing, stacks sag; with all of it, they never come to rest.
static const double td_carried_share = 0.5;

static void td_prepare_point(td_solver_point *point, const td_contact_point *source, double slop,
                             double push_speed) {
    const td_vec3 tangent = td_any_tangent(source->normal);
    *point = (td_solver_point){
        .normal = source->normal,
        .tangent = tangent,
        .impulse = source->impulse,
        .friction1 = td_dot(source->friction, tangent),
        .friction2 = td_dot(source->friction, td_cross(source->normal, tangent)),
        .most_push = push_speed,
        .carried = td_carried_share * source->impulse,
        .anchor = td_zip(source->anchor_a, source->anchor_b),
        .separation = source->separation + slop,
    };
}

void td_prepare_contacts(const td_contact_world *world, const td_solver_constraint *constraint) {
    td_solver_point *points = &world->points[constraint->first];
    for (uint32_t i = 0; i < constraint->count; ++i) {
        td_prepare_point(&points[i], &world->sources[constraint->source + i], constraint->slop,
                         world->push_speed);
    }
    td_refresh_contacts(world, constraint);
}

void td_watch_approach(const td_contact_world *world, const td_solver_constraint *constraint) {
    if (constraint->restitution <= 0.0) {
        return;
    }
    const td_both both = td_load_both(&world->bodies[constraint->a], &world->bodies[constraint->b]);
    for (uint32_t i = 0; i < constraint->count; ++i) {
        td_solver_point *point = &world->points[constraint->first + i];
        const double speed = td_dot(point->normal, td_relative_velocity(&both, point->arm));
        point->bounce = fabs(speed) > world->bounce_speed ? -constraint->restitution * speed : 0.0;
        point->absorbed = 0.0;
        if (point->bounce > 0.0) {
            point->most_push = 0.0; // pushing it out, too, would lift the body, and add to its energy
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Solving

// Takes the velocity along the tangents away, as far as a friction of up to `limit` can. A contact that
// slides gets friction straight against its velocity in the end: that is what steps of the same mass along
// both tangents, cut off at the limit, come to rest at.
TD_TEMPLATE void td_solve_friction(const td_solver_point *point, double speed1, double speed2, double limit,
                                   double *friction1, double *friction2) {
    double f1 = point->friction1 - (point->stick11 * speed1 + point->stick12 * speed2);
    double f2 = point->friction2 - (point->stick12 * speed1 + point->stick22 * speed2);
    const double most = limit * limit;
    if (f1 * f1 + f2 * f2 > most) {
        f1 = point->friction1 - point->slide * speed1;
        f2 = point->friction2 - point->slide * speed2;
        const double square = f1 * f1 + f2 * f2;
        if (square > most) {
            const double scale = limit / sqrt(square);
            f1 *= scale;
            f2 *= scale;
        }
    }
    *friction1 = f1;
    *friction2 = f2;
}

TD_TEMPLATE double td_solve_normal(const td_solver_point *point, const td_contact_world *world,
                                   const td_softness *softness, double speed, td_contact_pass pass) {
    double bias = 0.0, mass_scale = 1.0, impulse_scale = 0.0;
    if (pass == TD_PASS_BOUNCE && point->target != 0.0) {
        bias = -point->target;
    } else if (point->gap > 0.0) {
        bias = point->gap * world->inverse_substep; // it may close, and no more
    } else if (pass == TD_PASS_PUSH) {
        const double wanted = softness->rate * point->gap;
        bias = wanted > -point->most_push ? wanted : -point->most_push;
        mass_scale = softness->mass_scale;
        impulse_scale = softness->impulse_scale;
    }
    const double impulse = point->impulse - point->normal_mass * mass_scale * (speed + bias) -
                           impulse_scale * (point->impulse - point->carried);
    return impulse > 0.0 ? impulse : 0.0;
}

// The square of the larger of a velocity's parts along a normal and across it.
TD_TEMPLATE double td_square_of_part(td_vec3 velocity, td_vec3 normal) {
    const double along = td_dot(velocity, normal);
    const td_vec3 across = td_sub(velocity, td_scale(normal, along));
    return td_larger(along * along, td_dot(across, across));
}

TD_TEMPLATE void td_solve_point(td_solver_point *point, td_both *both, const td_contact_world *world,
                                const td_solver_constraint *constraint, td_contact_pass pass) {
    const td_vec3 n = point->normal, t1 = point->tangent, t2 = td_cross(n, t1);
    const td_vec3 velocity = td_relative_velocity(both, point->arm);
    double friction1 = point->friction1, friction2 = point->friction2;
    if (pass != TD_PASS_BOUNCE) {
        td_solve_friction(point, td_dot(velocity, t1), td_dot(velocity, t2),
                          constraint->friction * point->grip * point->impulse, &friction1, &friction2);
    }
    const double change1 = friction1 - point->friction1, change2 = friction2 - point->friction2;
    // What friction has done to the velocity along the normal is known: no need to look again.
    const double speed = td_dot(velocity, n) + (point->coupling1 * change1 + point->coupling2 * change2);
    const double impulse = td_solve_normal(point, world, &constraint->softness, speed, pass);
    const double change = impulse - point->impulse;
    if (pass != TD_PASS_BOUNCE && point->bounce > 0.0) {
        point->absorbed -= change * (speed + 0.5 * change / point->normal_mass);
    }
    point->impulse = impulse;
    point->friction1 = friction1;
    point->friction2 = friction2;
    td_apply_impulse_both(both, point->arm,
                          td_add(td_add(td_scale(t1, change1), td_scale(t2, change2)), td_scale(n, change)));
}

TD_TEMPLATE double td_solve_body(const td_contact_world *world, const td_solver_constraint *constraint,
                                 td_contact_pass pass, bool measured) {
    td_kinetic *a = &world->bodies[constraint->a], *b = &world->bodies[constraint->b];
    td_both both = td_load_both(a, b);
    double largest = 0.0;
    for (uint32_t i = 0; i < constraint->count; ++i) {
        td_solver_point *point = &world->points[constraint->first + i];
        const td_vec3 before =
            measured ? td_relative_velocity(&both, point->arm) : td_vec3_make(0.0, 0.0, 0.0);
        td_solve_point(point, &both, world, constraint, pass);
        if (measured) {
            const td_vec3 change = td_sub(td_relative_velocity(&both, point->arm), before);
            largest = td_larger(largest, td_square_of_part(change, point->normal));
        }
    }
    td_store_both(&both, a, b);
    return largest;
}

double td_solve_contacts(const td_contact_world *world, const td_solver_constraint *constraint,
                         td_contact_pass pass, bool measured) {
    switch (pass) {
    case TD_PASS_PUSH:
        return measured ? td_solve_body(world, constraint, TD_PASS_PUSH, true)
                        : td_solve_body(world, constraint, TD_PASS_PUSH, false);
    case TD_PASS_RELAX:
        return measured ? td_solve_body(world, constraint, TD_PASS_RELAX, true)
                        : td_solve_body(world, constraint, TD_PASS_RELAX, false);
    default:
        return td_solve_body(world, constraint, TD_PASS_BOUNCE, true);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Impulses

TD_TEMPLATE td_vec3 td_friction_vector(const td_solver_point *point, double friction1, double friction2) {
    const td_vec3 tangent2 = td_cross(point->normal, point->tangent);
    return td_add(td_scale(point->tangent, friction1), td_scale(tangent2, friction2));
}

void td_sum_contacts(const td_contact_world *world, const td_solver_constraint *constraint,
                     td_wrench out[2]) {
    td_vec3 sum = {0.0, 0.0, 0.0};
    td_vec3x2 torque = td_zip(sum, sum);
    for (uint32_t i = 0; i < constraint->count; ++i) {
        const td_solver_point *point = &world->points[constraint->first + i];
        const td_vec3 impulse = td_add(td_friction_vector(point, point->friction1, point->friction2),
                                       td_scale(point->normal, point->impulse));
        sum = td_add(sum, impulse);
        torque = td_add_x2(torque, td_cross_x2(point->arm, td_zip(impulse, impulse)));
    }
    out[0] = (td_wrench){td_scale(sum, -1.0), td_scale(td_lane(torque, 0), -1.0)};
    out[1] = (td_wrench){sum, td_lane(torque, 1)};
}

bool td_end_substep(const td_contact_world *world, const td_solver_constraint *constraint) {
    bool hit = false;
    for (uint32_t i = 0; i < constraint->count; ++i) {
        td_solver_point *point = &world->points[constraint->first + i];
        point->total_impulse += point->impulse;
        point->total_friction1 += point->friction1;
        point->total_friction2 += point->friction2;
        hit = hit || (point->bounce > 0.0 && point->impulse > 0.0);
    }
    return hit;
}

// The velocity that a contact is to have after a hit. Where it is the only one of its pair it gives back no
// more energy than it took (Stronge's restitution): the bodies have turned since, and the velocity they came
// with may be too much for where they are now. Contacts that share a hit cannot tell who took what.
static double td_bounce_target(const td_solver_point *point, const td_solver_constraint *constraint) {
    if (point->bounce < 0.0) {
        return point->bounce;
    }
    if (!(point->impulse > 0.0)) {
        return 0.0;
    }
    const double absorbed = point->absorbed > 0.0 ? point->absorbed : 0.0;
    const double most = constraint->restitution * sqrt(2.0 * absorbed / point->normal_mass);
    return constraint->count > 1 || point->bounce < most ? point->bounce : most;
}

void td_begin_bounce(const td_contact_world *world, const td_solver_constraint *constraint) {
    for (uint32_t i = 0; i < constraint->count; ++i) {
        td_solver_point *point = &world->points[constraint->first + i];
        point->target = td_bounce_target(point, constraint);
        point->before_impulse = point->impulse;
        point->before_friction1 = point->friction1;
        point->before_friction2 = point->friction2;
    }
}

void td_end_bounce(const td_contact_world *world, const td_solver_constraint *constraint) {
    for (uint32_t i = 0; i < constraint->count; ++i) {
        td_solver_point *point = &world->points[constraint->first + i];
        point->total_impulse += point->impulse - point->before_impulse;
        point->total_friction1 += point->friction1 - point->before_friction1;
        point->total_friction2 += point->friction2 - point->before_friction2;
        const double kept = point->target > 0.0 ? 0.0 : 1.0;
        point->impulse = kept * point->before_impulse;
        point->friction1 = kept * point->before_friction1;
        point->friction2 = kept * point->before_friction2;
    }
}

void td_store_contacts(const td_contact_world *world, const td_solver_constraint *constraint) {
    for (uint32_t i = 0; i < constraint->count; ++i) {
        const td_solver_point *point = &world->points[constraint->first + i];
        td_contact_point *source = &world->sources[constraint->source + i];
        source->impulse = point->impulse;
        source->friction = td_friction_vector(point, point->friction1, point->friction2);
        source->total_impulse = point->total_impulse;
        source->total_friction = td_friction_vector(point, point->total_friction1, point->total_friction2);
    }
}
