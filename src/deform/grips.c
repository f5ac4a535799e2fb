// Grips: contacts of rigid bodies with each other, which resist what soft ones push them by.
//
// Rigid bodies are solved first, as if there were no soft ones. A body that stands on a ground would then be
// pushed along that by the least of forces, a little in every step, whatever its friction; one that bears
// others by layers would be pushed into the ground by them, and out again in the next step, and tremble for
// good. So what contacts of rigid bodies hold is asked again, in turn with the contacts of soft ones. One
// that bears an impulse in the step bears at most so much less, or any more; its friction what Coulomb's cone
// leaves. What only undoes the way that the rigid solver made them go is free.
//
// In units of ways: an impulse is what it does to 1 kg in the sub-step, kg m.
#include "softs.h"

#include <math.h>

static td_obstacle *td_movable_one(const td_softs *softs, uint32_t index) {
    td_obstacle *o = &softs->obstacles[index];
    return o->there && o->inverse_mass > 0 ? o : NULL;
}

// ---------------------------------------------------------------------------------------------------------
// Of a lap

// How far a point goes in the step by the rigid solver.
static td_vec3 td_own_way(const td_obstacle *o, td_vec3 at) {
    const td_vec3 start = td_mat3_apply(td_quat_matrix(o->start.rotation), at),
                  end = td_mat3_apply(td_quat_matrix(o->end.rotation), at);
    return td_add(td_sub(o->end.position, o->start.position), td_sub(end, start));
}

static void td_stir(td_softs *softs, uint32_t index) {
    if (td_movable_one(softs, index) != NULL && !softs->obstacles[index].stirred) {
        softs->obstacles[index].stirred = true;
        softs->stirred.items[softs->stirred.count++] = index;
    }
}

static void td_stir_near(td_softs *softs) {
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        softs->obstacles[i].stirred = softs->obstacles[i].near;
    }
    softs->stirred.count = 0;
    for (size_t i = 0; i < softs->near.count; ++i) {
        softs->stirred.items[softs->stirred.count++] = softs->near.items[i];
    }
}

static void td_hold_grip_of(td_softs *softs, const td_grip *grip, double share) {
    td_stir(softs, grip->a);
    td_stir(softs, grip->b);
    td_obstacle *a = td_movable_one(softs, grip->a), *b = td_movable_one(softs, grip->b);
    if (a == NULL && b == NULL) {
        return;
    }
    const td_vec3 way = td_sub(td_own_way(&softs->obstacles[grip->b], grip->at_b),
                               td_own_way(&softs->obstacles[grip->a], grip->at_a));
    softs->held_grips.items[softs->held_grips.count++] =
        (td_held_grip){.grip = grip, .a = a, .b = b, .own = td_scale(way, share), .change = 0};
}

td_result td_softs_begin_grips(td_softs *softs, double h) {
    const double share = h / softs->settings.time;
    softs->held_grips.count = softs->stirred.count = 0;
    TD_TRY(td_array_reserve(softs->context, &softs->held_grips, softs->settings.grip_count));
    TD_TRY(td_array_reserve(softs->context, &softs->stirred, softs->obstacle_count));
    td_stir_near(softs);
    for (uint32_t i = 0; softs->turns.weighty && i < softs->settings.grip_count; ++i) {
        td_hold_grip_of(softs, &softs->settings.grips[i], share);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Of a sub-step

static double td_lightness_of(const td_held_grip *held, td_vec3 direction) {
    return (held->a != NULL ? td_obstacle_weight(held->a, held->arm_a, direction) : 0) +
           (held->b != NULL ? td_obstacle_weight(held->b, held->arm_b, direction) : 0);
}

static td_vec3 td_gained_at(const td_obstacle *o, td_vec3 arm) {
    return td_add(o->gained, td_cross(o->gained_spin, arm));
}

static void td_push_held(const td_held_grip *held, td_vec3 by) {
    if (held->a != NULL) {
        td_push_obstacle(&held->a->moved, held->a, held->arm_a, td_scale(by, -1));
    }
    if (held->b != NULL) {
        td_push_obstacle(&held->b->moved, held->b, held->arm_b, by);
    }
}

// What more pressed in the sub-step before does so from the beginning.
void td_softs_evaluate_grips(td_softs *softs, double h) {
    const td_vec3 none = td_vec3_make(0, 0, 0);
    const double force = h * h / softs->settings.time;
    for (size_t i = 0; i < softs->held_grips.count; ++i) {
        td_held_grip *held = &softs->held_grips.items[i];
        const td_grip *grip = held->grip;
        held->arm_a = held->a != NULL ? td_mat3_apply(held->a->turn[1], grip->at_a) : none;
        held->arm_b = held->b != NULL ? td_mat3_apply(held->b->turn[1], grip->at_b) : none;
        held->begun = td_scale(td_sub(held->b != NULL ? td_gained_at(held->b, held->arm_b) : none,
                                      held->a != NULL ? td_gained_at(held->a, held->arm_a) : none),
                               h);
        held->pressed = grip->pressed * force;
        held->rubbed = td_scale(grip->rubbed, force);
        held->lightness = td_lightness_of(held, grip->normal);
        td_push_held(held, td_scale(grip->normal, held->change));
    }
}

// By how far soft bodies have pushed b relative to a, at the point of contact.
static td_vec3 td_pushed_by(const td_held_grip *held) {
    td_vec3 way = held->begun;
    if (held->b != NULL) {
        way = td_add(way, td_nudged_at(&held->b->moved, held->arm_b));
    }
    if (held->a != NULL) {
        way = td_sub(way, td_nudged_at(&held->a->moved, held->arm_a));
    }
    return way;
}

// The two may be pushed together and apart as far as the rigid solver did the opposite.
static double td_change_wanted(const td_held_grip *held, td_vec3 way) {
    const double own = td_dot(held->grip->normal, held->own);
    const double unheld = td_dot(held->grip->normal, way) - held->change * held->lightness;
    const double to = fmax(fmin(0, -own), fmin(fmax(0, -own), unheld));
    return fmax((to - unheld) / held->lightness, -held->pressed);
}

static void td_rub_grip(td_held_grip *held) {
    const td_vec3 n = held->grip->normal, way = td_add(held->own, td_pushed_by(held)),
                  slip = td_sub(way, td_scale(n, td_dot(n, way)));
    const double slid = td_length(slip);
    const double along = td_lightness_of(held, slid > 0 ? td_scale(slip, 1 / slid) : n);
    const double most = held->grip->friction * (held->pressed + held->change);
    const td_vec3 rubbed = td_rub(held->rubbed, slip, along, most);
    td_push_held(held, td_sub(rubbed, held->rubbed));
    held->rubbed = rubbed;
}

// Those that soft bodies have not moved stay as they are.
static bool td_is_pushed(const td_held_grip *held) {
    const td_vec3 way = td_pushed_by(held);
    return td_dot(way, way) > 0 || held->change != 0;
}

void td_softs_solve_grips(td_softs *softs) {
    for (size_t i = 0; i < softs->held_grips.count; ++i) {
        td_held_grip *held = &softs->held_grips.items[i];
        if (held->lightness > 0 && td_is_pushed(held)) {
            const double change = td_change_wanted(held, td_pushed_by(held));
            td_push_held(held, td_scale(held->grip->normal, change - held->change));
            held->change = change;
            td_rub_grip(held);
        }
    }
}
