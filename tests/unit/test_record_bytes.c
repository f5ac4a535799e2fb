// What recordings are made of: checksums, numbers as bytes, and poses on a grid, within the precision that is
// promised.
#include "io/record_pose.h"
#include "support/random.h"
#include "test_record_support.h"

// ---------------------------------------------------------------------------------------------------------
// Bytes

static uint32_t test_slow_crc(const uint8_t *bytes, size_t size) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < 8 * size; ++i) {
        const uint32_t bit = (crc ^ (uint32_t)bytes[i / 8] >> i % 8) & 1u;
        crc = crc >> 1 ^ (bit != 0 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

static void test_checksums(void **state) {
    (void)state;
    td_crc_tables tables;
    td_fill_crc_tables(&tables);
    assert_int_equal(td_crc32(&tables, 0, "123456789", 9), 0xcbf43926u); // the check value of the catalogue
    assert_int_equal(td_fnv_add(TD_FNV_START, 0x0123456789abcdefu), 0x37eb3f3347761c55u);
    test_random random = {1};
    uint8_t bytes[100];
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (uint8_t)test_random_bits(&random);
    }
    for (size_t from = 0; from < 10; ++from) {
        for (size_t to = from; to < sizeof bytes; ++to) {
            const uint32_t whole = td_crc32(&tables, 0, bytes + from, to - from);
            assert_int_equal(whole, test_slow_crc(bytes + from, to - from));
            const size_t middle = from + (to - from) / 3;
            const uint32_t first = td_crc32(&tables, 0, bytes + from, middle - from);
            assert_int_equal(td_crc32(&tables, first, bytes + middle, to - middle), whole);
        }
    }
}

static void test_numbers_as_bytes(void **state) {
    td_context *context = ((test_bench *)*state)->context;
    static const int64_t numbers[] = {
        0, 1, -1, 63, 64, -64, -65, 8191, 8192, INT64_C(1) << 52, -(INT64_C(1) << 52)};
    td_byte_writer writer = {.context = context};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        const size_t before = writer.bytes.count;
        td_put_signed(&writer, numbers[i]);
        assert_true(writer.bytes.count - before <= TD_VARINT_MOST);
        assert_int_equal(writer.bytes.count - before == 1, numbers[i] >= -64 && numbers[i] < 64);
    }
    td_put_f64(&writer, -0.1);
    td_put_text(&writer, "text", 4);
    td_put_text(&writer, "a\0b", 3);
    td_byte_reader reader = td_read_bytes_of(&writer.bytes);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        assert_int_equal(td_take_signed(&reader), numbers[i]);
    }
    assert_true(td_take_f64(&reader) == -0.1);
    size_t length;
    assert_string_equal(td_take_text(&reader, &length), "text");
    assert_int_equal(length, 4);
    assert_false(reader.failed);
    td_take_text(&reader, &length); // a text with a zero inside is none
    assert_true(reader.failed);
    static const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    reader = (td_byte_reader){.at = endless, .end = endless + sizeof endless};
    td_take_varint(&reader);
    assert_true(reader.failed);
    td_array_release(context, &writer.bytes);
}

// ---------------------------------------------------------------------------------------------------------
// Precision

static void test_precision(void **state) {
    (void)state;
    static const double centres[] = {0, 0.3, -1e3, 6.4e6, 1e12};
    static const double sizes[] = {1e-6, 1, 50, 1e4};
    test_random random = {2};
    for (size_t c = 0; c < sizeof centres / sizeof *centres; ++c) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            double lower[3], upper[3];
            for (int k = 0; k < 3; ++k) {
                lower[k] = centres[c] - sizes[s];
                upper[k] = centres[c] + sizes[s];
            }
            const double diagonal = sqrt(12) * sizes[s];
            const td_pose_grid grid = td_choose_grid(lower, upper, 0);
            const td_pose_grid fine = td_choose_grid(lower, upper, 1e-3 * sizes[s]);
            int exponent;
            assert_true(frexp(grid.unit, &exponent) == 0.5);
            const double rounding = fabs(centres[c]) * 0x1p-52; // of the box itself
            assert_true(grid.unit <= 1e-6 * diagonal + rounding && grid.unit >= 0.4e-6 * diagonal - rounding);
            assert_true(fine.unit <= 1e-3 * sizes[s] * 0x1p-15);
            for (int i = 0; i < 200; ++i) {
                // Ten times beyond the box as well: what falls off must not lose its precision.
                const td_pose pose = test_random_pose(&random, 10 * sizes[s]);
                td_pose moved = pose;
                for (int k = 0; k < 3; ++k) {
                    moved.position[k] += centres[c];
                }
                const td_grid_pose coded = td_pose_to_grid(&moved, &grid);
                const td_pose back = td_pose_from_grid(&coded, &grid);
                const double most = 0.5 * grid.unit + (fabs(centres[c]) + 10 * sizes[s]) * 0x1p-51;
                for (int k = 0; k < 3; ++k) {
                    assert_true(fabs(back.position[k] - moved.position[k]) <= most);
                }
                assert_true(test_angle(back.rotation, pose.rotation) < 1.9e-5);
                assert_int_equal(td_check_pose(&back), TD_OK);
            }
        }
    }
}

// Rotations where the components tie, and those by nothing, which come back as they are.
static void test_special_rotations(void **state) {
    (void)state;
    const td_pose_grid grid = {{0, 0, 0}, 1};
    for (int i = 0; i < 81; ++i) {
        td_pose pose = td_pose_identity();
        double square = 0;
        for (int k = 0, rest = i; k < 4; ++k, rest /= 3) {
            pose.rotation[k] = rest % 3 - 1;
            square += pose.rotation[k] * pose.rotation[k];
        }
        for (int k = 0; k < 4 && square > 0; ++k) {
            pose.rotation[k] /= sqrt(square);
        }
        if (square > 0) {
            const td_grid_pose coded = td_pose_to_grid(&pose, &grid);
            const td_pose back = td_pose_from_grid(&coded, &grid);
            assert_true(test_angle(back.rotation, pose.rotation) < 1.9e-5);
        }
        if (square == 1) {
            const td_grid_pose coded = td_pose_to_grid(&pose, &grid);
            const td_pose back = td_pose_from_grid(&coded, &grid);
            for (int k = 0; k < 4; ++k) {
                assert_true(fabs(back.rotation[k]) == fabs(pose.rotation[k]));
            }
        }
    }
}

static void test_odd_boxes(void **state) {
    (void)state;
    static const double zero[3], huge[3] = {1e300, 1e300, 1e300}, low[3] = {-1e300, -1e300, -1e300};
    const td_pose_grid point = td_choose_grid(zero, zero, 0), all = td_choose_grid(low, huge, 1);
    assert_true(point.unit > 0 && point.origin[0] == 0);
    assert_true(all.unit > 0 && isfinite(all.unit) && all.origin[1] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checksums), cmocka_unit_test(test_numbers_as_bytes),
        cmocka_unit_test(test_precision), cmocka_unit_test(test_special_rotations),
        cmocka_unit_test(test_odd_boxes)};
    return cmocka_run_group_tests(tests, test_make_bench, test_drop_bench);
}
