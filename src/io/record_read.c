// Opening recordings: the header is read, and every frame once, because only then it is known where the good
// ones end.
#include "../core/error.h"
#include "record_recording.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------------
// One frame

// Takes the frame of the chunk that was just read, behind the one that is held.
static td_result td_take_chunk(bool *valid, td_recording *recording, const td_chunk *chunk, uint64_t frame) {
    const bool key = chunk->kind == TD_CHUNK_KEY, follows = recording->holds_frame;
    *valid = false;
    recording->holds_frame = false;
    if (chunk->state != TD_CHUNK_WHOLE || (!key && (chunk->kind != TD_CHUNK_FRAME || !follows))) {
        return TD_OK;
    }
    td_byte_reader reader = td_read_bytes_of(&recording->payload);
    const td_frame_terms terms = {&recording->cast, &recording->soft};
    TD_TRY(td_take_frame(valid, &recording->numbers, &recording->frame, &recording->spare, recording->context,
                         &reader, &terms, key));
    *valid = *valid && recording->numbers.frame == frame;
    recording->holds_frame = *valid;
    return TD_OK;
}

td_result td_read_frame_at(bool *valid, td_recording *recording, uint64_t offset, uint64_t frame) {
    td_chunk chunk;
    *valid = false;
    TD_TRY(td_read_chunk(&chunk, &recording->payload, recording->context, &recording->source, offset));
    return td_take_chunk(valid, recording, &chunk, frame);
}

// ---------------------------------------------------------------------------------------------------------
// Finding the frames

static bool td_is_end(const td_recording *recording, const td_chunk *chunk) {
    if (chunk->state != TD_CHUNK_WHOLE || chunk->kind != TD_CHUNK_END) {
        return false;
    }
    td_byte_reader reader = td_read_bytes_of(&recording->payload);
    const uint64_t frames = td_take_u64(&reader), hash = td_take_u64(&reader);
    return !reader.failed && td_bytes_left(&reader) == 0 && frames == recording->frames.count &&
           hash == recording->hash;
}

// The times of the last frame, which it has not yet.
static bool td_take_time(td_recording *recording, const td_chunk *chunk, bool frame_before) {
    if (chunk->state != TD_CHUNK_WHOLE || chunk->kind != TD_CHUNK_TIME || !frame_before) {
        return false;
    }
    const size_t last = recording->frames.count - 1;
    td_byte_reader reader = td_read_bytes_of(&recording->payload);
    td_record_times times;
    if (!td_take_times(&reader, &times, last)) {
        return false;
    }
    recording->frames.items[last].times = times;
    recording->timed = true;
    return true;
}

static td_result td_add_frame(bool *valid, td_recording *recording, const td_chunk *chunk) {
    const size_t frame = recording->frames.count;
    const td_frame_place *last = frame > 0 ? &recording->frames.items[frame - 1] : NULL;
    TD_TRY(td_take_chunk(valid, recording, chunk, frame));
    const td_frame_numbers *numbers = &recording->numbers;
    *valid = *valid && (last == NULL || numbers->steps > last->steps);
    if (!*valid) {
        return TD_OK;
    }
    const td_frame_place place = {.offset = recording->good_bytes,
                                  .key = chunk->kind == TD_CHUNK_KEY || last == NULL ? frame : last->key,
                                  .steps = numbers->steps,
                                  .hash = numbers->hash};
    TD_TRY(td_array_reserve(recording->context, &recording->frames, 1));
    recording->frames.items[recording->frames.count++] = place;
    recording->hash = td_fnv_add(recording->hash, numbers->hash);
    return TD_OK;
}

