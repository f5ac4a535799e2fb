#include "shapes.h"

#include "../core/error.h"
#include "arrays.h"
#include "shape_makers.h"

#include <string.h>

static const td_shape td_shapes[] = {
    {"box", "a cube of edge 1: 12 triangles", td_make_box, NULL},
    {"tetrahedron", "a regular tetrahedron in a cube of edge 1: 4 triangles", td_make_tetrahedron, NULL},
    {"octahedron", "a regular octahedron of radius 1: 8 triangles", td_make_octahedron, NULL},
    {"icosahedron", "a regular icosahedron of radius 1: 20 triangles", td_make_icosahedron, NULL},
    {"sphere", "a sphere of radius 1, from an icosahedron: 320 triangles", td_make_sphere,
     td_sphere_edge_point},
    {"cylinder", "a cylinder of radius 0.5 and height 1: 320 triangles", td_make_cylinder,
     td_cylinder_edge_point},
    {"cone", "a cone of radius 0.5 and height 1: 64 triangles", td_make_cone, td_cone_edge_point},
    {"capsule", "a cylinder with round ends, of radius 0.3 and height 1.6: 352 triangles", td_make_capsule,
     td_capsule_edge_point},
    {"torus", "a ring of radius 0.7 and thickness 0.5: 1024 triangles", td_make_torus, td_torus_edge_point},
    {"ring", "a thin ring of radius 0.8 and thickness 0.3: 1024 triangles", td_make_ring, td_ring_edge_point},
    {"bowl", "half of a hollow ball of radius 1, its wall 0.1 thick: 1024 triangles", td_make_bowl,
     td_bowl_edge_point},
    {"knot", "a tube along a trefoil knot: 2048 triangles", td_make_knot, td_knot_edge_point},
    {"cow", "an animal polygonised from an implicit surface: 1500 triangles", td_make_cow, td_cow_edge_point},
    {"hoop", "a ring of radius 0.7 and thickness 0.5, coarser than a torus: 900 triangles", td_make_hoop,
     NULL},
    {"clover", "a tube along a trefoil knot, finer than a knot: 2130 triangles", td_make_clover, NULL},
    {"wave", "a ring that goes up and down four times: 3264 triangles", td_make_wave, NULL},
    {"pretzel", "a tube along a figure-eight knot: 3458 triangles", td_make_pretzel, NULL},
    {"terrain", "a slab of 2 x 2 with hills on top and a rim: 9600 triangles", td_make_terrain, NULL},
    {"sheet", "an open square of edge 2 in the plane y = 0: 2 triangles", td_make_sheet, NULL},
};

#define TD_SHAPE_COUNT ((uint32_t)(sizeof td_shapes / sizeof *td_shapes))

uint32_t td_shape_count(void) {
    return TD_SHAPE_COUNT;
}

const char *td_shape_name(uint32_t index) {
    return index < TD_SHAPE_COUNT ? td_shapes[index].name : NULL;
}

const char *td_shape_description(uint32_t index) {
    return index < TD_SHAPE_COUNT ? td_shapes[index].description : NULL;
}

static td_result td_fail_unknown_shape(const char *name) {
    char known[512] = "";
    for (uint32_t i = 0; i < TD_SHAPE_COUNT; ++i) {
        strncat(known, i == 0 ? "" : ", ", sizeof known - 1 - strlen(known));
        strncat(known, td_shapes[i].name, sizeof known - 1 - strlen(known));
    }
    return td_fail(TD_ERROR_ARGUMENT, "there is no shape \"%s\"; known are %s", name, known);
}

static const td_shape *td_find_shape(const char *name) {
    for (uint32_t i = 0; i < TD_SHAPE_COUNT; ++i) {
        if (strcmp(td_shapes[i].name, name) == 0) {
            return &td_shapes[i];
        }
    }
    return NULL;
}

// Whether 4 to the power of `subdivide` times as many triangles are within the limit.
static bool td_may_subdivide(uint64_t triangle_count, uint32_t subdivide) {
    while (subdivide > 0 && triangle_count <= TD_SHAPE_MAX_TRIANGLES) {
        triangle_count *= 4;
        --subdivide;
    }
    return triangle_count <= TD_SHAPE_MAX_TRIANGLES;
}

td_result td_shape_arrays(td_mesh_arrays *out, td_context *context, const char *name, uint32_t subdivide) {
    if (name == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "the name of the shape is null");
    }
    const td_shape *shape = td_find_shape(name);
    if (shape == NULL) {
        return td_fail_unknown_shape(name);
    }
    td_mesh_arrays mesh;
    TD_TRY(shape->make(&mesh, context));
    if (!td_may_subdivide(mesh.triangle_count, subdivide)) {
        const uint32_t triangle_count = mesh.triangle_count;
        td_arrays_release(&mesh, context);
        return td_fail(TD_ERROR_ARGUMENT,
                       "%s: %u triangles split in four %u times are too many: the most are %u", name,
                       triangle_count, subdivide, TD_SHAPE_MAX_TRIANGLES);
    }
    for (uint32_t i = 0; i < subdivide; ++i) {
        td_mesh_arrays finer;
        const td_result result = td_subdivide(&finer, context, &mesh, shape->edge_point);
        td_arrays_release(&mesh, context);
        TD_TRY(result);
        mesh = finer;
    }
    *out = mesh;
    return TD_OK;
}

td_result td_sheet_arrays(td_mesh_arrays *out, td_context *context, uint32_t cells) {
    return td_make_cells(out, context, cells);
}
