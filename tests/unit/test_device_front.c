// Strategy `front` on a device: question by question the answers of other strategies, and the front that the
// native one leaves, entry by entry, with the same moves and tests; for meshes that deform, meshes that move
// and steps, with either box, with the device's float64 and without. A front goes from place to place, is
// dropped where there is no room for it, and starts anew.
#include "query/front.h"
#include "test_sequence_support.h"

#include <tandem/continuous.h>

// Two fronts of the same questions.
typedef struct test_twins {
    const test_variant *variant;
    td_front *natively, *there;
    td_front_list entries; // read from the device
    td_collide_def cold, warm;
    uint64_t found;
    int warm_starts;
} test_twins;

static td_front *test_new_front(td_context *context, uint64_t most_bytes) {
    td_front_def def = td_default_front_def();
    td_front *front = NULL;
    def.most_bytes = most_bytes > 0 ? most_bytes : def.most_bytes;
    assert_int_equal(td_create_front(&front, context, &def), TD_OK);
    return front;
}

static test_twins test_twins_begin(const test_variant *variant, td_volume volume) {
    test_twins twins = {.variant = variant,
                        .natively = test_new_front(variant->context, 0),
                        .there = test_new_front(variant->context, 0),
                        .cold = td_default_collide_def(),
                        .warm = td_default_collide_def()};
    twins.warm.strategy = "front";
    twins.warm.volume = volume;
    return twins;
}

static void test_twins_end(test_twins *twins) {
    td_array_release(twins->variant->context, &twins->entries);
    td_destroy_front(twins->natively);
    td_destroy_front(twins->there);
}

// The next variant that is a device; null behind the last one.
static const test_variant *test_next_device(const test_variants *variants, int *at) {
    while (*at < variants->count && variants->items[*at].device == NULL) {
        ++*at;
    }
    return *at < variants->count ? &variants->items[(*at)++] : NULL;
}

// The front on the device is the native one, and so is what both say of themselves.
static void test_expect_twins(test_twins *twins, const char *what) {
    const td_front *one = twins->natively, *other = twins->there;
    const td_front_report x = td_last_front(one), y = td_last_front(other);
    if (x.start != y.start || x.dropped != y.dropped || x.entries != y.entries || x.kept != y.kept ||
        x.descended != y.descended || x.ascended != y.ascended || x.hierarchy_bytes != y.hierarchy_bytes) {
        fail_msg(
            "%s: natively %s, %llu entries, %llu kept, %llu down, %llu up; on the device %s, %llu, %llu, "
            "%llu, %llu",
            what, td_front_start_name(x.start), (unsigned long long)x.entries, (unsigned long long)x.kept,
            (unsigned long long)x.descended, (unsigned long long)x.ascended, td_front_start_name(y.start),
            (unsigned long long)y.entries, (unsigned long long)y.kept, (unsigned long long)y.descended,
            (unsigned long long)y.ascended);
    }
    assert_int_equal(one->held, other->held);
    if (!other->held) {
        return;
    }
    assert_true(other->is_away && y.bytes >= 12 * y.entries);
    assert_int_equal(td_device_front_read(&twins->entries, &other->away, twins->variant->context), TD_OK);
    for (size_t i = 0; i < one->entries.count; ++i) {
        const td_front_entry e = one->entries.items[i], f = twins->entries.items[i];
        if (e.a != f.a || e.b != f.b || e.lanes != f.lanes) {
            fail_msg("%s: entry %zu is (%u, %u, %x), natively (%u, %u, %x)", what, i, f.a, f.b, f.lanes, e.a,
                     e.b, e.lanes);
        }
    }
}

