// Recordings: the header is held, of the frames only where they are. Frames are read when they are asked for,
// from the key frame before them or from the frame that was read last.
#include "../core/error.h"
#include "record_frame.h"
#include "record_header.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct td_frame_place {
    uint64_t offset; // of its chunk
    uint64_t key;    // the last key frame up to it
    uint64_t steps, hash;
} td_frame_place;

struct td_recording {
    td_context *context;
    char *path;
    size_t path_size;
    td_crc_tables tables;
    td_chunk_source source;
    td_record_header header;
    TD_ARRAY(td_frame_place) frames;
    uint64_t hash;
    uint64_t good_bytes; // up to the end of the last whole frame, or of the end mark
    bool complete;
    // The frame that was read last.
    td_record_bytes payload;
    td_grid_pose *poses;
    td_frame_numbers numbers;
    bool has_poses; // these two are those of a frame
};

// ---------------------------------------------------------------------------------------------------------
// One frame

typedef enum td_frame_state { TD_FRAME_WHOLE, TD_FRAME_BAD } td_frame_state;

// Takes the frame of the chunk that was just read, behind the one that `poses` holds.
static td_frame_state td_take_frame(td_recording *recording, const td_chunk *chunk, uint64_t frame) {
    const bool key = chunk->kind == TD_CHUNK_KEY, follows = recording->has_poses;
    if (chunk->state != TD_CHUNK_WHOLE || (!key && (chunk->kind != TD_CHUNK_FRAME || !follows))) {
        return TD_FRAME_BAD;
    }
    td_byte_reader reader = td_read_bytes_of(&recording->payload);
    const td_frame_numbers numbers = td_take_frame_numbers(&reader);
    recording->has_poses = false;
    if (reader.failed || numbers.frame != frame ||
        !td_take_poses(&reader, recording->poses, recording->header.body_count, key)) {
        return TD_FRAME_BAD;
    }
    recording->numbers = numbers;
    recording->has_poses = true;
    return TD_FRAME_WHOLE;
}

