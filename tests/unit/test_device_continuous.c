// Meshes in motion on a device: the answers are the native ones, to the bit, with float64 and without,
// whatever the scene, the mode, the memory; the steps of the data folder have the contacts that are known.
#include "support/cases.h"
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/results.h"

#include <tandem/tandem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEST_DEVICES = 3 };

typedef struct test_place {
    test_heap heap;
    td_context *context;
    td_device *devices[TEST_DEVICES]; // as it is, without float64, with little memory; null: none
} test_place;

// Takes a thousand times as long; and Oclgrind 21.10 does not know an instruction that compilers make of
// kernels/moving.cl, so the host decides.
static bool test_is_simulated(void) {
    return getenv("TD_TEST_SIMULATED") != NULL;
}

static int test_open(void **state) {
    test_place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    test_heap_recover(&place->heap);
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    def.allocator = test_heap_allocator(&place->heap);
    assert_int_equal(td_create_context(&place->context, &def), TD_OK);
    for (int i = 0; i < TEST_DEVICES; ++i) {
        td_device_def device_def = td_default_device_def();
        device_def.without_float64 = i == 1 || test_is_simulated();
        device_def.memory_limit = i == 2 ? 400000 : 0;
        if (td_create_device(&place->devices[i], place->context, &device_def) != TD_OK) {
            print_message("no usable OpenCL device, most is skipped: %s\n", td_error_message());
            break;
        }
    }
    if (place->devices[0] != NULL) {
        td_device_info info;
        td_device_describe(&info, place->devices[0]);
        print_message("device: %s\n", info.name);
    }
    *state = place;
    return 0;
}

static int test_close(void **state) {
    test_place *place = *state;
    for (int i = 0; i < TEST_DEVICES; ++i) {
        td_destroy_device(place->devices[i]);
    }
    td_destroy_context(place->context);
    assert_int_equal(atomic_load(&place->heap.blocks), 0);
    assert_int_equal(atomic_load(&place->heap.mistakes), 0);
    free(place);
    return 0;
}

#define TEST_NEEDS_DEVICE(place)                                                                             \
    if ((place)->devices[TEST_DEVICES - 1] == NULL) {                                                        \
        skip();                                                                                              \
    }

// ---------------------------------------------------------------------------------------------------------
// Questions

// Two meshes in motion, or one if `b` is null; or two rigid bodies.
typedef struct test_question {
    td_moving_mesh a, b;
    const td_rigid_motion *motions; // of rigid bodies
    td_continuous_def def;
} test_question;

static td_result test_ask(td_continuous_result *out, td_continuous *query, const test_question *question) {
    const td_continuous_def *def = &question->def;
    if (question->motions != NULL) {
        return td_continuous_rigid(out, query, question->a.mesh, &question->motions[0], question->b.mesh,
                                   &question->motions[1], def);
    }
    return question->b.mesh == NULL ? td_continuous_self(out, query, &question->a, def)
                                    : td_continuous_pair(out, query, &question->a, &question->b, def);
}

static bool test_same_contact(td_feature_contact a, td_feature_contact b) {
    return a.a == b.a && a.b == b.b && a.certain == b.certain && memcmp(&a.time, &b.time, sizeof a.time) == 0;
}

static void test_same(const td_continuous_result *found, const td_continuous_result *expected,
                      const char *what) {
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        if (found->count[kind] != expected->count[kind]) {
            fail_msg("%s: %llu contacts of kind %d; natively %llu", what,
                     (unsigned long long)found->count[kind], kind, (unsigned long long)expected->count[kind]);
        }
        assert_int_equal(found->contacts[kind] == NULL, expected->contacts[kind] == NULL);
        for (uint64_t i = 0; found->contacts[kind] != NULL && i < found->count[kind]; ++i) {
            const td_feature_contact a = found->contacts[kind][i], b = expected->contacts[kind][i];
            if (!test_same_contact(a, b)) {
                fail_msg("%s: contact %llu of kind %d is %u, %u at %.17g; natively %u, %u at %.17g", what,
                         (unsigned long long)i, kind, a.a, a.b, a.time, b.a, b.b, b.time);
            }
        }
    }
    if (found->touching != expected->touching || found->certain != expected->certain ||
        memcmp(&found->earliest, &expected->earliest, sizeof found->earliest) != 0 ||
        (found->touching && (found->earliest_kind != expected->earliest_kind ||
                             !test_same_contact(found->earliest_contact, expected->earliest_contact)))) {
        fail_msg("%s: the earliest contact is at %.17g; natively at %.17g", what, found->earliest,
                 expected->earliest);
    }
}

