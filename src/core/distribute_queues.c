// A queue is worked off at the end it grows at, so that it stays as short as the test tree is deep, about.
// Passes alternate between two sets of queues: tasks work in one, balancing copies to the other.
#include "array.h"
#include "distribute.h"
#include "error.h"
#include "tasks.h"

#include <stdatomic.h>
#include <string.h>

typedef struct td_queue {
    uint32_t count;
    uint64_t units; // done
} td_queue;

typedef struct td_queues {
    const td_distribution *def;
    td_queue *queues, *balanced; // per task
    td_unit *units, *spare;      // queue t begins at t * capacity; likewise
    uint32_t capacity;
    uint32_t idle_most;
    atomic_uint idle;
    atomic_bool stopped;
    uint64_t *offsets; // per queue: units in those before it; one more for all of them
    uint64_t total;
} td_queues;

// ---------------------------------------------------------------------------------------------------------
// Working

static void td_queue_task(uint32_t task, void *payload) {
    td_queues *all = payload;
    const td_distribution *def = all->def;
    td_queue *queue = &all->queues[task];
    td_unit *units = all->units + (size_t)task * all->capacity;
    uint32_t count = queue->count;
    uint64_t done = 0;
    bool stop = false;
    while (count > 0 && count - 1 + def->most_new <= all->capacity) {
        const td_unit unit = units[--count];
        count += def->work(units + count, unit, task, &stop, def->payload);
        ++done;
        if (stop) {
            atomic_store_explicit(&all->stopped, true, memory_order_relaxed);
        }
        // A late answer is as good: the counter only grows within a pass.
        if (atomic_load_explicit(&all->idle, memory_order_relaxed) >= all->idle_most ||
            atomic_load_explicit(&all->stopped, memory_order_relaxed)) {
            break;
        }
    }
    atomic_fetch_add_explicit(&all->idle, 1, memory_order_relaxed);
    queue->count = count;
    queue->units += done;
}

// ---------------------------------------------------------------------------------------------------------
// Balancing

// Unit `rank` of all goes to the task whose share it lies in.
static uint64_t td_share_begin(const td_queues *all, uint64_t task) {
    return all->total * task / all->def->task_count;
}

// Fills the new queue of one task: a range of all units, over whatever queues it lies in.
static void td_balance_task(uint32_t task, void *payload) {
    td_queues *all = payload;
    const uint64_t begin = td_share_begin(all, task), end = td_share_begin(all, (uint64_t)task + 1);
    td_unit *out = all->spare + (size_t)task * all->capacity;
    uint64_t at = begin;
    for (uint32_t from = 0; at < end; ++from) {
        if (all->offsets[from + 1] <= at) {
            continue;
        }
        const uint64_t last = all->offsets[from + 1] < end ? all->offsets[from + 1] : end;
        memcpy(out + (at - begin), all->units + (size_t)from * all->capacity + (at - all->offsets[from]),
               (size_t)(last - at) * sizeof *out);
        at = last;
    }
    all->balanced[task] = (td_queue){.count = (uint32_t)(end - begin), .units = all->queues[task].units};
}

static void td_count_units(td_queues *all) {
    all->total = 0;
    for (uint32_t t = 0; t < all->def->task_count; ++t) {
        all->offsets[t] = all->total;
        all->total += all->queues[t].count;
    }
    all->offsets[all->def->task_count] = all->total;
}

static uint64_t td_count_moved(const td_queues *all) {
    uint64_t moved = 0;
    for (uint32_t t = 0; t < all->def->task_count; ++t) {
        const uint64_t begin = td_share_begin(all, t), end = td_share_begin(all, (uint64_t)t + 1);
        const uint64_t first = all->offsets[t] > begin ? all->offsets[t] : begin;
        const uint64_t last = all->offsets[t + 1] < end ? all->offsets[t + 1] : end;
        moved += end - begin - (last > first ? last - first : 0);
    }
    return moved;
}

static void td_balance(td_queues *all, td_context *context, td_distribution_report *report) {
    report->balances++;
    report->moved += td_count_moved(all);
    td_run_tasks(context, td_balance_task, all->def->task_count, all);
    td_queue *const queues = all->queues;
    td_unit *const units = all->units;
    all->queues = all->balanced;
    all->units = all->spare;
    all->balanced = queues;
    all->spare = units;
}

