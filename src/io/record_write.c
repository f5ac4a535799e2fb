// Recorders: the file grows by one write per frame, so that what a crash leaves behind ends with a whole
// frame or with one that its checksum gives away.
#include "../core/error.h"
#include "record_header.h"
#include "record_recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------------
// Frames

// Takes back the part of a chunk that a full disk had room for. Where that fails, or the file is none that
// can be cut, it stays behind the last whole frame, and readers pass over it.
static void td_take_back(int file, off_t begin) {
    int ignored = begin >= 0 ? ftruncate(file, begin) : 0;
    (void)ignored;
}

static td_result td_write_chunks(td_recorder *recorder) {
    td_byte_writer *writer = &recorder->writer;
    td_result result = writer->result;
    if (result == TD_OK) {
        const off_t begin = lseek(recorder->file, 0, SEEK_CUR);
        result = td_write_file(recorder->file, recorder->path, writer->bytes.items, writer->bytes.count);
        if (result != TD_OK) {
            recorder->failed = true;
            td_take_back(recorder->file, begin);
        }
    }
    writer->bytes.count = 0;
    writer->result = TD_OK;
    return result;
}

static td_result td_check_positions(const td_soft_body *soft, const double *positions) {
    if (positions == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "is soft: expected its positions");
    }
    for (size_t i = 0; i < 3 * (size_t)soft->vertex_count; ++i) {
        if (!isfinite(positions[i])) {
            return td_fail(TD_ERROR_POSE, "vertex %zu: %c is %g, expected a finite number", i / 3,
                           "xyz"[i % 3], positions[i]);
        }
    }
    return TD_OK;
}

static td_result td_check_places(const td_recorder *recorder, const td_recorded_state *state) {
    for (uint32_t body = 0; body < recorder->body_count; ++body) {
        const td_cast_body *cast = &recorder->cast.bodies[body];
        const td_result result =
            cast->kind == TD_BODY_SOFT
                ? td_check_positions(&recorder->soft.items[cast->soft],
                                     state->positions != NULL ? state->positions[body] : NULL)
                : td_check_pose(&state->poses[body]);
        if (result != TD_OK) {
            char place[64];
            snprintf(place, sizeof place, "frame %llu, body %u", (unsigned long long)recorder->frames, body);
            return td_fail_within(td_fail_within(result, place), recorder->path);
        }
    }
    return TD_OK;
}

// The pair of a contact, the lesser body first.
static td_grid_contact td_pair_of(const td_recorded_contact *contact) {
    const bool swapped = contact->a > contact->b;
    return (td_grid_contact){.a = swapped ? contact->b : contact->a, .b = swapped ? contact->a : contact->b};
}

static td_result td_check_contacts(const td_recorder *recorder, const td_recorded_state *state) {
    td_grid_contact last = {0};
    for (size_t i = 0; i < state->contact_count; ++i) {
        const td_grid_contact pair = td_pair_of(&state->contacts[i]);
        if (pair.a == pair.b || pair.b >= recorder->body_count) {
            return td_fail(TD_ERROR_ARGUMENT, "%s: contact %zu is of the bodies %u and %u, which are no pair",
                           recorder->path, i, pair.a, pair.b);
        }
        if (td_compare_contacts(&last, &pair) > 0) {
            return td_fail(TD_ERROR_ARGUMENT, "%s: contact %zu is not in the order of the bodies",
                           recorder->path, i);
        }
        last = pair;
    }
    return TD_OK;
}

static td_result td_check_state(const td_recorder *recorder, const td_recorded_state *state) {
    TD_TRY(td_check_places(recorder, state));
    return td_check_contacts(recorder, state);
}

static td_result td_state_to_grid(td_recorder *recorder, const td_recorded_state *state) {
    td_grid_frame *now = &recorder->now;
    const td_recorded_motion still = {.awake = true};
    for (uint32_t body = 0; body < recorder->body_count; ++body) {
        now->poses[body] = recorder->cast.bodies[body].kind == TD_BODY_SOFT
                               ? (td_grid_pose){.largest = 3}
                               : td_pose_to_grid(&state->poses[body], &recorder->grid);
        now->motions[body] = td_motion_to_grid(state->motions != NULL ? &state->motions[body] : &still,
                                               recorder->cast.bodies[body].kind);
    }
    for (uint32_t i = 0; i < recorder->soft.count; ++i) {
        td_soft_body *soft = &recorder->soft.items[i];
        TD_TRY(td_soft_to_grid(soft, recorder->context, state->positions[soft->body], recorder->soft.origin));
        recorder->cast.soft_boxes[i] = td_soft_box(soft, recorder->soft.origin);
    }
    now->contacts.count = 0;
    TD_TRY(td_array_reserve(recorder->context, &now->contacts, state->contact_count));
    for (size_t i = 0; i < state->contact_count; ++i) {
        now->contacts.items[now->contacts.count++] =
            td_contact_to_grid(&state->contacts[i], &recorder->cast, state->poses);
    }
    return TD_OK;
}

