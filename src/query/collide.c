// The intersecting triangles of two meshes, or of one: one pose over all threads, or many poses side by side.
#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "inside.h"
#include "mesh.h"
#include "pose.h"
#include "query.h"
#include "sort.h"

#include <assert.h>
#include <float.h>
#include <stdatomic.h>

enum {
    TD_SPLIT_TRIANGLES = 8192, // below this many triangles one query is not worth sharing out
    TD_STARTS_PER_WORKER = 32,
    TD_CHUNKS_PER_WORKER = 8,
    TD_MOST_PER_CHUNK = 64,
    // Between two calls of the progress function:
    TD_POSES_PER_ROUND = 64, // ... and worker
    TD_STARTS_PER_ROUND = 4
};

typedef struct td_collision {
    td_query *query;
    const td_mesh *a, *b;
    const td_pose *poses;
    const td_collide_def *def;
    const td_strategy *strategy;
    td_collide_result *out;
    bool self;
    // One question shared out over the workers:
    td_frame frame;
    td_traversal traversal;
    const td_strategy *chosen;
    // The current round:
    atomic_size_t next;
    size_t end;
    size_t chunk; // poses or starts that a worker draws at once
} td_collision;

static td_traversal td_make_traversal(const td_collision *collision, const td_frame *frame) {
    return (td_traversal){
        .context = collision->query->context,
        .mesh_a = &collision->a->triangles,
        .mesh_b = &collision->b->triangles,
        .a = &collision->a->hierarchy,
        .b = &collision->b->hierarchy,
        .frame = frame,
        .mode = collision->def->mode,
        .self = collision->self,
        .keep_degenerate = collision->def->keep_degenerate,
    };
}

static td_frame td_make_frame(const td_collision *collision, const td_pose *pose) {
    if (collision->self) {
        return td_frame_self(&collision->a->triangles, &collision->a->hierarchy);
    }
    const td_rigid rigid = td_pose_rigid(pose);
    return td_frame_make(&collision->a->triangles, &collision->a->hierarchy, &collision->b->triangles,
                         &collision->b->hierarchy, &rigid);
}

static void td_worker_begin(td_worker *worker) {
    worker->undecided.count = 0;
    worker->count = 0;
    worker->counters = (td_counters){0};
    worker->result = TD_OK;
}

static uint64_t td_scratch_bytes(const td_query *query) {
    uint64_t pairs = query->starts.capacity;
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        const td_worker *w = &query->workers[i];
        pairs += w->pairs.capacity + w->undecided.capacity + w->stack.capacity + w->leaves.capacity +
                 w->tiles.capacity + w->spare.capacity;
    }
    return pairs * sizeof(td_pair) + query->places.capacity * sizeof(td_place);
}

static td_result td_sort_answer(const td_collision *collision, td_worker *worker, size_t first) {
    const size_t count = worker->pairs.count - first;
    if (count < 2) {
        return TD_OK;
    }
    worker->spare.count = 0;
    TD_TRY(td_array_reserve(collision->query->context, &worker->spare, count));
    td_sort_pairs(worker->pairs.items + first, worker->spare.items, count,
                  collision->a->triangles.triangle_count, collision->b->triangles.triangle_count);
    return TD_OK;
}

