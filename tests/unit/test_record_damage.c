// Damaged recordings: cut off at every byte, every bit flipped, chunks left out, numbers that nobody wrote.
// Nothing crashes; what is before the damage is there, and what is wrong is said.
#include "io/record_frame.h"
#include "support/heap.h"
#include "test_record_support.h"

#include <limits.h>
#include <sys/stat.h>

enum { TEST_FRAMES = 5, TEST_CHUNKS = 24 };

// The chunks of the small recording: INFO, SCEN, MESH, BODY, the frames, with a TIME behind each but the
// first, END.
enum {
    TEST_INFO,
    TEST_SCENE,
    TEST_MESH,
    TEST_BODY_TABLE,
    TEST_FIRST_FRAME,
    TEST_LAST_FRAME = TEST_FIRST_FRAME + 2 * TEST_FRAMES - 3,
    TEST_END = TEST_LAST_FRAME + 2
};

static bool test_is_time(int chunk) {
    return chunk > TEST_FIRST_FRAME && chunk < TEST_END && (chunk - TEST_FIRST_FRAME) % 2 == 0;
}

// How many frames there are before a chunk.
static uint64_t test_frames_before(int chunk) {
    return chunk <= TEST_FIRST_FRAME ? 0 : (uint64_t)(chunk - TEST_FIRST_FRAME + 2) / 2;
}

// All of a frame, as it is read.
typedef struct test_seen {
    td_pose poses[TEST_BODIES];
    td_recorded_motion motions[TEST_BODIES];
    td_recorded_contact contacts[TEST_MOST_CONTACTS];
    size_t contact_count;
} test_seen;

typedef struct test_file {
    test_bytes file;
    size_t offsets[TEST_CHUNKS];
    test_seen frames[TEST_FRAMES];
} test_file;

static void test_see(test_seen *out, td_recording *recording, uint64_t frame) {
    memset(out, 0, sizeof *out);
    const td_recorded_contact *contacts;
    td_recorded_motion motions[TEST_BODIES];
    assert_int_equal(td_read_frame(out->poses, NULL, recording, frame), TD_OK);
    assert_int_equal(td_read_motions(motions, recording, frame), TD_OK);
    assert_int_equal(td_read_contacts(&contacts, &out->contact_count, recording, frame), TD_OK);
    assert_true(out->contact_count <= TEST_MOST_CONTACTS);
    for (int body = 0; body < TEST_BODIES; ++body) { // one by one: padding is not to be compared
        out->motions[body].speed = motions[body].speed;
        out->motions[body].awake = motions[body].awake;
    }
    for (size_t i = 0; i < out->contact_count; ++i) {
        memcpy(&out->contacts[i], &contacts[i], sizeof *contacts);
    }
}

static test_file test_small_recording(test_bench *bench) {
    test_file small;
    test_record(bench->context, bench->path, TEST_FRAMES, true);
    small.file = test_read_file(bench->path);
    assert_int_equal(test_find_chunks(small.offsets, TEST_CHUNKS, &small.file), TEST_END + 1);
    td_recording *recording = test_open(bench);
    for (uint64_t frame = 0; frame < TEST_FRAMES; ++frame) {
        test_see(&small.frames[frame], recording, frame);
    }
    td_close_recording(recording);
    return small;
}

// The frames before the chunk `end`, and only they, are there and as they were; so are the times.
static void test_expect_frames(test_bench *bench, const test_file *small, int end, bool complete,
                               uint64_t lost) {
    td_recording *recording = test_open(bench);
    const td_recording_info info = td_recording_about(recording);
    const uint64_t frames = test_frames_before(end);
    assert_int_equal(info.frames, frames);
    assert_int_equal(info.complete, complete);
    assert_int_equal(info.lost_bytes, lost);
    assert_int_equal(info.timed, end > TEST_FIRST_FRAME + 2);
    uint64_t sum = TD_FNV_START;
    for (uint64_t frame = frames; frame-- > 0;) { // backwards: each is found by itself
        test_seen seen;
        td_step_report report;
        test_see(&seen, recording, frame);
        assert_memory_equal(&seen, &small->frames[frame], sizeof seen);
        assert_int_equal(td_recording_hash(recording, frame), test_hash(frame));
        assert_int_equal(td_read_report(&report, recording, frame), TD_OK);
        const bool timed = frame > 0 && TEST_FIRST_FRAME + 2 * (int)frame < end;
        assert_true(report.total_ms == (timed ? (double)frame : 0));
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
        int end = TEST_FIRST_FRAME;
        while (end < TEST_END && small.offsets[end + 1] <= size) {
            ++end;
        }
        test_expect_frames(bench, &small, end, false, size - small.offsets[end]);
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
            // A bit that makes one version of the other shows in the next chunk.
            char place[32] = "recording";
            if (byte == TD_RECORD_MAGIC_BYTES && flipped == TD_RECORD_SOFT) {
                snprintf(place, sizeof place, "chunk INFO at byte");
            }
            if (chunk >= 0) {
                snprintf(place, sizeof place, "chunk %s at byte %zu", names[chunk], small.offsets[chunk]);
            }
            test_expect_sentence(result, TD_ERROR_FORMAT, place);
        } else {
            test_expect_frames(bench, &small, chunk, false, small.file.size - small.offsets[chunk]);
        }
        assert_int_equal(pwrite(file, &small.file.bytes[byte], 1, (off_t)byte), 1);
    }
    close(file);
    test_expect_frames(bench, &small, TEST_END, true, 0);
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

