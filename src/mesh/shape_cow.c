// A cow. It looks along +x and stands on the plane y = td_cow_floor; its left and right are +-z.
#include "../core/error.h"
#include "arrays.h"
#include "blob.h"
#include "polygonise.h"
#include "remesh.h"
#include "shape_makers.h"

enum { TD_COW_TRIANGLES = 1500 };

// Parts melt in this order, each with all before it. No part is thinner than about the third of an edge
// length of the mesh, or it would be lost; parts that should not grow together keep apart by more than their
// blend.
static const td_blob_part td_cow_parts[] = {
    // barrel
    {{-0.42, 0.13, 0}, {0.28, 0.11, 0}, 0.265, 0.265, 0.10, 0},      // rump to shoulders
    {{-0.10, 0.06, 0}, {0.15, 0.04, 0}, 0.265, 0.265, 0.10, 0},      // belly
    {{-0.50, 0.20, 0.08}, {-0.28, 0.22, 0.08}, 0.17, 0.17, 0.10, 1}, // hips
    // neck and head
    {{0.34, 0.18, 0}, {0.66, 0.42, 0}, 0.20, 0.125, 0.16, 0},
    {{0.66, 0.45, 0}, {0.90, 0.30, 0}, 0.125, 0.085, 0.06, 0},
    {{0.91, 0.285, -0.035}, {0.91, 0.285, 0.035}, 0.085, 0.085, 0.05, 0}, // muzzle
    // horns and ears
    {{0.62, 0.54, 0.06}, {0.61, 0.61, 0.17}, 0.042, 0.040, 0.05, 1},
    {{0.61, 0.61, 0.17}, {0.64, 0.73, 0.20}, 0.040, 0.030, 0.02, 1},
    {{0.60, 0.46, 0.10}, {0.56, 0.43, 0.24}, 0.038, 0.045, 0.06, 1},
    {{0.56, 0.43, 0.24}, {0.54, 0.41, 0.30}, 0.045, 0.034, 0.02, 1},
    // forelegs
    {{0.30, 0.00, 0.14}, {0.32, -0.32, 0.15}, 0.125, 0.070, 0.08, 1},
    {{0.32, -0.32, 0.15}, {0.31, -0.72, 0.15}, 0.066, 0.060, 0.04, 1},
    // hind legs
    {{-0.46, 0.06, 0.14}, {-0.44, -0.18, 0.16}, 0.175, 0.110, 0.08, 1},
    {{-0.44, -0.18, 0.16}, {-0.54, -0.40, 0.16}, 0.105, 0.066, 0.05, 1},
    {{-0.54, -0.40, 0.16}, {-0.50, -0.72, 0.16}, 0.066, 0.060, 0.04, 1},
    // udder
    {{-0.26, -0.16, 0}, {-0.18, -0.18, 0}, 0.125, 0.105, 0.05, 0},
    {{-0.23, -0.22, 0.06}, {-0.23, -0.31, 0.065}, 0.036, 0.032, 0.03, 1},
    // tail
    {{-0.62, 0.30, 0}, {-0.78, 0.28, 0}, 0.050, 0.040, 0.05, 0},
    {{-0.78, 0.28, 0}, {-0.84, 0.02, 0}, 0.038, 0.034, 0.02, 0},
    {{-0.84, 0.02, 0}, {-0.83, -0.20, 0}, 0.034, 0.055, 0.02, 0},
};

static const td_blob td_cow = {td_cow_parts, sizeof td_cow_parts / sizeof *td_cow_parts, -0.72, 0.03};

static double td_cow_field(td_vec3 p, const void *payload) {
    return td_blob_evaluate(payload, p).value;
}

// Edges are short on thin parts, but not in full proportion: the barrel needs its share of triangles, too.
static td_surface_point td_cow_nearest(td_vec3 p, const void *payload) {
    const td_vec3 gradient = td_blob_project(payload, &p).gradient;
    const td_vec3 normal = td_scale(gradient, 1 / sqrt(td_dot(gradient, gradient)));
    return (td_surface_point){p, normal, 0.035 + td_blob_thickness(payload, p)};
}

td_result td_make_cow(td_mesh_arrays *out, td_context *context) {
    const td_grid grid = {{-0.96, -0.81, -0.46}, 0.04, {52, 42, 24}};
    const td_surface surface = {td_cow_nearest, &td_cow};
    td_mesh_arrays mesh;
    TD_TRY(td_polygonise(&mesh, context, &grid, td_cow_field, &td_cow));
    const td_result result = td_remesh(&mesh, context, &surface, TD_COW_TRIANGLES);
    if (result != TD_OK) {
        td_arrays_release(&mesh, context);
        return result;
    }
    *out = mesh;
    return TD_OK;
}

static td_vec3 td_cow_normal(td_vec3 p) {
    const td_vec3 gradient = td_blob_evaluate(&td_cow, p).gradient;
    return td_scale(gradient, 1 / sqrt(td_dot(gradient, gradient)));
}

// The middle of a curved edge that leaves both ends at right angles to their normals (Vlachos et al., "Curved
// PN triangles", 2001), then put on the surface. The mere midpoint can lie so deep in a thin part, about the
// tip of a horn say, that the nearest surface is on the wrong side.
td_vec3 td_cow_edge_point(td_vec3 a, td_vec3 b) {
    const td_vec3 along = td_sub(b, a);
    const td_vec3 normal_a = td_cow_normal(a);
    const td_vec3 normal_b = td_cow_normal(b);
    const td_vec3 rise_a = td_scale(normal_a, td_dot(along, normal_a) / 8);
    const td_vec3 rise_b = td_scale(normal_b, td_dot(along, normal_b) / 8);
    td_vec3 p = td_add(td_scale(td_add(a, b), 0.5), td_sub(rise_b, rise_a));
    td_blob_project(&td_cow, &p);
    return p;
}
