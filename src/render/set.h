// What stands before the camera: bodies, placed, and a tree over the boxes around them, so that a ray is cast
// only at bodies whose boxes it meets.
#ifndef TD_RENDER_SET_H
#define TD_RENDER_SET_H

#include "../broad/box_tree.h"
#include "../math/rigid.h"
#include "model.h"

// Beyond it squares of distances might overflow.
#define TD_RENDER_FARTHEST 1e100

typedef struct td_placed_body {
    const td_render_body *body;
    td_rigid rigid;
    td_box box;       // in the world, a little wider than the body
    double colour[3]; // linear light
} td_placed_body;

typedef struct td_set {
    td_context *context;
    td_placed_body *bodies;
    size_t count;
    td_box_tree tree; // leaves are bodies
    bool brute;       // rays are cast at all bodies and all triangles
} td_set;

// Checks the bodies: messages name the first that is wrong. To be cleared if it succeeds.
td_result td_build_set(td_set *out, td_context *context, const td_render_body *bodies, size_t count);
void td_clear_set(td_set *set);

// The box around a mesh at a pose, a little wider.
td_box td_body_box(const td_render_body *body);

#endif
