// Deformable meshes: after td_set_positions every query answers as if the mesh had been made with these
// positions, by every strategy; hierarchies are valid, and bit for bit the same for every instruction set and
// number of threads.
#include "bvh/refit.h"
#include "support/heap.h"
#include "support/ways.h"
#include "test_sequence_support.h"

#include <limits.h>
#include <tandem/io.h>

#include <stdio.h>

static const td_rebuild test_rebuilds[] = {TD_REBUILD_AUTO, TD_REBUILD_NEVER, TD_REBUILD_ALWAYS};
static const char *const test_rebuild_names[] = {"auto", "never", "always"};

static test_pairs test_self_pairs(td_query *query, const td_mesh *mesh, const td_collide_def *def) {
    td_collide_result answer;
    if (td_self_collide(&answer, query, mesh, def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return test_pairs_copy(&answer);
}

static test_pairs test_pairs_between(td_query *query, const td_mesh *a, const td_mesh *b,
                                     const td_collide_def *def) {
    const td_pose pose = {{0.2, 0.1, 0.05}, {0, 0, 0, 1}};
    td_collide_result answer;
    if (td_collide(&answer, query, a, b, &pose, def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return test_pairs_copy(&answer);
}

static void test_expect_pairs(test_pairs found, const test_pairs *expected, const char *what) {
    if (found.count != expected->count ||
        (found.count > 0 && memcmp(found.items, expected->items, found.count * sizeof *found.items) != 0)) {
        fail_msg("%s: %zu pairs, expected %zu", what, found.count, expected->count);
    }
    test_pairs_free(&found);
}

// Asks in every way, natively.
static void test_ask_all(td_query *query, const td_mesh *mesh, const td_mesh *other, const test_pairs *self,
                         const test_pairs *between, const char *what) {
    test_ways ways;
    test_ways_list(&ways, NULL, 0);
    for (int i = 0; i < ways.count; ++i) {
        char name[256];
        snprintf(name, sizeof name, "%s, %s", what, ways.items[i].name);
        const td_collide_def *def = &ways.items[i].def;
        test_expect_pairs(test_pairs_between(query, mesh, other, def), between, name);
        test_expect_pairs(test_pairs_between(query, other, mesh, def), between + 1, name);
        td_collide_result answer;
        if (td_self_collide(&answer, query, mesh, def) == TD_OK) {
            test_expect_pairs(test_pairs_copy(&answer), self, name);
        }
    }
}

// One mesh goes through all deformations in turn, with each way of rebuilding and each builder.
static void test_deform_shape(const test_variant *variant, const test_mesh *rest, const char *shape) {
    td_mesh *other = test_mesh_build(variant->context, rest);
    td_collide_def brute = td_default_collide_def();
    brute.strategy = "brute";
    size_t pairs = 0;
    for (int r = 0; r < 6; ++r) {
        td_mesh *mesh =
            test_build_deformable(variant->context, rest, r < 3 ? TD_BUILDER_SAH : TD_BUILDER_LINEAR);
        for (int d = 0; d < TEST_DEFORMATIONS; ++d) {
            char what[128];
            snprintf(what, sizeof what, "%s, %s, %s", shape, test_deformations[d].name,
                     test_rebuild_names[r % 3]);
            test_mesh now = test_deformed(rest, &test_deformations[d]);
            td_mesh *fresh = test_mesh_build(variant->context, &now);
            assert_non_null(fresh);
            const td_refit_report report = test_set(mesh, now.positions, test_rebuilds[r % 3]);
            assert_true(report.rebuilt == (r % 3 == 2) || r % 3 == 0);
            assert_true(report.decay > 0);
            test_validate(mesh, what);
            double bounds[2][2][3];
            td_mesh_bounds(bounds[0][0], bounds[0][1], mesh);
            td_mesh_bounds(bounds[1][0], bounds[1][1], fresh);
            assert_memory_equal(bounds[0], bounds[1], sizeof bounds[0]);
            test_pairs self = test_self_pairs(variant->query, mesh, &brute);
            test_pairs between[2] = {test_pairs_between(variant->query, fresh, other, &brute),
                                     test_pairs_between(variant->query, other, fresh, &brute)};
            test_ask_all(variant->query, mesh, other, &self, between, what);
            test_validate(mesh, what); // post-order hierarchies are there now, and stay for the next
            if (d < 5) {               // no two vertices have come to coincide
                td_collide_def def = td_default_collide_def();
                test_expect_pairs(test_self_pairs(variant->query, fresh, &def), &self, what);
            }
            pairs += self.count + between[0].count;
            test_pairs_free(&self);
            test_pairs_free(&between[0]);
            test_pairs_free(&between[1]);
            td_destroy_mesh(fresh);
            test_mesh_free(&now);
        }
        td_destroy_mesh(mesh);
    }
    print_message("%s: %zu pairs\n", shape, pairs);
    assert_true(pairs > 0);
    td_destroy_mesh(other);
}

static void test_deformed_queries(void **state) {
    const test_variants *variants = *state;
    const test_variant *widest = &variants->items[variants->count - 1];
    test_mesh rest;
    td_destroy_mesh(test_shape_mesh(&rest, widest->context, "sphere", 1));
    test_deform_shape(widest, &rest, "sphere");
    test_mesh_free(&rest);
    test_random random = {3};
    rest = test_soup(&random, 37); // every triangle has vertices of its own; a block that is not full
    test_deform_shape(widest, &rest, "soup");
    test_mesh_free(&rest);
}

// ---------------------------------------------------------------------------------------------------------
// Bits

static void test_expect_bits(const td_mesh *a, const td_mesh *b, const char *what) {
    const td_blocked *x = &a->hierarchy, *y = &b->hierarchy;
    if (x->block_count != y->block_count || x->quad_count != y->quad_count ||
        memcmp(x->blocks, y->blocks, x->block_count * sizeof *x->blocks) != 0 ||
        memcmp(x->quads, y->quads, x->quad_count * sizeof *x->quads) != 0 ||
        memcmp(x->slabs, y->slabs, x->slabs_count * sizeof *x->slabs) != 0 || x->area != y->area) {
        fail_msg("%s: the hierarchies differ", what);
    }
    const td_postorder *p = &a->late->post, *q = &b->late->post;
    if (p->obbs != NULL && q->obbs != NULL &&
        (memcmp(p->boxes, q->boxes, p->node_count * sizeof *p->boxes) != 0 ||
         memcmp(p->obbs, q->obbs, p->node_count * sizeof *p->obbs) != 0)) {
        fail_msg("%s: the post-order hierarchies differ", what);
    }
}

// Refitting to where a mesh is changes no bit; the same deformation gives the same bits everywhere.
static void test_refit_all(td_blocked *blocked, const td_mesh *mesh, td_isa isa) {
    const td_refit_source source = td_refit_source_of(blocked, &mesh->triangles);
    for (uint32_t i = 0; i < blocked->quad_count; ++i) {
        blocked->quads[i].size = blocked->quads[i].origin[0][0] = NAN; // to be written
    }
    for (uint32_t i = 0; i < blocked->plan.range_count; ++i) {
        td_refit_range(blocked, &source, i, isa);
    }
}

// A large mesh, whose quads go past the caches: the bits are those that go through them.
static void test_past_the_caches(void **state) {
    const test_variants *variants = *state;
    test_mesh rest;
    td_destroy_mesh(test_shape_mesh(&rest, variants->items[0].context, "cow", 4));
    td_mesh *mesh =
        test_build_deformable(variants->items[variants->count - 1].context, &rest, TD_BUILDER_LINEAR);
    td_blocked *large = &mesh->hierarchy;
    const size_t bytes = large->quad_count * sizeof *large->quads;
    assert_true(bytes > 12u << 20);
    td_quad *kept = malloc(bytes);
    assert_non_null(kept);
    memcpy(kept, large->quads, bytes);
    for (int v = 0; v < variants->count; ++v) {
        const td_isa isa = td_context_isa(variants->items[v].context);
        test_refit_all(large, mesh, isa);
        assert_memory_equal(large->quads, kept, bytes);
        td_blocked *parts = malloc(sizeof *parts); // the same arrays, said to be few
        assert_non_null(parts);
        *parts = *large;
        for (uint32_t i = 0; i < large->quad_count; ++i) {
            large->quads[i].size = NAN;
        }
        parts->quad_count = 0;
        test_refit_all(parts, mesh, isa);
        assert_memory_equal(large->quads, kept, bytes);
        free(parts);
    }
    test_validate(mesh, "past the caches");
    free(kept);
    td_destroy_mesh(mesh);
    test_mesh_free(&rest);
}

static void test_same_bits(void **state) {
    const test_variants *variants = *state;
    test_mesh rest;
    td_mesh *shape = test_shape_mesh(&rest, variants->items[0].context, "cow", 2);
    for (int d = 0; d < TEST_DEFORMATIONS; ++d) {
        test_mesh now = test_deformed(&rest, &test_deformations[d]);
        td_mesh *first = NULL;
        for (int v = 0; v < variants->count; ++v) {
            const test_variant *variant = &variants->items[v];
            td_mesh *mesh =
                test_build_deformable(variant->context, &rest, d % 2 ? TD_BUILDER_LINEAR : TD_BUILDER_SAH);
            if (d == 0) {
                test_expect_bits(mesh, shape, "deformable or not");
            }
            assert_int_equal(td_mesh_prepare_postorder(mesh, TD_VOLUME_OBB), TD_OK);
            test_set(mesh, now.positions, TD_REBUILD_NEVER);
            if (d == 0) {
                test_expect_bits(mesh, shape, "the same positions");
            }
            if (first == NULL) {
                first = mesh;
                continue;
            }
            test_expect_bits(first, mesh, variant->name);
            td_destroy_mesh(mesh);
        }
        td_destroy_mesh(first);
        test_mesh_free(&now);
    }
    td_destroy_mesh(shape);
    test_mesh_free(&rest);
}

// float32, strides: exactly what their float64 values give.
static void test_scalars(void **state) {
    const test_variants *variants = *state;
    td_context *context = variants->items[0].context;
    test_mesh rest;
    td_destroy_mesh(test_shape_mesh(&rest, context, "cow", 1));
    const uint32_t count = rest.vertex_count;
    float *wide = calloc(5 * count, sizeof *wide); // x y z and two more
    double *exact = malloc(3 * count * sizeof *exact);
    assert_true(wide != NULL && exact != NULL);
    for (size_t v = 0; v < count; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            wide[5 * v + k] = (float)(rest.positions[3 * v + k] * 1.5);
            exact[3 * v + k] = (double)wide[5 * v + k];
        }
    }
    td_mesh *a = test_build_deformable(context, &rest, TD_BUILDER_SAH);
    td_mesh *b = test_build_deformable(context, &rest, TD_BUILDER_SAH);
    assert_int_equal(td_set_positions(NULL, a, TD_FLOAT32, wide, 5 * sizeof *wide, TD_REBUILD_NEVER), TD_OK);
    test_set(b, exact, TD_REBUILD_NEVER);
    test_expect_bits(a, b, "float32");
    td_mesh_def def = test_def_of(&rest); // float32 from the start, borrowed
    def.scalar = TD_FLOAT32;
    def.positions = wide;
    def.position_stride = 5 * sizeof *wide;
    def.deformable = def.borrow = true;
    td_mesh *c = NULL;
    assert_int_equal(td_create_mesh(&c, context, &def), TD_OK);
    memset(wide, 0, 5 * count * sizeof *wide); // positions are copied all the same
    double p[3];
    td_mesh_vertex(p, c, count - 1);
    assert_memory_equal(p, exact + 3 * (size_t)(count - 1), sizeof p);
    test_set(c, rest.positions, TD_REBUILD_NEVER);
    test_set(b, rest.positions, TD_REBUILD_NEVER);
    test_validate(c, "float32 at creation");
    td_destroy_mesh(a);
    td_destroy_mesh(b);
    td_destroy_mesh(c);
    free(wide);
    free(exact);
    test_mesh_free(&rest);
}

// ---------------------------------------------------------------------------------------------------------
// What follows positions, and what does not

static void test_quality(void **state) {
    const test_variants *variants = *state;
    td_context *context = variants->items[0].context;
    test_mesh rest;
    td_destroy_mesh(test_shape_mesh(&rest, context, "sphere", 3));
    td_mesh *mesh = test_build_deformable(context, &rest, TD_BUILDER_SAH);
    td_refit_report report = test_set(mesh, rest.positions, TD_REBUILD_AUTO);
    assert_false(report.rebuilt);
    assert_true(report.decay == 1);
    test_mesh wild = test_deformed(&rest, &test_deformations[4]); // scattered
    report = test_set(mesh, wild.positions, TD_REBUILD_NEVER);
    assert_false(report.rebuilt);
    assert_true(report.decay > TD_REBUILD_DECAY);
    const double decay = report.decay;
    report = test_set(mesh, wild.positions, TD_REBUILD_AUTO);
    assert_true(report.rebuilt && report.decay == 1);
    report = test_set(mesh, wild.positions, TD_REBUILD_AUTO); // as good as it gets
    assert_false(report.rebuilt);
    report = test_set(mesh, rest.positions, TD_REBUILD_ALWAYS);
    assert_true(report.rebuilt && report.decay == 1);
    print_message("scattered: %.1f times the cost\n", decay);
    td_destroy_mesh(mesh);
    test_mesh_free(&wild);
    test_mesh_free(&rest);
}

// A box of which every face has corners of its own, opened and closed again.
static void test_coincident_vertices(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[0];
    const double lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1};
    test_mesh box = test_box(lower, upper);
    test_mesh soup = {.vertex_count = 3 * box.triangle_count, .triangle_count = box.triangle_count};
    soup.positions = malloc(9 * box.triangle_count * sizeof *soup.positions);
    soup.triangles = malloc(3 * box.triangle_count * sizeof *soup.triangles);
    assert_true(soup.positions != NULL && soup.triangles != NULL);
    for (uint32_t i = 0; i < soup.vertex_count; ++i) {
        soup.triangles[i] = i;
        memcpy(soup.positions + 3 * (size_t)i, box.positions + 3 * (size_t)box.triangles[i],
               3 * sizeof(double));
    }
    td_mesh *mesh = test_build_deformable(variant->context, &soup, TD_BUILDER_SAH);
    assert_true(td_mesh_is_closed(mesh));
    soup.positions[0] += 0.25;
    test_set(mesh, soup.positions, TD_REBUILD_NEVER);
    assert_false(td_mesh_is_closed(mesh));
    td_collide_def def = td_default_collide_def();
    td_collide_result answer;
    assert_int_equal(td_self_collide(&answer, variant->query, mesh, &def), TD_OK);
    assert_int_equal(answer.pair_count, 0); // neighbours still
    soup.positions[0] -= 0.25;
    test_set(mesh, soup.positions, TD_REBUILD_ALWAYS);
    assert_true(td_mesh_is_closed(mesh));
    // Each triangle counts as a piece: the box lies inside the room until one of them leaves it.
    const double room_lower[3] = {9, 9, 9}, room_upper[3] = {12, 12, 12};
    const td_pose identity = {{0, 0, 0}, {0, 0, 0, 1}};
    test_mesh room = test_box(room_lower, room_upper);
    td_mesh *outer = test_mesh_build(variant->context, &room);
    test_mesh_shift(&soup, 10, 10, 10);
    test_set(mesh, soup.positions, TD_REBUILD_NEVER);
    assert_int_equal(td_collide(&answer, variant->query, outer, mesh, &identity, &def), TD_OK);
    assert_int_equal(answer.inside, TD_INSIDE_B_IN_A);
    for (uint32_t i = 3 * (soup.triangle_count - 1); i < soup.vertex_count; ++i) {
        soup.positions[3 * (size_t)i] += 10;
    }
    test_set(mesh, soup.positions, TD_REBUILD_NEVER);
    assert_int_equal(td_collide(&answer, variant->query, outer, mesh, &identity, &def), TD_OK);
    assert_int_equal(answer.inside, TD_INSIDE_NONE);
    td_destroy_mesh(mesh);
    td_destroy_mesh(outer);
    test_mesh_free(&room);
    test_mesh_free(&soup);
    test_mesh_free(&box);
}

// A vertex that no triangle uses: bounds take no notice, but it must be finite.
static void test_unused_vertex(void **state) {
    const test_variants *variants = *state;
    test_mesh box = test_cube(0, 1);
    box.positions = realloc(box.positions, 3 * (box.vertex_count + 1) * sizeof *box.positions);
    assert_non_null(box.positions);
    double *unused = box.positions + 3 * (size_t)box.vertex_count++;
    unused[0] = unused[1] = unused[2] = 100;
    td_mesh *mesh = test_build_deformable(variants->items[0].context, &box, TD_BUILDER_SAH);
    unused[0] = -1e300;
    test_set(mesh, box.positions, TD_REBUILD_NEVER);
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, mesh);
    assert_true(lower[0] == -1 && upper[0] == 1);
    unused[1] = INFINITY;
    assert_int_equal(td_set_positions(NULL, mesh, TD_FLOAT64, box.positions, 0, TD_REBUILD_NEVER),
                     TD_ERROR_MESH);
    td_destroy_mesh(mesh);
    test_mesh_free(&box);
}

// ---------------------------------------------------------------------------------------------------------
// Bad input, want of memory

static void test_bad_input(void **state) {
    const test_variants *variants = *state;
    td_context *context = variants->items[0].context;
    test_mesh rest;
    td_mesh *rigid = test_shape_mesh(&rest, context, "cow", 1);
    assert_int_equal(td_set_positions(NULL, rigid, TD_FLOAT64, rest.positions, 0, TD_REBUILD_AUTO),
                     TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "cow is not deformable"));
    td_mesh *mesh = test_build_deformable(context, &rest, TD_BUILDER_SAH);
    test_mesh bad = test_deformed(&rest, &test_deformations[1]);
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        const uint32_t vertex = i == 1 ? 0 : bad.vertex_count - 1 - (uint32_t)i;
        double *p = &bad.positions[3 * (size_t)vertex + (size_t)i];
        const double before = *p;
        *p = wrong[i];
        td_refit_report report = {.decay = 42};
        assert_int_equal(td_set_positions(&report, mesh, TD_FLOAT64, bad.positions, 0, test_rebuilds[i]),
                         TD_ERROR_MESH);
        char name[32];
        snprintf(name, sizeof name, "vertex %u ", vertex);
        assert_non_null(strstr(td_error_message(), name));
        assert_true(report.decay == 42);
        *p = before;
    }
    test_expect_bits(mesh, rigid, "after refused positions");
    double p[3];
    td_mesh_vertex(p, mesh, 5);
    assert_memory_equal(p, rest.positions + 15, sizeof p);
    static const struct {
        td_scalar scalar;
        size_t stride;
        int rebuild;
    } wrongs[] = {{(td_scalar)7, 0, 0}, {TD_FLOAT64, 16, 0}, {TD_FLOAT64, 25, 0}, {TD_FLOAT64, 0, 3}};
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; ++i) {
        assert_int_equal(td_set_positions(NULL, mesh, wrongs[i].scalar, rest.positions, wrongs[i].stride,
                                          (td_rebuild)wrongs[i].rebuild),
                         TD_ERROR_ARGUMENT);
    }
    assert_int_equal(td_set_positions(NULL, mesh, TD_FLOAT64, NULL, 0, TD_REBUILD_AUTO), TD_ERROR_ARGUMENT);
    td_mesh_def def = test_def_of(&rest);
    def.builder = (td_builder)9;
    td_mesh *none = NULL;
    assert_int_equal(td_create_mesh(&none, context, &def), TD_ERROR_ARGUMENT);
    td_destroy_mesh(mesh);
    td_destroy_mesh(rigid);
    test_mesh_free(&bad);
    test_mesh_free(&rest);
}