// The ways to ask on a device.
typedef struct test_device_way {
    const char *strategy;
    td_volume volume;
} test_device_way;

static const test_device_way test_device_ways[] = {
    {NULL, TD_VOLUME_AABB},       {"blocked", TD_VOLUME_AABB}, {"stack", TD_VOLUME_AABB},
    {"balanced", TD_VOLUME_AABB}, {"stack", TD_VOLUME_OBB},    {"balanced", TD_VOLUME_OBB},
    {"binary", TD_VOLUME_AABB},   {"binary", TD_VOLUME_OBB},   {"front", TD_VOLUME_AABB},
    {"front", TD_VOLUME_OBB},
};

enum { TEST_DEVICE_WAYS = sizeof test_device_ways / sizeof *test_device_ways };

// The same pairs of triangles are looked at by all ways with boxes along the axes; but a front leaves out
// quads that own nothing to be tested.
static void test_compare_way(test_question question, td_continuous *query, const test_device_way *way,
                             const td_continuous_result *expected, const char *where) {
    char what[224];
    td_continuous_result found;
    snprintf(what, sizeof what, "%s by %s %s", where, way->strategy != NULL ? way->strategy : "auto",
             td_volume_name(way->volume));
    question.def.strategy = way->strategy;
    question.def.volume = way->volume;
    if (test_ask(&found, query, &question) != TD_OK) {
        fail_msg("%s: %s", what, td_error_message());
    }
    test_same(&found, expected, what);
    const uint64_t tests = found.counters.triangle_tests, known = expected->counters.triangle_tests;
    const bool blocks = way->strategy == NULL || strcmp(way->strategy, "blocked") == 0;
    const bool front = way->strategy != NULL && strcmp(way->strategy, "front") == 0;
    if (question.def.mode == TD_CONTINUOUS_ALL && !front &&
        (blocks ? tests != known : found.volume == 0 && tests < known)) {
        fail_msg("%s: %llu pairs of triangles; natively %llu", what, (unsigned long long)tests,
                 (unsigned long long)known);
    }
}

// All modes on all devices, by every way or by two of them in turn. Returns how many contacts there are.
static uint64_t test_compare(const test_place *place, test_question question, bool every, const char *name) {
    static int turn = 0;
    uint64_t contacts = 0;
    td_continuous *native, *query;
    test_ok(td_create_continuous(&native, place->context));
    test_ok(td_create_continuous(&query, place->context));
    const int last_mode = test_is_simulated() ? TD_CONTINUOUS_ALL : TD_CONTINUOUS_EARLIEST;
    for (int mode = TD_CONTINUOUS_ALL; mode <= last_mode; ++mode) {
        td_continuous_result expected;
        question.def.mode = (td_continuous_mode)mode;
        question.def.device = NULL;
        test_ok(test_ask(&expected, native, &question));
        contacts =
            mode == TD_CONTINUOUS_ALL ? expected.count[0] + expected.count[1] + expected.count[2] : contacts;
        for (int i = 0; i < TEST_DEVICES && place->devices[i] != NULL; ++i) {
            char where[160];
            snprintf(where, sizeof where, "%s, mode %d, device %d", name, mode, i);
            question.def.device = place->devices[i];
            for (int w = 0; w < TEST_DEVICE_WAYS; ++w) {
                const bool now = every || w == 0 || w == 1 + turn % (TEST_DEVICE_WAYS - 1);
                if (now) {
                    test_compare_way(question, query, &test_device_ways[w], &expected, where);
                }
            }
            ++turn;
        }
    }
    td_destroy_continuous(native);
    td_destroy_continuous(query);
    return contacts;
}

// ---------------------------------------------------------------------------------------------------------
// Random scenes

enum { TEST_KINDS = 6, TEST_MOTIONS = 4 };

static test_mesh test_make(test_random *random, int kind, uint32_t count) {
    switch (kind) {
    case 0:
        return test_soup(random, count);
    case 1:
        return test_grid_soup(random, count);
    case 2:
        return test_flat_soup(random, count);
    case 3:
        return test_thin_soup(random, count);
    case 4:
        return test_strip(random, count);
    default:
        return test_sheet(1 + count / 8, 0.2);
    }
}

// Positions at the end: at random, on the grid, far away here and there, or where they were.
static double *test_move(test_random *random, const test_mesh *mesh, int motion, double scale) {
    double *end = malloc(3 * (size_t)mesh->vertex_count * sizeof *end);
    assert_non_null(end);
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i) {
        const double far = test_random_int(random, 0, 20) == 0 ? test_random_range(random, -1e6, 1e6) : 0;
        const double by[TEST_MOTIONS] = {test_random_range(random, -0.5, 0.5),
                                         (double)test_random_int(random, -1, 1), far, 0};
        end[i] = mesh->positions[i] + scale * by[motion];
    }
    return end;
}

