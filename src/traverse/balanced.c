#include "balanced.h"

#include "../core/context.h"
#include "../core/error.h"
#include "stage_clock.h"

enum { TD_QUEUE_CAPACITY = 4096 };

static const td_balanced_entry *td_balanced_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return &td_balanced_sse4;
    case TD_ISA_AVX2:
        return &td_balanced_avx2;
    case TD_ISA_AVX512:
        return &td_balanced_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return &td_balanced_neon;
#endif
    default:
        return &td_balanced_scalar;
    }
}

static void td_balanced_run(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                            size_t start_count) {
    td_balanced_for(traversal->context->isa)->run(worker, traversal, starts, start_count);
}

typedef struct td_balanced_tasks {
    const td_balanced_entry *entry;
    const td_traversal *traversal;
    td_worker *workers;
    unsigned char *visits; // per task, visit_bytes each
} td_balanced_tasks;

static td_balanced_visit *td_visit_of(const td_balanced_tasks *tasks, uint32_t task) {
    return (td_balanced_visit *)(void *)(tasks->visits + task * tasks->entry->visit_bytes);
}

static uint32_t td_balanced_work(td_unit *out, td_unit unit, uint32_t task, bool *stop, void *payload) {
    const td_balanced_tasks *tasks = payload;
    const uint32_t count = tasks->entry->unit(out, td_visit_of(tasks, task), unit);
    *stop = tasks->workers[task].result != TD_OK;
    return count;
}

static void td_end_task(uint32_t task, void *payload) {
    const td_balanced_tasks *tasks = payload;
    tasks->entry->end(td_visit_of(tasks, task));
}

void td_share_buffers_release(td_share_buffers *buffers, td_context *context) {
    td_distributor_release(&buffers->distributor, context);
    td_release(context, buffers->visits, buffers->visit_count, buffers->visit_bytes);
    *buffers = (td_share_buffers){0};
}

uint64_t td_share_buffers_bytes(const td_share_buffers *buffers) {
    return td_distributor_bytes(&buffers->distributor) +
           buffers->visit_count * (uint64_t)buffers->visit_bytes;
}

static td_result td_make_visits(td_share_buffers *buffers, td_context *context, uint32_t count,
                                size_t bytes) {
    if (buffers->visits == NULL) { // a query has one context, so neither count nor size ever changes
        buffers->visits = td_allocate(context, count, bytes);
        buffers->visit_count = buffers->visits != NULL ? count : 0;
        buffers->visit_bytes = bytes;
    }
    return buffers->visits != NULL ? TD_OK : TD_ERROR_MEMORY;
}

static td_result td_balanced_share(td_worker *workers, uint32_t worker_count, const td_traversal *traversal,
                                   td_share_buffers *buffers) {
    td_context *context = traversal->context;
    td_balanced_tasks tasks = {td_balanced_for(context->isa), traversal, workers, NULL};
    TD_TRY(td_make_visits(buffers, context, worker_count, tasks.entry->visit_bytes));
    tasks.visits = buffers->visits;
    const td_stage_clock clock = td_start_clock(&workers[0], traversal);
    for (uint32_t i = 0; i < worker_count; ++i) {
        tasks.entry->begin(td_visit_of(&tasks, i), &workers[i], traversal);
    }
    const td_distribution def = {.task_count = worker_count,
                                 .most_new = TD_UNITS_PER_PAIR,
                                 .capacity = TD_QUEUE_CAPACITY,
                                 .idle_share = traversal->idle_share,
                                 .work = td_balanced_work,
                                 .payload = &tasks};
    const td_unit root = {0, 0};
    td_distribution_report report;
    td_distribute_fn *distribute =
        traversal->sharing == TD_SHARING_QUEUES ? td_distribute_by_queues : td_distribute_by_stealing;
    const td_result result = distribute(&report, &buffers->distributor, context, &def, &root, 1);
    td_run_tasks(context, td_end_task, worker_count, &tasks);
    td_stop_clock(&clock, &workers[0].times.boxes_ms, &workers[0]);
    return result;
}

const td_strategy td_strategy_balanced = {
    .name = "balanced",
    .paper = "001",
    .idea = "work units shared out as they arise, by queues that are balanced or by stealing",
    .self = true,
    .start = td_start_at_blocks,
    .run = td_balanced_run,
    .share = td_balanced_share,
    .on_device = &td_strategy_balanced_on_device,
};
