// Meshes in motion: which features touch and when, against every pair of features asked one by one, for every
// instruction set, number of threads and strategy.
#include "support/cmocka_all.h"
#include "support/variants.h"
#include "test_continuous_support.h"
#include "test_continuous_ways.h"

#include <tandem/continuous.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// Comparing

static bool test_same_contact(td_feature_contact a, td_feature_contact b) {
    return a.a == b.a && a.b == b.b && a.certain == b.certain && a.time == b.time;
}

static void test_compare_all(const td_continuous_result *found, const test_contacts *expected,
                             const char *what) {
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        if (found->count[kind] != expected->count[kind]) {
            fail_msg("%s: %llu contacts of kind %d; expected %llu", what,
                     (unsigned long long)found->count[kind], kind, (unsigned long long)expected->count[kind]);
        }
        assert_int_equal(found->contacts[kind] == NULL, found->count[kind] == 0);
        for (uint64_t i = 0; i < found->count[kind]; ++i) {
            const td_feature_contact a = found->contacts[kind][i], b = expected->items[kind][i];
            if (!test_same_contact(a, b)) {
                fail_msg("%s: contact %llu of kind %d is %u, %u at %.17g; expected %u, %u at %.17g", what,
                         (unsigned long long)i, kind, a.a, a.b, a.time, b.a, b.b, b.time);
            }
        }
    }
}

// The earliest of the expected ones, and whether there is one.
static bool test_earliest(td_feature_contact *out, int *out_kind, const test_contacts *expected) {
    bool any = false;
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        for (uint64_t i = 0; i < expected->count[kind]; ++i) {
            if (!any || expected->items[kind][i].time < out->time) {
                *out = expected->items[kind][i];
                *out_kind = kind;
                any = true;
            }
        }
    }
    return any;
}

static void test_compare_earliest(const td_continuous_result *found, const test_contacts *expected,
                                  const char *what) {
    td_feature_contact earliest;
    int kind;
    const bool any = test_earliest(&earliest, &kind, expected);
    if (found->touching != any || found->earliest != (any ? earliest.time : 1.0) ||
        (any &&
         ((int)found->earliest_kind != kind || !test_same_contact(found->earliest_contact, earliest)))) {
        fail_msg("%s: the earliest contact is at %.17g, kind %d, %u and %u; expected %.17g, kind %d", what,
                 found->earliest, (int)found->earliest_kind, found->earliest_contact.a,
                 found->earliest_contact.b, any ? earliest.time : 1.0, any ? kind : -1);
    }
}

static td_moving_mesh test_moving(const td_mesh *mesh, const test_step *step) {
    return (td_moving_mesh){.mesh = mesh,
                            .positions = step->end.positions,
                            .scalar = TD_FLOAT64,
                            .vertex_count = step->end.vertex_count};
}

static void test_ask_step(td_continuous *query, const td_moving_mesh *a, const td_moving_mesh *b,
                          td_continuous_def def, const test_contacts *expected, const char *name,
                          bool brute) {
    for (int w = 0; w < TEST_STEP_WAYS - !brute; ++w) {
        const test_step_way *way = &test_step_ways[w];
        def = test_def_of_way(def, way);
        for (int mode = TD_CONTINUOUS_ALL; mode <= TD_CONTINUOUS_EARLIEST; ++mode) {
            char what[256];
            td_continuous_result found;
            def.mode = (td_continuous_mode)mode;
            snprintf(what, sizeof what, "%s, %s %s, mode %d", name, way->strategy,
                     td_volume_name(way->volume), mode);
            const td_result result = b == NULL ? td_continuous_self(&found, query, a, &def)
                                               : td_continuous_pair(&found, query, a, b, &def);
            if (result != TD_OK) {
                fail_msg("%s: %s", what, td_error_message());
            }
            test_compare_earliest(&found, expected, what);
            assert_int_equal(found.volume, way->volume);
            if (mode == TD_CONTINUOUS_ALL) {
                test_compare_all(&found, expected, what);
            } else if (mode == TD_CONTINUOUS_COUNT) {
                for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
                    assert_int_equal(found.count[kind], expected->count[kind]);
                    assert_null(found.contacts[kind]);
                }
            }
        }
    }
}

