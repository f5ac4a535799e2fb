// Strategy `front` with a front kept from question to question: the same answers as a traversal from the
// root, frame by frame, for meshes that deform and meshes that move; and after every question the front is a
// cut through the test tree.
#include "query/front.h"
#include "support/heap.h"
#include "test_sequence_support.h"
#include "traverse/front.h"

#include <limits.h>
#include <stdio.h>

typedef struct test_follower {
    const test_variant *variant;
    td_front *front;
    td_worker worker;
    td_collide_def warm, cold;
} test_follower;

static test_follower test_follow_by(const test_variant *variant, td_volume volume) {
    test_follower follower = {
        .variant = variant, .warm = td_default_collide_def(), .cold = td_default_collide_def()};
    const td_front_def def = td_default_front_def();
    assert_int_equal(td_create_front(&follower.front, variant->context, &def), TD_OK);
    follower.warm.strategy = "front";
    follower.warm.front = follower.front;
    follower.warm.volume = volume;
    return follower;
}

static test_follower test_follow(const test_variant *variant) {
    return test_follow_by(variant, TD_VOLUME_AABB);
}

static void test_unfollow(test_follower *follower) {
    td_worker_release(&follower->worker, follower->variant->context);
    td_destroy_front(follower->front);
}

static void test_expect_cut(test_follower *follower, const td_mesh *a, const td_mesh *b, bool self,
                            const char *what) {
    const td_front *front = follower->front;
    const td_frame frame = {.ratio = 1};
    const td_traversal traversal = {.context = follower->variant->context,
                                    .mesh_a = &a->triangles,
                                    .mesh_b = &b->triangles,
                                    .a = &a->hierarchy,
                                    .b = &b->hierarchy,
                                    .split_a = &a->late->split,
                                    .split_b = &b->late->split,
                                    .frame = &frame,
                                    .ratio = front->ratio,
                                    .self = self};
    if (front->held && td_front_validate(&front->entries, &follower->worker, &traversal) != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    if (a->late->split.nodes != NULL &&
        td_split_validate(&a->late->split, &a->triangles, &a->hierarchy) != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
}

static void test_expect_same(const td_collide_result *answer, const test_pairs *expected, const char *what) {
    test_expect_answer(answer, expected, TD_MODE_PAIRS, what);
}

// One question about one mesh in all modes.
static void test_ask_self(test_follower *follower, const td_mesh *mesh, const char *what) {
    td_query *query = follower->variant->query;
    td_collide_result answer;
    assert_int_equal(td_self_collide(&answer, query, mesh, &follower->cold), TD_OK);
    test_pairs expected = test_pairs_copy(&answer);
    static const td_mode modes[] = {TD_MODE_FIRST, TD_MODE_PAIRS, TD_MODE_COUNT};
    for (int m = 0; m < 3; ++m) {
        follower->warm.mode = modes[m];
        if (td_self_collide(&answer, query, mesh, &follower->warm) != TD_OK) {
            fail_msg("%s: %s", what, td_error_message());
        }
        test_expect_answer(&answer, &expected, modes[m], what);
        test_expect_cut(follower, mesh, mesh, true, what);
    }
    follower->warm.mode = TD_MODE_PAIRS;
    test_pairs_free(&expected);
}

// ---------------------------------------------------------------------------------------------------------
// Meshes that deform

static void test_deforming(void **state) {
    const test_variants *variants = *state;
    static const char *const shapes[] = {"cow", "torus"};
    for (int s = 0; s < 4; ++s) {
        const td_volume volume = s < 2 ? TD_VOLUME_AABB : TD_VOLUME_OBB;
        for (int v = 0; v<variants->count; v += variants->count> 1 ? variants->count - 1 : 1) {
            const test_variant *variant = &variants->items[v];
            test_mesh rest;
            td_destroy_mesh(test_shape_mesh(&rest, variant->context, shapes[s % 2], 0));
            td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
            test_follower follower = test_follow_by(variant, volume);
            int warm = 0, rebuilt = 0;
            for (int round = 0; round < TEST_DEFORMATIONS + 2; ++round) {
                const test_deformation *how = &test_deformations[(7 * round) % TEST_DEFORMATIONS];
                test_mesh deformed = test_deformed(&rest, how);
                test_set(mesh, deformed.positions, round % 5 == 4 ? TD_REBUILD_ALWAYS : TD_REBUILD_NEVER);
                char what[128];
                snprintf(what, sizeof what, "%s on %s, round %d, %s", shapes[s % 2], variant->name, round,
                         how->name);
                test_ask_self(&follower, mesh, what);
                test_mesh_free(&deformed);
                warm += td_last_front(follower.front).start == TD_FRONT_WARM;
                rebuilt += round % 5 == 4;
            }
            print_message("%s on %s, %s: %d warm, %d rebuilt\n", shapes[s % 2], variant->name,
                          td_volume_name(volume), warm, rebuilt);
            assert_true(warm > 8);
            test_unfollow(&follower);
            td_destroy_mesh(mesh);
            test_mesh_free(&rest);
        }
    }
}

// Small meshes that shake, some on a grid where much touches, against brute force by the exact predicate.
static void test_against_brute(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[variants->count - 1];
    size_t found = 0;
    for (int round = 0; round < test_rounds(24); ++round) {
        test_random random = {(uint64_t)round + 11};
        test_mesh rest = test_small_mesh(round, &random);
        td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
        test_follower follower = test_follow_by(variant, round % 4 < 2 ? TD_VOLUME_AABB : TD_VOLUME_OBB);
        follower.cold.strategy = "brute";
        for (int frame = 0; frame < 8; ++frame) {
            test_shake_all(&rest, &random, round % 2 == 0);
            test_set(mesh, rest.positions, TD_REBUILD_NEVER);
            td_collide_result answer;
            assert_int_equal(td_self_collide(&answer, variant->query, mesh, &follower.cold), TD_OK);
            test_pairs expected = test_pairs_copy(&answer);
            found += expected.count;
            char what[64];
            snprintf(what, sizeof what, "round %d, frame %d", round, frame);
            assert_int_equal(td_self_collide(&answer, variant->query, mesh, &follower.warm), TD_OK);
            test_expect_same(&answer, &expected, what);
            test_expect_cut(&follower, mesh, mesh, true, what);
            test_pairs_free(&expected);
        }
        test_unfollow(&follower);
        td_destroy_mesh(mesh);
        test_mesh_free(&rest);
    }
    print_message("%zu pairs\n", found);
    assert_true(found > 0);
}

// ---------------------------------------------------------------------------------------------------------
// Meshes that move

static td_pose test_step_pose(td_pose pose, test_random *random, double step) {
    double norm = 0;
    for (int k = 0; k < 4; ++k) {
        pose.rotation[k] += step * (2 * test_random_unit(random) - 1);
        norm += pose.rotation[k] * pose.rotation[k];
    }
    for (int k = 0; k < 4; ++k) {
        pose.rotation[k] /= sqrt(norm);
    }
    for (int k = 0; k < 3; ++k) {
        pose.position[k] =
            fmax(-0.9, fmin(0.9, pose.position[k] + step * (2 * test_random_unit(random) - 1)));
    }
    return pose;
}

enum { TEST_STEPS = 28 };

static void test_moving(void **state) {
    const test_variants *variants = *state;
    td_pose poses[TEST_STEPS];
    test_random random = {5};
    poses[0] = td_pose_identity();
    for (int i = 1; i < TEST_STEPS; ++i) { // sometimes far away and back
        poses[i] = test_step_pose(poses[i - 1], &random, i % 10 == 0 ? 1 : 0.02);
        poses[i].position[0] += i % 13 == 12 ? 1e3 : i % 13 == 0 && i > 0 ? -1e3 : 0;
    }
    uint64_t all_boxes[2][TEST_STEPS] = {{0}};
    for (int round = 0; round < 2 * variants->count; ++round) {
        const int v = round / 2;
        const test_variant *variant = &variants->items[v];
        uint64_t *boxes = all_boxes[round % 2];
        const td_volume volume = round % 2 == 0 ? TD_VOLUME_AABB : TD_VOLUME_OBB;
        td_mesh *a = NULL, *b = NULL;
        assert_int_equal(td_create_shape(&a, variant->context, "cow", 0), TD_OK);
        assert_int_equal(td_create_shape(&b, variant->context, "knot", 0), TD_OK);
        test_follower follower = test_follow_by(variant, volume), batch = test_follow_by(variant, volume);
        td_collide_result answer, answers[TEST_STEPS];
        test_pairs expected[TEST_STEPS];
        for (int i = 0; i < TEST_STEPS; ++i) {
            assert_int_equal(td_collide(&answer, variant->query, a, b, &poses[i], &follower.cold), TD_OK);
            expected[i] = test_pairs_copy(&answer);
            assert_int_equal(td_collide(&answer, variant->query, a, b, &poses[i], &follower.warm), TD_OK);
            test_expect_same(&answer, &expected[i], variant->name);
            test_expect_cut(&follower, a, b, false, variant->name);
            boxes[i] = v == 0 ? answer.counters.box_tests : boxes[i];
            assert_int_equal(boxes[i], answer.counters.box_tests); // whatever the threads and registers
        }
        assert_int_equal(td_collide_batch(answers, variant->query, a, b, poses, TEST_STEPS, &batch.warm),
                         TD_OK);
        for (int i = 0; i < TEST_STEPS; ++i) {
            test_expect_same(&answers[i], &expected[i], variant->name);
            assert_int_equal(answers[i].counters.box_tests, boxes[i]);
            test_pairs_free(&expected[i]);
        }
        test_unfollow(&follower);
        test_unfollow(&batch);
        td_destroy_mesh(a);
        td_destroy_mesh(b);
    }
}

// ---------------------------------------------------------------------------------------------------------
// What a front says of itself

static void test_reports(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[0];
    test_mesh rest;
    td_destroy_mesh(test_shape_mesh(&rest, variant->context, "cow", 0));
    td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
    td_mesh *other = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
    test_follower follower = test_follow(variant);
    td_query *query = variant->query;
    td_collide_result answer;
    assert_int_equal(td_last_front(follower.front).start, TD_FRONT_NONE);
    const struct {
        const td_mesh *mesh;
        td_front_start start;
    } asks[] = {{mesh, TD_FRONT_FIRST},
                {mesh, TD_FRONT_WARM},
                {other, TD_FRONT_OTHER},
                {other, TD_FRONT_WARM},
                {mesh, TD_FRONT_OTHER}};
    for (size_t i = 0; i < sizeof asks / sizeof *asks; ++i) {
        assert_int_equal(td_self_collide(&answer, query, asks[i].mesh, &follower.warm), TD_OK);
        const td_front_report report = td_last_front(follower.front);
        assert_string_equal(td_front_start_name(report.start), td_front_start_name(asks[i].start));
        assert_true(report.entries > 0 && report.bytes >= 12 * report.entries && report.hierarchy_bytes > 0);
    }
    test_set(mesh, rest.positions, TD_REBUILD_NEVER);
    assert_int_equal(td_self_collide(&answer, query, mesh, &follower.warm), TD_OK);
    assert_int_equal(td_last_front(follower.front).start, TD_FRONT_WARM);
    test_set(mesh, rest.positions, TD_REBUILD_ALWAYS);
    assert_int_equal(td_self_collide(&answer, query, mesh, &follower.warm), TD_OK);
    assert_int_equal(td_last_front(follower.front).start, TD_FRONT_REBUILT);
    td_reset_front(follower.front);
    assert_int_equal(td_self_collide(&answer, query, mesh, &follower.warm), TD_OK);
    assert_int_equal(td_last_front(follower.front).start, TD_FRONT_FIRST);
    assert_int_equal(td_collide(&answer, query, mesh, mesh, NULL, &follower.warm),
                     TD_OK); // a pair, not itself
    assert_int_equal(td_last_front(follower.front).start, TD_FRONT_OTHER);
    test_unfollow(&follower);
    td_destroy_mesh(mesh);
    td_destroy_mesh(other);
    test_mesh_free(&rest);
}

// A front that outgrows its limit is dropped, the question is answered all the same.
static void test_limit(void **state) {
    const test_variants *variants = *state;
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        td_mesh *mesh = NULL;
        assert_int_equal(td_create_shape(&mesh, variant->context, "cow", 1), TD_OK);
        test_follower follower = test_follow(variant);
        td_collide_result answer;
        assert_int_equal(td_self_collide(&answer, variant->query, mesh, &follower.warm), TD_OK);
        const uint64_t entries = td_last_front(follower.front).entries;
        for (int more = -1; more <= 0; ++more) {
            td_front_def def = td_default_front_def();
            def.most_bytes = 12 * (entries + (uint64_t)(int64_t)more);
            td_front *small = NULL;
            assert_int_equal(td_create_front(&small, variant->context, &def), TD_OK);
            td_collide_def limited = follower.warm;
            limited.front = small;
            test_pairs expected = test_pairs_copy(&answer);
            for (int i = 0; i < 2; ++i) {
                td_collide_result again;
                assert_int_equal(td_self_collide(&again, variant->query, mesh, &limited), TD_OK);
                test_expect_same(&again, &expected, variant->name);
                const td_front_report report = td_last_front(small);
                assert_int_equal(report.dropped, more < 0);
                assert_true(more < 0 ? report.entries == 0 : report.entries > 0 && report.entries <= entries);
                assert_int_equal(report.start, i == 0     ? TD_FRONT_FIRST
                                               : more < 0 ? TD_FRONT_DROPPED
                                                          : TD_FRONT_WARM);
            }
            assert_int_equal(td_self_collide(&answer, variant->query, mesh, &follower.cold), TD_OK);
            test_pairs_free(&expected);
            td_destroy_front(small);
        }
        test_unfollow(&follower);
        td_destroy_mesh(mesh);
    }
}

static void test_errors(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[0];
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_shape(&mesh, variant->context, "box", 0), TD_OK);
    test_follower follower = test_follow(variant);
    td_collide_result answers[2];
    td_collide_def def = follower.warm;
    def.strategy = "wide";
    assert_int_equal(td_self_collide(answers, variant->query, mesh, &def), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "'wide' has no use for a front"));
    const td_object_pair pairs[2] = {{mesh, mesh, td_pose_identity()}, {mesh, mesh, td_pose_identity()}};
    assert_int_equal(td_collide_pairs(answers, variant->query, pairs, 2, &follower.warm),
                     TD_ERROR_UNSUPPORTED);
    assert_int_equal(td_collide_pairs(answers, variant->query, pairs, 1, &follower.warm), TD_OK);
    assert_true(answers[0].colliding);
    def = follower.warm;
    def.volume = TD_VOLUME_OBB; // the front is a cut, whatever the boxes: it goes on from there
    assert_int_equal(td_self_collide(answers, variant->query, mesh, &follower.warm), TD_OK);
    assert_int_equal(td_self_collide(answers, variant->query, mesh, &def), TD_OK);
    assert_int_equal(td_last_front(follower.front).start, TD_FRONT_WARM);
    const td_front_def bad = {0};
    td_front *none = follower.front;
    assert_int_equal(td_create_front(&none, variant->context, &bad), TD_ERROR_ARGUMENT);
    assert_null(none);
    if (variants->count > 1) {
        assert_int_equal(td_self_collide(answers, variants->items[1].query, mesh, &follower.warm),
                         TD_ERROR_ARGUMENT);
    }
    test_unfollow(&follower);
    td_destroy_mesh(mesh);
}

