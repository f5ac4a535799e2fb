// Soft bodies in recordings: what is put down comes back within half a unit, in whatever order it is asked
// for; what rests costs nothing; what is damaged ends the recording before it.
#include "io/record_frame.h"
#include "io/record_thin.h"
#include "support/heap.h"
#include "test_soft_support.h"

enum { TEST_FRAMES = 140, TEST_FEW = 4, TEST_CHUNKS = 200, TEST_FIRST_FRAME = 5 };

static void test_expect_positions_of(td_recording *recording, uint64_t frame, uint32_t body,
                                     const double *wanted, uint32_t count) {
    static double found[3 * SOFT_VERTICES];
    assert_int_equal(td_read_positions(found, recording, frame, body), TD_OK);
    const double unit = td_recording_body(recording, body).unit;
    assert_true(unit > 0);
    for (uint32_t i = 0; i < 3 * count; ++i) {
        assert_true(fabs(found[i] - wanted[i]) <= 0.5 * unit * (1 + 1e-9));
    }
}

static void test_expect_contact_places(td_recording *recording, uint64_t frame, const soft_frame *wanted) {
    const td_recorded_contact *found;
    size_t count;
    assert_int_equal(td_read_contacts(&found, &count, recording, frame), TD_OK);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(found[i].a, wanted->contacts[i].a);
        assert_int_equal(found[i].b, wanted->contacts[i].b);
        for (int k = 0; k < 3; ++k) { // of bodies of 2 m at most
            assert_true(fabs(found[i].point[k] - wanted->contacts[i].point[k]) < 2e-3);
        }
    }
}

static void test_expect_soft_frame(td_recording *recording, uint64_t frame) {
    static soft_frame wanted;
    td_pose poses[SOFT_BODIES];
    td_recorded_motion motions[SOFT_BODIES];
    const td_pose identity = td_pose_identity();
    soft_make_frame(&wanted, frame);
    assert_int_equal(td_read_frame(poses, NULL, recording, frame), TD_OK);
    assert_int_equal(td_read_motions(motions, recording, frame), TD_OK);
    for (uint32_t body = SOFT_SHEET; body <= SOFT_JELLY; ++body) {
        assert_memory_equal(&poses[body], &identity, sizeof identity);
        assert_int_equal(motions[body].awake, wanted.motions[body].awake);
    }
    test_expect_positions_of(recording, frame, SOFT_SHEET, wanted.sheet[0], SOFT_VERTICES);
    test_expect_positions_of(recording, frame, SOFT_JELLY, wanted.jelly[0], 4);
    test_expect_contact_places(recording, frame, &wanted);
}

static void test_round_trip(void **state) {
    test_bench *bench = *state;
    soft_record(bench->context, bench->path, TEST_FRAMES);
    td_recording *recording = test_open(bench);
    const td_recording_info info = td_recording_about(recording);
    assert_true(info.complete && info.frames == TEST_FRAMES && info.lost_bytes == 0);
    for (uint64_t frame = 0; frame < TEST_FRAMES; ++frame) {
        test_expect_soft_frame(recording, frame);
    }
    for (uint64_t frame = TEST_FRAMES; frame-- > 0;) {
        test_expect_soft_frame(recording, frame);
    }
    for (uint64_t i = 0; i < 2 * (uint64_t)TEST_FRAMES; ++i) {
        test_expect_soft_frame(recording, i * 89 % TEST_FRAMES);
    }
    const double diagonal = SOFT_SIZE * sqrt(2), unit = td_recording_body(recording, SOFT_SHEET).unit;
    assert_true(unit <= diagonal / 16384 && unit > diagonal / 32768);
    assert_true(td_recording_body(recording, SOFT_BALL).unit == 0);
    td_close_recording(recording);
}

static void test_bad_questions(void **state) {
    test_bench *bench = *state;
    double out[3 * SOFT_VERTICES];
    soft_record(bench->context, bench->path, 2);
    td_recording *recording = test_open(bench);
    test_expect_sentence(td_read_positions(NULL, recording, 0, SOFT_SHEET), TD_ERROR_ARGUMENT, "output");
    test_expect_sentence(td_read_positions(out, NULL, 0, SOFT_SHEET), TD_ERROR_ARGUMENT, "recording");
    test_expect_sentence(td_read_positions(out, recording, 0, SOFT_BALL), TD_ERROR_ARGUMENT, "body 3 is not");
    test_expect_sentence(td_read_positions(out, recording, 0, 99), TD_ERROR_ARGUMENT, "body 99 is not");
    test_expect_sentence(td_read_positions(out, recording, 2, SOFT_SHEET), TD_ERROR_ARGUMENT, "frame 2");
    td_close_recording(recording);
}

