// The step as a sequence of stages (stages.h), in brackets what is done side by side:
//
//   [bodies: matrices] [constraints: points, rows, warm-start impulses]
//   per sub-step:
//     if there is restitution: [constraints: which are about to be hit]
//     [movers: velocities by forces, then by the warm-start impulses of the body's contacts]
//     per iteration, per colour: [constraints: push]
//     [movers: positions]
//     per relaxation, per colour: [constraints: rows for the new positions if it is the first; relax;
//                                  the next warm-start impulses if it is the last]
//     if a contact was hit that bounces: per iteration, per colour: [constraints: bounce]
//   [constraints: store] [bodies: store]
//
// Warm starting goes from constraints to wrenches and from wrenches to bodies, each in an order of its own,
// so it needs no colours. Relaxing after moving, with rows for where the bodies have come to, and pushing in
// the next sub-step with the same rows, makes every impulse act where the bodies are.
#include "solver.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/stages.h"
#include "colour.h"
#include "integrate.h"
#include "solver_contact.h"

#include <stdatomic.h>
#include <string.h>

struct td_solver {
    td_context *context;
    // Per body.
    TD_ARRAY(td_kinetic) kinetics;
    TD_ARRAY(td_mat3) rotations;
    TD_ARRAY(uint32_t) masks;
    TD_ARRAY(uint32_t) edge_starts; // and one more
    // Per constraint.
    TD_ARRAY(uint8_t) groups;
    TD_ARRAY(uint32_t) order;
    TD_ARRAY(uint32_t) edges;                   // two
    TD_ARRAY(td_wrench) wrenches;               // two: by place in the order and side
    TD_ARRAY(td_solver_constraint) constraints; // by place in the order
    // Per point.
    TD_ARRAY(td_solver_point) points;
};

td_result td_solver_create(td_solver **out, td_context *context) {
    *out = NULL;
    td_solver *solver = TD_NEW(context, td_solver, 1);
    if (solver == NULL) {
        return TD_ERROR_MEMORY;
    }
    *solver = (td_solver){.context = context};
    *out = solver;
    return TD_OK;
}

void td_solver_destroy(td_solver *solver) {
    if (solver == NULL) {
        return;
    }
    td_context *context = solver->context;
    td_array_release(context, &solver->kinetics);
    td_array_release(context, &solver->rotations);
    td_array_release(context, &solver->masks);
    td_array_release(context, &solver->edge_starts);
    td_array_release(context, &solver->groups);
    td_array_release(context, &solver->order);
    td_array_release(context, &solver->edges);
    td_array_release(context, &solver->wrenches);
    td_array_release(context, &solver->constraints);
    td_array_release(context, &solver->points);
    TD_DELETE(context, td_solver, solver, 1);
}

static td_result td_reserve_buffers(td_solver *solver, const td_problem *problem, size_t point_count) {
    td_context *context = solver->context;
    const size_t bodies = problem->body_count, constraints = problem->constraint_count;
    TD_TRY(td_array_reserve(context, &solver->kinetics, bodies));
    TD_TRY(td_array_reserve(context, &solver->rotations, bodies));
    TD_TRY(td_array_reserve(context, &solver->masks, bodies + 1)); // never null
    TD_TRY(td_array_reserve(context, &solver->edge_starts, bodies + 1));
    TD_TRY(td_array_reserve(context, &solver->groups, constraints));
    TD_TRY(td_array_reserve(context, &solver->order, constraints));
    TD_TRY(td_array_reserve(context, &solver->edges, 2 * constraints));
    TD_TRY(td_array_reserve(context, &solver->wrenches, 2 * constraints));
    TD_TRY(td_array_reserve(context, &solver->constraints, constraints));
    return td_array_reserve(context, &solver->points, point_count);
}

// ---------------------------------------------------------------------------------------------------------
// The state of a step