static void test_all_variants(const test_variants *variants, const test_step *a, const test_step *b,
                              const td_continuous_def *def, const char *name) {
    test_contacts expected = test_expect(variants->items[0].context, &def->moving, a, b == NULL ? a : b);
    for (int v = 0; v < variants->count; ++v) {
        const test_variant *variant = &variants->items[v];
        char what[192];
        snprintf(what, sizeof what, "%s on %s", name, variant->name);
        td_continuous *query;
        assert_int_equal(td_create_continuous(&query, variant->context), TD_OK);
        td_mesh *mesh_a = test_mesh_build(variant->context, &a->start);
        td_mesh *mesh_b = b == NULL ? NULL : test_mesh_build(variant->context, &b->start);
        assert_true(mesh_a != NULL && (b == NULL || mesh_b != NULL));
        const td_moving_mesh moving_a = test_moving(mesh_a, a);
        const td_moving_mesh moving_b = b == NULL ? (td_moving_mesh){0} : test_moving(mesh_b, b);
        test_ask_step(query, &moving_a, b == NULL ? NULL : &moving_b, *def, &expected, what,
                      v == 0 || v + 1 == variants->count);
        td_destroy_mesh(mesh_a);
        td_destroy_mesh(mesh_b);
        td_destroy_continuous(query);
    }
    test_contacts_free(&expected);
}

// ---------------------------------------------------------------------------------------------------------
// Steps

static test_mesh test_copy(const test_mesh *mesh) {
    test_mesh out = *mesh;
    const size_t positions = 3 * (size_t)mesh->vertex_count * sizeof(double);
    const size_t triangles = 3 * (size_t)mesh->triangle_count * sizeof(uint32_t);
    out.positions = malloc(positions);
    out.triangles = malloc(triangles);
    assert_true(out.positions != NULL && out.triangles != NULL);
    memcpy(out.positions, mesh->positions, positions);
    memcpy(out.triangles, mesh->triangles, triangles);
    return out;
}

// How vertices move.
enum { TEST_STILL, TEST_RANDOMLY, TEST_ON_GRID, TEST_TOGETHER, TEST_FAR, TEST_MOTIONS };

static test_step test_step_of(test_random *random, test_mesh mesh, int motion) {
    test_step step = {mesh, test_copy(&mesh)};
    const double shift[3] = {test_random_range(random, -1, 1), test_random_range(random, -1, 1), 0.5};
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; ++i) {
        double *x = &step.end.positions[i];
        switch (motion) {
        case TEST_RANDOMLY:
            *x += test_random_range(random, -0.5, 0.5);
            break;
        case TEST_ON_GRID: // vertices meet exactly, edges cross at their ends, paths stay in planes
            *x += test_random_int(random, -1, 1);
            break;
        case TEST_TOGETHER:
            *x += shift[i % 3];
            break;
        case TEST_FAR:
            *x += test_random_int(random, 0, 20) == 0 ? test_random_range(random, -1e6, 1e6) : 0.0;
            break;
        default:
            break;
        }
    }
    return step;
}

// A sheet that folds: neighbours everywhere, and its own far ends meet.
static test_mesh test_make_sheet(test_random *random, uint32_t count) {
    (void)random;
    return test_sheet(1 + count / 8, 0.2);
}

// Two cubes face to face.
static test_mesh test_make_stack(test_random *random, uint32_t count) {
    (void)random;
    return test_stack(1 + count / 16);
}

// Triangles that name a vertex twice or three times, and vertices that nobody names.
static test_mesh test_make_loose(test_random *random, uint32_t count) {
    test_mesh mesh = test_grid_soup(random, count);
    for (uint32_t t = 0; t < mesh.triangle_count; t += 3) {
        mesh.triangles[3 * t + 1] = mesh.triangles[3 * t];
        mesh.triangles[3 * t + 2] = t % 2 == 0 ? mesh.triangles[3 * t] : mesh.triangles[3 * t + 2];
    }
    return mesh;
}

// Pairs that all but touch, or just do: what filters must not decide.
static test_mesh test_make_near(test_random *random, uint32_t count) {
    test_mesh a = test_soup(random, 1 + count / 2), b = test_near_soup(random, &a, 1 + count / 2);
    const test_mesh joined = test_join(&a, &b);
    test_mesh_free(&a);
    test_mesh_free(&b);
    return joined;
}

typedef test_mesh test_make_fn(test_random *random, uint32_t count);

static const struct {
    const char *name;
    test_make_fn *make;
} test_kinds[] = {
    {"soup", test_soup},        {"grid", test_grid_soup},   {"flat", test_flat_soup},
    {"thin", test_thin_soup},   {"strip", test_strip},      {"sheet", test_make_sheet},
    {"stack", test_make_stack}, {"loose", test_make_loose}, {"near", test_make_near},
};

enum { TEST_MESH_KINDS = sizeof test_kinds / sizeof *test_kinds };

static void test_scale_step(test_step *step, double scale) {
    test_mesh_scale(&step->start, scale);
    test_mesh_scale(&step->end, scale);
}

