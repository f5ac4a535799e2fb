// Blocks of coordinates as bits: everything comes back, in the fewest bits that a search by brute force
// finds.
#include "io/record_block.h"
#include "support/random.h"
#include "test_io_support.h"

enum { TEST_MOST = 3 * TD_BLOCK_VERTICES };

typedef struct test_column {
    uint32_t now[TEST_MOST], before[TD_BLOCK_HISTORY][TEST_MOST];
    uint32_t count;
} test_column;

static td_block_history test_history(const test_column *column) {
    return (td_block_history){{column->before[0], column->before[1], column->before[2]}};
}

static size_t test_put(td_byte_writer *bytes, const test_column *column, bool key) {
    td_bit_writer writer = {.bytes = bytes};
    const td_block_history history = test_history(column);
    bytes->bytes.count = 0;
    for (uint32_t first = 0; first < column->count; first += TD_BLOCK_VERTICES) {
        const uint32_t left = column->count - first;
        td_put_block(&writer, column->now, key ? NULL : &history, first,
                     left < TD_BLOCK_VERTICES ? left : TD_BLOCK_VERTICES);
    }
    const size_t bits = 8 * bytes->bytes.count + writer.count;
    td_end_bits(&writer);
    assert_int_equal(bytes->result, TD_OK);
    return bits;
}

static bool test_take(uint32_t *out, const uint8_t *bytes, size_t size, const test_column *column, bool key,
                      bool *exact) {
    td_byte_reader source = {.at = bytes, .end = bytes + size};
    td_bit_reader reader = {.bytes = &source};
    const td_block_history history = test_history(column);
    for (uint32_t first = 0; first < column->count; first += TD_BLOCK_VERTICES) {
        const uint32_t left = column->count - first;
        if (!td_take_block(&reader, out, key ? NULL : &history, first,
                           left < TD_BLOCK_VERTICES ? left : TD_BLOCK_VERTICES)) {
            return false;
        }
    }
    const bool finished = td_finish_bits(&reader);
    *exact = source.at == source.end;
    return finished;
}

static void test_expect_back(td_byte_writer *bytes, const test_column *column, bool key) {
    uint32_t out[TEST_MOST] = {0};
    bool exact = false;
    test_put(bytes, column, key);
    assert_true(test_take(out, bytes->bytes.items, bytes->bytes.count, column, key, &exact) && exact);
    assert_memory_equal(out, column->now, column->count * sizeof *out);
}

// A column of numbers that have something of everything: smooth, noisy, at rest, wild.
static void test_fill(test_column *column, test_random *random, int kind) {
    column->count = (uint32_t)test_random_int(random, 1, TEST_MOST);
    const uint32_t wide = kind % 3 == 0 ? 2 : kind % 3 == 1 ? 200 : 100000;
    for (uint32_t i = 0; i < column->count; ++i) {
        const uint32_t at = (uint32_t)(i * wide), speed = (uint32_t)test_random_int(random, -3, 3) + i;
        for (uint32_t k = 0; k < TD_BLOCK_HISTORY; ++k) {
            column->before[k][i] = at - speed * (k + 1) + (uint32_t)test_random_int(random, -1, 1);
        }
        column->now[i] = at + (uint32_t)test_random_int(random, -1, 1);
        const bool wild = kind >= 3 && test_random_int(random, 0, kind >= 6 ? 1 : 40) == 0;
        column->now[i] = wild ? (uint32_t)test_random_bits(random) : column->now[i];
        if (kind % 2 == 1 && test_random_int(random, 0, 30) != 0) {
            column->now[i] = column->before[0][i];
        }
    }
}

static void test_round_trips(void **state) {
    td_byte_writer bytes = {.context = *state};
    test_random random = {7};
    static test_column column;
    for (int round = 0; round < 4000; ++round) {
        test_fill(&column, &random, round % 8);
        test_expect_back(&bytes, &column, round % 5 == 0);
    }
    for (uint32_t i = 0; i < column.count; ++i) { // all at rest: heads alone
        column.now[i] = column.before[0][i];
    }
    const uint32_t blocks = (column.count + TD_BLOCK_VERTICES - 1) / TD_BLOCK_VERTICES;
    assert_int_equal(test_put(&bytes, &column, false), 8 * (size_t)blocks);
    td_array_release(bytes.context, &bytes.bytes);
}

