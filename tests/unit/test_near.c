// Near lists: the answers of td_collide_pairs, whatever has moved by less than the margin since the lists
// were made; and clearance, against distances computed pair by pair.
#include "query/near.h"
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/questions.h"
#include "support/variants.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_MOST_PAIRS = 64 };

// ---------------------------------------------------------------------------------------------------------
// Moving

// How far any vertex of the mesh moves from one pose to the other.
static double test_moved(const test_mesh *mesh, const td_pose *from, const td_pose *to) {
    double most = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double p[3], q[3];
        td_pose_apply(p, from, mesh->positions + 3 * (size_t)v);
        td_pose_apply(q, to, mesh->positions + 3 * (size_t)v);
        most = fmax(most, hypot(hypot(q[0] - p[0], q[1] - p[1]), q[2] - p[2]));
    }
    return most;
}

static void test_center(double center[3], double *radius, const test_mesh *mesh) {
    *radius = 0;
    for (int k = 0; k < 3; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            lower = fmin(lower, mesh->positions[3 * (size_t)v + (size_t)k]);
            upper = fmax(upper, mesh->positions[3 * (size_t)v + (size_t)k]);
        }
        center[k] = lower / 2 + upper / 2;
        *radius = fmax(*radius, upper / 2 - lower / 2);
    }
}

// Turned and shifted at random about the mesh's own middle, so that nothing moves by more than about `reach`.
static td_pose test_nudge(test_random *random, const td_pose *pose, const test_mesh *mesh, double reach) {
    double center[3], radius, before[3], after[3];
    test_center(center, &radius, mesh);
    td_pose_apply(before, pose, center);
    td_pose moved = *pose;
    const double angle = radius > 0 ? fmin(0.2 * reach / radius, 0.5) : 0;
    double norm = 0;
    for (int k = 0; k < 4; ++k) {
        moved.rotation[k] += angle * test_random_range(random, -0.5, 0.5);
        norm += moved.rotation[k] * moved.rotation[k];
    }
    for (int k = 0; k < 4; ++k) {
        moved.rotation[k] /= sqrt(norm);
    }
    td_pose_apply(after, &moved, center);
    for (int k = 0; k < 3; ++k) {
        moved.position[k] += before[k] - after[k] + reach * test_random_range(random, -0.5, 0.5);
    }
    return moved;
}

// ---------------------------------------------------------------------------------------------------------
// Asking

// Pairs of two meshes in some poses, each with its list.
typedef struct test_scene {
    const test_variant *variant;
    const test_mesh *source_b;
    char name[224];
    td_near_pair pairs[TEST_MOST_PAIRS];
    td_near_list lists[TEST_MOST_PAIRS];
    td_pose listed_at[TEST_MOST_PAIRS];
    size_t count;
    // What was seen, to be sure that it was there to see:
    uint64_t listed_answers, colliding, without_boxes, inside;
} test_scene;

static void test_scene_open(test_scene *scene, const test_variant *variant, const td_mesh *a,
                            const td_mesh *b, const test_mesh *source_b, double margin) {
    memset(scene->lists, 0, sizeof scene->lists);
    scene->variant = variant;
    scene->source_b = source_b;
    scene->listed_answers = scene->colliding = scene->without_boxes = scene->inside = 0;
    for (size_t i = 0; i < scene->count; ++i) {
        scene->pairs[i].pair.a = a;
        scene->pairs[i].pair.b = b;
        scene->pairs[i].list = &scene->lists[i];
        scene->pairs[i].margin = margin;
        scene->pairs[i].listed = false;
    }
}

static void test_scene_close(test_scene *scene) {
    for (size_t i = 0; i < scene->count; ++i) {
        td_near_release(&scene->lists[i], scene->variant->context);
    }
}

// Moves pair i to `pose`, which its list survives if nothing moves by the margin.
static void test_scene_move(test_scene *scene, size_t i, td_pose pose, bool relist) {
    td_near_pair *pair = &scene->pairs[i];
    pair->pair.pose = pose;
    pair->listed = !relist && test_moved(scene->source_b, &scene->listed_at[i], &pose) < pair->margin;
    if (!pair->listed) {
        scene->listed_at[i] = pose;
    }
}

