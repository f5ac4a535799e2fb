// What devices are called, and what a build without OpenCL says. Needs no OpenCL.
#include "support/cmocka_all.h"
#include "support/results.h"

#include "device/device.h"

#include <string.h>

static int test_open(void **state) {
    td_context *context = NULL;
    const td_context_def def = td_default_context_def();
    test_ok(td_create_context(&context, &def));
    *state = context;
    return 0;
}

static int test_close(void **state) {
    td_destroy_context(*state);
    return 0;
}

static void test_texts(void **state) {
    td_context *context = *state;
    td_device *device = (td_device *)(void *)context;
    test_ok(td_create_device_by_name(&device, context, "native"));
    assert_null(device);
    static const char *const wrong[] = {"",          "cuda",      "opencl:",  "opencl:x",
                                        "opencl:-1", "opencl:1x", "OpenCL:0", "opencl:99999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        device = (td_device *)(void *)context;
        test_fails(td_create_device_by_name(&device, context, wrong[i]), TD_ERROR_ARGUMENT,
                   "expected native, opencl");
        assert_null(device);
    }
}

static void test_names(void **state) {
    (void)state;
    for (int i = 0; i < TD_STAGE_COUNT; ++i) {
        for (int k = 0; k < i; ++k) {
            assert_string_not_equal(td_device_stage_name((td_device_stage)i),
                                    td_device_stage_name((td_device_stage)k));
        }
    }
    assert_string_equal(td_device_stage_name(TD_STAGE_COPY_IN), "copy in");
    assert_string_equal(td_device_kind_name(TD_DEVICE_CPU), "cpu");
    assert_string_equal(td_device_kind_name(TD_DEVICE_GPU), "gpu");
    assert_string_equal(td_device_kind_name(TD_DEVICE_ACCELERATOR), "accelerator");
    assert_string_equal(td_device_kind_name(TD_DEVICE_OTHER), "other");
}

static void test_definition(void **state) {
    td_context *context = *state;
    td_device *device = NULL;
    const td_device_def def = {0};
    const td_result result = td_create_device(&device, context, &def);
    assert_null(device);
#ifdef TANDEM_HAVE_OPENCL
    test_fails(result, TD_ERROR_ARGUMENT, "td_default_device_def");
#else
    test_fails(result, TD_ERROR_DEVICE, "this build has no OpenCL");
#endif
}

#ifndef TANDEM_HAVE_OPENCL
static void test_without_opencl(void **state) {
    td_context *context = *state;
    static const char sentence[] = "this build has no OpenCL";
    td_device *device = NULL;
    uint32_t count = 5;
    test_fails(td_list_devices(NULL, 0, &count, context), TD_ERROR_DEVICE, sentence);
    assert_int_equal(count, 0);
    test_fails(td_create_device_by_name(&device, context, "opencl"), TD_ERROR_DEVICE, sentence);
    test_fails(td_create_device_by_name(&device, context, "opencl:0"), TD_ERROR_DEVICE, sentence);
    test_ok(td_create_device_by_name(&device, context, "auto"));
    assert_null(device);
    td_device *none = (td_device *)(void *)context; // whatever it is, it is not looked at
    td_device_buffer buffer = {0};
    const td_kernel *kernel;
    test_fails(td_buffer_reserve(none, &buffer, 4, 0), TD_ERROR_DEVICE, sentence);
    test_fails(td_find_kernel(&kernel, none, "scan", NULL, "x"), TD_ERROR_DEVICE, sentence);
    test_fails(td_device_scan(none, &buffer, 1, NULL), TD_ERROR_DEVICE, sentence);
    test_fails(td_device_finish(none), TD_ERROR_DEVICE, sentence);
    td_destroy_device(NULL);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_definition),
#ifndef TANDEM_HAVE_OPENCL
        cmocka_unit_test(test_without_opencl),
#endif
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
