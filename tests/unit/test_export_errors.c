// Exports that are refused, stopped, too large, or short of memory: a sentence, and no file.
#include "io/export_gltf.h"
#include "support/heap.h"
#include "test_export_support.h"

static bool test_stops(uint64_t done, uint64_t total, void *user) {
    (void)user;
    return done < total / 2;
}

static void test_refusals(void **state) {
    test_desk *desk = *state;
    td_recording *recording = test_recorded(desk, &(test_plan){.frames = 12});
    const char *path = desk->written;
    td_export_def def = td_default_export_def();
    test_expect_sentence(td_export_recording(NULL, NULL, path, &def), TD_ERROR_ARGUMENT, "needs a recording");
    test_expect_sentence(td_export_recording(NULL, recording, NULL, &def), TD_ERROR_ARGUMENT, "a path");
    test_expect_sentence(td_export_recording(NULL, recording, "a.blend", &def), TD_ERROR_UNSUPPORTED,
                         "a.blend: unknown format, expected .glb");
    def.cookie = 0;
    test_expect_sentence(td_export_recording(NULL, recording, path, &def), TD_ERROR_ARGUMENT,
                         "td_default_export_def");
    static const struct {
        uint64_t first, last, every;
        double tolerance;
        const char *says;
    } wrong[] = {{12, UINT64_MAX, 1, 0, "no frame 12: the recording has 12"},
                 {0, 12, 1, 0, "no frame 12"},
                 {5, 4, 1, 0, "frames 5 to 4"},
                 {0, 11, 0, 0, "every 0th"},
                 {0, 11, 1, -1, "tolerance -1"},
                 {0, 11, 1, (double)NAN, "tolerance"},
                 {0, 11, 1, (double)INFINITY, "tolerance"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        def = td_default_export_def();
        def.first = wrong[i].first;
        def.last = wrong[i].last;
        def.every = wrong[i].every;
        def.tolerance = wrong[i].tolerance;
        test_expect_sentence(td_export_recording(NULL, recording, path, &def), TD_ERROR_ARGUMENT,
                             wrong[i].says);
    }
    def = td_default_export_def();
    def.format = (td_export_format)99;
    test_expect_sentence(td_export_recording(NULL, recording, path, &def), TD_ERROR_ARGUMENT, "format 99");
    def = td_default_export_def();
    def.progress = test_stops;
    test_expect_sentence(td_export_recording(NULL, recording, path, &def), TD_ERROR_CANCELLED, "stopped");
    test_expect_sentence(td_export_recording(NULL, recording, "/nowhere/a.glb", NULL), TD_ERROR_FILE,
                         "/nowhere/a.glb");
    assert_int_equal(access(path, F_OK), -1);
    td_close_recording(recording);
}

// A place that float32 does not have, and more bytes than the format can count.
static void test_limits(void **state) {
    test_desk *desk = *state;
    td_recording *recording = test_recorded(desk, &(test_plan){.frames = 3, .offset = 1e39});
    td_export_def def = td_default_export_def();
    test_export_to(desk->written, recording, &def); // all of them: the node above has the place
    td_close_recording(recording);
    recording = test_recorded(desk, &(test_plan){.frames = 3, .flight = 1e39});
    test_expect_sentence(td_export_recording(NULL, recording, desk->written, &def), TD_ERROR_UNSUPPORTED,
                         "body 4 (flag) is at z = 1e+39 in frame 1");
    td_close_recording(recording);
    td_gltf gltf = td_begin_gltf(desk->context);
    static const float numbers[30] = {0};
    gltf.most_bytes = 100;
    assert_int_equal(td_gltf_append_floats(&gltf, numbers, 25), TD_OK);
    test_expect_sentence(td_gltf_append_floats(&gltf, numbers, 1), TD_ERROR_UNSUPPORTED, "100 bytes");
    test_expect_sentence(td_write_glb(stderr, &gltf), TD_ERROR_UNSUPPORTED, "100 bytes");
    td_release_gltf(&gltf);
}

// Every allocation fails once, of every format: nothing leaks, no file is left.
static void test_out_of_memory(void **state) {
    test_desk *desk = *state;
    test_write_recording(desk->context, desk->recorded, &(test_plan){.frames = 100});
    test_heap heap = {0};
    td_context_def context_def = td_default_context_def();
    context_def.thread_count = 1;
    context_def.allocator = test_heap_allocator(&heap);
    td_context *context;
    td_recording *recording;
    assert_int_equal(td_create_context(&context, &context_def), TD_OK);
    assert_int_equal(td_open_recording(&recording, context, desk->recorded), TD_OK);
    td_pose poses[TEST_BODIES];
    assert_int_equal(td_read_frame(poses, NULL, recording, 99), TD_OK); // its buffers are warm
    const long blocks = atomic_load(&heap.blocks);
    for (td_export_format format = TD_EXPORT_GLB; format <= TD_EXPORT_STL; ++format) {
        td_export_def def = td_default_export_def();
        def.format = format;
        def.tolerance = 1e-3;
        td_result result = TD_ERROR_MEMORY;
        long failing = 0;
        for (; result != TD_OK; ++failing) {
            assert_true(failing < 1000);
            test_heap_fail(&heap, failing, failing + 1);
            result = td_export_recording(NULL, recording, desk->written, &def);
            if (result != TD_OK) {
                test_expect_sentence(result, TD_ERROR_MEMORY, "out of memory");
                assert_int_equal(access(desk->written, F_OK), -1);
            }
            assert_int_equal(atomic_load(&heap.blocks), blocks);
        }
        assert_true(failing > 1);
        unlink(desk->written);
    }
    test_heap_recover(&heap);
    td_close_recording(recording);
    td_destroy_context(context);
    assert_int_equal(atomic_load(&heap.blocks), 0);
    assert_int_equal(atomic_load(&heap.mistakes), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_refusals, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_limits, test_make_desk, test_drop_desk),
        cmocka_unit_test_setup_teardown(test_out_of_memory, test_make_desk, test_drop_desk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
