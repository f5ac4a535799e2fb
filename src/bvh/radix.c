// Sorting by digits. A pass moves all items to where their digit belongs: every chunk counts its digits, then
// knows where its items of each digit start.
//
// Mostly one pass by the highest digit is enough: what then has the same one is few enough for the cache,
// where one thread sorts the rest. Where too many share it, all digits are gone through from the lowest up
// instead.
#include "radix.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../core/tasks.h"

#include <string.h>

enum {
    TD_DIGIT_BITS = 11,
    TD_DIGITS = 1 << TD_DIGIT_BITS,
    TD_PASSES = 3,                                            // which reach beyond the highest bit, by one
    TD_HIGHEST_SHIFT = 32 - TD_DIGIT_BITS,                    //
    TD_SMALL_DIGIT_BITS = 7,                                  // three of these make up the rest
    TD_SMALL_DIGITS = 1 << TD_SMALL_DIGIT_BITS,               //
    TD_SMALL_PASSES = TD_HIGHEST_SHIFT / TD_SMALL_DIGIT_BITS, // odd: they end in the other buffer
    TD_SHORT_RUN = 24,                                        // items that are sorted by insertion
    TD_LONG_RUN = 1 << 16,                                    // items that fit into the cache ...
    TD_LONG_SHARE = 16,                                       // ... or are few enough of all for one thread
    TD_CHUNK = 1 << 15                                        // items per task
};

typedef struct td_radix {
    td_coded *from, *to;
    uint32_t count, shift;
    uint32_t (*digits)[TD_DIGITS];  // per chunk: how many, then where the next one goes
    uint32_t starts[TD_DIGITS + 1]; // where each digit starts
} td_radix;

// ---------------------------------------------------------------------------------------------------------
// All items, by one digit

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

// Where each chunk's items of each digit start. Returns how many have the commonest one.
static uint32_t td_place_digits(td_radix *radix, uint32_t chunk_count) {
    uint32_t start = 0, most = 0;
    for (uint32_t digit = 0; digit < TD_DIGITS; ++digit) {
        radix->starts[digit] = start;
        for (uint32_t chunk = 0; chunk < chunk_count; ++chunk) {
            const uint32_t here = radix->digits[chunk][digit];
            radix->digits[chunk][digit] = start;
            start += here;
        }
        most = start - radix->starts[digit] > most ? start - radix->starts[digit] : most;
    }
    radix->starts[TD_DIGITS] = start;
    return most;
}

static uint32_t td_find_places(td_radix *radix, uint32_t shift, uint32_t chunk_count, td_context *context) {
    radix->shift = shift;
    td_run_tasks(context, td_count_digits, chunk_count, radix);
    return td_place_digits(radix, chunk_count);
}

static void td_move_all(td_radix *radix, uint32_t chunk_count, td_context *context) {
    td_run_tasks(context, td_move_items, chunk_count, radix);
    td_coded *swap = radix->from;
    radix->from = radix->to;
    radix->to = swap;
}

// ---------------------------------------------------------------------------------------------------------
// Runs of items that share the highest digit

static void td_insert_items(td_coded *to, const td_coded *from, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const td_coded moving = from[i];
        uint32_t k = i;
        for (; k > 0 && to[k - 1].code > moving.code; --k) {
            to[k] = to[k - 1];
        }
        to[k] = moving;
    }
}

// From the lowest digit up. The items end in `to`; what was in `from` is lost.
static void td_sort_run(td_coded *to, td_coded *from, uint32_t count) {
    if (count <= TD_SHORT_RUN) {
        td_insert_items(to, from, count);
        return;
    }
    uint32_t next[TD_SMALL_PASSES][TD_SMALL_DIGITS] = {{0}};
    for (uint32_t i = 0; i < count; ++i) {
        for (int pass = 0; pass < TD_SMALL_PASSES; ++pass) {
            next[pass][from[i].code >> pass * TD_SMALL_DIGIT_BITS & (TD_SMALL_DIGITS - 1)]++;
        }
    }
    for (int pass = 0; pass < TD_SMALL_PASSES; ++pass) {
        for (uint32_t digit = 0, start = 0; digit < TD_SMALL_DIGITS; ++digit) {
            const uint32_t here = next[pass][digit];
            next[pass][digit] = start;
            start += here;
        }
        for (uint32_t i = 0; i < count; ++i) {
            const td_coded item = from[i];
            to[next[pass][item.code >> pass * TD_SMALL_DIGIT_BITS & (TD_SMALL_DIGITS - 1)]++] = item;
        }
        td_coded *swap = from;
        from = to;
        to = swap;
    }
}

// The runs that start in a chunk.
static void td_sort_runs(uint32_t chunk, void *payload) {
    const td_radix *radix = payload;
    const uint32_t first = chunk * TD_CHUNK, end = td_chunk_end(radix, chunk);
    uint32_t digit = 0;
    while (radix->starts[digit] < first) {
        ++digit;
    }
    for (; digit < TD_DIGITS && radix->starts[digit] < end; ++digit) {
        const uint32_t start = radix->starts[digit];
        td_sort_run(radix->to + start, radix->from + start, radix->starts[digit + 1] - start);
    }
}

// ---------------------------------------------------------------------------------------------------------

static void td_sort_from_highest(td_radix *radix, uint32_t chunk_count, td_context *context) {
    td_move_all(radix, chunk_count, context);
    td_run_tasks(context, td_sort_runs, chunk_count, radix);
}

static void td_sort_from_lowest(td_radix *radix, uint32_t chunk_count, td_context *context) {
    td_coded *items = radix->from;
    for (uint32_t pass = 0; pass < TD_PASSES; ++pass) {
        if (td_find_places(radix, pass * TD_DIGIT_BITS, chunk_count, context) < radix->count) {
            td_move_all(radix, chunk_count, context);
        }
    }
    if (radix->from != items) {
        memcpy(items, radix->from, radix->count * sizeof *items);
    }
}

td_result td_sort_codes(td_coded *items, td_coded *scratch, uint32_t count, td_context *context) {
    const uint32_t chunk_count = count / TD_CHUNK + (count % TD_CHUNK != 0), share = count / TD_LONG_SHARE;
    td_radix radix = {.from = items, .to = scratch, .count = count};
    radix.digits = td_allocate(context, chunk_count, sizeof *radix.digits);
    if (radix.digits == NULL) {
        return TD_ERROR_MEMORY;
    }
    if (td_find_places(&radix, TD_HIGHEST_SHIFT, chunk_count, context) <=
        (share > TD_LONG_RUN ? share : TD_LONG_RUN)) {
        td_sort_from_highest(&radix, chunk_count, context);
    } else {
        td_sort_from_lowest(&radix, chunk_count, context);
    }
    td_release(context, radix.digits, chunk_count, sizeof *radix.digits);
    return TD_OK;
}
