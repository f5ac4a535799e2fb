// Damaged recordings: cut off at every byte, every bit flipped, chunks left out, numbers that nobody wrote.
// Nothing crashes; what is before the damage is there, and what is wrong is said.
#include "io/record_frame.h"
#include "support/heap.h"
#include "test_record_support.h"

#include <limits.h>
#include <sys/stat.h>

enum { TEST_FRAMES = 5, TEST_CHUNKS = 16 };

// The chunks of the small recording: INFO, SCEN, MESH, BODY, the frames, END.
enum {
    TEST_INFO,
    TEST_SCENE,
    TEST_MESH,
    TEST_BODY_TABLE,
    TEST_FIRST_FRAME,
    TEST_END = TEST_FIRST_FRAME + TEST_FRAMES
};

typedef struct test_file {
    test_bytes file;
    size_t offsets[TEST_CHUNKS];
    td_pose poses[TEST_FRAMES][TEST_BODIES];
} test_file;

static test_file test_small_recording(test_bench *bench) {
    test_file small;
    test_record(bench->context, bench->path, TEST_FRAMES);
    small.file = test_read_file(bench->path);
    assert_int_equal(test_find_chunks(small.offsets, TEST_CHUNKS, &small.file), TEST_END + 1);
    td_recording *recording = test_open(bench);
    for (uint64_t frame = 0; frame < TEST_FRAMES; ++frame) {
        assert_int_equal(td_read_frame(small.poses[frame], NULL, recording, frame), TD_OK);
    }
    td_close_recording(recording);
    return small;
}

// The first `frames` frames, and only they, are there and as they were.
static void test_expect_frames(test_bench *bench, const test_file *small, uint64_t frames, bool complete,
                               uint64_t lost) {
    td_recording *recording = test_open(bench);
    const td_recording_info info = td_recording_about(recording);
    assert_int_equal(info.frames, frames);
    assert_int_equal(info.complete, complete);
    assert_int_equal(info.lost_bytes, lost);
    uint64_t sum = TD_FNV_START;
    for (uint64_t frame = frames; frame-- > 0;) { // backwards: each is found by itself
        td_pose poses[TEST_BODIES];
        uint64_t hash;
        assert_int_equal(td_read_frame(poses, &hash, recording, frame), TD_OK);
        assert_int_equal(hash, test_hash(frame));
        assert_memory_equal(poses, small->poses[frame], sizeof poses);
    }
    for (uint64_t frame = 0; frame < frames; ++frame) {
        sum = td_fnv_add(sum, test_hash(frame));
    }
    assert_int_equal(info.hash, sum);
    td_close_recording(recording);
}

static void test_cut_anywhere(void **state) {
    test_bench *bench = *state;
    const test_file small = test_small_recording(bench);
    for (size_t size = small.file.size; size-- > 0;) {
        assert_int_equal(truncate(bench->path, (off_t)size), 0);
        if (size < small.offsets[TEST_FIRST_FRAME]) {
            td_recording *recording = NULL;
            test_expect_sentence(td_open_recording(&recording, bench->context, bench->path), TD_ERROR_FORMAT,
                                 bench->path);
            assert_null(recording);
            continue;
        }
        uint64_t frames = 0;
        while (frames < TEST_FRAMES && small.offsets[TEST_FIRST_FRAME + frames + 1] <= size) {
            ++frames;
        }
        test_expect_frames(bench, &small, frames, false, size - small.offsets[TEST_FIRST_FRAME + frames]);
    }
    free(small.file.bytes);
}

// The chunk that holds the byte; -1: in the start.
static int test_chunk_of(const test_file *small, size_t byte) {
    int chunk = -1;
    while (small->offsets[chunk + 1] <= byte) {
        ++chunk;
    }
    return chunk;
}

