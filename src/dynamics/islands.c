// Islands: dynamic bodies that touch each other, directly or through others. An island rests and wakes as a
// whole.
#include "../core/error.h"
#include "sets.h"
#include "world.h"

#include <math.h>

static void td_join_islands(td_world *world) {
    uint32_t *parents = world->parents.items;
    for (size_t i = 0; i < world->links.count; ++i) {
        const td_link *link = &world->links.items[i];
        if (link->touching && td_is_dynamic(&world->bodies.items[link->a]) &&
            td_is_dynamic(&world->bodies.items[link->b])) {
            (void)td_unite(parents, link->a, link->b);
        }
    }
}

// A kinematic body that moves, or one that was put where it is, wakes what it touches, and what it leaves.
static void td_wake_by_kinematics(td_world *world) {
    for (size_t i = 0; i < world->links.count; ++i) {
        const td_link *link = &world->links.items[i];
        if (!(link->touching || link->was_touching) || !link->active) {
            continue;
        }
        for (int k = 0; k < 2; ++k) {
            const td_body *pusher = &world->bodies.items[k == 0 ? link->a : link->b];
            const double motion =
                td_dot(pusher->velocity, pusher->velocity) + td_dot(pusher->spin, pusher->spin);
            if (pusher->placed || (pusher->kind == TD_BODY_KINEMATIC && motion > 0)) {
                td_wake(world, k == 0 ? link->b : link->a);
            }
        }
    }
}

td_result td_find_islands(td_world *world) {
    const uint32_t count = (uint32_t)world->bodies.count;
    world->parents.count = world->stillness.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->parents, count));
    TD_TRY(td_array_reserve(world->context, &world->stillness, count));
    world->parents.count = world->stillness.count = count;
    uint32_t *parents = world->parents.items;
    double *awake = world->stillness.items; // here: whether an island has a body that is awake
    for (uint32_t i = 0; i < count; ++i) {
        parents[i] = i;
        awake[i] = 0;
    }
    td_join_islands(world);
    td_wake_by_kinematics(world);
    for (uint32_t i = 0; i < count; ++i) {
        const td_body *body = &world->bodies.items[i];
        if (body->alive && td_is_dynamic(body) && body->awake) {
            awake[td_lowest(parents, i)] = 1;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        td_body *body = &world->bodies.items[i];
        if (body->alive && td_is_dynamic(body) && awake[td_lowest(parents, i)] > 0) {
            world->report.islands += parents[i] == i;
            if (!body->awake) {
                td_wake(world, i);
                td_sample(body, body->at);
            }
        }
    }
    return TD_OK;
}

// In parts of the speed of sleep: so fast may tremble who leans on something soft.
static const double td_fastest_tremble = 8;

static void td_spread_leaning(td_world *world) {
    uint32_t *parents = world->parents.items;
    td_body *bodies = world->bodies.items;
    const uint32_t count = (uint32_t)world->bodies.count;
    for (uint32_t i = 0; i < count; ++i) {
        td_body *root = &bodies[td_lowest(parents, i)];
        root->leaning = fmax(root->leaning, bodies[i].leaning);
    }
    for (uint32_t i = 0; i < count; ++i) {
        bodies[i].leaning = bodies[td_lowest(parents, i)].leaning;
    }
    for (uint32_t i = 0; i < count; ++i) {
        bodies[i].leaning = fmax(0, bodies[i].leaning - world->pass_time);
    }
}

// Soft bodies are stepped after rigid ones, and what is wedged between both trembles a little for good. Who
// leans on something soft, or on somebody who does, lies still if it gets nowhere: in the time that it takes
// to fall asleep by less than it would at the speed of sleep. `rested` is where it was when such a time
// began.
static bool td_lies_still(const td_world *world, const td_body *body) {
    const double most = world->def.sleep_speed;
    const double speed = td_length(body->velocity) + td_length(body->spin) * body->surface->radius;
    if (!(body->leaning > 0) || !(speed < td_fastest_tremble * most)) {
        return speed < most;
    }
    const td_quat turn = td_quat_mul(td_quat_conjugate(body->rested.rotation), body->at.rotation);
    const double way = td_length(td_sub(body->at.position, body->rested.position)) +
                       2 * body->surface->radius * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    return body->still_time == 0 || way < most * world->def.sleep_time;
}

// A body of a large heap may have to wait for others much longer than it takes to fall asleep: what it creeps
// by meanwhile is told for each such time by itself.
static void td_measure_rest(const td_world *world, td_body *body) {
    const double before = body->still_time, time = world->def.sleep_time;
    if (before == 0) {
        body->rested = body->at;
    }
    body->still_time = body->may_sleep && td_lies_still(world, body) ? before + world->pass_time : 0;
    if (floor(body->still_time / time) > floor(before / time)) {
        body->rested = body->at;
    }
}

void td_put_to_sleep(td_world *world) {
    if (!(world->def.sleep_speed > 0)) {
        return;
    }
    uint32_t *parents = world->parents.items;
    double *stillness = world->stillness.items;
    const uint32_t count = (uint32_t)world->bodies.count;
    for (uint32_t i = 0; i < count; ++i) {
        stillness[i] = INFINITY;
    }
    if (world->softs->list.count > 0) {
        td_spread_leaning(world);
    }
    for (uint32_t i = 0; i < count; ++i) {
        td_body *body = &world->bodies.items[i];
        if (!body->alive || !td_is_dynamic(body) || !body->awake) {
            continue;
        }
        td_measure_rest(world, body);
        double *island = &stillness[td_lowest(parents, i)];
        *island = fmin(*island, body->still_time);
    }
    for (uint32_t i = 0; i < count; ++i) {
        td_body *body = &world->bodies.items[i];
        const double still = stillness[td_lowest(parents, i)];
        if (body->alive && td_is_dynamic(body) && body->awake && still > 0 &&
            still >= world->def.sleep_time) {
            body->awake = false;
            body->velocity = body->spin = td_vec3_make(0, 0, 0);
        }
    }
}
