// Lines: where everything is expected to go between the beginning and the end of an outlook. What leaves its
// line gets another one, defined over the whole outlook like all others, though it matters from the lap on:
// so boxes over lines that stay need not be made again.
#include "../core/tasks.h"
#include "softs.h"

#include <math.h>
#include <string.h>

// What is farther off at the end of a lap than this is found by the search no longer as far away as it acts
// on others: as TD_SOFT_OFF, for what has not happened yet.
static const double td_off_ahead = 0.3;

static const td_box td_empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

typedef struct td_drawing {
    td_softs *softs;
    atomic_ullong redrawn;
} td_drawing;

// ---------------------------------------------------------------------------------------------------------
// Soft bodies

// By the end of a time. Half of what gravity does is off by half of it for who rests and for who falls.
static td_vec3 td_expect_vertex(const td_softs *softs, const td_soft *soft, uint32_t v, double time) {
    const td_vec3 fall = td_scale(softs->settings.gravity, 0.25 * soft->gravity_scale * time * time);
    const td_vec3 way = td_add(td_scale(softs->v.items[v], time), fall);
    return softs->weight.items[v] > 0 ? td_add(softs->start.items[v], way) : softs->start.items[v];
}

static void td_draw_soft(uint32_t number, void *payload) {
    td_softs *softs = ((td_drawing *)payload)->softs;
    td_soft *soft = softs->list.items[number];
    const double time = (softs->look_end - softs->look_begin) * softs->settings.time;
    soft->side.bounds = td_empty_box;
    for (uint32_t i = 0; i < soft->form->vertex_count; ++i) {
        const td_path path = {
            {softs->start.items[soft->first + i], td_expect_vertex(softs, soft, soft->first + i, time)}};
        soft->side.paths.items[i] = path;
        td_box_add(&soft->side.bounds, path.at[0]);
        td_box_add(&soft->side.bounds, path.at[1]);
    }
}

// A line through two points, at parts of the step.
static td_path td_path_through(const td_softs *softs, td_vec3 a, double at_a, td_vec3 b, double at_b) {
    const td_vec3 rate = td_scale(td_sub(b, a), 1 / (at_b - at_a));
    return (td_path){{td_add(a, td_scale(rate, softs->look_begin - at_a)),
                      td_add(b, td_scale(rate, softs->look_end - at_b))}};
}

static void td_give_path(td_softs *softs, td_soft *soft, uint32_t v, td_path path) {
    soft->side.paths.items[v - soft->first] = path;
    td_box_add(&soft->side.bounds, path.at[0]);
    td_box_add(&soft->side.bounds, path.at[1]);
    softs->marks.items[v] |= TD_MARK_LINE;
    soft->marked = true;
}

static bool td_is_off(const td_soft *soft, uint32_t v, td_vec3 x, double part, double most) {
    const td_vec3 d = td_sub(x, td_path_at(&soft->side.paths.items[v - soft->first], part));
    return !(td_dot(d, d) < most * most);
}

static void td_redraw_soft_ahead(uint32_t number, void *payload) {
    td_drawing *job = payload;
    td_softs *softs = job->softs;
    td_soft *soft = softs->list.items[number];
    if (!soft->awake) {
        return;
    }
    const double step = softs->settings.time, part = td_look_part(softs, softs->lap_end);
    const double lap = (softs->lap_end - softs->lap_begin) * step,
                 rest = (softs->look_end - softs->lap_begin) * step;
    uint32_t redrawn = 0;
    for (uint32_t v = soft->first; v < soft->first + soft->form->vertex_count; ++v) {
        const td_vec3 to = td_expect_vertex(softs, soft, v, lap);
        if (td_is_off(soft, v, to, part, td_off_ahead * TD_SOFT_REACH * soft->thickness)) {
            td_give_path(softs, soft, v,
                         td_path_through(softs, softs->start.items[v], softs->lap_begin,
                                         td_expect_vertex(softs, soft, v, rest), softs->look_end));
            ++redrawn;
        }
    }
    atomic_fetch_add(&job->redrawn, redrawn);
}

static void td_redraw_soft_behind(uint32_t number, void *payload) {
    td_drawing *job = payload;
    td_softs *softs = job->softs;
    td_soft *soft = softs->list.items[number];
    if (!soft->awake) {
        return;
    }
    const double part = td_look_part(softs, softs->lap_end);
    uint32_t redrawn = 0;
    for (uint32_t v = soft->first; v < soft->first + soft->form->vertex_count; ++v) {
        if (td_is_off(soft, v, softs->x.items[v], part, TD_SOFT_OFF * TD_SOFT_REACH * soft->thickness)) {
            td_give_path(softs, soft, v,
                         td_path_through(softs, softs->start.items[v], softs->lap_begin, softs->x.items[v],
                                         softs->lap_end));
            ++redrawn;
        }
    }
    atomic_fetch_add(&job->redrawn, redrawn);
}