// Every allocation fails once, and from there on: the mesh is as before, or answers for the new positions.
static void test_memory(void **state) {
    (void)state;
    test_heap heap = {0};
    td_context_def context_def = td_default_context_def();
    context_def.allocator = test_heap_allocator(&heap);
    context_def.thread_count = 2;
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &context_def), TD_OK);
    test_mesh rest;
    td_destroy_mesh(test_shape_mesh(&rest, context, "torus", 0));
    test_mesh folded = test_deformed(&rest, &test_deformations[2]);
    td_query *query = NULL;
    assert_int_equal(td_create_query(&query, context), TD_OK);
    td_collide_def def = td_default_collide_def(), obb = def;
    obb.strategy = "stack";
    obb.volume = TD_VOLUME_OBB;
    long refused = 0, done = 0;
    for (int r = 0; r < 6; ++r) { // the second half with oriented boxes made
        for (long fail_at = 0;; ++fail_at) {
            td_mesh *mesh = test_build_deformable(context, &rest, TD_BUILDER_SAH);
            if (r >= 3) {
                test_pairs made = test_pairs_between(query, mesh, mesh, &obb);
                test_pairs_free(&made);
            }
            test_heap_fail(&heap, fail_at, r % 2 ? LONG_MAX : fail_at + 1);
            const td_result result =
                td_set_positions(NULL, mesh, TD_FLOAT64, folded.positions, 0, test_rebuilds[r % 3]);
            const bool failed = atomic_load(&heap.failures) > 0;
            test_heap_recover(&heap);
            assert_true(result == TD_OK || (result == TD_ERROR_MEMORY && failed));
            refused += result != TD_OK;
            done += result == TD_OK && failed;
            double p[3];
            td_mesh_vertex(p, mesh, 3);
            assert_memory_equal(p, (result == TD_OK ? folded : rest).positions + 9, sizeof p);
            test_validate(mesh, "after want of memory");
            test_pairs wide = test_pairs_between(query, mesh, mesh, &def);
            test_expect_pairs(test_pairs_between(query, mesh, mesh, &obb), &wide, "oriented boxes");
            test_pairs_free(&wide);
            td_destroy_mesh(mesh);
            if (!failed) {
                break;
            }
        }
    }
    print_message("%ld times refused, %ld times done without\n", refused, done);
    assert_true(refused > 10);
    td_destroy_query(query);
    td_destroy_context(context);
    assert_int_equal(atomic_load(&heap.blocks), 0);
    assert_int_equal(atomic_load(&heap.mistakes), 0);
    test_mesh_free(&folded);
    test_mesh_free(&rest);
}

