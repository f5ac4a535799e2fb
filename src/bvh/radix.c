// From the lowest digit up, each pass moving all items to where their digit belongs: every chunk counts its
// digits, then knows where its items of each digit start.
#include "radix.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../core/tasks.h"

#include <string.h>

enum {
    TD_DIGIT_BITS = 11,
    TD_DIGITS = 1 << TD_DIGIT_BITS,
    TD_PASSES = (32 + TD_DIGIT_BITS - 1) / TD_DIGIT_BITS,
    TD_CHUNK = 1 << 16 // items per task
};

typedef struct td_radix {
    td_coded *from, *to;
    uint32_t count, shift;
    uint32_t (*digits)[TD_DIGITS]; // per chunk: how many, then where the next one goes
} td_radix;

static inline uint32_t td_digit(const td_radix *radix, td_coded item) {
    return item.code >> radix->shift & (TD_DIGITS - 1);
}

static uint32_t td_chunk_end(const td_radix *radix, uint32_t chunk) {
    const uint32_t first = chunk * TD_CHUNK;
    return radix->count - first < TD_CHUNK ? radix->count : first + TD_CHUNK;
}

static void td_count_digits(uint32_t chunk, void *payload) {
    const td_radix *radix = payload;
    uint32_t *digits = radix->digits[chunk];
    memset(digits, 0, TD_DIGITS * sizeof *digits);
    const uint32_t end = td_chunk_end(radix, chunk);
    for (uint32_t i = chunk * TD_CHUNK; i < end; ++i) {
        digits[td_digit(radix, radix->from[i])]++;
    }
}

static void td_move_items(uint32_t chunk, void *payload) {
    const td_radix *radix = payload;
    uint32_t *next = radix->digits[chunk];
    const uint32_t end = td_chunk_end(radix, chunk);
    for (uint32_t i = chunk * TD_CHUNK; i < end; ++i) {
        const td_coded item = radix->from[i];
        radix->to[next[td_digit(radix, item)]++] = item;
    }
}

// Where each chunk's items of each digit start. False if all have the same digit: nothing to move.
static bool td_place_digits(const td_radix *radix, uint32_t chunk_count) {
    uint32_t start = 0;
    for (uint32_t digit = 0; digit < TD_DIGITS; ++digit) {
        const uint32_t before = start;
        for (uint32_t chunk = 0; chunk < chunk_count; ++chunk) {
            const uint32_t here = radix->digits[chunk][digit];
            radix->digits[chunk][digit] = start;
            start += here;
        }
        if (start - before == radix->count) {
            return false;
        }
    }
    return true;
}

td_result td_sort_codes(td_coded *items, td_coded *scratch, uint32_t count, td_context *context) {
    const uint32_t chunk_count = (count + TD_CHUNK - 1) / TD_CHUNK;
    td_radix radix = {.from = items, .to = scratch, .count = count};
    radix.digits = td_allocate(context, chunk_count, sizeof *radix.digits);
    if (radix.digits == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t pass = 0; pass < TD_PASSES; ++pass) {
        radix.shift = pass * TD_DIGIT_BITS;
        td_run_tasks(context, td_count_digits, chunk_count, &radix);
        if (td_place_digits(&radix, chunk_count)) {
            td_run_tasks(context, td_move_items, chunk_count, &radix);
            td_coded *swap = radix.from;
            radix.from = radix.to;
            radix.to = swap;
        }
    }
    if (radix.from != items) {
        memcpy(items, radix.from, count * sizeof *items);
    }
    td_release(context, radix.digits, chunk_count, sizeof *radix.digits);
    return TD_OK;
}