// ---------------------------------------------------------------------------------------------------------
// Obstacles

static td_line td_line_between(const td_line *a, const td_line *b, double part) {
    const td_path p = {{a->position, b->position}}, row0 = {{a->turn.row0, b->turn.row0}},
                  row1 = {{a->turn.row1, b->turn.row1}}, row2 = {{a->turn.row2, b->turn.row2}};
    return (td_line){td_path_at(&p, part),
                     {td_path_at(&row0, part), td_path_at(&row1, part), td_path_at(&row2, part)}};
}

// How far any point of it is from where it would be on its line, at most.
static double td_measure_off(const td_softs *softs, const td_obstacle *o, const td_line *is, double at) {
    const td_line line = td_line_between(&o->line[0], &o->line[1], td_look_part(softs, at));
    const td_vec3 d[3] = {td_sub(is->turn.row0, line.turn.row0), td_sub(is->turn.row1, line.turn.row1),
                          td_sub(is->turn.row2, line.turn.row2)};
    const double turned = sqrt(td_dot(d[0], d[0]) + td_dot(d[1], d[1]) + td_dot(d[2], d[2]));
    return td_length(td_sub(is->position, line.position)) + o->radius * turned;
}

static void td_give_line(td_softs *softs, td_obstacle *o, const td_line *a, double at_a, const td_line *b,
                         double at_b) {
    const double per = 1 / (at_b - at_a);
    o->line[0] = td_line_between(a, b, (softs->look_begin - at_a) * per);
    o->line[1] = td_line_between(a, b, (softs->look_end - at_a) * per);
    o->marked = true;
}

td_stand td_obstacle_ahead(const td_softs *softs, const td_obstacle *o, double at) {
    td_obstacle ahead = *o;
    const double time = (at - softs->lap_begin) * softs->settings.time;
    if (o->touched) { // keeps on moving as it has been pushed
        ahead.shift = td_add(o->shift, td_scale(o->gained, time));
        ahead.twist = td_quat_normalise(td_quat_turn(o->twist, o->gained_spin, time));
    }
    return td_obstacle_stand(&ahead, at);
}

static bool td_redraw_obstacle(td_softs *softs, td_obstacle *o, bool behind) {
    const td_line begin = {o->lap[0].position, o->turn[0]};
    const td_line end = behind ? (td_line){o->at.position, o->turn[1]} : td_line_of(&o->lap[1]);
    const double most = (behind ? TD_SOFT_OFF : td_off_ahead) * TD_SOFT_REACH * softs->thinnest;
    if (td_measure_off(softs, o, &end, softs->lap_end) < most) {
        return false;
    }
    td_give_line(softs, o, &begin, softs->lap_begin, &end, softs->lap_end);
    return true;
}

// ---------------------------------------------------------------------------------------------------------

void td_softs_draw_lines(td_softs *softs, double begin, double end) {
    softs->look_begin = begin;
    softs->look_end = end;
    ++softs->look_number;
    td_drawing job = {.softs = softs};
    td_run_tasks(softs->context, td_draw_soft, (uint32_t)softs->list.count, &job);
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        td_obstacle *o = &softs->obstacles[i];
        if (o->there) {
            const td_stand to = td_obstacle_ahead(softs, o, end);
            o->line[0] = td_line_of(&o->at);
            o->line[1] = td_line_of(&to);
        }
    }
}

static bool td_redraw_all(td_softs *softs, td_task_fn *redraw, bool behind) {
    td_drawing job = {.softs = softs};
    atomic_init(&job.redrawn, 0);
    td_run_tasks(softs->context, redraw, (uint32_t)softs->list.count, &job);
    bool any = atomic_load(&job.redrawn) > 0;
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        td_obstacle *o = &softs->obstacles[i];
        any = (o->there && td_redraw_obstacle(softs, o, behind)) || any;
    }
    softs->report.redrawn += atomic_load(&job.redrawn);
    return any;
}

bool td_softs_redraw_ahead(td_softs *softs) {
    return td_redraw_all(softs, td_redraw_soft_ahead, false);
}

bool td_softs_redraw_behind(td_softs *softs) {
    return td_redraw_all(softs, td_redraw_soft_behind, true);
}

void td_softs_unmark(td_softs *softs) {
    memset(softs->marks.items, 0, softs->vertex_count);
    for (size_t i = 0; i < softs->list.count; ++i) {
        softs->list.items[i]->marked = false;
    }
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        softs->obstacles[i].marked = softs->obstacles[i].moved_back = false;
    }
}
