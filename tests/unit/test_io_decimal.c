// Decimal text against strtod of the C locale, bit for bit.
#include "io/decimal.h"
#include "support/cmocka_all.h"
#include "support/random.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double test_parse(const char *text) {
    double value = -77;
    const char *at = text;
    const char *end = text + strlen(text);
    if (td_decimal_parse(&value, &at, end) != TD_DECIMAL_OK || at != end) {
        fail_msg("'%s' is a number", text);
    }
    return value;
}

static void test_same_as_strtod(const char *text) {
    const double found = test_parse(text), wanted = strtod(text, NULL);
    if (memcmp(&found, &wanted, sizeof found) != 0) {
        fail_msg("'%s': %.17g, strtod has %.17g", text, found, wanted);
    }
}

static void test_known(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+0.0",
                                        "1",
                                        "-1",
                                        "1.",
                                        ".5",
                                        "-.5e1",
                                        "1e0",
                                        "1E+2",
                                        "1e-2",
                                        "00012.500",
                                        "9007199254740993",                           // 2^53 + 1: a tie
                                        "9007199254740995",                           // and one that goes up
                                        "9007199254740993.0000000000000000000000001", // just beyond the tie
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9999999999999999999",
                                        "99999999999999999999",
                                        "10000000000000000000000",
                                        "1e22",
                                        "1e23",
                                        "123456789012345678e27",
                                        "123456789012345678e28",
                                        "1e-27",
                                        "1e-28",
                                        "7e-27",
                                        "8.5e-22",
                                        "1e-22",
                                        "1e-23",
                                        "0.1",
                                        "0.10000000000000001",
                                        "0.3",
                                        "2.2250738585072014e-308",
                                        "2.2250738585072011e-308",
                                        "4.9406564584124654e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "1e-400",
                                        "1.7976931348623157e308",
                                        "0e999999999999999999999",
                                        "0.000000000000000000000000000000000000001e39",
                                        "31165.1952999999994062819",
                                        "-721.6140139999999973952",
                                        "5152.3896500000000742148",
                                        "6.0221407599999999999999999999999999999999e23"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        test_same_as_strtod(texts[i]);
    }
}

// The exact midpoint between 1 and its successor, with a digit more or less far behind.
static void test_midpoints(void **state) {
    (void)state;
    const char *half = "1.00000000000000011102230246251565404236316680908203125";
    char text[2000];
    assert_true(test_parse(half) == 1.0);
    snprintf(text, sizeof text, "%s%01000d1", half, 0);
    assert_true(test_parse(text) == nextafter(1.0, 2.0));
    snprintf(text, sizeof text, "%s%01000d", half, 0);
    assert_true(test_parse(text) == 1.0);
    // The longest midpoint there is: half of the smallest subnormal's successor has 767 digits.
    snprintf(text, sizeof text, "%.1100f", 3 * ldexp(1, -1074));
    test_same_as_strtod(text);
    // A long run of zeros in front, an exponent that undoes it.
    snprintf(text, sizeof text, "0.%01500d1e1501", 0);
    assert_true(test_parse(text) == 1.0);
    snprintf(text, sizeof text, "1%01500de-1500", 0);
    assert_true(test_parse(text) == 1.0);
}

static void test_random_texts(void **state) {
    (void)state;
    test_random random = {17};
    char text[64];
    for (int i = 0; i < 1000000; ++i) {
        const uint64_t bits = test_random_bits(&random);
        const int digits = test_random_int(&random, 1, 24);
        const int kind = test_random_int(&random, 0, 3);
        if (kind == 0) { // any float64
            double value;
            memcpy(&value, &bits, sizeof value);
            if (!isfinite(value)) {
                continue;
            }
            snprintf(text, sizeof text, "%.*e", digits, value);
        } else if (kind == 1) { // what meshes have
            snprintf(text, sizeof text, "%.*f", digits, test_random_range(&random, -1000, 1000));
        } else if (kind == 2) { // digits of all lengths about the limits of the fast paths
            snprintf(text, sizeof text, "%llue%d",
                     (unsigned long long)(bits >> test_random_int(&random, 0, 63)),
                     test_random_int(&random, -32, 32));
        } else { // exactly between two float64
            const double value = ldexp((double)(bits >> 12 | 1u << 20), test_random_int(&random, -60, 10));
            snprintf(text, sizeof text, "%.30g", value + ldexp(value, -53));
        }
        test_same_as_strtod(text);
    }
}

