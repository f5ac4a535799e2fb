// Meshes in motion: the two steps of the data folder, whose contacts are known, on every instruction set and
// number of threads; and memory that runs out at every allocation.
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/variants.h"
#include "test_continuous_ways.h"

#include <tandem/tandem.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------------
// Known steps

typedef struct test_known {
    const char *scene, *start, *end;
    uint64_t edge_edge, vertex_face;
} test_known;

static td_mesh_arrays test_read(td_context *context, const test_known *known, const char *frame) {
    char path[512];
    td_mesh_arrays arrays;
    const td_load_def def = td_default_load_def();
    snprintf(path, sizeof path, "%s/ccd/frames/%s/%s.ply", TD_TEST_DATA, known->scene, frame);
    if (td_read_mesh_file(&arrays, context, path, &def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return arrays;
}

static bool test_is_there(const test_known *known) {
    char path[512];
    snprintf(path, sizeof path, "%s/ccd/frames/%s/%s.ply", TD_TEST_DATA, known->scene, known->start);
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is not there\n", path);
        return false;
    }
    return true;
}

static td_feature_contact *test_copy_contacts(const td_feature_contact *contacts, uint64_t count) {
    td_feature_contact *copy = malloc(count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, contacts, count * sizeof *copy);
    return copy;
}

// The contacts of the first variant are those of all.
static void test_ask_known(const test_variant *variant, const test_known *known, const test_step_way *way,
                           td_feature_contact *first[2]) {
    td_context *context = variant->context;
    td_mesh_arrays start = test_read(context, known, known->start),
                   end = test_read(context, known, known->end);
    td_mesh_def mesh_def = td_default_mesh_def();
    mesh_def.positions = start.positions;
    mesh_def.vertex_count = start.vertex_count;
    mesh_def.triangles = start.triangles;
    mesh_def.triangle_count = start.triangle_count;
    td_mesh *mesh;
    td_continuous *query;
    assert_int_equal(td_create_mesh(&mesh, context, &mesh_def), TD_OK);
    assert_int_equal(td_create_continuous(&query, context), TD_OK);
    const td_moving_mesh moving = {
        .mesh = mesh, .positions = end.positions, .vertex_count = end.vertex_count};
    td_continuous_def def = test_def_of_way(td_default_continuous_def(), way);
    td_continuous_result found;
    assert_int_equal(td_continuous_self(&found, query, &moving, &def), TD_OK);
    const uint64_t expected[2] = {known->edge_edge, known->vertex_face};
    double earliest = 1.0;
    for (int kind = 0; kind < 2; ++kind) {
        if (found.count[kind] != expected[kind]) {
            fail_msg("%s on %s by %s %s: %llu contacts of kind %d; expected %llu", known->scene,
                     variant->name, way->strategy, td_volume_name(way->volume),
                     (unsigned long long)found.count[kind], kind, (unsigned long long)expected[kind]);
        }
        if (first[kind] == NULL) {
            first[kind] = test_copy_contacts(found.contacts[kind], expected[kind]);
        }
        for (uint64_t i = 0; i < expected[kind]; ++i) {
            const td_feature_contact a = found.contacts[kind][i], b = first[kind][i];
            assert_true(a.a == b.a && a.b == b.b && a.time == b.time && a.certain);
            earliest = a.time < earliest ? a.time : earliest;
        }
    }
    assert_true(found.earliest == earliest);
    def.mode = TD_CONTINUOUS_EARLIEST;
    assert_int_equal(td_continuous_self(&found, query, &moving, &def), TD_OK);
    assert_true(found.earliest == earliest);
    td_destroy_continuous(query);
    td_destroy_mesh(mesh);
    td_release_mesh_arrays(&start, context);
    td_release_mesh_arrays(&end, context);
}

// Every way on the first variant and on the last; on the others one after the other, with the default.
static void test_known_steps(void **state) {
    (void)state;
    static const test_known known[] = {{"cloth-funnel", "227", "228", 107, 27},
                                       {"rod-twist", "3036", "3037", 4179, 765}};
    test_variants variants;
    test_variants_create(&variants);
    for (size_t k = 0; k < 2; ++k) {
        if (!test_is_there(&known[k])) {
            continue;
        }
        td_feature_contact *first[2] = {NULL, NULL};
        for (int v = 0; v < variants.count; ++v) {
            const bool every = v == 0 || v + 1 == variants.count;
            for (int w = 0; w < TEST_STEP_WAYS - 1; ++w) { // by brute force it would be billions of pairs
                if (every || w == 0 || w == 1 + v % (TEST_STEP_WAYS - 2)) {
                    test_ask_known(&variants.items[v], &known[k], &test_step_ways[w], first);
                }
            }
        }
        free(first[0]);
        free(first[1]);
    }
    test_variants_destroy(&variants);
}

// ---------------------------------------------------------------------------------------------------------
// Memory

typedef struct test_memory {
    test_heap heap;
    td_context *context;
    td_mesh *a, *b;
    double *end;
    td_rigid_motion motions[2];
    bool borne; // strategy `balanced` did with less than it asked for
} test_memory;

// One question of each kind by one query. The first that fails ends it.
static td_result test_ask_all(test_memory *memory) {
    td_continuous *query;
    td_continuous_result found;
    td_continuous_def def = td_default_continuous_def();
    const td_moving_mesh a = {
        .mesh = memory->a, .positions = memory->end, .vertex_count = td_mesh_vertex_count(memory->a)};
    const td_moving_mesh b = {.mesh = memory->b};
    td_result result = td_create_continuous(&query, memory->context);
    if (result == TD_OK) {
        result = td_continuous_self(&found, query, &a, &def);
    }
    if (result == TD_OK) {
        assert_true(found.count[0] > 0);
        result = td_continuous_pair(&found, query, &a, &b, &def);
    }
    if (result == TD_OK) {
        result = td_continuous_rigid(&found, query, memory->a, &memory->motions[0], memory->b,
                                     &memory->motions[1], &def);
    }
    def.mode = TD_CONTINUOUS_EARLIEST;
    td_front *front = NULL;
    const td_front_def front_def = td_default_front_def();
    result = result == TD_OK ? td_create_front(&front, memory->context, &front_def) : result;
    for (int w = 1; result == TD_OK && w < TEST_STEP_WAYS; ++w) {
        const bool from_front = strcmp(test_step_ways[w].strategy, "front") == 0;
        td_continuous_def other = test_def_of_way(def, &test_step_ways[w]);
        other.front = from_front ? front : NULL;
        const long failures = atomic_load(&memory->heap.failures);
        result = td_continuous_pair(&found, query, &a, &b, &other);
        memory->borne = memory->borne || (result == TD_OK && atomic_load(&memory->heap.failures) > failures &&
                                          strcmp(other.strategy, "balanced") == 0);
        if (result == TD_OK && from_front) { // and once more, from where it ended
            result = td_continuous_pair(&found, query, &a, &b, &other);
        }
    }
    td_destroy_front(front);
    td_destroy_continuous(query);
    return result;
}

static void test_out_of_memory(void **state) {
    (void)state;
    test_memory memory = {0};
    test_heap_recover(&memory.heap);
    td_context_def context_def = td_default_context_def();
    context_def.allocator = test_heap_allocator(&memory.heap);
    context_def.thread_count = 2;
    assert_int_equal(td_create_context(&memory.context, &context_def), TD_OK);
    test_random random = {91};
    test_mesh arrays = test_soup(&random, 60), other = test_cube(0, 1);
    test_mesh end = test_duplicate(&arrays);
    memory.end = end.positions;
    for (uint32_t i = 0; i < 3 * arrays.vertex_count; ++i) {
        memory.end[i] += test_random_range(&random, -0.2, 0.2);
    }
    for (int i = 0; i < 2; ++i) {
        memory.motions[i] = (td_rigid_motion){.start = test_random_pose(&random, 1),
                                              .end = test_random_pose(&random, 1),
                                              .course = TD_COURSE_LINEAR};
    }
    const long blocks = atomic_load(&memory.heap.blocks);
    bool failed = true;
    for (long at = 0; failed; ++at) {
        memory.a = test_mesh_build(memory.context, &arrays); // anew: some hierarchies are made when asked for
        memory.b = test_mesh_build(memory.context, &other);
        memory.borne = false;
        test_heap_fail(&memory.heap, at, at + 1);
        const td_result result = test_ask_all(&memory);
        failed = atomic_load(&memory.heap.failures) > 0;
        test_heap_recover(&memory.heap);
        if (memory.borne) {
            assert_int_equal(result, TD_OK);
        } else if (failed) {
            assert_int_equal(result, TD_ERROR_MEMORY);
            assert_non_null(strstr(td_error_message(), "out of memory"));
        } else {
            assert_int_equal(result, TD_OK);
            assert_true(at > 20); // there was something to fail
        }
        td_destroy_mesh(memory.a);
        td_destroy_mesh(memory.b);
        assert_int_equal(atomic_load(&memory.heap.blocks), blocks);
        assert_int_equal(atomic_load(&memory.heap.mistakes), 0);
    }
    test_mesh_free(&end);
    td_destroy_context(memory.context);
    test_mesh_free(&arrays);
    test_mesh_free(&other);
}

// New positions keep the features: a step that follows another one allocates nothing. One thread: with more,
// who finds how many contacts differs from step to step, and so does what each must have room for.
static void test_warm_steps(void **state) {
    (void)state;
    test_heap heap = {0};
    test_heap_recover(&heap);
    td_context_def context_def = td_default_context_def();
    context_def.allocator = test_heap_allocator(&heap);
    context_def.thread_count = 1;
    td_context *context;
    assert_int_equal(td_create_context(&context, &context_def), TD_OK);
    test_mesh arrays = test_sheet(12, 0.2), end = test_duplicate(&arrays);
    td_mesh_def mesh_def = td_default_mesh_def();
    mesh_def.positions = arrays.positions;
    mesh_def.vertex_count = arrays.vertex_count;
    mesh_def.triangles = arrays.triangles;
    mesh_def.triangle_count = arrays.triangle_count;
    mesh_def.deformable = true;
    td_mesh *mesh;
    td_continuous *query;
    assert_int_equal(td_create_mesh(&mesh, context, &mesh_def), TD_OK);
    assert_int_equal(td_create_continuous(&query, context), TD_OK);
    test_random random = {92};
    for (uint32_t i = 0; i < 3 * arrays.vertex_count; ++i) {
        end.positions[i] += test_random_range(&random, -0.02, 0.02);
    }
    const td_moving_mesh moving = {
        .mesh = mesh, .positions = end.positions, .vertex_count = arrays.vertex_count};
    const td_moving_mesh still = {.mesh = mesh};
    for (int w = 0; w < TEST_STEP_WAYS; ++w) {
        const td_continuous_def def = test_def_of_way(td_default_continuous_def(), &test_step_ways[w]);
        td_continuous_result found;
        assert_int_equal(td_set_positions(NULL, mesh, TD_FLOAT64, arrays.positions, 0, TD_REBUILD_NEVER),
                         TD_OK);
        assert_int_equal(td_continuous_self(&found, query, &moving, &def), TD_OK);
        const uint32_t edges = found.edge_count_a;
        assert_int_equal(td_set_positions(NULL, mesh, TD_FLOAT64, end.positions, 0, TD_REBUILD_NEVER), TD_OK);
        test_heap_fail(&heap, 0, 1000000);
        if (td_continuous_self(&found, query, &still, &def) != TD_OK) {
            fail_msg("%s: %s", test_step_ways[w].strategy, td_error_message());
        }
        assert_int_equal(found.edge_count_a, edges);
        test_heap_recover(&heap);
    }
    td_destroy_continuous(query);
    td_destroy_mesh(mesh);
    td_destroy_context(context);
    assert_int_equal(atomic_load(&heap.blocks), 0);
    test_mesh_free(&arrays);
    test_mesh_free(&end);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_steps),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_warm_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
