#include "chunks.h"

#include "../core/context.h"

enum {
    TD_CHUNK = 64,          // items
    TD_ALONE = 4 * TD_CHUNK // fewer are not worth waking anyone for
};

typedef struct td_chunk_loop {
    td_chunk_fn *work;
    size_t count;
    void *user;
    atomic_size_t next;
} td_chunk_loop;

static void td_chunk_task(uint32_t item, void *payload) {
    (void)item;
    td_chunk_loop *loop = payload;
    for (;;) {
        const size_t first = atomic_fetch_add_explicit(&loop->next, TD_CHUNK, memory_order_relaxed);
        if (first >= loop->count) {
            return;
        }
        const size_t end = loop->count - first < TD_CHUNK ? loop->count : first + TD_CHUNK;
        loop->work(first, end, loop->user);
    }
}

void td_run_chunks(td_context *context, td_chunk_fn *work, size_t count, void *user) {
    if (count < TD_ALONE || context->worker_count == 1) {
        work(0, count, user);
        return;
    }
    td_chunk_loop loop = {.work = work, .count = count, .user = user};
    td_run_tasks(context, td_chunk_task, context->worker_count, &loop);
}
