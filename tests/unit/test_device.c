// Devices: buffers, kernels, times, prefix sums, compaction, known answers. Runs on the first OpenCL device
// that is usable; without one, says so and skips.
#include "test_device_support.h"

#include "device/check.h"
#include "support/random.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------------------
// What there is, and what is missing

static void test_no_library(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    const char *before = getenv("TANDEM_OPENCL_LIBRARY");
    char *kept = before != NULL ? strdup(before) : NULL;
    setenv("TANDEM_OPENCL_LIBRARY", "libno-such-opencl.so", 1);
    uint32_t count = 7;
    test_fails(td_list_devices(NULL, 0, &count, world->context), TD_ERROR_DEVICE, "libno-such-opencl.so");
    assert_int_equal(count, 0);
    td_device *device = NULL;
    test_fails(td_create_device_by_name(&device, world->context, "opencl"), TD_ERROR_DEVICE,
               "no OpenCL library");
    test_fails(td_create_device_by_name(&device, world->context, "opencl:0"), TD_ERROR_DEVICE,
               "no OpenCL library");
    world->note_count = 0;
    test_ok(td_create_device_by_name(&device, world->context, "auto"));
    assert_null(device);
    assert_true(test_was_noted(world, "no OpenCL library"));
    setenv("TANDEM_OPENCL_LIBRARY", "libm.so.6", 1);
    test_fails(td_list_devices(NULL, 0, &count, world->context), TD_ERROR_DEVICE, "lacks cl");
    unsetenv("TANDEM_OPENCL_LIBRARY");
    if (kept != NULL) {
        setenv("TANDEM_OPENCL_LIBRARY", kept, 1);
        free(kept);
    }
}

static void test_list(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    td_device_info infos[16], told;
    uint32_t count = 0;
    test_ok(td_list_devices(NULL, 0, &count, world->context));
    assert_true(count >= 1);
    uint32_t again = 0;
    test_ok(td_list_devices(infos, 16, &again, world->context));
    assert_int_equal(again, count);
    for (uint32_t i = 0; i < count && i < 16; ++i) {
        assert_int_equal(infos[i].index, i);
        assert_true(infos[i].name[0] != 0 && infos[i].platform[0] != 0 && infos[i].version[0] != 0);
        assert_true(infos[i].memory > 0 && infos[i].largest_allocation > 0 && infos[i].compute_units > 0);
    }
    td_device_describe(&told, world->device);
    assert_memory_equal(&told, &infos[0], sizeof told);
    assert_ptr_equal(td_device_context(world->device), world->context);
    assert_int_equal(td_device_has_float64(world->device), told.float64);
    assert_int_equal(td_device_compute_units(world->device), told.compute_units);
    td_device *device = NULL;
    test_fails(td_create_device_by_name(&device, world->context, "opencl:12345"), TD_ERROR_DEVICE,
               "opencl:0 (");
}

// ---------------------------------------------------------------------------------------------------------
// Buffers

static void test_buffers(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    td_device *device = world->device;
    const uint64_t left = td_device_memory_left(device);
    uint32_t words[1000], back[1000];
    for (uint32_t i = 0; i < 1000; ++i) {
        words[i] = i * 2654435761u;
    }
    td_device_buffer buffer = {0};
    test_ok(td_buffer_reserve(device, &buffer, 0, 0));
    assert_null(buffer.memory);
    test_ok(td_buffer_reserve(device, &buffer, 400, 0));
    assert_true(buffer.size >= 400 && td_device_memory_left(device) == left - buffer.size);
    test_ok(td_buffer_write(device, &buffer, 0, words, 400));
    test_ok(td_buffer_reserve(device, &buffer, 401, 200)); // grows by half at least, keeps the first half
    assert_true(buffer.size >= 600 && td_device_memory_left(device) == left - buffer.size);
    test_ok(td_buffer_read(device, back, &buffer, 0, 200));
    assert_memory_equal(back, words, 200);
    test_ok(td_buffer_reserve(device, &buffer, 4000, 200));
    test_ok(td_buffer_write(device, &buffer, 200, words + 50, 3800));
    memset(back, 0, sizeof back);
    test_ok(td_buffer_read(device, back, &buffer, 0, 4000));
    assert_memory_equal(back, words, 4000);
    test_ok(td_buffer_fill(device, &buffer, 40, 20, 0xdeadbeefu));
    test_ok(td_buffer_read(device, back, &buffer, 4, 3996));
    for (uint32_t i = 1; i < 1000; ++i) {
        assert_int_equal(back[i - 1], i >= 10 && i < 30 ? 0xdeadbeefu : words[i]);
    }
    test_fails(td_buffer_write(device, &buffer, buffer.size, words, 4), TD_ERROR_ARGUMENT, "not inside");
    test_fails(td_buffer_read(device, back, &buffer, SIZE_MAX, 4), TD_ERROR_ARGUMENT, "not inside");
    test_fails(td_buffer_fill(device, &buffer, 8, buffer.size / 4 - 1, 0), TD_ERROR_ARGUMENT, "not inside");
    test_ok(td_buffer_write(device, &buffer, buffer.size, words, 0));
    td_buffer_release(device, &buffer);
    assert_true(buffer.memory == NULL && buffer.size == 0 && td_device_memory_left(device) == left);
    td_buffer_release(device, &buffer);
}