// Whether two meet at all, one inside the other included or left out, is what the plain answers tell.
static void test_expect_meetings(const test_scene *scene, const td_collide_result *plain, bool not_inside) {
    static td_collide_result answers[TEST_MOST_PAIRS];
    static td_near_pair pairs[TEST_MOST_PAIRS];
    for (size_t i = 0; i < scene->count; ++i) {
        pairs[i] = (td_near_pair){.pair = scene->pairs[i].pair, .not_inside = not_inside};
    }
    assert_int_equal(td_find_meetings(answers, scene->variant->query, pairs, scene->count), TD_OK);
    for (size_t i = 0; i < scene->count; ++i) {
        assert_int_equal(answers[i].colliding,
                         plain[i].colliding || (!not_inside && plain[i].inside != TD_INSIDE_NONE));
    }
}

static void test_expect_same(test_scene *scene) {
    static td_collide_result answers[TEST_MOST_PAIRS], plain[TEST_MOST_PAIRS];
    static td_object_pair pairs[TEST_MOST_PAIRS];
    test_pairs found[TEST_MOST_PAIRS];
    td_query *query = scene->variant->query;
    if (td_collide_near(answers, query, scene->pairs, scene->count) != TD_OK) {
        fail_msg("%s: %s", scene->name, td_error_message());
    }
    for (size_t i = 0; i < scene->count; ++i) {
        found[i] = test_pairs_copy(&answers[i]);
        pairs[i] = scene->pairs[i].pair;
        scene->listed_answers += scene->pairs[i].listed;
        scene->colliding += answers[i].colliding;
        scene->without_boxes += answers[i].colliding && answers[i].counters.box_tests == 0;
        scene->inside += answers[i].inside != TD_INSIDE_NONE;
    }
    const td_collide_def def = td_default_collide_def();
    assert_int_equal(td_collide_pairs(plain, query, pairs, scene->count, &def), TD_OK);
    for (size_t i = 0; i < scene->count; ++i) {
        test_expect_answer(&plain[i], &found[i], TD_MODE_PAIRS, scene->name);
        if (answers[i].inside != plain[i].inside || answers[i].colliding != plain[i].colliding) {
            fail_msg("%s: inside %s, expected %s", scene->name, td_inside_name(answers[i].inside),
                     td_inside_name(plain[i].inside));
        }
        test_pairs_free(&found[i]);
    }
    test_expect_meetings(scene, plain, false);
    test_expect_meetings(scene, plain, true);
}

