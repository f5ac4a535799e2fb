// A step of all soft bodies: laps, each as softs.h says; then rest.
#include "../core/clock.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "softs.h"

#include <math.h>

enum {
    TD_SUBSTEPS_MORE = 4, // as many times as usual, where things are fast
    TD_EDGES_OF_LOOK = 6,
    TD_MOST_TROUBLE = 1000 // one of so many vertices may be pushed or held back at the end of a lap
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

static void td_bound_soft(uint32_t item, void *payload) {
    const td_softs *softs = payload;
    td_soft *soft = softs->list.items[item];
    td_box box = {softs->x.items[soft->first], softs->x.items[soft->first]};
    for (uint32_t v = soft->first; v < soft->first + soft->form->vertex_count; ++v) {
        td_box_add(&box, softs->x.items[v]);
    }
    soft->box = box;
}

// How far anything goes in the step relative to what it may meet, in outlooks: at most.
static double td_relative_way(const td_softs *softs, const td_soft *soft, double time) {
    const td_box box = soft->box;
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
            const td_line start = td_line_of(&o->start);
            const td_box around = td_obstacle_box(o, &start);
            fastest = td_boxes_may_meet(&box, &around, speed * time + margin) ? speed : fastest;
        }
    }
    for (size_t i = 0; i < softs->list.count; ++i) {
        const td_soft *other = softs->list.items[i];
        const double speed = td_length(td_sub(soft->velocity, other->velocity)) + soft->stray + other->stray;
        if (other != soft && speed > fastest) {
            fastest = td_boxes_may_meet(&box, &other->box, speed * time + margin) ? speed : fastest;
        }
    }
    return fastest * time / fmax(TD_EDGES_OF_LOOK * soft->form->edge, 2 * soft->thickness);
}

// As many as it takes for nothing to go farther in one than some edges are long.
static uint32_t td_count_looks(td_softs *softs, double time, uint32_t most) {
    td_run_tasks(softs->context, td_bound_soft, (uint32_t)softs->list.count, softs);
    double way = 0;
    for (size_t i = 0; i < softs->list.count; ++i) {
        const td_soft *soft = softs->list.items[i];
        way = soft->awake ? fmax(way, td_relative_way(softs, soft, time)) : way;
    }
    return way < 1 ? 1 : way < most ? (uint32_t)ceil(way) : most;
}

// What is pushed or held back is what contacts did not keep apart: then laps become shorter, and longer again
// when nothing is.
static uint32_t td_lap_by_trouble(const td_softs *softs, uint32_t substeps) {
    const uint32_t count = (uint32_t)(softs->lap_length * substeps + 0.5);
    return count < 2 ? 2 : count;
}

static void td_learn_from_lap(td_softs *softs, uint64_t trouble) {
    const double factor = trouble * TD_MOST_TROUBLE > softs->vertex_count ? 0.5 : 1.25;
    softs->lap_length = fmax(0.05, fmin(1, softs->lap_length * factor));
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
        if (!o->there) { // a soft body, as a wall that pinches are held by (pinch.c): points of it are as
                         // given
            o->before = td_vec3_make(0, 0, 0);
            o->turn[0] = o->turn[1] = o->turn_before = td_quat_matrix(td_quat_make(0, 0, 0, 1));
        }
    }
    softs->thinnest = INFINITY;
    for (size_t i = 0; i < softs->list.count; ++i) {
        softs->thinnest = fmin(softs->thinnest, softs->list.items[i]->thickness);
    }
    td_softs_wake_touched(softs);
    return TD_OK;
}

static void td_begin_lap(td_softs *softs, double begin, double end) {
    softs->lap_begin = begin;
    softs->lap_end = end;
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        softs->start.items[v] = softs->x.items[v];
    }
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        td_obstacle *o = &softs->obstacles[i];
        if (o->there) {
            o->lap[0] = o->at;
            o->turn[0] = o->turn[1] = td_quat_matrix(o->at.rotation);
            o->lap[1] = td_obstacle_ahead(softs, o, end);
        }
    }
}

// Those that nothing could push went on by themselves.
static void td_move_others(td_softs *softs, double time) {
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        td_obstacle *o = &softs->obstacles[i];
        if (o->there && !o->stirred) {
            o->at = td_obstacle_ahead(softs, o, softs->lap_end);
            o->shift = td_add(o->shift, td_scale(o->gained, time));
            o->twist = td_quat_normalise(td_quat_turn(o->twist, o->gained_spin, time));
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

// What comes near: of a new outlook everything, else what is going to leave its line.
static td_result td_look_ahead(td_softs *softs, double look_end) {
    td_softs_unmark(softs);
    if (softs->lap_begin >= softs->look_end) {
        td_softs_draw_lines(softs, softs->lap_begin, look_end);
        return td_softs_search(softs);
    }
    TD_TRY(td_softs_redraw_ahead(softs) ? td_softs_search_marked(softs) : TD_OK);
    td_softs_refresh_contacts(softs);
    return TD_OK;
}

// Up to `substeps` of the `all` that the step has, beginning at sub-step `first`; returns at which it ended.
static td_result td_run_lap(uint32_t *ended, td_softs *softs, uint32_t first, uint32_t substeps, uint32_t all,
                            double look_end) {
    const double started = td_clock_ms();
    softs->lap_substeps = substeps;
    td_begin_lap(softs, (double)first / all, (double)(first + substeps) / all);
    TD_TRY(td_look_ahead(softs, look_end));
    TD_TRY(td_softs_find_pinches(softs));
    softs->report.search_ms += td_clock_ms() - started;
    uint32_t done;
    TD_TRY(td_softs_run_substeps(&done, softs, substeps));
    *ended = first + done;
    softs->lap_end = (double)(first + done) / all;
    const double time = (softs->lap_end - softs->lap_begin) * softs->settings.time;
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
    TD_TRY(td_softs_room_for_lines(softs));
    td_softs_calm(softs, 0);
    const uint32_t most = settings->substeps * TD_SUBSTEPS_MORE;
    const uint32_t looks = td_count_looks(softs, settings->time, most);
    const uint32_t substeps = looks > settings->substeps ? looks : settings->substeps;
    const uint32_t by_speed = (substeps + looks - 1) / looks;
    softs->look_begin = softs->look_end = 0;
    uint32_t look = 0; // sub-step at which the outlook ends
    for (uint32_t done = 0; done < substeps; ++softs->report.laps) {
        const uint64_t trouble = softs->report.held + softs->report.pushed;
        look = done < look ? look : done + by_speed < substeps ? done + by_speed : substeps;
        const uint32_t rest = look - done, longest = td_lap_by_trouble(softs, substeps);
        TD_TRY(td_run_lap(&done, softs, done, rest < longest ? rest : longest, substeps,
                          (double)look / substeps));
        td_learn_from_lap(softs, softs->report.held + softs->report.pushed - trouble);
    }
    td_softs_find_rest(softs);
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