// ---------------------------------------------------------------------------------------------------------
// Sizes

static void test_sizes(void **state) {
    test_bench *bench = *state;
    static size_t offsets[TEST_CHUNKS];
    soft_record(bench->context, bench->path, TEST_FRAMES);
    const test_bytes file = test_read_file(bench->path);
    assert_int_equal(td_load_little(file.bytes + TD_RECORD_MAGIC_BYTES, 4), TD_RECORD_SOFT);
    const size_t count = test_find_chunks(offsets, TEST_CHUNKS, &file);
    assert_int_equal(count, TEST_FIRST_FRAME + TEST_FRAMES + 1);
    size_t moving = 0, frames = 0;
    for (size_t frame = 0; frame < TEST_FRAMES; ++frame) {
        const uint8_t *chunk = file.bytes + offsets[TEST_FIRST_FRAME + frame];
        const bool key = td_load_little(chunk, 4) == TD_CHUNK_KEY;
        assert_int_equal(key, frame % TD_FRAMES_PER_KEY == 0);
        const size_t size =
            (size_t)td_load_little(chunk + TD_CHUNK_HEAD_BYTES + TD_FRAME_HEAD_BYTES, TD_SOFT_HEAD_BYTES);
        if (frame > 3 && frame < SOFT_AWAY) {
            moving += size;
            ++frames;
        } else if (!key && frame > SOFT_REST) {
            assert_int_equal(size, 0); // all stands still by then
        }
    }
    const double bits = 8.0 * (double)moving / (double)frames / (3 * (SOFT_VERTICES + 4));
    print_message("%.2f bits per coordinate that moves\n", bits);
    assert_true(bits < 3);
    free(file.bytes);
}

// ---------------------------------------------------------------------------------------------------------
// Bad input

static void test_refused(void **state) {
    test_bench *bench = *state;
    static soft_frame made;
    soft_stage stage;
    soft_set_stage(&stage, bench->context);
    soft_make_frame(&made, 0);
    td_recorded_state given = soft_state(&made);
    td_recorder *recorder = NULL;
    made.positions[SOFT_JELLY] = NULL;
    test_expect_sentence(td_begin_recorder(&recorder, bench->context, bench->path, &stage.content, &given, 0),
                         TD_ERROR_ARGUMENT, "body 2 is soft: expected its positions");
    given.positions = NULL;
    test_expect_sentence(td_begin_recorder(&recorder, bench->context, bench->path, &stage.content, &given, 0),
                         TD_ERROR_ARGUMENT, "body 1 is soft");
    soft_make_frame(&made, 0);
    given = soft_state(&made);
    assert_int_equal(
        td_begin_recorder(&recorder, bench->context, bench->path, &stage.content, &given, test_hash(0)),
        TD_OK);
    td_frame_numbers numbers = {.steps = 1, .hash = test_hash(1)};
    soft_make_frame(&made, 1);
    made.sheet[7][1] = NAN;
    test_expect_sentence(td_record_state(recorder, &given, &numbers), TD_ERROR_POSE,
                         "frame 1, body 1: vertex 7: y is nan");
    soft_make_frame(&made, 1);
    made.positions[SOFT_JELLY] = NULL;
    test_expect_sentence(td_record_state(recorder, &given, &numbers), TD_ERROR_ARGUMENT,
                         "frame 1, body 2: is soft");
    soft_make_frame(&made, 1);
    assert_int_equal(td_record_state(recorder, &given, &numbers), TD_OK); // what was refused left no trace
    assert_int_equal(td_close_recorder(recorder, NULL), TD_OK);
    td_recording *recording = test_open(bench);
    test_expect_soft_frame(recording, 1);
    td_close_recording(recording);
    soft_clear_stage(&stage);
}

typedef struct test_file {
    test_bytes file;
    size_t offsets[TEST_CHUNKS];
    size_t count;
} test_file;

static test_file test_small_recording(test_bench *bench) {
    test_file small;
    soft_record(bench->context, bench->path, TEST_FEW);
    small.file = test_read_file(bench->path);
    small.count = test_find_chunks(small.offsets, TEST_CHUNKS, &small.file);
    return small;
}

// What there is before the end of `whole` chunks is there.
static void test_expect_whole(test_bench *bench, size_t whole) {
    const uint64_t frames = whole < TEST_FIRST_FRAME              ? 0
                            : whole - TEST_FIRST_FRAME < TEST_FEW ? whole - TEST_FIRST_FRAME
                                                                  : TEST_FEW;
    td_recording *recording = test_open(bench);
    assert_int_equal(td_recording_about(recording).frames, frames);
    for (uint64_t frame = frames; frame-- > 0;) {
        test_expect_soft_frame(recording, frame);
    }
    td_close_recording(recording);
}