static void test_short(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    td_device_buffer buffer = {0};
    test_fails(td_buffer_reserve(world->device, &buffer, (size_t)1 << 62, 0), TD_ERROR_DEVICE,
               "ran out of memory: a buffer of 4611686018427387904 bytes");
    assert_true(td_device_is_short(world->device));
    const td_kernel *kernel;
    test_fails(td_find_kernel(&kernel, world->device, "scan", "-DTD_SCAN_GROUP=x", "td_scan_blocks"),
               TD_ERROR_DEVICE, "kernels/scan.cl");
    assert_false(td_device_is_short(world->device)); // the last failure was another

    td_device_def def = test_def(world);
    def.memory_limit = 1 << 20;
    td_device *device = NULL;
    test_ok(td_create_device(&device, world->context, &def));
    assert_true(td_device_memory_left(device) <= 1 << 20);
    test_ok(td_buffer_reserve(device, &buffer, 300 << 10, 0));
    const td_device_buffer before = buffer;
    test_fails(td_buffer_reserve(device, &buffer, 900 << 10, 0), TD_ERROR_DEVICE, "1048576 bytes are in use");
    assert_true(td_device_is_short(device));
    assert_memory_equal(&buffer, &before, sizeof buffer);
    td_device_buffer other = {0}; // half as much again does not fit, just enough does
    test_ok(td_buffer_reserve(device, &other, 250 << 10, 0));
    test_ok(td_buffer_reserve(device, &other, 251 << 10, 4));
    td_buffer_release(device, &other);
    test_ok(td_buffer_reserve(device, &other, 600 << 10, 0));
    uint32_t total = 0; // no room for the scratch memory
    test_fails(td_device_compact(device, &buffer, &other, 4800 << 10, &total), TD_ERROR_DEVICE,
               "ran out of memory");
    assert_true(td_device_is_short(device));
    td_buffer_release(device, &other);
    td_buffer_release(device, &buffer);
    td_destroy_device(device);
}

// ---------------------------------------------------------------------------------------------------------
// Kernels and times

