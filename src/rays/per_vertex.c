// The per-vertex step (paper 003, section 3.3): which rays are to be cast, and how. Each worker fills lists
// of its own with the rays of whole sides; in the order of sides they become the append buffers of the next
// step.
#include "per_vertex.h"

#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "start.h"

#include <stdatomic.h>
#include <string.h>

enum { TD_SIDES_OF_TASK = 4 };

typedef struct td_vertex_job {
    td_tracer *tracer;
    atomic_size_t next;
} td_vertex_job;

td_trace_ray td_ray_of_side(const td_side *side, uint32_t number) {
    const td_ray_shape *source = side->source;
    const bool sheet = side->source_around > 0;
    const uint32_t vertex = source->starts[sheet ? number / 2 : number];
    const double *p = source->corners + 3 * (size_t)vertex, *n = source->inward + 3 * (size_t)vertex;
    // A deformable solid's own length is asked for only where its ray hits (finish.c).
    const double own = sheet                 ? 2 * side->source_around
                       : source->own != NULL ? fmax(source->own[vertex], side->reach)
                                             : 2 * source->radius;
    return td_start_ray(side->rigid, td_vec3_make(p[0], p[1], p[2]), td_vec3_make(n[0], n[1], n[2]), own,
                        side->source_around, sheet ? number % 2 : 0, side->target_around);
}

static bool td_has_direction(const td_trace_ray *ray) {
    return ray->direction.x != 0 || ray->direction.y != 0 || ray->direction.z != 0;
}

// ---------------------------------------------------------------------------------------------------------
// One ray

typedef struct td_vertex_work {
    const td_tracer *tracer;
    td_ray_worker *worker;
    td_side *side;
    uint32_t index; // of the side
} td_vertex_work;

static td_result td_emit(td_vertex_work *work, td_traced_algorithm algorithm, const td_trace_ray *ray,
                         uint32_t number, uint32_t track, td_memory memory) {
    td_cast_list *list = &work->worker->lists[algorithm];
    TD_TRY(td_array_reserve(work->tracer->context, list, 1));
    td_cast *cast = &list->items[list->count++];
    *cast = (td_cast){.ray = *ray, .side = work->index, .number = number, .track = track, .memory = memory};
    ++work->side->count[algorithm];
    if (work->tracer->def.naive) {
        td_cast_now(work->tracer, work->worker, work->side, algorithm, cast);
    }
    return TD_OK;
}

// A full cast may fill it in.
static td_result td_add_track(td_vertex_work *work, uint32_t number, td_course course, uint32_t *track) {
    td_track_list *fresh = &work->side->fresh;
    TD_TRY(td_array_reserve(work->tracer->context, fresh, 1));
    *track = (uint32_t)fresh->count;
    fresh->items[fresh->count++] = (td_track){.course = course, .ray = number};
    return TD_OK;
}

// `track`: what the cast is to fill in.
static td_result td_emit_full(td_vertex_work *work, const td_trace_ray *ray, uint32_t number,
                              uint32_t track) {
    return td_emit(work, work->side->full, ray, number, track,
                   td_memory_make(TD_MEMORY_OPEN, TD_TRACE_NONE, 0));
}

// ---------------------------------------------------------------------------------------------------------
// One side

static td_result td_high_side(td_vertex_work *work) {
    const td_side *side = work->side;
    const bool tracked = side->tracked;
    const uint32_t count = td_rays_of(side->source, side->source_around);
    const td_rigid rigid = side->rigid;
    const td_vec3 lower = side->at.lower, upper = side->at.upper;
    const bool solid = side->source_around == 0;
    const td_course open = {.memory = {.triangle = TD_TRACE_NONE, .state = TD_MEMORY_OPEN}};
    for (uint32_t i = 0; i < count; ++i) {
        // Most vertices end here: the same start, and nothing else of the ray.
        const double *p = side->source->corners + 3 * (size_t)side->source->starts[solid ? i : 0];
        if (solid &&
            !td_within(td_rigid_apply(rigid, td_vec3_make(p[0], p[1], p[2])), lower, upper, side->margin)) {
            ++work->worker->dropped_bounds;
            continue;
        }
        const td_trace_ray ray = td_ray_of_side(side, i);
        const bool inside =
            td_within(ray.origin, side->at.lower, side->at.upper, 0) && td_has_direction(&ray);
        uint32_t track = TD_TRACE_NONE;
        // One that is not inside may come in before the next full step.
        if (tracked && (inside || td_within(ray.origin, side->at.lower, side->at.upper, side->margin))) {
            TD_TRY(td_add_track(work, i, open, &track));
        }
        if (inside) {
            TD_TRY(td_emit_full(work, &ray, i, track));
        } else {
            ++work->worker->dropped_bounds;
        }
    }
    return TD_OK;
}

