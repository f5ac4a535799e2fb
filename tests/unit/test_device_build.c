// Builders on a device: bit for bit the trees of the native builders, whatever the prims and the scheme;
// meshes built there answer as others do.
#include "bvh/build_device.h"
#include "bvh/build_linear.h"
#include "bvh/local.h"
#include "bvh/prims.h"
#include "support/ways.h"
#include "test_device_support.h"
#include "test_refit_support.h"

typedef struct test_tree {
    td_tree_node *nodes;
    td_prim *prims; // in the order of the tree
    uint32_t count;
} test_tree;

static void *test_aligned(size_t size) {
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(memory);
    memset(memory, 0, size);
    return memory;
}

static test_tree test_new_tree(uint32_t count) {
    return (test_tree){test_aligned(2 * count * sizeof(td_tree_node)), test_aligned(count * sizeof(td_prim)),
                       count};
}

static void test_free_tree(test_tree *tree) {
    free(tree->nodes);
    free(tree->prims);
}

// Nodes of which there are none have any bytes, so only the others are compared.
static void test_same_node(const test_tree *a, const test_tree *b, uint32_t node, td_tree_rules rules,
                           const char *what) {
    if (memcmp(&a->nodes[node], &b->nodes[node], sizeof(td_tree_node)) != 0) {
        fail_msg("%s: node %u covers %u prims, area %g; natively %u, area %g", what, node,
                 b->nodes[node].count, (double)b->nodes[node].area, a->nodes[node].count,
                 (double)a->nodes[node].area);
    }
    if (a->nodes[node].count > rules.leaf_size) {
        test_same_node(a, b, td_tree_left(node), rules, what);
        test_same_node(a, b, td_tree_right(a->nodes, node), rules, what);
    }
}

static void test_same_tree(const test_tree *native, const test_tree *found, td_tree_rules rules,
                           const char *what) {
    test_same_node(native, found, 0, rules, what);
    for (uint32_t i = 0; i < native->count; ++i) {
        if (native->prims[i].id != found->prims[i].id) {
            fail_msg("%s: place %u has prim %u, natively %u", what, i, found->prims[i].id,
                     native->prims[i].id);
        }
    }
}

static uint32_t test_build_sah(test_world *world, const td_prim *prims, uint32_t count, td_tree_rules rules,
                               const char *what) {
    test_tree native = test_new_tree(count), found = test_new_tree(count);
    memcpy(native.prims, prims, count * sizeof *prims);
    test_ok(td_build_sah(native.nodes, native.prims, count, rules, world->context, NULL, NULL));
    uint32_t rounds = 0;
    for (int scheme = TD_WORK_BALANCED; scheme <= TD_WORK_LEVELS; ++scheme) {
        char name[160];
        snprintf(name, sizeof name, "%s, %s", what, scheme == TD_WORK_BALANCED ? "balanced" : "levels");
        memcpy(found.prims, prims, count * sizeof *prims);
        memset(found.nodes, 0, 2 * count * sizeof(td_tree_node));
        td_build_on_device build = {.device = world->device, .scheme = (td_work_scheme)scheme};
        test_ok(td_build_sah_on_device(found.nodes, found.prims, count, rules, &build));
        test_same_tree(&native, &found, rules, name);
        rounds = build.rounds;
    }
    test_free_tree(&native);
    test_free_tree(&found);
    return rounds;
}

// Of a mesh, in the frame that has been chosen for it.
static uint32_t test_build_curve(test_world *world, const td_blocked *frame, const td_trimesh *mesh,
                                 td_tree_rules rules, const char *what) {
    const uint32_t count = mesh->triangle_count;
    test_tree native = test_new_tree(count), found = test_new_tree(count);
    td_coded *codes = test_aligned(count * sizeof *codes);
    test_ok(td_build_linear(native.nodes, codes, frame, mesh, rules, NULL, NULL));
    for (uint32_t i = 0; i < count; ++i) {
        native.prims[i].id = codes[i].id;
    }
    memset(codes, 0, count * sizeof *codes);
    td_build_on_device build = {.device = world->device};
    test_ok(td_build_linear_on_device(found.nodes, codes, frame, mesh, rules, &build));
    for (uint32_t i = 0; i < count; ++i) {
        found.prims[i].id = codes[i].id;
    }
    test_same_tree(&native, &found, rules, what);
    free(codes);
    test_free_tree(&native);
    test_free_tree(&found);
    return build.rounds;
}

