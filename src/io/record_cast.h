// The cast of a recording: what the lists of its frames refer to. Made from the scene by a recorder, from the
// header by a recording; both see the same.
#ifndef TD_IO_RECORD_CAST_H
#define TD_IO_RECORD_CAST_H

#include "../core/memory.h"

#include <tandem/world.h>

// Around all vertices of a mesh, in its frame.
typedef struct td_cast_box {
    double lower[3], upper[3];
} td_cast_box;

typedef struct td_cast_body {
    td_body_kind kind;
    uint32_t mesh; // index
    uint32_t soft; // index among the soft bodies, of those
} td_cast_body;

typedef struct td_cast {
    td_cast_body *bodies;
    td_cast_box *boxes;      // of the meshes
    td_cast_box *soft_boxes; // of the soft bodies, in the world, in the frame at hand
    uint32_t body_count, mesh_count, soft_count;
} td_cast;

// Bodies are to be filled in, and boxes, which hold nothing yet. `out` is to be released in any case.
td_result td_create_cast(td_cast *out, td_context *context, uint32_t body_count, uint32_t mesh_count);
void td_release_cast(td_cast *cast, td_context *context);

// Numbers the soft bodies, once all are filled in, and makes room for their boxes.
td_result td_number_soft_bodies(td_cast *cast, td_context *context);

void td_extend_box(td_cast_box *box, const double vertex[3]);

// The square of its diagonal, the same bits on both sides. 0 if it holds nothing.
double td_box_square(const td_cast_box *box);

const td_cast_box *td_box_of(const td_cast *cast, uint32_t body);

#endif