// `b` null: against itself.
static td_collide_result test_ask_once(const test_twins *twins, const td_mesh *a, const td_mesh *b,
                                       const td_pose *pose, const td_collide_def *def, const char *what) {
    td_collide_result answer;
    td_query *query = twins->variant->query;
    const td_result result =
        b == NULL ? td_self_collide(&answer, query, a, def) : td_collide(&answer, query, a, b, pose, def);
    if (result != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    return answer;
}

static void test_ask_twins(test_twins *twins, const td_mesh *a, const td_mesh *b, const td_pose *pose,
                           const char *what) {
    td_collide_result answer = test_ask_once(twins, a, b, pose, &twins->cold, what);
    test_pairs expected = test_pairs_copy(&answer);
    td_collide_def def = twins->warm;
    def.front = twins->natively;
    answer = test_ask_once(twins, a, b, pose, &def, what);
    const td_counters counters = answer.counters;
    test_expect_answer(&answer, &expected, TD_MODE_PAIRS, what);
    def.front = twins->there;
    def.device = twins->variant->device;
    answer = test_ask_once(twins, a, b, pose, &def, what);
    test_expect_answer(&answer, &expected, TD_MODE_PAIRS, what);
    assert_int_equal(answer.counters.box_tests, counters.box_tests);
    assert_int_equal(answer.counters.triangle_tests, counters.triangle_tests);
    test_expect_twins(twins, what);
    twins->found += expected.count;
    twins->warm_starts += td_last_front(twins->there).start == TD_FRONT_WARM;
    test_pairs_free(&expected);
}

// ---------------------------------------------------------------------------------------------------------
// Meshes that deform

static void test_deforming(void **state) {
    static const char *const shapes[] = {"cow", "torus"};
    int at = 0;
    for (const test_variant *variant; (variant = test_next_device(*state, &at)) != NULL;) {
        for (int s = 0; s < 4; ++s) {
            const td_volume volume = s < 2 ? TD_VOLUME_AABB : TD_VOLUME_OBB;
            test_mesh rest;
            td_destroy_mesh(test_shape_mesh(&rest, variant->context, shapes[s % 2], 0));
            td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
            test_twins twins = test_twins_begin(variant, volume);
            for (int round = 0; round < TEST_DEFORMATIONS + 2; ++round) {
                const test_deformation *how = &test_deformations[(7 * round) % TEST_DEFORMATIONS];
                test_mesh deformed = test_deformed(&rest, how);
                test_set(mesh, deformed.positions, round % 5 == 4 ? TD_REBUILD_ALWAYS : TD_REBUILD_NEVER);
                char what[128];
                snprintf(what, sizeof what, "%s on %s, %s, round %d, %s", shapes[s % 2], variant->name,
                         td_volume_name(volume), round, how->name);
                test_ask_twins(&twins, mesh, NULL, NULL, what);
                test_mesh_free(&deformed);
            }
            print_message("%s on %s, %s: %d warm\n", shapes[s % 2], variant->name, td_volume_name(volume),
                          twins.warm_starts);
            assert_true(twins.warm_starts >= 6);
            test_twins_end(&twins);
            td_destroy_mesh(mesh);
            test_mesh_free(&rest);
        }
    }
}

// Small meshes that shake, some on a grid where much touches, against brute force by the exact predicate.
static void test_shaking(void **state) {
    uint64_t found = 0;
    int at = 0;
    for (const test_variant *variant; (variant = test_next_device(*state, &at)) != NULL;) {
        for (int round = 0; round < test_rounds(24); ++round) {
            test_random random = {(uint64_t)round + 17};
            test_mesh rest = test_small_mesh(round, &random);
            td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
            test_twins twins = test_twins_begin(variant, round % 4 < 2 ? TD_VOLUME_AABB : TD_VOLUME_OBB);
            twins.cold.strategy = "brute";
            for (int frame = 0; frame < 8; ++frame) {
                test_shake_all(&rest, &random, round % 2 == 0);
                test_set(mesh, rest.positions, TD_REBUILD_NEVER);
                char what[64];
                snprintf(what, sizeof what, "%s, round %d, frame %d", variant->name, round, frame);
                test_ask_twins(&twins, mesh, NULL, NULL, what);
            }
            assert_int_equal(twins.warm_starts, 7);
            found += twins.found;
            test_twins_end(&twins);
            td_destroy_mesh(mesh);
            test_mesh_free(&rest);
        }
        assert_true(found > 0);
    }
    print_message("%llu pairs\n", (unsigned long long)found);
}

// The galloping horse: the known counts.
static void test_horse(void **state) {
    int at = 0;
    const test_variant *variant = test_next_device(*state, &at);
    test_horse_sequence horse;
    if (variant == NULL) {
        print_message("skipped: there is no device\n");
        return;
    }
    if (!test_horse_open(&horse, variant->context)) {
        return;
    }
    test_twins aabb = test_twins_begin(variant, TD_VOLUME_AABB);
    test_twins obb = test_twins_begin(variant, TD_VOLUME_OBB);
    for (int i = 0; i < test_rounds(TEST_FRAMES); ++i) {
        char what[32];
        snprintf(what, sizeof what, "horse, frame %d", i);
        test_horse_read(&horse);
        test_horse_set(&horse, TD_REBUILD_NEVER);
        const uint64_t before = aabb.found;
        test_ask_twins(&aabb, horse.mesh, NULL, NULL, what);
        assert_int_equal(aabb.found - before, horse.counts[i]);
        if (i % 4 < 2) { // so that two frames lie between some
            test_ask_twins(&obb, horse.mesh, NULL, NULL, what);
        }
    }
    test_twins_end(&aabb);
    test_twins_end(&obb);
    test_horse_close(&horse);
}

// ---------------------------------------------------------------------------------------------------------
// Meshes that move

enum { TEST_STEPS = 28 };

static void test_make_poses(td_pose poses[TEST_STEPS]) {
    test_random random = {5};
    poses[0] = td_pose_identity();
    for (int i = 1; i < TEST_STEPS; ++i) { // sometimes far away and back
        const double step = i % 10 == 0 ? 1 : 0.02;
        double norm = 0;
        poses[i] = poses[i - 1];
        for (int k = 0; k < 4; ++k) {
            poses[i].rotation[k] += step * (2 * test_random_unit(&random) - 1);
            norm += poses[i].rotation[k] * poses[i].rotation[k];
        }
        for (int k = 0; k < 4; ++k) {
            poses[i].rotation[k] /= sqrt(norm);
        }
        for (int k = 0; k < 3; ++k) {
            poses[i].position[k] = fmax(
                -0.9, fmin(0.9, poses[i].position[k] + 0.5 * step * (2 * test_random_unit(&random) - 1)));
        }
        poses[i].position[0] += i % 13 == 12 ? 1e3 : 0;
    }
}

static void test_moving(void **state) {
    td_pose poses[TEST_STEPS];
    test_make_poses(poses);
    int at = 0;
    for (const test_variant *variant; (variant = test_next_device(*state, &at)) != NULL;) {
        td_mesh *a = NULL, *b = NULL;
        assert_int_equal(td_create_shape(&a, variant->context, "cow", 0), TD_OK);
        assert_int_equal(td_create_shape(&b, variant->context, "knot", 0), TD_OK);
        for (int v = 0; v < 2; ++v) {
            test_twins twins = test_twins_begin(variant, v == 0 ? TD_VOLUME_AABB : TD_VOLUME_OBB);
            for (int i = 0; i < TEST_STEPS; ++i) {
                char what[64];
                snprintf(what, sizeof what, "%s, pose %d", variant->name, i);
                test_ask_twins(&twins, a, b, &poses[i], what);
            }
            assert_true(twins.found > 100 && twins.warm_starts > TEST_STEPS - 5);
            // All in one call, from the root on; one of the poses is of no use for float32.
            const uint64_t entries = td_last_front(twins.there).entries;
            poses[3].position[1] += 1e30;
            td_collide_result answers[TEST_STEPS], expected[TEST_STEPS];
            td_collide_def def = twins.warm;
            td_query *native = NULL;
            assert_int_equal(td_create_query(&native, variant->context), TD_OK);
            assert_int_equal(td_collide_batch(expected, native, a, b, poses, TEST_STEPS, &twins.cold), TD_OK);
            def.front = twins.there;
            def.device = variant->device;
            td_reset_front(twins.there);
            assert_int_equal(td_collide_batch(answers, variant->query, a, b, poses, TEST_STEPS, &def), TD_OK);
            for (int i = 0; i < TEST_STEPS; ++i) {
                test_pairs pairs = test_pairs_copy(&expected[i]);
                test_expect_answer(&answers[i], &pairs, TD_MODE_PAIRS, "in one call");
                test_pairs_free(&pairs);
            }
            assert_int_equal(td_last_front(twins.there).entries, entries);
            poses[3].position[1] -= 1e30;
            td_destroy_query(native);
            test_twins_end(&twins);
        }
        td_destroy_mesh(a);
        td_destroy_mesh(b);
    }
}

// ---------------------------------------------------------------------------------------------------------
// From place to place

// One front, natively and on the device by turns, with either box, in all modes; beside one that stays.
static void test_places(void **state) {
    int at = 0;
    for (const test_variant *variant; (variant = test_next_device(*state, &at)) != NULL;) {
        test_mesh rest;
        td_destroy_mesh(test_shape_mesh(&rest, variant->context, "cow", 0));
        td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
        test_twins twins = test_twins_begin(variant, TD_VOLUME_AABB);
        static const int order[] = {0, 1, 0, 2, 0, 3, 0, 2, 3, 0, 1, 1};
        for (size_t i = 0; i < sizeof order / sizeof *order; ++i) {
            test_mesh deformed = test_deformed(&rest, &test_deformations[order[i]]);
            test_set(mesh, deformed.positions, TD_REBUILD_NEVER);
            test_mesh_free(&deformed);
            td_collide_result answer = test_ask_once(&twins, mesh, NULL, NULL, &twins.cold, "cold");
            test_pairs expected = test_pairs_copy(&answer);
            td_collide_def def = twins.warm;
            def.volume = i % 3 == 2 ? TD_VOLUME_OBB : TD_VOLUME_AABB;
            def.front = twins.natively;
            answer = test_ask_once(&twins, mesh, NULL, NULL, &def, "natively");
            def.front = twins.there;
            def.device = i % 4 < 2 ? variant->device : NULL;
            answer = test_ask_once(&twins, mesh, NULL, NULL, &def, "by turns");
            test_expect_answer(&answer, &expected, TD_MODE_PAIRS, "by turns");
            assert_int_equal(td_last_front(twins.there).start, i == 0 ? TD_FRONT_FIRST : TD_FRONT_WARM);
            assert_int_equal(twins.there->is_away, def.device != NULL);
            assert_int_equal(td_front_home(twins.there), TD_OK);
            assert_int_equal(twins.there->entries.count, twins.natively->entries.count);
            assert_memory_equal(twins.there->entries.items, twins.natively->entries.items,
                                twins.natively->entries.count * sizeof(td_front_entry));
            test_pairs_free(&expected);
        }
        // Other questions: a pair of meshes, a mesh and itself, a mesh built anew, a front that was reset.
        td_collide_def def = twins.warm;
        def.front = twins.there;
        def.device = variant->device;
        td_collide_result answer;
        assert_int_equal(td_collide(&answer, variant->query, mesh, mesh, NULL, &def), TD_OK);
        assert_int_equal(td_last_front(twins.there).start, TD_FRONT_OTHER);
        assert_int_equal(td_self_collide(&answer, variant->query, mesh, &def), TD_OK);
        assert_int_equal(td_last_front(twins.there).start, TD_FRONT_OTHER);
        test_set(mesh, rest.positions, TD_REBUILD_ALWAYS);
        assert_int_equal(td_self_collide(&answer, variant->query, mesh, &def), TD_OK);
        assert_int_equal(td_last_front(twins.there).start, TD_FRONT_REBUILT);
        assert_int_equal(td_self_collide(&answer, variant->query, mesh, &def), TD_OK);
        assert_int_equal(td_last_front(twins.there).start, TD_FRONT_WARM);
        td_reset_front(twins.there);
        assert_int_equal(td_last_front(twins.there).entries, 0);
        assert_int_equal(td_self_collide(&answer, variant->query, mesh, &def), TD_OK);
        assert_int_equal(td_last_front(twins.there).start, TD_FRONT_FIRST);
        test_twins_end(&twins);
        td_destroy_mesh(mesh);
        test_mesh_free(&rest);
    }
}

// A front that outgrows its limit is dropped, as natively, and the question is answered all the same.
static void test_limit(void **state) {
    int at = 0;
    for (const test_variant *variant; (variant = test_next_device(*state, &at)) != NULL;) {
        td_mesh *mesh = NULL;
        assert_int_equal(td_create_shape(&mesh, variant->context, "cow", 1), TD_OK);
        test_twins twins = test_twins_begin(variant, TD_VOLUME_AABB);
        test_ask_twins(&twins, mesh, NULL, NULL, variant->name);
        const uint64_t entries = td_last_front(twins.there).entries;
        test_twins_end(&twins);
        const uint64_t limits[] = {entries, entries - 1, entries / 2, 1};
        for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
            twins = test_twins_begin(variant, TD_VOLUME_AABB);
            td_front **fronts[2] = {&twins.natively, &twins.there};
            for (int k = 0; k < 2; ++k) {
                td_destroy_front(*fronts[k]);
                *fronts[k] = test_new_front(variant->context, sizeof(td_front_entry) * limits[i]);
            }
            for (int k = 0; k < 3; ++k) {
                td_collide_def def = twins.warm;
                td_collide_result answer = test_ask_once(&twins, mesh, NULL, NULL, &twins.cold, "cold");
                test_pairs expected = test_pairs_copy(&answer);
                def.front = twins.natively;
                answer = test_ask_once(&twins, mesh, NULL, NULL, &def, "natively");
                def.front = twins.there;
                def.device = variant->device;
                answer = test_ask_once(&twins, mesh, NULL, NULL, &def, "limited");
                test_expect_answer(&answer, &expected, TD_MODE_PAIRS, "limited");
                const td_front_report report = td_last_front(twins.there);
                assert_int_equal(report.dropped, i > 0);
                assert_int_equal(report.start, k == 0  ? TD_FRONT_FIRST
                                               : i > 0 ? TD_FRONT_DROPPED
                                                       : TD_FRONT_WARM);
                assert_int_equal(report.start, td_last_front(twins.natively).start);
                assert_int_equal(report.entries, td_last_front(twins.natively).entries);
                test_pairs_free(&expected);
            }
            test_twins_end(&twins);
        }
        td_destroy_mesh(mesh);
    }
}

