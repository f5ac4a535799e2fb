// Soft bodies in an animation: a mesh of its own each, as it is at the start, about the body's middle, with
// the shapes that it takes later as morph targets. Weights lead from one to the next; where the middle is, is
// a translation as that of any body.
//
// There are no normals: they would have to change as well, for as many bytes again. Programs that read a mesh
// without normals compute them from its shape.
#ifndef TD_IO_EXPORT_GLB_SOFT_H
#define TD_IO_EXPORT_GLB_SOFT_H

#include "export_glb.h"
#include "export_shapes.h"

typedef struct td_glb_soft_body {
    uint32_t body;
    td_shape_fit fit;
    cJSON *primitive, *targets; // of its mesh
    double rounding;            // m: how far float32 puts a vertex off
} td_glb_soft_body;

typedef struct td_glb_soft {
    td_glb_soft_body *items; // in the order of the bodies
    uint32_t count;
    uint32_t *corners; // per recorded mesh: accessor plus 1; 0: none yet
    bool *closed;      // likewise
    uint32_t mesh_count;
    td_pose *poses;    // of all bodies
    double *positions; // of a body, the largest
    float *shape;
    uint32_t body_count;
    size_t most; // numbers in these
} td_glb_soft;

// `out` is to be released in any case.
td_result td_begin_glb_soft(td_glb_soft *out, const td_export *task);
void td_release_glb_soft(td_glb_soft *soft, td_context *context);

// The mesh of glTF for a soft body, in the first frame; `middle` is its own there.
td_result td_add_glb_soft_mesh(uint32_t *out, td_glb_soft *soft, td_glb_meshes *meshes, td_gltf *gltf,
                               td_export *task, uint32_t body, const double middle[3]);

// Reads all frames and adds the morph targets; before the animation begins. The times are those of the
// frames.
td_result td_add_glb_shapes(td_glb_soft *soft, td_gltf *gltf, td_export *task, const float *times,
                            uint32_t count, uint64_t total);

// Null if the body is not soft.
const td_glb_soft_body *td_glb_soft_of_body(const td_glb_soft *soft, uint32_t body);

#endif