static void test_random_steps(void **state) {
    test_place *place = *state;
    TEST_NEEDS_DEVICE(place);
    test_random random = {1701};
    static const double scales[] = {1, 1, 1, 1e250, 1e-250, 1.0 / 3, 1e12};
    uint64_t contacts = 0;
    const int rounds = test_is_simulated() ? 2 : 42; // of most, exact arithmetic takes the time
    for (int round = 0; round < rounds; ++round) {
        const int kind = round % TEST_KINDS, motion = round / TEST_KINDS % TEST_MOTIONS;
        const double scale = scales[round % 7];
        test_mesh a = test_make(&random, kind, (uint32_t)test_random_int(&random, 1, 24));
        test_mesh b = test_make(&random, (kind + round / 5) % TEST_KINDS, 6);
        test_mesh_scale(&a, scale);
        test_mesh_scale(&b, scale);
        double *end_a = test_move(&random, &a, motion, scale), *end_b = test_move(&random, &b, motion, scale);
        td_mesh *mesh_a = test_mesh_build(place->context, &a), *mesh_b = test_mesh_build(place->context, &b);
        test_question question = {.a = {.mesh = mesh_a, .positions = end_a, .vertex_count = a.vertex_count},
                                  .def = td_default_continuous_def()};
        char name[96];
        snprintf(name, sizeof name, "round %d: kind %d, motion %d, scale %g", round, kind, motion, scale);
        contacts += test_compare(place, question, false, name);
        question.b = (td_moving_mesh){.mesh = mesh_b, .positions = end_b, .vertex_count = b.vertex_count};
        contacts += test_compare(place, question, false, name);
        question.def.moving.budget = (uint32_t)(1 + round % 5); // much is answered by "not certain"
        contacts += test_compare(place, question, false, name);
        question.def.moving.budget = 0;
        question.def.moving.separation = 0.05 * scale;
        contacts += round % 4 == 0 ? test_compare(place, question, false, name) : 0;
        td_destroy_mesh(mesh_a);
        td_destroy_mesh(mesh_b);
        test_mesh_free(&a);
        test_mesh_free(&b);
        free(end_a);
        free(end_b);
    }
    assert_true(contacts > 1000 || test_is_simulated());
}

static void test_rigid(void **state) {
    test_place *place = *state;
    TEST_NEEDS_DEVICE(place);
    test_random random = {1702};
    uint64_t contacts = 0;
    for (int round = 0; round < (test_is_simulated() ? 1 : 12); ++round) {
        test_mesh a = test_soup(&random, 6), b = test_cube(0, 0.7);
        td_rigid_motion motions[2];
        for (int i = 0; i < 2; ++i) {
            motions[i] = (td_rigid_motion){.start = test_random_pose(&random, 3.0),
                                           .end = test_random_pose(&random, 3.0),
                                           .course = round % 2 == 0 ? TD_COURSE_SCREW : TD_COURSE_LINEAR};
            if (round % 3 == 0) { // a translation
                memcpy(motions[i].end.rotation, motions[i].start.rotation, sizeof motions[i].end.rotation);
            }
        }
        test_question question = {.a = {.mesh = test_mesh_build(place->context, &a)},
                                  .b = {.mesh = test_mesh_build(place->context, &b)},
                                  .motions = motions,
                                  .def = td_default_continuous_def()};
        question.def.tolerance = 1e-3;
        char name[32];
        snprintf(name, sizeof name, "rigid round %d", round);
        contacts += test_compare(place, question, false, name);
        td_destroy_mesh((td_mesh *)question.a.mesh);
        td_destroy_mesh((td_mesh *)question.b.mesh);
        test_mesh_free(&a);
        test_mesh_free(&b);
    }
    assert_true(contacts > 0 || test_is_simulated());
}

// ---------------------------------------------------------------------------------------------------------
// Known steps

typedef struct test_known {
    const char *scene, *start, *end;
    uint64_t edge_edge, vertex_face;
} test_known;

