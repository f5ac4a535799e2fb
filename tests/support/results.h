// What calls of the library are expected to return, with its own words where they do not.
#ifndef TD_TESTS_SUPPORT_RESULTS_H
#define TD_TESTS_SUPPORT_RESULTS_H

#include "cmocka_all.h"

#include <tandem/base.h>

#include <string.h>

static inline void test_ok(td_result result) {
    if (result != TD_OK) {
        fail_msg("%s: %s", td_result_name(result), td_error_message());
    }
}

// With `part` in the message.
static inline void test_fails(td_result result, td_result expected, const char *part) {
    if (result != expected || strstr(td_error_message(), part) == NULL) {
        fail_msg("expected %s with '%s', got %s: %s", td_result_name(expected), part, td_result_name(result),
                 td_error_message());
    }
}

#endif