static void test_kernels(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    td_device *device = world->device;
    const td_kernel *kernel = NULL, *again = NULL;
    test_ok(td_find_kernel(&kernel, device, "compact", NULL, "td_compact_count"));
    test_ok(td_find_kernel(&again, device, "compact", "", "td_compact_count"));
    assert_ptr_equal(kernel, again);
    test_ok(td_find_kernel(&again, device, "compact", "-DTD_OTHER=1", "td_compact_count"));
    assert_ptr_not_equal(kernel, again);
    test_fails(td_find_kernel(&again, device, "nothing", NULL, "x"), TD_ERROR_ARGUMENT, "kernels/nothing.cl");
    test_fails(td_find_kernel(&again, device, "compact", NULL, "td_nothing"), TD_ERROR_DEVICE, "td_nothing");
    world->note_count = 0;
    test_fails(td_find_kernel(&again, device, "compact", "-Dtd_words_of=+", "td_compact_count"),
               TD_ERROR_DEVICE, "kernels/compact.cl does not compile");
    assert_true(test_was_noted(world, "kernels/compact.cl: "));

    td_device_buffer buffer = {0};
    test_ok(td_buffer_reserve(device, &buffer, 64, 0));
    test_ok(td_buffer_fill(device, &buffer, 0, 16, 0xff));
    const uint32_t count = 8 * 32;
    td_device_buffer counts = {0};
    test_ok(td_buffer_reserve(device, &counts, 64, 0));
    test_ok(td_buffer_fill(device, &counts, 0, 16, 99));
    const td_kernel_argument arguments[] = {TD_ARG_BUFFER(&counts), TD_ARG_BUFFER(&buffer),
                                            TD_ARG_VALUE(count)};
    test_fails(td_run_kernel(device, kernel, 8, 4, arguments, 2, TD_STAGE_OTHER), TD_ERROR_ARGUMENT,
               "has 3 arguments: 2 were given");
    test_fails(td_run_kernel(device, kernel, 8, 0, arguments, 3, TD_STAGE_OTHER), TD_ERROR_ARGUMENT,
               "groups of 0");
    test_fails(td_run_kernel(device, kernel, 8, (size_t)1 << 40, arguments, 3, TD_STAGE_OTHER),
               TD_ERROR_DEVICE, "td_compact_count");
    const td_kernel_argument wrong[] = {TD_ARG_BUFFER(&counts), TD_ARG_BUFFER(&buffer), TD_ARG_LOCAL(16)};
    test_fails(td_run_kernel(device, kernel, 8, 4, wrong, 3, TD_STAGE_OTHER), TD_ERROR_DEVICE, "argument 2");
    test_ok(td_run_kernel(device, kernel, 0, 4, arguments, 3, TD_STAGE_OTHER));
    test_ok(td_run_kernel(device, kernel, 9, 4, arguments, 3, TD_STAGE_OTHER)); // 12 work-items
    uint32_t back[16];
    test_ok(td_buffer_read(device, back, &counts, 0, 64));
    for (int i = 0; i < 16; ++i) {
        assert_int_equal(back[i], i < 8 ? 8 : 99);
    }
    td_buffer_release(device, &buffer);
    td_buffer_release(device, &counts);
}

static void test_times(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    td_device *device = world->device;
    test_ok(td_device_finish(device));
    td_device_reset_times(device);
    const td_device_times none = {0};
    td_device_times times = td_device_sum_times(device);
    assert_memory_equal(&times, &none, sizeof none);
    const uint32_t count = 20000;
    uint32_t *words = calloc(count, sizeof *words);
    assert_non_null(words);
    td_device_buffer buffer = {0};
    test_ok(td_buffer_reserve(device, &buffer, count * sizeof *words, 0));
    test_ok(td_buffer_write(device, &buffer, 0, words, count * sizeof *words));
    test_ok(td_device_scan(device, &buffer, count, NULL));
    test_ok(td_buffer_read(device, words, &buffer, 0, 1000));
    test_ok(td_device_finish(device));
    times = td_device_sum_times(device);
    assert_true(times.ms[TD_STAGE_COLLECT] > 0);
    assert_true(times.ms[TD_STAGE_BOXES] == 0);
    assert_int_equal(times.bytes_in, count * sizeof *words);
    assert_int_equal(times.bytes_out, 1000);
    assert_true(times.launches >= 3);
    for (int i = 0; i < 3000; ++i) { // more commands than events are kept for
        test_ok(td_buffer_fill(device, &buffer, 0, 1, 0));
        assert_true(device->events.count <= 1024);
    }
    test_ok(td_device_finish(device));
    assert_int_equal(device->events.count, 0);
    assert_true(td_device_sum_times(device).launches == times.launches); // a fill is no kernel of ours
    assert_true(td_device_sum_times(device).ms[TD_STAGE_OTHER] >= times.ms[TD_STAGE_OTHER]);
    td_buffer_release(device, &buffer);
    free(words);
}

// ---------------------------------------------------------------------------------------------------------
// Prefix sums and compaction, against serial loops

static void test_scan_of(td_device *device, uint32_t count, uint32_t seed) {
    test_random random = {seed};
    uint32_t *words = malloc((count + 8) * sizeof *words), *back = malloc((count + 8) * sizeof *words);
    assert_true(words != NULL && back != NULL);
    uint32_t mask = 0xffffffffu; // so that the sum fits
    while (count > 0 && mask > 0xffffffffu / count) {
        mask >>= 1;
    }
    for (uint32_t i = 0; i < count + 8; ++i) {
        words[i] = (uint32_t)test_random_bits(&random) & mask;
    }
    td_device_buffer buffer = {0};
    test_ok(td_buffer_reserve(device, &buffer, (count + 8) * sizeof *words, 0));
    test_ok(td_buffer_write(device, &buffer, 0, words, (count + 8) * sizeof *words));
    uint32_t total = 77, sum = 0;
    test_ok(td_device_scan(device, &buffer, count, &total));
    test_ok(td_buffer_read(device, back, &buffer, 0, (count + 8) * sizeof *words));
    for (uint32_t i = 0; i < count; ++i) {
        if (back[i] != sum) {
            fail_msg("scan of %u words, word %u: %u, expected %u", count, i, back[i], sum);
        }
        sum += words[i];
    }
    assert_int_equal(total, sum);
    assert_memory_equal(back + count, words + count, 8 * sizeof *words); // nothing beyond is touched
    td_buffer_release(device, &buffer);
    free(words);
    free(back);
}