static void test_known_step(const test_place *place, const test_known *known) {
    char paths[2][512];
    const char *const frames[2] = {known->start, known->end};
    td_mesh_arrays arrays[2];
    const td_load_def load_def = td_default_load_def();
    for (int i = 0; i < 2; ++i) {
        snprintf(paths[i], sizeof paths[i], "%s/ccd/frames/%s/%s.ply", TD_TEST_DATA, known->scene, frames[i]);
        if (access(paths[i], R_OK) != 0) {
            print_message("skipped: %s is not there\n", paths[i]);
            return;
        }
    }
    for (int i = 0; i < 2; ++i) {
        test_ok(td_read_mesh_file(&arrays[i], place->context, paths[i], &load_def));
    }
    td_mesh_def mesh_def = td_default_mesh_def();
    mesh_def.positions = arrays[0].positions;
    mesh_def.vertex_count = arrays[0].vertex_count;
    mesh_def.triangles = arrays[0].triangles;
    mesh_def.triangle_count = arrays[0].triangle_count;
    td_mesh *mesh;
    test_ok(td_create_mesh(&mesh, place->context, &mesh_def));
    const test_question question = {
        .a = {.mesh = mesh, .positions = arrays[1].positions, .vertex_count = arrays[1].vertex_count},
        .def = td_default_continuous_def()};
    test_place two = {.context = place->context}; // the one with little memory cannot hold the mesh
    memcpy(two.devices, place->devices, sizeof two.devices);
    two.devices[2] = NULL;
    assert_int_equal(test_compare(&two, question, true, known->scene), known->edge_edge + known->vertex_face);
    td_destroy_mesh(mesh);
    td_release_mesh_arrays(&arrays[0], place->context);
    td_release_mesh_arrays(&arrays[1], place->context);
}

static void test_known_steps(void **state) {
    test_place *place = *state;
    TEST_NEEDS_DEVICE(place);
    static const test_known known[] = {{"cloth-funnel", "227", "228", 107, 27},
                                       {"rod-twist", "3036", "3037", 4179, 765}};
    for (size_t k = 0; k < 2 && !test_is_simulated(); ++k) {
        test_known_step(place, &known[k]);
    }
}

// ---------------------------------------------------------------------------------------------------------

static void test_refused(td_result result, td_result wanted, const char *word) {
    if (result != wanted || strstr(td_error_message(), word) == NULL) {
        fail_msg("expected %s with '%s', got %s: %s", td_result_name(wanted), word, td_result_name(result),
                 td_error_message());
    }
}

static bool test_stop(uint64_t done, uint64_t total, void *user) {
    (void)done;
    (void)total;
    (void)user;
    return false;
}

static void test_refusals(void **state) {
    test_place *place = *state;
    TEST_NEEDS_DEVICE(place);
    test_mesh cube = test_cube(0, 1);
    td_mesh *mesh = test_mesh_build(place->context, &cube);
    td_continuous *query, *stranger;
    td_context *other;
    const td_context_def context_def = td_default_context_def();
    td_continuous_result found;
    const td_moving_mesh moving = {.mesh = mesh};
    td_continuous_def def = td_default_continuous_def();
    test_ok(td_create_continuous(&query, place->context));
    test_ok(td_create_context(&other, &context_def));
    test_ok(td_create_continuous(&stranger, other));
    def.device = place->devices[0];
    test_ok(td_continuous_self(&found, query, &moving, &def));
    static const char *const native[] = {"brute", "wide"};
    for (int i = 0; i < 2; ++i) {
        char message[64];
        snprintf(message, sizeof message, "'%s' runs natively only", native[i]);
        def.strategy = native[i];
        test_refused(td_continuous_self(&found, query, &moving, &def), TD_ERROR_UNSUPPORTED, message);
    }
    def.strategy = "blocked";
    def.volume = TD_VOLUME_OBB;
    test_refused(td_continuous_self(&found, query, &moving, &def), TD_ERROR_UNSUPPORTED, "oriented boxes on");
    def.volume = TD_VOLUME_AABB;
    def.descent = TD_DESCENT_A;
    test_refused(td_continuous_self(&found, query, &moving, &def), TD_ERROR_UNSUPPORTED, "descent");
    def.strategy = "stack";
    test_ok(td_continuous_self(&found, query, &moving, &def));
    def.descent = TD_DESCENT_AUTO;
    def.strategy = NULL;
    test_refused(td_continuous_self(&found, stranger, &moving, &def), TD_ERROR_ARGUMENT, "contexts");
    def.progress = test_stop;
    test_refused(td_continuous_self(&found, query, &moving, &def), TD_ERROR_CANCELLED, "cancelled");
    td_destroy_continuous(stranger);
    td_destroy_context(other);
    td_destroy_continuous(query);
    td_destroy_mesh(mesh);
    test_mesh_free(&cube);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_steps),
        cmocka_unit_test(test_rigid),
        cmocka_unit_test(test_known_steps),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
