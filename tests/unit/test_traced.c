// Ray-traced contacts against brute force: every way to find them, on objects that move a little, a lot, or
// not at all, for every instruction set and number of threads, natively and on a device.
#include "support/variants.h"
#include "test_traced_support.h"

enum { TEST_MOST_OBJECTS = 8, TEST_MOST_TRACERS = 16, TEST_STEPS = 10 };

// Objects of a case; a variant of it has its meshes in its own context.
typedef struct test_case {
    const char *name;
    test_mesh meshes[TEST_MOST_OBJECTS];
    bool deformable[TEST_MOST_OBJECTS];
    td_traced_object objects[TEST_MOST_OBJECTS]; // meshes are null
    int count;
    double pace; // how far objects go in a step, at most
    bool exact;  // only exact turns and integers
} test_case;

static void test_put(test_case *c, test_mesh mesh, td_pose pose, double thickness, bool deformable) {
    assert_true(c->count < TEST_MOST_OBJECTS);
    c->meshes[c->count] = mesh;
    c->deformable[c->count] = deformable;
    c->objects[c->count] =
        (td_traced_object){.key = 1000 - (uint64_t)(37 * c->count), .pose = pose, .thickness = thickness};
    ++c->count;
}

static void test_case_free(test_case *c) {
    for (int i = 0; i < c->count; ++i) {
        test_mesh_free(&c->meshes[i]);
    }
}

static td_mesh *test_build(td_context *context, const test_mesh *mesh, bool deformable) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = mesh->positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.deformable = deformable;
    def.name = "object";
    td_mesh *out;
    test_ok(td_create_mesh(&out, context, &def));
    return out;
}

// ---------------------------------------------------------------------------------------------------------
// Ways to trace

typedef struct test_tracer {
    const char *name;
    td_tracer *tracer;
} test_tracer;

// `all`: also those that go through every triangle.
static int test_make_tracers(test_tracer *out, td_context *context, td_device *device, bool all) {
    static const struct {
        const char *name;
        bool naive, full_only, basic, brute;
        td_prediction prediction;
        double margin;
    } ways[] = {
        {"pipeline", false, false, false, false, TD_PREDICT_PAIRS, 0.01},
        {"wide margin", false, false, false, false, TD_PREDICT_LAST, 0.1},
        {"narrow margin", false, false, false, false, TD_PREDICT_EXACT, 0.001},
        {"full only", false, true, false, false, TD_PREDICT_PAIRS, 0.01},
        {"basic", false, false, true, false, TD_PREDICT_PAIRS, 0.02},
        {"naive", true, false, false, false, TD_PREDICT_PAIRS, 0.01},
        {"naive, full only", true, true, true, false, TD_PREDICT_PAIRS, 0.01},
        {"brute", false, true, true, true, TD_PREDICT_EXACT, 0.01},
    };
    int count = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        if ((device != NULL && ways[i].brute) || (!all && ways[i].basic)) {
            continue;
        }
        td_tracer_def def = td_default_tracer_def();
        def.naive = ways[i].naive;
        def.iterative = !ways[i].full_only;
        def.rigid = def.deformable = ways[i].basic ? TD_TRACED_BASIC : TD_TRACED_BVH;
        def.prediction = ways[i].prediction;
        def.margin = ways[i].margin;
        def.brute = ways[i].brute;
        def.confidence = 1;
        def.device = device;
        out[count].name = ways[i].name;
        test_ok(td_create_tracer(&out[count++].tracer, context, &def));
    }
    return count;
}

// ---------------------------------------------------------------------------------------------------------
// Motion

