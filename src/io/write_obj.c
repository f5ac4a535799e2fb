#include "mesh_writer.h"

#include <inttypes.h>

td_result td_write_obj(FILE *file, const td_mesh *mesh) {
    const uint32_t vertex_count = td_mesh_vertex_count(mesh);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        char line[TD_VERTEX_LINE_BYTES];
        fwrite(line, 1, td_format_vertex_line(line, "v ", mesh, v), file);
    }
    const uint32_t triangle_count = td_mesh_triangle_count(mesh);
    for (uint32_t t = 0; t < triangle_count; ++t) {
        uint32_t i[3];
        td_mesh_triangle(i, mesh, t);
        // Indices start at 1; the largest is still 32 bits wide.
        fprintf(file, "f %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", i[0] + 1, i[1] + 1, i[2] + 1);
    }
    return TD_OK;
}
