// Oriented boxes around split hierarchies and around the hierarchies of a step: they hold what is below them,
// at both ends of a step, and are the same bits for every instruction set and number of threads.
#include "bvh/swept_tree.h"
#include "test_refit_support.h"

#include <stdio.h>

static bool test_holds(const td_obbf *obb, const long double p[3]) {
    for (int k = 0; k < 3; ++k) {
        long double along = 0;
        for (int l = 0; l < 3; ++l) {
            along += (long double)obb->axes[3 * k + l] * (p[l] - (long double)obb->center[l]);
        }
        if (fabsl(along) > (long double)obb->half[k]) {
            return false;
        }
    }
    return true;
}

static void test_to_local(long double out[3], td_vec3 origin, const double scale[2], td_vec3 p) {
    const double x[3] = {p.x, p.y, p.z}, o[3] = {origin.x, origin.y, origin.z};
    for (int k = 0; k < 3; ++k) {
        out[k] = ((long double)x[k] - (long double)o[k]) * (long double)scale[0] * (long double)scale[1];
    }
}

// ---------------------------------------------------------------------------------------------------------
// Split hierarchies

static void test_split_holds(const td_mesh *mesh, const char *what) {
    const td_split_tree *split = &mesh->late->split;
    for (uint32_t n = 0; n < split->node_count; ++n) {
        for (uint32_t leaf = n; leaf < split->nodes[n].end; ++leaf) {
            if (!td_split_is_leaf(split->nodes, leaf)) {
                continue;
            }
            const td_quad *quad = &mesh->hierarchy.quads[split->nodes[leaf].right];
            for (int lane = 0; lane < 4 && quad->triangle[lane] != TD_NONE; ++lane) {
                const td_triangle t = td_trimesh_triangle(&mesh->triangles, quad->triangle[lane]);
                const td_vec3 p[3] = {t.p0, t.p1, t.p2};
                for (int i = 0; i < 3; ++i) {
                    long double local[3];
                    test_to_local(local, mesh->hierarchy.origin, mesh->hierarchy.scale, p[i]);
                    if (!test_holds(&split->obbs[n], local)) {
                        fail_msg("%s: the box of node %u does not hold triangle %u", what, n,
                                 quad->triangle[lane]);
                    }
                }
            }
        }
    }
}

static void test_split(void **state) {
    const test_variants *variants = *state;
    td_obbf *first[TEST_DEFORMATIONS] = {NULL};
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        test_mesh rest;
        td_destroy_mesh(test_shape_mesh(&rest, variant->context, "cow", 0));
        td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
        for (int d = 0; d < TEST_DEFORMATIONS; ++d) {
            test_mesh deformed = test_deformed(&rest, &test_deformations[d]);
            test_set(mesh, deformed.positions, TD_REBUILD_NEVER);
            assert_int_equal(td_mesh_prepare_split(mesh, TD_VOLUME_OBB), TD_OK);
            const size_t bytes = mesh->late->split.node_count * sizeof(td_obbf);
            if (first[d] == NULL) {
                test_split_holds(mesh, test_deformations[d].name);
                first[d] = malloc(bytes);
                assert_non_null(first[d]);
                memcpy(first[d], mesh->late->split.obbs, bytes);
            } else if (memcmp(first[d], mesh->late->split.obbs, bytes) != 0) {
                fail_msg("%s, '%s': other boxes than on %s", variant->name, test_deformations[d].name,
                         variants->items[0].name);
            }
            test_mesh_free(&deformed);
        }
        td_destroy_mesh(mesh);
        test_mesh_free(&rest);
    }
    for (int d = 0; d < TEST_DEFORMATIONS; ++d) {
        free(first[d]);
    }
}

// They are of use: around a sheet that lies aslant they are thin.
static void test_tight(void **state) {
    const test_variants *variants = *state;
    test_mesh sheet = test_sheet(24, 0);
    for (uint32_t i = 0; i < sheet.vertex_count; ++i) {
        double *p = sheet.positions + 3 * (size_t)i;
        const double x = p[0], z = p[2];
        p[2] = 0.8 * x + 0.6 * z;
        p[0] = 0.6 * x - 0.8 * z;
    }
    td_mesh *mesh = test_build_deformable(variants->items[0].context, &sheet, TD_BUILDER_SAH);
    assert_int_equal(td_mesh_prepare_split(mesh, TD_VOLUME_OBB), TD_OK);
    const td_split_tree *split = &mesh->late->split;
    uint32_t thin = 0;
    for (uint32_t n = 0; n < split->node_count; ++n) {
        const float *half = split->obbs[n].half;
        const float least = fminf(half[0], fminf(half[1], half[2]));
        thin += least < 1e-3f * fmaxf(half[0], fmaxf(half[1], half[2]));
    }
    print_message("%u of %u boxes are thin\n", thin, split->node_count);
    assert_true(10 * thin > 9 * split->node_count);
    td_destroy_mesh(mesh);
    test_mesh_free(&sheet);
}