static td_result td_small_side(td_vertex_work *work) {
    const td_side *side = work->side;
    const td_track_list *tracks = &side->memory->tracks;
    const uint32_t count = td_rays_of(side->source, side->source_around);
    work->worker->dropped_temporal += count - tracks->count;
    for (uint32_t i = 0; i < tracks->count; ++i) {
        const td_memory memory = tracks->items[i].course.memory;
        const uint32_t number = tracks->items[i].ray;
        if (memory.state == TD_MEMORY_FAR) {
            ++work->worker->dropped_temporal;
            continue;
        }
        const td_trace_ray ray = td_ray_of_side(side, number);
        if (memory.state == TD_MEMORY_WALK) {
            TD_TRY(td_emit(work, TD_TRACED_ITERATIVE, &ray, number, i, memory));
        } else if (td_within(ray.origin, side->at.lower, side->at.upper, 0)) {
            ++work->worker->open;
            TD_TRY(td_emit_full(work, &ray, number, TD_TRACE_NONE));
        } else {
            ++work->worker->dropped_bounds;
        }
    }
    return TD_OK;
}

// Displacement is measured ray by ray.
static td_result td_deformable_side(td_vertex_work *work) {
    td_side *side = work->side;
    const td_track_list *tracks = &side->memory->tracks;
    const uint32_t count = td_rays_of(side->source, side->source_around), now = (uint32_t)work->tracer->step;
    size_t old = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const td_trace_ray ray = td_ray_of_side(side, i);
        if (!td_within(ray.origin, side->at.lower, side->at.upper, 0) || !td_has_direction(&ray)) {
            ++work->worker->dropped_bounds;
            continue;
        }
        if (!side->tracked) {
            TD_TRY(td_emit_full(work, &ray, i, TD_TRACE_NONE));
            continue;
        }
        while (old < tracks->count && tracks->items[old].ray < i) {
            ++old;
        }
        const bool known = old < tracks->count && tracks->items[old].ray == i;
        const double travel = side->target->travel;
        const td_course course =
            known ? td_course_follow(tracks->items[old].course, ray, travel, side->margin, now)
                  : td_course_make(TD_MEMORY_NOTED, ray, travel, now);
        uint32_t kept;
        TD_TRY(td_add_track(work, i, course, &kept));
        if (course.made == now) {
            TD_TRY(td_emit_full(work, &ray, i, td_course_asks(course, now) ? kept : TD_TRACE_NONE));
        } else if (course.memory.state == TD_MEMORY_WALK) {
            TD_TRY(td_emit(work, TD_TRACED_ITERATIVE, &ray, i, kept, course.memory));
        } else if (course.memory.state == TD_MEMORY_FAR) {
            ++work->worker->dropped_temporal;
        } else {
            ++work->worker->open;
            TD_TRY(td_emit_full(work, &ray, i, TD_TRACE_NONE));
        }
    }
    return TD_OK;
}

