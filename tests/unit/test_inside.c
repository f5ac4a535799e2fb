// Whether one closed mesh lies inside the other: answers that are known from how the case was made.
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static td_mesh *test_shape(td_context *context, const char *name, double scale) {
    td_mesh *shape = NULL;
    assert_int_equal(td_create_shape(&shape, context, name, 0), TD_OK);
    test_mesh mesh = test_copy_of(shape);
    td_destroy_mesh(shape);
    test_mesh_scale(&mesh, scale);
    shape = test_mesh_build(context, &mesh);
    assert_non_null(shape);
    test_mesh_free(&mesh);
    return shape;
}

// Every variant and strategy, in every mode.
static void test_expect(const test_variants *variants, const test_mesh *a, const test_mesh *b,
                        const td_pose *pose, td_inside inside, bool colliding, const char *name) {
    for (int v = 0; v < variants->count; v += TEST_MOST_THREADS) { // threads make no difference here
        const test_variant *variant = &variants->items[v];
        td_mesh *mesh_a = test_mesh_build(variant->context, a),
                *mesh_b = test_mesh_build(variant->context, b);
        for (uint32_t s = 0; s < td_strategy_count(); ++s) {
            for (int mode = TD_MODE_PAIRS; mode <= TD_MODE_FIRST; ++mode) {
                td_collide_def def = td_default_collide_def();
                def.strategy = td_strategy_name(s);
                def.mode = (td_mode)mode;
                td_collide_result answer;
                if (td_collide(&answer, variant->query, mesh_a, mesh_b, pose, &def) != TD_OK) {
                    fail_msg("%s: %s", name, td_error_message());
                }
                if (answer.inside != inside || answer.colliding != colliding) {
                    fail_msg("%s, %s on %s: inside %s, colliding %d, should be %s, %d", name, def.strategy,
                             variant->name, td_inside_name(answer.inside), answer.colliding,
                             td_inside_name(inside), colliding);
                }
            }
        }
        td_destroy_mesh(mesh_a);
        td_destroy_mesh(mesh_b);
    }
}

static td_inside test_opposite(td_inside inside) {
    return inside == TD_INSIDE_NONE ? TD_INSIDE_NONE
                                    : (inside == TD_INSIDE_A_IN_B ? TD_INSIDE_B_IN_A : TD_INSIDE_A_IN_B);
}

// Both ways round, the pose being a turn and a shift without rounding.
static void test_expect_both(const test_variants *variants, const test_mesh *a, const test_mesh *b,
                             const td_pose *pose, td_inside inside, bool colliding, const char *name) {
    const td_pose inverse = test_inverse_exact(pose);
    test_expect(variants, a, b, pose, inside, colliding, name);
    test_expect(variants, b, a, &inverse, test_opposite(inside), colliding, name);
}

// ---------------------------------------------------------------------------------------------------------

// A cube of half-size 1 in one of half-size 4, at integer places, turned onto itself: every ray along an
// axis or a diagonal grazes edges and vertices. It is inside up to a shift of 2 and touches at 3.
static void test_cubes(void **state) {
    test_mesh outer = test_cube(0, 4), inner = test_cube(0, 1);
    test_random random = {21};
    int seen[3] = {0};
    for (int round = 0; round < test_rounds(60); ++round) {
        td_pose pose = test_exact_turn(test_random_int(&random, 0, TEST_EXACT_TURNS - 1));
        int farthest = 0;
        for (int k = 0; k < 3; ++k) {
            const int shift = test_random_int(&random, -3, 3) * (round % 8 == 7 ? 2 : 1);
            pose.position[k] = shift;
            farthest = abs(shift) > farthest ? abs(shift) : farthest;
        }
        const bool colliding = farthest >= 3 && farthest <= 5;
        const td_inside inside = farthest < 3 ? TD_INSIDE_B_IN_A : TD_INSIDE_NONE;
        seen[farthest < 3 ? 0 : colliding ? 1 : 2]++;
        test_expect_both(*state, &outer, &inner, &pose, inside, colliding, "cubes");
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && (seen[2] > 0 || test_rounds(60) < 60));
    test_mesh_free(&outer);
    test_mesh_free(&inner);
}