static void test_compact_of(td_device *device, uint32_t count, uint32_t density, uint32_t seed) {
    test_random random = {seed};
    const uint32_t words = count / 32 + 1; // the bits beyond the end are random, too
    uint32_t *flags = malloc(words * sizeof *flags), *back = malloc((count + 1) * sizeof *back);
    assert_true(flags != NULL && back != NULL);
    for (uint32_t i = 0; i < words; ++i) {
        flags[i] = 0;
        for (uint32_t k = 0; k < 32; ++k) {
            flags[i] |= (uint32_t)(test_random_bits(&random) % 100 < density) << k;
        }
    }
    td_device_buffer buffer = {0}, out = {0};
    test_ok(td_buffer_reserve(device, &buffer, words * sizeof *flags, 0));
    test_ok(td_buffer_write(device, &buffer, 0, flags, words * sizeof *flags));
    uint32_t total = 77, expected = 0;
    test_ok(td_device_compact(device, &out, &buffer, count, &total));
    test_ok(td_buffer_read(device, back, &out, 0, total * sizeof *back));
    for (uint32_t i = 0; i < count; ++i) {
        if ((flags[i / 32] >> i % 32 & 1) != 0) {
            if (expected >= total || back[expected] != i) {
                fail_msg("compaction of %u flags: number %u of %u is not %u", count, expected, total, i);
            }
            ++expected;
        }
    }
    assert_int_equal(total, expected);
    td_buffer_release(device, &buffer);
    td_buffer_release(device, &out);
    free(flags);
    free(back);
}

static void test_collecting(td_device *device) {
    static const uint32_t counts[] = {0,    1,    2,    255,   256,   257,   2047,   2048,
                                      2049, 4097, 6000, 65535, 65536, 65537, 131072, 1000003};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        if (!test_is_slow() || counts[i] <= 6000) {
            test_scan_of(device, counts[i], (uint32_t)i + 1);
            test_compact_of(device, counts[i], 3, (uint32_t)i + 100);
        }
    }
    test_compact_of(device, 5000, 0, 1);
    test_compact_of(device, 5000, 100, 1);
    if (!test_is_slow() && getenv("TD_TEST_QUICK") == NULL) {
        test_scan_of(device, 1 << 24, 5); // three levels
    }
}

static void test_collect(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    test_collecting(world->device);
    const td_device_buffer small = {NULL, 16};
    td_device_buffer words = small;
    uint32_t total = 1;
    test_fails(td_device_scan(world->device, &words, 5, &total), TD_ERROR_ARGUMENT, "16 bytes");
    test_fails(td_device_compact(world->device, &words, &small, 129, &total), TD_ERROR_ARGUMENT, "16 bytes");
}

// The device chooses one way to share the words out: here are the others.
static void test_collect_shapes(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    static const uint32_t shapes[][2] = {{1, 2048}, {1, 8}, {2, 8}, {16, 8}, {64, 8}, {256, 8}};
    td_device *device = world->device;
    const uint32_t group = device->scan_group, words = device->scan_words;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        device->scan_group = shapes[i][0];
        device->scan_words = shapes[i][1];
        for (uint32_t count = 1; count < (test_is_slow() ? 300 : 5000); count += count / 2 + 1) {
            test_scan_of(device, count, count);
        }
    }
    if (!test_is_slow()) { // groups of 256, on whatever device
        test_collecting(device);
    }
    device->scan_group = group;
    device->scan_words = words;
}

// ---------------------------------------------------------------------------------------------------------
// Known answers

