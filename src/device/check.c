#include "check.h"

#include "state.h"

enum { TD_CHECK_GROUP = 32 };

// Puts `size` bytes of input to the kernel and gets `answer_size` bytes of answers for `count` questions.
static td_result td_ask(td_device *device, const char *name, const void *input, size_t size, void *answers,
                        size_t answer_size, uint32_t count) {
    const td_kernel *kernel;
    TD_TRY(td_find_kernel(&kernel, device, "check", NULL, name));
    td_device_buffer in = {0}, out = {0};
    td_result result = td_buffer_reserve(device, &in, size, 0);
    if (result == TD_OK) {
        result = td_buffer_reserve(device, &out, answer_size, 0);
    }
    if (result == TD_OK) {
        result = td_buffer_write(device, &in, 0, input, size);
    }
    if (result == TD_OK) {
        const td_kernel_argument arguments[] = {TD_ARG_BUFFER(&out), TD_ARG_BUFFER(&in), TD_ARG_VALUE(count)};
        result = td_run_kernel(device, kernel, count, TD_CHECK_GROUP, arguments, 3, TD_STAGE_OTHER);
    }
    if (result == TD_OK) {
        result = td_buffer_read(device, answers, &out, 0, answer_size);
    }
    td_buffer_release(device, &in);
    td_buffer_release(device, &out);
    return result;
}

static td_result td_tell_wrong(const td_device *device, const char *kind, const char *name, uint64_t got,
                               uint64_t expected) {
    return td_fail(TD_ERROR_DEVICE,
                   "device %s gave a wrong answer in check %s, %s: got 0x%llx, expected 0x%llx",
                   device->info.name, kind, name, (unsigned long long)got, (unsigned long long)expected);
}

td_result td_check_float32(td_device *device, td_check_cases checks) {
    uint32_t words[4 * TD_CHECK_CASES_MOST] = {0}, answers[TD_CHECK_CASES_MOST] = {0};
    for (uint32_t i = 0; i < checks.count; ++i) {
        words[4 * i] = (uint32_t)checks.cases[i].operation;
        words[4 * i + 1] = (uint32_t)checks.cases[i].a;
        words[4 * i + 2] = (uint32_t)checks.cases[i].b;
        words[4 * i + 3] = (uint32_t)checks.cases[i].c;
    }
    TD_TRY(td_ask(device, "td_check_float32", words, 16 * checks.count, answers, 4 * checks.count,
                  checks.count));
    for (uint32_t i = 0; i < checks.count; ++i) {
        if (answers[i] != checks.cases[i].expected) {
            return td_tell_wrong(device, "float32", checks.cases[i].name, answers[i],
                                 checks.cases[i].expected);
        }
    }
    return TD_OK;
}

td_result td_check_float64(td_device *device, td_check_cases checks) {
    uint64_t words[4 * TD_CHECK_CASES_MOST] = {0}, answers[TD_CHECK_CASES_MOST] = {0};
    for (uint32_t i = 0; i < checks.count; ++i) {
        words[4 * i] = checks.cases[i].operation;
        words[4 * i + 1] = checks.cases[i].a;
        words[4 * i + 2] = checks.cases[i].b;
        words[4 * i + 3] = checks.cases[i].c;
    }
    TD_TRY(td_ask(device, "td_check_float64", words, 32 * checks.count, answers, 8 * checks.count,
                  checks.count));
    for (uint32_t i = 0; i < checks.count; ++i) {
        if (answers[i] != checks.cases[i].expected) {
            return td_tell_wrong(device, "float64", checks.cases[i].name, answers[i],
                                 checks.cases[i].expected);
        }
    }
    return TD_OK;
}