// Devices of ever more memory: an error that says so, then the answer without a front, then with one.
static void test_little_memory(void **state) {
    const test_variants *variants = *state;
    td_context *context = variants->items[0].context;
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_shape(&mesh, context, "cow", 1), TD_OK);
    const td_collide_def cold = td_default_collide_def();
    td_collide_result answer;
    assert_int_equal(td_self_collide(&answer, variants->items[0].query, mesh, &cold), TD_OK);
    test_pairs expected = test_pairs_copy(&answer);
    int refused = 0, dropped = 0, kept = 0;
    for (uint64_t limit = 1 << 16; limit <= (uint64_t)1 << 25; limit += limit / 4) {
        td_device *device = test_open_device(context, false, limit);
        if (device == NULL) {
            continue;
        }
        td_query *query = NULL;
        td_front *front = test_new_front(context, 0);
        assert_int_equal(td_create_query(&query, context), TD_OK);
        td_collide_def def = td_default_collide_def();
        def.strategy = "front";
        def.device = device;
        def.front = front;
        for (int i = 0; i < 3; ++i) {
            const td_result result = td_self_collide(&answer, query, mesh, &def);
            if (result != TD_OK) {
                assert_int_equal(result, TD_ERROR_DEVICE);
                assert_non_null(strstr(td_error_message(), "bytes"));
                assert_false(front->held);
                assert_true(dropped + kept == 0); // once it is enough it stays so
                ++refused;
                continue;
            }
            test_expect_answer(&answer, &expected, TD_MODE_PAIRS, "with little memory");
            dropped += td_last_front(front).dropped;
            kept += !td_last_front(front).dropped;
        }
        td_destroy_device(device); // the front and the query still have it
        td_destroy_query(query);
        td_destroy_front(front);
    }
    print_message("%d refused, %d without a front, %d with one\n", refused, dropped, kept);
    assert_true(refused + dropped + kept == 0 || (refused > 0 && dropped > 0 && kept > 0));
    test_pairs_free(&expected);
    td_destroy_mesh(mesh);
}