static void test_random_steps(void **state) {
    (void)state;
    test_variants variants;
    test_variants_create(&variants);
    test_random random = {71};
    static const double scales[] = {1, 1, 1, 1e250, 1e-250, 1.0 / 3};
    const int rounds = test_rounds(45);
    for (int round = 0; round < rounds; ++round) {
        const int kind = round % TEST_MESH_KINDS, motion = round / TEST_MESH_KINDS % TEST_MOTIONS;
        const uint32_t count = (uint32_t)test_random_int(&random, 1, 18);
        test_step a = test_step_of(&random, test_kinds[kind].make(&random, count), motion);
        test_step b =
            test_step_of(&random, test_kinds[(kind + round / 7) % TEST_MESH_KINDS].make(&random, 8), motion);
        const double scale = scales[round % 6];
        test_scale_step(&a, scale);
        test_scale_step(&b, scale);
        char name[96];
        snprintf(name, sizeof name, "round %d: %s, motion %d, scale %g", round, test_kinds[kind].name, motion,
                 scale);
        const td_continuous_def def = td_default_continuous_def();
        test_all_variants(&variants, &a, NULL, &def, name);
        test_all_variants(&variants, &a, &b, &def, name);
        test_step_free(&a);
        test_step_free(&b);
    }
    test_variants_destroy(&variants);
}

// With a separation or a budget, "touching, not certain" is an answer, and boxes leave out only what is
// certainly apart. So what is found by one strategy is found by all, and all that certainly touches is among
// it.
static void test_bounded(void **state) {
    (void)state;
    test_variants variants;
    test_variants_create(&variants);
    test_random random = {72};
    const int rounds = test_rounds(12);
    for (int round = 0; round < rounds; ++round) {
        test_step step =
            test_step_of(&random, test_kinds[round % TEST_MESH_KINDS].make(&random, 16), 1 + round % 2);
        td_continuous_def def = td_default_continuous_def();
        const test_contacts exact = test_expect(variants.items[0].context, &def.moving, &step, &step);
        def.moving.separation = round % 2 == 0 ? 0.01 : 0.0;
        def.moving.budget = round % 2 == 0 ? 0 : 3;
        td_feature_contact *first[TD_CONTACT_KINDS] = {NULL};
        uint64_t first_count[TD_CONTACT_KINDS] = {0};
        for (int v = 0; v < variants.count; ++v) {
            td_continuous *query;
            assert_int_equal(td_create_continuous(&query, variants.items[v].context), TD_OK);
            td_mesh *mesh = test_mesh_build(variants.items[v].context, &step.start);
            assert_non_null(mesh);
            const td_moving_mesh moving = test_moving(mesh, &step);
            for (int s = 0; s < TEST_STEP_WAYS; ++s) {
                td_continuous_result found;
                def = test_def_of_way(def, &test_step_ways[s]);
                def.mode = TD_CONTINUOUS_ALL;
                assert_int_equal(td_continuous_self(&found, query, &moving, &def), TD_OK);
                assert_int_equal(found.volume, TD_VOLUME_AABB); // else the answer would depend on it
                for (int kind = 0; kind < 2; ++kind) {
                    if (v == 0 && s == 0) {
                        first_count[kind] = found.count[kind];
                        first[kind] = malloc(found.count[kind] * sizeof **first + 1);
                        assert_non_null(first[kind]);
                        memcpy(first[kind], found.contacts[kind], found.count[kind] * sizeof **first);
                        for (uint64_t i = 0, k = 0; i < exact.count[kind]; ++i) {
                            const td_feature_contact want = exact.items[kind][i];
                            while (k < found.count[kind] && !(found.contacts[kind][k].a == want.a &&
                                                              found.contacts[kind][k].b == want.b)) {
                                ++k;
                            }
                            assert_true(k < found.count[kind]);
                            assert_true(found.contacts[kind][k].time <= want.time + 1e-6);
                        }
                    }
                    assert_int_equal(found.count[kind], first_count[kind]);
                    for (uint64_t i = 0; i < found.count[kind]; ++i) {
                        assert_true(test_same_contact(found.contacts[kind][i], first[kind][i]));
                    }
                }
                const double earliest = found.earliest;
                def.mode = TD_CONTINUOUS_EARLIEST;
                assert_int_equal(td_continuous_self(&found, query, &moving, &def), TD_OK);
                assert_true(found.earliest == earliest);
            }
            td_destroy_mesh(mesh);
            td_destroy_continuous(query);
        }
        for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
            free(first[kind]);
        }
        test_contacts dead = exact;
        test_contacts_free(&dead);
        test_step_free(&step);
    }
    test_variants_destroy(&variants);
}