// Lists, nudges by all fractions of the margin, back where it was, elsewhere.
static void test_walk(test_scene *scene, test_random *random, int steps) {
    static const double fractions[] = {0.05, 0.2, 0.45, 0.95, 0, 1.5};
    for (size_t i = 0; i < scene->count; ++i) {
        test_scene_move(scene, i, scene->pairs[i].pair.pose, true);
    }
    test_expect_same(scene);
    for (int s = 0; s < steps; ++s) {
        const double fraction = fractions[s % 6];
        for (size_t i = 0; i < scene->count; ++i) {
            const double reach = fraction * scene->pairs[i].margin;
            const td_pose pose = test_nudge(random, &scene->listed_at[i], scene->source_b, reach);
            test_scene_move(scene, i, fraction == 0 ? scene->listed_at[i] : pose,
                            test_random_int(random, 0, 9) == 0);
        }
        test_expect_same(scene);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Questions of all kinds and magnitudes

static void test_ask_question(const test_variant *variant, const test_question *question, double margin,
                              test_random *random, uint64_t seen[2]) {
    static test_scene scene;
    td_mesh *a = test_mesh_build(variant->context, &question->a);
    td_mesh *b = test_mesh_build(variant->context, &question->b);
    assert_true(a != NULL && b != NULL);
    scene.count = TEST_QUESTION_POSES;
    test_scene_open(&scene, variant, a, b, &question->b, margin);
    for (size_t i = 0; i < scene.count; ++i) {
        scene.pairs[i].pair.pose = question->poses[i];
    }
    snprintf(scene.name, sizeof scene.name, "%s, margin %g, %s", question->name, margin, variant->name);
    test_walk(&scene, random, 6);
    seen[0] += scene.listed_answers;
    seen[1] += scene.without_boxes;
    test_scene_close(&scene);
    td_destroy_mesh(a);
    td_destroy_mesh(b);
}

static void test_questions(void **state) {
    const test_variants *variants = *state;
    static const double margins[] = {0.01, 0.2, 1e-6, 3, 0};
    uint64_t seen[2] = {0, 0};
    for (int round = 0; round < test_rounds(2); ++round) {
        for (int kind = 0; kind < TEST_KINDS; ++kind) {
            for (int magnitude = 0; magnitude < TEST_MAGNITUDES; ++magnitude) {
                const uint64_t seed = 1000 * (uint64_t)round + 17 * (uint64_t)kind + (uint64_t)magnitude;
                test_question question = test_make_question(kind, magnitude, seed);
                double center[3], radius_a, radius_b;
                test_center(center, &radius_a, &question.a);
                test_center(center, &radius_b, &question.b);
                test_random random = {seed};
                const double margin = margins[(round + kind + magnitude) % 5] * fmin(radius_a, radius_b);
                const int v = (round + 7 * kind + 5 * magnitude) % variants->count;
                test_ask_question(&variants->items[v], &question, margin, &random, seen);
                test_question_free(&question);
            }
        }
    }
    assert_true(seen[0] > 2000 && seen[1] > 100);
}

// ---------------------------------------------------------------------------------------------------------
// Shapes that touch, as a simulation has them

static void test_shapes(void **state) {
    const test_variants *variants = *state;
    static test_scene scene;
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *cow = NULL, *torus = NULL;
        assert_int_equal(td_create_shape(&cow, variant->context, "cow", 0), TD_OK);
        assert_int_equal(td_create_shape(&torus, variant->context, "torus", 0), TD_OK);
        test_mesh source = test_copy_of(torus);
        test_random random = {73};
        scene.count = 32;
        test_scene_open(&scene, variant, cow, torus, &source, v % 2 == 0 ? 0.01 : 0.05);
        for (size_t i = 0; i < scene.count; ++i) {
            scene.pairs[i].pair.pose = test_random_pose(&random, 0.9);
        }
        snprintf(scene.name, sizeof scene.name, "cow and torus, %s", variant->name);
        test_walk(&scene, &random, 5);
        // A walk: lists are made when they are used up.
        for (int s = 0; s < 30; ++s) {
            for (size_t i = 0; i < scene.count; ++i) {
                const td_pose *pose = &scene.pairs[i].pair.pose;
                test_scene_move(&scene, i, test_nudge(&random, pose, &source, 0.003), false);
            }
            test_expect_same(&scene);
        }
        assert_true(scene.colliding > 300 && scene.colliding < 36 * 32);
        assert_true(scene.listed_answers > 500 && scene.without_boxes > 200);
        test_scene_close(&scene);
        test_mesh_free(&source);
        td_destroy_mesh(cow);
        td_destroy_mesh(torus);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Inside

// A small cube goes from the inside of a large one through its wall to the outside, with lists made at each
// place in turn and a margin that is larger than the cube: what was inside may be outside.
static void test_through_the_wall(void **state) {
    const test_variants *variants = *state;
    static const double places[] = {0, 0.5, 0.8, 0.95, 1, 1.05, 1.2, 1.5, 3};
    static test_scene scene;
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        test_mesh large = test_cube(0, 1), small = test_cube(0, 0.1), other = test_cube(0.3, 0.05);
        test_mesh two = test_join(&small, &other);
        td_mesh *outer = test_mesh_build(variant->context, &large);
        for (int k = 0; k < 2; ++k) { // of one and of two components
            const test_mesh *source = k == 0 ? &small : &two;
            td_mesh *inner = test_mesh_build(variant->context, source);
            scene.count = 9;
            for (int m = 0; m < 3; ++m) {
                test_scene_open(&scene, variant, outer, inner, source, m == 0 ? 0.01 : m == 1 ? 0.4 : 2);
                snprintf(scene.name, sizeof scene.name, "cube through a wall, %d, margin %d, %s", k, m,
                         variant->name);
                for (size_t first = 0; first < 9; ++first) {
                    for (size_t i = 0; i < 9; ++i) { // listed at place i, asked everywhere it may be
                        scene.pairs[i].pair.pose = td_pose_identity();
                        scene.pairs[i].pair.pose.position[0] = places[i];
                        test_scene_move(&scene, i, scene.pairs[i].pair.pose, true);
                    }
                    test_expect_same(&scene);
                    for (size_t i = 0; i < 9; ++i) {
                        td_pose pose = td_pose_identity();
                        pose.position[0] = places[(i + first) % 9];
                        test_scene_move(&scene, i, pose, false);
                    }
                    test_expect_same(&scene);
                }
                assert_true(scene.inside > 0 && scene.listed_answers > 0);
                test_scene_close(&scene);
            }
            td_destroy_mesh(inner);
        }
        td_destroy_mesh(outer);
        test_mesh_free(&large);
        test_mesh_free(&small);
        test_mesh_free(&other);
        test_mesh_free(&two);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Refusals and memory

static void test_bad_margins(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[0];
    static const double bad[] = {-1, NAN, INFINITY, -INFINITY};
    test_mesh cube = test_cube(0, 1);
    td_mesh *mesh = test_mesh_build(variant->context, &cube);
    td_near_list lists[2];
    memset(lists, 0, sizeof lists);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        td_near_pair pairs[2] = {
            {.pair = {mesh, mesh, td_pose_identity()}, .list = &lists[0]},
            {.pair = {mesh, mesh, td_pose_identity()}, .list = &lists[1], .margin = bad[i]}};
        td_collide_result answers[2];
        assert_int_equal(td_collide_near(answers, variant->query, pairs, 2), TD_ERROR_ARGUMENT);
        assert_non_null(strstr(td_error_message(), "object pair 1: the margin"));
        pairs[1].margin = 0;
        pairs[1].pair.pose.rotation[3] = 2;
        assert_int_equal(td_collide_near(answers, variant->query, pairs, 2), TD_ERROR_POSE);
        assert_non_null(strstr(td_error_message(), "object pair 1"));
        assert_int_equal(lists[0].quads.capacity, 0); // before any work
    }
    td_collide_result none;
    assert_int_equal(td_collide_near(&none, variant->query, NULL, 0), TD_OK);
    td_destroy_mesh(mesh);
    test_mesh_free(&cube);
}

// Lists, then listed again, in one query; what is left if an allocation fails can be listed anew.
static void test_memory_of(uint32_t threads) {
    test_heap heap = {0};
    td_context_def def = td_default_context_def();
    def.thread_count = threads;
    def.allocator = test_heap_allocator(&heap);
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    td_mesh *torus = NULL;
    assert_int_equal(td_create_shape(&torus, context, "torus", 0), TD_OK);
    enum { PAIRS = 6 };
    td_near_pair pairs[PAIRS];
    td_near_list lists[PAIRS];
    test_random random = {5};
    memset(lists, 0, sizeof lists);
    for (int i = 0; i < PAIRS; ++i) {
        pairs[i] = (td_near_pair){.pair = {torus, torus, test_random_pose(&random, 0.5)},
                                  .list = &lists[i],
                                  .margin = 0.1 * (i + 1)};
    }
    uint64_t expected[PAIRS];
    for (int all = 0; all < 2; ++all) {
        for (long fail_at = 0;; ++fail_at) {
            const long blocks = atomic_load(&heap.blocks);
            td_query *query = NULL;
            td_collide_result answers[PAIRS];
            assert_int_equal(td_create_query(&query, context), TD_OK);
            for (int i = 0; i < PAIRS; ++i) {
                pairs[i].listed = false;
            }
            test_heap_fail(&heap, fail_at, all ? LONG_MAX : fail_at + 1);
            const td_result result = td_collide_near(answers, query, pairs, PAIRS);
            const long failures = atomic_load(&heap.failures);
            test_heap_recover(&heap);
            assert_true(result == (failures > 0 ? TD_ERROR_MEMORY : TD_OK));
            if (failures > 0) {
                assert_int_equal(td_collide_near(answers, query, pairs, PAIRS), TD_OK);
            }
            for (int i = 0; i < PAIRS; ++i) {
                expected[i] = all == 0 && fail_at == 0 ? answers[i].pair_count : expected[i];
                assert_true(answers[i].pair_count == expected[i]);
            }
            // Warm: nothing is allocated, listed or not.
            for (int i = 0; i < PAIRS; ++i) {
                pairs[i].listed = i % 2 == 0;
            }
            const long calls = atomic_load(&heap.calls);
            for (int again = 0; again < 3; ++again) {
                assert_int_equal(td_collide_near(answers, query, pairs, PAIRS), TD_OK);
            }
            // Of several workers, some may see their first large pair only now.
            assert_true(threads > 1 || atomic_load(&heap.calls) == calls);
            td_destroy_query(query);
            for (int i = 0; i < PAIRS; ++i) {
                td_near_release(&lists[i], context);
            }
            assert_int_equal(atomic_load(&heap.blocks), blocks);
            assert_int_equal(atomic_load(&heap.mistakes), 0);
            if (failures == 0) {
                assert_true(fail_at > 5);
                break;
            }
        }
    }
    td_destroy_mesh(torus);
    td_destroy_context(context);
    assert_int_equal(atomic_load(&heap.blocks), 0);
}

static void test_memory(void **state) {
    (void)state;
    test_memory_of(1);
    test_memory_of(2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions),        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_through_the_wall), cmocka_unit_test(test_bad_margins),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