// A device notices that its copy is old.
static void test_on_device(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[variants->count - 1];
    td_device *device = test_open_device(variant->context, false, 0);
    if (device == NULL) {
        return;
    }
    td_query *query = NULL; // holds memory of the device, so it ends before that
    assert_int_equal(td_create_query(&query, variant->context), TD_OK);
    test_mesh rest;
    td_mesh *other = test_shape_mesh(&rest, variant->context, "torus", 0);
    td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
    test_ways ways;
    test_ways_list(&ways, device, 0);
    td_collide_def native = td_default_collide_def();
    for (int d = 0; d < 4; ++d) {
        test_mesh now = test_deformed(&rest, &test_deformations[d]);
        test_set(mesh, now.positions, d == 2 ? TD_REBUILD_ALWAYS : TD_REBUILD_NEVER);
        test_pairs expected = test_pairs_between(query, mesh, other, &native);
        assert_true(expected.count > 0);
        for (int i = 0; i < ways.count; ++i) {
            test_expect_pairs(test_pairs_between(query, mesh, other, &ways.items[i].def), &expected,
                              ways.items[i].name);
        }
        test_pairs_free(&expected);
        test_mesh_free(&now);
    }
    print_message("%d ways on the device\n", ways.count);
    td_destroy_mesh(mesh);
    td_destroy_mesh(other);
    test_mesh_free(&rest);
    td_destroy_query(query);
    td_destroy_device(device);
}