// Triangles that reach from one corner of a box to the other; float32 if their number is odd.
static uint32_t test_build_linear(test_world *world, const td_prim *prims, uint32_t count,
                                  td_tree_rules rules, const char *what) {
    double *wide = test_aligned(6 * (size_t)count * sizeof *wide);
    float *narrow = test_aligned(6 * (size_t)count * sizeof *narrow);
    uint32_t *triangles = test_aligned(3 * (size_t)count * sizeof *triangles);
    for (uint32_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            wide[6 * (size_t)i + k] = narrow[6 * (size_t)i + k] = prims[i].lower[k];
            wide[6 * (size_t)i + 3 + k] = narrow[6 * (size_t)i + 3 + k] = prims[i].upper[k];
            triangles[3 * (size_t)i + k] = 2 * i + (k == 1);
        }
    }
    test_mesh arrays = {wide, triangles, 2 * count, count};
    td_mesh_def def = test_def_of(&arrays);
    if (count % 2 != 0) {
        def.positions = narrow;
        def.scalar = TD_FLOAT32;
    }
    td_trimesh mesh;
    test_ok(td_trimesh_create(&mesh, world->context, &def));
    td_blocked frame = {0};
    td_choose_frame(&frame, &mesh);
    const uint32_t rounds = test_build_curve(world, &frame, &mesh, rules, what);
    td_trimesh_destroy(&mesh);
    free(wide);
    free(narrow);
    free(triangles);
    return rounds;
}

// Prims at random places, on a lattice (many equal keys), in a plane, in few points, with one far away, all
// in one place.
typedef enum test_cloud {
    TEST_ANYWHERE,
    TEST_LATTICE,
    TEST_PLANE,
    TEST_CLUSTERS,
    TEST_STRAY,
    TEST_POINT,
    TEST_CLOUDS
} test_cloud;

static void test_fill(td_prim *prims, uint32_t count, test_cloud cloud, test_random *random) {
    for (uint32_t i = 0; i < count; ++i) {
        prims[i] = (td_prim){.id = i};
        for (int k = 0; k < 3; ++k) {
            double x = 2 * test_random_unit(random) - 1, size = 0.01 * test_random_unit(random);
            if (cloud == TEST_LATTICE) {
                x = floor(5 * x) / 8;
                size = 0.0625;
            } else if (cloud == TEST_PLANE && k == 2) {
                x = 0.25;
                size = 0;
            } else if (cloud == TEST_CLUSTERS) {
                x = x > 0 ? 0.75 + 1e-6 * x : -0.5 + 1e-6 * x;
                size = 1e-7;
            } else if (cloud == TEST_STRAY) {
                x = i == count / 2 ? 1 : 1e-5 * x;
                size = 1e-7;
            } else if (cloud == TEST_POINT) {
                x = 0.3;
                size = 0.01;
            }
            prims[i].lower[k] = (float)(x - size) - 0x1p-49f;
            prims[i].upper[k] = (float)(x + size) + 0x1p-49f;
        }
    }
}

static const td_tree_rules test_rules[] = {{4, 16, 64}, {1, 1, 1}, {2, 32, 128}, {16, 16, 64}};

static const uint32_t test_counts[] = {1, 2, 4, 5, 16, 17, 31, 32, 33, 64, 65, 100, 1000, 5000, 40000};
enum { TEST_COUNTS = sizeof test_counts / sizeof *test_counts };

