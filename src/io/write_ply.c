#include "mesh_writer.h"

#include <inttypes.h>
#include <string.h>

static void td_write_ply_vertex(FILE *file, const td_mesh *mesh, uint32_t vertex) {
    double position[3];
    td_mesh_vertex(position, mesh, vertex);
    unsigned char record[24];
    unsigned char *at = record;
    for (int k = 0; k < 3; ++k) {
        uint64_t bits;
        memcpy(&bits, &position[k], sizeof bits);
        at = td_store_little(at, bits, 8);
    }
    fwrite(record, 1, sizeof record, file);
}

static void td_write_ply_face(FILE *file, const td_mesh *mesh, uint32_t triangle) {
    uint32_t corners[3];
    td_mesh_triangle(corners, mesh, triangle);
    unsigned char record[13];
    record[0] = 3;
    unsigned char *at = record + 1;
    for (int k = 0; k < 3; ++k) {
        at = td_store_little(at, corners[k], 4);
    }
    fwrite(record, 1, sizeof record, file);
}

td_result td_write_ply(FILE *file, const td_mesh *mesh) {
    const uint32_t vertex_count = td_mesh_vertex_count(mesh);
    const uint32_t triangle_count = td_mesh_triangle_count(mesh);
    // Some readers know only signed indices.
    const char *index_type = vertex_count <= INT32_MAX ? "int" : "uint";
    fprintf(file,
            "ply\nformat binary_little_endian 1.0\nelement vertex %" PRIu32
            "\nproperty double x\nproperty double y\nproperty double z\nelement face %" PRIu32
            "\nproperty list uchar %s vertex_indices\nend_header\n",
            vertex_count, triangle_count, index_type);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        td_write_ply_vertex(file, mesh, v);
    }
    for (uint32_t t = 0; t < triangle_count; ++t) {
        td_write_ply_face(file, mesh, t);
    }
    return TD_OK;
}
