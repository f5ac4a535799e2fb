// A mesh as it is drawn.
#ifndef TD_RENDER_MODEL_H
#define TD_RENDER_MODEL_H

#include "../query/mesh.h"

#include <tandem/render.h>

struct td_render_mesh {
    td_context *context;
    const td_mesh *mesh;
    double *positions;     // x y z per vertex, about the middle of the mesh, in units of its size
    td_vec3 *face_normals; // per triangle
    uint32_t *shared;      // per corner: the number of its normal
    td_vec3 *normals;
    uint32_t normal_count;
};

#endif
