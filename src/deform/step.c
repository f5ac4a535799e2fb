// A step of all soft bodies: laps, each as softs.h says; then rest.
#include "../core/clock.h"
#include "../core/error.h"
#include "softs.h"

#include <math.h>

enum {
    TD_SUBSTEPS_MORE = 4, // as many times as usual, where things are fast
    TD_EDGES_OF_LAP = 3
};

// ---------------------------------------------------------------------------------------------------------
// Laps

static double td_obstacle_speed(const td_obstacle *o, double time) {
    const td_quat turn = td_quat_mul(td_quat_conjugate(o->start.rotation), o->end.rotation);
    return 2 * o->radius * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z) / time;
}

static td_vec3 td_obstacle_velocity(const td_obstacle *o, double time) {
    return td_scale(td_sub(o->end.position, o->start.position), 1 / time);
}

// Whether two boxes meet if one of them moves by `way`, in any direction.
static bool td_boxes_may_meet(const td_box *a, const td_box *b, double way) {
    return a->lower.x - way <= b->upper.x && b->lower.x <= a->upper.x + way &&
           a->lower.y - way <= b->upper.y && b->lower.y <= a->upper.y + way &&
           a->lower.z - way <= b->upper.z && b->lower.z <= a->upper.z + way;
}

static td_box td_box_of(const td_softs *softs, const td_soft *soft) {
    td_box box = {softs->x.items[soft->first], softs->x.items[soft->first]};
    for (uint32_t v = soft->first; v < soft->first + soft->form->vertex_count; ++v) {
        const td_vec3 p = softs->x.items[v];
        box.lower = td_vec3_make(fmin(box.lower.x, p.x), fmin(box.lower.y, p.y), fmin(box.lower.z, p.z));
        box.upper = td_vec3_make(fmax(box.upper.x, p.x), fmax(box.upper.y, p.y), fmax(box.upper.z, p.z));
    }
    return box;
}

// How far anything goes in the step relative to what it may meet, in laps: at most.
static double td_relative_way(const td_softs *softs, const td_soft *soft, double time) {
    const td_box box = td_box_of(softs, soft);
    const double margin = 2 * soft->thickness;
    double fastest = soft->stray;
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        const td_obstacle *o = &softs->obstacles[i];
        if (!o->there) {
            continue;
        }
        const double speed = td_length(td_sub(soft->velocity, td_obstacle_velocity(o, time))) + soft->stray +
                             td_obstacle_speed(o, time);
        if (speed > fastest) {
            const td_box around = td_obstacle_box(o, &o->start);
            fastest = td_boxes_may_meet(&box, &around, speed * time + margin) ? speed : fastest;
        }
    }
    for (size_t i = 0; i < softs->list.count; ++i) {
        const td_soft *other = softs->list.items[i];
        const double speed = td_length(td_sub(soft->velocity, other->velocity)) + soft->stray + other->stray;
        if (other != soft && speed > fastest) {
            const td_box around = td_box_of(softs, other);
            fastest = td_boxes_may_meet(&box, &around, speed * time + margin) ? speed : fastest;
        }
    }
    return fastest * time / fmax(TD_EDGES_OF_LAP * soft->form->edge, 2 * soft->thickness);
}

// As many as it takes for nothing to go farther in one than some edges are long.
static uint32_t td_count_laps(const td_softs *softs, double time, uint32_t most) {
    double way = 0;
    for (size_t i = 0; i < softs->list.count; ++i) {
        const td_soft *soft = softs->list.items[i];
        way = soft->awake ? fmax(way, td_relative_way(softs, soft, time)) : way;
    }
    return way < 1 ? 1 : way < most ? (uint32_t)ceil(way) : most;
}

static td_result td_softs_begin_step(td_softs *softs) {
    TD_TRY(td_array_reserve(
        softs->context, &softs->sides,
        softs->obstacle_count > softs->sides.count ? softs->obstacle_count - softs->sides.count : 0));
    while (softs->sides.count < softs->obstacle_count) {
        softs->sides.items[softs->sides.count++] = (td_obstacle_side){0};
    }
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        td_obstacle *o = &softs->obstacles[i];
        o->at = o->start;
        o->shift = o->gained = o->gained_spin = td_vec3_make(0, 0, 0);
        o->twist = td_quat_make(0, 0, 0, 1);
        o->touched = o->near = o->woken = false;
        o->kept = 1;
    }
    softs->thinnest = INFINITY;
    for (size_t i = 0; i < softs->list.count; ++i) {
        softs->thinnest = fmin(softs->thinnest, softs->list.items[i]->thickness);
    }
    td_softs_wake_touched(softs);
    return TD_OK;
}

