// Deformable meshes on a device: the hierarchies there are refitted there, and are bit for bit those of the
// host; answers are those of fresh meshes; memory stays bounded however many frames there are.
#include "query/query.h"
#include "support/ways.h"
#include "test_device_support.h"
#include "test_refit_support.h"
#include "traverse/device_state.h"

enum { TEST_MANY_FRAMES = 40 };

typedef struct test_way_on_device {
    const char *strategy;
    td_volume volume;
} test_way_on_device;

static const test_way_on_device test_device_ways[] = {
    {"blocked", TD_VOLUME_AABB}, {"binary", TD_VOLUME_AABB}, {"stack", TD_VOLUME_OBB}};
enum { TEST_DEVICE_WAYS = sizeof test_device_ways / sizeof *test_device_ways };

static td_collide_def test_on_device(const test_world *world, int way) {
    td_collide_def def = td_default_collide_def();
    def.device = world->device;
    def.strategy = test_device_ways[way].strategy;
    def.volume = test_device_ways[way].volume;
    return def;
}

// What the device holds of the mesh, of kinds that are up to date, against what the host does.
static uint32_t test_compare_kind(const td_device_state *state, const td_mesh *mesh, int kind,
                                  const void *items, size_t count, const char *what) {
    const td_arena_entry *entry = td_arena_find(state, mesh->identity);
    assert_non_null(entry);
    const td_arena_extent *extent = &entry->extents[kind];
    if (!extent->present || entry->structure != mesh->structure || extent->refits != mesh->refits) {
        return 0;
    }
    assert_int_equal(extent->count, count);
    const size_t size = td_arena_item_size(kind);
    unsigned char *found = malloc(count * size);
    assert_non_null(found);
    test_ok(td_buffer_read(state->device, found, &state->arena[kind], extent->first * size, count * size));
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(found + i * size, (const unsigned char *)items + i * size, size) != 0) {
            fail_msg("%s: item %zu of %zu of kind %d differs from the host's", what, i, count, kind);
        }
    }
    free(found);
    return 1u << kind;
}

static uint32_t test_compare_mesh(const td_query *query, const td_mesh *mesh, const char *what) {
    const td_device_state *state = query->device_state;
    const td_blocked *blocked = &mesh->hierarchy;
    const td_postorder *post = &mesh->late->post;
    uint32_t same = 0;
    same |= test_compare_kind(state, mesh, TD_ARENA_BLOCKS, blocked->blocks, blocked->block_count, what);
    same |= test_compare_kind(state, mesh, TD_ARENA_SLABS, blocked->slabs, blocked->slabs_count, what);
    same |= test_compare_kind(state, mesh, TD_ARENA_QUADS, blocked->quads, blocked->quad_count, what);
    if (post->links != NULL) {
        same |= test_compare_kind(state, mesh, TD_ARENA_BOXES, post->boxes, post->node_count, what);
    }
    if (post->obbs != NULL) {
        same |= test_compare_kind(state, mesh, TD_ARENA_OBBS, post->obbs, post->node_count, what);
    }
    return same;
}

static const td_pose test_near_pose = {{0.2, 0.1, 0.05}, {0, 0, 0, 1}};

static test_pairs test_ask(td_query *query, const td_mesh *a, const td_mesh *b, const td_collide_def *def) {
    td_collide_result answer;
    test_ok(td_collide(&answer, query, a, b, &test_near_pose, def));
    return test_pairs_copy(&answer);
}

// One mesh goes through all deformations, each twice a little differently, and is asked about in every way.
static void test_follow(test_world *world, const char *shape, uint32_t n, td_builder builder) {
    test_mesh rest;
    td_mesh *other = test_shape_mesh(&rest, world->context, shape, n);
    td_mesh *mesh = test_build_deformable(world->context, &rest, builder);
    td_query *query = NULL;
    test_ok(td_create_query(&query, world->context));
    uint32_t same = 0;
    for (int d = 0; d < TEST_DEFORMATIONS; ++d) {
        test_mesh now = test_deformed(&rest, &test_deformations[d]);
        const td_rebuild rebuild = d % 4 == 3 ? TD_REBUILD_AUTO : TD_REBUILD_NEVER;
        test_set(mesh, now.positions, rebuild);
        td_collide_def native = td_default_collide_def();
        test_pairs expected = test_ask(query, mesh, other, &native);
        for (int way = 0; way < TEST_DEVICE_WAYS; ++way) {
            char what[128];
            snprintf(what, sizeof what, "%s, %s, %s", shape, test_deformations[d].name,
                     test_device_ways[way].strategy);
            const td_collide_def def = test_on_device(world, way);
            test_pairs found = test_ask(query, mesh, other, &def);
            if (found.count != expected.count ||
                (found.count > 0 &&
                 memcmp(found.items, expected.items, found.count * sizeof *found.items) != 0)) {
                fail_msg("%s: %zu pairs, expected %zu", what, found.count, expected.count);
            }
            test_pairs_free(&found);
            if (td_arena_find(query->device_state, mesh->identity) != NULL) {
                same |= test_compare_mesh(query, mesh, what);
            }
        }
        test_pairs_free(&expected);
        test_mesh_free(&now);
    }
    assert_int_equal(same, 1u << TD_ARENA_BLOCKS | 1u << TD_ARENA_SLABS | 1u << TD_ARENA_QUADS |
                               1u << TD_ARENA_BOXES | 1u << TD_ARENA_OBBS);
    td_destroy_query(query);
    td_destroy_mesh(mesh);
    td_destroy_mesh(other);
    test_mesh_free(&rest);
}