static td_result td_read_any_chunk(td_chunk *out, td_recording *recording, uint64_t offset) {
    return td_read_chunk(out, &recording->payload, recording->context, &recording->source, offset,
                         td_frame_most_bytes(recording->header.body_count));
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

// Every frame is read once: only then it is known where the good ones end.
static td_result td_find_frames(td_recording *recording) {
    recording->good_bytes = recording->header.bytes;
    recording->hash = TD_FNV_START;
    uint64_t key = 0, steps = 0;
    for (;;) {
        td_chunk chunk;
        const uint64_t frame = recording->frames.count;
        TD_TRY(td_read_any_chunk(&chunk, recording, recording->good_bytes));
        if (td_is_end(recording, &chunk)) {
            recording->complete = true;
            recording->good_bytes = chunk.next;
            break;
        }
        if (td_take_frame(recording, &chunk, frame) != TD_FRAME_WHOLE ||
            (frame > 0 && recording->numbers.steps <= steps)) {
            break;
        }
        key = chunk.kind == TD_CHUNK_KEY ? frame : key;
        steps = recording->numbers.steps;
        TD_TRY(td_array_reserve(recording->context, &recording->frames, 1));
        recording->frames.items[recording->frames.count++] =
            (td_frame_place){recording->good_bytes, key, steps, recording->numbers.hash};
        recording->hash = td_fnv_add(recording->hash, recording->numbers.hash);
        recording->good_bytes = chunk.next;
    }
    recording->has_poses = false;
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

static td_result td_read_recording(td_recording *recording) {
    TD_TRY(td_open_source(recording));
    TD_TRY(td_read_header(&recording->header, recording->context, &recording->source));
    recording->poses = TD_NEW(recording->context, td_grid_pose, recording->header.body_count);
    if (recording->poses == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t body = 0; body < recording->header.body_count; ++body) {
        recording->poses[body] = (td_grid_pose){0};
    }
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
    TD_DELETE(context, td_grid_pose, recording->poses, recording->header.body_count);
    td_release_header(&recording->header, context);
    td_array_release(context, &recording->frames);
    td_array_release(context, &recording->payload);
    TD_DELETE(context, char, recording->path, recording->path_size);
    TD_DELETE(context, td_recording, recording, 1);
}

// ---------------------------------------------------------------------------------------------------------
// Asking

// A frame that was whole when the recording was opened is not any more if somebody wrote to the file since.
static td_result td_read_place(td_recording *recording, uint64_t frame) {
    td_chunk chunk;
    TD_TRY(td_read_any_chunk(&chunk, recording, recording->frames.items[frame].offset));
    if (td_take_frame(recording, &chunk, frame) != TD_FRAME_WHOLE) {
        recording->has_poses = false;
        return td_fail(TD_ERROR_FORMAT, "%s: frame %llu at byte %llu changed since the recording was opened",
                       recording->path, (unsigned long long)frame,
                       (unsigned long long)recording->frames.items[frame].offset);
    }
    return TD_OK;
}

td_result td_read_frame_numbers(td_pose *poses, td_frame_numbers *out, td_recording *recording,
                                uint64_t frame) {
    if (out == NULL || recording == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "reading a frame needs an output and a recording");
    }
    if (frame >= recording->frames.count) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: there is no frame %llu: the recording has %llu",
                       recording->path, (unsigned long long)frame,
                       (unsigned long long)recording->frames.count);
    }
    uint64_t next = recording->frames.items[frame].key;
    if (recording->has_poses && recording->numbers.frame >= next && recording->numbers.frame <= frame) {
        next = recording->numbers.frame + 1;
    }
    for (; next <= frame; ++next) {
        TD_TRY(td_read_place(recording, next));
    }
    *out = recording->numbers;
    for (uint32_t body = 0; poses != NULL && body < recording->header.body_count; ++body) {
        poses[body] = td_pose_from_grid(&recording->poses[body], &recording->header.grid);
    }
    return TD_OK;
}

td_result td_read_frame(td_pose *poses, uint64_t *hash, td_recording *recording, uint64_t frame) {
    td_frame_numbers numbers = {0};
    TD_TRY(td_read_frame_numbers(poses, &numbers, recording, frame));
    if (hash != NULL) {
        *hash = numbers.hash;
    }
    return TD_OK;
}

td_recording_info td_recording_about(const td_recording *recording) {
    return (td_recording_info){.scene = recording->header.scene,
                               .step = recording->header.step,
                               .bodies = recording->header.body_count,
                               .meshes = recording->header.mesh_count,
                               .frames = recording->frames.count,
                               .complete = recording->complete,
                               .lost_bytes = recording->source.size - recording->good_bytes,
                               .hash = recording->hash};
}

td_recorded_body td_recording_body(const td_recording *recording, uint32_t body) {
    return recording->header.bodies[body];
}

const td_mesh_arrays *td_recording_mesh(const td_recording *recording, uint32_t mesh) {
    return &recording->header.meshes[mesh];
}

const char *td_recording_mesh_name(const td_recording *recording, uint32_t mesh) {
    return (const char *)recording->header.mesh_names[mesh].items;
}

td_context *td_recording_context(const td_recording *recording) {
    return recording->context;
}

const char *td_recording_path(const td_recording *recording) {
    return recording->path;
}

const char *td_recording_text(const td_recording *recording) {
    return recording->header.text;
}

const char *td_recording_version(const td_recording *recording) {
    return recording->header.version;
}

td_pose_grid td_recording_grid(const td_recording *recording) {
    return recording->header.grid;
}

uint64_t td_recording_hash(const td_recording *recording, uint64_t frame) {
    return recording->frames.items[frame].hash;
}

uint64_t td_recording_steps(const td_recording *recording, uint64_t frame) {
    return recording->frames.items[frame].steps;
}
