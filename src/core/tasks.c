// A pool that runs one loop at a time. A loop is a task function and a counter; workers and the caller draw
// item numbers from the counter until it is used up. The caller then closes the loop and waits for the
// workers that are in it, not for those that are still waking up: these find it closed and go back to sleep.
// Drawing is dynamic, so the order in which items run differs from run to run: callers give every item its
// own place to write to.
#include "tasks.h"

#include "context.h"
#include "error.h"
#include "memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct td_pool {
    pthread_mutex_t turn; // held by the thread whose loop is running
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t work, done;
    atomic_uint
        loop; // number of the current loop; workers wait for it to change. Read without the lock to peek only
    bool open;        // items may be left to draw
    atomic_uint busy; // workers that are drawing. Likewise
    bool quit;
    td_task_fn *task;
    void *payload;
    uint32_t count;
    atomic_uint next;
    uint32_t worker_count; // without the caller
    pthread_t workers[];
};

static size_t td_pool_bytes(uint32_t worker_count) {
    return sizeof(td_pool) + worker_count * sizeof(pthread_t);
}

static void td_draw_items(td_pool *pool, td_task_fn *task, uint32_t count, void *payload) {
    for (;;) {
        const uint32_t item = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (item >= count) {
            return;
        }
        task(item, payload);
    }
}

// Loops often follow each other closely, and waking a thread takes longer than many a loop: a short while of
// looking on saves it. Returns as soon as *value is no longer `old`, or after so many looks of some 20 to 50
// nanoseconds.
enum {
    TD_LOOKS_FOR_WORK = 6000, // longer than what a step of dynamics does between two loops
    TD_LOOKS_FOR_END = 10000  // the others are at their last items
};

static void td_look_on(const atomic_uint *value, unsigned old, int looks) {
    for (int i = 0; i < looks && atomic_load_explicit(value, memory_order_relaxed) == old; ++i) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
}

static void *td_worker_main(void *argument) {
    td_pool *pool = argument;
    unsigned seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->loop == seen && !pool->quit) {
            pthread_cond_wait(&pool->work, &pool->lock);
        }
        if (pool->quit) {
            break;
        }
        seen = pool->loop;
        if (!pool->open) {
            continue;
        }
        pool->busy++;
        td_task_fn *task = pool->task;
        const uint32_t count = pool->count;
        void *payload = pool->payload;
        pthread_mutex_unlock(&pool->lock);
        td_draw_items(pool, task, count, payload);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) {
            pthread_cond_signal(&pool->done);
        }
        pthread_mutex_unlock(&pool->lock);
        td_look_on(&pool->loop, seen, TD_LOOKS_FOR_WORK);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

td_result td_create_pool(td_pool **out, td_context *context, uint32_t thread_count) {
    if (thread_count == 0) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        thread_count = online > 0 ? (uint32_t)online : 1;
    }
    const uint32_t worker_count = thread_count - 1;
    td_pool *pool = td_allocate(context, 1, td_pool_bytes(worker_count));
    if (pool == NULL) {
        return TD_ERROR_MEMORY;
    }
    *pool = (td_pool){.worker_count = 0};
    atomic_init(&pool->next, 0);
    atomic_init(&pool->loop, 0);
    atomic_init(&pool->busy, 0);
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (uint32_t i = 0; i < worker_count; ++i) {
        if (pthread_create(&pool->workers[i], NULL, td_worker_main, pool) != 0) {
            // Fewer threads than asked for change no answer; but the pool's size must be the true one.
            td_log(context, TD_LOG_WARNING, "only %u of %u threads could be started", i + 1, thread_count);
            break;
        }
        pool->worker_count = i + 1;
    }
    context->pool_bytes = td_pool_bytes(worker_count);
    context->worker_count = pool->worker_count + 1;
    *out = pool;
    return TD_OK;
}

void td_destroy_pool(td_pool *pool, td_context *context) {
    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->worker_count; ++i) {
        pthread_join(pool->workers[i], NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->turn);
    td_release(context, pool, 1, context->pool_bytes);
}

static void td_pool_run(td_pool *pool, td_task_fn *task, uint32_t count, void *payload) {
    pthread_mutex_lock(&pool->turn);
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->count = count;
    pool->payload = payload;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->open = true;
    pool->loop++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);

    td_draw_items(pool, task, count, payload);

    for (unsigned busy = atomic_load(&pool->busy), before = busy + 1; busy > 0 && busy != before;) {
        before = busy;
        td_look_on(&pool->busy, busy, TD_LOOKS_FOR_END);
        busy = atomic_load(&pool->busy);
    }
    pthread_mutex_lock(&pool->lock);
    pool->open = false;
    while (pool->busy > 0) {
        pthread_cond_wait(&pool->done, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->turn);
}

void td_run_tasks(td_context *context, td_task_fn *task, uint32_t count, void *payload) {
    if (count <= 1 || context->worker_count <= 1) {
        for (uint32_t item = 0; item < count; ++item) {
            task(item, payload);
        }
    } else if (context->tasks.run != NULL) {
        context->tasks.run(task, count, payload, context->tasks.user);
    } else {
        td_pool_run(context->pool, task, count, payload);
    }
}
