// Where the vertices of soft bodies are: on grids, over the last frames, and as lists of those that changed.
//
// Coordinates are whole numbers of the body's unit from the origin of the recording, in 32 bits. A body of
// which a vertex is 2^30 units from there or more is far: its positions are put down as they are.
#ifndef TD_IO_RECORD_SOFT_H
#define TD_IO_RECORD_SOFT_H

#include "record_block.h"
#include "record_cast.h"
#include "record_pose.h"

enum { TD_SOFT_FRAMES = 1 + TD_BLOCK_HISTORY };

typedef struct td_soft_body {
    uint32_t body; // of all
    uint32_t vertex_count;
    double unit; // m
    // This frame and those before it, the last one first: x of all vertices, then y, then z.
    uint32_t *frames[TD_SOFT_FRAMES];
    uint32_t *numbers; // their memory; null until it is needed
    bool far;          // in this frame ...
    bool far_before;   // ... and in the last one
    double *far_at;    // m, x y z per vertex; null until it is needed
} td_soft_body;

typedef struct td_soft_bodies {
    td_soft_body *items; // in the order of the bodies
    uint32_t count;
    double origin[3]; // m
    uint32_t age;     // frames from the last key frame on, as many as are kept at most
} td_soft_bodies;

// The unit of positions, of a soft body whose mesh has this box: at most 2^-14 of its diagonal.
double td_unit_of_soft(const td_cast_box *box);

// Room for as many, which are to be filled in. `out` is to be released in any case.
td_result td_create_soft_bodies(td_soft_bodies *out, td_context *context, uint32_t count,
                                const double origin[3]);
void td_release_soft_bodies(td_soft_bodies *bodies, td_context *context);

// Puts x y z per vertex, m, on the grid of this frame; they are finite. Fails only if memory is short.
td_result td_soft_to_grid(td_soft_body *body, td_context *context, const double *positions,
                          const double origin[3]);
void td_soft_from_grid(double *positions, const td_soft_body *body, const double origin[3]);

// The mean of the positions of this frame as td_soft_from_grid has them.
void td_soft_centre(double out[3], const td_soft_body *body, const double origin[3]);

// Around the positions of this frame as td_soft_from_grid has them.
td_cast_box td_soft_box(const td_soft_body *body, const double origin[3]);

// Puts the bodies that changed since the last frame, or all of them if `key`. This frame is the last one
// then.
void td_put_soft_bodies(td_byte_writer *writer, td_soft_bodies *bodies, bool key);
uint64_t td_soft_most_bytes(uint32_t vertex_count); // of a body, that it puts

// Takes what td_put_soft_bodies put, up to the reader's end, as this frame; what was this frame is the last
// one then. *valid tells whether these are such bytes: if not, the bodies are undefined until the next key
// frame. Fails only if memory is short.
td_result td_take_soft_bodies(bool *valid, td_soft_bodies *bodies, td_context *context,
                              td_byte_reader *reader, bool key);

#endif
