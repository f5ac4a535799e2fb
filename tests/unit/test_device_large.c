// Answers and amounts of work far beyond what the papers' buffers held, on a device: nothing is cut off.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "support/ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEST_RIBBONS = 512,        // their square is more than the 4095 x 16 slots of paper 000
    TEST_KNIVES = 7200,        // their square is more than ...
    TEST_MANY_TESTS = 50000000 // ... this
};

static test_mesh test_triangles(uint32_t count) {
    test_mesh mesh = {.vertex_count = 3 * count, .triangle_count = count};
    mesh.positions = calloc(9 * (size_t)count, sizeof *mesh.positions);
    mesh.triangles = calloc(3 * (size_t)count, sizeof *mesh.triangles);
    if (mesh.positions == NULL || mesh.triangles == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < 3 * count; ++i) {
        mesh.triangles[i] = i;
    }
    return mesh;
}

// Upright triangles along one axis, side by side across [0, 1] on the other, from `edge` to the tip.
static test_mesh test_ribbons(int along, double edge, double tip) {
    test_mesh mesh = test_triangles(TEST_RIBBONS);
    for (uint32_t i = 0; i < TEST_RIBBONS; ++i) {
        double *p = mesh.positions + 9 * (size_t)i;
        for (int corner = 0; corner < 3; ++corner) {
            p[3 * corner + along] = corner == 0 ? -1 : corner == 1 ? 2 : 0.5;
            p[3 * corner + 1 - along] = (double)i / TEST_RIBBONS;
            p[3 * corner + 2] = corner < 2 ? edge : tip;
        }
    }
    return mesh;
}

// Long and thin, from corner to corner of a cube: every box meets every other.
static test_mesh test_knives(test_random *random, double slope, uint32_t count) {
    test_mesh mesh = test_triangles(count);
    for (uint32_t i = 0; i < count; ++i) {
        double *p = mesh.positions + 9 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            const double end = k == 2 ? slope : 1;
            const double aside = test_random_range(random, -0.3, 0.3);
            p[k] = -end + aside;
            p[3 + k] = end + aside;
            p[6 + k] = end + aside + test_random_range(random, -0.002, 0.002);
        }
    }
    return mesh;
}

typedef struct test_meeting {
    test_mesh a, b;
    test_pairs expected;
    uint64_t least_tests; // by the strategies below
    bool brief;           // axis-aligned boxes and the pool of work only
} test_meeting;

static void test_on_variant(const test_meeting *meeting, const test_variant *variant) {
    td_mesh *a = test_mesh_build(variant->context, &meeting->a);
    td_mesh *b = test_mesh_build(variant->context, &meeting->b);
    assert_true(a != NULL && b != NULL);
    test_ways ways;
    test_ways_list(&ways, variant->device, meeting->brief ? 0 : TEST_WAYS_ONE_ITEM);
    for (int w = 0; w < ways.count; ++w) {
        const td_collide_def *def = &ways.items[w].def;
        if (meeting->brief && def->volume != TD_VOLUME_AABB) {
            continue;
        }
        char what[128];
        snprintf(what, sizeof what, "%s on %s", ways.items[w].name, variant->name);
        td_collide_result answer;
        if (td_collide(&answer, variant->query, a, b, NULL, def) != TD_OK) {
            fail_msg("%s: %s", what, td_error_message());
        }
        test_expect_answer(&answer, &meeting->expected, TD_MODE_PAIRS, what);
        test_expect_state_bits(&answer, def, a, b, what);
        print_message("%-40s %8llu pairs, %9llu triangle tests, %8llu exact, %6.0f ms\n", what,
                      (unsigned long long)answer.pair_count,
                      (unsigned long long)answer.counters.triangle_tests,
                      (unsigned long long)answer.counters.exact_tests, answer.ms);
        assert_true(answer.counters.triangle_tests >= meeting->least_tests);
    }
    td_destroy_mesh(a);
    td_destroy_mesh(b);
}

static void test_meeting_free(test_meeting *meeting) {
    test_mesh_free(&meeting->a);
    test_mesh_free(&meeting->b);
    test_pairs_free(&meeting->expected);
}

// Every ribbon cuts every other: what is right is known without asking anybody.
static void test_many_pairs(void **state) {
    const test_variants *variants = *state;
    test_meeting meeting = {.a = test_ribbons(0, 0, 1), .b = test_ribbons(1, 0.25, -0.75)};
    for (uint32_t i = 0; i < TEST_RIBBONS * TEST_RIBBONS; ++i) {
        test_pairs_add(&meeting.expected, i / TEST_RIBBONS, i % TEST_RIBBONS);
    }
    assert_true(meeting.expected.count > 4095 * 16);
    meeting.least_tests = meeting.expected.count;
    for (int v = 0; v < variants->count; ++v) {
        test_on_variant(&meeting, &variants->items[v]);
    }
    test_meeting_free(&meeting);
}

// Compared with what `wide` finds natively. Oriented boxes would tell most knives apart: that is no case for
// them.
static void test_many_candidates(void **state) {
    const test_variants *variants = *state;
    const bool quick = test_rounds(8) < 8;
    const uint32_t count = quick ? TEST_KNIVES / 8 : TEST_KNIVES;
    test_random random = {81};
    test_meeting meeting = {.a = test_knives(&random, 1, count), .b = test_knives(&random, -1, count)};
    meeting.brief = true;
    meeting.least_tests = quick ? 1 : TEST_MANY_TESTS + 1;
    const test_variant *native = &variants->items[0];
    td_mesh *a = test_mesh_build(native->context, &meeting.a);
    td_mesh *b = test_mesh_build(native->context, &meeting.b);
    td_collide_def def = td_default_collide_def();
    def.strategy = "wide";
    td_collide_result answer;
    assert_int_equal(td_collide(&answer, native->query, a, b, NULL, &def), TD_OK);
    meeting.expected = test_pairs_copy(&answer);
    assert_true(quick || meeting.expected.count > 4095 * 16);
    td_destroy_mesh(a);
    td_destroy_mesh(b);
    for (int v = 1; v < variants->count; ++v) {
        test_on_variant(&meeting, &variants->items[v]);
    }
    test_meeting_free(&meeting);
}

// The native variant and the device with all it has.
static int test_setup(void **state) {
    static test_variants variants;
    test_variants_create_widest(&variants);
    if (test_variants_add_devices(&variants)) {
        test_variants without = {.items = {variants.items[--variants.count]}, .count = 1};
        test_variants_destroy(&without);
    }
    *state = &variants;
    return 0;
}

static int test_teardown(void **state) {
    test_variants_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_pairs),
        cmocka_unit_test(test_many_candidates),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