typedef uint32_t test_build_fn(test_world *world, const td_prim *prims, uint32_t count, td_tree_rules rules,
                               const char *what);

static void test_clouds(test_world *world, test_build_fn *build) {
    test_random random = {3};
    for (int cloud = 0; cloud < (test_is_slow() ? 2 : TEST_CLOUDS); ++cloud) {
        const int most = test_is_slow() ? 10 : cloud == TEST_ANYWHERE ? TEST_COUNTS : TEST_COUNTS - 2;
        for (int i = test_is_slow() ? 8 : 0; i < most; ++i) {
            const uint32_t count = test_counts[i];
            td_prim *prims = test_aligned(count * sizeof *prims);
            test_fill(prims, count, (test_cloud)cloud, &random);
            for (size_t r = 0;
                 r < (count > 1000 || test_is_slow() ? 1 : sizeof test_rules / sizeof *test_rules); ++r) {
                char what[96];
                snprintf(what, sizeof what, "cloud %d, %u prims, leaves of %u", cloud, count,
                         test_rules[r].leaf_size);
                build(world, prims, count, test_rules[r], what);
            }
            free(prims);
        }
    }
}

typedef uint32_t test_build_shape_fn(test_world *world, const td_mesh *mesh, const char *what);

static uint32_t test_shape_by_area(test_world *world, const td_mesh *mesh, const char *what) {
    const uint32_t count = td_mesh_triangle_count(mesh);
    td_prim *prims = test_aligned(count * sizeof *prims);
    td_fill_prims(prims, &mesh->hierarchy, &mesh->triangles);
    const uint32_t rounds = test_build_sah(world, prims, count, test_rules[0], what);
    free(prims);
    return rounds;
}

static uint32_t test_shape_along_curve(test_world *world, const td_mesh *mesh, const char *what) {
    return test_build_curve(world, &mesh->hierarchy, &mesh->triangles, test_rules[3], what);
}

static void test_shapes_by(test_world *world, test_build_shape_fn *build) {
    static const char *const shapes[] = {"cow", "knot", "torus", "box"};
    for (size_t s = test_is_slow() ? 3 : 0; s < sizeof shapes / sizeof *shapes; ++s) {
        td_mesh *mesh = NULL;
        test_ok(td_create_shape(&mesh, world->context, shapes[s], test_is_slow() ? 0 : 2));
        const uint32_t rounds = build(world, mesh, shapes[s]);
        print_message("%s: %u triangles, %u rounds\n", shapes[s], td_mesh_triangle_count(mesh), rounds);
        td_destroy_mesh(mesh);
    }
}

static void test_sah_clouds(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    test_clouds(world, test_build_sah);
}

static void test_sah_shapes(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    test_shapes_by(world, test_shape_by_area);
}

static void test_linear_clouds(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    test_clouds(world, test_build_linear);
}

static void test_linear_shapes(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    test_shapes_by(world, test_shape_along_curve);
}

static td_mesh *test_build_on(test_world *world, const test_mesh *arrays, td_builder builder,
                              bool by_levels) {
    td_mesh_def def = test_def_of(arrays);
    def.builder = builder;
    def.deformable = true;
    def.device = world->device;
    def.device_by_levels = by_levels;
    td_mesh *mesh = NULL;
    test_ok(td_create_mesh(&mesh, world->context, &def));
    return mesh;
}

static void test_same_hierarchy(const td_mesh *a, const td_mesh *b, const char *what) {
    const td_blocked *x = &a->hierarchy, *y = &b->hierarchy;
    assert_int_equal(x->block_count, y->block_count);
    assert_int_equal(x->quad_count, y->quad_count);
    if (memcmp(x->blocks, y->blocks, x->block_count * sizeof *x->blocks) != 0 ||
        memcmp(x->quads, y->quads, x->quad_count * sizeof *x->quads) != 0 ||
        memcmp(x->slabs, y->slabs, x->slabs_count * sizeof *x->slabs) != 0) {
        fail_msg("%s: not the native hierarchy", what);
    }
    test_validate(b, what);
}

