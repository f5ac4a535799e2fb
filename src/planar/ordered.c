// The stepping beyond the paper: every collision of a step, in the order of their times.
//
// Collisions are predicted for all neighbours at the start of the step and kept in a heap. The earliest is
// resolved, and what was predicted for its two bodies is void: they are predicted anew, for the rest of the
// step. All others stay where they were last looked at, which is what `local` tells of each; only at the end
// of the step all go to the same time.
//
// based on: Mirtich, Timewarp Rigid Body Simulation, 2000, for bodies with times of their own; Lubachevsky,
// How to Simulate Billiards and Similar Systems, 1991, for the void events.
#include "advance.h"
#include "planar.h"

enum { TD_EVENTS_PER_BODY = 64, TD_EVENTS_LEAST = 4096 }; // in a step, before it is given up

// A body that was struck less than this part of a step ago bounces as if nothing were lost: else bodies that
// lose energy would come to rest on each other by infinitely many collisions in a finite time.
//
// based on: Luding, McNamara, How to Handle the Inelastic Collapse of a Dissipative Hard-sphere Gas with the
// TC Model, 1998.
static const double td_contact_part = 1.0 / 64;

static td_planar_body td_body_at_time(const td_planar *planar, uint32_t i, double time) {
    td_planar_body body = td_planar_body_in(planar, i);
    body.motion = td_planar_forward(body.motion, time - planar->order.local[i]);
    return body;
}

// Puts the pair's next meeting into the heap, if it is within the step.
static td_result td_predict(td_planar *planar, uint32_t i, uint32_t k) {
    td_planar_order *order = &planar->order;
    const uint32_t high = i > k ? i : k, low = i > k ? k : i;
    if (!td_planar_is_movable(planar->shapes[high]) && !td_planar_is_movable(planar->shapes[low])) {
        return TD_OK;
    }
    const double start = fmax(order->local[high], order->local[low]);
    int sure;
    const double time =
        td_planar_meet(&sure, td_body_at_time(planar, low, start), td_body_at_time(planar, high, start),
                       planar->def.step - start, planar->rules.skin, planar->corners);
    if (time >= TD_PLANAR_FAR) {
        return TD_OK;
    }
    const td_planar_event event = {.time = start + time,
                                   .a = high,
                                   .b = low,
                                   .generation_a = order->generation[high],
                                   .generation_b = order->generation[low],
                                   .sure = (uint32_t)sure};
    return td_push_event(&order->events, planar->context, &event);
}

static td_result td_predict_all_of(td_planar *planar, uint32_t i, bool before, uint32_t except) {
    TD_TRY(td_find_neighbours(planar, i, before));
    for (size_t n = 0; n < planar->found.count; ++n) {
        if (planar->found.items[n] != except) {
            TD_TRY(td_predict(planar, i, planar->found.items[n]));
        }
    }
    return TD_OK;
}

static void td_renew_box(td_planar *planar, uint32_t i) {
    const double left = fmax(planar->def.step - planar->order.local[i], 0);
    td_set_planar_box(
        planar, i,
        td_planar_box_swept(td_planar_body_in(planar, i), left, planar->rules.margin, planar->corners));
}

static td_result td_begin_step(td_planar *planar) {
    planar->order.events.heap.count = 0;
    for (uint32_t i = 0; i < planar->size; ++i) {
        planar->order.local[i] = 0;
        planar->order.struck_at[i] = -planar->def.step;
        planar->order.generation[i] = 0;
        td_renew_box(planar, i);
    }
    TD_TRY(td_fill_planar_grid(planar));
    for (uint32_t i = 0; i < planar->count; ++i) {
        TD_TRY(td_predict_all_of(planar, i, true, UINT32_MAX));
    }
    return TD_OK;
}

// The body as it is after a collision at `time`.
static void td_take_struck(td_planar *planar, uint32_t i, td_planar_motion after, double time, bool by_wall) {
    const td_planar_shape shape = planar->shapes[i];
    if (!td_planar_is_movable(shape)) {
        return;
    }
    const td_planar_motion before = planar->motions[i];
    td_planar_tally *tally = &planar->tallies[i];
    if (by_wall) {
        tally->wall_x += (after.vx - before.vx) / shape.inverse_mass;
        tally->wall_y += (after.vy - before.vy) / shape.inverse_mass;
    }
    tally->hits += by_wall ? 1 : 0.5;
    planar->motions[i] = after;
    planar->order.local[i] = planar->order.struck_at[i] = time;
    ++planar->order.generation[i];
    td_renew_box(planar, i);
    td_move_in_planar_grid(planar, i);
}

static double td_restitution_at(const td_planar *planar, const td_planar_event *event) {
    const double *struck_at = planar->order.struck_at;
    const double last = fmax(struck_at[event->a], struck_at[event->b]);
    return event->time - last < td_contact_part * planar->def.step ? 1 : planar->def.restitution;
}

static td_result td_resolve(td_planar *planar, const td_planar_event *event) {
    if (!event->sure) {
        return TD_OK;
    }
    const td_planar_body b = td_body_at_time(planar, event->b, event->time);
    const td_planar_body a = td_body_at_time(planar, event->a, event->time);
    const td_planar_pair pair = td_planar_collide(b, a, td_restitution_at(planar, event), planar->corners);
    if (!pair.hit) {
        return TD_OK;
    }
    const bool free_a = td_planar_is_movable(a.shape), free_b = td_planar_is_movable(b.shape);
    td_take_struck(planar, event->b, pair.a.motion, event->time, !free_a);
    td_take_struck(planar, event->a, pair.b.motion, event->time, !free_b);
    if (free_b) {
        TD_TRY(td_predict_all_of(planar, event->b, false, event->a));
    }
    return free_a ? td_predict_all_of(planar, event->a, false, event->b) : TD_OK;
}

// A pair that met without a blow, or may not have met yet, is looked at again from that moment on.
static void td_meet_at(td_planar *planar, uint32_t i, double time) {
    if (i < planar->count) {
        planar->motions[i] = td_body_at_time(planar, i, time).motion;
        planar->order.local[i] = time;
    }
}

static td_result td_run_events(td_planar *planar, double *end) {
    td_planar_order *order = &planar->order;
    const uint64_t most = TD_EVENTS_LEAST + (uint64_t)TD_EVENTS_PER_BODY * planar->count;
    for (uint64_t done = 0; order->events.heap.count > 0;) {
        const td_planar_event event = td_pop_event(&order->events);
        if (event.generation_a != order->generation[event.a] ||
            event.generation_b != order->generation[event.b]) {
            continue;
        }
        if (++done > most) {
            *end = event.time;
            return TD_OK;
        }
        TD_TRY(td_resolve(planar, &event));
        if (event.generation_a == order->generation[event.a] &&
            event.generation_b == order->generation[event.b]) {
            td_meet_at(planar, event.a, event.time);
            td_meet_at(planar, event.b, event.time);
        }
        TD_TRY(td_predict(planar, event.a, event.b));
    }
    return TD_OK;
}

td_result td_step_ordered(td_planar *planar) {
    double end = planar->def.step;
    TD_TRY(td_begin_step(planar));
    TD_TRY(td_run_events(planar, &end));
    for (uint32_t i = 0; i < planar->count; ++i) {
        planar->motions[i] = td_body_at_time(planar, i, end).motion;
    }
    planar->clock.time += end;
    planar->clock.steps += 1;
    planar->clock.truncated += end < planar->def.step;
    return TD_OK;
}
