// Deformations, and meshes that undergo them.
#ifndef TD_TESTS_REFIT_SUPPORT_H
#define TD_TESTS_REFIT_SUPPORT_H

#include "bvh/blocked.h"
#include "query/mesh.h"
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// From position to position; `random` is free to use.
typedef void test_deform_fn(double p[3], test_random *random);

static inline void test_stay(double p[3], test_random *random) {
    (void)p;
    (void)random;
}
static inline void test_twist(double p[3], test_random *random) {
    (void)random;
    const double angle = 3 * p[1], x = p[0], z = p[2];
    p[0] = x * cos(angle) - z * sin(angle);
    p[2] = x * sin(angle) + z * cos(angle);
}
static inline void test_fold(double p[3], test_random *random) { // one half over the other
    (void)random;
    p[0] = fabs(p[0] - 0.11) + 0.1 * p[2];
}
static inline void test_shake(double p[3], test_random *random) {
    for (int k = 0; k < 3; ++k) {
        p[k] += 0.02 * (2 * test_random_unit(random) - 1);
    }
}
static inline void test_scatter(double p[3], test_random *random) {
    for (int k = 0; k < 3; ++k) {
        p[k] = test_random_unit(random);
    }
}
static inline void test_flatten(double p[3],
                                test_random *random) { // integers in a plane: coplanar, coincident
    (void)random;
    p[0] = floor(8 * p[0]);
    p[1] = floor(8 * p[1]);
    p[2] = 0;
}
static inline void test_collapse(double p[3], test_random *random) {
    (void)random;
    p[0] = p[1] = p[2] = 0.3;
}
static inline void test_send_away(double p[3], test_random *random) {
    (void)random;
    p[0] = 4e5 + p[0];
    p[1] = 5e6 + p[1];
}
static inline void test_blow_up(double p[3], test_random *random) {
    (void)random;
    for (int k = 0; k < 3; ++k) {
        p[k] *= 1e306;
    }
}
static inline void test_shrink(double p[3], test_random *random) {
    (void)random;
    for (int k = 0; k < 3; ++k) {
        p[k] *= 1e-300;
    }
}

typedef struct test_deformation {
    const char *name;
    test_deform_fn *deform;
} test_deformation;

static const test_deformation test_deformations[] = {
    {"stay", test_stay},         {"twist", test_twist},     {"fold", test_fold},
    {"shake", test_shake},       {"scatter", test_scatter}, {"flatten", test_flatten},
    {"collapse", test_collapse}, {"away", test_send_away},  {"blow up", test_blow_up},
    {"shrink", test_shrink},
};
enum { TEST_DEFORMATIONS = sizeof test_deformations / sizeof *test_deformations };

// Arrays with the deformed positions; connectivity is copied.
static inline test_mesh test_deformed(const test_mesh *mesh, const test_deformation *deformation) {
    test_mesh out = *mesh;
    out.positions = malloc(3 * mesh->vertex_count * sizeof *out.positions);
    out.triangles = malloc(3 * mesh->triangle_count * sizeof *out.triangles);
    assert_true(out.positions != NULL && out.triangles != NULL);
    memcpy(out.positions, mesh->positions, 3 * mesh->vertex_count * sizeof *out.positions);
    memcpy(out.triangles, mesh->triangles, 3 * mesh->triangle_count * sizeof *out.triangles);
    test_random random = {7};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        deformation->deform(out.positions + 3 * (size_t)v, &random);
    }
    return out;
}

static inline td_mesh_def test_def_of(const test_mesh *mesh) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = mesh->positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    return def;
}

static inline td_mesh *test_build_deformable(td_context *context, const test_mesh *mesh, td_builder builder) {
    td_mesh_def def = test_def_of(mesh);
    def.deformable = true;
    def.builder = builder;
    td_mesh *out = NULL;
    if (td_create_mesh(&out, context, &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return out;
}

static inline td_refit_report test_set(td_mesh *mesh, const double *positions, td_rebuild rebuild) {
    td_refit_report report;
    if (td_set_positions(&report, mesh, TD_FLOAT64, positions, 0, rebuild) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return report;
}

// Everything that traversals take for granted.
static inline void test_validate(const td_mesh *mesh, const char *what) {
    if (td_blocked_validate(&mesh->hierarchy, &mesh->triangles) != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    if (mesh->late->post.links != NULL &&
        td_postorder_validate(&mesh->late->post, &mesh->triangles, &mesh->hierarchy) != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
}

static inline td_mesh *test_shape_mesh(test_mesh *out, td_context *context, const char *name, uint32_t n) {
    td_mesh *shape = NULL;
    assert_int_equal(td_create_shape(&shape, context, name, n), TD_OK);
    *out = test_copy_of(shape);
    return shape;
}

#endif