static void test_bits(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    if (!test_is_slow()) {
        test_follow(world, "cow", 0, TD_BUILDER_SAH);
        test_follow(world, "knot", 0, TD_BUILDER_LINEAR);
    }
    test_follow(world, "box", 0, TD_BUILDER_SAH);
}

// A twist that goes on, frame by frame.
static void test_turn(double *positions, const test_mesh *rest, int frame) {
    for (size_t v = 0; v < rest->vertex_count; ++v) {
        const double *p = rest->positions + 3 * v, angle = 0.02 * frame * p[1];
        positions[3 * v] = p[0] * cos(angle) - p[2] * sin(angle);
        positions[3 * v + 1] = p[1];
        positions[3 * v + 2] = p[0] * sin(angle) + p[2] * cos(angle);
    }
}

// Positions are set `steps` times between questions.
static void test_frames(test_world *world, td_rebuild rebuild, int steps) {
    test_mesh rest;
    td_mesh *other = test_shape_mesh(&rest, world->context, test_is_slow() ? "box" : "cow", 0);
    td_mesh *mesh = test_build_deformable(world->context, &rest, TD_BUILDER_SAH);
    const int frames = test_is_slow() ? 4 : TEST_MANY_FRAMES;
    double *positions = malloc(3 * rest.vertex_count * sizeof *positions);
    assert_non_null(positions);
    td_query *query = NULL;
    test_ok(td_create_query(&query, world->context));
    uint64_t settled = 0;
    for (int frame = 0; frame < frames; ++frame) {
        for (int step = 0; step < steps; ++step) {
            test_turn(positions, &rest, frame * steps + step);
            test_set(mesh, positions, rebuild);
        }
        for (int way = 0; way < TEST_DEVICE_WAYS; ++way) {
            const td_collide_def def = test_on_device(world, way);
            test_pairs found = test_ask(query, mesh, other, &def);
            assert_true(found.count > 0);
            test_pairs_free(&found);
            test_compare_mesh(query, mesh, "a frame");
        }
        const td_query_times times = td_last_times(query);
        const td_device_state *held = query->device_state;
        if (frame >= frames / 2) {
            settled = settled == 0 ? td_device_state_bytes(held) : settled;
            assert_true(td_device_state_bytes(held) <= settled + settled / 8);
        }
        if (rebuild == TD_REBUILD_NEVER && steps == 1 && frame > 0 &&
            td_device_has_float64(world->device)) { // boxes are computed there; positions went with the first
            assert_true(times.refit_ms > 0);
            assert_true(times.bytes_in < mesh->late->post.node_count * sizeof(td_boxf));
        }
        assert_int_equal(held->entries.count, 2);
    }
    free(positions);
    td_destroy_query(query);
    td_destroy_mesh(mesh);
    td_destroy_mesh(other);
    test_mesh_free(&rest);
}

static void test_memory(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    test_frames(world, TD_REBUILD_NEVER, 1);
    test_frames(world, TD_REBUILD_NEVER, 3);
    test_frames(world, TD_REBUILD_ALWAYS, 1);
}

// Meshes that come and go.
static void test_passing_meshes(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    td_query *query = NULL;
    test_ok(td_create_query(&query, world->context));
    td_mesh *other = NULL;
    test_ok(td_create_shape(&other, world->context, "box", 0));
    const td_collide_def def = test_on_device(world, 0);
    const int rounds = test_is_slow() ? 20 : 2500;
    size_t most = 0;
    for (int i = 0; i < rounds; ++i) {
        td_mesh *mesh = NULL;
        test_ok(td_create_shape(&mesh, world->context, "box", 0));
        test_pairs found = test_ask(query, mesh, other, &def);
        assert_true(found.count > 0);
        test_pairs_free(&found);
        most = query->device_state->entries.count > most ? query->device_state->entries.count : most;
        td_destroy_mesh(mesh);
    }
    assert_true(most <= 2200);
    td_destroy_mesh(other);
    td_destroy_query(query);
}

// Without float64 on the device, what the host has computed is copied, to where it was.
static void test_without_float64(void **state) {
    test_world *world = *state;
    TEST_NEEDS_DEVICE(world);
    td_device_def def = test_def(world);
    def.without_float64 = true;
    td_device *with = world->device;
    test_ok(td_create_device(&world->device, world->context, &def));
    test_frames(world, TD_REBUILD_NEVER, 1);
    td_destroy_device(world->device);
    world->device = with;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_passing_meshes),
        cmocka_unit_test(test_without_float64),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
