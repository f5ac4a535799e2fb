// Replays: the recorded scene is made again, on the recorded meshes, and stepped; the hash of its state must
// be that of each frame. Poses are not compared: the hash is of every bit, poses and velocities alike.
#include "../core/error.h"
#include "record.h"
#include "record_checksum.h"
#include "scene.h"

typedef struct td_replay {
    td_recording *recording;
    td_scene *scene;
    uint64_t frames; // of the recording
    uint64_t steps;  // done
    td_progress_fn *progress;
    void *progress_user;
} td_replay;

static td_result td_tell_replay(const td_replay *replay, uint64_t frame) {
    if (replay->progress != NULL && !replay->progress(frame, replay->frames, replay->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "%s: replaying was cancelled at frame %llu of %llu",
                       td_recording_path(replay->recording), (unsigned long long)frame,
                       (unsigned long long)replay->frames);
    }
    return TD_OK;
}

// Steps until the scene has done as many as the frame.
static td_result td_step_to_frame(td_replay *replay, uint64_t frame) {
    const uint64_t wanted = td_recording_steps(replay->recording, frame);
    for (; replay->steps < wanted; ++replay->steps) {
        TD_TRY(td_tell_replay(replay, frame));
        td_step_report report;
        const td_result result = td_step_scene(&report, replay->scene);
        if (result != TD_OK) {
            return td_fail_within(result, td_recording_path(replay->recording));
        }
    }
    return TD_OK;
}

// Ends at the first difference: what follows one is different anyway.
static td_result td_compare_frames(td_replay_result *out, td_replay *replay) {
    out->hash = TD_FNV_START;
    for (uint64_t frame = 0; frame < replay->frames; ++frame) {
        TD_TRY(td_step_to_frame(replay, frame));
        const uint64_t hash = td_hash_scene(replay->scene);
        out->hash = td_fnv_add(out->hash, hash);
        ++out->frames;
        if (hash != td_recording_hash(replay->recording, frame)) {
            out->first_different = frame;
            return TD_OK;
        }
    }
    out->verified = true;
    return td_tell_replay(replay, replay->frames);
}

td_result td_replay_recording_with(td_replay_result *out, td_recording *recording, const td_scene_def *def,
                                   td_progress_fn *progress, void *progress_user) {
    if (out == NULL || recording == NULL || def == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "replaying needs an output, a recording and a td_scene_def");
    }
    *out = (td_replay_result){0};
    const td_recording_info info = td_recording_about(recording);
    if (info.frames == 0) {
        return td_fail(TD_ERROR_FORMAT, "%s: has no whole frame to compare with",
                       td_recording_path(recording));
    }
    td_replay replay = {
        .recording = recording, .frames = info.frames, .progress = progress, .progress_user = progress_user};
    const char *text = td_recording_text(recording);
    const td_mesh_arrays *meshes = info.meshes > 0 ? td_recording_mesh(recording, 0) : NULL;
    TD_TRY(td_parse_scene_on_meshes(&replay.scene, td_recording_context(recording), text, strlen(text),
                                    td_recording_path(recording), def, meshes, info.meshes));
    const td_result result = td_compare_frames(out, &replay);
    td_destroy_scene(replay.scene);
    return result;
}

td_result td_replay_recording(td_replay_result *out, td_recording *recording, td_progress_fn *progress,
                              void *progress_user) {
    const td_scene_def def = td_default_scene_def();
    return td_replay_recording_with(out, recording, &def, progress, progress_user);
}