typedef struct td_solve_state {
    td_solver *solver;
    const td_problem *problem;
    td_colouring colouring;
    uint32_t active; // constraints that are not idle: the first in the order
    td_contact_world world;
    double substep;          // s
    td_softness soft, stiff; // between two bodies that move; against one that does not
    // Largest square of a change of velocity, as bits: they order as the numbers do, which are not negative.
    atomic_ullong change;
    bool watched;    // there is restitution
    atomic_bool hit; // a contact that is to bounce, in this sub-step
} td_solve_state;

// A loop over constraints or bodies, cut into blocks.
typedef struct td_solve_range {
    td_solve_state *state;
    uint32_t first, count, block; // items, and how many of them a block has
    td_contact_pass pass;
    bool refresh, measured, last; // rows first; the change is wanted; the sub-step is over after it
} td_solve_range;

enum { TD_BLOCK_BODIES = 64, TD_BLOCK_CONSTRAINTS = 24 };

static void td_run_range(td_stages *stages, td_block_fn *block, td_solve_range range, uint32_t least) {
    const uint32_t most_blocks = TD_STAGE_BLOCKS;
    range.block = least;
    if (range.count / least >= most_blocks) {
        range.block = range.count / most_blocks + 1;
    }
    td_stage(stages, block, (range.count + range.block - 1) / range.block, &range);
}

static uint32_t td_range_begin(const td_solve_range *range, uint32_t block) {
    return range->first + block * range->block;
}

static uint32_t td_range_end(const td_solve_range *range, uint32_t block) {
    const uint32_t done = block * range->block, left = range->count - done;
    return range->first + done + (left < range->block ? left : range->block);
}

// ---------------------------------------------------------------------------------------------------------
// Bodies

static void td_update_matrices(td_solve_state *state, uint32_t index) {
    const td_solver_body *body = &state->problem->bodies[index];
    const td_mat3 rotation = td_quat_matrix(body->rotation);
    state->solver->rotations.items[index] = rotation;
    state->world.bodies[index].inverse_inertia = td_sym3_rotate(body->inverse_inertia, rotation);
}

static void td_load_bodies(uint32_t block, void *user) {
    const td_solve_range *range = user;
    const td_problem *problem = range->state->problem;
    for (uint32_t i = td_range_begin(range, block); i < td_range_end(range, block); ++i) {
        const td_solver_body *body = &problem->bodies[i];
        range->state->world.bodies[i] = (td_kinetic){.velocity = body->velocity,
                                                     .spin = body->spin,
                                                     .position = body->position,
                                                     .inverse_mass = body->inverse_mass};
        td_update_matrices(range->state, i);
    }
}

static void td_store_bodies(uint32_t block, void *user) {
    const td_solve_range *range = user;
    for (uint32_t i = td_range_begin(range, block); i < td_range_end(range, block); ++i) {
        const td_kinetic *kinetic = &range->state->world.bodies[i];
        td_solver_body *body = &range->state->problem->bodies[i];
        body->position = kinetic->position;
        body->velocity = kinetic->velocity;
        body->spin = kinetic->spin;
    }
}

// Forces and damping, then the impulses of the body's contacts from the sub-step before.
static void td_change_velocity(const td_solve_state *state, uint32_t index) {
    const td_solver *solver = state->solver;
    const td_solver_body *body = &state->problem->bodies[index];
    td_kinetic *kinetic = &state->world.bodies[index];
    if (kinetic->inverse_mass <= 0.0) {
        return;
    }
    const double h = state->substep;
    const td_vec3 velocity = td_add(kinetic->velocity, td_scale(body->acceleration, h));
    const td_vec3 spin =
        td_add(kinetic->spin, td_scale(td_sym3_apply(kinetic->inverse_inertia, body->torque), h));
    td_vec3 impulse = {0.0, 0.0, 0.0}, torque = {0.0, 0.0, 0.0};
    for (uint32_t i = solver->edge_starts.items[index]; i < solver->edge_starts.items[index + 1]; ++i) {
        const td_wrench *wrench = &solver->wrenches.items[solver->edges.items[i]];
        impulse = td_add(impulse, wrench->impulse);
        torque = td_add(torque, wrench->torque);
    }
    kinetic->velocity = td_add(td_scale(velocity, 1.0 / (1.0 + h * body->linear_damping)),
                               td_scale(impulse, kinetic->inverse_mass));
    kinetic->spin = td_add(td_scale(spin, 1.0 / (1.0 + h * body->angular_damping)),
                           td_sym3_apply(kinetic->inverse_inertia, torque));
}

