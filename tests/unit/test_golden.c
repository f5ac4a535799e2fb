// The same bits everywhere: hashes of small scenes after some steps, for every number of threads, instruction
// set, strategy and device, with lists and without, and against constants. tests/golden runs this at -O0 and
// -O2 and with clang.
//
// Where what a world computes is changed on purpose: TD_TEST_GOLDEN=print test_golden prints the table anew,
// with TD_TEST_NARROW=rays its last column.
#include "dynamics/world.h"
#include "support/cmocka_all.h"
#include "support/stage.h"
#include "support/variants.h"
#include "test_io_support.h"

#include <tandem/scene.h>

#include <inttypes.h>

typedef struct test_golden {
    const char *scene;      // a built-in one, or "mixed"
    const char *parameters; // "n=3"; null: none
    int steps;
    uint64_t hash, rays; // by either narrow phase
} test_golden;

// clang-format off
static const test_golden test_table[] = {
    {"mixed", NULL, 90, 0xf7a400046652dc67, 0xe17c7c5f14da8443},
    {"cows", "n=3", 100, 0xa6b61c980bb2ea58, 0xd92360e005442aee},
    {"stack", "n=3", 100, 0x2459d66535b6081a, 0xd5db9f98eba7923e},
    {"chain", NULL, 100, 0xaea97e4341de4498, 0x97640b1252d07849},
    {"dominoes", "n=12", 200, 0xe400c7daf55540ba, 0xac21ca1ea46f6820},
    {"arch", NULL, 100, 0xbc415daecd9ea3e4, 0x723279311809cddf},
    {"peg", "n=3", 100, 0x4e48594fa8079c79, 0x4e48594fa8079c79},
    {"rockslide", "n=40", 60, 0x6588ca09e0eeaf48, 0xadf2ed226baef867},
    {"cloth", "cells=12", 40, 0xd526bf0255b18e06, 0xd526bf0255b18e06},
    {"trampoline", "cells=10", 50, 0x748ef6534f9f5d94, 0x748ef6534f9f5d94},
};
// clang-format on

enum { TEST_SCENES = sizeof test_table / sizeof *test_table };

// 60 bodies of all sorts, one of them moved by hand, fall together; some are fast, some bounce.
static const char test_mixed[] =
    "{\"tandem\": 1, \"name\": \"mixed\", \"steps\": 120,"
    " \"meshes\": {\"box\": {\"shape\": \"box\"}, \"ball\": {\"shape\": \"sphere\", \"fit\": 1},"
    "  \"ring\": {\"shape\": \"torus\", \"fit\": 1.4}, \"cow\": {\"shape\": \"cow\", \"fit\": 1.4},"
    "  \"knot\": {\"shape\": \"knot\", \"fit\": 1.4}, \"capsule\": {\"shape\": \"capsule\"},"
    "  \"plate\": {\"shape\": \"box\", \"scale\": [6, 0.1, 6]},"
    "  \"ground\": {\"shape\": \"box\", \"scale\": [60, 2, 60], \"translate\": [0, -1, 0]}},"
    " \"bodies\": ["
    "  {\"mesh\": \"ground\", \"kind\": \"static\"},"
    "  {\"mesh\": \"plate\", \"kind\": \"kinematic\", \"position\": [0, 0.4, 0], \"spin\": [0, 0.7, 0],"
    "   \"velocity\": [0.3, 0, 0]},"
    "  {\"mesh\": \"box\", \"position\": [0, 1.2, 0], \"friction\": 0.8,"
    "   \"grid\": {\"count\": [3, 1, 4], \"spacing\": [1.5, 0, 1.5], \"turn\": true, \"seed\": 1}},"
    "  {\"mesh\": \"ball\", \"position\": [0, 2.7, 0], \"restitution\": 0.7,"
    "   \"grid\": {\"count\": [3, 1, 4], \"spacing\": [1.3, 0, 1.3], \"jitter\": 0.1, \"seed\": 2}},"
    "  {\"mesh\": \"ring\", \"position\": [0, 4.2, 0],"
    "   \"grid\": {\"count\": [3, 1, 3], \"spacing\": [1.5, 0, 1.5], \"turn\": true, \"seed\": 3}},"
    "  {\"mesh\": \"cow\", \"position\": [0, 5.7, 0], \"velocity\": [0, -30, 0],"
    "   \"grid\": {\"count\": [3, 1, 4], \"spacing\": [1.6, 0, 1.6], \"turn\": true, \"seed\": 4}},"
    "  {\"mesh\": \"knot\", \"position\": [0, 7.2, 0], \"friction\": 0.1,"
    "   \"grid\": {\"count\": [3, 1, 2], \"spacing\": [1.5, 0, 1.5], \"turn\": true, \"seed\": 5}},"
    "  {\"mesh\": \"capsule\", \"position\": [0, 9.2, 0], \"velocity\": [0, -60, 5], \"spin\": [3, 2, 9],"
    "   \"grid\": {\"count\": [3, 1, 2], \"spacing\": [1.5, 0, 1.5], \"turn\": true, \"seed\": 6}}"
    " ]}";