static float test_float(uint64_t bits) {
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static double test_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define TEST_ANSWER(type, bits_type)                                                                         \
    static uint64_t test_answer_##type(uint64_t operation, type a, type b, type c) {                         \
        volatile type x = a, y = b, z = c, product;                                                          \
        type value = 0;                                                                                      \
        bits_type bits;                                                                                      \
        switch (operation) {                                                                                 \
        case TD_CHECK_ADD:                                                                                   \
            value = x + y;                                                                                   \
            break;                                                                                           \
        case TD_CHECK_MULTIPLY:                                                                              \
            value = x * y;                                                                                   \
            break;                                                                                           \
        case TD_CHECK_FMA:                                                                                   \
            value = sizeof(type) == 4 ? (type)fmaf((float)x, (float)y, (float)z)                             \
                                      : (type)fma((double)x, (double)y, (double)z);                          \
            break;                                                                                           \
        case TD_CHECK_MULTIPLY_SUBTRACT:                                                                     \
            product = x * y;                                                                                 \
            value = product - z;                                                                             \
            break;                                                                                           \
        case TD_CHECK_LESS:                                                                                  \
            return x < y;                                                                                    \
        case TD_CHECK_NOT_LESS:                                                                              \
            return !(x < y);                                                                                 \
        case TD_CHECK_EQUAL:                                                                                 \
            return x == y;                                                                                   \
        case TD_CHECK_NOT_EQUAL:                                                                             \
            return x != y;                                                                                   \
        default:                                                                                             \
            fail_msg("unknown operation");                                                                   \
        }                                                                                                    \
        memcpy(&bits, &value, sizeof bits);                                                                  \
        return bits;                                                                                         \
    }
TEST_ANSWER(float, uint32_t)
TEST_ANSWER(double, uint64_t)

// What is asked of devices is what the host answers.
static void test_known_answers(void **state) {
    (void)state;
    const td_check_cases f32 = td_float32_checks(), f64 = td_float64_checks();
    assert_true(f32.count > 10 && f64.count > 10);
    for (uint32_t i = 0; i < f32.count; ++i) {
        const td_check_case *c = &f32.cases[i];
        const uint64_t answer =
            test_answer_float(c->operation, test_float(c->a), test_float(c->b), test_float(c->c));
        if (answer != c->expected) {
            fail_msg("float32, %s: 0x%llx", c->name, (unsigned long long)answer);
        }
    }
    for (uint32_t i = 0; i < f64.count; ++i) {
        const td_check_case *c = &f64.cases[i];
        const uint64_t answer =
            test_answer_double(c->operation, test_double(c->a), test_double(c->b), test_double(c->c));
        if (answer != c->expected) {
            fail_msg("float64, %s: 0x%llx", c->name, (unsigned long long)answer);
        }
    }
}

// A device whose answers are not the expected ones: as seen from the check, the same as wrong expectations.
static void test_wrong_answers(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    td_check_case wrong[2] = {td_float32_checks().cases[0], td_float32_checks().cases[1]};
    wrong[1].expected ^= 1;
    test_fails(td_check_float32(world->device, (td_check_cases){wrong, 2}), TD_ERROR_DEVICE,
               "gave a wrong answer in check float32, a tie goes to even, up: got 0x3f800002, expected "
               "0x3f800003");
    if (!td_device_has_float64(world->device)) {
        return;
    }
    wrong[1] = td_float64_checks().cases[0];
    wrong[1].expected ^= 1;
    test_fails(td_check_float64(world->device, (td_check_cases){wrong + 1, 1}), TD_ERROR_DEVICE,
               "gave a wrong answer in check float64");
    uint32_t count;
    td_check_orientation flat = td_orientation_checks(&count)[4];
    flat.expected = 1;
    test_fails(td_check_orientations(world->device, &flat, 1), TD_ERROR_DEVICE, "got 0, expected 1");
}

static void test_without_float64(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    td_device_def def = test_def(world);
    def.without_float64 = true;
    td_device *device = NULL;
    test_ok(td_create_device(&device, world->context, &def));
    assert_false(td_device_has_float64(device));
    const td_kernel *kernel;
    test_fails(td_find_kernel(&kernel, device, "check", NULL, "td_check_float64"), TD_ERROR_DEVICE,
               "td_check_float64");
    td_destroy_device(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_library),      cmocka_unit_test(test_list),
        cmocka_unit_test(test_buffers),         cmocka_unit_test(test_short),
        cmocka_unit_test(test_kernels),         cmocka_unit_test(test_times),
        cmocka_unit_test(test_collect),         cmocka_unit_test(test_collect_shapes),
        cmocka_unit_test(test_known_answers),   cmocka_unit_test(test_wrong_answers),
        cmocka_unit_test(test_without_float64),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
