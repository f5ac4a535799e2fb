// Recordings from bytes: if the first is odd, the checksums of all chunks are made right, so that what is
// behind them is reached. What opens must hold together: meshes in range, every frame readable in any order,
// poses that are poses.
#include "input.h"
#include "io/record_chunk.h"

#include <tandem/scene.h>

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static td_context *fuzz_context(void) {
    static td_context *context;
    if (context == NULL) {
        td_context_def def = td_default_context_def();
        def.thread_count = 1;
        if (td_create_context(&context, &def) != TD_OK) {
            abort();
        }
    }
    return context;
}

static void fuzz_mend(uint8_t *bytes, size_t size) {
    td_crc_tables tables;
    td_fill_crc_tables(&tables);
    size_t at = TD_RECORD_START_BYTES;
    while (at < size && size - at >= TD_CHUNK_EXTRA_BYTES) {
        const uint64_t payload = td_load_little(bytes + at + 4, 8);
        if (payload > size - at - TD_CHUNK_EXTRA_BYTES) {
            break;
        }
        const size_t summed = TD_CHUNK_HEAD_BYTES + (size_t)payload;
        td_store_little(bytes + at + summed, td_crc32(&tables, 0, bytes + at, summed), TD_CHUNK_SUM_BYTES);
        at += summed + TD_CHUNK_SUM_BYTES;
    }
}

static void fuzz_check_header(const td_recording *recording, const td_recording_info *info) {
    for (uint32_t i = 0; i < info->meshes; ++i) {
        const td_mesh_arrays *arrays = td_recording_mesh(recording, i);
        fuzz_require(td_recording_mesh_name(recording, i) != NULL, "a mesh without a name");
        for (size_t k = 0; k < 3 * (size_t)arrays->vertex_count; ++k) {
            fuzz_require(isfinite(arrays->positions[k]), "a coordinate that is not finite");
        }
        for (size_t k = 0; k < 3 * (size_t)arrays->triangle_count; ++k) {
            fuzz_require(arrays->triangles[k] < arrays->vertex_count, "an index out of range");
        }
    }
    for (uint32_t i = 0; i < info->bodies; ++i) {
        const td_recorded_body body = td_recording_body(recording, i);
        fuzz_require(body.mesh < info->meshes && body.kind <= TD_BODY_DYNAMIC, "a body of nothing");
        fuzz_require(strlen(body.name) < 1u << 30, "a name without an end");
    }
}

static uint64_t fuzz_read(td_pose *poses, td_recording *recording, uint64_t frame, uint32_t bodies) {
    uint64_t hash = 0;
    fuzz_require(td_read_frame(poses, &hash, recording, frame) == TD_OK, "a frame that cannot be read");
    for (uint32_t body = 0; body < bodies; ++body) {
        fuzz_require(td_check_pose(&poses[body]) == TD_OK, "a pose that is none");
    }
    return hash;
}

// Backwards the frames are found each by itself, forwards one from the other.
static void fuzz_check_frames(td_recording *recording, const td_recording_info *info) {
    const size_t room = sizeof(td_pose) * ((size_t)info->bodies + 1);
    td_pose *alone = calloc(1, room), *in_a_row = calloc(1, room);
    fuzz_require(alone != NULL && in_a_row != NULL, "out of memory");
    const uint64_t frames = info->frames < 70 ? info->frames : 70;
    for (uint64_t frame = frames; frame-- > 0;) {
        fuzz_read(alone, recording, frame, info->bodies);
    }
    uint64_t last = 0;
    for (uint64_t frame = 0; frame < frames; ++frame) {
        last = fuzz_read(in_a_row, recording, frame, info->bodies);
    }
    if (frames > 0) {
        fuzz_read(alone, recording, 0, info->bodies);
        fuzz_require(fuzz_read(alone, recording, frames - 1, info->bodies) == last, "another hash");
        fuzz_require(memcmp(alone, in_a_row, room) == 0, "another pose");
    }
    free(alone);
    free(in_a_row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    uint8_t *bytes = malloc(size);
    fuzz_require(bytes != NULL, "out of memory");
    memcpy(bytes, data + 1, size - 1);
    if ((data[0] & 1u) != 0) {
        fuzz_mend(bytes, size - 1);
    }
    const int file = memfd_create("recording", 0);
    fuzz_require(file >= 0 && write(file, bytes, size - 1) == (ssize_t)(size - 1), "no file to write to");
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    td_recording *recording = NULL;
    const td_result result = td_open_recording(&recording, fuzz_context(), path);
    if (result == TD_OK) {
        const td_recording_info info = td_recording_about(recording);
        fuzz_require(info.lost_bytes < size, "more lost than there was");
        fuzz_check_header(recording, &info);
        fuzz_check_frames(recording, &info);
        td_close_recording(recording);
    } else {
        fuzz_require(result == TD_ERROR_FORMAT, "an odd result");
        fuzz_require(strncmp(td_error_message(), path, strlen(path)) == 0,
                     "a message that does not name the file");
    }
    close(file);
    free(bytes);
    return 0;
}