// ---------------------------------------------------------------------------------------------------------
// One run

typedef struct test_way_of {
    const char *name;
    uint32_t threads;
    td_isa isa;
    const char *strategy; // null: the fastest
    bool without_lists;
    bool on_device;
} test_way_of;

static td_scene *test_load(td_context *context, const test_golden *golden, const test_way_of *way,
                           td_device *device) {
    td_scene_def def = td_default_scene_def();
    if (golden->parameters != NULL) {
        def.parameters = &golden->parameters;
        def.parameter_count = 1;
    }
    def.strategy = way->strategy;
    def.narrow = test_narrow();
    def.device = device;
    td_scene *scene = NULL;
    const td_result result =
        strcmp(golden->scene, "mixed") == 0
            ? td_parse_scene(&scene, context, test_mixed, strlen(test_mixed), "mixed", NULL, &def)
            : td_load_scene(&scene, context, golden->scene, &def);
    if (result != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    td_scene_world(scene)->def.keep_lists = !way->without_lists; // scenes have no word for it
    return scene;
}

// The hash after the last step; *ran is false where there is no device. `path`: a recording is written there.
static uint64_t test_run(const test_golden *golden, const test_way_of *way, const char *path, bool *ran) {
    td_context_def def = td_default_context_def();
    def.thread_count = way->threads;
    def.isa = way->isa;
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    td_device *device = way->on_device ? test_open_device(context, false, 0) : NULL;
    uint64_t hash = 0;
    *ran = device != NULL || !way->on_device;
    if (*ran) {
        td_scene *scene = test_load(context, golden, way, device);
        td_recorder *recorder = NULL;
        assert_true(path == NULL || td_create_recorder(&recorder, context, scene, path, NULL) == TD_OK);
        for (int s = 0; s < golden->steps; ++s) {
            td_step_report report;
            if (td_step_scene(&report, scene) != TD_OK) {
                fail_msg("%s, %s: %s", golden->scene, way->name, td_error_message());
            }
            assert_true(recorder == NULL || td_record_frame(recorder, scene, &report) == TD_OK);
        }
        assert_true(recorder == NULL || td_close_recorder(recorder, NULL) == TD_OK);
        hash = td_hash_world(td_scene_world(scene));
        td_destroy_scene(scene);
    }
    td_destroy_device(device);
    td_destroy_context(context);
    return hash;
}

static const test_way_of test_plain = {.name = "1 thread", .threads = 1};

static uint64_t test_plain_hash(int scene) {
    static uint64_t hashes[TEST_SCENES];
    static bool known[TEST_SCENES];
    if (!known[scene]) {
        bool ran;
        hashes[scene] = test_run(&test_table[scene], &test_plain, NULL, &ran);
        known[scene] = true;
    }
    return hashes[scene];
}

// ---------------------------------------------------------------------------------------------------------

static void test_constants(void **state) {
    (void)state;
    const char *wish = getenv("TD_TEST_GOLDEN");
    const bool print = wish != NULL && strcmp(wish, "print") == 0;
    const bool rays = test_narrow() != NULL && strcmp(test_narrow(), "rays") == 0;
    int wrong = 0;
    for (int i = 0; i < TEST_SCENES; ++i) {
        const test_golden *golden = &test_table[i];
        const uint64_t hash = test_plain_hash(i);
        if (print) {
            const char *quote = golden->parameters == NULL ? "" : "\"";
            printf("    {\"%s\", %s%s%s, %d, 0x%016" PRIx64 ", 0x%016" PRIx64 "},\n", golden->scene, quote,
                   golden->parameters == NULL ? "NULL" : golden->parameters, quote, golden->steps,
                   rays ? golden->hash : hash, rays ? hash : golden->rays);
        } else if (hash != (rays ? golden->rays : golden->hash)) {
            print_message("%s: after %d steps %016" PRIx64 ", but expected %016" PRIx64 "\n", golden->scene,
                          golden->steps, hash, rays ? golden->rays : golden->hash);
            ++wrong;
        }
    }
    assert_int_equal(wrong, 0);
}

static void test_expect_same(const test_way_of *way, int scenes) {
    int wrong = 0, compared = 0;
    for (int i = 0; i < scenes; ++i) {
        bool ran;
        const uint64_t hash = test_run(&test_table[i], way, NULL, &ran);
        if (!ran) {
            print_message("%s is left out\n", way->name);
            skip();
        }
        ++compared;
        if (hash != test_plain_hash(i)) {
            print_message("%s, %s: %016" PRIx64 ", but with %s %016" PRIx64 "\n", test_table[i].scene,
                          way->name, hash, test_plain.name, test_plain_hash(i));
            ++wrong;
        }
    }
    print_message("%s: %d of %d scenes the same\n", way->name, compared - wrong, compared);
    assert_int_equal(wrong, 0);
}

static void test_threads(void **state) {
    (void)state;
    test_expect_same(&(test_way_of){.name = "2 threads", .threads = 2}, TEST_SCENES);
    test_expect_same(&(test_way_of){.name = "8 threads", .threads = 8}, TEST_SCENES);
}

static void test_isas(void **state) {
    (void)state;
    for (int isa = TD_ISA_SCALAR; isa < TD_ISA_COUNT; ++isa) {
        const char *name = td_isa_name((td_isa)isa);
        if (td_isa_available((td_isa)isa)) {
            test_expect_same(&(test_way_of){.name = name, .threads = 1, .isa = (td_isa)isa}, TEST_SCENES);
        } else {
            print_message("%s is left out: this processor or build has it not\n", name);
        }
    }
}

static void test_strategies(void **state) {
    (void)state;
    static const char *const names[] = {"stack", "blocked", "binary"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        test_expect_same(&(test_way_of){.name = names[i], .threads = 1, .strategy = names[i]}, TEST_SCENES);
    }
}

static void test_lists(void **state) {
    (void)state;
    test_expect_same(&(test_way_of){.name = "without lists", .threads = 1, .without_lists = true},
                     TEST_SCENES);
}

static void test_device(void **state) {
    (void)state;
    test_expect_same(&(test_way_of){.name = "opencl", .threads = 1, .on_device = true}, 3);
}

// ---------------------------------------------------------------------------------------------------------
// Recordings

static bool test_same_bytes(const char *a, const char *b) {
    FILE *files[2] = {fopen(a, "rb"), fopen(b, "rb")};
    assert_true(files[0] != NULL && files[1] != NULL);
    size_t bytes = 0;
    int left, right;
    do {
        left = getc(files[0]);
        right = getc(files[1]);
        ++bytes;
    } while (left == right && left != EOF);
    (void)fclose(files[0]);
    (void)fclose(files[1]);
    if (left != right) {
        print_message("%s and %s differ at byte %zu\n", a, b, bytes);
    }
    return left == right;
}

static void test_recordings(void **state) {
    (void)state;
    char folder[256], plain[300], other[300];
    test_make_folder(folder);
    (void)snprintf(plain, sizeof plain, "%s/plain.rec", folder);
    (void)snprintf(other, sizeof other, "%s/other.rec", folder);
    for (int i = 0; i < 3; ++i) {
        bool ran;
        (void)test_run(&test_table[i], &test_plain, plain, &ran);
        for (uint32_t threads = 2; threads <= 8; threads += 6) {
            (void)test_run(&test_table[i], &(test_way_of){.name = "threads", .threads = threads}, other,
                           &ran);
            assert_true(test_same_bytes(plain, other));
        }
        for (int isa = TD_ISA_SCALAR; isa < TD_ISA_COUNT; ++isa) {
            if (td_isa_available((td_isa)isa)) {
                (void)test_run(&test_table[i],
                               &(test_way_of){.name = "isa", .threads = 2, .isa = (td_isa)isa}, other, &ran);
                assert_true(test_same_bytes(plain, other));
            }
        }
    }
    (void)remove(plain);
    (void)remove(other);
    assert_int_equal(rmdir(folder), 0);
}

// test_golden [PATTERN]: only the tests whose names match, such as "test_constants".
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants),  cmocka_unit_test(test_threads), cmocka_unit_test(test_isas),
        cmocka_unit_test(test_strategies), cmocka_unit_test(test_lists),   cmocka_unit_test(test_device),
        cmocka_unit_test(test_recordings),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
