#include "record_soft.h"

#include "../core/error.h"

#include <math.h>

static const double td_soft_far = 0x1p30; // units

double td_unit_of_soft(const td_cast_box *box) {
    return td_choose_unit(0x1p-14 * sqrt(td_box_square(box)));
}

// ---------------------------------------------------------------------------------------------------------
// Memory

td_result td_create_soft_bodies(td_soft_bodies *out, td_context *context, uint32_t count,
                                const double origin[3]) {
    *out = (td_soft_bodies){.count = count, .origin = {origin[0], origin[1], origin[2]}};
    out->items = TD_NEW(context, td_soft_body, count);
    if (out->items == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; ++i) {
        out->items[i] = (td_soft_body){0};
    }
    return TD_OK;
}

void td_release_soft_bodies(td_soft_bodies *bodies, td_context *context) {
    for (uint32_t i = 0; bodies->items != NULL && i < bodies->count; ++i) {
        const td_soft_body *body = &bodies->items[i];
        const size_t numbers = 3 * (size_t)body->vertex_count;
        TD_DELETE(context, uint32_t, body->numbers, TD_SOFT_FRAMES * numbers);
        TD_DELETE(context, double, body->far_at, numbers);
    }
    TD_DELETE(context, td_soft_body, bodies->items, bodies->count);
    *bodies = (td_soft_bodies){0};
}

// Of a body that was not there yet all numbers are 0.
static td_result td_need_numbers(td_soft_body *body, td_context *context) {
    const size_t count = 3 * (size_t)body->vertex_count;
    if (body->numbers != NULL) {
        return TD_OK;
    }
    body->numbers = TD_NEW(context, uint32_t, TD_SOFT_FRAMES * count);
    if (body->numbers == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(body->numbers, 0, TD_SOFT_FRAMES * count * sizeof *body->numbers);
    for (size_t i = 0; i < TD_SOFT_FRAMES; ++i) {
        body->frames[i] = body->numbers + i * count;
    }
    return TD_OK;
}

static td_result td_need_far(td_soft_body *body, td_context *context) {
    if (body->far_at == NULL) {
        body->far_at = TD_NEW(context, double, 3 * (size_t)body->vertex_count);
    }
    return body->far_at != NULL ? TD_OK : TD_ERROR_MEMORY;
}

// The frame of `back` frames ago, the last key frame at most.
static uint32_t *td_soft_frame(const td_soft_body *body, uint32_t back, uint32_t age) {
    return body->frames[back < age ? back : age];
}

// This frame becomes the last; it is to be filled in again.
static void td_shift_frames(td_soft_body *body) {
    uint32_t *oldest = body->frames[TD_SOFT_FRAMES - 1];
    for (size_t i = TD_SOFT_FRAMES - 1; i > 0; --i) {
        body->frames[i] = body->frames[i - 1];
    }
    body->frames[0] = oldest;
    body->far_before = body->far;
}

static void td_count_frame(td_soft_bodies *bodies, bool key) {
    bodies->age = key ? 1 : bodies->age < TD_BLOCK_HISTORY ? bodies->age + 1 : TD_BLOCK_HISTORY;
}

// ---------------------------------------------------------------------------------------------------------
// The grid

static bool td_is_far(const td_soft_body *body, const double *positions, const double origin[3]) {
    double farthest = 0;
    for (size_t i = 0; i < body->vertex_count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            farthest = fmax(farthest, fabs((positions[3 * i + k] - origin[k]) / body->unit));
        }
    }
    return !(farthest < td_soft_far);
}

td_result td_soft_to_grid(td_soft_body *body, td_context *context, const double *positions,
                          const double origin[3]) {
    const size_t count = body->vertex_count;
    TD_TRY(td_need_numbers(body, context));
    body->far = td_is_far(body, positions, origin);
    if (body->far) {
        TD_TRY(td_need_far(body, context));
        memcpy(body->far_at, positions, 3 * count * sizeof *positions);
        memset(body->frames[0], 0, 3 * count * sizeof *body->frames[0]);
        return TD_OK;
    }
    for (size_t k = 0; k < 3; ++k) {
        uint32_t *numbers = body->frames[0] + k * count;
        for (size_t i = 0; i < count; ++i) {
            numbers[i] = (uint32_t)(int32_t)rint((positions[3 * i + k] - origin[k]) / body->unit);
        }
    }
    return TD_OK;
}