// Far more than 30 powers of two between the sizes, all magnitudes: the same question, scaled.
static void test_scales(void **state) {
    static const double scales[][2] = {
        {1, 0x1p-20},    {1, 0x1p-31},     {1, 0x1p-60},           {1, 1e-200},   {1e300, 1},
        {1e300, 1e-300}, {1e-300, 1e-310}, {0x1p-1070, 0x1p-1074}, {1e306, 1e305}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i) {
        test_mesh outer = test_cube(0, 4), inner = test_cube(0, 1);
        test_mesh_scale(&outer, scales[i][0]);
        test_mesh_scale(&inner, scales[i][1]);
        td_pose pose = td_pose_identity();
        test_expect_both(*state, &outer, &inner, &pose, TD_INSIDE_B_IN_A, false, "scaled cubes");
        pose.position[0] = 4.5 * scales[i][0] + scales[i][1]; // half the outer's unit lies between them
        test_expect_both(*state, &outer, &inner, &pose, TD_INSIDE_NONE, false, "cubes side by side");
        test_mesh_free(&outer);
        test_mesh_free(&inner);
    }
}

// A vertex of a huge mesh near a small solid, a few of the solid's sizes away: a probe from there that ends
// too soon may end inside it.
static void test_vertex_beside_a_small_solid(void **state) {
    const test_variant *variant = ((test_variants *)*state)->items;
    test_random random = {22};
    test_mesh cube = test_cube(0, 1);
    td_mesh *solid = test_mesh_build(variant->context, &cube);
    for (int round = 0; round < test_rounds(4000); ++round) {
        test_mesh huge = test_strip(&random, 1);
        double direction[3], length = 0;
        for (int k = 0; k < 3; ++k) {
            direction[k] = test_random_range(&random, -1, 1);
            length = fmax(length, fabs(direction[k]));
        }
        const double near = test_random_range(&random, 1.5, 12) / length;
        for (int k = 0; k < 3; ++k) { // from a point beside the solid straight away from it
            huge.positions[k] = direction[k] * near;
            huge.positions[3 + k] = direction[k] * 0x1p40 + (k == 0 ? 0x1p20 : 0);
            huge.positions[6 + k] = direction[k] * 0x1p40 - (k == 1 ? 0x1p20 : 0);
        }
        td_mesh *mesh = test_mesh_build(variant->context, &huge);
        const td_collide_def def = td_default_collide_def();
        td_collide_result answer;
        assert_int_equal(td_collide(&answer, variant->query, solid, mesh, NULL, &def), TD_OK);
        assert_false(answer.colliding);
        assert_int_equal(answer.inside, TD_INSIDE_NONE);
        assert_int_equal(td_collide(&answer, variant->query, mesh, solid, NULL, &def), TD_OK);
        assert_int_equal(answer.inside, TD_INSIDE_NONE);
        td_destroy_mesh(mesh);
        test_mesh_free(&huge);
    }
    td_destroy_mesh(solid);
    test_mesh_free(&cube);
}

// Where float64 resolves only a few places across the mesh.
static void test_coarse_places(void **state) {
    test_mesh outer = test_cube(0, 4), inner = test_cube(0, 1);
    const double far = 0x1p53; // the next number is 2 away
    test_mesh_shift(&outer, far, far, far);
    td_pose pose = td_pose_identity();
    pose.position[0] = pose.position[1] = pose.position[2] = far;
    // far + 1 is a tie and goes to the even neighbour, far - 1 is exact: the cube shrinks and stays inside.
    test_expect(*state, &outer, &inner, &pose, TD_INSIDE_B_IN_A, false, "coarse places");
    pose.position[0] = far + 16;
    test_expect(*state, &outer, &inner, &pose, TD_INSIDE_NONE, false, "coarse places, apart");
    test_mesh_free(&outer);
    test_mesh_free(&inner);
}

// ---------------------------------------------------------------------------------------------------------

