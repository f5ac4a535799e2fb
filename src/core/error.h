// The last error of each thread: a result code travels by return value, its sentence waits here.
#ifndef TD_CORE_ERROR_H
#define TD_CORE_ERROR_H

#include <tandem/base.h>

// Keeps the formatted sentence for td_error_message() and returns `result`, so that a failing function can
// end with `return td_fail(TD_ERROR_X, "...", ...)`. Sentences are cut at 1023 bytes.
__attribute__((format(printf, 2, 3))) td_result td_fail(td_result result, const char *format, ...);

// Adds context in front of the kept sentence: "PREFIX: SENTENCE". Returns `result`.
td_result td_fail_within(td_result result, const char *prefix);

#define TD_TRY(call)                                                                                         \
    do {                                                                                                     \
        td_result td_try_result = (call);                                                                    \
        if (td_try_result != TD_OK) {                                                                        \
            return td_try_result;                                                                            \
        }                                                                                                    \
    } while (0)

#endif