// Every allocation of three questions fails once, and all from there on: an error or the right answer, and
// the front is of use afterwards.
static void test_memory(void **state) {
    (void)state;
    test_heap heap = {0};
    td_context_def context_def = td_default_context_def();
    context_def.allocator = test_heap_allocator(&heap);
    context_def.thread_count = 2;
    test_variant variant = {.name = "short of memory"};
    assert_int_equal(td_create_context(&variant.context, &context_def), TD_OK);
    test_mesh rest;
    td_destroy_mesh(test_shape_mesh(&rest, variant.context, "cow", 0));
    test_mesh folded = test_deformed(&rest, &test_deformations[2]);
    long refused = 0;
    bool failed = true;
    for (long fail_at = 0; failed || fail_at % 4 != 0; ++fail_at) {
        td_mesh *mesh = test_build_deformable(variant.context, &rest, TD_BUILDER_SAH);
        assert_int_equal(td_create_query(&variant.query, variant.context), TD_OK);
        test_follower follower = test_follow_by(&variant, fail_at % 4 < 2 ? TD_VOLUME_AABB : TD_VOLUME_OBB);
        test_heap_fail(&heap, fail_at, fail_at % 2 ? LONG_MAX : fail_at + 1);
        for (int frame = 0; frame < 3; ++frame) {
            td_collide_result answer;
            const td_result set = td_set_positions(
                NULL, mesh, TD_FLOAT64, frame == 1 ? folded.positions : rest.positions, 0, TD_REBUILD_NEVER);
            const td_result result = td_self_collide(&answer, variant.query, mesh, &follower.warm);
            assert_true(set == TD_OK || set == TD_ERROR_MEMORY);
            assert_true(result == TD_OK || result == TD_ERROR_MEMORY);
            refused += result != TD_OK;
        }
        failed = atomic_load(&heap.failures) > 0;
        test_heap_recover(&heap);
        test_set(mesh, folded.positions, TD_REBUILD_NEVER);
        test_ask_self(&follower, mesh, "after want of memory");
        test_unfollow(&follower);
        td_destroy_query(variant.query);
        td_destroy_mesh(mesh);
    }
    print_message("%ld times refused\n", refused);
    assert_true(refused > 0);
    test_mesh_free(&rest);
    test_mesh_free(&folded);
    td_destroy_context(variant.context);
    assert_int_equal(atomic_load(&heap.blocks), 0);
    assert_int_equal(atomic_load(&heap.mistakes), 0);
}