// The same motion backwards touches the same pairs; and what touches at its end touches at the other's
// beginning.
static void test_reversed(void **state) {
    (void)state;
    test_variants variants;
    test_variants_create_widest(&variants);
    td_context *context = variants.items[0].context;
    test_random random = {73};
    td_continuous *forth, *back;
    assert_int_equal(td_create_continuous(&forth, context), TD_OK);
    assert_int_equal(td_create_continuous(&back, context), TD_OK);
    const int rounds = test_rounds(24);
    for (int round = 0; round < rounds; ++round) {
        test_step step =
            test_step_of(&random, test_kinds[round % TEST_MESH_KINDS].make(&random, 100), 1 + round % 3);
        const test_step turned = {step.end, step.start};
        td_mesh *start = test_mesh_build(context, &step.start), *end = test_mesh_build(context, &step.end);
        assert_true(start != NULL && end != NULL);
        const td_continuous_def def = td_default_continuous_def();
        const td_moving_mesh moving = test_moving(start, &step), returning = test_moving(end, &turned);
        td_continuous_result there, home;
        assert_int_equal(td_continuous_self(&there, forth, &moving, &def), TD_OK);
        assert_int_equal(td_continuous_self(&home, back, &returning, &def), TD_OK);
        for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
            assert_int_equal(there.count[kind], home.count[kind]);
            for (uint64_t i = 0; i < there.count[kind]; ++i) {
                const td_feature_contact a = there.contacts[kind][i], b = home.contacts[kind][i];
                assert_true(a.a == b.a && a.b == b.b);
                assert_true(a.time <= 1.0 - b.time + 1e-6); // the first comes before the last
            }
        }
        td_destroy_mesh(start);
        td_destroy_mesh(end);
        test_step_free(&step);
    }
    td_destroy_continuous(forth);
    td_destroy_continuous(back);
    test_variants_destroy(&variants);
}

// ---------------------------------------------------------------------------------------------------------
// What is refused

static void test_expect_refusal(td_result result, td_result wanted, const char *word) {
    if (result != wanted || strstr(td_error_message(), word) == NULL) {
        fail_msg("result %s, message '%s'; expected %s and '%s' in it", td_result_name(result),
                 td_error_message(), td_result_name(wanted), word);
    }
}

static void test_refusals(void **state) {
    (void)state;
    test_variants variants;
    test_variants_create_widest(&variants);
    td_context *context = variants.items[0].context;
    test_random random = {74};
    test_step step = test_step_of(&random, test_soup(&random, 20), TEST_RANDOMLY);
    td_mesh *mesh = test_mesh_build(context, &step.start);
    td_continuous *query;
    assert_int_equal(td_create_continuous(&query, context), TD_OK);
    td_continuous_result found;
    td_continuous_def def = td_default_continuous_def();
    td_moving_mesh moving = test_moving(mesh, &step);

    moving.vertex_count++;
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_MESH,
                        "positions at t = 1");
    moving.vertex_count--;
    moving.position_stride = 20;
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_ARGUMENT,
                        "position_stride");
    moving.position_stride = 0;
    const double kept = step.end.positions[3 * 17 + 1];
    step.end.positions[3 * 17 + 1] = NAN;
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_MESH,
                        "vertex 17 at t = 1");
    test_expect_refusal(td_continuous_pair(&found, query, &moving, &moving, &def), TD_ERROR_MESH, "A (");
    step.end.positions[3 * 17 + 1] = kept;
    const double first = step.end.positions[0];
    step.end.positions[0] = DBL_MAX;
    step.end.positions[3] = -DBL_MAX;
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_MESH, "overflow");
    step.end.positions[0] = step.end.positions[3] = first;

    def.strategy = "clever";
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_ARGUMENT, "'clever'");
    def.strategy = "wide";
    def.volume = TD_VOLUME_OBB;
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_UNSUPPORTED, "oriented");
    def.volume = (td_volume)5;
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_ARGUMENT, "volume 5");
    def = td_default_continuous_def();
    def.idle_share = 1.5;
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_ARGUMENT, "1.5");
    def = td_default_continuous_def();
    def.moving.separation = -1;
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_ARGUMENT, "separation");
    def = td_default_continuous_def();
    def.mode = (td_continuous_mode)9;
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_ARGUMENT, "9");
    def = (td_continuous_def){0};
    test_expect_refusal(td_continuous_self(&found, query, &moving, &def), TD_ERROR_ARGUMENT,
                        "td_default_continuous_def");
    def = td_default_continuous_def();
    assert_int_equal(td_continuous_self(&found, query, &moving, &def), TD_OK); // none of this did any harm

    td_destroy_continuous(query);
    td_destroy_mesh(mesh);
    test_step_free(&step);
    test_variants_destroy(&variants);
}

// ---------------------------------------------------------------------------------------------------------

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_steps),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_reversed),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
