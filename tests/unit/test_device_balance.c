// The balancing pass: no unit is lost or doubled, queues come out even, and there are more of them when they
// were full.
#include "device/balance.h"
#include "support/random.h"
#include "test_device_support.h"

enum { TEST_WORDS = 3, TEST_CAPACITY = 16 };

typedef struct test_unit {
    uint32_t word[TEST_WORDS];
} test_unit;

static uint32_t *test_read_counts(const test_world *world, const td_work_queues *queues) {
    uint32_t *counts = malloc(queues->task_count * sizeof *counts);
    assert_non_null(counts);
    test_ok(td_buffer_read(world->device, counts, &queues->counts, 0, queues->task_count * sizeof *counts));
    return counts;
}

static int test_compare_units(const void *left, const void *right) {
    const test_unit *a = left, *b = right;
    return a->word[0] < b->word[0] ? -1 : a->word[0] > b->word[0];
}

// All units, sorted. The queues must be even.
static test_unit *test_read_units(const test_world *world, const td_work_queues *queues) {
    test_unit *units = malloc((queues->total + 1) * sizeof *units);
    test_unit *all = malloc((size_t)queues->task_count * TEST_CAPACITY * sizeof *all);
    uint32_t *counts = test_read_counts(world, queues), total = 0, idle = 1;
    assert_true(units != NULL && all != NULL);
    test_ok(td_buffer_read(world->device, all, &queues->units, 0,
                           (size_t)queues->task_count * TEST_CAPACITY * sizeof *all));
    test_ok(td_buffer_read(world->device, &idle, &queues->idle, 0, sizeof idle));
    assert_int_equal(idle, 0);
    for (uint32_t t = 0; t < queues->task_count; ++t) {
        assert_in_range(counts[t], queues->total / queues->task_count,
                        (queues->total + queues->task_count - 1) / queues->task_count);
        assert_true(counts[t] <= TEST_CAPACITY / 2 || queues->total < 2);
        for (uint32_t i = 0; i < counts[t]; ++i) {
            assert_true(total < queues->total);
            units[total++] = all[(size_t)t * TEST_CAPACITY + i];
        }
    }
    assert_int_equal(total, queues->total);
    qsort(units, total, sizeof *units, test_compare_units);
    free(counts);
    free(all);
    return units;
}

// As if tasks had left the first so many of their units each.
static void test_leave(const test_world *world, td_work_queues *queues, test_random *random, bool *alive) {
    uint32_t *counts = test_read_counts(world, queues);
    test_unit *all = malloc((size_t)queues->task_count * TEST_CAPACITY * sizeof *all);
    assert_non_null(all);
    test_ok(td_buffer_read(world->device, all, &queues->units, 0,
                           (size_t)queues->task_count * TEST_CAPACITY * sizeof *all));
    for (uint32_t t = 0; t < queues->task_count; ++t) {
        const uint32_t left = (uint32_t)(test_random_unit(random) * (counts[t] + 1));
        for (uint32_t i = left; i < counts[t]; ++i) {
            alive[all[(size_t)t * TEST_CAPACITY + i].word[0]] = false;
        }
        counts[t] = left < counts[t] ? left : counts[t];
    }
    const size_t bytes = queues->task_count * sizeof *counts;
    test_ok(td_buffer_write(world->device, &queues->counts, 0, counts, bytes));
    test_ok(td_buffer_write(world->device, &queues->starts, 0, counts, bytes));
    free(all);
    free(counts);
}

static void test_check_units(const test_world *world, const td_work_queues *queues, const bool *alive,
                             uint32_t count) {
    test_unit *units = test_read_units(world, queues);
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (alive[i]) {
            assert_true(next < queues->total);
            assert_int_equal(units[next].word[0], i);
            assert_int_equal(units[next].word[1], 7 * i);
            assert_int_equal(units[next].word[2], ~i);
            ++next;
        }
    }
    assert_int_equal(next, queues->total);
    free(units);
}

static void test_balancing(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    static const uint32_t counts[] = {1, 2, 5, 8, 31, 64, 65, 1000, 4097};
    static const uint32_t tasks[] = {1, 3, 8, 33};
    test_random random = {11};
    td_work_queues queues = {0};
    for (size_t c = test_is_slow() ? 5 : 0; c < (test_is_slow() ? 7 : sizeof counts / sizeof *counts); ++c) {
        for (size_t t = 0; t < (test_is_slow() ? 2 : sizeof tasks / sizeof *tasks); ++t) {
            const uint32_t count = counts[c];
            test_unit *units = malloc(count * sizeof *units);
            bool *alive = malloc(count);
            assert_true(units != NULL && alive != NULL);
            for (uint32_t i = 0; i < count; ++i) {
                units[i] = (test_unit){{i, 7 * i, ~i}};
                alive[i] = true;
            }
            const td_queue_sizes sizes = {TEST_WORDS, tasks[t], TEST_CAPACITY, 1};
            test_ok(td_queues_begin(world->device, &queues, &sizes, units, count));
            assert_true(queues.task_count >= tasks[t] && queues.threshold == (queues.task_count + 1) / 2);
            test_check_units(world, &queues, alive, count);
            while (queues.total > 0) {
                test_leave(world, &queues, &random, alive);
                test_ok(td_queues_balance(world->device, &queues));
                if (queues.total > 0) {
                    test_check_units(world, &queues, alive, count);
                }
            }
            assert_int_equal(queues.most, count);
            for (uint32_t i = 0; i < count; ++i) {
                assert_false(alive[i]);
            }
            free(units);
            free(alive);
        }
    }
    td_queues_release(world->device, &queues);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_balancing)};
    return cmocka_run_group_tests(tests, test_open, test_close);
}
