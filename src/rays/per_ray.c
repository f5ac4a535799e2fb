// The per-ray step (paper 003, section 3.4): every list by its own algorithm.
#include "per_vertex.h"

#include "../core/clock.h"
#include "../core/context.h"
#include "../core/tasks.h"
#include "../traverse/ray.h"
#include "tubes.h"

#include <stdatomic.h>

enum { TD_CASTS_OF_TASK = 256, TD_MOST_INQUIRIES = 64 };

typedef struct td_ray_job {
    td_tracer *tracer;
    td_cast_list *list;
    td_ray_run_fn *run;
    atomic_size_t next;
} td_ray_job;

// ---------------------------------------------------------------------------------------------------------
// Full casts

static td_ray td_public_ray(const td_trace_ray *ray) {
    return (td_ray){{ray->origin.x, ray->origin.y, ray->origin.z},
                    {ray->direction.x, ray->direction.y, ray->direction.z},
                    ray->t_min,
                    ray->t_max};
}

static td_trace_hit td_hit_of(const td_ray_hit *hit) {
    return (td_trace_hit){.t = hit->t,
                          .triangle = hit->hit ? hit->triangle : TD_TRACE_NONE,
                          .state = hit->hit ? TD_TRACE_HIT : TD_TRACE_NOTHING,
                          .side = hit->side};
}

// Rays at one target, through its blocked hierarchy, several at a time. They are good: of finite starts, and
// with a direction.
static void td_cast_through(td_ray_run_fn *run, const td_side *side, td_cast *casts, size_t count) {
    td_ray rays[TD_CASTS_OF_TASK];
    td_ray_hit hits[TD_CASTS_OF_TASK];
    const td_ray_batch batch = {.mesh = &side->target_mesh->triangles,
                                .hierarchy = &side->target_mesh->hierarchy,
                                .grain = td_ray_grain(&side->target_mesh->hierarchy),
                                .mode = TD_RAY_CLOSEST,
                                .rays = rays,
                                .out = hits};
    for (size_t i = 0; i < count; ++i) {
        rays[i] = td_public_ray(&casts[i].ray);
    }
    run(&batch, 0, count);
    for (size_t i = 0; i < count; ++i) {
        casts[i].hit = td_hit_of(&hits[i]);
    }
}

td_trace_hit td_cast_alone(const td_side *side, const td_trace_ray *ray) {
    td_cast cast = {.ray = *ray};
    td_cast_through(td_ray_run_for(side->source->context->isa), side, &cast, 1);
    return cast.hit;
}

// What a full cast proves about the steps to come.
static void td_remember_cast(td_side *side, const td_cast *cast) {
    if (cast->track != TD_TRACE_NONE) {
        side->fresh.items[cast->track].course.memory =
            td_remember(side->at, cast->ray, cast->hit, side->margin, side->walkable);
    }
}

// Casts with tracks, and what is still asked about them.
typedef struct td_inquiries {
    uint32_t count;
    const td_cast *casts[TD_MOST_INQUIRIES];
    td_inquiry items[TD_MOST_INQUIRIES];
} td_inquiries;

// Rounds of tubes, each of all that ask for one.
static void td_answer_inquiries(td_find_tubes_fn *find, td_side *side, td_inquiries *all) {
    for (;;) {
        const td_tube_question *questions[TD_MOST_INQUIRIES];
        td_tube tubes[TD_MOST_INQUIRIES];
        uint32_t asking[TD_MOST_INQUIRIES], count = 0;
        for (uint32_t i = 0; i < all->count; ++i) {
            if (all->items[i].about != TD_ASK_NOTHING) {
                questions[count] = &all->items[i].question;
                asking[count++] = i;
            }
        }
        if (count == 0) {
            break;
        }
        find(tubes, &side->at, questions, count);
        for (uint32_t i = 0; i < count; ++i) {
            const td_cast *cast = all->casts[asking[i]];
            td_inquiry_take(&all->items[asking[i]], tubes[i], cast->ray, cast->hit, side->margin);
        }
    }
    for (uint32_t i = 0; i < all->count; ++i) {
        side->fresh.items[all->casts[i]->track].course.memory = all->items[i].memory;
    }
    all->count = 0;
}

// The same of many casts of one side, several at a time.
static void td_remember_casts(const td_context *context, td_side *side, const td_cast *casts, size_t count) {
    td_find_tubes_fn *find = td_find_tubes_for(context->isa);
    td_inquiries all;
    all.count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (casts[i].track == TD_TRACE_NONE) {
            continue;
        }
        all.casts[all.count] = &casts[i];
        all.items[all.count++] =
            td_inquiry_make(side->at, casts[i].ray, casts[i].hit, side->margin, side->walkable);
        if (all.count == TD_MOST_INQUIRIES) {
            td_answer_inquiries(find, side, &all);
        }
    }
    td_answer_inquiries(find, side, &all);
}