static size_t test_chunks_before(const test_file *small, size_t byte) {
    size_t whole = 0;
    while (whole < small->count && small->offsets[whole + 1] <= byte) {
        ++whole;
    }
    return whole;
}

static void test_cut_anywhere(void **state) {
    test_bench *bench = *state;
    const test_file small = test_small_recording(bench);
    for (size_t size = small.file.size; size-- > 0;) {
        assert_int_equal(truncate(bench->path, (off_t)size), 0);
        const size_t whole = test_chunks_before(&small, size);
        if (whole < TEST_FIRST_FRAME) {
            td_recording *recording = NULL;
            test_expect_sentence(td_open_recording(&recording, bench->context, bench->path), TD_ERROR_FORMAT,
                                 bench->path);
        } else {
            test_expect_whole(bench, whole);
        }
    }
    free(small.file.bytes);
}

static void test_flipped_bits(void **state) {
    test_bench *bench = *state;
    const test_file small = test_small_recording(bench);
    const int file = open(bench->path, O_WRONLY);
    assert_true(file >= 0);
    for (size_t bit = 0; bit < 8 * small.file.size; ++bit) {
        const size_t byte = bit / 8;
        const uint8_t flipped = (uint8_t)(small.file.bytes[byte] ^ 1u << bit % 8);
        assert_int_equal(pwrite(file, &flipped, 1, (off_t)byte), 1);
        const size_t whole = byte < small.offsets[0] ? 0 : test_chunks_before(&small, byte);
        if (whole < TEST_FIRST_FRAME) {
            td_recording *recording = NULL;
            test_expect_sentence(td_open_recording(&recording, bench->context, bench->path), TD_ERROR_FORMAT,
                                 bench->path);
        } else {
            test_expect_whole(bench, whole);
        }
        assert_int_equal(pwrite(file, &small.file.bytes[byte], 1, (off_t)byte), 1);
        if (whole < TEST_FIRST_FRAME) {
            bit += 4; // the header is large, and of no other kind than in other recordings
        }
    }
    close(file);
    free(small.file.bytes);
}

static void test_forge(test_bench *bench, const test_file *small, size_t chunk, size_t offset,
                       uint8_t value) {
    test_bytes forged = {malloc(small->file.size), small->file.size};
    assert_non_null(forged.bytes);
    memcpy(forged.bytes, small->file.bytes, forged.size);
    uint8_t *at = forged.bytes + small->offsets[chunk];
    const size_t whole = small->offsets[chunk + 1] - small->offsets[chunk] - TD_CHUNK_SUM_BYTES;
    at[TD_CHUNK_HEAD_BYTES + offset] = value;
    td_crc_tables tables;
    td_fill_crc_tables(&tables);
    td_store_little(at + whole, td_crc32(&tables, 0, at, whole), TD_CHUNK_SUM_BYTES);
    const int file = open(bench->path, O_WRONLY); // in place, which is faster by much than a new file
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, forged.bytes, forged.size, 0), (ssize_t)forged.size);
    close(file);
    free(forged.bytes);
}

// Bytes of frames whose checksums are right, as no accident makes them: what is accepted must be sound.
static void test_forged_frames(void **state) {
    test_bench *bench = *state;
    static double found[3 * SOFT_VERTICES];
    const test_file small = test_small_recording(bench);
    size_t accepted = 0, refused = 0;
    for (size_t chunk = TEST_FIRST_FRAME; chunk < TEST_FIRST_FRAME + 3; ++chunk) {
        const size_t size = small.offsets[chunk + 1] - small.offsets[chunk] - TD_CHUNK_EXTRA_BYTES;
        for (size_t offset = TD_FRAME_HEAD_BYTES; offset < size; ++offset) {
            for (unsigned value = (unsigned)(offset % 17); value < 256; value += 51) {
                test_forge(bench, &small, chunk, offset, (uint8_t)value);
                td_recording *recording = test_open(bench);
                const uint64_t frames = td_recording_about(recording).frames;
                assert_true(frames >= chunk - TEST_FIRST_FRAME);
                accepted += frames == TEST_FEW;
                refused += frames < TEST_FEW;
                for (uint64_t frame = 0; frame < frames; ++frame) {
                    assert_int_equal(td_read_positions(found, recording, frame, SOFT_SHEET), TD_OK);
                    for (size_t i = 0; i < 3 * (size_t)SOFT_VERTICES; ++i) {
                        assert_true(isfinite(found[i]));
                    }
                }
                td_close_recording(recording);
            }
        }
    }
    assert_true(accepted > 0 && refused > 0);
    free(small.file.bytes);
}

