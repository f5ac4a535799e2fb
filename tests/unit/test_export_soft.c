// Soft bodies for other programs: which shapes are kept, and what happens when memory is short. What is in
// the files is looked at by tests/cli/test_soft_recordings.py.
#include "io/export_shapes.h"
#include "support/heap.h"
#include "support/random.h"
#include "test_soft_support.h"

enum { TEST_NUMBERS = 6, TEST_SAMPLES = 200 };

// What is kept of some motion, and where it is seen between.
typedef struct test_motion {
    float shapes[TEST_SAMPLES][TEST_NUMBERS], kept[TEST_SAMPLES + 1][TEST_NUMBERS];
    float times[TEST_SAMPLES];
    td_shape_fit fit;
} test_motion;

static void test_move(test_motion *motion, test_random *random) {
    float time = 0;
    for (int i = 0; i < TEST_SAMPLES; ++i) {
        const bool rests = i > 120 && i < 170;
        motion->times[i] = time;
        time += (float)test_random_range(random, 0.01, 0.02);
        for (int k = 0; k < TEST_NUMBERS; ++k) {
            motion->shapes[i][k] = rests ? motion->shapes[120][k]
                                   : i > 0
                                       ? motion->shapes[i - 1][k] + 0.1F * sinf(0.1F * (float)(i * (k + 1)))
                                       : (float)k;
        }
    }
}

static void test_fit(test_motion *motion, td_context *context, double limit) {
    bool is_new;
    uint32_t shapes = 0;
    assert_int_equal(td_begin_shape_fit(&motion->fit, context, TEST_NUMBERS, limit), TD_OK);
    memcpy(motion->kept[0], motion->shapes[0], sizeof motion->kept[0]);
    for (int i = 0; i <= TEST_SAMPLES; ++i) {
        assert_int_equal(i < TEST_SAMPLES ? td_fit_shape(&is_new, &motion->fit, context, motion->shapes[i],
                                                         motion->times[i])
                                          : td_end_shape_fit(&is_new, &motion->fit, context),
                         TD_OK);
        if (is_new) {
            memcpy(motion->kept[++shapes], motion->fit.kept, sizeof motion->kept[0]);
        }
    }
    assert_int_equal(motion->fit.shapes, shapes);
}

// The largest error at any sample, as a reader sees it.
static double test_error(const test_motion *motion) {
    const td_shape_key *keys = motion->fit.keys.items;
    const size_t count = motion->fit.keys.count;
    double largest = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < TEST_SAMPLES; ++i) {
        while (at + 1 < count && keys[at + 1].sample <= i) {
            ++at;
        }
        const size_t next = at + 1 < count ? at + 1 : at;
        const double begin = (double)motion->times[keys[at].sample];
        const double length = (double)motion->times[keys[next].sample] - begin;
        const double share = length > 0 ? ((double)motion->times[i] - begin) / length : 0;
        for (int k = 0; k < TEST_NUMBERS; ++k) {
            const double from = (double)motion->kept[keys[at].shape][k];
            const double to = (double)motion->kept[keys[next].shape][k];
            largest = fmax(largest, fabs(from + share * (to - from) - (double)motion->shapes[i][k]));
        }
    }
    return largest;
}

static void test_kept_shapes(void **state) {
    test_bench *bench = *state;
    static test_motion motion;
    static const double limits[] = {0, 1e-3, 1e-2, 0.1, 1, 100};
    test_random random = {3};
    size_t before = TEST_SAMPLES + 1;
    test_move(&motion, &random);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
        test_fit(&motion, bench->context, limits[i]);
        assert_true(test_error(&motion) <= limits[i] + 1e-6);
        assert_true(motion.fit.keys.count <= before);
        before = motion.fit.keys.count;
        if (limits[i] == 0) { // 50 samples at rest need two keys and one shape
            assert_int_equal(motion.fit.shapes, TEST_SAMPLES - 1 - 49);
        }
        td_release_shape_fit(&motion.fit, bench->context);
    }
    assert_true(before <= 3);
    for (int i = 0; i < TEST_SAMPLES; ++i) { // nothing moves: nothing is kept
        memcpy(motion.shapes[i], motion.shapes[0], sizeof motion.shapes[0]);
    }
    test_fit(&motion, bench->context, 0);
    assert_int_equal(motion.fit.shapes, 0);
    assert_int_equal(motion.fit.keys.count, 1);
    td_release_shape_fit(&motion.fit, bench->context);
}

// ---------------------------------------------------------------------------------------------------------

static void test_reports(void **state) {
    test_bench *bench = *state;
    char written[600];
    snprintf(written, sizeof written, "%s/a.glb", bench->folder);
    soft_record(bench->context, bench->path, 60);
    td_recording *recording = test_open(bench);
    td_export_def def = td_default_export_def();
    td_export_report report;
    def.last = SOFT_AWAY - 1;
    assert_int_equal(td_export_recording(&report, recording, written, &def), TD_OK);
    assert_int_equal(report.soft_bodies, 2);
    assert_int_equal(report.sampled_shapes, 2 * (SOFT_AWAY - 1));
    assert_true(report.shapes > 0 && report.shapes < report.sampled_shapes / 2);
    assert_int_equal(report.moving_bodies, 3);
    assert_true(report.largest_error <= SOFT_SIZE * sqrt(2) / 256 + 2e-5);
    def.soft_tolerance = 0;
    assert_int_equal(td_export_recording(&report, recording, written, &def), TD_OK);
    assert_int_equal(report.shapes, report.sampled_shapes);
    assert_true(report.largest_error < 2e-5);
    def.soft_tolerance = NAN;
    test_expect_sentence(td_export_recording(&report, recording, written, &def), TD_ERROR_ARGUMENT,
                         "of soft bodies");
    unlink(written);
    td_close_recording(recording);
}

static void test_out_of_memory(void **state) {
    test_bench *bench = *state;
    char written[600];
    snprintf(written, sizeof written, "%s/a.out", bench->folder);
    soft_record(bench->context, bench->path, SOFT_AWAY);
    static test_heap heap;
    td_context_def context_def = td_default_context_def();
    context_def.thread_count = 1;
    context_def.allocator = test_heap_allocator(&heap);
    td_context *context = NULL;
    td_recording *recording = NULL;
    test_heap_recover(&heap);
    assert_int_equal(td_create_context(&context, &context_def), TD_OK);
    assert_int_equal(td_open_recording(&recording, context, bench->path), TD_OK);
    const long blocks = atomic_load(&heap.blocks);
    for (td_export_format format = TD_EXPORT_GLB; format <= TD_EXPORT_STL; ++format) {
        td_export_def def = td_default_export_def();
        def.format = format;
        td_result result = TD_ERROR_MEMORY;
        long failing = 0;
        for (; result != TD_OK; ++failing) {
            assert_true(failing < 1000);
            test_heap_fail(&heap, failing, failing + 1);
            result = td_export_recording(NULL, recording, written, &def);
            if (result != TD_OK) {
                test_expect_sentence(result, TD_ERROR_MEMORY, "out of memory");
                assert_int_equal(access(written, F_OK), -1);
            }
            assert_int_equal(atomic_load(&heap.blocks), blocks);
        }
        assert_true(failing > 1);
        unlink(written);
    }
    test_heap_recover(&heap);
    td_close_recording(recording);
    td_destroy_context(context);
    assert_int_equal(atomic_load(&heap.mistakes), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept_shapes), cmocka_unit_test(test_reports),
                                       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, test_make_bench, test_drop_bench);
}