// ---------------------------------------------------------------------------------------------------------
// Steps

typedef struct test_step_twins {
    test_twins fronts;
    td_continuous *cold, *natively, *there;
} test_step_twins;

static td_continuous_result test_ask_step(td_continuous *query, const td_moving_mesh *a,
                                          const td_moving_mesh *b, const td_continuous_def *def,
                                          const char *what) {
    td_continuous_result found;
    const td_result result =
        b == NULL ? td_continuous_self(&found, query, a, def) : td_continuous_pair(&found, query, a, b, def);
    if (result != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    return found;
}

static void test_expect_contacts(const td_continuous_result *found, const td_continuous_result *expected,
                                 const char *what) {
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        if (found->count[kind] != expected->count[kind]) {
            fail_msg("%s: %llu contacts of kind %d from the front; expected %llu", what,
                     (unsigned long long)found->count[kind], kind, (unsigned long long)expected->count[kind]);
        }
        for (uint64_t i = 0; i < found->count[kind]; ++i) {
            const td_feature_contact x = found->contacts[kind][i], y = expected->contacts[kind][i];
            assert_true(x.a == y.a && x.b == y.b && x.time == y.time && x.certain == y.certain);
        }
    }
    assert_true(found->earliest == expected->earliest && found->touching == expected->touching);
}