static void td_begin_lap(td_softs *softs, double begin, double end) {
    softs->lap_end = end;
    ++softs->lap_number;
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        softs->start.items[v] = softs->x.items[v];
    }
    const double time = (end - begin) * softs->settings.time;
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        td_obstacle *o = &softs->obstacles[i];
        if (!o->there) {
            continue;
        }
        o->lap[0] = o->at;
        o->turn[0] = o->turn[1] = td_quat_matrix(o->at.rotation);
        td_obstacle ahead = *o;
        if (o->touched) {
            ahead.shift = td_add(o->shift, td_scale(o->gained, time));
            ahead.twist = td_quat_normalise(td_quat_turn(o->twist, o->gained_spin, time));
        }
        o->lap[1] = td_obstacle_stand(&ahead, end);
    }
}

// Those that no soft body was near went on by themselves.
static void td_move_others(td_softs *softs, double time) {
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        td_obstacle *o = &softs->obstacles[i];
        if (o->there && !o->near) {
            o->shift = td_add(o->shift, td_scale(o->gained, time));
            o->twist = td_quat_normalise(td_quat_turn(o->twist, o->gained_spin, time));
            o->at = o->lap[1];
            o->turn[1] = td_quat_matrix(o->at.rotation);
        }
    }
}

static td_result td_check_soft_numbers(const td_softs *softs, uint32_t *body) {
    for (size_t i = 0; i < softs->list.count; ++i) {
        const td_soft *soft = softs->list.items[i];
        for (uint32_t v = soft->first; v < soft->first + soft->form->vertex_count; ++v) {
            const td_vec3 p = softs->x.items[v];
            if (!(fabs(p.x) < 1e15 && fabs(p.y) < 1e15 && fabs(p.z) < 1e15)) {
                *body = soft->body;
                return TD_ERROR_NUMBERS;
            }
        }
    }
    return TD_OK;
}

static td_result td_run_lap(td_softs *softs, double begin, double end, uint32_t substeps) {
    const double time = (end - begin) * softs->settings.time;
    const double started = td_clock_ms();
    softs->lap_substeps = substeps;
    td_begin_lap(softs, begin, end);
    TD_TRY(td_softs_find_pairs(softs, time, false));
    TD_TRY(td_softs_search(softs, time));
    softs->report.search_ms += td_clock_ms() - started;
    TD_TRY(td_softs_run_substeps(softs, begin, end, substeps));
    td_move_others(softs, time);
    TD_TRY(td_check_soft_numbers(softs, &softs->failed_body));
    const double certain = td_clock_ms();
    TD_TRY(td_softs_make_certain(softs, time));
    td_softs_calm(softs, time);
    softs->report.certain_ms += td_clock_ms() - certain;
    return TD_OK;
}

td_result td_softs_step(td_soft_report *out, td_softs *softs, td_obstacle *obstacles, uint32_t obstacle_count,
                        const td_soft_settings *settings) {
    softs->obstacles = obstacles;
    softs->obstacle_count = obstacle_count;
    softs->settings = *settings;
    softs->report = (td_soft_report){0};
    softs->near.count = 0;
    TD_TRY(td_softs_begin_step(softs));
    td_softs_calm(softs, 0);
    const uint32_t most = settings->substeps * TD_SUBSTEPS_MORE;
    const uint32_t laps = td_count_laps(softs, settings->time, most);
    const uint32_t substeps = laps > settings->substeps ? laps : settings->substeps;
    for (uint32_t i = 0; i < laps; ++i) {
        const uint32_t first = substeps * i / laps, end = substeps * (i + 1) / laps;
        TD_TRY(td_run_lap(softs, (double)first / substeps, (double)end / substeps, end - first));
    }
    TD_TRY(td_softs_find_rest(softs));
    softs->report.laps = laps;
    softs->report.substeps = substeps;
    softs->report.vertices = softs->vertex_count;
    for (size_t i = 0; i < softs->list.count; ++i) {
        ++softs->report.bodies;
        softs->report.awake += softs->list.items[i]->awake;
        softs->list.items[i]->force = td_vec3_make(0, 0, 0);
    }
    *out = softs->report;
    return TD_OK;
}
