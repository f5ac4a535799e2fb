// How fast bodies are and whether they sleep, two bytes each, and lists of those that changed as bytes.
#ifndef TD_IO_RECORD_MOTION_H
#define TD_IO_RECORD_MOTION_H

#include "record_bytes.h"
#include "record_cast.h"

#include <tandem/scene.h>

// The upper half of a speed in m/s as a float32 (record_half.h), or that the body sleeps.
typedef uint16_t td_grid_motion;
enum { TD_MOTION_ASLEEP = 0x8000 };

td_grid_motion td_motion_to_grid(const td_recorded_motion *motion, td_body_kind kind);
td_recorded_motion td_motion_from_grid(td_grid_motion motion, td_body_kind kind);

// Dynamic or soft, and does not sleep.
bool td_is_moving(td_grid_motion motion, td_body_kind kind);

// Puts the motions that differ from `before`, or from 0 if `key`.
void td_put_motions(td_byte_writer *writer, const td_grid_motion *before, const td_grid_motion *motions,
                    uint32_t count, bool key);

// Takes what td_put_motions put, up to the reader's end. False if these are no such bytes, or one is no
// motion of such a body: then `motions` is undefined.
bool td_take_motions(td_byte_reader *reader, td_grid_motion *motions, const td_cast *cast, bool key);

// The most bytes that td_put_motions puts for a body.
enum { TD_MOTION_MOST_BYTES = TD_VARINT_MOST + 2 };

#endif