// Nothing is missing but the times of one frame.
static void test_expect_no_time(test_bench *bench, uint64_t without) {
    td_recording *recording = test_open(bench);
    assert_true(td_recording_about(recording).complete && td_recording_about(recording).timed);
    assert_int_equal(td_recording_about(recording).frames, TEST_FRAMES);
    for (uint64_t frame = 0; frame < TEST_FRAMES; ++frame) {
        td_step_report report;
        assert_int_equal(td_read_report(&report, recording, frame), TD_OK);
        assert_true(report.total_ms == (frame == without ? 0 : (double)frame));
    }
    td_close_recording(recording);
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
                test_expect_frames(bench, &small, TEST_END, more > 0, more > 0 ? size : 0);
            } else if (test_is_time(chunk) && more < 0) {
                test_expect_no_time(bench, (uint64_t)(chunk - TEST_FIRST_FRAME) / 2);
            } else {
                // A frame that is left out, or comes twice, has not the number that is expected, and times
                // have not the frame. A second table of bodies stands where the first frame should.
                const int end = more > 0 ? chunk + 1 : chunk;
                test_expect_frames(bench, &small, end, false, total - small.offsets[end]);
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
    const int file = open(bench->path, O_WRONLY); // in place, which is faster by much than a new file
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, forged.bytes, forged.size, 0), (ssize_t)forged.size);
    assert_int_equal(ftruncate(file, (off_t)forged.size), 0);
    close(file);
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

static void test_expect_sound_frame(td_recording *recording, uint64_t frame) {
    td_pose poses[TEST_BODIES];
    td_recorded_motion motions[TEST_BODIES];
    const td_recorded_contact *contacts;
    size_t count;
    assert_int_equal(td_read_frame(poses, NULL, recording, frame), TD_OK);
    assert_int_equal(td_read_motions(motions, recording, frame), TD_OK);
    assert_int_equal(td_read_contacts(&contacts, &count, recording, frame), TD_OK);
    for (int body = 0; body < TEST_BODIES; ++body) {
        assert_int_equal(td_check_pose(&poses[body]), TD_OK);
        assert_true(isfinite(motions[body].speed) && motions[body].speed >= 0);
    }
    for (size_t i = 0; i < count; ++i) {
        const td_recorded_contact *contact = &contacts[i];
        assert_true(contact->a < contact->b && contact->b < TEST_BODIES);
        assert_true(isfinite(contact->impulse) && contact->impulse >= 0);
        double square = 0;
        for (int k = 0; k < 3; ++k) {
            assert_true(isfinite(contact->point[k]));
            square += contact->normal[k] * contact->normal[k];
        }
        assert_true(fabs(square - 1) < 1e-12);
        assert_true(i == 0 || contacts[i - 1].a < contact->a ||
                    (contacts[i - 1].a == contact->a && contacts[i - 1].b <= contact->b));
    }
}