// Steps 0 and 1 are far apart, then the pace slows down; in step 5 nothing moves, in step 7 half does, in
// step 8 one object jumps.
static void test_move(test_case *c, test_random *random, int step) {
    for (int i = 0; i < c->count; ++i) {
        if (step == 5 || (step == 7 && i % 2 == 0)) {
            continue;
        }
        td_pose *pose = &c->objects[i].pose;
        const double pace = step == 8 && i == 1 ? 0.3 : c->pace * pow(0.3, step);
        if (c->exact) {
            if (step % 3 == 2) {
                pose->position[test_random_int(random, 0, 2)] += test_random_int(random, -1, 1);
            }
            continue;
        }
        double norm = 0;
        for (int k = 0; k < 3; ++k) {
            pose->position[k] += test_random_range(random, -pace, pace);
        }
        for (int k = 0; k < 4; ++k) {
            pose->rotation[k] += test_random_range(random, -pace, pace);
            norm += pose->rotation[k] * pose->rotation[k];
        }
        for (int k = 0; k < 4; ++k) {
            pose->rotation[k] /= sqrt(norm);
        }
        if (c->deformable[i]) {
            for (uint32_t v = 0; v < 3 * c->meshes[i].vertex_count; ++v) {
                c->meshes[i].positions[v] += test_random_range(random, -0.2 * pace, 0.2 * pace);
            }
        }
    }
}

// Some pairs come and go.
static size_t test_pairs_of(td_traced_pair *out, const test_case *c, int step) {
    size_t count = 0;
    for (uint32_t a = 0; a < (uint32_t)c->count; ++a) {
        for (uint32_t b = a + 1; b < (uint32_t)c->count; ++b) {
            if ((a * 7 + b * 3 + (uint32_t)step) % 5 != 0 || c->count == 2) {
                out[count++] = ((uint32_t)step + a) % 2 == 0 && step < 2 ? (td_traced_pair){b, a}
                                                                         : (td_traced_pair){a, b};
            }
        }
    }
    return count;
}

static void test_set_meshes(td_mesh **meshes, const test_case *c) {
    for (int i = 0; i < c->count; ++i) {
        if (c->deformable[i]) {
            test_ok(td_set_positions(NULL, meshes[i], TD_FLOAT64, c->meshes[i].positions, 3 * sizeof(double),
                                     TD_REBUILD_AUTO));
        }
    }
}

typedef struct test_totals {
    uint64_t contacts, iterative, dropped, still, fallbacks, handed;
} test_totals;

// All steps of a case in one variant. What is expected is found by the first one.
static test_totals test_run_case(const test_case *given, const test_variant *variant, uint64_t seed,
                                 int steps, test_contacts *all) {
    const bool first = all[0].items == NULL;
    test_case c = *given;
    test_random random = {seed};
    td_mesh *meshes[TEST_MOST_OBJECTS] = {0};
    test_tracer tracers[TEST_MOST_TRACERS];
    test_totals totals = {0};
    for (int i = 0; i < c.count; ++i) { // positions change
        const size_t size = 3 * (size_t)c.meshes[i].vertex_count * sizeof(double);
        c.meshes[i].positions = malloc(size);
        memcpy(c.meshes[i].positions, given->meshes[i].positions, size);
        meshes[i] = test_build(variant->context, &c.meshes[i], c.deformable[i]);
        c.objects[i].mesh = meshes[i];
    }
    const int ways =
        test_make_tracers(tracers, variant->context, variant->device, first || variant->device != NULL);
    for (int step = 0; step < steps; ++step) {
        td_traced_pair pairs[TEST_MOST_OBJECTS * TEST_MOST_OBJECTS];
        const size_t pair_count = test_pairs_of(pairs, &c, step);
        if (all[step].items == NULL) {
            all[step] = test_trace(c.objects, pairs, pair_count);
        }
        const test_contacts expected = all[step];
        for (int w = 0; w < ways; ++w) {
            char what[256];
            snprintf(what, sizeof what, "%s, %s, %s, step %d", c.name, variant->name, tracers[w].name, step);
            td_traced_result result;
            test_ok(td_trace(&result, tracers[w].tracer, c.objects, (size_t)c.count, pairs, pair_count));
            test_expect_contacts(&result, &expected, what);
            if (result.report.missed != 0) {
                fail_msg("%s: %llu rays missed", what, (unsigned long long)result.report.missed);
            }
            totals.iterative += result.report.rays[TD_TRACED_ITERATIVE];
            totals.dropped += result.report.dropped_temporal;
            totals.still += result.report.pairs_still;
            totals.fallbacks += result.report.fallbacks;
            totals.handed += result.report.handed;
        }
        totals.contacts += expected.count;
        test_move(&c, &random, step);
        test_set_meshes(meshes, &c);
    }
    for (int w = 0; w < ways; ++w) {
        td_destroy_tracer(tracers[w].tracer);
    }
    for (int i = 0; i < c.count; ++i) {
        td_destroy_mesh(meshes[i]);
        free(c.meshes[i].positions);
    }
    return totals;
}

