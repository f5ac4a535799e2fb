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

// Of the distributor: `queues` and `balanced` per task, whose units begin at task * capacity of `units` and
// of `spare`; `offsets`, per queue, units in those before it, and one more for all of them.
typedef struct td_queues {
    const td_distribution *def;
    td_distributor *held;
    uint32_t idle_most;
    atomic_uint idle;
    atomic_bool stopped;
    uint64_t total;
} td_queues;

// ---------------------------------------------------------------------------------------------------------
// Working

static void td_queue_task(uint32_t task, void *payload) {
    td_queues *all = payload;
    const td_distribution *def = all->def;
    td_queue *queue = &all->held->queues[task];
    td_unit *units = all->held->units + (size_t)task * all->held->capacity;
    uint32_t count = queue->count;
    uint64_t done = 0;
    bool stop = false;
    while (count > 0 && count - 1 + def->most_new <= all->held->capacity) {
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
    td_unit *out = all->held->spare + (size_t)task * all->held->capacity;
    uint64_t at = begin;
    for (uint32_t from = 0; at < end; ++from) {
        if (all->held->offsets[from + 1] <= at) {
            continue;
        }
        const uint64_t last = all->held->offsets[from + 1] < end ? all->held->offsets[from + 1] : end;
        memcpy(out + (at - begin),
               all->held->units + (size_t)from * all->held->capacity + (at - all->held->offsets[from]),
               (size_t)(last - at) * sizeof *out);
        at = last;
    }
    all->held->balanced[task] =
        (td_queue){.count = (uint32_t)(end - begin), .units = all->held->queues[task].units};
}

static void td_count_units(td_queues *all) {
    all->total = 0;
    for (uint32_t t = 0; t < all->def->task_count; ++t) {
        all->held->offsets[t] = all->total;
        all->total += all->held->queues[t].count;
    }
    all->held->offsets[all->def->task_count] = all->total;
}

static uint64_t td_count_moved(const td_queues *all) {
    uint64_t moved = 0;
    for (uint32_t t = 0; t < all->def->task_count; ++t) {
        const uint64_t begin = td_share_begin(all, t), end = td_share_begin(all, (uint64_t)t + 1);
        const uint64_t first = all->held->offsets[t] > begin ? all->held->offsets[t] : begin;
        const uint64_t last = all->held->offsets[t + 1] < end ? all->held->offsets[t + 1] : end;
        moved += end - begin - (last > first ? last - first : 0);
    }
    return moved;
}

static void td_balance(td_queues *all, td_context *context, td_distribution_report *report) {
    report->balances++;
    report->moved += td_count_moved(all);
    td_run_tasks(context, td_balance_task, all->def->task_count, all);
    td_queue *const queues = all->held->queues;
    td_unit *const units = all->held->units;
    all->held->queues = all->held->balanced;
    all->held->units = all->held->spare;
    all->held->balanced = queues;
    all->held->spare = units;
}

// ---------------------------------------------------------------------------------------------------------

static void td_release_units(td_distributor *held, td_context *context) {
    const size_t count = (size_t)held->capacity * held->task_count;
    TD_DELETE(context, td_unit, held->units, count);
    TD_DELETE(context, td_unit, held->spare, count);
    held->units = held->spare = NULL;
    held->capacity = 0;
}

void td_shared_queues_release(td_distributor *held, td_context *context) {
    td_release_units(held, context);
    TD_DELETE(context, td_queue, held->queues, held->task_count);
    TD_DELETE(context, td_queue, held->balanced, held->task_count);
    TD_DELETE(context, uint64_t, held->offsets, held->task_count + 1);
    held->queues = held->balanced = NULL;
    held->offsets = NULL;
}

uint64_t td_shared_queues_bytes(const td_distributor *held) {
    const uint64_t tasks = held->task_count;
    return held->queues == NULL ? 0
                                : 2 * tasks * (sizeof(td_queue) + held->capacity * sizeof(td_unit)) +
                                      (tasks + 1) * sizeof(uint64_t);
}

// Room for `capacity` units per queue, with what is in them now.
static td_result td_grow_queues(td_distributor *held, td_context *context, uint32_t capacity) {
    const size_t count = (size_t)capacity * held->task_count;
    td_unit *units = TD_NEW(context, td_unit, count), *spare = TD_NEW(context, td_unit, count);
    if (units == NULL || spare == NULL) {
        TD_DELETE(context, td_unit, units, count);
        TD_DELETE(context, td_unit, spare, count);
        return TD_ERROR_MEMORY;
    }
    for (uint32_t t = 0; held->units != NULL && t < held->task_count; ++t) {
        memcpy(units + (size_t)t * capacity, held->units + (size_t)t * held->capacity,
               held->queues[t].count * sizeof *units);
    }
    td_release_units(held, context);
    held->units = units;
    held->spare = spare;
    held->capacity = capacity;
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
        while (all->total / tasks + 1 + all->def->most_new > all->held->capacity) {
            if (all->held->capacity > UINT32_MAX / 2) {
                return td_fail(TD_ERROR_MEMORY, "a work queue of more than %u units", all->held->capacity);
            }
            TD_TRY(td_grow_queues(all->held, context, 2 * all->held->capacity));
        }
        td_balance(all, context, report);
    }
}