static td_result td_work_on_side(td_vertex_work *work) {
    td_side *side = work->side;
    for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
        side->from[k] = work->worker->lists[k].count;
    }
    if (side->class != TD_SIDE_STILL) {
        work->worker->vertices += td_rays_of(side->source, side->source_around);
    }
    switch (side->class) {
    case TD_SIDE_STILL:
        return TD_OK;
    case TD_SIDE_SMALL:
        return td_small_side(work);
    case TD_SIDE_HIGH:
        return td_high_side(work);
    case TD_SIDE_DEFORMABLE:
        return td_deformable_side(work);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// All sides

static void td_vertex_task(uint32_t item, void *payload) {
    td_vertex_job *job = payload;
    td_tracer *tracer = job->tracer;
    td_vertex_work work = {.tracer = tracer, .worker = &tracer->workers[item]};
    while (work.worker->result == TD_OK) {
        const size_t first = atomic_fetch_add(&job->next, TD_SIDES_OF_TASK);
        for (size_t i = first; i < first + TD_SIDES_OF_TASK; ++i) {
            if (i >= tracer->sides.count || work.worker->result != TD_OK) {
                return;
            }
            work.side = &tracer->sides.items[i];
            work.side->worker = item;
            work.index = (uint32_t)i;
            work.worker->result = td_work_on_side(&work);
        }
    }
}

static td_result td_sum_workers(td_tracer *tracer) {
    td_traced_report *report = &tracer->report;
    td_result result = TD_OK;
    for (uint32_t i = 0; i < tracer->worker_count; ++i) {
        const td_ray_worker *worker = &tracer->workers[i];
        report->vertices += worker->vertices;
        report->dropped_bounds += worker->dropped_bounds;
        report->dropped_temporal += worker->dropped_temporal;
        report->open += worker->open;
        for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
            report->rays[k] += worker->lists[k].count;
        }
        result = worker->result != TD_OK ? worker->result : result;
    }
    return result == TD_OK ? TD_OK : td_fail(result, "out of memory while rays were set out");
}

static void td_gather_list(td_tracer *tracer, td_traced_algorithm algorithm, size_t room) {
    td_cast_list *list = &tracer->lists[algorithm];
    list->count = 0;
    for (size_t i = 0; i < tracer->sides.count; ++i) {
        td_side *side = &tracer->sides.items[i];
        const size_t left = room - list->count, wanted = side->count[algorithm];
        const size_t taken = wanted < left ? wanted : left;
        side->first[algorithm] = list->count;
        tracer->report.missed += wanted - taken;
        if (taken < wanted) {
            side->missed = true;
        }
        side->count[algorithm] = taken;
        if (taken > 0) {
            const td_cast *from =
                tracer->workers[side->worker].lists[algorithm].items + side->from[algorithm];
            memcpy(list->items + list->count, from, taken * sizeof *from);
            list->count += taken;
        }
    }
}

// The append buffers: as large as predicted; too small, they are made again, or the rest is missed.
static td_result td_gather_lists(td_tracer *tracer) {
    bool again = false;
    for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
        const uint64_t rays = tracer->report.rays[k];
        const uint64_t predicted = td_predict_count(tracer, (td_traced_algorithm)k, tracer->sides.count / 2);
        const bool exact =
            tracer->def.prediction == TD_PREDICT_EXACT || !tracer->has_last || tracer->def.naive;
        tracer->report.predicted[k] = exact ? 0 : predicted;
        size_t room = exact ? rays : predicted;
        if (room < rays && tracer->def.shortfall == TD_SHORTFALL_BACKTRACK) {
            again = true;
            room = rays;
        }
        tracer->lists[k].count = 0;
        TD_TRY(td_array_reserve(tracer->context, &tracer->lists[k], room < rays ? room : rays));
        td_gather_list(tracer, (td_traced_algorithm)k, room);
    }
    tracer->report.retries = again;
    return TD_OK;
}

td_result td_run_vertex_step(td_tracer *tracer) {
    const double start = td_clock_ms();
    td_vertex_job job = {.tracer = tracer};
    for (uint32_t i = 0; i < tracer->worker_count; ++i) {
        td_ray_worker *worker = &tracer->workers[i];
        for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
            worker->lists[k].count = 0;
        }
        worker->vertices = worker->dropped_bounds = worker->dropped_temporal = worker->open =
            worker->fallbacks = 0;
        worker->result = TD_OK;
    }
    if (tracer->sides.count > 0) {
        td_run_tasks(tracer->context, td_vertex_task, tracer->worker_count, &job);
    }
    TD_TRY(td_sum_workers(tracer));
    TD_TRY(td_gather_lists(tracer));
    tracer->report.vertex_ms = td_clock_ms() - start;
    return TD_OK;
}
