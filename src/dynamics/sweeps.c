// Fast pairs are followed continuously, so that nothing passes through anything: ahead of the step, so that
// contacts are found where bodies meet rather than behind; and after it, where bodies were thrown off their
// course.
//
// All sweeps of a step go on together, each asking for one pose at a time, so that the threads share them.
#include "../core/error.h"
#include "chunks.h"
#include "sweep.h"
#include "world.h"

#include <float.h>

// A pair is followed if it moves by more than this part of its thickness in a step. After the step the
// contacts have held what was found ahead; only what could pass through is looked at again.
static const double td_fast_ahead = 1, td_fast_behind = 2;

static td_result td_run_sweeps(td_world *world) {
    const size_t count = world->sweeps.count;
    world->near_pairs.count = world->answers.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->near_pairs, count));
    TD_TRY(td_array_reserve(world->context, &world->answers, count));
    for (;;) {
        size_t asked = 0;
        for (size_t i = 0; i < count; ++i) {
            const td_sweep *sweep = &world->sweeps.items[i];
            if (!sweep->done) {
                world->near_pairs.items[asked++] = (td_near_pair){.pair = td_sweep_pair(sweep, sweep->next),
                                                                  .not_inside = sweep->not_inside};
            }
        }
        if (asked == 0) {
            return TD_OK;
        }
        TD_TRY(td_find_meetings(world->answers.items, world->query, world->near_pairs.items, asked));
        size_t answered = 0;
        for (size_t i = 0; i < count; ++i) {
            td_sweep *sweep = &world->sweeps.items[i];
            if (!sweep->done) {
                td_sweep_continue(sweep, world->answers.items[answered++].colliding);
            }
        }
    }
}

// What touched already before is held by its contacts.
static bool td_may_be_swept(const td_world *world, const td_link *link) {
    return world->def.continuous && link->active && !link->was_touching;
}

static td_course td_course_ahead(const td_world *world, uint32_t index) {
    const td_body *body = &world->bodies.items[index];
    return (td_course){body, body->at, body->sampled, world->def.exact_ways};
}

static td_course td_course_solved(const td_world *world, uint32_t index) {
    const td_body *body = &world->bodies.items[index];
    const td_solver_body *solved = &world->solver_bodies.items[index];
    const td_placement to = {solved->position, solved->rotation};
    return (td_course){body, body->at, to, world->def.exact_ways};
}

static void td_measure_travels(td_world *world, td_course (*course)(const td_world *, uint32_t)) {
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        if (world->bodies.items[i].alive) {
            const td_course followed = course(world, i);
            world->bodies.items[i].travel = td_travel_on(&followed);
        }
    }
}

static bool td_is_followed(const td_world *world, const td_link *link, double share) {
    return td_may_be_swept(world, link) &&
           td_is_fast(&world->bodies.items[link->a], &world->bodies.items[link->b],
                      world->def.exact_ways ? 0 : share);
}

static void td_judge_ahead(size_t first, size_t end, void *user) {
    td_world *world = user;
    for (size_t i = first; i < end; ++i) {
        td_link *link = &world->links.items[i];
        link->clear = false;
        link->fast = td_is_followed(world, link, td_fast_ahead);
    }
}