// Meshes whose hierarchy is built on the device, at creation and when new positions want another one.
static void test_meshes(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    test_mesh rest;
    td_mesh *shape = test_shape_mesh(&rest, world->context, test_is_slow() ? "box" : "cow", 1);
    const test_deformation twist = {"twist", test_twist};
    test_mesh twisted = test_deformed(&rest, &twist);
    for (int way = 0; way < 3; ++way) {
        const td_builder builder = way == 2 ? TD_BUILDER_LINEAR : TD_BUILDER_SAH;
        td_mesh *native = test_build_deformable(world->context, &rest, builder);
        td_mesh *mesh = test_build_on(world, &rest, builder, way == 1);
        test_same_hierarchy(native, mesh, "as created");
        td_hierarchy_report report;
        test_ok(td_inspect_hierarchy(&report, world->context, mesh));
        assert_true(report.rounds > 0 && report.tree_ms <= report.build_ms);
        test_set(native, twisted.positions, TD_REBUILD_ALWAYS);
        test_set(mesh, twisted.positions, TD_REBUILD_ALWAYS);
        test_same_hierarchy(native, mesh, "built anew");
        td_destroy_mesh(native);
        td_destroy_mesh(mesh);
    }
    test_mesh_free(&twisted);
    test_mesh_free(&rest);
    td_destroy_mesh(shape);
}

static bool test_stop(uint64_t done, uint64_t total, void *user) {
    (void)done, (void)total, (void)user;
    return false;
}

static void test_refusals(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    if (test_is_slow()) {
        skip(); // what is refused does not depend on the device
    }
    test_mesh rest;
    td_mesh *shape = test_shape_mesh(&rest, world->context, "cow", 0);
    td_mesh_def def = test_def_of(&rest);
    td_mesh *mesh = NULL;
    def.device = world->device;
    def.progress = test_stop;
    test_fails(td_create_mesh(&mesh, world->context, &def), TD_ERROR_CANCELLED, "cancelled");
    def.progress = NULL;
    td_context *other = NULL;
    const td_context_def context_def = td_default_context_def();
    test_ok(td_create_context(&other, &context_def));
    test_fails(td_create_mesh(&mesh, other, &def), TD_ERROR_ARGUMENT, "different contexts");
    td_destroy_context(other);
    td_device_def device_def = test_def(world);
    device_def.without_float64 = true;
    test_ok(td_create_device(&def.device, world->context, &device_def));
    test_fails(td_create_mesh(&mesh, world->context, &def), TD_ERROR_UNSUPPORTED, "float64");
    td_destroy_device(def.device);
    device_def.without_float64 = false;
    for (int builder = TD_BUILDER_SAH; builder <= TD_BUILDER_LINEAR; ++builder) {
        // From too little memory to enough: an error, or the mesh; nothing in between.
        int short_of = 0, enough = 0;
        for (uint64_t limit = 1 << 15; limit <= 1 << 22; limit *= 2) {
            device_def.memory_limit = limit;
            test_ok(td_create_device(&def.device, world->context, &device_def));
            def.builder = (td_builder)builder;
            const td_result result = td_create_mesh(&mesh, world->context, &def);
            assert_true(result == TD_OK || (result == TD_ERROR_DEVICE && mesh == NULL));
            *(result == TD_OK ? &enough : &short_of) += 1;
            td_destroy_mesh(mesh);
            td_destroy_device(def.device);
        }
        assert_true(short_of > 0 && enough > 0);
    }
    test_mesh_free(&rest);
    td_destroy_mesh(shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sah_clouds),    cmocka_unit_test(test_sah_shapes),
        cmocka_unit_test(test_linear_clouds), cmocka_unit_test(test_linear_shapes),
        cmocka_unit_test(test_meshes),        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