static void test_open_meshes(void **state) {
    const td_pose pose = td_pose_identity();
    test_mesh outer = test_cube(0, 4), inner = test_cube(0, 1);
    test_mesh_drop_triangles(&outer, 1);
    test_expect_both(*state, &outer, &inner, &pose, TD_INSIDE_NONE, false, "open outer");
    test_mesh_free(&outer);
    outer = test_cube(0, 4);
    test_mesh_drop_triangles(&inner, 5);
    test_expect_both(*state, &outer, &inner, &pose, TD_INSIDE_B_IN_A, false, "open inner");
    test_mesh_free(&outer);
    test_mesh_free(&inner);
}

static void test_components(void **state) {
    const td_pose pose = td_pose_identity();
    test_mesh outer = test_cube(0, 4), left = test_cube(-2, 1), right = test_cube(2, 1),
              out = test_cube(9, 1);
    test_mesh both_in = test_join(&left, &right), one_out = test_join(&left, &out);
    test_expect_both(*state, &outer, &both_in, &pose, TD_INSIDE_B_IN_A, false, "two inside");
    test_expect_both(*state, &outer, &one_out, &pose, TD_INSIDE_NONE, false, "one inside, one outside");
    test_mesh two_outer = test_join(&outer, &out); // one of its cubes holds them, that is enough
    test_expect_both(*state, &two_outer, &both_in, &pose, TD_INSIDE_B_IN_A, false, "inside one of two");
    test_mesh *all[] = {&outer, &left, &right, &out, &both_in, &one_out, &two_outer};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        test_mesh_free(all[i]);
    }
}

static void test_voids(void **state) {
    const td_pose pose = td_pose_identity();
    test_mesh hollow = test_hollow_cube(8, 4), small = test_cube(0, 1), wall = test_cube(6, 1);
    test_expect_both(*state, &hollow, &small, &pose, TD_INSIDE_NONE, false, "in the void");
    test_expect_both(*state, &hollow, &wall, &pose, TD_INSIDE_B_IN_A, false, "in the wall");
    test_mesh shells = test_nested_shells(4, 0.5); // half-sizes 1, 1/2, 1/4, 1/8: solid, void, solid, void
    test_mesh grain = test_cube(0, 0x1p-5);
    test_expect_both(*state, &shells, &grain, &pose, TD_INSIDE_NONE, false, "in the inmost void");
    test_mesh_shift(&grain, 0.1875, 0, 0);
    test_expect_both(*state, &shells, &grain, &pose, TD_INSIDE_B_IN_A, false, "in the inmost shell");
    test_mesh_shift(&grain, 0.1875, 0, 0);
    test_expect_both(*state, &shells, &grain, &pose, TD_INSIDE_NONE, false, "in the void between");
    test_mesh *all[] = {&hollow, &small, &wall, &shells, &grain};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        test_mesh_free(all[i]);
    }
}

static void test_touching(void **state) {
    const td_pose pose = td_pose_identity();
    test_mesh outer = test_cube(0, 4), inner = test_cube(3, 1), same = test_cube(0, 4),
              next = test_cube(8, 4);
    test_expect_both(*state, &outer, &inner, &pose, TD_INSIDE_NONE, true, "touching from within");
    test_expect_both(*state, &outer, &same, &pose, TD_INSIDE_NONE, true, "identical");
    test_expect_both(*state, &outer, &next, &pose, TD_INSIDE_NONE, true, "corner to corner");
    // Less than the last place of float64 is no touch.
    test_mesh_shift(&inner, -0x1p-51, -0x1p-51, -0x1p-51);
    test_expect_both(*state, &outer, &inner, &pose, TD_INSIDE_B_IN_A, false, "a hair's breadth within");
    test_mesh *all[] = {&outer, &inner, &same, &next};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        test_mesh_free(all[i]);
    }
}

