// Bits of a recording: from the lowest of a byte on, numbers with their lowest bit first; and Rice numbers,
// which are short where they are small: n >> k in unary, then the lowest k bits.
#ifndef TD_IO_RECORD_BITS_H
#define TD_IO_RECORD_BITS_H

#include "record_bytes.h"

enum {
    TD_RICE_ESCAPE = 16,                                  // zeros; the number follows in 32 bits
    TD_RICE_MOST_BITS = TD_RICE_ESCAPE + 32,              // of a number
    TD_RICE_PARAMETERS = 14,                              // 0 to 13
    TD_RICE_LONGEST = TD_RICE_ESCAPE + TD_RICE_PARAMETERS // of one that is no escape, at most
};

static inline uint32_t td_fold_sign(uint32_t number) { // 0, -1, 1, -2 ... to 0, 1, 2, 3 ...
    return number << 1 ^ (0u - (number >> 31));
}

static inline uint32_t td_unfold_sign(uint32_t folded) {
    return folded >> 1 ^ (0u - (folded & 1u));
}

static inline uint32_t td_rice_bits(uint32_t number, uint32_t k) {
    const uint32_t zeros = number >> k;
    return zeros < TD_RICE_ESCAPE ? zeros + 1 + k : TD_RICE_MOST_BITS;
}

// ---------------------------------------------------------------------------------------------------------
// Putting. Begins with a byte; ended by td_end_bits.

typedef struct td_bit_writer {
    td_byte_writer *bytes;
    uint64_t held; // less than 32 bits that wait for more
    uint32_t count;
} td_bit_writer;

// `number` is less than 2^count, count is 32 at most.
static inline void td_put_bits(td_bit_writer *writer, uint32_t number, uint32_t count) {
    writer->held |= (uint64_t)number << writer->count;
    writer->count += count;
    if (writer->count >= 32) {
        td_put_u32(writer->bytes, (uint32_t)writer->held);
        writer->held >>= 32;
        writer->count -= 32;
    }
}

static inline void td_put_rice(td_bit_writer *writer, uint32_t number, uint32_t k) {
    const uint32_t zeros = number >> k;
    if (zeros >= TD_RICE_ESCAPE) {
        td_put_bits(writer, 0, TD_RICE_ESCAPE);
        td_put_bits(writer, number, 32);
    } else {
        td_put_bits(writer, (1u | (number & ((1u << k) - 1u)) << 1) << zeros, zeros + 1 + k);
    }
}

// Fills the last byte up with zeros.
static inline void td_end_bits(td_bit_writer *writer) {
    for (; writer->count > 0; writer->count -= writer->count < 8 ? writer->count : 8) {
        td_put_u8(writer->bytes, (uint8_t)writer->held);
        writer->held >>= 8;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Taking. Zeros follow a failure, as with bytes.

typedef struct td_bit_reader {
    td_byte_reader *bytes; // ahead by what is held
    uint64_t held;
    uint32_t count;
} td_bit_reader;

static inline void td_hold_bits(td_bit_reader *reader, uint32_t wanted) {
    td_byte_reader *bytes = reader->bytes;
    while (reader->count <= 56 && bytes->at < bytes->end) {
        reader->held |= (uint64_t)*bytes->at++ << reader->count;
        reader->count += 8;
    }
    bytes->failed = bytes->failed || reader->count < wanted;
}

static inline void td_drop_bits(td_bit_reader *reader, uint32_t count) {
    reader->held >>= count;
    reader->count -= count;
}

// 32 at most.
static inline uint32_t td_take_bits(td_bit_reader *reader, uint32_t count) {
    if (reader->count < count) {
        td_hold_bits(reader, count);
    }
    if (reader->bytes->failed) {
        return 0;
    }
    const uint32_t number = (uint32_t)(reader->held & ((UINT64_C(1) << count) - 1));
    td_drop_bits(reader, count);
    return number;
}

static inline uint32_t td_take_rice(td_bit_reader *reader, uint32_t k) {
    if (reader->count < TD_RICE_LONGEST) {
        td_hold_bits(reader, 1); // near the end there may be less
    }
    uint32_t zeros = 0;
    while (zeros < TD_RICE_ESCAPE && zeros < reader->count && (reader->held >> zeros & 1u) == 0) {
        ++zeros;
    }
    if (zeros == TD_RICE_ESCAPE) {
        td_drop_bits(reader, TD_RICE_ESCAPE);
        return td_take_bits(reader, 32);
    }
    if (reader->count < zeros + 1 + k) {
        reader->bytes->failed = true;
    }
    if (reader->bytes->failed) {
        return 0;
    }
    const uint32_t low = (uint32_t)(reader->held >> (zeros + 1)) & ((1u << k) - 1u);
    td_drop_bits(reader, zeros + 1 + k);
    return zeros << k | low;
}

// Gives back the bytes that were not begun. False if what is left of the last one is not zero.
static inline bool td_finish_bits(td_bit_reader *reader) {
    reader->bytes->at -= reader->count / 8;
    const uint64_t rest = reader->held & ((UINT64_C(1) << reader->count % 8) - 1);
    reader->held = 0;
    reader->count = 0;
    return !reader->bytes->failed && rest == 0;
}

#endif