static td_result td_write_frame(td_recorder *recorder, const td_frame_numbers *numbers,
                                const td_record_times *times) {
    td_byte_writer *writer = &recorder->writer;
    const bool key = recorder->frames % TD_FRAMES_PER_KEY == 0 ||
                     !td_frame_can_follow(&recorder->now, &recorder->before, &recorder->cast);
    // Room for all of it first: `before` must not run ahead of the file when memory is short.
    TD_TRY(td_array_reserve(recorder->context, &writer->bytes,
                            (size_t)td_frame_most_bytes(&recorder->now, &recorder->soft) + TD_TIME_BYTES +
                                2 * (size_t)TD_CHUNK_EXTRA_BYTES));
    size_t chunk = td_begin_chunk(writer, key ? TD_CHUNK_KEY : TD_CHUNK_FRAME);
    const td_frame_terms terms = {&recorder->cast, &recorder->soft};
    td_put_frame(writer, numbers, &recorder->before, &recorder->now, &terms, key);
    td_end_chunk(writer, chunk, &recorder->tables);
    if (times != NULL) {
        chunk = td_begin_chunk(writer, TD_CHUNK_TIME);
        td_put_times(writer, times, numbers->frame);
        td_end_chunk(writer, chunk, &recorder->tables);
    }
    return td_write_chunks(recorder);
}

td_result td_record_state(td_recorder *recorder, const td_recorded_state *state,
                          const td_frame_numbers *numbers) {
    if (recorder->failed) {
        return td_fail(TD_ERROR_FILE, "%s: takes no more frames: one could not be written", recorder->path);
    }
    if (recorder->frames > 0 && numbers->steps <= recorder->steps) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: step %llu was recorded already", recorder->path,
                       (unsigned long long)numbers->steps);
    }
    TD_TRY(td_check_state(recorder, state));
    TD_TRY(td_state_to_grid(recorder, state));
    td_frame_numbers stamped = *numbers;
    stamped.frame = recorder->frames;
    TD_TRY(td_write_frame(recorder, &stamped, state->times));
    ++recorder->frames;
    recorder->steps = stamped.steps;
    recorder->hash = td_fnv_add(recorder->hash, stamped.hash);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Beginning and end

// A file without a whole header is of no use.
static void td_remove_file(const td_recorder *recorder) {
    struct stat status;
    if (recorder->file >= 0 && fstat(recorder->file, &status) == 0 && S_ISREG(status.st_mode)) {
        unlink(recorder->path);
    }
}

static td_result td_begin_file(td_recorder *recorder, const td_record_content *content,
                               const td_recorded_state *state, uint64_t hash) {
    recorder->file = open(recorder->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (recorder->file < 0) {
        return td_fail(TD_ERROR_FILE, "%s: cannot be written: %s", recorder->path, strerror(errno));
    }
    TD_TRY(td_write_header(recorder->file, recorder->path, recorder->context, &recorder->tables, content,
                           &recorder->grid, &recorder->soft));
    return td_record_state(recorder, state, &(td_frame_numbers){.hash = hash});
}

td_result td_begin_recorder(td_recorder **out, td_context *context, const char *path,
                            const td_record_content *content, const td_recorded_state *state, uint64_t hash) {
    *out = NULL;
    td_recorder *recorder;
    TD_TRY(td_allocate_recorder(&recorder, context, path, content, state));
    // A bad state is told before a file that may be there already is touched.
    td_result result = td_check_state(recorder, state);
    if (result == TD_OK) {
        result = td_begin_file(recorder, content, state, hash);
    }
    if (result != TD_OK) {
        td_remove_file(recorder);
        td_destroy_recorder(recorder);
        return result;
    }
    *out = recorder;
    return TD_OK;
}

static td_result td_write_end(td_recorder *recorder) {
    if (recorder->failed) {
        return td_fail(TD_ERROR_FILE, "%s: is not complete: a frame could not be written", recorder->path);
    }
    td_byte_writer *writer = &recorder->writer;
    const size_t chunk = td_begin_chunk(writer, TD_CHUNK_END);
    td_put_u64(writer, recorder->frames);
    td_put_u64(writer, recorder->hash);
    td_end_chunk(writer, chunk, &recorder->tables);
    return td_write_chunks(recorder);
}

td_result td_close_recorder(td_recorder *recorder, uint64_t *hash) {
    if (hash != NULL) {
        *hash = 0;
    }
    if (recorder == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_close_recorder needs a recorder");
    }
    if (hash != NULL) {
        *hash = recorder->hash;
    }
    td_result result = td_write_end(recorder);
    const int file = recorder->file;
    recorder->file = -1;
    if (close(file) != 0 && result == TD_OK) {
        result = td_fail(TD_ERROR_FILE, "%s: could not be written completely: %s", recorder->path,
                         strerror(errno));
    }
    td_destroy_recorder(recorder);
    return result;
}

td_context *td_recorder_context(const td_recorder *recorder) {
    return recorder->context;
}

td_scene_cache *td_recorder_cache(td_recorder *recorder) {
    return &recorder->cache;
}
