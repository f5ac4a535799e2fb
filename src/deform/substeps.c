// The sub-steps of a lap: motion, elements, contacts, velocities, each side by side where it can be. Threads
// are woken once per lap (core/stages.h).
#include "../core/clock.h"
#include "../core/context.h"
#include "../core/stages.h"
#include "softs.h"

#include <math.h>

enum {
    TD_BLOCK_OF_HINGES = 512,
    TD_MOST_OFF = 16,    // one of so many vertices may be off its line
    TD_LARGE_BODY = 8192 // hinges: shared out colour by colour; others are done whole, by one thread each
};

typedef struct td_lap {
    td_softs *softs;
    double begin, end; // parts of the step
    uint32_t substeps;
    double h;    // s
    double part; // of the lap, at the end of the sub-step
    double elements_ms, contacts_ms;
    td_solve_colour_fn *solve_colour;
    const td_soft *soft; // whose colour is solved
    uint32_t first, last;
    uint32_t done; // sub-steps
} td_lap;

// ---------------------------------------------------------------------------------------------------------
// Obstacles

static td_quat td_between(td_quat a, td_quat b, double part) {
    const double same = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
    const double p = 1 - part, q = part * same;
    return td_quat_normalise(
        td_quat_make(a.x * p + b.x * q, a.y * p + b.y * q, a.z * p + b.z * q, a.w * p + b.w * q));
}

td_stand td_obstacle_stand(const td_obstacle *o, double part) {
    td_stand at = o->end;
    if (part < 1) {
        at.position = td_add(o->start.position, td_scale(td_sub(o->end.position, o->start.position), part));
        at.position = td_add(at.position, td_scale(o->bend, part * (part - 1)));
        at.rotation = td_between(o->start.rotation, o->end.rotation, part);
    }
    if (td_same_point(o->start.position, o->end.position) && o->start.rotation.x == o->end.rotation.x &&
        o->start.rotation.y == o->end.rotation.y && o->start.rotation.z == o->end.rotation.z &&
        o->start.rotation.w == o->end.rotation.w) {
        at = o->start; // to the bit
    }
    if (o->touched) {
        at.position = td_add(at.position, o->shift);
        at.rotation = td_quat_normalise(td_quat_mul(o->twist, at.rotation));
    }
    return at;
}

static void td_move_obstacles(const td_lap *lap) {
    td_softs *softs = lap->softs;
    const double part = lap->part >= 1 ? lap->end : lap->begin + lap->part * (lap->end - lap->begin);
    for (size_t i = 0; i < softs->stirred.count; ++i) {
        td_obstacle *o = &softs->obstacles[softs->stirred.items[i]];
        o->before = o->at.position;
        o->turn_before = o->turn[1];
        if (o->touched) { // keeps on moving as it has been pushed
            o->shift = td_add(o->shift, td_scale(o->gained, lap->h));
            o->twist = td_quat_normalise(td_quat_turn(o->twist, o->gained_spin, lap->h));
        }
        o->at = td_obstacle_stand(o, part);
        o->turn[1] = td_quat_matrix(o->at.rotation);
        o->inverse_inertia_now = td_sym3_rotate(o->inverse_inertia, o->turn[1]);
        o->moved = o->slowed = (td_nudge){0};
    }
}

// What contacts did becomes part of how it stands and moves.
static void td_absorb_pushes(const td_lap *lap) {
    td_softs *softs = lap->softs;
    for (size_t i = 0; i < softs->stirred.count; ++i) {
        td_obstacle *o = &softs->obstacles[softs->stirred.items[i]];
        if (td_dot(o->moved.way, o->moved.way) + td_dot(o->moved.turn, o->moved.turn) == 0) {
            continue;
        }
        o->touched = true;
        o->shift = td_add(o->shift, o->moved.way);
        o->twist = td_quat_normalise(td_quat_turn(o->twist, o->moved.turn, 1));
        o->gained = td_add(o->gained, td_scale(o->moved.way, 1 / lap->h));
        o->gained_spin = td_add(o->gained_spin, td_scale(o->moved.turn, 1 / lap->h));
        o->at.position = td_add(o->at.position, o->moved.way);
        o->at.rotation = td_quat_normalise(td_quat_turn(o->at.rotation, o->moved.turn, 1));
        o->turn[1] = td_quat_matrix(o->at.rotation);
    }
}

