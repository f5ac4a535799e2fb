// One coordinate of some vertices in a row, as bits.
//
// Vertices of a body move on as they did, and neighbours alike. What is written is what remains of a
// coordinate when both are taken away: the differences in time, of an order that fits the block (a body that
// rests, glides, or falls), and of these the differences from vertex to vertex. All orders are tried, and the
// shortest is taken. What remains is small, in Rice numbers (record_bits.h) whose parameter fits the block
// (R. F. Rice, Some practical universal noiseless coding techniques, JPL 79-22, 1979).
//
// Numbers are taken modulo 2^32: nothing overflows, and everything comes back.
#ifndef TD_IO_RECORD_BLOCK_H
#define TD_IO_RECORD_BLOCK_H

#include "record_bits.h"

enum { TD_BLOCK_VERTICES = 128, TD_BLOCK_HISTORY = 3 };

// One coordinate of all vertices of a body, in the frames before: the last one first. Null: there are none.
typedef struct td_block_history {
    const uint32_t *frames[TD_BLOCK_HISTORY];
} td_block_history;

// Puts values[first] to values[first + count - 1]; those before may be looked at.
void td_put_block(td_bit_writer *writer, const uint32_t *values, const td_block_history *history,
                  uint32_t first, uint32_t count);

// Takes what td_put_block put. False if these are no such bits.
bool td_take_block(td_bit_reader *reader, uint32_t *values, const td_block_history *history, uint32_t first,
                   uint32_t count);

// The most bits of a block of so many vertices: its head, and escapes.
static inline uint64_t td_block_most_bits(uint32_t count) {
    return 8 + (uint64_t)count * TD_RICE_MOST_BITS;
}

#endif
