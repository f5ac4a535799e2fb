// A frame as the payload of its chunk: the numbers, then lists of what changed since the frame before, or of
// everything in a key frame.
#ifndef TD_IO_RECORD_FRAME_H
#define TD_IO_RECORD_FRAME_H

#include "record.h"
#include "record_contact.h"
#include "record_soft.h"

enum {
    TD_FRAME_NUMBERS_BYTES = 3 * 8 + 5 * 8 + 4 * 4 + 6 * 8,
    TD_FRAME_HEAD_BYTES = TD_FRAME_NUMBERS_BYTES + 2 * 4, // the sizes of the lists but the last ...
    TD_SOFT_HEAD_BYTES = 4                                // ... and, if there are soft bodies, of theirs
};

// The bodies in a frame, in the numbers that are put down.
typedef struct td_grid_frame {
    td_grid_pose *poses;     // of all bodies
    td_grid_motion *motions; // likewise
    td_grid_contacts contacts;
    uint32_t body_count;
} td_grid_frame;

// What frames are put in terms of.
typedef struct td_frame_terms {
    td_cast *cast;
    td_soft_bodies *soft; // as they are in the frame; where there are none, the frame has no list of them
} td_frame_terms;

// All zeros, without contacts. `out` is to be released in any case.
td_result td_create_frame(td_grid_frame *out, td_context *context, uint32_t body_count);
void td_release_frame(td_grid_frame *frame, td_context *context);

// Whether the frame can tell what changed only: see td_rest_is_kept.
bool td_frame_can_follow(const td_grid_frame *frame, const td_grid_frame *before, const td_cast *cast);

// Puts the payload; `before` is then `frame`, and `frame` anything. Memory is reserved by the caller.
void td_put_frame(td_byte_writer *writer, const td_frame_numbers *numbers, td_grid_frame *before,
                  td_grid_frame *frame, const td_frame_terms *terms, bool key);
uint64_t td_frame_most_bytes(const td_grid_frame *frame, const td_soft_bodies *soft);

// Takes what td_put_frame put, up to the reader's end; `frame` holds the one before. `spare` is memory.
// *valid tells whether these are such bytes: if not, `frame` is undefined. Fails only if memory is short.
td_result td_take_frame(bool *valid, td_frame_numbers *numbers, td_grid_frame *frame, td_grid_frame *spare,
                        td_context *context, td_byte_reader *reader, const td_frame_terms *terms, bool key);

#endif
