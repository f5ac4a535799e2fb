#include "record_block.h"

// How numbers are written, beside the parameters of Rice numbers.
enum { TD_CODE_SPARSE = 14, TD_CODE_ZERO = 15 };
enum { TD_TIME_ORDERS = 4, TD_VERTEX_ORDERS = 3, TD_GAP_PARAMETERS = 8 };
enum { TD_BEFORE = 2 }; // vertices before the block that its differences look at

// Of the coordinate of a vertex, from what it was.
static inline uint32_t td_predict(const td_block_history *history, uint32_t order, uint32_t vertex) {
    if (order == 0) {
        return 0;
    }
    const uint32_t *const *frames = history->frames;
    return order == 1   ? frames[0][vertex]
           : order == 2 ? 2 * frames[0][vertex] - frames[1][vertex]
                        : 3 * (frames[0][vertex] - frames[1][vertex]) + frames[2][vertex];
}

// The difference in time of the vertex `back` before the block; 0 if there is none.
static uint32_t td_difference_before(const uint32_t *values, const td_block_history *history, uint32_t order,
                                     uint32_t first, uint32_t back) {
    return first < back ? 0 : values[first - back] - td_predict(history, order, first - back);
}

// ---------------------------------------------------------------------------------------------------------
// Putting

// A way to write a block.
typedef struct td_block_way {
    uint32_t bits; // that it costs, without the head
    uint32_t time_order, vertex_order, code, gap_parameter;
} td_block_way;

// out[TD_BEFORE + i] is that of the vertex first + i.
static void td_find_differences(uint32_t *out, const uint32_t *values, const td_block_history *history,
                                uint32_t order, uint32_t first, uint32_t count) {
    for (uint32_t back = 1; back <= TD_BEFORE; ++back) {
        out[TD_BEFORE - back] = td_difference_before(values, history, order, first, back);
    }
    for (uint32_t i = 0; i < count; ++i) {
        out[TD_BEFORE + i] = values[first + i] - td_predict(history, order, first + i);
    }
}

// What remains, with the sign folded. Returns all of its bits.
static uint32_t td_find_rest(uint32_t *out, const uint32_t *differences, uint32_t order, uint32_t count) {
    const uint32_t *d = differences + TD_BEFORE;
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t before = *(d + i - 1), second = *(d + i - 2);
        const uint32_t rest = order == 0 ? d[i] : order == 1 ? d[i] - before : d[i] - 2 * before + second;
        out[i] = td_fold_sign(rest);
        all |= out[i];
    }
    return all;
}

static void td_try_rice(td_block_way *best, td_block_way way, const uint32_t *rest, uint32_t count,
                        uint32_t all) {
    for (uint32_t k = 0; k < TD_RICE_PARAMETERS && (k == 0 || all >> k != 0); ++k) {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < count; ++i) {
            bits += td_rice_bits(rest[i], k);
        }
        if (bits < best->bits) {
            way.bits = bits;
            way.code = k;
            *best = way;
        }
    }
}

// Gaps and what stands between them; see td_put_sparse.
static void td_try_sparse(td_block_way *best, td_block_way way, const uint32_t *rest, uint32_t count) {
    uint32_t gaps[TD_BLOCK_VERTICES + 1], gap_count = 0, next = 0, bits = 4;
    for (uint32_t i = 0; i < count; ++i) {
        if (rest[i] != 0) {
            gaps[gap_count++] = i - next;
            bits += td_rice_bits(rest[i] - 1, 0);
            next = i + 1;
        }
    }
    if (next < count) {
        gaps[gap_count++] = count - next;
    }
    for (uint32_t k = 0; k < TD_GAP_PARAMETERS; ++k) {
        way.bits = bits;
        for (uint32_t i = 0; i < gap_count; ++i) {
            way.bits += td_rice_bits(gaps[i], k);
        }
        if (way.bits < best->bits) {
            way.code = TD_CODE_SPARSE;
            way.gap_parameter = k;
            *best = way;
        }
    }
}

static uint32_t td_count_zeros(const uint32_t *rest, uint32_t count) {
    uint32_t zeros = 0;
    for (uint32_t i = 0; i < count; ++i) {
        zeros += rest[i] == 0;
    }
    return zeros;
}