// The number of 32 bits, with its sign.
static double td_signed_number(uint32_t number) {
    return number >> 31 != 0 ? (double)number - 0x1p32 : (double)number;
}

void td_soft_from_grid(double *positions, const td_soft_body *body, const double origin[3]) {
    const size_t count = body->vertex_count;
    if (body->far) {
        memcpy(positions, body->far_at, 3 * count * sizeof *positions);
        return;
    }
    for (size_t k = 0; k < 3; ++k) {
        const uint32_t *numbers = body->frames[0] + k * count;
        for (size_t i = 0; i < count; ++i) {
            positions[3 * i + k] = origin[k] + td_signed_number(numbers[i]) * body->unit;
        }
    }
}

static double td_soft_coordinate(const td_soft_body *body, size_t vertex, size_t k, const double origin[3]) {
    return body->far
               ? body->far_at[3 * vertex + k]
               : origin[k] + td_signed_number(body->frames[0][k * body->vertex_count + vertex]) * body->unit;
}

void td_soft_centre(double out[3], const td_soft_body *body, const double origin[3]) {
    for (size_t k = 0; k < 3; ++k) {
        const double first = td_soft_coordinate(body, 0, k, origin);
        double sum = 0;
        for (size_t i = 0; i < body->vertex_count; ++i) {
            sum += td_soft_coordinate(body, i, k, origin) - first;
        }
        out[k] = first + sum / body->vertex_count;
    }
}

td_cast_box td_soft_box(const td_soft_body *body, const double origin[3]) {
    td_cast_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < body->vertex_count; ++i) {
        double at[3];
        for (size_t k = 0; k < 3; ++k) {
            at[k] = td_soft_coordinate(body, i, k, origin);
        }
        td_extend_box(&box, at);
    }
    return box;
}

// ---------------------------------------------------------------------------------------------------------
// Blocks

static td_block_history td_history_of(const td_soft_body *body, uint32_t age, size_t coordinate) {
    td_block_history history;
    for (uint32_t i = 0; i < TD_BLOCK_HISTORY; ++i) {
        history.frames[i] = td_soft_frame(body, i + 1, age) + coordinate * body->vertex_count;
    }
    return history;
}

static uint32_t td_block_count(uint32_t vertex_count, uint32_t first) {
    return vertex_count - first < TD_BLOCK_VERTICES ? vertex_count - first : TD_BLOCK_VERTICES;
}

static void td_put_blocks(td_byte_writer *bytes, const td_soft_body *body, uint32_t age, bool key) {
    td_bit_writer writer = {.bytes = bytes};
    for (uint32_t first = 0, count; first < body->vertex_count; first += count) {
        count = td_block_count(body->vertex_count, first);
        for (size_t k = 0; k < 3; ++k) {
            const td_block_history history = td_history_of(body, age, k);
            td_put_block(&writer, body->frames[0] + k * body->vertex_count, key ? NULL : &history, first,
                         count);
        }
    }
    td_end_bits(&writer);
}

static bool td_take_blocks(td_byte_reader *bytes, const td_soft_body *body, uint32_t age, bool key) {
    td_bit_reader reader = {.bytes = bytes};
    for (uint32_t first = 0, count; first < body->vertex_count; first += count) {
        count = td_block_count(body->vertex_count, first);
        for (size_t k = 0; k < 3; ++k) {
            const td_block_history history = td_history_of(body, age, k);
            if (!td_take_block(&reader, body->frames[0] + k * body->vertex_count, key ? NULL : &history,
                               first, count)) {
                return false;
            }
        }
    }
    return td_finish_bits(&reader);
}

// ---------------------------------------------------------------------------------------------------------
// Lists