// ---------------------------------------------------------------------------------------------------------

static void td_release_units(td_queues *all, td_context *context) {
    const size_t count = (size_t)all->capacity * all->def->task_count;
    TD_DELETE(context, td_unit, all->units, count);
    TD_DELETE(context, td_unit, all->spare, count);
    all->units = all->spare = NULL;
}

// Room for `capacity` units per queue, with what is in them now.
static td_result td_grow_queues(td_queues *all, td_context *context, uint32_t capacity) {
    const size_t count = (size_t)capacity * all->def->task_count;
    td_unit *units = TD_NEW(context, td_unit, count), *spare = TD_NEW(context, td_unit, count);
    if (units == NULL || spare == NULL) {
        TD_DELETE(context, td_unit, units, count);
        TD_DELETE(context, td_unit, spare, count);
        return TD_ERROR_MEMORY;
    }
    for (uint32_t t = 0; all->units != NULL && t < all->def->task_count; ++t) {
        memcpy(units + (size_t)t * capacity, all->units + (size_t)t * all->capacity,
               all->queues[t].count * sizeof *units);
    }
    td_release_units(all, context);
    all->units = units;
    all->spare = spare;
    all->capacity = capacity;
    return TD_OK;
}

static td_result td_run_passes(td_queues *all, td_context *context, td_distribution_report *report) {
    const uint32_t tasks = all->def->task_count;
    for (;;) {
        atomic_store(&all->idle, 0);
        td_run_tasks(context, td_queue_task, tasks, all);
        td_count_units(all);
        if (all->total == 0 || atomic_load(&all->stopped)) {
            return TD_OK;
        }
        // The largest share must leave room for one unit's new ones.
        while (all->total / tasks + 1 + all->def->most_new > all->capacity) {
            if (all->capacity > UINT32_MAX / 2) {
                return td_fail(TD_ERROR_MEMORY, "a work queue of more than %u units", all->capacity);
            }
            TD_TRY(td_grow_queues(all, context, 2 * all->capacity));
        }
        td_balance(all, context, report);
    }
}

static td_result td_fill_queues(td_queues *all, td_context *context, const td_unit *units, size_t count) {
    const uint32_t tasks = all->def->task_count, least = all->def->most_new + 2;
    const size_t share = count / tasks + least;
    if (share > UINT32_MAX / 2) {
        return td_fail(TD_ERROR_MEMORY, "%zu units of work are too many", count);
    }
    TD_TRY(td_grow_queues(all, context, all->def->capacity > share ? all->def->capacity : (uint32_t)share));
    all->total = count;
    for (uint32_t t = 0; t < tasks; ++t) {
        const uint64_t begin = td_share_begin(all, t), end = td_share_begin(all, (uint64_t)t + 1);
        memcpy(all->units + (size_t)t * all->capacity, units + begin, (size_t)(end - begin) * sizeof *units);
        all->queues[t] = (td_queue){.count = (uint32_t)(end - begin)};
    }
    return TD_OK;
}

td_result td_distribute_by_queues(td_distribution_report *out, td_context *context,
                                  const td_distribution *def, const td_unit *units, size_t count) {
    const uint32_t tasks = def->task_count;
    const double wanted = def->idle_share * tasks;
    td_queues all = {.def = def, .idle_most = wanted > 1 ? (uint32_t)wanted : 1};
    atomic_init(&all.idle, 0);
    atomic_init(&all.stopped, false);
    *out = (td_distribution_report){0};
    all.queues = TD_NEW(context, td_queue, tasks);
    all.balanced = TD_NEW(context, td_queue, tasks);
    all.offsets = TD_NEW(context, uint64_t, tasks + 1);
    td_result result = TD_ERROR_MEMORY;
    if (all.queues != NULL && all.balanced != NULL && all.offsets != NULL) {
        result = td_fill_queues(&all, context, units, count);
        result = result == TD_OK ? td_run_passes(&all, context, out) : result;
        for (uint32_t t = 0; result == TD_OK && t < tasks; ++t) {
            out->units += all.queues[t].units;
        }
    }
    td_release_units(&all, context);
    TD_DELETE(context, td_queue, all.queues, tasks);
    TD_DELETE(context, td_queue, all.balanced, tasks);
    TD_DELETE(context, uint64_t, all.offsets, tasks + 1);
    return result;
}
