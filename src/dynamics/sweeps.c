// Fast pairs are followed continuously, so that nothing passes through anything: ahead of the step, so that
// contacts are found where bodies meet rather than behind; and after it, where bodies were thrown off their
// course.
//
// All sweeps of a step go on together, each asking for one pose at a time, so that the threads share them.
#include "../core/error.h"
#include "chunks.h"
#include "sweep.h"
#include "world.h"

// A pair is followed if it moves by more than this part of its thickness in a step. After the step the
// contacts have held what was found ahead; only what could pass through is looked at again.
static const double td_fast_ahead = 0.75, td_fast_behind = 2;

static td_result td_run_sweeps(td_world *world) {
    const size_t count = world->sweeps.count;
    world->object_pairs.count = world->answers.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->object_pairs, count));
    TD_TRY(td_array_reserve(world->context, &world->answers, count));
    td_collide_def def = td_default_collide_def();
    def.mode = TD_MODE_FIRST;
    for (;;) {
        size_t asked = 0;
        for (size_t i = 0; i < count; ++i) {
            const td_sweep *sweep = &world->sweeps.items[i];
            if (!sweep->done) {
                world->object_pairs.items[asked++] = td_sweep_pair(sweep, sweep->next);
            }
        }
        if (asked == 0) {
            return TD_OK;
        }
        TD_TRY(td_collide_pairs(world->answers.items, world->query, world->object_pairs.items, asked, &def));
        size_t answered = 0;
        for (size_t i = 0; i < count; ++i) {
            td_sweep *sweep = &world->sweeps.items[i];
            if (!sweep->done) {
                const td_collide_result *answer = &world->answers.items[answered++];
                td_sweep_continue(sweep, answer->colliding || answer->inside != TD_INSIDE_NONE);
            }
        }
    }
}

static bool td_can_be_stopped(const td_body *body) {
    return body->kind != TD_BODY_STATIC && body->awake;
}

// What touched already before is held by its contacts.
static bool td_may_be_swept(const td_world *world, const td_link *link) {
    return world->def.continuous && link->active && !link->was_touching;
}

static td_course td_course_ahead(const td_world *world, uint32_t index) {
    const td_body *body = &world->bodies.items[index];
    return (td_course){body, body->at, body->sampled};
}

static td_course td_course_solved(const td_world *world, uint32_t index) {
    const td_body *body = &world->bodies.items[index];
    const td_solver_body *solved = &world->solver_bodies.items[index];
    return (td_course){body, body->at, (td_placement){solved->position, solved->rotation}};
}

static void td_judge_ahead(size_t first, size_t end, void *user) {
    td_world *world = user;
    for (size_t i = first; i < end; ++i) {
        td_link *link = &world->links.items[i];
        const td_course a = td_course_ahead(world, link->a), b = td_course_ahead(world, link->b);
        link->fast = td_may_be_swept(world, link) && td_is_fast(&a, &b, td_fast_ahead);
    }
}

static void td_judge_behind(size_t first, size_t end, void *user) {
    td_world *world = user;
    for (size_t i = first; i < end; ++i) {
        td_link *link = &world->links.items[i];
        const td_course a = td_course_solved(world, link->a), b = td_course_solved(world, link->b);
        link->fast = td_may_be_swept(world, link) && td_is_fast(&a, &b, td_fast_behind);
    }
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
        }
    }
    return td_run_sweeps(world);
}

// ---------------------------------------------------------------------------------------------------------

// The earliest meeting of each body counts.
static void td_sample_where_met(td_world *world, const td_sweep *sweep) {
    const td_link *link = &world->links.items[sweep->link];
    for (int k = 0; k < 2 && sweep->met < 1; ++k) {
        td_body *body = &world->bodies.items[k == 0 ? link->a : link->b];
        if (td_can_be_stopped(body) && sweep->met < body->fraction) {
            body->fraction = sweep->met;
            body->sampled = td_course_at(&sweep->courses[k], sweep->met);
            const td_mat3 turn = td_quat_matrix(body->sampled.rotation);
            body->bounds =
                td_surface_bounds(body->surface, turn, td_frame_position(body, &body->sampled, turn));
        }
    }
}

td_result td_sweep_ahead(td_world *world) {
    td_run_chunks(world->context, td_judge_ahead, world->links.count, world);
    TD_TRY(td_sweep_fast_links(world, td_course_ahead));
    world->report.swept_pairs = world->sweeps.count;
    for (size_t i = 0; i < world->sweeps.count; ++i) {
        td_sample_where_met(world, &world->sweeps.items[i]);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

// Puts a body back on its course. Its velocity stays, and so does its angular momentum about the origin: what
// its centre of mass has less of by being elsewhere, its spin gets.
static void td_halt(td_solver_body *solved, const td_body *body, td_placement at) {
    const td_vec3 back = td_sub(at.position, solved->position);
    const td_mat3 before = td_quat_matrix(solved->rotation), after = td_quat_matrix(at.rotation);
    const td_vec3 spin = td_sym3_apply(td_sym3_rotate(body->inertia, before), solved->spin);
    const td_vec3 orbit = td_scale(td_cross(back, solved->velocity), body->mass);
    solved->spin = td_sym3_apply(td_sym3_rotate(body->inverse_inertia, after), td_sub(spin, orbit));
    solved->position = at.position;
    solved->rotation = at.rotation;
}

static void td_halt_where_met(td_world *world, const td_sweep *sweep) {
    const td_link *link = &world->links.items[sweep->link];
    for (int k = 0; k < 2 && sweep->met < 1; ++k) {
        const uint32_t index = k == 0 ? link->a : link->b;
        td_body *body = &world->bodies.items[index];
        if (td_is_dynamic(body) && body->awake && sweep->met < body->fraction) {
            world->report.stopped_bodies += body->fraction == 1;
            body->fraction = sweep->met;
            td_halt(&world->solver_bodies.items[index], body, td_course_at(&sweep->courses[k], sweep->met));
        }
    }
}

td_result td_sweep_behind(td_world *world) {
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        world->bodies.items[i].fraction = 1;
    }
    td_run_chunks(world->context, td_judge_behind, world->links.count, world);
    TD_TRY(td_sweep_fast_links(world, td_course_solved));
    for (size_t i = 0; i < world->sweeps.count; ++i) {
        td_halt_where_met(world, &world->sweeps.items[i]);
    }
    return TD_OK;
}