static bool td_soft_changed(const td_soft_body *body) {
    return body->far || body->far_before ||
           memcmp(body->frames[0], body->frames[1], 3 * (size_t)body->vertex_count * sizeof(uint32_t)) != 0;
}

void td_put_soft_bodies(td_byte_writer *writer, td_soft_bodies *bodies, bool key) {
    uint32_t next = 0; // the body behind the last one that was put
    for (uint32_t i = 0; i < bodies->count; ++i) {
        td_soft_body *body = &bodies->items[i];
        if (key || td_soft_changed(body)) {
            td_put_varint(writer, (uint64_t)(i - next) << 1 | body->far);
            for (size_t n = 0; body->far && n < 3 * (size_t)body->vertex_count; ++n) {
                td_put_f64(writer, body->far_at[n]);
            }
            if (!body->far) {
                td_put_blocks(writer, body, bodies->age, key);
            }
            next = i + 1;
        }
        td_shift_frames(body);
    }
    td_count_frame(bodies, key);
}

uint64_t td_soft_most_bytes(uint32_t vertex_count) {
    // Far ones are the largest: blocks have 18 bytes per vertex at most, and three per 128 vertices.
    return TD_VARINT_MOST + 4 + 24 * (uint64_t)vertex_count;
}

// The fewest bytes of a body in a list: its head, and the heads of its blocks.
static uint64_t td_soft_least_bytes(uint32_t vertex_count) {
    return 1 + 3 * (((uint64_t)vertex_count + TD_BLOCK_VERTICES - 1) / TD_BLOCK_VERTICES);
}

static td_result td_take_far(bool *valid, td_soft_body *body, td_context *context, td_byte_reader *reader) {
    const size_t count = 3 * (size_t)body->vertex_count;
    *valid = td_bytes_left(reader) / 8 >= count;
    if (!*valid) {
        return TD_OK;
    }
    TD_TRY(td_need_far(body, context));
    for (size_t i = 0; i < count; ++i) {
        body->far_at[i] = td_take_f64(reader);
        *valid = *valid && isfinite(body->far_at[i]);
    }
    memset(body->frames[0], 0, count * sizeof *body->frames[0]);
    return TD_OK;
}

// Bodies are at hand only once a key frame has them: a header may announce more than there is memory for.
static td_result td_take_soft_body(bool *valid, td_soft_body *body, td_context *context,
                                   td_byte_reader *reader, uint32_t age, bool key) {
    *valid = td_bytes_left(reader) + 1 >= td_soft_least_bytes(body->vertex_count);
    if (!*valid) {
        return TD_OK;
    }
    TD_TRY(td_need_numbers(body, context));
    if (body->far) {
        return td_take_far(valid, body, context, reader);
    }
    *valid = td_take_blocks(reader, body, age, key);
    return TD_OK;
}

static void td_keep_soft_body(td_soft_body *body) {
    memcpy(body->frames[0], body->frames[1], 3 * (size_t)body->vertex_count * sizeof *body->frames[0]);
}

td_result td_take_soft_bodies(bool *valid, td_soft_bodies *bodies, td_context *context,
                              td_byte_reader *reader, bool key) {
    uint64_t next = 0;
    *valid = false;
    for (uint32_t i = 0; i < bodies->count; ++i) {
        td_shift_frames(&bodies->items[i]);
    }
    while (td_bytes_left(reader) > 0) {
        const uint64_t head = td_take_varint(reader);
        const uint64_t taken = next + (head >> 1);
        if (reader->failed || taken >= bodies->count || (key && taken != next)) {
            return TD_OK;
        }
        for (; next < taken; ++next) {
            td_keep_soft_body(&bodies->items[next]);
        }
        bool good;
        bodies->items[taken].far = (head & 1u) != 0;
        TD_TRY(td_take_soft_body(&good, &bodies->items[taken], context, reader, bodies->age, key));
        if (!good) {
            return TD_OK;
        }
        ++next;
    }
    if (key && next != bodies->count) {
        return TD_OK;
    }
    for (; next < bodies->count; ++next) {
        td_keep_soft_body(&bodies->items[next]);
    }
    td_count_frame(bodies, key);
    *valid = true;
    return TD_OK;
}
