// The float32 filter of the wide strategy: never wrong, seldom undecided.
//
// Never wrong: thousands of triangles that all but touch, at gaps around the last place of float32 and down
// to that of float64, in any turn, place and size, against brute force (which has no filter). Seldom
// undecided: the share of pairs that it leaves to the exact predicate, on shapes and scans, is printed and
// must stay below 1%.
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <tandem/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct test_close_call {
    const char *name;
    double scale;    // of both meshes
    double offset;   // of both meshes, on all axes
    double size_a;   // of its triangles and of the place they crowd; one far away makes it 4 across
    double size_b;   // of its triangles
    double pose_far; // how far the pose takes B, which stands as far on the other side
} test_close_call;

static const test_close_call test_close_calls[] = {
    {"plain", 1, 0, 1, 1, 0},
    {"thirds", 1.0 / 3, 0, 1, 1, 1},
    {"small", 1, 0, 1, 1e-3, 1},
    {"smaller", 1, 0, 1, 1e-6, 1},
    {"large", 1, 0, 1, 1e3, 1},
    {"fine", 1, 0, 1e-4, 1e-4, 1},
    {"on a map", 1, 5e6, 1, 1, 0},
    {"fine on a map", 1, 5e6, 1e-4, 1e-4, 0},
    {"far out", 1, 1e10, 1, 1, 0},
    {"fine far out", 1, 1e9, 1e-4, 1e-4, 0},
    {"pose far out", 1, 0, 1, 1, 1e9},
    {"kilometres", 1e6, 1e6, 1, 1, 1e6},
    {"micrometres", 1e-6, 1, 1, 1, 1},
    {"huge", 1e290, 0, 1, 1, 1},
    {"tiny", 1e-290, 0, 1, 1, 1},
    {"coarse", 1, 0x1p42, 1, 1, 0},
    {"coarser", 1, 0x1p49, 1, 1, 0x1p48},
};

enum { TEST_CLOSE_CALLS = sizeof test_close_calls / sizeof *test_close_calls };

typedef struct test_question {
    test_mesh a, b;
    td_pose pose;
} test_question;

// Each triangle about its first corner.
static void test_resize_triangles(test_mesh *mesh, double size) {
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        double *p = mesh->positions + 9 * (size_t)t;
        for (int i = 3; i < 9; ++i) {
            p[i] = p[i % 3] + (p[i] - p[i % 3]) * size;
        }
    }
}

static test_question test_ask(const test_close_call *call, test_random *random) {
    test_question q = {.pose = td_pose_identity()};
    q.a = test_soup(random, 16);
    test_mesh_scale(&q.a, call->size_a);
    q.b = test_near_soup(random, &q.a, 600);
    test_resize_triangles(&q.b, call->size_b); // the first corner is the near one
    if (call->size_a != 1) {
        test_mesh far = test_soup(random, 1), crowd = q.a;
        test_mesh_shift(&far, 4, 4, 4);
        q.a = test_join(&crowd, &far);
        test_mesh_free(&far);
        test_mesh_free(&crowd);
    }
    test_mesh_scale(&q.a, call->scale);
    test_mesh_scale(&q.b, call->scale);
    test_mesh_shift(&q.a, call->offset, call->offset, call->offset);
    test_mesh_shift(&q.b, call->offset, call->offset, call->offset);
    if (test_random_int(random, 0, 3) != 0) {
        q.pose = test_random_pose(random, 1);
        for (int k = 0; k < 3; ++k) {
            q.pose.position[k] *= call->scale * call->pose_far;
        }
        test_mesh_unplace(&q.b, &q.pose);
    }
    return q;
}

typedef struct test_tally {
    uint64_t tests, exact, pairs;
} test_tally;

static void test_answer(test_tally *tally, const test_variants *variants, const test_close_call *call,
                        uint64_t seed) {
    test_random random = {seed};
    test_question q = test_ask(call, &random);
    test_pairs expected = {0};
    for (int v = 0; v < variants->count; v += TEST_MOST_THREADS) { // one thread of each instruction set
        const test_variant *variant = &variants->items[v];
        td_mesh *a = test_mesh_build(variant->context, &q.a), *b = test_mesh_build(variant->context, &q.b);
        td_collide_def def = td_default_collide_def();
        td_collide_result answer;
        for (int wide = v > 0; wide < 2; ++wide) {
            def.strategy = wide ? "wide" : "brute";
            assert_int_equal(td_collide(&answer, variant->query, a, b, &q.pose, &def), TD_OK);
            for (size_t k = 0; !wide && k < answer.pair_count; ++k) {
                test_pairs_add(&expected, answer.pairs[k].a, answer.pairs[k].b);
            }
            char what[128];
            snprintf(what, sizeof what, "%s, seed %llu, %s on %s", call->name, (unsigned long long)seed,
                     def.strategy, variant->name);
            test_expect_answer(&answer, &expected, def.mode, what);
        }
        tally->tests += answer.counters.triangle_tests;
        tally->exact += answer.counters.exact_tests;
        tally->pairs += answer.pair_count;
        td_destroy_mesh(a);
        td_destroy_mesh(b);
    }
    test_pairs_free(&expected);
    test_mesh_free(&q.a);
    test_mesh_free(&q.b);
}

