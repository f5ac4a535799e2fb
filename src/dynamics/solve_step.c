// From the world to the solver and back.
#include "../core/error.h"
#include "world.h"

#include <inttypes.h>
#include <math.h>

static td_solver_body td_to_solver(const td_world *world, const td_body *body) {
    const double *g = world->def.gravity;
    td_solver_body out = {.position = body->at.position,
                          .rotation = body->at.rotation,
                          .velocity = body->velocity,
                          .spin = body->spin};
    if (td_is_dynamic(body) && body->awake) {
        out.inverse_mass = body->inverse_mass;
        out.inertia = body->inertia;
        out.inverse_inertia = body->inverse_inertia;
        out.acceleration = td_add(td_scale(td_vec3_make(g[0], g[1], g[2]), body->gravity_scale),
                                  td_scale(body->force, body->inverse_mass));
        out.torque = body->torque;
        out.linear_damping = body->linear_damping;
        out.angular_damping = body->angular_damping;
    }
    return out;
}

static td_result td_gather_bodies(td_world *world) {
    const size_t count = world->bodies.count;
    world->solver_bodies.count = world->movers.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->solver_bodies, count));
    TD_TRY(td_array_reserve(world->context, &world->movers, count));
    for (uint32_t i = 0; i < count; ++i) {
        const td_body *body = &world->bodies.items[i];
        world->solver_bodies.items[i] = body->alive ? td_to_solver(world, body) : (td_solver_body){0};
        if (body->alive && body->kind != TD_BODY_STATIC && !td_is_soft(body) && body->awake) {
            world->movers.items[world->movers.count++] = i;
        }
    }
    world->solver_bodies.count = count;
    return TD_OK;
}

// Of the smaller body's radius: overlap that no longer rubs.
static const double td_deep_share = 0.01;

static td_result td_gather_constraints(td_world *world) {
    world->constraints.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->constraints, world->links.count));
    for (size_t i = 0; i < world->links.count; ++i) {
        const td_link *link = &world->links.items[i];
        const td_body *a = &world->bodies.items[link->a], *b = &world->bodies.items[link->b];
        const bool moves = (td_is_dynamic(a) && a->awake) || (td_is_dynamic(b) && b->awake);
        if (!link->touching || !moves) {
            continue;
        }
        const double size = fmin(a->surface->radius, b->surface->radius);
        world->constraints.items[world->constraints.count++] =
            (td_constraint){.a = link->a,
                            .b = link->b,
                            .first = link->first,
                            .count = link->count,
                            .friction = sqrt(a->friction * b->friction),
                            .restitution = fmax(a->restitution, b->restitution),
                            .slop = world->def.slop * size,
                            .deep = td_deep_share * size};
    }
    return TD_OK;
}

static bool td_is_finite(const td_solver_body *body) {
    const td_vec3 x = body->position, v = body->velocity, w = body->spin;
    const td_quat q = body->rotation;
    const double most = 1e15; // beyond this nothing of a mesh is left
    return fabs(x.x) < most && fabs(x.y) < most && fabs(x.z) < most && fabs(v.x) < most && fabs(v.y) < most &&
           fabs(v.z) < most && fabs(w.x) < most && fabs(w.y) < most && fabs(w.z) < most && isfinite(q.x) &&
           isfinite(q.y) && isfinite(q.z) && isfinite(q.w);
}

td_result td_fail_numbers(const td_world *world, uint32_t body) {
    return td_fail(TD_ERROR_NUMBERS,
                   "step %" PRIu64 ": the state of body '%s' (index %" PRIu32 ") is no longer finite",
                   world->step_count, world->bodies.items[body].name, body + 1);
}

static td_result td_check_numbers(const td_world *world) {
    for (size_t i = 0; i < world->movers.count; ++i) {
        const uint32_t index = world->movers.items[i];
        if (!td_is_finite(&world->solver_bodies.items[index])) {
            return td_fail_numbers(world, index);
        }
    }
    return TD_OK;
}

td_result td_solve_step(td_world *world) {
    TD_TRY(td_gather_bodies(world));
    TD_TRY(td_gather_constraints(world));
    const td_problem problem = {
        .bodies = world->solver_bodies.items,
        .body_count = (uint32_t)world->solver_bodies.count,
        .movers = world->movers.items,
        .mover_count = (uint32_t)world->movers.count,
        .constraints = world->constraints.items,
        .constraint_count = (uint32_t)world->constraints.count,
        .points = world->points.items,
        .settings = {.step = world->pass_time,
                     .substeps = world->pass_substeps,
                     .iterations = world->def.iterations,
                     .relaxations = world->def.relaxations,
                     .push_speed = world->def.push_speed,
                     .bounce_speed = world->def.bounce_speed},
    };
    td_solution solution;
    TD_TRY(td_solve(&solution, world->solver, &problem));
    TD_TRY(td_check_numbers(world));
    world->report.residual = solution.residual;
    world->report.colours = solution.colours;
    return TD_OK;
}

void td_commit_step(td_world *world) {
    for (size_t i = 0; i < world->bodies.count; ++i) {
        world->bodies.items[i].placed = false;
    }
    for (size_t i = 0; i < world->movers.count; ++i) {
        td_body *body = &world->bodies.items[world->movers.items[i]];
        const td_solver_body *solved = &world->solver_bodies.items[world->movers.items[i]];
        body->at = (td_placement){solved->position, solved->rotation};
        body->velocity = solved->velocity;
        body->spin = solved->spin;
    }
}
