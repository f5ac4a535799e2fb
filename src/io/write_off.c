#include "mesh_writer.h"

#include <inttypes.h>

td_result td_write_off(FILE *file, const td_mesh *mesh) {
    const uint32_t vertex_count = td_mesh_vertex_count(mesh);
    const uint32_t triangle_count = td_mesh_triangle_count(mesh);
    fprintf(file, "OFF\n%" PRIu32 " %" PRIu32 " 0\n", vertex_count, triangle_count);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        char line[TD_VERTEX_LINE_BYTES];
        fwrite(line, 1, td_format_vertex_line(line, "", mesh, v), file);
    }
    for (uint32_t t = 0; t < triangle_count; ++t) {
        uint32_t i[3];
        td_mesh_triangle(i, mesh, t);
        fprintf(file, "3 %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", i[0], i[1], i[2]);
    }
    return TD_OK;
}
