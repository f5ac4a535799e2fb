#include "../core/error.h"
#include "arrays.h"
#include "shape_makers.h"
#include "subdivide.h"

#include <string.h>

static td_result td_copy_solid(td_mesh_arrays *out, td_context *context, const double *positions,
                               uint32_t vertex_count, const uint32_t *triangles, uint32_t triangle_count) {
    TD_TRY(td_arrays_create(out, context, vertex_count, triangle_count));
    memcpy(out->positions, positions, 3 * (size_t)vertex_count * sizeof *positions);
    memcpy(out->triangles, triangles, 3 * (size_t)triangle_count * sizeof *triangles);
    return TD_OK;
}

td_result td_make_box(td_mesh_arrays *out, td_context *context) {
    static const double positions[8 * 3] = {
        -0.5, -0.5, -0.5, 0.5, -0.5, -0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5,
        -0.5, -0.5, 0.5,  0.5, -0.5, 0.5,  -0.5, 0.5, 0.5,  0.5, 0.5, 0.5,
    };
    static const uint32_t triangles[12 * 3] = {
        0, 2, 3, 0, 3, 1, // back
        4, 5, 7, 4, 7, 6, // front
        0, 4, 6, 0, 6, 2, // left
        1, 3, 7, 1, 7, 5, // right
        0, 1, 5, 0, 5, 4, // bottom
        2, 6, 7, 2, 7, 3, // top
    };
    return td_copy_solid(out, context, positions, 8, triangles, 12);
}

td_result td_make_tetrahedron(td_mesh_arrays *out, td_context *context) {
    static const double positions[4 * 3] = {
        0.5, 0.5, 0.5, -0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, -0.5,
    };
    static const uint32_t triangles[4 * 3] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    return td_copy_solid(out, context, positions, 4, triangles, 4);
}

td_result td_make_octahedron(td_mesh_arrays *out, td_context *context) {
    static const double positions[6 * 3] = {
        1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1,
    };
    static const uint32_t triangles[8 * 3] = {
        0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5,
    };
    return td_copy_solid(out, context, positions, 6, triangles, 8);
}

// Three golden rectangles at right angles; `near` and `far` are the half-sides that put the corners at 1.
td_result td_make_icosahedron(td_mesh_arrays *out, td_context *context) {
    const double golden = (1 + sqrt(5.0)) / 2;
    const double near = 1 / sqrt(1 + golden * golden);
    const double far = golden * near;
    const double positions[12 * 3] = {
        -near, far,   0,     near, far,  0,    -near, -far,  0,     near, -far, 0,    // in the plane z = 0
        0,     -near, far,   0,    near, far,  0,     -near, -far,  0,    near, -far, // in the plane x = 0
        far,   0,     -near, far,  0,    near, -far,  0,     -near, -far, 0,    near, // in the plane y = 0
    };
    static const uint32_t triangles[20 * 3] = {
        0, 11, 5, 0, 5,  1,  0,  1,  7,  0,  7, 10, 0, 10, 11, // about vertex 0
        1, 5,  9, 5, 11, 4,  11, 10, 2,  10, 7, 6,  7, 1,  8,  // next to those
        3, 9,  4, 3, 4,  2,  3,  2,  6,  3,  6, 8,  3, 8,  9,  // about vertex 3, opposite
        4, 9,  5, 2, 4,  11, 6,  2,  10, 8,  6, 7,  9, 8,  1,  // next to those
    };
    return td_copy_solid(out, context, positions, 12, triangles, 20);
}

td_vec3 td_sphere_edge_point(td_vec3 a, td_vec3 b) {
    const td_vec3 sum = td_add(a, b);
    return td_scale(sum, 1 / sqrt(td_dot(sum, sum)));
}

// The icosahedron, split twice.
td_result td_make_sphere(td_mesh_arrays *out, td_context *context) {
    td_mesh_arrays mesh;
    TD_TRY(td_make_icosahedron(&mesh, context));
    for (int i = 0; i < 2; ++i) {
        td_mesh_arrays finer;
        const td_result result = td_subdivide(&finer, context, &mesh, td_sphere_edge_point);
        td_arrays_release(&mesh, context);
        TD_TRY(result);
        mesh = finer;
    }
    *out = mesh;
    return TD_OK;
}
