// Rest: a soft body that is slow for long, and gets nowhere, sleeps. What touches it, or what it lies on,
// wakes it by moving.
//
// Where layers are pressed upon each other some vertices never stop trembling: contacts are solved once in a
// sub-step, one after the other. So it is not the speed of each that tells whether a body lies still, but the
// mean of all, and how far each has come since.
#include "softs.h"

#include <math.h>

// By what it did in this step so far.
static double td_obstacle_speed(const td_softs *softs, const td_obstacle *o) {
    const double time = softs->lap_end * softs->settings.time;
    const td_quat turn = td_quat_mul(td_quat_conjugate(o->start.rotation), o->at.rotation);
    return (td_length(td_sub(o->at.position, o->start.position)) +
            2 * o->radius * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z)) /
           time;
}

// Whoever moves faster than this wakes what it touches.
static double td_waking_speed(const td_softs *softs) {
    return 2 * softs->settings.sleep_speed;
}

// Whether something that a body touched moves by now, or is gone.
static bool td_has_moved(const td_softs *softs, td_body_id id) {
    const uint32_t index = id.index - 1;
    if (index >= softs->obstacle_count || softs->obstacles[index].generation != id.generation) {
        return true;
    }
    const td_obstacle *o = &softs->obstacles[index];
    if (o->soft != NULL) {
        return o->soft->awake && o->soft->rms > td_waking_speed(softs);
    }
    const td_vec3 way = td_sub(o->end.position, o->start.position);
    return !o->there || (!o->still && td_length(way) > td_waking_speed(softs) * softs->settings.time);
}

void td_softs_wake_touched(td_softs *softs) {
    for (size_t i = 0; i < softs->list.count; ++i) {
        td_soft *soft = softs->list.items[i];
        // Not of who wakes now: should the step fail, it sleeps on.
        soft->touched.count = soft->awake ? 0 : soft->touched.count;
        soft->woken = soft->struck = false;
        bool moved = false;
        for (size_t k = 0; !soft->awake && k < soft->touched.count; ++k) {
            moved = moved || td_has_moved(softs, soft->touched.items[k]);
        }
        if (moved) {
            td_softs_wake(softs, soft);
        }
    }
}

// Contacts of two bodies follow each other, so the last one noted is enough to look at.
static td_result td_note(td_softs *softs, td_soft *soft, uint32_t body) {
    const td_body_id id = {body + 1, softs->obstacles[body].generation};
    const size_t count = soft->touched.count;
    if (!soft->awake || (count > 0 && soft->touched.items[count - 1].index == id.index)) {
        return TD_OK;
    }
    TD_TRY(td_array_reserve(softs->context, &soft->touched, 1));
    soft->touched.items[soft->touched.count++] = id;
    return TD_OK;
}

static double td_speed_of_points(const td_softs *softs, const td_four_points *pair) {
    double most = 0;
    for (int i = 0; i < 4; ++i) {
        if (!(pair->rigid >> i & 1)) {
            const td_vec3 v = softs->v.items[pair->point[i]];
            most = fmax(most, td_dot(v, v));
        }
    }
    return sqrt(most);
}

// Whether a body wakes what it touches there: not by trembling while it lies still.
static bool td_moves_at(const td_softs *softs, const td_soft *soft, const td_four_points *pair) {
    return soft->awake && soft->still_time == 0 && td_speed_of_points(softs, pair) > td_waking_speed(softs);
}

td_result td_softs_note_touch(td_softs *softs, size_t place) {
    const td_four_points *pair = &softs->near_pairs.items[place];
    const td_soft_contact *contact = &softs->contacts.items[place];
    td_soft *a = softs->list.items[contact->a];
    if (contact->b != TD_NONE) {
        td_soft *b = softs->list.items[contact->b];
        if (a != b) {
            a->woken = a->woken || (!a->awake && td_moves_at(softs, b, pair));
            b->woken = b->woken || (!b->awake && td_moves_at(softs, a, pair));
            TD_TRY(td_note(softs, a, b->body));
            TD_TRY(td_note(softs, b, a->body));
        }
        return TD_OK;
    }
    td_obstacle *o = &softs->obstacles[pair->obstacle];
    const bool movable = o->inverse_mass > 0 || o->asleep || o->stubborn;
    if (!a->awake && !o->still && td_obstacle_speed(softs, o) > td_waking_speed(softs)) {
        a->woken = true;
        a->struck = a->struck || o->newcomer;
    }
    if (o->asleep && td_moves_at(softs, a, pair)) {
        o->woken = true;
    }
    return movable ? td_note(softs, a, pair->obstacle) : TD_OK;
}

