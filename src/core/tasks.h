// Parallel loops: on the context's own threads, or through the caller's task system.
#ifndef TD_CORE_TASKS_H
#define TD_CORE_TASKS_H

#include <tandem/base.h>

// Runs task(0) ... task(count - 1) and returns when all are done. Items are handed out one by one, so they
// should be coarse (10 microseconds and more). The calling thread works, too. May be called from several
// threads at once, but not from inside a task.
void td_run_tasks(td_context *context, td_task_fn *task, uint32_t count, void *payload);

// The pool behind td_run_tasks. `thread_count` includes the caller.
typedef struct td_pool td_pool;

td_result td_create_pool(td_pool **out, td_context *context, uint32_t thread_count);
void td_destroy_pool(td_pool *pool, td_context *context);

#endif