static void test_not_numbers(void **state) {
    (void)state;
    static const char *const texts[] = {"", "-", "+", ".", "-.", "e5", ".e5", "x", "--1", "#"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        double value = 7;
        const char *at = texts[i];
        assert_int_equal(td_decimal_parse(&value, &at, texts[i] + strlen(texts[i])), TD_DECIMAL_MALFORMED);
        assert_ptr_equal(at, texts[i]);
        assert_true(value == 7);
    }
}

static void test_not_finite(void **state) {
    (void)state;
    static const char *const texts[] = {
        "nan", "-NaN", "inf", "-Infinity", "1e309", "-1.7976931348623159e308", "1e999999999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        double value = 7;
        const char *at = texts[i], *end = texts[i] + strlen(texts[i]);
        assert_int_equal(td_decimal_parse(&value, &at, end), TD_DECIMAL_NOT_FINITE);
        assert_ptr_equal(at, end);
        assert_true(value == 7);
    }
}

// Reads no further than the number, and never beyond the end.
static void test_ends(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length, read;
        double value;
    } cases[] = {{"12345", 3, 3, 123}, {"1e5", 2, 1, 1},     {"1e+", 3, 1, 1},  {"1.5/2", 5, 3, 1.5},
                 {"7e5", 3, 3, 7e5},   {"1.5.5", 5, 3, 1.5}, {"-2 ", 3, 2, -2}, {"3e-x", 4, 1, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double value;
        const char *at = cases[i].text;
        assert_int_equal(td_decimal_parse(&value, &at, cases[i].text + cases[i].length), TD_DECIMAL_OK);
        assert_int_equal(at - cases[i].text, cases[i].read);
        assert_true(value == cases[i].value);
    }
}

static void test_format(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},    {1, "1"},     {-0.5, "-0.5"}, {1e22, "1e+22"},
                 {1.0 / 3, NULL}, {0.3, "0.3"}, {5e-324, NULL}, {DBL_MAX, "1.7976931348623157e+308"}};
    test_random random = {4};
    char text[TD_DECIMAL_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const int length = td_decimal_format(text, cases[i].value);
        assert_int_equal(length, strlen(text));
        assert_true(test_parse(text) == cases[i].value);
        if (cases[i].text != NULL) {
            assert_string_equal(text, cases[i].text);
        }
    }
    for (int i = 0; i < 100000; ++i) {
        const uint64_t bits = test_random_bits(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            assert_in_range(td_decimal_format(text, value), 1, TD_DECIMAL_BYTES - 1);
            assert_true(test_parse(text) == value);
        }
    }
}

// A caller's locale with a decimal comma changes nothing.
static void test_comma_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8", "de_DE"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && found == NULL; ++i) {
        found = setlocale(LC_ALL, names[i]);
    }
    if (found == NULL) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    char text[TD_DECIMAL_BYTES];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); // the locale does what it is here for
    td_decimal_format(text, 0.1);
    assert_string_equal(text, "0.1");
    assert_true(test_parse("1.5") == 1.5);
    assert_true(test_parse("1.5e-300") == 0x1.01297d23ab683p-996); // by strtod
    assert_true(test_parse("1.5e-40") == 0x1.a22393b33036bp-133);
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),        cmocka_unit_test(test_midpoints),
        cmocka_unit_test(test_random_texts), cmocka_unit_test(test_not_numbers),
        cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_ends),
        cmocka_unit_test(test_format),       cmocka_unit_test(test_comma_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
