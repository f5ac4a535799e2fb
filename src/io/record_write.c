// Recorders: the file grows by one write per frame, so that what a crash leaves behind ends with a whole
// frame or with one that its checksum gives away.
#include "../core/error.h"
#include "record_frame.h"
#include "record_header.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct td_recorder {
    td_context *context;
    int file; // -1: closed
    char *path;
    size_t path_size;
    td_crc_tables tables;
    td_pose_grid grid;
    uint32_t body_count;
    td_body_id *bodies;
    td_pose *poses;
    td_grid_pose *before, *now; // per body: as last put, as to be put
    td_byte_writer writer;
    uint64_t frames, steps; // written so far; steps of the last
    uint64_t hash;
    bool failed; // a write did
};

static void td_destroy_recorder(td_recorder *recorder) {
    td_context *context = recorder->context;
    if (recorder->file >= 0) {
        close(recorder->file);
    }
    td_array_release(context, &recorder->writer.bytes);
    TD_DELETE(context, char, recorder->path, recorder->path_size);
    TD_DELETE(context, td_body_id, recorder->bodies, recorder->body_count);
    TD_DELETE(context, td_pose, recorder->poses, recorder->body_count);
    TD_DELETE(context, td_grid_pose, recorder->before, recorder->body_count);
    TD_DELETE(context, td_grid_pose, recorder->now, recorder->body_count);
    TD_DELETE(context, td_recorder, recorder, 1);
}

