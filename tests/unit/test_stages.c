// Stages run every block once, in order of the stages, however many threads come, and however late.
#include "support/cases.h"
#include "support/cmocka_all.h"
#include "support/random.h"

#include "core/stages.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { TEST_CELLS = 4096 };

// Each stage reads what the one before has written, at other places, and checks it.
typedef struct test_work {
    uint32_t cells[2][TEST_CELLS];
    uint32_t stage, count;
    atomic_uint wrong, blocks;
    uint32_t stages, conducted;
    uint64_t seed;
    bool slow; // some blocks take long
} test_work;

static void test_block(uint32_t block, void *user) {
    test_work *work = user;
    const uint32_t *before = work->cells[work->stage % 2];
    uint32_t *after = work->cells[(work->stage + 1) % 2];
    const uint32_t size = TEST_CELLS / work->count;
    const uint32_t end = block + 1 == work->count ? TEST_CELLS : (block + 1) * size;
    for (uint32_t i = block * size; i < end; ++i) {
        if (before[TEST_CELLS - 1 - i] != work->stage ||
            after[i] != (work->stage == 0 ? 0 : work->stage - 1)) {
            atomic_fetch_add_explicit(&work->wrong, 1, memory_order_relaxed);
        }
        after[i] = work->stage + 1;
    }
    if (work->slow && block % 7 == 3) {
        for (volatile int i = 0; i < 20000; ++i) {
        }
    }
    atomic_fetch_add_explicit(&work->blocks, 1, memory_order_relaxed);
}

static void test_conduct(td_stages *stages, void *user) {
    test_work *work = user;
    test_random random = {work->seed};
    work->conducted++;
    uint32_t expected = 0;
    for (work->stage = 0; work->stage < work->stages; ++work->stage) {
        work->count = (uint32_t)test_random_int(&random, 1, work->stage % 50 == 0 ? TEST_CELLS : 12);
        td_stage(stages, test_block, work->count, work);
        expected += work->count;
        if (atomic_load(&work->blocks) != expected) {
            atomic_fetch_add(&work->wrong, 1);
        }
    }
    td_stage(stages, test_block, 0, work); // nothing to do
}

static void test_run(td_context *context, uint32_t workers, uint32_t stages, bool slow, uint64_t seed) {
    static test_work work;
    memset(&work, 0, sizeof work);
    work.stages = stages;
    work.seed = seed;
    work.slow = slow;
    td_stages_run(context, workers, test_conduct, &work);
    assert_int_equal(work.conducted, 1);
    assert_int_equal(atomic_load(&work.wrong), 0);
    for (uint32_t i = 0; i < TEST_CELLS; ++i) {
        assert_int_equal(work.cells[stages % 2][i], stages);
    }
}

static void test_threads(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 8; ++threads) {
        td_context_def def = td_default_context_def();
        def.thread_count = threads;
        td_context *context;
        assert_int_equal(td_create_context(&context, &def), TD_OK);
        for (int round = 0; round < test_rounds(20); ++round) {
            test_run(context, threads, 200, round % 4 == 0, (uint64_t)round + 1);
            test_run(context, threads, 0, false, 1);
            test_run(context, threads + 3, 20, false, (uint64_t)round + 1); // more items than threads
        }
        td_destroy_context(context);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Task systems of callers

static void test_run_forwards(td_task_fn *task, uint32_t count, void *payload, void *user) {
    (void)user;
    for (uint32_t i = 0; i < count; ++i) {
        task(i, payload);
    }
}

static void test_run_backwards(td_task_fn *task, uint32_t count, void *payload, void *user) {
    (void)user;
    for (uint32_t i = count; i-- > 0;) {
        task(i, payload);
    }
}

typedef struct test_thread {
    pthread_t thread;
    td_task_fn *task;
    uint32_t item;
    void *payload;
} test_thread;

static void *test_thread_main(void *argument) {
    test_thread *thread = argument;
    thread->task(thread->item, thread->payload);
    return NULL;
}

// A new thread per item, so that helpers come at any moment.
static void test_run_threads(td_task_fn *task, uint32_t count, void *payload, void *user) {
    (void)user;
    test_thread threads[16];
    assert_true(count <= 16);
    for (uint32_t i = 0; i < count; ++i) {
        threads[i] = (test_thread){.task = task, .item = i, .payload = payload};
        assert_int_equal(pthread_create(&threads[i].thread, NULL, test_thread_main, &threads[i]), 0);
    }
    for (uint32_t i = 0; i < count; ++i) {
        pthread_join(threads[i].thread, NULL);
    }
}

static void test_task_systems(void **state) {
    (void)state;
    void (*const runs[])(td_task_fn *, uint32_t, void *, void *) = {test_run_forwards, test_run_backwards,
                                                                    test_run_threads};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k) {
        td_context_def def = td_default_context_def();
        def.tasks = (td_task_system){.run = runs[k], .worker_count = 4};
        td_context *context;
        assert_int_equal(td_create_context(&context, &def), TD_OK);
        for (int round = 0; round < test_rounds(40); ++round) {
            test_run(context, 4, (uint32_t)round * 5, round % 2 == 0, (uint64_t)round + 1);
        }
        td_destroy_context(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_task_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