static void td_judge_behind(size_t first, size_t end, void *user) {
    td_world *world = user;
    for (size_t i = first; i < end; ++i) {
        td_link *link = &world->links.items[i];
        link->fast = td_is_followed(world, link, td_fast_behind);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Exact ways

static td_result td_overlaps_at(bool *out, td_world *world, const td_sweep *sweep, double fraction) {
    td_collide_def def = td_default_collide_def();
    def.mode = TD_MODE_FIRST;
    const td_object_pair pair = td_sweep_pair(sweep, fraction);
    td_collide_result answer;
    TD_TRY(td_collide_pairs(&answer, world->query, &pair, 1, &def));
    *out = answer.colliding;
    return TD_OK;
}

enum { TD_OVERLAP_TRIALS = 8 };

// A pair meets where it overlaps: only that gives contacts. What touches and overlaps nowhere within
// `shallow` of that, tried at ever smaller distances, has grazed the other.
static td_result td_follow_pair_exactly(td_world *world, td_sweep *sweep) {
    const td_exact_way ways[2] = {
        {sweep->courses[0].body, sweep->courses[0].from, sweep->courses[0].to},
        {sweep->courses[1].body, sweep->courses[1].from, sweep->courses[1].to},
    };
    double touch;
    TD_TRY(td_first_touch(&touch, world->continuous, ways));
    double further = sweep->shallow / sweep->motion;
    for (int i = 0; i < TD_OVERLAP_TRIALS && touch < sweep->met; ++i) {
        const double fraction = fmin(touch + further, sweep->met);
        bool overlap;
        TD_TRY(td_overlaps_at(&overlap, world, sweep, fraction));
        if (overlap) {
            sweep->met = fraction;
            return TD_OK;
        }
        further *= 0.5;
    }
    return TD_OK;
}

static td_result td_follow_exactly(td_world *world) {
    for (size_t i = 0; i < world->sweeps.count; ++i) {
        td_sweep *sweep = &world->sweeps.items[i];
        if (!sweep->clear) {
            TD_TRY(td_follow_pair_exactly(world, sweep));
        }
    }
    return TD_OK;
}

// Who is not inside the other gets there through its surface. What is as thick as two paces overlaps that at
// the end of some pace: its thickness, a mean, is no larger than its width, and a width of more than a pace
// does not fit between the surface and where it can have come in one pace.
static bool td_cannot_swallow(const td_world *world, const td_sweep *sweep) {
    const td_body *a = sweep->courses[0].body, *b = sweep->courses[1].body;
    return td_is_not_inside(&world->links.items[sweep->link]) &&
           2 * sweep->pace <= fmin(a->surface->thickness, b->surface->thickness);
}

// Who may be inside the other meets it however far their surfaces are from each other.
static bool td_may_be_clear(const td_world *world, const td_sweep *sweep) {
    return td_is_not_inside(&world->links.items[sweep->link]) && td_sweep_margin(sweep) <= DBL_MAX;
}

// Most that are fast pass each other at a distance, which one question about the middle of the way proves.
static td_result td_pass_clear_sweeps(td_world *world) {
    const size_t count = world->sweeps.count;
    world->near_pairs.count = world->answers.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->near_pairs, count));
    TD_TRY(td_array_reserve(world->context, &world->answers, count));
    for (size_t i = 0; i < count; ++i) {
        const td_sweep *sweep = &world->sweeps.items[i];
        if (td_may_be_clear(world, sweep)) {
            world->near_pairs.items[world->near_pairs.count++] =
                (td_near_pair){.pair = td_sweep_pair(sweep, 0.5), .margin = td_sweep_margin(sweep)};
        }
    }
    if (world->near_pairs.count == 0) {
        return TD_OK;
    }
    TD_TRY(
        td_prove_clear(world->answers.items, world->query, world->near_pairs.items, world->near_pairs.count));
    size_t answered = 0;
    for (size_t i = 0; i < count; ++i) {
        td_sweep *sweep = &world->sweeps.items[i];
        if (td_may_be_clear(world, sweep)) {
            sweep->clear = sweep->done = !world->answers.items[answered++].colliding;
        }
    }
    return TD_OK;
}