static void td_fill_result(td_collide_result *out, const td_collision *collision, const td_frame *frame,
                           uint64_t count, td_counters counters) {
    *out = (td_collide_result){.pair_count = count, .colliding = count > 0, .counters = counters};
    if (count == 0 && !collision->self) {
        out->inside = td_find_inside(&collision->a->triangles, &collision->a->hierarchy,
                                     &collision->b->triangles, &collision->b->hierarchy, frame);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Many poses: each is answered by one worker.

// `start` is the time it begins; returns the time it ends, which is when the next one begins.
static double td_answer_pose(const td_collision *collision, uint32_t index, size_t pose, double start) {
    td_worker *worker = &collision->query->workers[index];
    const td_frame frame =
        td_make_frame(collision, collision->poses == NULL ? NULL : &collision->poses[pose]);
    const td_traversal traversal = td_make_traversal(collision, &frame);
    const td_strategy *strategy = frame.usable ? collision->strategy : &td_strategy_brute;
    const size_t first = worker->pairs.count;
    td_worker_begin(worker);
    if (!frame.apart) {
        const td_pair root = strategy == &td_strategy_brute
                                 ? (td_pair){0, collision->a->triangles.triangle_count}
                                 : (td_pair){0, 0};
        strategy->run(worker, &traversal, &root, 1);
    }
    if (worker->result == TD_OK) {
        worker->result = td_sort_answer(collision, worker, first);
    }
    td_collide_result *out = &collision->out[pose];
    td_fill_result(out, collision, &frame, worker->count, worker->counters);
    collision->query->places.items[pose] = (td_place){index, first};
    const double end = td_clock_ms();
    out->ms = end - start;
    return end;
}

// Draws the next chunk of the round; false if nothing is left.
static bool td_draw_chunk(td_collision *collision, size_t *first, size_t *end) {
    *first = atomic_fetch_add_explicit(&collision->next, collision->chunk, memory_order_relaxed);
    *end = collision->end - *first < collision->chunk ? collision->end : *first + collision->chunk;
    return *first < collision->end;
}

static void td_batch_task(uint32_t item, void *payload) {
    td_collision *collision = payload;
    const td_worker *worker = &collision->query->workers[item];
    size_t pose, end;
    double clock = td_clock_ms();
    while (worker->result == TD_OK && td_draw_chunk(collision, &pose, &end)) {
        for (; pose < end && worker->result == TD_OK; ++pose) {
            clock = td_answer_pose(collision, item, pose, clock);
        }
    }
}

static td_result td_report_progress(const td_collide_def *def, uint64_t done, uint64_t total) {
    if (def->progress != NULL && !def->progress(done, total, def->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "the query was cancelled after %llu of %llu parts",
                       (unsigned long long)done, (unsigned long long)total);
    }
    return TD_OK;
}

static td_result td_workers_result(const td_query *query) {
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        if (query->workers[i].result != TD_OK) {
            // The sentence stayed with the thread that failed: say it again on this one.
            return td_fail(query->workers[i].result, "out of memory while collecting triangle pairs");
        }
    }
    return TD_OK;
}

// Runs `task` on as many workers as there are, over the items [0, total), in rounds of so many per worker.
static td_result td_run_rounds(td_collision *collision, td_task_fn *task, size_t total, size_t per_worker) {
    td_query *query = collision->query;
    assert(query->worker_count > 0);
    const size_t round = collision->def->progress == NULL ? total : per_worker * query->worker_count;
    for (size_t done = 0; done < total; done = collision->end) {
        TD_TRY(td_report_progress(collision->def, done, total));
        collision->end = total - done < round ? total : done + round;
        atomic_store(&collision->next, done);
        const size_t items = collision->end - done;
        // Small enough to spread evenly, large enough that neighbours in memory are mostly written by one
        // worker.
        const size_t share = items / ((size_t)TD_CHUNKS_PER_WORKER * query->worker_count);
        collision->chunk = share < 1 ? 1 : share > TD_MOST_PER_CHUNK ? TD_MOST_PER_CHUNK : share;
        td_run_tasks(query->context, task,
                     items < query->worker_count ? (uint32_t)items : query->worker_count, collision);
        TD_TRY(td_workers_result(query));
    }
    return td_report_progress(collision->def, total, total);
}

static void td_give_out_pairs(const td_collision *collision, size_t count) {
    const td_query *query = collision->query;
    const uint64_t bytes = td_scratch_bytes(query);
    for (size_t i = 0; i < count; ++i) {
        const td_place place = query->places.items[i];
        collision->out[i].counters.bytes = bytes;
        if (collision->def->mode != TD_MODE_COUNT && collision->out[i].pair_count > 0) {
            collision->out[i].pairs = query->workers[place.worker].pairs.items + place.first;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// One question, shared out over the workers by its starts.

static void td_share_task(uint32_t item, void *payload) {
    td_collision *collision = payload;
    td_worker *worker = &collision->query->workers[item];
    size_t first, end;
    while (worker->result == TD_OK && td_draw_chunk(collision, &first, &end)) {
        collision->chosen->run(worker, &collision->traversal, &collision->query->starts.items[first],
                               end - first);
    }
}

// Brings together what the workers found, in worker 0.
static td_result td_gather(const td_collision *collision, uint64_t *count, td_counters *counters,
                           size_t first) {
    td_query *query = collision->query;
    td_worker *all = &query->workers[0];
    *count = 0;
    *counters = (td_counters){0};
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_worker *worker = &query->workers[i];
        *count += worker->count;
        counters->box_tests += worker->counters.box_tests;
        counters->triangle_tests += worker->counters.triangle_tests;
        counters->exact_tests += worker->counters.exact_tests;
        if (i > 0 && worker->pairs.count > 0) {
            TD_TRY(td_array_reserve(query->context, &all->pairs, worker->pairs.count));
            for (size_t k = 0; k < worker->pairs.count; ++k) {
                all->pairs.items[all->pairs.count++] = worker->pairs.items[k];
            }
            worker->pairs.count = 0;
        }
    }
    return td_sort_answer(collision, all, first);
}

static td_result td_answer_shared(td_collision *collision, size_t pose) {
    td_query *query = collision->query;
    const double begin = td_clock_ms();
    const td_frame *frame = &collision->frame;
    collision->frame = td_make_frame(collision, collision->poses == NULL ? NULL : &collision->poses[pose]);
    collision->traversal = td_make_traversal(collision, frame);
    collision->chosen = frame->usable ? collision->strategy : &td_strategy_brute;
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_worker_begin(&query->workers[i]);
    }
    const size_t first = query->workers[0].pairs.count;
    uint64_t count = 0;
    td_counters counters = {0};
    if (!frame->apart) {
        query->starts.count = 0;
        const size_t wanted = (size_t)TD_STARTS_PER_WORKER * query->worker_count;
        TD_TRY(collision->chosen->start(&query->starts, wanted, &query->workers[0], &collision->traversal));
        TD_TRY(td_run_rounds(collision, td_share_task, query->starts.count, TD_STARTS_PER_ROUND));
        TD_TRY(td_gather(collision, &count, &counters, first));
    }
    td_collide_result *out = &collision->out[pose];
    td_fill_result(out, collision, frame, count, counters);
    out->ms = td_clock_ms() - begin;
    query->places.items[pose] = (td_place){0, first};
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static bool td_worth_sharing(const td_collision *collision, size_t pose_count) {
    const td_query *query = collision->query;
    const uint64_t triangles =
        (uint64_t)collision->a->triangles.triangle_count + collision->b->triangles.triangle_count;
    if (collision->def->mode == TD_MODE_FIRST) {
        return false;
    }
    // Brute force is slow enough to want its progress reported, even by one worker.
    const bool report = collision->def->progress != NULL && pose_count == 1;
    const bool share = query->worker_count > 1 && pose_count < 2 * (size_t)query->worker_count;
    return (report || share) && triangles >= TD_SPLIT_TRIANGLES;
}

static td_result td_answer_all(td_collision *collision, size_t pose_count) {
    td_query *query = collision->query;
    query->places.count = 0;
    TD_TRY(td_array_reserve(query->context, &query->places, pose_count));
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        query->workers[i].pairs.count = 0;
        td_worker_begin(&query->workers[i]);
    }
    if (td_worth_sharing(collision, pose_count)) {
        for (size_t pose = 0; pose < pose_count; ++pose) {
            TD_TRY(td_answer_shared(collision, pose));
        }
    } else {
        TD_TRY(td_run_rounds(collision, td_batch_task, pose_count, TD_POSES_PER_ROUND));
    }
    td_give_out_pairs(collision, pose_count);
    return TD_OK;
}

// Sums of a few coordinates must not overflow.
static td_result td_check_size(const td_mesh *mesh) {
    if (!(2 * mesh->triangles.largest < DBL_MAX / 8)) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "mesh '%s' has a coordinate of size %g: the largest that can be collided is %g",
                       mesh->triangles.name, mesh->triangles.largest, DBL_MAX / 16);
    }
    return TD_OK;
}