static void td_absorb_slowing(td_softs *softs) {
    for (size_t i = 0; i < softs->stirred.count; ++i) {
        td_obstacle *o = &softs->obstacles[softs->stirred.items[i]];
        o->gained = td_add(o->gained, o->slowed.way);
        o->gained_spin = td_add(o->gained_spin, o->slowed.turn);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Vertices

static void td_move_vertices(uint32_t block, void *user) {
    const td_lap *lap = user;
    td_softs *softs = lap->softs;
    const td_soft *soft = softs->list.items[softs->moving.items[softs->span_of.items[block]]];
    const td_vec3 pull = td_scale(softs->settings.gravity, soft->gravity_scale);
    const td_vec3 gain = td_scale(td_add(pull, td_scale(soft->force, 1 / soft->mass)), lap->h);
    const double kept = 1 / (1 + lap->h * soft->linear_damping); // as of rigid bodies
    for (uint32_t v = softs->spans.items[block].first; v < softs->spans.items[block].end; ++v) {
        softs->previous.items[v] = softs->x.items[v];
        if (softs->weight.items[v] > 0) {
            softs->v.items[v] = td_add(td_scale(softs->v.items[v], kept), gain);
            softs->x.items[v] = td_add(softs->x.items[v], td_scale(softs->v.items[v], lap->h));
        }
    }
}

// And how many are not on their lines by now.
static void td_find_velocities(uint32_t block, void *user) {
    const td_lap *lap = user;
    td_softs *softs = lap->softs;
    const td_soft *soft = softs->list.items[softs->moving.items[softs->span_of.items[block]]];
    const double rate = 1 / lap->h, most = TD_SOFT_OFF * TD_SOFT_REACH * soft->thickness;
    const double part = td_look_part(softs, lap->begin + lap->part * (lap->end - lap->begin));
    const td_path *paths = soft->side.paths.items;
    uint32_t off = 0;
    for (uint32_t v = softs->spans.items[block].first; v < softs->spans.items[block].end; ++v) {
        const td_vec3 x = softs->x.items[v];
        softs->v.items[v] = td_scale(td_sub(x, softs->previous.items[v]), rate);
        const td_vec3 d = td_sub(x, td_path_at(&paths[v - soft->first], part));
        off += td_dot(d, d) > most * most;
    }
    softs->spans.items[block].off = off;
}

// Contacts are those of the lines. Where too much goes elsewhere, it has to be looked for anew.
static bool td_has_strayed(const td_softs *softs) {
    uint64_t off = 0, count = 0;
    for (size_t i = 0; i < softs->spans.count; ++i) {
        off += softs->spans.items[i].off;
        count += softs->spans.items[i].end - softs->spans.items[i].first;
    }
    return off * TD_MOST_OFF > count;
}

// ---------------------------------------------------------------------------------------------------------
// Elements

// Of one colour.
static void td_solve_part(const td_lap *lap, const td_soft *soft, uint32_t first, uint32_t end) {
    td_softs *softs = lap->softs;
    lap->solve_colour(softs->x.items + soft->first, softs->weight.items + soft->first,
                      soft->form->hinges + first, end - first, lap->h);
}

// Those without a colour.
static void td_solve_others(const td_lap *lap, const td_soft *soft) {
    td_softs *softs = lap->softs;
    const uint32_t first = soft->form->colours[TD_FORM_COLOURS];
    td_solve_hinges(softs->x.items + soft->first, softs->weight.items + soft->first,
                    soft->form->hinges + first, soft->form->hinge_count - first, lap->h);
}

static void td_keep_volume(const td_lap *lap, const td_soft *soft) {
    td_softs *softs = lap->softs;
    if (soft->pressure > 0) {
        td_solve_volume(softs->x.items + soft->first, softs->weight.items + soft->first,
                        softs->gradient.items + soft->first, soft, lap->h);
    }
}

static void td_solve_whole_body(uint32_t block, void *user) {
    const td_lap *lap = user;
    const td_soft *soft = lap->softs->list.items[lap->softs->moving.items[block]];
    const td_form *form = soft->form;
    for (uint32_t c = 0; c < form->colour_count; ++c) {
        td_solve_part(lap, soft, form->colours[c], form->colours[c + 1]);
    }
    td_solve_others(lap, soft);
    td_keep_volume(lap, soft);
}

static void td_solve_small_body(uint32_t block, void *user) {
    const td_softs *softs = ((const td_lap *)user)->softs;
    if (softs->list.items[softs->moving.items[block]]->form->hinge_count < TD_LARGE_BODY) {
        td_solve_whole_body(block, user);
    }
}

static void td_solve_block(uint32_t block, void *user) {
    const td_lap *lap = user;
    const uint32_t first = lap->first + block * TD_BLOCK_OF_HINGES;
    const uint32_t end = lap->last - first < TD_BLOCK_OF_HINGES ? lap->last : first + TD_BLOCK_OF_HINGES;
    td_solve_part(lap, lap->soft, first, end);
}

static void td_solve_large_body(td_stages *stages, td_lap *lap, const td_soft *soft) {
    const td_form *form = soft->form;
    lap->soft = soft;
    for (uint32_t c = 0; c < form->colour_count; ++c) {
        lap->first = form->colours[c];
        lap->last = form->colours[c + 1];
        const uint32_t blocks = (lap->last - lap->first + TD_BLOCK_OF_HINGES - 1) / TD_BLOCK_OF_HINGES;
        td_stage(stages, td_solve_block, blocks, lap);
    }
    td_solve_others(lap, soft);
    td_keep_volume(lap, soft);
}

static void td_solve_elements(td_stages *stages, td_lap *lap) {
    const td_softs *softs = lap->softs;
    // With as many bodies as keep everyone busy, nobody shares one: its vertices stay in one cache.
    const bool many = softs->moving.count >= 4 * (size_t)softs->worker_count;
    td_stage(stages, many ? td_solve_whole_body : td_solve_small_body, (uint32_t)softs->moving.count, lap);
    for (size_t i = 0; !many && i < softs->moving.count; ++i) {
        const td_soft *soft = softs->list.items[softs->moving.items[i]];
        if (soft->form->hinge_count >= TD_LARGE_BODY) {
            td_solve_large_body(stages, lap, soft);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

static void td_conduct_substeps(td_stages *stages, void *user) {
    td_lap *lap = user;
    td_softs *softs = lap->softs;
    const uint32_t spans = (uint32_t)softs->spans.count;
    for (uint32_t s = 0; s < lap->substeps; ++s) {
        const double begin = td_clock_ms();
        lap->part = (double)(s + 1) / lap->substeps;
        td_stage(stages, td_move_vertices, spans, lap);
        td_move_obstacles(lap);
        td_softs_evaluate_grips(softs, lap->h);
        td_solve_elements(stages, lap);
        const double elements = td_clock_ms();
        lap->elements_ms += elements - begin;
        td_softs_take_turns(stages, softs, lap->part);
        td_absorb_pushes(lap);
        td_stage(stages, td_find_velocities, spans, lap);
        td_softs_slow_turns(stages, softs, lap->h);
        td_absorb_slowing(softs);
        lap->contacts_ms += td_clock_ms() - elements;
        lap->done = s + 1;
        if (lap->done > 1 && td_has_strayed(softs)) {
            break;
        }
    }
    td_softs_end_turns(stages, softs);
}

static td_result td_list_spans(td_softs *softs) {
    softs->spans.count = softs->span_of.count = softs->moving.count = 0;
    TD_TRY(td_array_reserve(softs->context, &softs->moving, softs->list.count));
    // So many that a stage can have them all.
    const uint32_t least = 1024, size = softs->vertex_count / (TD_STAGE_BLOCKS / 2) + least;
    for (uint32_t i = 0; i < softs->list.count; ++i) {
        const td_soft *soft = softs->list.items[i];
        if (!soft->awake) {
            continue;
        }
        const uint32_t end = soft->first + soft->form->vertex_count;
        TD_TRY(td_array_reserve(softs->context, &softs->spans, (end - soft->first) / size + 1));
        TD_TRY(td_array_reserve(softs->context, &softs->span_of, (end - soft->first) / size + 1));
        for (uint32_t v = soft->first; v < end; v += size) {
            softs->spans.items[softs->spans.count++] = (td_span){v, end - v < size ? end : v + size, 0};
            softs->span_of.items[softs->span_of.count++] = (uint32_t)softs->moving.count;
        }
        softs->moving.items[softs->moving.count++] = i;
    }
    return TD_OK;
}

td_result td_softs_run_substeps(uint32_t *done, td_softs *softs, uint32_t substeps) {
    const double begin = softs->lap_begin, end = softs->lap_end;
    TD_TRY(td_list_spans(softs));
    TD_TRY(td_softs_begin_turns(softs));
    const double h = softs->settings.time * (end - begin) / substeps;
    TD_TRY(td_softs_begin_grips(softs, h));
    td_lap lap = {.softs = softs,
                  .begin = begin,
                  .end = end,
                  .substeps = substeps,
                  .solve_colour = td_solve_colour_for(softs->context->isa),
                  .h = h};
    td_stages_run(softs->context, softs->worker_count, td_conduct_substeps, &lap);
    *done = lap.done;
    softs->report.elements_ms += lap.elements_ms;
    softs->report.contacts_ms += lap.contacts_ms;
    return td_softs_note_turns(softs);
}