// ---------------------------------------------------------------------------------------------------------
// Cases

static test_mesh test_shape(td_context *context, const char *name, uint32_t subdivide) {
    td_mesh *mesh;
    test_ok(td_create_shape(&mesh, context, name, subdivide));
    test_mesh copy = test_copy_of(mesh);
    td_destroy_mesh(mesh);
    return copy;
}

static td_pose test_at(double x, double y, double z) {
    td_pose pose = td_pose_identity();
    pose.position[0] = x;
    pose.position[1] = y;
    pose.position[2] = z;
    return pose;
}

static void test_run_everywhere(void **state, const test_case *c, uint64_t seed, bool wants_contacts,
                                bool wants_walks) {
    const test_variants *variants = *state;
    test_totals first = {0};
    const int steps = TEST_STEPS, stride = test_rounds(4) >= 4 ? 1 : 4;
    test_contacts all[TEST_STEPS] = {{0}};
    for (int i = 0; i < variants->count; ++i) {
        const test_variant *variant = &variants->items[i];
        if (variant->device != NULL && strstr(variant->name, "without") != NULL) {
            continue; // refused: test_traced_errors.c
        }
        if (i % stride != 0 && variant->device == NULL) {
            continue;
        }
        const test_totals totals = test_run_case(c, variant, seed, steps, all);
        if (variant->device != NULL) {
            print_message("%s, %s: %llu iterative rays, %llu answered by the host\n", c->name, variant->name,
                          (unsigned long long)totals.iterative, (unsigned long long)totals.handed);
        }
        if (i == 0) {
            first = totals;
            print_message("%s: %llu contacts, %llu iterative rays, %llu dropped for want of temporal data, "
                          "%llu still pairs, "
                          "%llu fallbacks\n",
                          c->name, (unsigned long long)totals.contacts, (unsigned long long)totals.iterative,
                          (unsigned long long)totals.dropped, (unsigned long long)totals.still,
                          (unsigned long long)totals.fallbacks);
        }
        assert_int_equal(totals.contacts, first.contacts);
    }
    for (int i = 0; i < steps; ++i) {
        free(all[i].items);
    }
    assert_true(!wants_contacts || first.contacts > 0);
    assert_true(!wants_walks || first.iterative > 0);
}

static void test_solids(void **state) {
    const test_variants *variants = *state;
    td_context *context = variants->items[0].context;
    test_random random = {11};
    test_case c = {.name = "solids", .pace = 0.05};
    test_put(&c, test_shape(context, "knot", 0), test_at(0, 0, 0), 0, false);
    test_put(&c, test_shape(context, "sphere", 0), test_at(0.6, 0.1, 0), 0, false);
    test_put(&c, test_shape(context, "cow", 0), test_at(-0.5, 0.2, 0.1), 0, false);
    test_put(&c, test_shape(context, "torus", 0), test_random_pose(&random, 0.3), 0, false);
    test_run_everywhere(state, &c, 1, true, true);
    test_case_free(&c);
}

