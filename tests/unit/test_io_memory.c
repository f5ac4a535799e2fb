// Every allocation of every reader fails once: the call says so, nothing leaks, and every block is released
// with the size it was asked for.
#include "mesh/weld.h"
#include "mesh/weld_hash.h"
#include "test_io_support.h"

typedef struct test_heap {
    long calls;   // so far
    long fail_at; // the call that returns null; 0: none
    long blocks;  // alive
    size_t bytes, most_bytes;
} test_heap;

static void *test_allocate(size_t size, size_t alignment, void *user) {
    test_heap *heap = user;
    if (++heap->calls == heap->fail_at) {
        return NULL;
    }
    const size_t rounded = (size + alignment - 1) / alignment * alignment + alignment;
    char *memory = aligned_alloc(alignment, rounded); // its size is kept in front
    if (memory == NULL) {
        return NULL;
    }
    memcpy(memory, &size, sizeof size);
    ++heap->blocks;
    heap->bytes += size;
    heap->most_bytes = heap->bytes > heap->most_bytes ? heap->bytes : heap->most_bytes;
    return memory + alignment;
}

static void test_release(void *memory, size_t size, void *user) {
    test_heap *heap = user;
    size_t asked;
    memcpy(&asked, (char *)memory - 64, sizeof asked);
    assert_int_equal(asked, size);
    --heap->blocks;
    heap->bytes -= size;
    free((char *)memory - 64);
}

static td_context *test_heap_context(test_heap *heap) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    def.allocator = (td_allocator){test_allocate, test_release, heap};
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    return context;
}

// Runs `work` until it passes without a failing allocation.
typedef td_result test_work(td_context *context, const void *input);

static void test_fail_each(test_work *work, const void *input) {
    test_heap heap = {0};
    td_context *context = test_heap_context(&heap);
    const long blocks = heap.blocks;
    long failures = 0;
    for (;; ++failures) {
        heap.fail_at = heap.calls + failures + 1;
        const td_result result = work(context, input);
        const bool reached = heap.calls >= heap.fail_at;
        assert_int_equal(heap.blocks, blocks);
        if (!reached) {
            assert_int_equal(result, TD_OK);
            break;
        }
        test_expect_sentence(result, TD_ERROR_MEMORY, "out of memory");
    }
    assert_true(failures >= 2);
    heap.fail_at = 0;
    td_destroy_context(context);
    assert_int_equal(heap.blocks, 0);
}

typedef struct test_source {
    const char *name, *text;
} test_source;

static td_result test_read_source(td_context *context, const void *input) {
    const test_source *source = input;
    td_mesh_arrays arrays;
    const td_load_def def = td_default_load_def();
    const td_result result =
        td_read_mesh_memory(&arrays, context, source->text, strlen(source->text), source->name, &def);
    td_release_mesh_arrays(&arrays, context);
    return result;
}

static void test_readers(void **state) {
    (void)state;
    // 30 faces are 90 indices: more than the first room of an array that grows.
    static char large[4096];
    char *at = large + sprintf(large, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for (int i = 0; i < 60; ++i) {
        at += sprintf(at, "v %d 1 2\nf 1 2 %d\n", i, i + 1);
    }
    const test_source sources[] = {
        {"a.obj", large},
        {"a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"},
        {"a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
                  "endfacet\nendsolid\n"},
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 "
         "2\n"}};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        test_fail_each(test_read_source, &sources[i]);
    }
}

static td_result test_read_path(td_context *context, const void *input) {
    td_mesh_arrays arrays;
    const td_load_def def = td_default_load_def();
    const td_result result = td_read_mesh_file(&arrays, context, input, &def);
    td_release_mesh_arrays(&arrays, context);
    return result;
}

static td_result test_load_path(td_context *context, const void *input) {
    td_mesh *mesh = NULL;
    const td_load_def def = td_default_load_def();
    const td_result result = td_load_mesh(&mesh, context, input, &def);
    td_destroy_mesh(mesh);
    return result;
}

static td_result test_read_poses_path(td_context *context, const void *input) {
    td_pose *poses = NULL;
    size_t count = 0;
    const td_result result = td_read_pose_file(&poses, &count, context, input);
    td_release_poses(poses, count, context);
    return result;
}

static void test_files(void **state) {
    (void)state;
    char folder[256], path[512];
    test_make_folder(folder);
    snprintf(path, sizeof path, "%s/a.obj", folder);
    const char *mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    test_write_file(path, mesh, strlen(mesh));
    test_fail_each(test_read_path, path);
    test_fail_each(test_load_path, path);
    char poses[200 * 16];
    size_t size = 0;
    for (int i = 0; i < 200; ++i) {
        size += (size_t)snprintf(poses + size, sizeof poses - size, "0 0 0 0 0 0 1\n");
    }
    test_write_file(path, poses, size);
    test_fail_each(test_read_poses_path, path);
    unlink(path);
    rmdir(folder);
}

static td_result test_weld_points(td_context *context, const void *input) {
    uint32_t first[1000];
    return td_weld(first, context, input, TD_FLOAT64, 24, 1000);
}

// The table, and the order of the fallback.
static void test_weld_both_ways(void **state) {
    (void)state;
    static double points[1000][3];
    const int bits = td_weld_table_bits(1000);
    int found = 0;
    for (int i = 0; found < 1000; ++i) {
        if (td_weld_slot(i, 1, 1, bits) == 0) {
            points[found][0] = i;
            points[found][1] = points[found][2] = 1;
            ++found;
        }
    }
    test_fail_each(test_weld_points, points);
}

// Headers that announce billions must not be believed: the memory stays a small multiple of the file.
static void test_announced_counts(void **state) {
    (void)state;
    static const test_source sources[] = {
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty "
         "float z\nelement face 4000000000\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n"},
        {"a.ply",
         "ply\nformat binary_big_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\n"
         "property float z\nelement face 4000000000\nproperty list uchar int vertex_indices\nend_header\n0"},
        {"a.off", "OFF\n4000000000 4000000000 0\n0 0 0\n"},
        {"a.stl",
         "a header of eighty bytes, which this text is long enough to fill, with a few more of them and "
         "then some"}};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        test_heap heap = {0};
        td_context *context = test_heap_context(&heap);
        heap.most_bytes = heap.bytes;
        const size_t before = heap.bytes;
        assert_int_equal(test_read_source(context, &sources[i]), TD_ERROR_FORMAT);
        assert_true(heap.most_bytes - before < 10000);
        td_destroy_context(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_readers), cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_weld_both_ways),
                                       cmocka_unit_test(test_announced_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