// The way with the fewest bits, the first of several; *rest is then what remains in it.
static td_block_way td_find_way(uint32_t *rest, const uint32_t *values, const td_block_history *history,
                                uint32_t first, uint32_t count) {
    td_block_way best = {.bits = UINT32_MAX};
    uint32_t differences[TD_BEFORE + TD_BLOCK_VERTICES];
    for (uint32_t t = 0; t < (history != NULL ? TD_TIME_ORDERS : 1); ++t) {
        td_find_differences(differences, values, history, t, first, count);
        for (uint32_t s = 0; s < TD_VERTEX_ORDERS; ++s) {
            uint32_t tried[TD_BLOCK_VERTICES];
            const uint32_t all = td_find_rest(tried, differences, s, count), before = best.bits;
            td_block_way way = {.time_order = t, .vertex_order = s};
            if (all == 0) {
                way.code = TD_CODE_ZERO;
                return way;
            }
            td_try_rice(&best, way, tried, count, all);
            if (2 * td_count_zeros(tried, count) > count) {
                td_try_sparse(&best, way, tried, count);
            }
            if (best.bits < before) {
                memcpy(rest, tried, count * sizeof *rest);
            }
        }
    }
    return best;
}

static void td_put_sparse(td_bit_writer *writer, const uint32_t *rest, uint32_t count, uint32_t k) {
    uint32_t next = 0;
    td_put_bits(writer, k, 4);
    for (uint32_t i = 0; i < count; ++i) {
        if (rest[i] != 0) {
            td_put_rice(writer, i - next, k);
            td_put_rice(writer, rest[i] - 1, 0);
            next = i + 1;
        }
    }
    if (next < count) {
        td_put_rice(writer, count - next, k);
    }
}

void td_put_block(td_bit_writer *writer, const uint32_t *values, const td_block_history *history,
                  uint32_t first, uint32_t count) {
    uint32_t rest[TD_BLOCK_VERTICES];
    const td_block_way way = td_find_way(rest, values, history, first, count);
    td_put_bits(writer, way.code | way.time_order << 4 | way.vertex_order << 6, 8);
    if (way.code == TD_CODE_SPARSE) {
        td_put_sparse(writer, rest, count, way.gap_parameter);
    } else if (way.code != TD_CODE_ZERO) {
        for (uint32_t i = 0; i < count; ++i) {
            td_put_rice(writer, rest[i], way.code);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Taking

static bool td_take_sparse(uint32_t *rest, td_bit_reader *reader, uint32_t count) {
    const uint32_t k = td_take_bits(reader, 4);
    if (k >= TD_RICE_PARAMETERS) {
        return false;
    }
    memset(rest, 0, count * sizeof *rest);
    for (uint32_t next = 0; next < count;) {
        const uint32_t gap = td_take_rice(reader, k);
        if (reader->bytes->failed || gap > count - next) {
            return false;
        }
        next += gap;
        if (next < count) {
            rest[next] = td_take_rice(reader, 0) + 1;
            if (rest[next++] == 0) { // beyond 32 bits
                return false;
            }
        }
    }
    return true;
}

static bool td_take_rest(uint32_t *rest, td_bit_reader *reader, uint32_t code, uint32_t count) {
    if (code == TD_CODE_SPARSE) {
        return td_take_sparse(rest, reader, count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        rest[i] = code == TD_CODE_ZERO ? 0 : td_take_rice(reader, code);
    }
    return true;
}

bool td_take_block(td_bit_reader *reader, uint32_t *values, const td_block_history *history, uint32_t first,
                   uint32_t count) {
    const uint32_t head = td_take_bits(reader, 8);
    const uint32_t code = head & 15u, s = head >> 6;
    const uint32_t t = history != NULL ? head >> 4 & 3u : 0; // all predictions are 0 in a key frame
    uint32_t rest[TD_BLOCK_VERTICES];
    if (s >= TD_VERTEX_ORDERS || !td_take_rest(rest, reader, code, count) || reader->bytes->failed) {
        return false;
    }
    uint32_t before = td_difference_before(values, history, t, first, 1);
    uint32_t second = td_difference_before(values, history, t, first, 2);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t along = s == 0 ? 0 : s == 1 ? before : 2 * before - second;
        const uint32_t difference = td_unfold_sign(rest[i]) + along;
        values[first + i] = difference + td_predict(history, t, first + i);
        second = before;
        before = difference;
    }
    return true;
}
