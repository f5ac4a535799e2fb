#include "arrays.h"

#include "../core/memory.h"

td_result td_arrays_create(td_mesh_arrays *out, td_context *context, uint32_t vertex_count,
                           uint32_t triangle_count) {
    td_mesh_arrays arrays = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    arrays.positions = TD_NEW(context, double, 3 * (size_t)vertex_count);
    arrays.triangles = TD_NEW(context, uint32_t, 3 * (size_t)triangle_count);
    if (arrays.positions == NULL || arrays.triangles == NULL) {
        td_arrays_release(&arrays, context);
        return TD_ERROR_MEMORY;
    }
    *out = arrays;
    return TD_OK;
}

void td_arrays_release(td_mesh_arrays *arrays, td_context *context) {
    TD_DELETE(context, double, arrays->positions, 3 * (size_t)arrays->vertex_count);
    TD_DELETE(context, uint32_t, arrays->triangles, 3 * (size_t)arrays->triangle_count);
    *arrays = (td_mesh_arrays){0};
}