static void test_close(void **state) {
    for (int c = 0; c < TEST_CLOSE_CALLS; ++c) {
        test_tally tally = {0};
        for (int round = 0; round < test_rounds(30); ++round) {
            test_answer(&tally, *state, &test_close_calls[c], 1000 * (uint64_t)c + (uint64_t)round + 1);
        }
        print_message("%-13s %8llu tests, %5.2f%% of them exact, %llu pairs\n", test_close_calls[c].name,
                      (unsigned long long)tally.tests, 100.0 * (double)tally.exact / (double)tally.tests,
                      (unsigned long long)tally.pairs);
        assert_true(tally.pairs > 0 && tally.pairs < tally.tests);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Undecided pairs

enum { TEST_POSES = 100 };

// Poses at which two copies of the mesh are near: as the benchmarks have them, 0.3 to 1.1 radii apart.
static void test_near_poses(td_pose poses[TEST_POSES], const td_mesh *mesh) {
    double lower[3], upper[3], middle[3], radius = 0;
    td_mesh_bounds(lower, upper, mesh);
    for (int k = 0; k < 3; ++k) {
        middle[k] = (lower[k] + upper[k]) / 2;
        radius += (upper[k] - lower[k]) / 6;
    }
    test_random random = {51};
    for (int i = 0; i < TEST_POSES; ++i) {
        td_pose pose = test_random_pose(&random, 1);
        double turned[3], length = 0;
        const td_pose turn = {{0, 0, 0},
                              {pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]}};
        td_pose_apply(turned, &turn, middle);
        for (int k = 0; k < 3; ++k) {
            length += pose.position[k] * pose.position[k];
        }
        const double distance = 2 * radius * test_random_range(&random, 0.3, 1.1) / sqrt(length);
        for (int k = 0; k < 3; ++k) {
            pose.position[k] = middle[k] - turned[k] + pose.position[k] * distance;
        }
        poses[i] = pose;
    }
}

static void test_share_of(const test_variant *variant, td_mesh *mesh, const char *name) {
    static td_collide_result answers[TEST_POSES];
    td_pose poses[TEST_POSES];
    test_near_poses(poses, mesh);
    td_collide_def def = td_default_collide_def();
    def.mode = TD_MODE_COUNT;
    assert_int_equal(td_collide_batch(answers, variant->query, mesh, mesh, poses, TEST_POSES, &def), TD_OK);
    test_tally tally = {0};
    for (int i = 0; i < TEST_POSES; ++i) {
        tally.tests += answers[i].counters.triangle_tests;
        tally.exact += answers[i].counters.exact_tests;
        tally.pairs += answers[i].pair_count;
    }
    const double share = (double)tally.exact / (double)tally.tests;
    print_message("%-14s %9llu triangle tests, %8llu pairs, undecided %.3f%%\n", name,
                  (unsigned long long)tally.tests, (unsigned long long)tally.pairs, 100 * share);
    assert_true(tally.pairs > 0);
    assert_true(share < 0.01);
    td_destroy_mesh(mesh);
}

static void test_undecided_share(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[variants->count - TEST_MOST_THREADS]; // the widest
    static const char *const shapes[] = {"cow", "knot", "torus"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        td_mesh *mesh = NULL;
        assert_int_equal(td_create_shape(&mesh, variant->context, shapes[i], 1), TD_OK);
        test_share_of(variant, mesh, shapes[i]);
    }
    static const char *const scans[] = {"cow",         "spot",       "bunny-7k",
                                        "dragon-res4", "rocker-arm", "armadillo-52k"};
    for (size_t i = 0; i < sizeof scans / sizeof *scans; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/meshes/%s.obj", TD_TEST_DATA, scans[i]);
        if (access(path, R_OK) != 0) {
            print_message("skipped: %s is not there\n", path);
            continue;
        }
        td_mesh *mesh = NULL;
        const td_load_def def = td_default_load_def();
        assert_int_equal(td_load_mesh(&mesh, variant->context, path, &def), TD_OK);
        test_share_of(variant, mesh, scans[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_undecided_share),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
