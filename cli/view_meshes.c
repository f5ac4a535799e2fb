#include "view_meshes.h"

#include "core/utf8.h"
#include "interrupt.h"
#include "io/record.h"
#include "message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A tenth of a second per pose, where they are played.
static const double td_pose_step = 0.1;

typedef struct td_mesh_recording {
    td_context *context;
    uint32_t count;
    td_record_mesh *meshes;
    td_record_body *bodies;
    td_pose *poses; // of one frame
    char **names;   // as texts of a recording are
    char *title;
} td_mesh_recording;

static void td_release_recording_parts(td_mesh_recording *recording) {
    for (uint32_t i = 0; recording->names && i < recording->count; ++i) {
        free(recording->names[i]);
    }
    free(recording->names);
    free(recording->title);
    free(recording->poses);
    free(recording->bodies);
    free(recording->meshes);
}

// Texts of recordings are UTF-8: what is not becomes U+FFFD. For free(), null if out of memory.
static char *td_copy_as_utf8(const char *text) {
    static const char replacement[] = "\xef\xbf\xbd";
    const size_t room = sizeof replacement - 1;
    char *copy = malloc(room * strlen(text) + 1), *to = copy;
    while (copy && *text) {
        const size_t length = td_utf8_length(text);
        memcpy(to, length ? text : replacement, length ? length : room);
        to += length ? length : room;
        text += length ? length : 1;
    }
    if (copy) {
        *to = 0;
    }
    return copy;
}

// The file without its folder: a page is shown to people who do not know where its makers keep their files. A
// built-in shape has no folder.
static const char *td_without_folder(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash && slash[1] ? slash + 1 : name;
}

// "a.obj", "a.obj and b.obj", "a.obj and 2 more"; null if out of memory.
static char *td_title(char *const *names, uint32_t count) {
    char *title = NULL;
    const int length = count == 1   ? asprintf(&title, "%s", names[0])
                       : count == 2 ? asprintf(&title, "%s and %s", names[0], names[1])
                                    : asprintf(&title, "%s and %u more", names[0], count - 1);
    return length < 0 ? NULL : title;
}

static bool td_fill_recording_parts(td_mesh_recording *recording, const td_cli_mesh *meshes) {
    const uint32_t count = recording->count;
    recording->meshes = calloc(count, sizeof *recording->meshes);
    recording->bodies = calloc(count, sizeof *recording->bodies);
    recording->poses = calloc(count, sizeof *recording->poses);
    recording->names = calloc(count, sizeof *recording->names);
    if (!recording->meshes || !recording->bodies || !recording->poses || !recording->names) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        recording->names[i] = td_copy_as_utf8(td_without_folder(meshes[i].name));
        if (!recording->names[i]) {
            return false;
        }
        recording->meshes[i] = (td_record_mesh){.name = recording->names[i], .mesh = meshes[i].mesh};
        recording->bodies[i] =
            (td_record_body){.kind = TD_BODY_STATIC, .mesh = i, .name = recording->names[i]};
        recording->poses[i] = td_pose_identity();
    }
    recording->title = td_title(recording->names, count);
    return recording->title != NULL;
}

static td_result td_record_all_poses(td_recorder *recorder, td_mesh_recording *recording,
                                     const td_pose *poses, size_t pose_count) {
    for (size_t i = 1; i < pose_count; ++i) {
        recording->poses[recording->count - 1] = poses[i];
        const td_frame_numbers numbers = {.steps = i, .time = td_pose_step * (double)i};
        const td_result result =
            td_record_state(recorder, &(td_recorded_state){.poses = recording->poses}, &numbers);
        if (result != TD_OK) {
            return result;
        }
    }
    return TD_OK;
}

static td_result td_record_to(const char *path, td_mesh_recording *recording, const td_pose *poses,
                              size_t pose_count) {
    if (pose_count > 0) {
        recording->poses[recording->count - 1] = poses[0];
    }
    const td_record_content content = {
        .scene = recording->title,
        .text = "{}", // there is no scene behind it
        .step = td_pose_step,
        .meshes = recording->meshes,
        .bodies = recording->bodies,
        .mesh_count = recording->count,
        .body_count = recording->count,
    };
    td_recorder *recorder = NULL;
    td_result result = td_begin_recorder(&recorder, recording->context, path, &content,
                                         &(td_recorded_state){.poses = recording->poses}, 0);
    if (result != TD_OK) {
        return result;
    }
    result = td_record_all_poses(recorder, recording, poses, pose_count);
    const td_result closed = td_close_recorder(recorder, NULL);
    return result != TD_OK ? result : closed;
}

// Signals are held while the temporary file has a name.
static bool td_record_nameless(int *file, td_mesh_recording *recording, const td_pose *poses,
                               size_t pose_count) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    const int length =
        snprintf(path, sizeof path, "%s/tandem-view-XXXXXX", folder && *folder ? folder : "/tmp");
    if (length < 0 || (size_t)length >= sizeof path) {
        td_cli_error("TMPDIR is too long a name: expected a folder for a temporary file");
        return false;
    }
    td_cli_hold_signals();
    *file = mkstemp(path);
    if (*file < 0) {
        td_cli_error("%s: a temporary file cannot be made: %s; expected a folder with room in TMPDIR", path,
                     strerror(errno));
        td_cli_release_signals();
        return false;
    }
    const td_result result = td_record_to(path, recording, poses, pose_count);
    unlink(path);
    td_cli_release_signals();
    if (result != TD_OK) {
        td_cli_library_error(NULL);
        close(*file);
    }
    return result == TD_OK;
}

bool td_view_record_meshes(int *file, td_cli_session *session, const td_cli_mesh *meshes, uint32_t count,
                           const td_pose *poses, size_t pose_count) {
    td_mesh_recording recording = {.context = session->context, .count = count};
    bool success = td_fill_recording_parts(&recording, meshes);
    if (!success) {
        td_cli_error("out of memory");
    } else {
        success = td_record_nameless(file, &recording, poses, pose_count);
    }
    td_release_recording_parts(&recording);
    return success;
}