// Who is fast wakes what is behind the layers, too.
void td_softs_note_pinches(td_softs *softs) {
    for (size_t i = 0; i < softs->pinches.count; ++i) {
        const td_pinch *pinch = &softs->pinches.items[i];
        td_obstacle *a = &softs->obstacles[pinch->a], *b = &softs->obstacles[pinch->b];
        const double speed = fmax(td_obstacle_speed(softs, a), td_obstacle_speed(softs, b));
        if (pinch->acted && speed > td_waking_speed(softs)) {
            a->woken = a->woken || a->asleep;
            b->woken = b->woken || b->asleep;
        }
    }
}

// It and all that it touches.
static bool td_is_slow(const td_softs *softs, const td_soft *soft) {
    bool slow = soft->may_sleep && soft->rms < softs->settings.sleep_speed;
    for (size_t i = 0; slow && i < soft->touched.count; ++i) {
        const td_obstacle *o = &softs->obstacles[soft->touched.items[i].index - 1];
        slow = o->soft != NULL ? o->soft->rms < td_waking_speed(softs)
                               : o->still || td_obstacle_speed(softs, o) < td_waking_speed(softs);
    }
    return slow;
}

// No vertex is farther from where it was when the body began to be still than what is too slow to count goes
// in the time it takes to fall asleep.
static bool td_has_stayed(const td_softs *softs, const td_soft *soft) {
    const double most = softs->settings.sleep_speed * softs->settings.sleep_time;
    bool stayed = true;
    for (uint32_t v = soft->first; stayed && v < soft->first + soft->form->vertex_count; ++v) {
        const td_vec3 way = td_sub(softs->x.items[v], softs->rested.items[v]);
        stayed = td_dot(way, way) <= most * most;
    }
    return stayed;
}

static void td_measure_stillness(td_softs *softs, td_soft *soft) {
    const bool slow = td_is_slow(softs, soft), begins = soft->still_time == 0;
    soft->still_time =
        slow && (begins || td_has_stayed(softs, soft)) ? soft->still_time + softs->settings.time : 0;
    for (uint32_t v = soft->first; begins && slow && v < soft->first + soft->form->vertex_count; ++v) {
        softs->rested.items[v] = softs->x.items[v];
    }
}

// Who sleeps stands as a wall does while it is hit. So what it lies upon would not feel a newcomer: all of
// the heap is woken with it.
static bool td_hand_on(td_softs *softs, const td_soft *struck) {
    bool any = false;
    for (size_t i = 0; i < struck->touched.count; ++i) {
        const uint32_t index = struck->touched.items[i].index - 1;
        const bool there = index < softs->obstacle_count &&
                           softs->obstacles[index].generation == struck->touched.items[i].generation;
        for (size_t k = 0; there && k < softs->list.count; ++k) {
            td_soft *soft = softs->list.items[k];
            if (soft == softs->obstacles[index].soft && !soft->awake && !soft->struck) {
                soft->woken = soft->struck = any = true;
            }
        }
    }
    return any;
}

static void td_wake_struck(td_softs *softs) {
    for (bool any = true; any;) {
        any = false;
        for (size_t i = 0; i < softs->list.count; ++i) {
            const td_soft *soft = softs->list.items[i];
            any = (soft->struck && td_hand_on(softs, soft)) || any;
        }
    }
}

void td_softs_find_rest(td_softs *softs) {
    td_wake_struck(softs);
    for (size_t i = 0; i < softs->list.count; ++i) {
        td_soft *soft = softs->list.items[i];
        if (soft->woken) {
            td_softs_wake(softs, soft);
        } else if (soft->awake && softs->settings.sleep_speed > 0) {
            td_measure_stillness(softs, soft);
        }
    }
    for (size_t i = 0; i < softs->list.count; ++i) {
        td_soft *soft = softs->list.items[i];
        if (soft->awake && soft->still_time > 0 && soft->still_time >= softs->settings.sleep_time) {
            td_softs_sleep(softs, soft);
        }
    }
}
