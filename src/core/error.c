#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char td_last_error[1024];

td_result td_fail(td_result result, const char *format, ...) {
    // Formatted apart first: an argument may be td_error_message() itself.
    char sentence[sizeof td_last_error];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    memcpy(td_last_error, sentence, sizeof sentence);
    return result;
}

td_result td_fail_within(td_result result, const char *prefix) {
    char sentence[sizeof td_last_error];
    memcpy(sentence, td_last_error, sizeof sentence);
    return td_fail(result, "%s: %s", prefix, sentence);
}

const char *td_error_message(void) {
    return td_last_error;
}

const char *td_result_name(td_result result) {
    switch (result) {
    case TD_OK:
        return "ok";
    case TD_ERROR_ARGUMENT:
        return "argument";
    case TD_ERROR_MEMORY:
        return "memory";
    case TD_ERROR_FILE:
        return "file";
    case TD_ERROR_FORMAT:
        return "format";
    case TD_ERROR_MESH:
        return "mesh";
    case TD_ERROR_POSE:
        return "pose";
    case TD_ERROR_UNSUPPORTED:
        return "unsupported";
    case TD_ERROR_CANCELLED:
        return "cancelled";
    case TD_ERROR_DEVICE:
        return "device";
    case TD_ERROR_NUMBERS:
        return "numbers";
    }
    return "unknown";
}