static void test_ask_step_twins(test_step_twins *twins, const td_moving_mesh *a, const td_moving_mesh *b,
                                const char *what) {
    td_continuous_def def = td_default_continuous_def();
    def.strategy = "brute";
    const td_continuous_result expected = test_ask_step(twins->cold, a, b, &def, what);
    def.strategy = "front";
    def.volume = twins->fronts.warm.volume;
    def.front = twins->fronts.natively;
    const td_continuous_result natively = test_ask_step(twins->natively, a, b, &def, what);
    def.front = twins->fronts.there;
    def.device = twins->fronts.variant->device;
    const td_continuous_result found = test_ask_step(twins->there, a, b, &def, what);
    test_expect_contacts(&found, &expected, what);
    assert_int_equal(found.counters.box_tests, natively.counters.box_tests);
    test_expect_twins(&twins->fronts, what);
    twins->fronts.found += found.count[0] + found.count[1] + found.count[2];
    twins->fronts.warm_starts += td_last_front(twins->fronts.there).start == TD_FRONT_WARM;
}

static test_step_twins test_step_twins_begin(const test_variant *variant, td_volume volume) {
    test_step_twins twins = {.fronts = test_twins_begin(variant, volume)};
    assert_int_equal(td_create_continuous(&twins.cold, variant->context), TD_OK);
    assert_int_equal(td_create_continuous(&twins.natively, variant->context), TD_OK);
    assert_int_equal(td_create_continuous(&twins.there, variant->context), TD_OK);
    return twins;
}