// ---------------------------------------------------------------------------------------------------------
// The galloping horse

enum { TEST_BRUTE_FRAMES = 24 };

static void test_horse(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[variants->count - 1];
    test_horse_sequence horse;
    if (!test_horse_open(&horse, variant->context)) {
        return;
    }
    test_ways ways;
    test_ways_list(&ways, NULL, 0);
    int rebuilds = 0;
    double decay = 0;
    for (int frame = 0; frame < TEST_FRAMES; ++frame) {
        test_horse_read(&horse);
        const td_refit_report report = test_horse_set(&horse, TD_REBUILD_AUTO);
        rebuilds += report.rebuilt;
        decay = fmax(decay, report.decay);
        for (int i = 0; i < ways.count; ++i) {
            // Counts are known: brute force, which takes longer than all others together, need not say it
            // again.
            const bool brute = strcmp(ways.items[i].def.strategy, "brute") == 0;
            if (brute && frame % TEST_BRUTE_FRAMES != 0) {
                continue;
            }
            td_collide_result answer;
            const td_result result = td_self_collide(&answer, variant->query, horse.mesh, &ways.items[i].def);
            if (result == TD_OK && answer.pair_count != horse.counts[frame]) {
                fail_msg("frame %d, %s: %zu pairs, expected %u", frame, ways.items[i].name, answer.pair_count,
                         horse.counts[frame]);
            }
            assert_true(result == TD_OK || result == TD_ERROR_UNSUPPORTED);
        }
        test_validate(horse.mesh, "horse");
    }
    print_message("%d frames, %d rebuilds, at most %.3f times the cost\n", TEST_FRAMES, rebuilds, decay);
    test_horse_close(&horse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deformed_queries),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_past_the_caches),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_quality),
        cmocka_unit_test(test_coincident_vertices),
        cmocka_unit_test(test_unused_vertex),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_on_device),
        cmocka_unit_test(test_horse),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
