// What recordings are asked for. Frames are read then, from the key frame before them or from the frame that
// was read last.
#include "../core/error.h"
#include "record_recording.h"

// ---------------------------------------------------------------------------------------------------------
// Frames

// A frame that was whole when the recording was opened is not any more if somebody wrote to the file since.
static td_result td_read_place(td_recording *recording, uint64_t frame) {
    const uint64_t offset = recording->frames.items[frame].offset;
    bool valid;
    TD_TRY(td_read_frame_at(&valid, recording, offset, frame));
    if (!valid) {
        return td_fail(TD_ERROR_FORMAT, "%s: frame %llu at byte %llu changed since the recording was opened",
                       recording->path, (unsigned long long)frame, (unsigned long long)offset);
    }
    return TD_OK;
}

// Holds the frame.
static td_result td_seek_frame(td_recording *recording, uint64_t frame) {
    if (frame >= recording->frames.count) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: there is no frame %llu: the recording has %llu",
                       recording->path, (unsigned long long)frame,
                       (unsigned long long)recording->frames.count);
    }
    uint64_t next = recording->frames.items[frame].key;
    if (recording->holds_frame && recording->numbers.frame >= next && recording->numbers.frame <= frame) {
        next = recording->numbers.frame + 1;
    }
    for (; next <= frame; ++next) {
        TD_TRY(td_read_place(recording, next));
    }
    return TD_OK;
}

static void td_poses_from_grid(td_pose *poses, const td_recording *recording) {
    for (uint32_t body = 0; body < recording->header.body_count; ++body) {
        poses[body] = recording->cast.bodies[body].kind == TD_BODY_SOFT
                          ? td_pose_identity()
                          : td_pose_from_grid(&recording->frame.poses[body], &recording->header.grid);
    }
}

td_result td_read_frame_numbers(td_pose *poses, td_frame_numbers *out, td_recording *recording,
                                uint64_t frame) {
    if (out == NULL || recording == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "reading a frame needs an output and a recording");
    }
    TD_TRY(td_seek_frame(recording, frame));
    *out = recording->numbers;
    if (poses != NULL) {
        td_poses_from_grid(poses, recording);
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

td_result td_read_centred_frame(td_pose *poses, td_recording *recording, uint64_t frame) {
    TD_TRY(td_seek_frame(recording, frame));
    td_poses_from_grid(poses, recording);
    for (uint32_t i = 0; i < recording->soft.count; ++i) {
        const td_soft_body *soft = &recording->soft.items[i];
        td_soft_centre(poses[soft->body].position, soft, recording->soft.origin);
    }
    return TD_OK;
}

td_result td_read_report(td_step_report *out, td_recording *recording, uint64_t frame) {
    td_frame_numbers numbers = {0};
    TD_TRY(td_read_frame_numbers(NULL, out != NULL ? &numbers : NULL, recording, frame));
    *out = (td_step_report){0};
    if (frame == 0) {
        return TD_OK;
    }
    const float *ms = recording->frames.items[frame].times.ms;
    *out = (td_step_report){.step = numbers.steps - 1,
                            .time = numbers.time,
                            .bodies = recording->header.body_count,
                            .awake = numbers.awake,
                            .islands = numbers.islands,
                            .broad_pairs = numbers.broad_pairs,
                            .colliding_pairs = numbers.colliding_pairs,
                            .faces = numbers.faces,
                            .regions = numbers.regions,
                            .contacts = numbers.contacts,
                            .passes = numbers.passes,
                            .stopped_bodies = numbers.stopped_bodies,
                            .residual = numbers.residual,
                            .kinetic_energy = numbers.kinetic_energy,
                            .potential_energy = numbers.potential_energy,
                            .penetration = numbers.penetration,
                            .colours = numbers.colours,
                            .total_ms = ms[TD_STAGE_TOTAL],
                            .broad_ms = ms[TD_STAGE_BROAD],
                            .traversal_ms = ms[TD_STAGE_TRAVERSAL],
                            .contacts_ms = ms[TD_STAGE_CONTACTS],
                            .solver_ms = ms[TD_STAGE_SOLVER],
                            .copy_ms = ms[TD_STAGE_COPY],
                            .kernel_ms = ms[TD_STAGE_KERNEL]};
    return TD_OK;
}

td_result td_read_motions(td_recorded_motion *out, td_recording *recording, uint64_t frame) {
    if (out == NULL || recording == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_read_motions needs an output and a recording");
    }
    TD_TRY(td_seek_frame(recording, frame));
    for (uint32_t body = 0; body < recording->header.body_count; ++body) {
        out[body] = td_motion_from_grid(recording->frame.motions[body], recording->cast.bodies[body].kind);
    }
    return TD_OK;
}

td_result td_read_positions(double *out, td_recording *recording, uint64_t frame, uint32_t body) {
    if (out == NULL || recording == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_read_positions needs an output and a recording");
    }
    if (body >= recording->header.body_count || recording->cast.bodies[body].kind != TD_BODY_SOFT) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: body %u is not soft: it has no positions", recording->path,
                       body);
    }
    TD_TRY(td_seek_frame(recording, frame));
    td_soft_from_grid(out, &recording->soft.items[recording->cast.bodies[body].soft], recording->soft.origin);
    return TD_OK;
}

td_result td_read_contacts(const td_recorded_contact **out, size_t *count, td_recording *recording,
                           uint64_t frame) {
    if (out == NULL || count == NULL || recording == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_read_contacts needs an output, a count and a recording");
    }
    *out = NULL;
    *count = 0;
    TD_TRY(td_seek_frame(recording, frame));
    const td_grid_contacts *contacts = &recording->frame.contacts;
    recording->contacts.count = 0;
    TD_TRY(td_array_reserve(recording->context, &recording->contacts, contacts->count));
    td_poses_from_grid(recording->poses, recording);
    for (uint32_t i = 0; i < recording->soft.count && contacts->count > 0; ++i) {
        recording->cast.soft_boxes[i] = td_soft_box(&recording->soft.items[i], recording->soft.origin);
    }
    for (size_t i = 0; i < contacts->count; ++i) {
        recording->contacts.items[recording->contacts.count++] =
            td_contact_from_grid(&contacts->items[i], &recording->cast, recording->poses);
    }
    *out = recording->contacts.items;
    *count = recording->contacts.count;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// The header

td_recording_info td_recording_about(const td_recording *recording) {
    return (td_recording_info){.scene = recording->header.scene,
                               .step = recording->header.step,
                               .bodies = recording->header.body_count,
                               .meshes = recording->header.mesh_count,
                               .frames = recording->frames.count,
                               .complete = recording->complete,
                               .timed = recording->timed,
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