// Degenerate triangles bound nothing: a zero-area one in a T-junction, a repeated vertex, a segment inside.
static void test_degenerate_surface(void **state) {
    const td_pose pose = td_pose_identity();
    test_mesh outer = test_cube(0, 4), inner = test_cube(0, 1), thin = test_one_point(2);
    test_mesh_shift(&thin, -4, 0, 0);
    test_mesh spiky = test_join(&outer, &thin);
    assert_true(spiky.vertex_count > outer.vertex_count);
    test_expect_both(*state, &spiky, &inner, &pose, TD_INSIDE_B_IN_A, false, "points among the triangles");
    test_expect_both(*state, &outer, &thin, &pose, TD_INSIDE_B_IN_A, false, "a point in a cube");
    test_mesh *all[] = {&outer, &inner, &thin, &spiky};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        test_mesh_free(all[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------

// Shapes in a larger copy of a sphere, in any place and turn: as long as the distances allow it.
static void test_random_poses(void **state) {
    const test_variant *variant = ((test_variants *)*state)->items;
    static const char *const names[] = {"sphere", "box", "cow", "knot", "torus"};
    test_random random = {23};
    td_mesh *outer = test_shape(variant->context, "sphere", 10), *inner[5];
    for (int i = 0; i < 5; ++i) {
        inner[i] = test_shape(variant->context, names[i], 1);
    }
    const td_collide_def def = td_default_collide_def();
    int inside = 0, outside = 0;
    for (int round = 0; round < test_rounds(400); ++round) {
        const td_pose pose = test_random_pose(&random, 10);
        const double distance =
            sqrt(pow(pose.position[0], 2) + pow(pose.position[1], 2) + pow(pose.position[2], 2));
        td_collide_result answer;
        assert_int_equal(td_collide(&answer, variant->query, outer, inner[round % 5], &pose, &def), TD_OK);
        // Shapes reach at most 2 from their centre; the polygonal sphere dips less than 0.2 inside of 10.
        if (distance < 7.8) {
            assert_false(answer.colliding);
            assert_int_equal(answer.inside, TD_INSIDE_B_IN_A);
            ++inside;
        } else if (distance > 12) {
            assert_false(answer.colliding);
            assert_int_equal(answer.inside, TD_INSIDE_NONE);
            ++outside;
        }
    }
    assert_true(inside > 0 && outside > 0);
    for (int i = 0; i < 5; ++i) {
        td_destroy_mesh(inner[i]);
    }
    td_destroy_mesh(outer);
}

// A cow in a cow of ten times the size, about a place well within its body; and one well without.
static void test_cow_in_cow(void **state) {
    const test_variant *variant = ((test_variants *)*state)->items;
    td_mesh *large = test_shape(variant->context, "cow", 64);
    td_mesh *small = test_shape(variant->context, "cow", 1);
    test_random random = {24};
    const td_collide_def def = td_default_collide_def();
    for (int round = 0; round < test_rounds(50); ++round) {
        td_pose pose = test_random_pose(&random, 0.5);
        td_collide_result answer;
        assert_int_equal(td_collide(&answer, variant->query, large, small, &pose, &def), TD_OK);
        assert_false(answer.colliding);
        assert_int_equal(answer.inside, TD_INSIDE_B_IN_A);
        pose.position[1] += 200;
        assert_int_equal(td_collide(&answer, variant->query, large, small, &pose, &def), TD_OK);
        assert_int_equal(answer.inside, TD_INSIDE_NONE);
        pose.position[1] = 0;
        assert_int_equal(td_collide(&answer, variant->query, small, large, &pose, &def), TD_OK);
        assert_int_equal(answer.inside, TD_INSIDE_A_IN_B);
    }
    td_destroy_mesh(large);
    td_destroy_mesh(small);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(td_inside_name(TD_INSIDE_NONE), "none");
    assert_string_equal(td_inside_name(TD_INSIDE_A_IN_B), "a_in_b");
    assert_string_equal(td_inside_name(TD_INSIDE_B_IN_A), "b_in_a");
    assert_string_equal(td_inside_name((td_inside)7), "none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_vertex_beside_a_small_solid),
        cmocka_unit_test(test_coarse_places),
        cmocka_unit_test(test_open_meshes),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_voids),
        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_degenerate_surface),
        cmocka_unit_test(test_random_poses),
        cmocka_unit_test(test_cow_in_cow),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