static void test_forged_header(void **state) {
    test_bench *bench = *state;
    const test_file small = test_small_recording(bench);
    const size_t body = 1 + 4 + 8 + 1; // and its name
    const size_t unit = body + strlen("ground") + body + strlen("sheet");
    td_recording *recording = NULL;
    test_forge(bench, &small, TEST_FIRST_FRAME - 1, unit + 7, 0x7f); // an exponent beyond all
    test_expect_sentence(td_open_recording(&recording, bench->context, bench->path), TD_ERROR_FORMAT,
                         "unit is not positive");
    test_forge(bench, &small, TEST_FIRST_FRAME - 1, 0, TD_BODY_SOFT + 1);
    test_expect_sentence(td_open_recording(&recording, bench->context, bench->path), TD_ERROR_FORMAT,
                         "no known kind");
    free(small.file.bytes);
}

// ---------------------------------------------------------------------------------------------------------
// Memory

static td_result test_try_read(td_recording **out, td_context *context, const char *path) {
    static double found[3 * SOFT_VERTICES];
    td_result result = td_open_recording(out, context, path);
    for (uint64_t frame = 0; frame < SOFT_BACK && result == TD_OK; frame += 10) {
        const td_recorded_contact *contacts;
        size_t count;
        result = td_read_positions(found, *out, frame, SOFT_JELLY);
        if (result == TD_OK) {
            result = td_read_contacts(&contacts, &count, *out, frame);
        }
    }
    return result;
}

static void test_failing_allocations(void **state) {
    test_bench *bench = *state;
    static test_heap heap;
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    def.allocator = test_heap_allocator(&heap);
    td_context *context = NULL;
    test_heap_recover(&heap);
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    soft_stage stage;
    soft_set_stage(&stage, bench->context);
    const long blocks = atomic_load(&heap.blocks);
    int failed = 0;
    for (int writing = 1; writing >= 0; --writing) {
        for (long at = 0;; ++at) {
            test_heap_fail(&heap, at, at + 1);
            td_recording *recording = NULL;
            const td_result result = writing != 0
                                         ? soft_try_record(context, &stage, bench->path, SOFT_AWAY + 2)
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
    assert_true(failed >= 30);
    assert_int_equal(atomic_load(&heap.mistakes), 0);
    soft_clear_stage(&stage);
    td_destroy_context(context);
}

// ---------------------------------------------------------------------------------------------------------

static void test_thinning(void **state) {
    (void)state;
    enum { COUNT = 1000, FEW = 5 };
    static td_recorded_contact contacts[COUNT + FEW];
    const bool soft[3] = {false, true, false};
    size_t count = 0;
    for (; count < FEW; ++count) {
        contacts[count] = test_contact(0, 1, (double)count, 1);
    }
    for (size_t i = 0; i < COUNT; ++i) {
        contacts[count++] = i % 2 == 0 ? test_contact(1, 2, (double)i, (double)(i % 7))
                                       : test_contact(2, 1, (double)i, (double)(i % 7));
    }
    double before = 0, after = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        before += contacts[FEW + i].impulse;
    }
    const size_t left = td_thin_contacts(contacts, count, soft);
    assert_int_equal(left, FEW + TD_SOFT_CONTACTS);
    for (size_t i = 0; i < FEW; ++i) {
        assert_true(contacts[i].point[0] == (double)i && contacts[i].impulse == 1);
    }
    for (size_t i = 0; i < TD_SOFT_CONTACTS; ++i) {
        const td_recorded_contact *contact = &contacts[FEW + i];
        const double at = contact->point[0];
        assert_true(at >= (double)(i * COUNT / TD_SOFT_CONTACTS) &&
                    at < (double)((i + 1) * COUNT / TD_SOFT_CONTACTS));
        assert_true((uint64_t)at % 7 == 6); // the strongest
        after += contact->impulse;
    }
    assert_true(before == after);
    const bool rigid[3] = {false, false, false};
    assert_int_equal(td_thin_contacts(contacts, left, rigid), left);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
                                       cmocka_unit_test(test_bad_questions),
                                       cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_cut_anywhere),
                                       cmocka_unit_test(test_flipped_bits),
                                       cmocka_unit_test(test_forged_frames),
                                       cmocka_unit_test(test_forged_header),
                                       cmocka_unit_test(test_failing_allocations),
                                       cmocka_unit_test(test_thinning)};
    return cmocka_run_group_tests(tests, test_make_bench, test_drop_bench);
}