// Follows the links that were judged to be fast along the courses of their bodies.
static td_result td_sweep_fast_links(td_world *world, td_course (*course)(const td_world *, uint32_t)) {
    world->sweeps.count = 0;
    for (uint32_t i = 0; i < world->links.count; ++i) {
        const td_link *link = &world->links.items[i];
        if (link->fast) {
            TD_TRY(td_array_reserve(world->context, &world->sweeps, 1));
            td_sweep *sweep = &world->sweeps.items[world->sweeps.count++];
            *sweep = td_sweep_start(course(world, link->a), course(world, link->b), world->def.slop);
            sweep->link = i;
            sweep->not_inside = td_cannot_swallow(world, sweep);
        }
    }
    TD_TRY(td_pass_clear_sweeps(world));
    for (size_t i = 0; i < world->sweeps.count; ++i) {
        if (!world->sweeps.items[i].done) {
            td_sweep_set_off(&world->sweeps.items[i]);
        }
    }
    TD_TRY(td_run_sweeps(world));
    return world->def.exact_ways ? td_follow_exactly(world) : TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// What touches

// The part of a motion of b against a that goes along the way from one to the other, either way; all of it
// where there is no way yet.
static double td_along_way(const td_link *link, td_vec3 motion) {
    const double length = td_length(link->way);
    return length > 0 ? fabs(td_dot(motion, link->way)) / length : td_length(motion);
}

// Bodies that touch: how far they move towards or away from each other, and turn, on their courses (m). What
// they slide along each other takes nothing through anything.
static double td_swing(const td_link *link, const td_travel *a, const td_travel *b) {
    return td_along_way(link, td_sub(b->way, a->way)) + a->arc + b->arc;
}

// Of the thickness: what touching bodies may swing in a pass without more ado, and what is left of it if it
// is more.
typedef struct td_swing_limits {
    double free, left;
} td_swing_limits;

// Contacts of a thick body begin to hold long before it is through; of a thin one there is no such while. It
// is thin if its thickness is below this part of the smaller radius.
static const double td_thin = 0.05;

static td_swing_limits td_limits_of(const td_body *a, const td_body *b) {
    const bool thin = td_pair_thickness(a, b) < td_thin * fmin(a->surface->radius, b->surface->radius);
    return thin ? (td_swing_limits){1, 0.5} : (td_swing_limits){3, 1};
}

enum { TD_MOST_PASSES = 16 };

// How far along their courses two bodies that touched before may go in this pass: all the way, 1, unless it
// is too far even for the most passes. They are slowed down then, and keep their velocity.
static double td_short_way(const td_link *link, const td_body *a, const td_body *b) {
    const double swing = td_swing(link, &a->travel, &b->travel) / td_pair_thickness(a, b);
    const td_swing_limits limits = td_limits_of(a, b);
    return swing > limits.free ? limits.left / swing : 1;
}

uint32_t td_count_passes(const td_world *world) {
    double most = 1;
    for (size_t i = 0; i < world->links.count; ++i) {
        const td_link *link = &world->links.items[i];
        const td_body *a = &world->bodies.items[link->a], *b = &world->bodies.items[link->b];
        const bool moves = (td_is_dynamic(a) && a->awake) || (td_is_dynamic(b) && b->awake);
        if (!world->def.continuous || !link->touching || !moves || !a->alive || !b->alive) {
            continue;
        }
        const double along = td_along_way(link, td_sub(b->velocity, a->velocity));
        const double turn = td_length(a->spin) * a->surface->radius + td_length(b->spin) * b->surface->radius;
        const double swing = (along + turn) * world->def.step / td_pair_thickness(a, b);
        const td_swing_limits limits = td_limits_of(a, b);
        const double wanted = swing > limits.free ? ceil(swing / limits.left) : 1;
        most = wanted > most ? wanted : most;
    }
    return most < TD_MOST_PASSES ? (uint32_t)most : TD_MOST_PASSES;
}

// ---------------------------------------------------------------------------------------------------------
// How far each body may go on its course: body->fraction

static void td_start_fractions(td_world *world) {
    for (size_t i = 0; i < world->bodies.count; ++i) {
        world->bodies.items[i].fraction = 1;
    }
}

static void td_shorten(td_world *world, const td_link *link, double fraction) {
    const uint32_t ends[2] = {link->a, link->b};
    for (int k = 0; k < 2; ++k) {
        td_body *body = &world->bodies.items[ends[k]];
        if (body->kind != TD_BODY_STATIC && body->awake && fraction < body->fraction) {
            body->fraction = fraction;
        }
    }
}

static bool td_is_driven(const td_body *body) {
    return body->kind == TD_BODY_KINEMATIC &&
           td_dot(body->velocity, body->velocity) + td_dot(body->spin, body->spin) > 0;
}

static bool td_is_driven_pair(const td_world *world, const td_link *link) {
    return td_is_driven(&world->bodies.items[link->a]) || td_is_driven(&world->bodies.items[link->b]);
}

// `halting`: after the step. What is driven cannot be halted; to halt what it pushes would take it through
// that.
static void td_shorten_courses(td_world *world, bool halting) {
    for (size_t i = 0; i < world->sweeps.count; ++i) {
        const td_sweep *sweep = &world->sweeps.items[i];
        const td_link *link = &world->links.items[sweep->link];
        if (!(halting && td_is_driven_pair(world, link))) {
            td_shorten(world, link, sweep->met);
        }
    }
    for (size_t i = 0; i < world->links.count; ++i) {
        const td_link *link = &world->links.items[i];
        if (world->def.continuous && link->active && link->was_touching &&
            !(halting && td_is_driven_pair(world, link))) {
            const td_body *a = &world->bodies.items[link->a], *b = &world->bodies.items[link->b];
            td_shorten(world, link, td_short_way(link, a, b));
        }
    }
}

td_result td_sweep_ahead(td_world *world) {
    td_measure_travels(world, td_course_ahead);
    td_run_chunks(world->context, td_judge_ahead, world->links.count, world);
    TD_TRY(td_sweep_fast_links(world, td_course_ahead));
    world->report.swept_pairs = world->sweeps.count;
    for (size_t i = 0; i < world->sweeps.count; ++i) {
        const td_sweep *sweep = &world->sweeps.items[i];
        world->links.items[sweep->link].clear = sweep->clear || (sweep->passed && !world->def.exact_ways);
    }
    td_start_fractions(world);
    td_shorten_courses(world, false);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        td_body *body = &world->bodies.items[i];
        if (body->alive && body->fraction < 1) {
            const td_course course = td_course_ahead(world, i);
            td_sample(body, td_course_at(&course, body->fraction));
            body->bounds = td_sampled_bounds(body);
        }
    }
    return TD_OK;
}

