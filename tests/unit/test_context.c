// Contexts: the caller's memory, tasks and log; instruction sets; what is refused; and that the library is a
// good guest, who prints nothing and may be used from several threads at once.
#include "core/context.h"
#include "core/tasks.h"
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/variants.h"

#include <tandem/tandem.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_expect_refused(const td_context_def *def, td_result wanted, const char *part) {
    td_context *context = (td_context *)(uintptr_t)def; // anything but null
    const td_result result = td_create_context(&context, def);
    assert_null(context);
    if (result != wanted || strstr(td_error_message(), part) == NULL) {
        fail_msg("expected %s with '%s', found %s: %s", td_result_name(wanted), part, td_result_name(result),
                 td_error_message());
    }
}

static void *test_no_memory(size_t size, size_t alignment, void *user) {
    (void)size;
    (void)alignment;
    (void)user;
    return NULL;
}

static void test_refused(void **state) {
    (void)state;
    td_context_def def;
    memset(&def, 0, sizeof def);
    test_expect_refused(&def, TD_ERROR_ARGUMENT, "td_default_context_def");
    def = td_default_context_def();
    def.isa = (td_isa)77;
    test_expect_refused(&def, TD_ERROR_UNSUPPORTED, "unknown");
    int absent = 0;
    for (int isa = 0; isa < TD_ISA_COUNT; ++isa) {
        def.isa = (td_isa)isa;
        if (!td_isa_available(def.isa)) {
            test_expect_refused(&def, TD_ERROR_UNSUPPORTED, td_isa_name(def.isa));
            ++absent;
        }
    }
    assert_true(absent > 0); // no processor has both NEON and AVX
    def = td_default_context_def();
    def.allocator.allocate = test_no_memory;
    test_expect_refused(&def, TD_ERROR_ARGUMENT, "release");
    test_heap heap = {0};
    def.allocator = test_heap_allocator(&heap);
    def.allocator.allocate = test_no_memory;
    test_expect_refused(&def, TD_ERROR_MEMORY, "out of memory");
    td_destroy_context(NULL);
    td_destroy_query(NULL);
    td_destroy_mesh(NULL);
}

static void test_cookies(void **state) {
    (void)state;
    td_context *context = NULL;
    const td_context_def context_def = td_default_context_def();
    assert_int_equal(td_create_context(&context, &context_def), TD_OK);
    td_mesh *mesh = (td_mesh *)context;
    td_mesh_def mesh_def = {0};
    assert_int_equal(td_create_mesh(&mesh, context, &mesh_def), TD_ERROR_ARGUMENT);
    assert_null(mesh);
    assert_non_null(strstr(td_error_message(), "td_default_mesh_def"));
    td_mesh_arrays arrays;
    td_load_def load_def = {0};
    assert_int_equal(td_read_mesh_memory(&arrays, context, "", 0, "a.obj", &load_def), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "td_default_load_def"));
    assert_int_equal(td_load_mesh(&mesh, context, "a.obj", &load_def), TD_ERROR_ARGUMENT);
    td_destroy_context(context);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(td_version(), "0.1.0");
    for (int i = 0; i < TD_ISA_COUNT; ++i) {
        td_isa isa = TD_ISA_NEON;
        assert_int_equal(td_isa_from_name(&isa, td_isa_name((td_isa)i)), TD_OK);
        assert_int_equal(isa, i);
    }
    td_isa isa = TD_ISA_AUTO;
    assert_int_equal(td_isa_from_name(&isa, "mmx"), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "mmx"));
    assert_true(td_isa_available(TD_ISA_AUTO) && td_isa_available(TD_ISA_SCALAR));
    assert_false(td_isa_available((td_isa)-1));
    for (int i = TD_OK; i <= TD_ERROR_DEVICE; ++i) {
        assert_string_not_equal(td_result_name((td_result)i), "unknown");
    }
    assert_string_equal(td_result_name((td_result)99), "unknown");
}