static td_result td_allocate_recorder(td_recorder **out, td_context *context, const char *path,
                                      uint32_t body_count) {
    td_recorder *recorder = TD_NEW(context, td_recorder, 1);
    if (recorder == NULL) {
        return TD_ERROR_MEMORY;
    }
    *recorder = (td_recorder){.context = context, .file = -1, .body_count = body_count, .hash = TD_FNV_START};
    recorder->writer.context = context;
    recorder->path_size = strlen(path) + 1;
    recorder->path = TD_NEW(context, char, recorder->path_size);
    recorder->bodies = TD_NEW(context, td_body_id, body_count);
    recorder->poses = TD_NEW(context, td_pose, body_count);
    recorder->before = TD_NEW(context, td_grid_pose, body_count);
    recorder->now = TD_NEW(context, td_grid_pose, body_count);
    if (recorder->path == NULL || recorder->bodies == NULL || recorder->poses == NULL ||
        recorder->before == NULL || recorder->now == NULL) {
        td_destroy_recorder(recorder);
        return TD_ERROR_MEMORY;
    }
    memcpy(recorder->path, path, recorder->path_size);
    for (uint32_t body = 0; body < body_count; ++body) {
        recorder->bodies[body] = (td_body_id){0};
        recorder->before[body] = (td_grid_pose){0};
    }
    td_fill_crc_tables(&recorder->tables);
    *out = recorder;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// The grid

typedef struct td_extent {
    double lower[3], upper[3];
    double smallest; // diagonal of a mesh's box
} td_extent;

static void td_extend(td_extent *extent, const td_mesh *mesh, const td_pose *pose) {
    double lower[3], upper[3], square = 0;
    td_mesh_bounds(lower, upper, mesh);
    for (unsigned corner = 0; corner < 8; ++corner) {
        double at[3], placed[3];
        for (unsigned k = 0; k < 3; ++k) {
            at[k] = (corner >> k & 1u) != 0 ? upper[k] : lower[k];
        }
        td_pose_apply(placed, pose, at);
        for (int k = 0; k < 3; ++k) {
            extent->lower[k] = fmin(extent->lower[k], placed[k]);
            extent->upper[k] = fmax(extent->upper[k], placed[k]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        square += (upper[k] - lower[k]) * (upper[k] - lower[k]);
    }
    extent->smallest = fmin(extent->smallest, sqrt(square));
}

static td_pose_grid td_grid_of(const td_record_content *content, const td_pose *poses) {
    td_extent extent = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, INFINITY};
    for (uint32_t body = 0; body < content->body_count; ++body) {
        td_extend(&extent, content->meshes[content->bodies[body].mesh].mesh, &poses[body]);
    }
    if (content->body_count == 0) {
        extent = (td_extent){0};
    }
    return td_choose_grid(extent.lower, extent.upper, extent.smallest);
}

// ---------------------------------------------------------------------------------------------------------
// Frames

// Takes back the part of a chunk that a full disk had room for. Where that fails, or the file is none that
// can be cut, it stays behind the last whole frame, and readers pass over it.
static void td_take_back(int file, off_t begin) {
    int ignored = begin >= 0 ? ftruncate(file, begin) : 0;
    (void)ignored;
}

static td_result td_write_chunk(td_recorder *recorder) {
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

static td_result td_check_poses(const td_recorder *recorder, const td_pose *poses) {
    for (uint32_t body = 0; body < recorder->body_count; ++body) {
        const td_result result = td_check_pose(&poses[body]);
        if (result != TD_OK) {
            char place[64];
            snprintf(place, sizeof place, "frame %llu, body %u", (unsigned long long)recorder->frames, body);
            return td_fail_within(td_fail_within(result, place), recorder->path);
        }
    }
    return TD_OK;
}

td_result td_record_poses(td_recorder *recorder, const td_pose *poses, const td_frame_numbers *numbers) {
    if (recorder->failed) {
        return td_fail(TD_ERROR_FILE, "%s: takes no more frames: one could not be written", recorder->path);
    }
    if (recorder->frames > 0 && numbers->steps <= recorder->steps) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: step %llu was recorded already", recorder->path,
                       (unsigned long long)numbers->steps);
    }
    TD_TRY(td_check_poses(recorder, poses));
    for (uint32_t body = 0; body < recorder->body_count; ++body) {
        recorder->now[body] = td_pose_to_grid(&poses[body], &recorder->grid);
    }
    td_byte_writer *writer = &recorder->writer;
    td_frame_numbers stamped = *numbers;
    stamped.frame = recorder->frames;
    const bool key = recorder->frames % TD_FRAMES_PER_KEY == 0;
    // Room for all of it first: `before` must not run ahead of the file when memory is short.
    TD_TRY(td_array_reserve(recorder->context, &writer->bytes,
                            (size_t)td_frame_most_bytes(recorder->body_count) + TD_CHUNK_EXTRA_BYTES));
    const size_t chunk = td_begin_chunk(writer, key ? TD_CHUNK_KEY : TD_CHUNK_FRAME);
    td_put_frame_numbers(writer, &stamped);
    td_put_poses(writer, recorder->before, recorder->now, recorder->body_count, key);
    td_end_chunk(writer, chunk, &recorder->tables);
    TD_TRY(td_write_chunk(recorder));
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

static td_result td_begin_file(td_recorder *recorder, const td_record_content *content, const td_pose *poses,
                               uint64_t hash) {
    recorder->file = open(recorder->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (recorder->file < 0) {
        return td_fail(TD_ERROR_FILE, "%s: cannot be written: %s", recorder->path, strerror(errno));
    }
    TD_TRY(td_write_header(recorder->file, recorder->path, recorder->context, &recorder->tables, content,
                           &recorder->grid));
    return td_record_poses(recorder, poses, &(td_frame_numbers){.hash = hash});
}

td_result td_begin_recorder(td_recorder **out, td_context *context, const char *path,
                            const td_record_content *content, const td_pose *poses, uint64_t hash) {
    *out = NULL;
    td_recorder *recorder;
    TD_TRY(td_allocate_recorder(&recorder, context, path, content->body_count));
    // A bad pose is told before a file that may be there already is touched.
    td_result result = td_check_poses(recorder, poses);
    if (result == TD_OK) {
        recorder->grid = td_grid_of(content, poses);
        result = td_begin_file(recorder, content, poses, hash);
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
    return td_write_chunk(recorder);
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

uint32_t td_recorder_body_count(const td_recorder *recorder) {
    return recorder->body_count;
}

td_body_id *td_recorder_bodies(td_recorder *recorder) {
    return recorder->bodies;
}

td_pose *td_recorder_poses(td_recorder *recorder) {
    return recorder->poses;
}
