// A frame as the payload of its chunk: the numbers, then the poses of those bodies that moved.
#ifndef TD_IO_RECORD_FRAME_H
#define TD_IO_RECORD_FRAME_H

#include "record.h"

enum { TD_FRAME_NUMBERS_BYTES = 3 * 8 + 4 * 8 + 2 * 4 + 3 * 8, TD_RECORD_END_BYTES = 2 * 8 };

static inline void td_put_frame_numbers(td_byte_writer *writer, const td_frame_numbers *numbers) {
    td_put_u64(writer, numbers->frame);
    td_put_u64(writer, numbers->steps);
    td_put_u64(writer, numbers->hash);
    td_put_f64(writer, numbers->time);
    td_put_f64(writer, numbers->kinetic_energy);
    td_put_f64(writer, numbers->potential_energy);
    td_put_f64(writer, numbers->penetration);
    td_put_u32(writer, numbers->awake);
    td_put_u32(writer, numbers->islands);
    td_put_u64(writer, numbers->colliding_pairs);
    td_put_u64(writer, numbers->faces);
    td_put_u64(writer, numbers->contacts);
}

static inline td_frame_numbers td_take_frame_numbers(td_byte_reader *reader) {
    td_frame_numbers numbers;
    numbers.frame = td_take_u64(reader);
    numbers.steps = td_take_u64(reader);
    numbers.hash = td_take_u64(reader);
    numbers.time = td_take_f64(reader);
    numbers.kinetic_energy = td_take_f64(reader);
    numbers.potential_energy = td_take_f64(reader);
    numbers.penetration = td_take_f64(reader);
    numbers.awake = td_take_u32(reader);
    numbers.islands = td_take_u32(reader);
    numbers.colliding_pairs = td_take_u64(reader);
    numbers.faces = td_take_u64(reader);
    numbers.contacts = td_take_u64(reader);
    return numbers;
}

// The largest payload of a frame: a size beyond it is damaged, and not worth the memory.
static inline uint64_t td_frame_most_bytes(uint32_t bodies) {
    return TD_FRAME_NUMBERS_BYTES + (uint64_t)bodies * TD_POSE_MOST_BYTES;
}

#endif