// ---------------------------------------------------------------------------------------------------------
// Steps

typedef struct test_side {
    td_features features;
    td_swept swept;
    td_swept_tree tree;
    td_path *paths;
    td_swept_frame frame;
} test_side;

static void test_swept_holds(const test_side *side, const char *what) {
    const td_swept_tree *tree = &side->tree;
    const bool split = tree->split.boxes != NULL;
    const td_obb_tree *obbs = &tree->obbs;
    uint32_t *end = malloc(obbs->node_count * sizeof *end);
    assert_non_null(end);
    for (uint32_t n = obbs->node_count; n-- > 0;) {
        end[n] = obbs->second[n] == TD_NONE ? n + 1 : end[obbs->second[n]];
    }
    for (uint32_t n = 0; n < obbs->node_count; ++n) {
        for (uint32_t leaf = n; leaf < end[n]; ++leaf) {
            if (obbs->second[leaf] != TD_NONE) {
                continue;
            }
            const uint32_t at = split ? 4 * tree->split.nodes[leaf].right : tree->post.links[leaf].child;
            for (uint32_t lane = at % 4; lane < (split ? 4u : at % 4 + 1); ++lane) {
                const uint32_t triangle = side->swept.quads[at / 4].triangle[lane];
                for (int i = 0; triangle != TD_NONE && i < 6; ++i) {
                    const uint32_t vertex = side->features.triangles[triangle].vertex[i % 3];
                    long double local[3];
                    test_to_local(local, side->frame.origin, side->frame.scale,
                                  side->paths[vertex].at[i / 3]);
                    if (!test_holds(&obbs->obbs[n], local)) {
                        fail_msg("%s: the box of node %u does not hold triangle %u at t = %d", what, n,
                                 triangle, i / 3);
                    }
                }
            }
        }
    }
    free(end);
}

static void test_fit_side(test_side *side, const td_mesh *mesh, const double *end, bool split) {
    td_context *context = mesh->triangles.context;
    const td_trimesh *triangles = &mesh->triangles;
    td_vec3 lower = {0}, upper = {0};
    for (uint32_t v = 0; v < triangles->vertex_count; ++v) {
        const double *p = end + 3 * (size_t)v;
        side->paths[v] = (td_path){{td_trimesh_vertex(triangles, v), td_vec3_make(p[0], p[1], p[2])}};
        for (int i = 0; i < 2; ++i) {
            const td_vec3 x = side->paths[v].at[i];
            const bool first = v + (uint32_t)i == 0;
            lower = first ? x : td_vec3_make(fmin(lower.x, x.x), fmin(lower.y, x.y), fmin(lower.z, x.z));
            upper = first ? x : td_vec3_make(fmax(upper.x, x.x), fmax(upper.y, x.y), fmax(upper.z, x.z));
        }
    }
    side->frame = td_swept_frame_around(lower, upper, 0);
    assert_int_equal(td_swept_reserve(&side->swept, context, &mesh->hierarchy, triangles->vertex_count),
                     TD_OK);
    td_swept_fit(&side->swept, context, &side->features, &mesh->hierarchy, side->paths, &side->frame, false);
    if (split) {
        assert_int_equal(td_mesh_prepare_split_nodes(mesh), TD_OK);
        assert_int_equal(
            td_swept_tree_of_split(&side->tree, context, &mesh->late->split, mesh->structure, true), TD_OK);
    } else {
        assert_int_equal(td_mesh_prepare_postorder(mesh, TD_VOLUME_AABB), TD_OK);
        assert_int_equal(
            td_swept_tree_of_post(&side->tree, context, &mesh->late->post, mesh->structure, true), TD_OK);
    }
    td_swept_tree_fit(&side->tree, context, &side->swept, &side->features, &side->frame, true);
}

static void test_steps(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[variants->count - 1];
    td_context *context = variant->context;
    test_mesh rest;
    td_destroy_mesh(test_shape_mesh(&rest, context, "torus", 0));
    td_mesh *mesh = test_build_deformable(context, &rest, TD_BUILDER_SAH);
    test_side side = {.paths = malloc(rest.vertex_count * sizeof(td_path))};
    assert_non_null(side.paths);
    assert_int_equal(td_features_create(&side.features, context, mesh->triangles.indices,
                                        mesh->triangles.triangle_count, mesh->triangles.vertex_count),
                     TD_OK);
    for (int d = 0; d < 2 * TEST_DEFORMATIONS; ++d) {
        const test_deformation *how = &test_deformations[d % TEST_DEFORMATIONS];
        test_mesh deformed = test_deformed(&rest, how);
        test_fit_side(&side, mesh, deformed.positions, d < TEST_DEFORMATIONS);
        test_swept_holds(&side, how->name);
        test_mesh_free(&deformed);
    }
    td_swept_tree_release(&side.tree, context);
    td_swept_release(&side.swept, context);
    td_features_release(&side.features, context);
    free(side.paths);
    td_destroy_mesh(mesh);
    test_mesh_free(&rest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_tight),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
