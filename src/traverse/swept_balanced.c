// Strategy `balanced` over a step (paper 001, section 4.2): units are pairs of blocks of swept hierarchies,
// 16 box tests, shared out over tasks as they arise. What follows from pairs of leaf blocks, the elementary
// tests, each task keeps to itself.
#include "swept_balanced.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"

enum { TD_SWEPT_QUEUE = 4096, TD_SWEPT_NEW_UNITS = 16 };

typedef struct td_swept_sharing {
    td_swept_worker *workers;
    const td_swept_question *question;
} td_swept_sharing;

_Static_assert(sizeof(td_unit) == sizeof(td_pair), "units are written as pairs of blocks");

static uint32_t td_swept_work(td_unit *out, td_unit unit, uint32_t task, bool *stop, void *payload) {
    const td_swept_sharing *sharing = payload;
    td_swept_worker *worker = &sharing->workers[task];
    const uint32_t count =
        td_swept_unit((td_pair *)(void *)out, worker, sharing->question, (td_pair){unit.a, unit.b});
    *stop = worker->result != TD_OK;
    return count;
}

static void td_end_swept_task(uint32_t task, void *payload) {
    const td_swept_sharing *sharing = payload;
    if (sharing->workers[task].result == TD_OK) {
        td_decide_candidates(&sharing->workers[task], sharing->question);
    }
}

td_result td_swept_share(td_swept_worker *workers, uint32_t worker_count, const td_swept_question *question,
                         td_distributor *distributor, td_sharing sharing, double idle_share) {
    td_swept_sharing shared = {workers, question};
    for (uint32_t i = 0; i < worker_count; ++i) {
        workers[i].candidates.count = 0;
        if (!td_swept_ready(&workers[i], question)) {
            return workers[i].result;
        }
    }
    const td_distribution def = {.task_count = worker_count,
                                 .most_new = TD_SWEPT_NEW_UNITS,
                                 .capacity = TD_SWEPT_QUEUE,
                                 .idle_share = idle_share,
                                 .work = td_swept_work,
                                 .payload = &shared};
    const td_unit root = {0, 0};
    td_distribution_report report;
    td_distribute_fn *distribute =
        sharing == TD_SHARING_QUEUES ? td_distribute_by_queues : td_distribute_by_stealing;
    TD_TRY(distribute(&report, distributor, question->context, &def, &root, 1));
    td_run_tasks(question->context, td_end_swept_task, worker_count, &shared);
    return TD_OK;
}