// Of its speed: what a halted body may be made to spin by.
static const double td_most_makeup = 0.1;

// Puts a body back on its course. Its velocity stays, and so does its angular momentum about the origin: what
// its centre of mass has less of by being elsewhere, its spin gets, unless that is out of proportion.
static void td_halt(td_solver_body *solved, const td_body *body, td_placement at) {
    const td_vec3 back = td_sub(at.position, solved->position);
    const td_mat3 before = td_quat_matrix(solved->rotation), after = td_quat_matrix(at.rotation);
    const td_sym3 inverse = td_sym3_rotate(body->inverse_inertia, after);
    const td_vec3 spin = td_sym3_apply(td_sym3_rotate(body->inertia, before), solved->spin);
    const td_vec3 makeup = td_sym3_apply(inverse, td_scale(td_cross(solved->velocity, back), body->mass));
    solved->spin = td_sym3_apply(inverse, spin);
    if (td_length(makeup) * body->surface->radius <= td_most_makeup * td_length(solved->velocity)) {
        solved->spin = td_add(solved->spin, makeup);
    }
    solved->position = at.position;
    solved->rotation = at.rotation;
}

td_result td_sweep_behind(td_world *world) {
    td_measure_travels(world, td_course_solved);
    td_run_chunks(world->context, td_judge_behind, world->links.count, world);
    TD_TRY(td_sweep_fast_links(world, td_course_solved));
    td_start_fractions(world);
    td_shorten_courses(world, true);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        const td_body *body = &world->bodies.items[i];
        if (body->alive && td_is_dynamic(body) && body->fraction < 1) {
            const td_course course = td_course_solved(world, i);
            td_halt(&world->solver_bodies.items[i], body, td_course_at(&course, body->fraction));
            ++world->report.stopped_bodies;
        }
    }
    return TD_OK;
}