static void test_every_bit(void **state) {
    test_bench *bench = *state;
    static const char *const names[] = {"INFO", "SCEN", "MESH", "BODY"};
    const test_file small = test_small_recording(bench);
    const int file = open(bench->path, O_WRONLY);
    assert_true(file >= 0);
    for (size_t bit = 0; bit < 8 * small.file.size; ++bit) {
        const size_t byte = bit / 8;
        const uint8_t flipped = (uint8_t)(small.file.bytes[byte] ^ 1u << bit % 8);
        assert_int_equal(pwrite(file, &flipped, 1, (off_t)byte), 1);
        const int chunk = test_chunk_of(&small, byte);
        if (chunk < TEST_FIRST_FRAME) {
            td_recording *recording = NULL;
            const td_result result = td_open_recording(&recording, bench->context, bench->path);
            char place[32] = "recording";
            if (chunk >= 0) {
                snprintf(place, sizeof place, "chunk %s at byte %zu", names[chunk], small.offsets[chunk]);
            }
            test_expect_sentence(result, TD_ERROR_FORMAT, place);
        } else {
            test_expect_frames(bench, &small, (uint64_t)(chunk - TEST_FIRST_FRAME), false,
                               small.file.size - small.offsets[chunk]);
        }
        assert_int_equal(pwrite(file, &small.file.bytes[byte], 1, (off_t)byte), 1);
    }
    close(file);
    test_expect_frames(bench, &small, TEST_FRAMES, true, 0);
    free(small.file.bytes);
}

// ---------------------------------------------------------------------------------------------------------
// Chunks whose checksums are right, as no accident makes them

static void test_write_without(test_bench *bench, const test_file *small, int chunk, int more_times) {
    FILE *file = fopen(bench->path, "wb");
    assert_non_null(file);
    const size_t begin = small->offsets[chunk], end = small->offsets[chunk + 1];
    fwrite(small->file.bytes, 1, begin, file);
    for (int i = 0; i <= more_times; ++i) {
        fwrite(small->file.bytes + begin, 1, end - begin, file);
    }
    fwrite(small->file.bytes + end, 1, small->file.size - end, file);
    assert_int_equal(fclose(file), 0);
}

static void test_missing_and_repeated_chunks(void **state) {
    test_bench *bench = *state;
    const test_file small = test_small_recording(bench);
    for (int chunk = 0; chunk <= TEST_END; ++chunk) {
        const size_t size = small.offsets[chunk + 1] - small.offsets[chunk];
        for (int more = -1; more <= 1; more += 2) {
            test_write_without(bench, &small, chunk, more);
            const uint64_t total = small.file.size + (more > 0 ? size : 0) - (more < 0 ? size : 0);
            td_recording *recording = NULL;
            if (chunk < TEST_FIRST_FRAME && !(more > 0 && chunk == TEST_BODY_TABLE)) {
                test_expect_sentence(td_open_recording(&recording, bench->context, bench->path),
                                     TD_ERROR_FORMAT, "chunk");
            } else if (chunk == TEST_END) {
                // Left out it is missed; what comes after the first is too much.
                test_expect_frames(bench, &small, TEST_FRAMES, more > 0, more > 0 ? size : 0);
            } else {
                // A frame that is left out, or comes twice, has not the number that is expected. A second
                // table of bodies stands where the first frame should.
                const uint64_t frames =
                    chunk == TEST_BODY_TABLE ? 0 : (uint64_t)(chunk - TEST_FIRST_FRAME + (more > 0));
                const size_t good =
                    chunk == TEST_BODY_TABLE || more > 0 ? small.offsets[chunk + 1] : small.offsets[chunk];
                test_expect_frames(bench, &small, frames, false, total - good);
            }
        }
    }
    free(small.file.bytes);
}

// Puts the number of `size` bytes at `offset` of the chunk's payload and makes the checksum right again.
static void test_forge(test_bench *bench, const test_file *small, int chunk, size_t offset, uint64_t number,
                       int size) {
    test_bytes forged = {malloc(small->file.size), small->file.size};
    assert_non_null(forged.bytes);
    memcpy(forged.bytes, small->file.bytes, forged.size);
    uint8_t *at = forged.bytes + small->offsets[chunk];
    const size_t whole = small->offsets[chunk + 1] - small->offsets[chunk] - TD_CHUNK_SUM_BYTES;
    td_store_little(at + TD_CHUNK_HEAD_BYTES + offset, number, size);
    td_crc_tables tables;
    td_fill_crc_tables(&tables);
    td_store_little(at + whole, td_crc32(&tables, 0, at, whole), TD_CHUNK_SUM_BYTES);
    test_write_file(bench->path, forged.bytes, forged.size);
    free(forged.bytes);
}