static void test_step_twins_end(test_step_twins *twins) {
    td_destroy_continuous(twins->cold);
    td_destroy_continuous(twins->natively);
    td_destroy_continuous(twins->there);
    test_twins_end(&twins->fronts);
}

// Small meshes, some on a grid where much touches, against themselves and each other, against brute force.
static void test_steps(void **state) {
    int at = 0;
    for (const test_variant *variant; (variant = test_next_device(*state, &at)) != NULL;) {
        uint64_t found = 0;
        for (int round = 0; round < test_rounds(16); ++round) {
            test_random random = {(uint64_t)round + 43};
            test_mesh rest = test_small_mesh(round, &random);
            test_mesh other = test_soup(&random, 1 + rest.triangle_count / 2);
            td_mesh *mesh = test_build_deformable(variant->context, &rest, TD_BUILDER_SAH);
            td_mesh *still = test_build_deformable(variant->context, &other, TD_BUILDER_SAH);
            const td_volume volume = round % 2 == 0 ? TD_VOLUME_AABB : TD_VOLUME_OBB;
            test_step_twins self = test_step_twins_begin(variant, volume);
            test_step_twins pair = test_step_twins_begin(variant, volume);
            for (int step = 0; step < 6; ++step) {
                test_shake_all(&rest, &random, round % 4 < 2);
                char what[64];
                snprintf(what, sizeof what, "%s, round %d, step %d", variant->name, round, step);
                const td_moving_mesh a = {
                    .mesh = mesh, .positions = rest.positions, .vertex_count = rest.vertex_count};
                const td_moving_mesh b = {.mesh = still};
                test_ask_step_twins(&self, &a, NULL, what);
                test_ask_step_twins(&pair, &a, &b, what);
                test_set(mesh, rest.positions, step == 3 ? TD_REBUILD_ALWAYS : TD_REBUILD_NEVER);
            }
            assert_int_equal(self.fronts.warm_starts, 4); // all but the first, and the one after the rebuild
            assert_int_equal(pair.fronts.warm_starts, 4);
            found += self.fronts.found + pair.fronts.found;
            test_step_twins_end(&self);
            test_step_twins_end(&pair);
            td_destroy_mesh(mesh);
            td_destroy_mesh(still);
            test_mesh_free(&rest);
            test_mesh_free(&other);
        }
        print_message("%s: %llu contacts\n", variant->name, (unsigned long long)found);
        assert_true(found > 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deforming),     cmocka_unit_test(test_shaking), cmocka_unit_test(test_horse),
        cmocka_unit_test(test_moving),        cmocka_unit_test(test_places),  cmocka_unit_test(test_limit),
        cmocka_unit_test(test_little_memory), cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, test_setup_widest_with_devices, test_teardown_variants);
}