// The least and the largest numbers, and both next to each other.
static void test_extremes(void **state) {
    td_byte_writer bytes = {.context = *state};
    static const uint32_t ends[] = {0, 1, UINT32_MAX, INT32_MAX, 0x80000000u, 0x80000001u};
    static test_column column;
    column.count = TD_BLOCK_VERTICES + 1;
    for (uint32_t a = 0; a < 6; ++a) {
        for (uint32_t b = 0; b < 6; ++b) {
            for (uint32_t i = 0; i < column.count; ++i) {
                column.now[i] = ends[i % 2 == 0 ? a : b];
                column.before[0][i] = ends[(i + a) % 6];
                column.before[1][i] = ends[(i + b) % 6];
                column.before[2][i] = ends[(i * i) % 6];
            }
            test_expect_back(&bytes, &column, false);
            test_expect_back(&bytes, &column, true);
        }
    }
    td_array_release(bytes.context, &bytes.bytes);
}

// ---------------------------------------------------------------------------------------------------------
// The fewest bits, by the book

static uint64_t test_rice_bits(uint32_t number, uint32_t k) {
    return number >> k < 16 ? (number >> k) + 1 + k : 48;
}

static uint64_t test_sparse_bits(const uint32_t *rest, uint32_t count, uint32_t k) {
    uint64_t bits = 4;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i;
        while (end < count && rest[end] == 0) {
            ++end;
        }
        bits += test_rice_bits(end - i, k) + (end < count ? test_rice_bits(rest[end] - 1, 0) : 0);
        i = end + 1;
    }
    return bits;
}

static int64_t test_number(uint32_t number) {
    return (int64_t)number - (number >> 31 != 0 ? INT64_C(1) << 32 : 0);
}

static uint64_t test_fewest_bits(const test_column *column, bool key) {
    uint64_t fewest = UINT64_MAX;
    for (int way = 0; way < (key ? 3 : 12); ++way) {
        int64_t d[TEST_MOST];
        uint32_t rest[TEST_MOST];
        bool zero = true;
        for (uint32_t i = 0; i < column->count; ++i) {
            const int64_t p1 = test_number(column->before[0][i]), p2 = test_number(column->before[1][i]);
            const int64_t p3 = test_number(column->before[2][i]);
            const int64_t predictions[] = {0, p1, 2 * p1 - p2, 3 * p1 - 3 * p2 + p3};
            d[i] = test_number(column->now[i]) - predictions[way / 3];
            const int64_t d1 = i > 0 ? d[i - 1] : 0, d2 = i > 1 ? d[i - 2] : 0;
            const int64_t along[] = {0, d1, 2 * d1 - d2};
            const int64_t e = test_number((uint32_t)(uint64_t)(d[i] - along[way % 3]));
            rest[i] = (uint32_t)(e >= 0 ? 2 * e : -2 * e - 1);
            zero = zero && e == 0;
        }
        for (uint32_t k = 0; k < 14; ++k) {
            uint64_t bits = 0;
            for (uint32_t i = 0; i < column->count; ++i) {
                bits += test_rice_bits(rest[i], k);
            }
            const uint64_t sparse = test_sparse_bits(rest, column->count, k);
            bits = sparse < bits ? sparse : bits;
            fewest = zero ? 0 : bits < fewest ? bits : fewest;
        }
    }
    return 8 + fewest;
}

static void test_fewest(void **state) {
    td_byte_writer bytes = {.context = *state};
    test_random random = {11};
    static test_column column;
    for (int round = 0; round < 1500; ++round) {
        test_fill(&column, &random, round % 8);
        column.count = column.count < TD_BLOCK_VERTICES ? column.count : TD_BLOCK_VERTICES;
        const bool key = round % 5 == 0;
        assert_int_equal(test_put(&bytes, &column, key), test_fewest_bits(&column, key));
    }
    td_array_release(bytes.context, &bytes.bytes);
}

// ---------------------------------------------------------------------------------------------------------

// Bits that nobody wrote: cut off, or at random. No read beyond, which sanitizers would see.
static void test_wrong_bits(void **state) {
    td_byte_writer bytes = {.context = *state};
    test_random random = {13};
    static test_column column;
    uint32_t out[TEST_MOST] = {0};
    bool exact;
    for (int round = 0; round < 300; ++round) {
        test_fill(&column, &random, round % 8);
        test_put(&bytes, &column, false);
        const size_t size = bytes.bytes.count;
        for (size_t cut = 0; cut < size; cut += 1 + size / 40) {
            uint8_t *copy = malloc(cut + 1);
            assert_non_null(copy);
            memcpy(copy, bytes.bytes.items, cut);
            assert_false(test_take(out, copy, cut, &column, false, &exact));
            for (size_t i = 0; i < cut; ++i) {
                copy[i] = (uint8_t)test_random_bits(&random);
            }
            (void)test_take(out, copy, cut, &column, false, &exact);
            free(copy);
        }
    }
    td_array_release(bytes.context, &bytes.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trips), cmocka_unit_test(test_extremes),
                                       cmocka_unit_test(test_fewest), cmocka_unit_test(test_wrong_bits)};
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