static td_result td_make_queues(td_distributor *held, td_context *context) {
    if (held->queues == NULL) {
        held->queues = TD_NEW(context, td_queue, held->task_count);
        held->balanced = TD_NEW(context, td_queue, held->task_count);
        held->offsets = TD_NEW(context, uint64_t, held->task_count + 1);
    }
    if (held->queues == NULL || held->balanced == NULL || held->offsets == NULL) {
        td_shared_queues_release(held, context);
        return TD_ERROR_MEMORY;
    }
    for (uint32_t t = 0; t < held->task_count; ++t) {
        held->queues[t] = (td_queue){0};
    }
    return TD_OK;
}

static td_result td_fill_queues(td_queues *all, td_context *context, const td_unit *units, size_t count) {
    td_distributor *held = all->held;
    const uint32_t tasks = all->def->task_count;
    const size_t share = count / tasks + all->def->most_new + 2;
    if (share > UINT32_MAX / 2) {
        return td_fail(TD_ERROR_MEMORY, "%zu units of work are too many", count);
    }
    const uint32_t wanted = all->def->capacity > share ? all->def->capacity : (uint32_t)share;
    TD_TRY(td_make_queues(held, context));
    if (held->capacity < wanted) {
        TD_TRY(td_grow_queues(held, context, wanted));
    }
    all->total = count;
    for (uint32_t t = 0; t < tasks; ++t) {
        const uint64_t begin = td_share_begin(all, t), end = td_share_begin(all, (uint64_t)t + 1);
        memcpy(held->units + (size_t)t * held->capacity, units + begin,
               (size_t)(end - begin) * sizeof *units);
        held->queues[t].count = (uint32_t)(end - begin);
    }
    return TD_OK;
}

td_result td_distribute_by_queues(td_distribution_report *out, td_distributor *distributor,
                                  td_context *context, const td_distribution *def, const td_unit *units,
                                  size_t count) {
    const double wanted = def->idle_share * def->task_count;
    td_queues all = {.def = def, .held = distributor, .idle_most = wanted > 1 ? (uint32_t)wanted : 1};
    atomic_init(&all.idle, 0);
    atomic_init(&all.stopped, false);
    *out = (td_distribution_report){0};
    td_distributor_prepare(distributor, context, def->task_count);
    TD_TRY(td_fill_queues(&all, context, units, count));
    TD_TRY(td_run_passes(&all, context, out));
    for (uint32_t t = 0; t < def->task_count; ++t) {
        out->units += distributor->queues[t].units;
    }
    return TD_OK;
}