static td_result td_check_reach(const td_mesh *b, const td_pose *pose) {
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(pose->position[k]) < DBL_MAX / 8)) {
            return td_fail(TD_ERROR_POSE, "the pose takes mesh '%s' beyond the range of float64",
                           b->triangles.name);
        }
    }
    return TD_OK;
}

td_result td_collide_batch(td_collide_result *out, td_query *query, const td_mesh *a, const td_mesh *b,
                           const td_pose *poses, size_t pose_count, const td_collide_def *def) {
    td_collision collision = {.query = query, .a = a, .b = b, .poses = poses, .def = def, .out = out};
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_COLLIDE, "td_default_collide_def"));
    TD_TRY(td_find_strategy(&collision.strategy, def->strategy));
    TD_TRY(td_check_size(a));
    TD_TRY(td_check_size(b));
    for (size_t i = 0; i < pose_count; ++i) {
        td_result result = td_check_pose(&poses[i]);
        if (result == TD_OK) {
            result = td_check_reach(b, &poses[i]);
        }
        if (result != TD_OK) {
            return pose_count == 1 ? result : td_fail(result, "pose %zu: %s", i, td_error_message());
        }
    }
    return td_answer_all(&collision, pose_count);
}

td_result td_collide(td_collide_result *out, td_query *query, const td_mesh *a, const td_mesh *b,
                     const td_pose *pose, const td_collide_def *def) {
    const td_pose identity = td_pose_identity();
    return td_collide_batch(out, query, a, b, pose == NULL ? &identity : pose, 1, def);
}

td_result td_self_collide(td_collide_result *out, td_query *query, const td_mesh *mesh,
                          const td_collide_def *def) {
    td_collision collision = {.query = query, .a = mesh, .b = mesh, .def = def, .out = out, .self = true};
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_COLLIDE, "td_default_collide_def"));
    TD_TRY(td_find_strategy(&collision.strategy, def->strategy));
    return td_answer_all(&collision, 1);
}