// ---------------------------------------------------------------------------------------------------------
// Iterative

static td_track *td_track_of(td_side *side, uint32_t track) {
    return side->class == TD_SIDE_SMALL ? &side->memory->tracks.items[track] : &side->fresh.items[track];
}

// True: the walk came to an end, and its triangle is where the next one begins. Otherwise the ray is cast in
// full, and its memory stays: it is as true as before.
static bool td_cast_iteratively(td_side *side, td_cast *cast) {
    cast->hit = td_walk(side->at, cast->ray, cast->memory, side->margin);
    if (cast->hit.state == TD_TRACE_LOST) {
        return false;
    }
    td_track_of(side, cast->track)->course.memory.triangle = cast->hit.triangle;
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// The naive way

void td_cast_now(const td_tracer *tracer, td_ray_worker *worker, td_side *side, td_traced_algorithm algorithm,
                 td_cast *cast) {
    if (algorithm == TD_TRACED_ITERATIVE) {
        if (td_cast_iteratively(side, cast)) {
            return;
        }
        ++worker->fallbacks;
        cast->track = TD_TRACE_NONE;
        algorithm = side->full;
    }
    if (algorithm == TD_TRACED_BASIC || tracer->def.brute) {
        cast->hit = td_cast_basic(side->at, cast->ray);
    } else {
        td_cast_through(td_ray_run_for(tracer->context->isa), side, cast, 1);
    }
    td_remember_cast(side, cast);
}

// ---------------------------------------------------------------------------------------------------------
// Lists

static void td_cast_bvh_chunk(const td_ray_job *job, td_cast *casts, size_t count) {
    for (size_t begin = 0, end; begin < count; begin = end) {
        td_side *side = &job->tracer->sides.items[casts[begin].side];
        for (end = begin + 1; end < count && casts[end].side == casts[begin].side;) {
            ++end;
        }
        td_cast_through(job->run, side, casts + begin, end - begin);
        td_remember_casts(job->tracer->context, side, casts + begin, end - begin);
    }
}

static void td_cast_basic_chunk(const td_ray_job *job, td_cast *casts, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        td_side *side = &job->tracer->sides.items[casts[i].side];
        casts[i].hit = td_cast_basic(side->at, casts[i].ray);
        if (!job->tracer->def.brute) {
            td_remember_cast(side, &casts[i]);
        }
    }
}

static uint64_t td_cast_iterative_chunk(const td_ray_job *job, td_cast *casts, size_t count) {
    uint64_t fallbacks = 0;
    for (size_t i = 0; i < count; ++i) {
        td_side *side = &job->tracer->sides.items[casts[i].side];
        if (td_cast_iteratively(side, &casts[i])) {
            continue;
        }
        ++fallbacks;
        if (side->full == TD_TRACED_BASIC) {
            casts[i].hit = td_cast_basic(side->at, casts[i].ray);
        } else {
            td_cast_through(job->run, side, &casts[i], 1);
        }
    }
    return fallbacks;
}

static void td_ray_task(uint32_t item, void *payload) {
    td_ray_job *job = payload;
    td_ray_worker *worker = &job->tracer->workers[item];
    const td_cast_list *list = job->list;
    for (;;) {
        const size_t first = atomic_fetch_add(&job->next, TD_CASTS_OF_TASK);
        if (first >= list->count) {
            return;
        }
        const size_t left = list->count - first, count = left < TD_CASTS_OF_TASK ? left : TD_CASTS_OF_TASK;
        td_cast *casts = list->items + first;
        if (list == &job->tracer->lists[TD_TRACED_ITERATIVE]) {
            worker->fallbacks += td_cast_iterative_chunk(job, casts, count);
        } else if (list == &job->tracer->lists[TD_TRACED_BASIC] || job->tracer->def.brute) {
            td_cast_basic_chunk(job, casts, count);
        } else {
            td_cast_bvh_chunk(job, casts, count);
        }
    }
}

void td_run_ray_step(td_tracer *tracer) {
    for (int k = TD_TRACED_ALGORITHMS; k-- > 0;) {
        const double start = td_clock_ms();
        td_ray_job job = {
            .tracer = tracer, .list = &tracer->lists[k], .run = td_ray_run_for(tracer->context->isa)};
        const size_t tasks = (job.list->count + TD_CASTS_OF_TASK - 1) / TD_CASTS_OF_TASK;
        if (tasks > 0) {
            td_run_tasks(tracer->context, td_ray_task,
                         tasks < tracer->worker_count ? (uint32_t)tasks : tracer->worker_count, &job);
        }
        tracer->report.ray_ms[k] = td_clock_ms() - start;
    }
}