static td_result td_find_frames(td_recording *recording) {
    recording->good_bytes = recording->header.bytes;
    recording->hash = TD_FNV_START;
    bool frame_before = false; // the last chunk is a frame
    for (bool valid = true; valid && !recording->complete;) {
        td_chunk chunk;
        TD_TRY(td_read_chunk(&chunk, &recording->payload, recording->context, &recording->source,
                             recording->good_bytes));
        recording->complete = td_is_end(recording, &chunk);
        if (!recording->complete && !td_take_time(recording, &chunk, frame_before)) {
            TD_TRY(td_add_frame(&valid, recording, &chunk));
            frame_before = true;
        } else {
            frame_before = false;
        }
        recording->good_bytes = valid ? chunk.next : recording->good_bytes;
    }
    recording->holds_frame = false;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Opening and closing

static td_result td_open_source(td_recording *recording) {
    const int file = open(recording->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe must not block
    struct stat status;
    recording->source.file = file;
    if (file < 0 || fstat(file, &status) != 0) {
        return td_fail(TD_ERROR_FILE, "%s: cannot be opened: %s", recording->path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return td_fail(TD_ERROR_FILE,
                       "%s: is no regular file: expected a recording that can be read anywhere",
                       recording->path);
    }
    recording->source.size = (uint64_t)status.st_size;
    return TD_OK;
}

static void td_fill_cast(td_cast *cast, const td_record_header *header) {
    for (uint32_t body = 0; body < header->body_count; ++body) {
        cast->bodies[body] =
            (td_cast_body){.kind = header->bodies[body].kind, .mesh = header->bodies[body].mesh};
    }
    for (uint32_t i = 0; i < header->mesh_count; ++i) {
        const td_mesh_arrays *mesh = &header->meshes[i];
        for (size_t vertex = 0; vertex < mesh->vertex_count; ++vertex) {
            td_extend_box(&cast->boxes[i], mesh->positions + 3 * vertex);
        }
    }
}

static td_result td_begin_soft_bodies(td_recording *recording) {
    const td_record_header *header = &recording->header;
    TD_TRY(td_number_soft_bodies(&recording->cast, recording->context));
    TD_TRY(td_create_soft_bodies(&recording->soft, recording->context, recording->cast.soft_count,
                                 header->grid.origin));
    for (uint32_t body = 0; body < header->body_count; ++body) {
        const td_recorded_body *recorded = &header->bodies[body];
        if (recorded->kind == TD_BODY_SOFT) {
            recording->soft.items[recording->cast.bodies[body].soft] =
                (td_soft_body){.body = body,
                               .vertex_count = header->meshes[recorded->mesh].vertex_count,
                               .unit = recorded->unit};
        }
    }
    return TD_OK;
}

static td_result td_read_recording(td_recording *recording) {
    TD_TRY(td_open_source(recording));
    TD_TRY(td_read_header(&recording->header, recording->context, &recording->source));
    const uint32_t bodies = recording->header.body_count;
    recording->poses = TD_NEW(recording->context, td_pose, bodies);
    if (recording->poses == NULL) {
        return TD_ERROR_MEMORY;
    }
    TD_TRY(td_create_frame(&recording->frame, recording->context, bodies));
    TD_TRY(td_create_frame(&recording->spare, recording->context, bodies));
    TD_TRY(td_create_cast(&recording->cast, recording->context, bodies, recording->header.mesh_count));
    td_fill_cast(&recording->cast, &recording->header);
    TD_TRY(td_begin_soft_bodies(recording));
    return td_find_frames(recording);
}

td_result td_open_recording(td_recording **out, td_context *context, const char *path) {
    if (out == NULL || context == NULL || path == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_open_recording needs an output, a context and a path");
    }
    *out = NULL;
    td_recording *recording = TD_NEW(context, td_recording, 1);
    if (recording == NULL) {
        return TD_ERROR_MEMORY;
    }
    *recording = (td_recording){.context = context, .path_size = strlen(path) + 1};
    recording->source = (td_chunk_source){.file = -1};
    recording->path = TD_NEW(context, char, recording->path_size);
    td_result result = TD_ERROR_MEMORY;
    if (recording->path != NULL) {
        memcpy(recording->path, path, recording->path_size);
        td_fill_crc_tables(&recording->tables);
        recording->source.path = recording->path;
        recording->source.tables = &recording->tables;
        result = td_read_recording(recording);
    }
    if (result != TD_OK) {
        td_close_recording(recording);
        return result;
    }
    *out = recording;
    return TD_OK;
}

void td_close_recording(td_recording *recording) {
    if (recording == NULL) {
        return;
    }
    td_context *context = recording->context;
    if (recording->source.file >= 0) {
        close(recording->source.file);
    }
    TD_DELETE(context, td_pose, recording->poses, recording->header.body_count);
    td_array_release(context, &recording->contacts);
    td_release_frame(&recording->frame, context);
    td_release_frame(&recording->spare, context);
    td_release_soft_bodies(&recording->soft, context);
    td_release_cast(&recording->cast, context);
    td_release_header(&recording->header, context);
    td_array_release(context, &recording->frames);
    td_array_release(context, &recording->payload);
    TD_DELETE(context, char, recording->path, recording->path_size);
    TD_DELETE(context, td_recording, recording, 1);
}