// Faces, edges and corners that coincide, exactly.
static void test_touching(void **state) {
    test_case c = {.name = "touching", .exact = true};
    const double lower[3] = {0, 0, 0}, upper[3] = {4, 2, 3};
    test_put(&c, test_cube(0, 1), test_at(0, 0, 0), 0, false);
    test_put(&c, test_cube(0, 1), test_at(2, 0, 0), 0, false);
    test_put(&c, test_cube(0, 1), test_at(1, 1, 1), 0, false);
    test_put(&c, test_box(lower, upper), test_exact_turn(5), 0, false);
    test_put(&c, test_hollow_cube(3, 1), test_at(0, 0, 0), 0, false);
    test_put(&c, test_cube(0, 1), test_at(0, 0, 0), 0, false); // the first once more
    test_run_everywhere(state, &c, 2, true, false);
    test_case_free(&c);
}

// Inside out, self-intersecting, folded, of many pieces, without area in places.
static void test_odd_solids(void **state) {
    const test_variants *variants = *state;
    td_context *context = variants->items[0].context;
    test_case c = {.name = "odd solids", .pace = 0.02};
    test_mesh inverted = test_shape(context, "sphere", 0);
    test_mesh_invert(&inverted);
    test_mesh one = test_shape(context, "torus", 0), other = test_cube(0.3, 0.5);
    test_mesh crossing = test_join(&one, &other);
    test_mesh thin = test_shape(context, "knot", 0);
    for (uint32_t i = 0; i < 30; ++i) {
        thin.positions[3 * i] = thin.positions[3]; // flattened in places
    }
    test_put(&c, inverted, test_at(0.2, 0, 0), 0, false);
    test_put(&c, crossing, test_at(0, 0, 0), 0, false);
    test_put(&c, thin, test_at(0.1, 0.1, 0), 0, false);
    test_put(&c, test_nested_shells(3, 0.6), test_at(-0.2, 0, 0.1), 0, false);
    test_put(&c, test_hollow_cube(1, 0.6), test_at(0, 0.4, 0), 0, false);
    test_run_everywhere(state, &c, 3, true, false);
    test_mesh_free(&one);
    test_mesh_free(&other);
    test_case_free(&c);
}

static void test_sheets(void **state) {
    const test_variants *variants = *state;
    td_context *context = variants->items[0].context;
    test_case c = {.name = "sheets", .pace = 0.01};
    test_put(&c, test_sheet(12, 0.05), test_at(-0.5, -0.5, 0), 0.1, false);
    test_put(&c, test_sheet(10, 0.02), test_at(-0.4, -0.6, 0.05), 0.06, true);
    test_put(&c, test_shape(context, "sphere", 1), test_at(0, 0, 0.3), 0, false);
    test_put(&c, test_shape(context, "sphere", 0), test_at(0.2, 0, -0.4), 0, true);
    test_run_everywhere(state, &c, 4, true, true);
    test_case_free(&c);
}

static void test_scaled(void **state, const char *name, double scale, double shift) {
    const test_variants *variants = *state;
    td_context *context = variants->items[0].context;
    test_case c = {.name = name, .pace = 0};
    for (int i = 0; i < 3; ++i) {
        test_mesh mesh = test_shape(context, i == 0 ? "sphere" : i == 1 ? "knot" : "torus", 0);
        test_mesh_scale(&mesh, scale);
        test_mesh_shift(&mesh, shift, -shift, shift);
        test_put(&c, mesh, test_at(0.3 * i * scale, 0.1 * i * scale, 0), 0, false);
    }
    c.pace = shift > 0 ? 1e-9 : 1e-3; // turns move what is far away by much
    test_run_everywhere(state, &c, 5, true, false);
    test_case_free(&c);
}

static void test_large(void **state) {
    test_scaled(state, "large", 0x1p60, 0);
}

static void test_tiny(void **state) {
    test_scaled(state, "tiny", 0x1p-60, 0);
}

static void test_far(void **state) {
    test_scaled(state, "far", 1, 1e6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solids), cmocka_unit_test(test_touching), cmocka_unit_test(test_odd_solids),
        cmocka_unit_test(test_sheets), cmocka_unit_test(test_large),    cmocka_unit_test(test_tiny),
        cmocka_unit_test(test_far),
    };
    return cmocka_run_group_tests(tests, test_setup_with_devices, test_teardown_variants);
}