static void td_change_velocities(uint32_t block, void *user) {
    const td_solve_range *range = user;
    for (uint32_t i = td_range_begin(range, block); i < td_range_end(range, block); ++i) {
        td_change_velocity(range->state, range->state->problem->movers[i]);
    }
}

// What touches nothing is on a parabola. Contacts are solved for positions that follow the velocity at the
// end of the sub-step, but in free flight that would fall too far by half of what acceleration adds: a ball
// that bounces would lose height each time.
static td_vec3 td_free_flight(const td_solve_state *state, uint32_t index) {
    const uint32_t *starts = state->solver->edge_starts.items;
    const bool is_free = starts[index] == starts[index + 1] && state->world.bodies[index].inverse_mass > 0.0;
    const double h = state->substep;
    return td_scale(state->problem->bodies[index].acceleration, is_free ? -0.5 * h * h : 0.0);
}

// Turns movers first ... end - 1, at most TD_TURNED_TOGETHER.
static void td_turn_movers(td_solve_state *state, uint32_t first, uint32_t end) {
    td_turning turning[TD_TURNED_TOGETHER];
    uint32_t turned[TD_TURNED_TOGETHER];
    size_t count = 0;
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t index = state->problem->movers[i];
        td_solver_body *body = &state->problem->bodies[index];
        const td_kinetic *kinetic = &state->world.bodies[index];
        if (kinetic->inverse_mass > 0.0) {
            turned[count] = index;
            turning[count++] =
                (td_turning){body->rotation, kinetic->spin, body->inertia, body->inverse_inertia};
        } else {
            body->rotation = td_turn_steadily(body->rotation, kinetic->spin, state->substep);
        }
    }
    td_turn_freely(turning, count, state->solver->context->isa, state->substep);
    for (size_t k = 0; k < count; ++k) {
        state->problem->bodies[turned[k]].rotation = turning[k].rotation;
        state->world.bodies[turned[k]].spin = turning[k].spin;
    }
}