static void test_isa_and_threads(void **state) {
    (void)state;
    td_context *context = NULL;
    td_context_def def = td_default_context_def();
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    assert_true(td_context_isa(context) != TD_ISA_AUTO && td_isa_available(td_context_isa(context)));
    assert_int_equal(td_context_thread_count(context), sysconf(_SC_NPROCESSORS_ONLN));
    td_destroy_context(context);
    for (int isa = TD_ISA_SCALAR; isa < TD_ISA_COUNT; ++isa) {
        def.isa = (td_isa)isa;
        def.thread_count = (uint32_t)isa;
        if (td_isa_available(def.isa)) {
            assert_int_equal(td_create_context(&context, &def), TD_OK);
            assert_int_equal(td_context_isa(context), isa);
            assert_int_equal(td_context_thread_count(context), isa);
            td_destroy_context(context);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Task systems

typedef struct test_system {
    atomic_int runs, items;
    int kind; // 0: in order, 1: backwards, 2: a thread for each item
} test_system;

typedef struct test_thread {
    td_task_fn *task;
    void *payload;
    uint32_t item;
    pthread_t handle;
} test_thread;

static void *test_run_thread(void *argument) {
    const test_thread *thread = argument;
    thread->task(thread->item, thread->payload);
    return NULL;
}

static void test_run_threads(td_task_fn *task, uint32_t count, void *payload) {
    test_thread *threads = calloc(count, sizeof *threads);
    for (uint32_t i = 0; i < count; ++i) {
        threads[i] = (test_thread){.task = task, .payload = payload, .item = i};
        if (pthread_create(&threads[i].handle, NULL, test_run_thread, &threads[i]) != 0) {
            abort();
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        pthread_join(threads[i].handle, NULL);
    }
    free(threads);
}

static void test_run(td_task_fn *task, uint32_t count, void *payload, void *user) {
    test_system *system = user;
    atomic_fetch_add(&system->runs, 1);
    atomic_fetch_add(&system->items, (int)count);
    if (system->kind == 2) {
        test_run_threads(task, count, payload);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        task(system->kind == 0 ? i : count - 1 - i, payload);
    }
}

enum { TEST_POSES = 20 };

// Everything that runs tasks: builds, batches, shared questions. The answers summed up.
static uint64_t test_work(td_context *context) {
    td_mesh *knot = NULL, *torus = NULL;
    td_query *query = NULL;
    assert_int_equal(td_create_shape(&knot, context, "knot", 1), TD_OK);
    assert_int_equal(td_create_shape(&torus, context, "torus", 0), TD_OK);
    assert_int_equal(td_create_query(&query, context), TD_OK);
    td_pose poses[TEST_POSES];
    test_random random = {91};
    for (int i = 0; i < TEST_POSES; ++i) {
        poses[i] = test_random_pose(&random, 0.8);
    }
    const td_collide_def def = td_default_collide_def();
    td_collide_result answers[TEST_POSES];
    uint64_t sum = 0;
    for (size_t count = 1; count <= TEST_POSES;
         count += TEST_POSES - 1) { // one is shared out, many are dealt out
        assert_int_equal(td_collide_batch(answers, query, knot, torus, poses, count, &def), TD_OK);
        for (size_t i = 0; i < count; ++i) {
            for (size_t k = 0; k < answers[i].pair_count; ++k) {
                sum = 31 * sum + answers[i].pairs[k].a * 7 + answers[i].pairs[k].b;
            }
        }
    }
    assert_int_equal(td_self_collide(answers, query, knot, &def), TD_OK);
    assert_int_equal(answers[0].pair_count, 0);
    td_destroy_query(query);
    td_destroy_mesh(knot);
    td_destroy_mesh(torus);
    return sum;
}

static uint64_t test_plain_answer(void) {
    td_context *context = NULL;
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    const uint64_t sum = test_work(context);
    td_destroy_context(context);
    return sum;
}

static void test_task_systems(void **state) {
    (void)state;
    const uint64_t expected = test_plain_answer();
    assert_true(expected != 0);
    for (int kind = 0; kind < 3; ++kind) {
        for (uint32_t workers = 0; workers < 5; ++workers) {
            test_system system = {.kind = kind};
            test_heap heap = {0};
            td_context_def def = td_default_context_def();
            def.thread_count = 3; // ignored
            def.allocator = test_heap_allocator(&heap);
            def.tasks = (td_task_system){test_run, workers, &system};
            td_context *context = NULL;
            assert_int_equal(td_create_context(&context, &def), TD_OK);
            assert_int_equal(td_context_thread_count(context), workers == 0 ? 1 : workers);
            assert_true(test_work(context) == expected);
            td_destroy_context(context);
            assert_true((atomic_load(&system.runs) > 0) == (workers > 1));
            assert_true(atomic_load(&system.items) >= 2 * atomic_load(&system.runs));
            assert_int_equal(atomic_load(&heap.blocks), 0);
            assert_int_equal(atomic_load(&heap.mistakes), 0);
        }
    }
}

static void test_count_item(uint32_t item, void *payload) {
    atomic_fetch_add(&((atomic_int *)payload)[item], 1);
}

// The pool by itself: every item once, however many there are.
static void test_pool(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 4; ++threads) {
        td_context_def def = td_default_context_def();
        def.thread_count = threads;
        td_context *context = NULL;
        assert_int_equal(td_create_context(&context, &def), TD_OK);
        for (uint32_t count = 0; count < 200; ++count) {
            atomic_int items[200] = {0};
            td_run_tasks(context, test_count_item, count, items);
            for (uint32_t i = 0; i < 200; ++i) {
                assert_int_equal(atomic_load(&items[i]), i < count ? 1 : 0);
            }
        }
        td_destroy_context(context);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Several threads, one context

typedef struct test_user {
    td_context *context;
    uint64_t sum;
    char message[128];
    int number;
    pthread_t handle;
} test_user;

static void *test_use(void *argument) {
    test_user *user = argument;
    td_mesh *mesh = NULL;
    char name[32];
    snprintf(name, sizeof name, "no shape %d", user->number);
    if (td_create_shape(&mesh, user->context, name, 0) == TD_ERROR_ARGUMENT) {
        snprintf(user->message, sizeof user->message, "%.100s", td_error_message()); // this thread's own
    }
    td_query *query = NULL;
    td_mesh *cow = NULL;
    if (td_create_shape(&cow, user->context, "knot", 1) == TD_OK &&
        td_create_query(&query, user->context) == TD_OK) {
        const td_collide_def def = td_default_collide_def();
        for (int i = 0; i < 5; ++i) {
            const td_pose pose = {{0.1 * i, 0.2, 0.3}, {0, 0, 0, 1}};
            td_collide_result answer;
            if (td_collide(&answer, query, cow, cow, &pose, &def) == TD_OK) {
                user->sum = 31 * user->sum + answer.pair_count;
            }
        }
    }
    td_destroy_query(query);
    td_destroy_mesh(cow);
    return NULL;
}

static void test_shared_context(void **state) {
    (void)state;
    enum { TEST_USERS = 4 };
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    test_user users[TEST_USERS] = {0};
    for (int i = 0; i < TEST_USERS; ++i) {
        users[i] = (test_user){.context = context, .number = i};
        assert_int_equal(pthread_create(&users[i].handle, NULL, test_use, &users[i]), 0);
    }
    for (int i = 0; i < TEST_USERS; ++i) {
        pthread_join(users[i].handle, NULL);
        char name[32];
        snprintf(name, sizeof name, "no shape %d", i);
        assert_non_null(strstr(users[i].message, name));
        assert_true(users[i].sum != 0 && users[i].sum == users[0].sum);
    }
    td_destroy_context(context);
}

// ---------------------------------------------------------------------------------------------------------
// Log and silence

typedef struct test_log {
    int count;
    td_log_level level;
    char message[600];
} test_log;

static void test_keep_log(td_log_level level, const char *message, void *user) {
    test_log *log = user;
    log->count++;
    log->level = level;
    snprintf(log->message, sizeof log->message, "%s", message);
}

static void test_log_callback(void **state) {
    (void)state;
    test_log log = {0};
    td_context_def def = td_default_context_def();
    def.log = test_keep_log;
    def.log_user = &log;
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    td_log(context, TD_LOG_WARNING, "%d of %s", 3, "them");
    assert_int_equal(log.count, 1);
    assert_int_equal(log.level, TD_LOG_WARNING);
    assert_string_equal(log.message, "3 of them");
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    td_log(context, TD_LOG_NOTE, "%s", long_text); // cut, not overrun
    assert_true(strlen(log.message) > 100 && strlen(log.message) < sizeof long_text - 1);
    td_destroy_context(context);
    def.log = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    td_log(context, TD_LOG_WARNING, "nobody listens");
    td_destroy_context(context);
}

// Errors and answers alike go to the caller, never to the terminal.
static void test_silence(void **state) {
    (void)state;
    fflush(stdout);
    fflush(stderr);
    FILE *caught = tmpfile();
    assert_non_null(caught);
    const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    dup2(fileno(caught), STDOUT_FILENO);
    dup2(fileno(caught), STDERR_FILENO);
    td_context *context = NULL;
    td_context_def def = td_default_context_def();
    const td_result created = td_create_context(&context, &def);
    const uint64_t sum = created == TD_OK ? test_work(context) : 0;
    td_mesh *mesh = NULL;
    td_mesh_arrays arrays;
    const td_load_def load = td_default_load_def();
    td_mesh_def nothing = td_default_mesh_def();
    td_create_mesh(&mesh, context, &nothing);
    td_load_mesh(&mesh, context, "no such file.obj", &load);
    td_read_mesh_memory(&arrays, context, "v 1 nan\n", 8, "a.obj", &load);
    td_create_shape(&mesh, context, "no such shape", 0);
    def.isa = (td_isa)77;
    td_context *none = NULL;
    td_create_context(&none, &def);
    td_destroy_context(context);
    fflush(stdout);
    fflush(stderr);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    assert_true(sum != 0);
    fseek(caught, 0, SEEK_END);
    assert_int_equal(ftell(caught), 0);
    fclose(caught);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_cookies),
        cmocka_unit_test(test_names),          cmocka_unit_test(test_isa_and_threads),
        cmocka_unit_test(test_task_systems),   cmocka_unit_test(test_pool),
        cmocka_unit_test(test_shared_context), cmocka_unit_test(test_log_callback),
        cmocka_unit_test(test_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
