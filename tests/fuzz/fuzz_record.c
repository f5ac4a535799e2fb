// Recordings from bytes: if the first is odd, the checksums of all chunks are made right, so that what is
// behind them is reached. What opens must hold together: meshes in range, every frame readable in any order,
// poses that are poses, motions and contacts of bodies that are there.
#include "contexts.h"
#include "io/record_chunk.h"

#include <tandem/scene.h>

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
        fuzz_require(body.mesh < info->meshes && body.kind <= TD_BODY_SOFT, "a body of nothing");
        fuzz_require((body.unit > 0) == (body.kind == TD_BODY_SOFT), "a unit of nothing");
        fuzz_require(strlen(body.name) < 1u << 30, "a name without an end");
    }
}

// A frame as it is read; contacts in memory of its own.
typedef struct fuzz_frame {
    uint64_t hash;
    td_pose *poses;
    td_recorded_motion *motions;
    td_recorded_contact *contacts;
    size_t contact_count;
    double *positions; // of all soft bodies
    size_t position_count;
} fuzz_frame;

static void fuzz_read_positions(fuzz_frame *out, td_recording *recording, uint64_t frame, uint32_t bodies) {
    for (uint32_t i = 0; i < bodies; ++i) {
        const td_recorded_body body = td_recording_body(recording, i);
        if (body.kind != TD_BODY_SOFT) {
            continue;
        }
        const size_t count = 3 * (size_t)td_recording_mesh(recording, body.mesh)->vertex_count;
        double *more = realloc(out->positions, (out->position_count + count) * sizeof *more);
        fuzz_require(more != NULL, "out of memory");
        out->positions = more;
        more += out->position_count;
        fuzz_require(td_read_positions(more, recording, frame, i) == TD_OK, "positions that cannot be read");
        for (size_t k = 0; k < count; ++k) {
            fuzz_require(isfinite(more[k]), "a position that is none");
        }
        out->position_count += count;
    }
}

static void fuzz_check_contact(const td_recorded_contact *contact, const td_recorded_contact *last,
                               uint32_t bodies) {
    fuzz_require(contact->a < contact->b && contact->b < bodies, "a contact of nothing");
    fuzz_require(last == NULL || last->a < contact->a || (last->a == contact->a && last->b <= contact->b),
                 "contacts that are not sorted");
    fuzz_require(isfinite(contact->impulse) && contact->impulse >= 0, "an impulse that is none");
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        fuzz_require(isfinite(contact->point[k]), "a point that is none");
        square += contact->normal[k] * contact->normal[k];
    }
    fuzz_require(fabs(square - 1) < 1e-12, "a normal that is none");
}

static fuzz_frame fuzz_read(td_recording *recording, uint64_t frame, uint32_t bodies) {
    fuzz_frame out = {.poses = calloc((size_t)bodies + 1, sizeof *out.poses),
                      .motions = calloc((size_t)bodies + 1, sizeof *out.motions)};
    const td_recorded_contact *contacts;
    td_step_report report;
    fuzz_require(out.poses != NULL && out.motions != NULL, "out of memory");
    fuzz_require(td_read_contacts(&contacts, &out.contact_count, recording, frame) == TD_OK &&
                     td_read_frame(out.poses, &out.hash, recording, frame) == TD_OK &&
                     td_read_motions(out.motions, recording, frame) == TD_OK &&
                     td_read_report(&report, recording, frame) == TD_OK,
                 "a frame that cannot be read");
    out.contacts = calloc(out.contact_count + 1, sizeof *out.contacts);
    fuzz_require(out.contacts != NULL, "out of memory");
    for (size_t i = 0; i < out.contact_count; ++i) {
        fuzz_check_contact(&contacts[i], i > 0 ? &contacts[i - 1] : NULL, bodies);
        memcpy(&out.contacts[i], &contacts[i], sizeof *contacts);
    }
    for (uint32_t body = 0; body < bodies; ++body) {
        fuzz_require(td_check_pose(&out.poses[body]) == TD_OK, "a pose that is none");
        fuzz_require(isfinite(out.motions[body].speed) && out.motions[body].speed >= 0,
                     "a speed that is none");
    }
    fuzz_read_positions(&out, recording, frame, bodies);
    fuzz_require(report.total_ms >= 0 && isfinite(report.total_ms), "a time that is none");
    return out;
}

static void fuzz_release(fuzz_frame *frame) {
    free(frame->poses);
    free(frame->motions);
    free(frame->contacts);
    free(frame->positions);
}

static bool fuzz_same(const fuzz_frame *a, const fuzz_frame *b, uint32_t bodies) {
    bool same = a->hash == b->hash && a->contact_count == b->contact_count &&
                memcmp(a->poses, b->poses, bodies * sizeof *a->poses) == 0;
    for (uint32_t body = 0; body < bodies; ++body) {
        same = same && a->motions[body].speed == b->motions[body].speed &&
               a->motions[body].awake == b->motions[body].awake;
    }
    same = same && a->position_count == b->position_count &&
           (a->position_count == 0 ||
            memcmp(a->positions, b->positions, a->position_count * sizeof *a->positions) == 0);
    return same && memcmp(a->contacts, b->contacts, a->contact_count * sizeof *a->contacts) == 0;
}

// Backwards the frames are found each by itself, forwards one from the other.
static void fuzz_check_frames(td_recording *recording, const td_recording_info *info) {
    enum { MOST = 70 };
    fuzz_frame alone[MOST];
    const uint64_t frames = info->frames < MOST ? info->frames : MOST;
    for (uint64_t frame = frames; frame-- > 0;) {
        alone[frame] = fuzz_read(recording, frame, info->bodies);
    }
    for (uint64_t frame = 0; frame < frames; ++frame) {
        fuzz_frame in_a_row = fuzz_read(recording, frame, info->bodies);
        fuzz_require(fuzz_same(&alone[frame], &in_a_row, info->bodies), "another frame");
        fuzz_release(&in_a_row);
        fuzz_release(&alone[frame]);
    }
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