// ---------------------------------------------------------------------------------------------------------
// The galloping horse: the known counts, and what the front saves in box tests

static void test_horse(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[variants->count - 1];
    test_horse_sequence horse;
    if (!test_horse_open(&horse, variant->context)) {
        return;
    }
    td_mesh *mesh = horse.mesh;
    test_follower follower = test_follow(variant);
    follower.cold.strategy = "front";
    uint64_t warm_tests = 0, cold_tests = 0;
    for (unsigned i = 0; i < TEST_FRAMES; ++i) {
        test_horse_read(&horse);
        test_horse_set(&horse, TD_REBUILD_NEVER);
        td_collide_result answer;
        assert_int_equal(td_self_collide(&answer, variant->query, mesh, &follower.cold), TD_OK);
        assert_int_equal(answer.pair_count, horse.counts[i]);
        cold_tests += answer.counters.box_tests;
        test_pairs expected = test_pairs_copy(&answer);
        assert_int_equal(td_self_collide(&answer, variant->query, mesh, &follower.warm), TD_OK);
        test_expect_same(&answer, &expected, "horse");
        test_expect_cut(&follower, mesh, mesh, true, "horse");
        assert_int_equal(td_last_front(follower.front).start, i == 0 ? TD_FRONT_FIRST : TD_FRONT_WARM);
        warm_tests += answer.counters.box_tests;
        test_pairs_free(&expected);
    }
    print_message("box tests per frame: %llu from the root, %llu from the front\n",
                  (unsigned long long)(cold_tests / TEST_FRAMES),
                  (unsigned long long)(warm_tests / TEST_FRAMES));
    assert_true(2 * cold_tests >= 3 * warm_tests);
    test_unfollow(&follower);
    test_horse_close(&horse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deforming), cmocka_unit_test(test_against_brute), cmocka_unit_test(test_moving),
        cmocka_unit_test(test_reports),   cmocka_unit_test(test_limit),         cmocka_unit_test(test_errors),
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_horse),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