// Frames, times and ends that are wrong in themselves end the recording as damaged ones do.
static void test_forged_frames(void **state) {
    test_bench *bench = *state;
    const test_file small = test_small_recording(bench);
    static const uint64_t nan_bits = 0x7fc00000u, minus_one = 0xbf800000u;
    const int last = TEST_LAST_FRAME, time = TEST_LAST_FRAME + 1;
    const size_t sizes = TD_FRAME_NUMBERS_BYTES;
    const struct {
        int chunk;
        size_t offset;
        uint64_t number;
        int size;
    } cases[] = {
        {last, 0, 99, 8},              // the number of the frame
        {last, 8, TEST_FRAMES - 2, 8}, // its steps, which do not grow
        {last, sizes, UINT32_MAX, 4},  // of the poses
        {last, sizes, 0, 4},
        {last, sizes + 4, UINT32_MAX, 4}, // of the motions
        {last, sizes + 4, 0, 4},
        {time, 0, TEST_FRAMES - 2, 8}, // the number of another frame
        {time, 8, nan_bits, 4},
        {time, 12, minus_one, 4},
        {TEST_END, 0, TEST_FRAMES + 1, 8},
        {TEST_END, 8, 1, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        test_forge(bench, &small, cases[i].chunk, cases[i].offset, cases[i].number, cases[i].size);
        test_expect_frames(bench, &small, cases[i].chunk, false,
                           small.file.size - small.offsets[cases[i].chunk]);
    }
    free(small.file.bytes);
}

// Every byte of a frame's lists takes many values: what is accepted must be sound.
static void test_forged_lists(void **state) {
    test_bench *bench = *state;
    const test_file small = test_small_recording(bench);
    for (int chunk = TEST_FIRST_FRAME; chunk <= TEST_LAST_FRAME; chunk += chunk == TEST_FIRST_FRAME ? 1 : 2) {
        const size_t size = small.offsets[chunk + 1] - small.offsets[chunk] - TD_CHUNK_EXTRA_BYTES;
        for (size_t offset = TD_FRAME_NUMBERS_BYTES; offset < size; ++offset) {
            for (unsigned value = 0; value < 256; value += 15) {
                test_forge(bench, &small, chunk, offset, value, 1);
                td_recording *recording = test_open(bench);
                const uint64_t frames = td_recording_about(recording).frames;
                assert_true(frames >= test_frames_before(chunk));
                for (uint64_t frame = 0; frame < frames; ++frame) {
                    test_expect_sound_frame(recording, frame);
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
    } cases[] = {
        {"", 0, "no recording"},
        {"solid mesh", 10, "no recording"},
        {"\x89TNDM\r\n\x1b\1\0\0\0", 12, "no recording"},
        {"\x89TND", 4, "first 12 bytes"},
        {"\x89TNDM\r\n\x1a\1\0\0\0", 12, "version 1; this program reads versions 2 and 3 (record it again)"},
        {"\x89TNDM\r\n\x1a\4\0\0\0", 12, "version 4; this program reads versions 2 and 3 (a newer"},
        {"\x89TNDM\r\n\x1a\3\0\0\0", 12, "chunk INFO at byte 12 is missing"},
        {"\x89TNDM\r\n\x1a\2\0\0\0", 12, "chunk INFO at byte 12 is missing"}};
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
    assert_int_equal(truncate(bench->path, (off_t)small.offsets[TEST_FIRST_FRAME + 3]), 0);
    assert_int_equal(td_read_frame(poses, NULL, recording, 1), TD_OK);
    test_expect_sentence(td_read_frame(poses, NULL, recording, 2), TD_ERROR_FORMAT, "frame 2");
    assert_int_equal(td_read_frame(poses, NULL, recording, 1), TD_OK);
    assert_memory_equal(poses, small.frames[1].poses, sizeof poses);
    td_close_recording(recording);
    free(small.file.bytes);
}

// ---------------------------------------------------------------------------------------------------------
// Memory

static td_result test_try_read(td_recording **out, td_context *context, const char *path) {
    td_result result = td_open_recording(out, context, path);
    for (uint64_t frame = 0; frame < 3 && result == TD_OK; ++frame) {
        const td_recorded_contact *contacts;
        size_t count;
        result = td_read_contacts(&contacts, &count, *out, frame);
    }
    return result;
}

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
            const td_result result = writing != 0 ? test_try_record(context, mesh, bench->path, 3, true, NULL)
                                                  : test_try_read(&recording, context, bench->path);
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
    assert_true(failed >= 20);
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
                                       cmocka_unit_test(test_forged_lists),
                                       cmocka_unit_test(test_no_recordings),
                                       cmocka_unit_test(test_changed_while_open),
                                       cmocka_unit_test(test_failing_allocations)};
    return cmocka_run_group_tests(tests, test_make_bench, test_drop_bench);
}
