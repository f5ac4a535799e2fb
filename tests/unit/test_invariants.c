// What must not matter: which mesh is called A, how a triangle's corners are ordered, how triangles are
// ordered, whether coordinates come as float32 or float64, copied or borrowed.
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <math.h>
#include <stdlib.h>

typedef struct test_fixture {
    td_context *context;
    td_query *query;
} test_fixture;

static test_pairs test_ask(const test_fixture *fixture, const td_mesh *a, const td_mesh *b,
                           const td_pose *pose) {
    const td_collide_def def = td_default_collide_def();
    td_collide_result answer;
    if (td_collide(&answer, fixture->query, a, b, pose, &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    test_pairs pairs = {0};
    for (size_t i = 0; i < answer.pair_count; ++i) {
        test_pairs_add(&pairs, answer.pairs[i].a, answer.pairs[i].b);
    }
    return pairs;
}

static void test_expect_same(const test_pairs *found, const test_pairs *expected) {
    assert_int_equal(found->count, expected->count);
    for (size_t i = 0; i < found->count; ++i) {
        assert_int_equal(found->items[i].a, expected->items[i].a);
        assert_int_equal(found->items[i].b, expected->items[i].b);
    }
}

// Integer coordinates, or those of a shape, in float32: shapes have all bits, and must be placed exactly.
static test_mesh test_some_mesh(const test_fixture *fixture, test_random *random, int round) {
    static const char *const shapes[] = {"knot", "torus", "capsule", "cylinder"};
    if (round % 4 != 0) {
        test_mesh mesh = test_grid_soup(random, (uint32_t)test_random_int(random, 1, 200));
        test_mesh_scale(&mesh, 8); // sparser: not every pair touches
        for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
            for (uint32_t i = 0; i < 9; ++i) {
                double *x = &mesh.positions[9 * t + i];
                *x = i < 3 ? *x : mesh.positions[9 * t + i % 3] + test_random_int(random, -3, 3);
            }
        }
        return mesh;
    }
    td_mesh *shape = NULL;
    assert_int_equal(td_create_shape(&shape, fixture->context, shapes[round / 4 % 4], 0), TD_OK);
    test_mesh mesh = test_copy_of(shape);
    td_destroy_mesh(shape);
    for (size_t i = 0; i < 3 * (size_t)mesh.vertex_count; ++i) {
        mesh.positions[i] = rint(mesh.positions[i] * 0x1p24) * 0x1p-24; // so that + 1 is exact
    }
    return mesh;
}

// Exact both ways: turns that permute axes, integer shifts.
static td_pose test_exact_pose(test_random *random, int reach) {
    td_pose pose = test_exact_turn(test_random_int(random, 0, TEST_EXACT_TURNS - 1));
    for (int k = 0; k < 3; ++k) {
        pose.position[k] = test_random_int(random, -reach, reach);
    }
    return pose;
}

static void test_swap(void **state) {
    const test_fixture *fixture = *state;
    test_random random = {11};
    size_t total = 0;
    for (int round = 0; round < test_rounds(200); ++round) {
        test_mesh mesh_a = test_some_mesh(fixture, &random, round);
        test_mesh mesh_b = test_some_mesh(fixture, &random, round);
        td_mesh *a = test_mesh_build(fixture->context, &mesh_a);
        td_mesh *b = test_mesh_build(fixture->context, &mesh_b);
        const td_pose pose = test_exact_pose(&random, round % 4 == 0 ? 1 : 4);
        const td_pose inverse = test_inverse_exact(&pose);
        test_pairs forth = test_ask(fixture, a, b, &pose);
        test_pairs back = test_ask(fixture, b, a, &inverse);
        total += forth.count;
        for (size_t i = 0; i < back.count; ++i) {
            back.items[i] = (td_pair){back.items[i].b, back.items[i].a};
        }
        test_pairs_sort(&back);
        test_expect_same(&back, &forth);
        test_pairs_free(&forth);
        test_pairs_free(&back);
        td_destroy_mesh(a);
        td_destroy_mesh(b);
        test_mesh_free(&mesh_a);
        test_mesh_free(&mesh_b);
    }
    assert_true(total > 100);
}

static void test_order(void **state) {
    const test_fixture *fixture = *state;
    test_random random = {12};
    size_t total = 0;
    for (int round = 0; round < test_rounds(200); ++round) {
        test_mesh mesh = test_some_mesh(fixture, &random, round);
        test_mesh other = test_some_mesh(fixture, &random, round);
        uint32_t *place = calloc(mesh.triangle_count, sizeof *place);
        const td_pose pose = test_random_pose(&random, round % 4 == 0 ? 0.5 : 4);
        td_mesh *a = test_mesh_build(fixture->context, &mesh), *b = test_mesh_build(fixture->context, &other);
        test_pairs before = test_ask(fixture, a, b, &pose);
        test_mesh_turn_corners(&mesh, &random);
        test_mesh_turn_corners(&other, &random);
        test_mesh_shuffle(&mesh, place, &random);
        td_mesh *c = test_mesh_build(fixture->context, &mesh), *d = test_mesh_build(fixture->context, &other);
        test_pairs after = test_ask(fixture, c, d, &pose);
        for (size_t i = 0; i < before.count; ++i) {
            before.items[i].a = place[before.items[i].a];
        }
        test_pairs_sort(&before);
        test_expect_same(&after, &before);
        total += before.count;
        test_pairs_free(&before);
        test_pairs_free(&after);
        td_destroy_mesh(a);
        td_destroy_mesh(b);
        td_destroy_mesh(c);
        td_destroy_mesh(d);
        test_mesh_free(&mesh);
        test_mesh_free(&other);
        free(place);
    }
    assert_true(total > 100);
}

// The same float32 coordinates in four wrappings.
static void test_wrapping(void **state) {
    const test_fixture *fixture = *state;
    td_mesh *cow = NULL;
    assert_int_equal(td_create_shape(&cow, fixture->context, "cow", 0), TD_OK);
    test_mesh mesh = test_copy_of(cow);
    float(*padded)[5] = calloc(mesh.vertex_count, sizeof *padded);
    for (size_t i = 0; i < 3 * (size_t)mesh.vertex_count; ++i) {
        padded[i / 3][i % 3] = (float)mesh.positions[i];
        mesh.positions[i] = (double)padded[i / 3][i % 3];
    }
    td_mesh_def def = td_default_mesh_def();
    def.vertex_count = mesh.vertex_count;
    def.triangles = mesh.triangles;
    def.triangle_count = mesh.triangle_count;
    td_mesh *wrapped[4];
    for (int i = 0; i < 4; ++i) {
        def.borrow = i % 2 == 1;
        def.scalar = i >= 2 ? TD_FLOAT32 : TD_FLOAT64;
        def.positions = i >= 2 ? (const void *)padded : mesh.positions;
        def.position_stride = i >= 2 ? sizeof *padded : 0;
        assert_int_equal(td_create_mesh(&wrapped[i], fixture->context, &def), TD_OK);
    }
    test_random random = {13};
    size_t total = 0;
    for (int round = 0; round < 5; ++round) {
        const td_pose pose = test_random_pose(&random, 0.7);
        test_pairs expected = test_ask(fixture, wrapped[0], wrapped[0], &pose);
        for (int i = 1; i < 4; ++i) {
            test_pairs found = test_ask(fixture, wrapped[i], wrapped[i], &pose);
            test_expect_same(&found, &expected);
            test_pairs_free(&found);
        }
        total += expected.count;
        test_pairs_free(&expected);
    }
    assert_true(total > 0);
    for (int i = 0; i < 4; ++i) {
        td_destroy_mesh(wrapped[i]);
    }
    td_destroy_mesh(cow);
    test_mesh_free(&mesh);
    free(padded);
}

static int test_setup(void **state) {
    static test_fixture fixture;
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    *state = &fixture;
    return td_create_context(&fixture.context, &def) != TD_OK ||
           td_create_query(&fixture.query, fixture.context) != TD_OK;
}

static int test_teardown(void **state) {
    test_fixture *fixture = *state;
    td_destroy_query(fixture->query);
    td_destroy_context(fixture->context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swap),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_wrapping),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