static void td_change_positions(uint32_t block, void *user) {
    const td_solve_range *range = user;
    td_solve_state *state = range->state;
    const double h = state->substep;
    const uint32_t begin = td_range_begin(range, block), end = td_range_end(range, block);
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t index = state->problem->movers[i];
        td_kinetic *kinetic = &state->world.bodies[index];
        kinetic->position =
            td_add(kinetic->position, td_add(td_scale(kinetic->velocity, h), td_free_flight(state, index)));
    }
    for (uint32_t i = begin; i < end; i += TD_TURNED_TOGETHER) {
        td_turn_movers(state, i, end - i < TD_TURNED_TOGETHER ? end : i + TD_TURNED_TOGETHER);
    }
    for (uint32_t i = begin; i < end; ++i) {
        td_update_matrices(state, state->problem->movers[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Constraints

static void td_load_constraints(uint32_t block, void *user) {
    const td_solve_range *range = user;
    const td_solve_state *state = range->state;
    td_solver *solver = state->solver;
    for (uint32_t i = td_range_begin(range, block); i < td_range_end(range, block); ++i) {
        const td_solver_constraint *constraint = &solver->constraints.items[i];
        td_prepare_contacts(&state->world, constraint);
        td_sum_contacts(&state->world, constraint, &solver->wrenches.items[2 * (size_t)i]);
    }
}

static void td_keep_change(td_solve_state *state, double change) {
    unsigned long long bits, kept = atomic_load_explicit(&state->change, memory_order_relaxed);
    memcpy(&bits, &change, sizeof bits);
    while (bits > kept && !atomic_compare_exchange_weak_explicit(
                              &state->change, &kept, bits, memory_order_relaxed, memory_order_relaxed)) {
    }
}

static void td_watch_constraints(uint32_t block, void *user) {
    const td_solve_range *range = user;
    for (uint32_t i = td_range_begin(range, block); i < td_range_end(range, block); ++i) {
        td_watch_approach(&range->state->world, &range->state->solver->constraints.items[i]);
    }
}

// In m/s.
static double td_kept_change(const td_solve_state *state) {
    const unsigned long long bits = atomic_load_explicit(&state->change, memory_order_relaxed);
    double square;
    memcpy(&square, &bits, sizeof square);
    return sqrt(square);
}

static void td_end_constraint(td_solve_state *state, uint32_t place) {
    const td_solver_constraint *constraint = &state->solver->constraints.items[place];
    if (td_end_substep(&state->world, constraint)) {
        atomic_store_explicit(&state->hit, true, memory_order_relaxed);
    }
    td_sum_contacts(&state->world, constraint, &state->solver->wrenches.items[2 * (size_t)place]);
}

static void td_solve_constraints(uint32_t block, void *user) {
    const td_solve_range *range = user;
    td_solve_state *state = range->state;
    double largest = 0.0;
    for (uint32_t i = td_range_begin(range, block); i < td_range_end(range, block); ++i) {
        const td_solver_constraint *constraint = &state->solver->constraints.items[i];
        if (range->refresh) {
            td_refresh_contacts(&state->world, constraint);
        }
        const double change = td_solve_contacts(&state->world, constraint, range->pass, range->measured);
        largest = change > largest ? change : largest;
        if (range->last) {
            td_end_constraint(state, i);
        }
    }
    if (range->measured) {
        td_keep_change(state, largest);
    }
}

// What td_solve_constraints does in the last relaxation, where there is none.
static void td_refresh_constraints(uint32_t block, void *user) {
    const td_solve_range *range = user;
    for (uint32_t i = td_range_begin(range, block); i < td_range_end(range, block); ++i) {
        td_refresh_contacts(&range->state->world, &range->state->solver->constraints.items[i]);
        td_end_constraint(range->state, i);
    }
}

static void td_begin_bounces(uint32_t block, void *user) {
    const td_solve_range *range = user;
    for (uint32_t i = td_range_begin(range, block); i < td_range_end(range, block); ++i) {
        td_begin_bounce(&range->state->world, &range->state->solver->constraints.items[i]);
    }
}

static void td_end_bounces(uint32_t block, void *user) {
    const td_solve_range *range = user;
    const td_solve_state *state = range->state;
    for (uint32_t i = td_range_begin(range, block); i < td_range_end(range, block); ++i) {
        const td_solver_constraint *constraint = &state->solver->constraints.items[i];
        td_end_bounce(&state->world, constraint);
        td_sum_contacts(&state->world, constraint, &state->solver->wrenches.items[2 * (size_t)i]);
    }
}

static void td_store_constraints(uint32_t block, void *user) {
    const td_solve_range *range = user;
    for (uint32_t i = td_range_begin(range, block); i < td_range_end(range, block); ++i) {
        td_store_contacts(&range->state->world, &range->state->solver->constraints.items[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// The sequence

// One iteration over all constraints, colour by colour, and those without one at last and one by one.
static void td_iterate(td_stages *stages, td_solve_range range) {
    const uint32_t *starts = range.state->colouring.starts;
    for (uint32_t colour = 0; colour < range.state->colouring.colours; ++colour) {
        range.first = starts[colour];
        range.count = starts[colour + 1] - starts[colour];
        td_run_range(stages, td_solve_constraints, range, TD_BLOCK_CONSTRAINTS);
    }
    range.first = starts[TD_COLOUR_REST];
    range.count = starts[TD_COLOUR_REST + 1] - starts[TD_COLOUR_REST];
    if (range.count > 0) {
        range.block = range.count;
        td_solve_constraints(0, &range);
    }
}

// Bodies that were hit leave each other. The sub-step has stopped them; from there on it is a complementarity
// problem of its own, since a body may be hit in many places at once. Its energy is right only when it is
// solved well, so it gets more iterations than others, until velocities change by less than a thousandth of
// what counts as an impact.
static void td_run_bounces(td_stages *stages, td_solve_state *state) {
    const uint32_t most = 40;
    const double enough = 1e-3 * state->world.bounce_speed;
    const unsigned long long residual = atomic_load_explicit(&state->change, memory_order_relaxed);
    const td_solve_range constraints = {.state = state, .count = state->active};
    td_run_range(stages, td_begin_bounces, constraints, TD_BLOCK_CONSTRAINTS);
    for (uint32_t i = 0; i < most; ++i) {
        atomic_store_explicit(&state->change, 0, memory_order_relaxed);
        td_iterate(stages, (td_solve_range){.state = state, .pass = TD_PASS_BOUNCE, .measured = true});
        if (td_kept_change(state) <= enough) {
            break;
        }
    }
    td_run_range(stages, td_end_bounces, constraints, TD_BLOCK_CONSTRAINTS);
    atomic_store_explicit(&state->hit, false, memory_order_relaxed);
    atomic_store_explicit(&state->change, residual, memory_order_relaxed); // it is of the last relaxation
}

static void td_run_substep(td_stages *stages, td_solve_state *state, bool last) {
    const td_solver_settings *settings = &state->problem->settings;
    const td_solve_range movers = {.state = state, .count = state->problem->mover_count};
    const td_solve_range constraints = {.state = state, .count = state->active};
    if (state->watched) {
        td_run_range(stages, td_watch_constraints, constraints, TD_BLOCK_CONSTRAINTS);
    }
    td_run_range(stages, td_change_velocities, movers, TD_BLOCK_BODIES);
    for (uint32_t i = 0; i < settings->iterations; ++i) {
        const bool measured = last && settings->relaxations == 0 && i + 1 == settings->iterations;
        td_iterate(stages, (td_solve_range){.state = state, .pass = TD_PASS_PUSH, .measured = measured});
    }
    td_run_range(stages, td_change_positions, movers, TD_BLOCK_BODIES);
    for (uint32_t i = 0; i < settings->relaxations; ++i) {
        const bool final = i + 1 == settings->relaxations;
        td_iterate(stages, (td_solve_range){.state = state,
                                            .pass = TD_PASS_RELAX,
                                            .refresh = i == 0,
                                            .measured = last && final,
                                            .last = final});
    }
    if (settings->relaxations == 0) {
        td_run_range(stages, td_refresh_constraints, (td_solve_range){.state = state, .count = state->active},
                     TD_BLOCK_CONSTRAINTS);
    }
    if (atomic_load_explicit(&state->hit, memory_order_relaxed)) {
        td_run_bounces(stages, state);
    }
}

static void td_conduct_step(td_stages *stages, void *user) {
    td_solve_state *state = user;
    const td_solve_range bodies = {.state = state, .count = state->problem->body_count};
    const td_solve_range constraints = {.state = state, .count = state->active};
    td_run_range(stages, td_load_bodies, bodies, TD_BLOCK_BODIES);
    td_run_range(stages, td_load_constraints, constraints, TD_BLOCK_CONSTRAINTS);
    const uint32_t substeps = state->problem->settings.substeps;
    for (uint32_t i = 0; i < substeps; ++i) {
        td_run_substep(stages, state, i + 1 == substeps);
    }
    td_run_range(stages, td_store_constraints, constraints, TD_BLOCK_CONSTRAINTS);
    td_run_range(stages, td_store_bodies, bodies, TD_BLOCK_BODIES);
}

// Contacts are as stiff as one iteration per sub-step can hold in a tower of boxes: 30 Hz with 240 sub-steps
// a second; and twice as stiff against what does not give way. Damped so far beyond critical that nothing
// swings. What weighs g on a contact sags by g / (2 pi hertz)^2: a quarter of a millimetre.
static void td_choose_softness(td_solve_state *state) {
    const double most_hertz = 60.0, part_of_rate = 0.125, damping_ratio = 10.0;
    const double follows = part_of_rate / state->substep;
    const double hertz = follows < most_hertz ? follows : most_hertz;
    state->soft = td_make_softness(hertz, damping_ratio, state->substep);
    state->stiff = td_make_softness(2.0 * hertz, damping_ratio, state->substep);
}

// Gives constraints their places: colour by colour, their points one after the other.
static void td_place_constraints(td_solve_state *state) {
    td_solver *solver = state->solver;
    const td_problem *problem = state->problem;
    state->colouring =
        td_colour_constraints(problem, solver->masks.items, solver->groups.items, solver->order.items);
    state->active = state->colouring.starts[TD_COLOUR_IDLE];
    td_list_edges(problem, solver->order.items, state->active, solver->edge_starts.items,
                  solver->edges.items);
    uint32_t points = 0;
    for (uint32_t i = 0; i < state->active; ++i) {
        const td_constraint *source = &problem->constraints[solver->order.items[i]];
        const bool moves_both =
            problem->bodies[source->a].inverse_mass > 0.0 && problem->bodies[source->b].inverse_mass > 0.0;
        solver->constraints.items[i] =
            (td_solver_constraint){.a = source->a,
                                   .b = source->b,
                                   .first = points,
                                   .source = source->first,
                                   .count = source->count,
                                   .friction = source->friction,
                                   .restitution = source->restitution,
                                   .slop = source->slop,
                                   .deep = source->deep,
                                   .softness = moves_both ? state->soft : state->stiff};
        points += source->count;
        state->watched = state->watched || source->restitution > 0.0;
    }
}

// Contacts that move nothing have no impulse.
static void td_clear_idle(const td_solve_state *state) {
    const uint32_t end = state->colouring.starts[TD_COLOUR_IDLE + 1];
    for (uint32_t i = state->active; i < end; ++i) {
        const td_constraint *constraint = &state->problem->constraints[state->solver->order.items[i]];
        for (uint32_t k = 0; k < constraint->count; ++k) {
            td_contact_point *point = &state->problem->points[constraint->first + k];
            point->impulse = point->total_impulse = 0.0;
            point->friction = point->total_friction = td_vec3_make(0.0, 0.0, 0.0);
        }
    }
}

// Threads are worth their meeting each other only if there is something to share.
static uint32_t td_useful_workers(const td_solver *solver, const td_problem *problem, size_t point_count) {
    const size_t work = point_count + problem->mover_count, per_worker = 128;
    const size_t useful = work / per_worker;
    return useful < solver->context->worker_count ? (uint32_t)useful : solver->context->worker_count;
}

td_result td_solve(td_solution *out, td_solver *solver, const td_problem *problem) {
    size_t point_count = 0;
    for (uint32_t i = 0; i < problem->constraint_count; ++i) {
        point_count += problem->constraints[i].count;
    }
    TD_TRY(td_reserve_buffers(solver, problem, point_count));
    const td_solver_settings *settings = &problem->settings;
    const double substep = settings->step / settings->substeps;
    td_solve_state state = {
        .solver = solver,
        .problem = problem,
        .substep = substep,
        .world = {.bodies = solver->kinetics.items,
                  .rotations = solver->rotations.items,
                  .points = solver->points.items,
                  .sources = problem->points,
                  .inverse_substep = 1.0 / substep,
                  .push_speed = settings->push_speed,
                  .bounce_speed = settings->bounce_speed},
    };
    atomic_init(&state.change, 0);
    atomic_init(&state.hit, false);
    td_choose_softness(&state);
    td_place_constraints(&state);
    td_clear_idle(&state);
    td_stages_run(solver->context, td_useful_workers(solver, problem, point_count), td_conduct_step, &state);

    out->residual = td_kept_change(&state);
    out->colours = state.colouring.colours;
    return TD_OK;
}
