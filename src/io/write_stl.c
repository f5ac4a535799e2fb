// Binary STL holds float32: coordinates are rounded to nearest, which is the format's doing.
#include "mesh_writer.h"

#include "../core/error.h"
#include "../math/vec3.h"
#include "stl_layout.h"

#include <string.h>

static unsigned char *td_store_float(unsigned char *out, double value) {
    const float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return td_store_little(out, bits, sizeof bits);
}

static unsigned char *td_store_vec3(unsigned char *out, td_vec3 v) {
    out = td_store_float(out, v.x);
    out = td_store_float(out, v.y);
    return td_store_float(out, v.z);
}

// Unit length, or zero where it is not defined.
static td_vec3 td_facet_normal(td_vec3 p, td_vec3 q, td_vec3 r) {
    const td_vec3 normal = td_cross(td_sub(q, p), td_sub(r, p));
    const double length = sqrt(td_dot(normal, normal));
    return length > 0 && isfinite(length) ? td_scale(normal, 1 / length) : td_vec3_make(0, 0, 0);
}

// A coordinate that float32 cannot hold at all must not become an infinity.
static td_result td_check_stl_range(const td_mesh *mesh) {
    const double most = 3.4028234663852886e38; // FLT_MAX
    const uint32_t vertex_count = td_mesh_vertex_count(mesh);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        double p[3];
        td_mesh_vertex(p, mesh, v);
        for (int k = 0; k < 3; ++k) {
            if (fabs(p[k]) > most) {
                return td_fail(TD_ERROR_MESH,
                               "vertex %u: %c is %g, but STL holds float32: write .ply, .obj or .off instead",
                               v, "xyz"[k], p[k]);
            }
        }
    }
    return TD_OK;
}

static void td_write_stl_triangle(FILE *file, const td_mesh *mesh, uint32_t triangle) {
    uint32_t corners[3];
    td_mesh_triangle(corners, mesh, triangle);
    td_vec3 p[3];
    for (int k = 0; k < 3; ++k) {
        double v[3];
        td_mesh_vertex(v, mesh, corners[k]);
        p[k] = td_vec3_make(v[0], v[1], v[2]);
    }
    unsigned char record[TD_STL_TRIANGLE_BYTES] = {0};
    unsigned char *at = td_store_vec3(record, td_facet_normal(p[0], p[1], p[2]));
    for (int k = 0; k < 3; ++k) {
        at = td_store_vec3(at, p[k]);
    }
    fwrite(record, 1, sizeof record, file);
}

td_result td_write_stl(FILE *file, const td_mesh *mesh) {
    TD_TRY(td_check_stl_range(mesh));
    const uint32_t triangle_count = td_mesh_triangle_count(mesh);
    unsigned char header[TD_STL_HEADER_BYTES] = "binary STL"; // must not begin with "solid"
    td_store_little(header + TD_STL_COUNT_OFFSET, triangle_count, 4);
    fwrite(header, 1, sizeof header, file);
    for (uint32_t t = 0; t < triangle_count; ++t) {
        td_write_stl_triangle(file, mesh, t);
    }
    return TD_OK;
}