static void test_forged_headers(void **state) {
    test_bench *bench = *state;
    const test_file small = test_small_recording(bench);
    const size_t mesh_counts = 8 + strlen("tetrahedron") + 1;
    static const uint64_t nan_bits = 0x7ff8000000000000u;
    const struct {
        int chunk;
        size_t offset;
        uint64_t number;
        int size;
        const char *says;
    } cases[] = {
        {TEST_INFO, 0, nan_bits, 8, "step"},
        {TEST_INFO, 0, 0, 8, "step"},
        {TEST_INFO, 8, nan_bits, 8, "grid"},
        {TEST_INFO, 32, 0, 8, "grid"},
        {TEST_INFO, 40, UINT32_MAX, 4, "more meshes"},
        {TEST_INFO, 40, 2, 4, "chunk MESH"},
        {TEST_INFO, 40, 0, 4, "chunk BODY"},
        {TEST_INFO, 44, UINT32_MAX, 4, "chunk BODY"},
        {TEST_INFO, 44, TEST_BODIES - 1, 4, "behind its last body"},
        {TEST_INFO, 48, UINT64_MAX, 8, "chunk INFO"},
        {TEST_SCENE, 0, UINT64_MAX, 8, "chunk SCEN"},
        {TEST_SCENE, 0, 3, 8, "chunk SCEN"},
        {TEST_MESH, 0, UINT64_MAX - 7, 8, "chunk MESH"},
        {TEST_MESH, mesh_counts, 7, 4, "chunk MESH"},
        {TEST_MESH, mesh_counts, TD_FLOAT32, 4, "chunk MESH"},
        {TEST_MESH, mesh_counts + 4, UINT32_MAX, 4, "chunk MESH"},
        {TEST_MESH, mesh_counts + 8, UINT32_MAX, 4, "chunk MESH"},
        {TEST_MESH, mesh_counts + 12, nan_bits, 8, "not finite"},
        {TEST_MESH, mesh_counts + 12 + 4 * 24, 4, 4, "vertex that is not there"},
        {TEST_BODY_TABLE, 0, 3, 1, "no known kind"},
        {TEST_BODY_TABLE, 1, 1, 4, "without its mesh"},
        {TEST_BODY_TABLE, 5, 1000, 8, "chunk BODY"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        test_forge(bench, &small, cases[i].chunk, cases[i].offset, cases[i].number, cases[i].size);
        td_recording *recording = NULL;
        test_expect_sentence(td_open_recording(&recording, bench->context, bench->path), TD_ERROR_FORMAT,
                             cases[i].says);
        assert_null(recording);
    }
    free(small.file.bytes);
}

// Frames and ends that are wrong in themselves end the recording as damaged ones do. Every byte of a frame's
// poses takes every value: what is accepted must be poses.
static void test_forged_frames(void **state) {
    test_bench *bench = *state;
    const test_file small = test_small_recording(bench);
    const int last = TEST_FIRST_FRAME + TEST_FRAMES - 1;
    const uint64_t lost = small.file.size - small.offsets[last];
    test_forge(bench, &small, last, 0, 99, 8); // the number of the frame
    test_expect_frames(bench, &small, TEST_FRAMES - 1, false, lost);
    test_forge(bench, &small, last, 8, TEST_FRAMES - 2, 8); // its steps, which do not grow
    test_expect_frames(bench, &small, TEST_FRAMES - 1, false, lost);
    test_forge(bench, &small, TEST_END, 0, TEST_FRAMES + 1, 8);
    test_expect_frames(bench, &small, TEST_FRAMES, false, small.file.size - small.offsets[TEST_END]);
    test_forge(bench, &small, TEST_END, 8, 1, 8);
    test_expect_frames(bench, &small, TEST_FRAMES, false, small.file.size - small.offsets[TEST_END]);
    for (int chunk = TEST_FIRST_FRAME; chunk <= last; ++chunk) {
        const size_t size = small.offsets[chunk + 1] - small.offsets[chunk] - TD_CHUNK_EXTRA_BYTES;
        for (size_t offset = TD_FRAME_NUMBERS_BYTES; offset < size; ++offset) {
            for (unsigned value = 0; value < 256; value += 15) {
                test_forge(bench, &small, chunk, offset, value, 1);
                td_recording *recording = test_open(bench);
                const uint64_t frames = td_recording_about(recording).frames;
                assert_true(frames >= (uint64_t)(chunk - TEST_FIRST_FRAME));
                for (uint64_t frame = 0; frame < frames; ++frame) {
                    td_pose poses[TEST_BODIES];
                    assert_int_equal(td_read_frame(poses, NULL, recording, frame), TD_OK);
                    for (int body = 0; body < TEST_BODIES; ++body) {
                        assert_int_equal(td_check_pose(&poses[body]), TD_OK);
                    }
                }
                td_close_recording(recording);
            }
        }
    }
    free(small.file.bytes);
}

static void test_no_recordings(void **state) {
    test_bench *bench = *state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *says;
    } cases[] = {{"", 0, "no recording"},
                 {"solid mesh", 10, "no recording"},
                 {"\x89TNDM\r\n\x1b\1\0\0\0", 12, "no recording"},
                 {"\x89TND", 4, "first 12 bytes"},
                 {"\x89TNDM\r\n\x1a\2\0\0\0", 12, "version 2, expected 1"},
                 {"\x89TNDM\r\n\x1a\1\0\0\0", 12, "chunk INFO at byte 12 is missing"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        test_write_file(bench->path, cases[i].bytes, cases[i].size);
        td_recording *recording = NULL;
        test_expect_sentence(td_open_recording(&recording, bench->context, bench->path), TD_ERROR_FORMAT,
                             cases[i].says);
    }
}

// Somebody writes to the file while it is open: told, not trusted.
static void test_changed_while_open(void **state) {
    test_bench *bench = *state;
    const test_file small = test_small_recording(bench);
    td_recording *recording = test_open(bench);
    td_pose poses[TEST_BODIES];
    assert_int_equal(truncate(bench->path, (off_t)small.offsets[TEST_FIRST_FRAME + 2]), 0);
    assert_int_equal(td_read_frame(poses, NULL, recording, 1), TD_OK);
    test_expect_sentence(td_read_frame(poses, NULL, recording, 2), TD_ERROR_FORMAT, "frame 2");
    assert_int_equal(td_read_frame(poses, NULL, recording, 1), TD_OK);
    assert_memory_equal(poses, small.poses[1], sizeof poses);
    td_close_recording(recording);
    free(small.file.bytes);
}

// ---------------------------------------------------------------------------------------------------------
// Memory

// Every allocation fails once, of the recorder and of the recording.
static void test_failing_allocations(void **state) {
    test_bench *bench = *state;
    static test_heap heap;
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    def.allocator = test_heap_allocator(&heap);
    td_context *context = NULL;
    test_heap_recover(&heap);
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    td_mesh *mesh = test_tetrahedron(bench->context);
    const long blocks = atomic_load(&heap.blocks);
    int failed = 0;
    for (int writing = 1; writing >= 0; --writing) {
        for (long at = 0;; ++at) {
            test_heap_fail(&heap, at, at + 1);
            td_recording *recording = NULL;
            const td_result result = writing != 0 ? test_try_record(context, mesh, bench->path, 3, NULL)
                                                  : td_open_recording(&recording, context, bench->path);
            const bool reached = atomic_load(&heap.failures) > 0;
            test_heap_recover(&heap);
            td_close_recording(recording);
            assert_int_equal(atomic_load(&heap.blocks), blocks);
            assert_int_equal(result, reached ? TD_ERROR_MEMORY : TD_OK);
            if (!reached) {
                break;
            }
            ++failed;
        }
    }
    assert_true(failed >= 12);
    assert_int_equal(atomic_load(&heap.mistakes), 0);
    td_destroy_mesh(mesh);
    td_destroy_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut_anywhere),
                                       cmocka_unit_test(test_every_bit),
                                       cmocka_unit_test(test_missing_and_repeated_chunks),
                                       cmocka_unit_test(test_forged_headers),
                                       cmocka_unit_test(test_forged_frames),
                                       cmocka_unit_test(test_no_recordings),
                                       cmocka_unit_test(test_changed_while_open),
                                       cmocka_unit_test(test_failing_allocations)};
    return cmocka_run_group_tests(tests, test_make_bench, test_drop_bench);
}