td_result td_check_orientations(td_device *device, const td_check_orientation *checks, uint32_t count) {
    double corners[12 * TD_CHECK_CASES_MOST] = {0};
    int32_t signs[TD_CHECK_CASES_MOST] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < 12; ++k) {
            corners[12 * i + k] = checks[i].corners[k];
        }
    }
    TD_TRY(td_ask(device, "td_check_orientation", corners, 12 * sizeof(double) * count, signs,
                  sizeof *signs * count, count));
    for (uint32_t i = 0; i < count; ++i) {
        if (signs[i] != checks[i].expected) {
            return td_fail(TD_ERROR_DEVICE,
                           "device %s gave a wrong answer in check orientation, %s: got %d, expected %d",
                           device->info.name, checks[i].name, signs[i], checks[i].expected);
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Scan and compact: long enough for a second level, or several words, and not whole blocks.

enum { TD_CHECK_WORDS = 3001, TD_CHECK_FLAGS = 1003 };

static uint32_t td_check_word(uint32_t i) {
    return i * 2654435761u >> 22; // 0 ... 1023, without a pattern
}

static td_result td_check_scan(td_device *device, td_device_buffer *buffer, uint32_t *words) {
    for (uint32_t i = 0; i < TD_CHECK_WORDS; ++i) {
        words[i] = td_check_word(i);
    }
    TD_TRY(td_buffer_reserve(device, buffer, TD_CHECK_WORDS * sizeof *words, 0));
    TD_TRY(td_buffer_write(device, buffer, 0, words, TD_CHECK_WORDS * sizeof *words));
    uint32_t total = 0;
    TD_TRY(td_device_scan(device, buffer, TD_CHECK_WORDS, &total));
    TD_TRY(td_buffer_read(device, words, buffer, 0, TD_CHECK_WORDS * sizeof *words));
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TD_CHECK_WORDS; ++i) {
        if (words[i] != sum) {
            return td_tell_wrong(device, "scan", "a prefix sum", words[i], sum);
        }
        sum += td_check_word(i);
    }
    return total == sum ? TD_OK : td_tell_wrong(device, "scan", "the total", total, sum);
}

static bool td_check_flag(uint32_t i) {
    return (td_check_word(i) & 3) == 0;
}

static td_result td_check_compact(td_device *device, td_device_buffer *out, td_device_buffer *flags,
                                  uint32_t *words) {
    const uint32_t flag_words = (TD_CHECK_FLAGS + 31) / 32;
    for (uint32_t i = 0; i < flag_words; ++i) {
        words[i] = 0;
    }
    for (uint32_t i = 0; i < 32 * flag_words; ++i) { // those beyond the end are set: they must not count
        words[i / 32] |= (uint32_t)(i >= TD_CHECK_FLAGS || td_check_flag(i)) << i % 32;
    }
    TD_TRY(td_buffer_reserve(device, flags, flag_words * sizeof *words, 0));
    TD_TRY(td_buffer_write(device, flags, 0, words, flag_words * sizeof *words));
    uint32_t total = 0, expected = 0;
    TD_TRY(td_device_compact(device, out, flags, TD_CHECK_FLAGS, &total));
    for (uint32_t i = 0; i < TD_CHECK_FLAGS; ++i) {
        expected += td_check_flag(i);
    }
    if (total != expected) {
        return td_tell_wrong(device, "compact", "the total", total, expected);
    }
    TD_TRY(td_buffer_read(device, words, out, 0, total * sizeof *words));
    for (uint32_t i = 0, at = 0; i < TD_CHECK_FLAGS; ++i) {
        if (td_check_flag(i) && words[at++] != i) {
            return td_tell_wrong(device, "compact", "a number", words[at - 1], i);
        }
    }
    return TD_OK;
}

td_result td_check_collecting(td_device *device) {
    uint32_t *words = TD_NEW(device->context, uint32_t, TD_CHECK_WORDS);
    if (words == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_device_buffer out = {0}, in = {0};
    td_result result = td_check_scan(device, &in, words);
    if (result == TD_OK) {
        result = td_check_compact(device, &out, &in, words);
    }
    td_buffer_release(device, &out);
    td_buffer_release(device, &in);
    TD_DELETE(device->context, uint32_t, words, TD_CHECK_WORDS);
    return result;
}

td_result td_check_device(td_device *device) {
    TD_TRY(td_check_float32(device, td_float32_checks()));
    if (device->float64) {
        TD_TRY(td_check_float64(device, td_float64_checks()));
        uint32_t count;
        const td_check_orientation *orientations = td_orientation_checks(&count);
        TD_TRY(td_check_orientations(device, orientations, count));
    }
    return td_check_collecting(device);
}
