#include "view_source.h"

#include "io/path.h"
#include "io/record_chunk.h"
#include "message.h"
#include "view_meshes.h"
#include "view_parts.h"

#include <tandem/scene.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void td_view_close_source(td_view_source *source) {
    if (source->file >= 0) {
        close(source->file);
    }
    free(source->highlights);
    *source = (td_view_source){.file = -1};
}

// ---------------------------------------------------------------------------------------------------------
// Recordings

// The first bytes of a regular file; how many there are, or -1: it is none.
static ssize_t td_read_start(const char *path, char *bytes, size_t size) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return -1;
    }
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file >= 0 ? pread(file, bytes, size, 0) : -1;
    if (file >= 0) {
        close(file);
    }
    return got;
}

bool td_view_is_recording(const char *name, bool live) {
    if (td_path_has_extension(name, ".rec")) {
        return true;
    }
    if (strncmp(name, "shape:", 6) == 0) {
        return false;
    }
    char start[TD_RECORD_MAGIC_BYTES];
    const ssize_t got = td_read_start(name, start, sizeof start);
    if (got > 0) { // a part of it tells enough: no other file begins so
        return memcmp(start, TD_RECORD_MAGIC, (size_t)got) == 0;
    }
    return live && access(name, F_OK) != 0 && !td_mesh_format_known(name);
}

static void td_note_losses(const td_view_source *source) {
    if (source->lost_bytes > 0) {
        td_cli_note(
            "%s: %llu frames can be shown; the %llu bytes behind them are cut off or damaged, and the "
            "page says so",
            source->path, (unsigned long long)source->frames, (unsigned long long)source->lost_bytes);
    } else if (!source->complete) {
        td_cli_note("%s: has no end mark behind its %llu frames: it was cut off, or is still being written",
                    source->path, (unsigned long long)source->frames);
    }
}

static bool td_check_recording(td_view_source *source, td_cli_session *session) {
    td_recording *recording = NULL;
    td_cli_progress_stage(&session->progress, "reading %.60s", source->name);
    if (td_open_recording(&recording, session->context, source->path) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    const td_recording_info info = td_recording_about(recording);
    td_close_recording(recording);
    source->frames = info.frames;
    source->lost_bytes = info.lost_bytes;
    source->bodies = info.bodies;
    source->meshes = info.meshes;
    source->complete = info.complete;
    return true;
}

bool td_view_open_recording(td_view_source *out, td_cli_session *session, const char *path) {
    *out = (td_view_source){.path = path, .name = td_path_file_name(path), .file = -1};
    if (!td_check_recording(out, session)) {
        return false;
    }
    struct stat status;
    out->file = open(path, O_RDONLY | O_CLOEXEC);
    if (out->file < 0 || fstat(out->file, &status) != 0) {
        td_cli_error("%s: cannot be read: %s", path, strerror(errno));
        return false;
    }
    out->size = (uint64_t)status.st_size;
    if (!session->quiet) {
        td_note_losses(out);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Meshes

static bool td_make_source(td_view_source *out, td_view_parts *parts) {
    td_cli_session *session = parts->session;
    if (parts->wish->result) {
        out->highlights = td_view_highlights(&parts->result, parts->meshes, &out->highlighted);
        if (!out->highlights) {
            return false;
        }
    }
    struct stat status;
    if (!td_view_record_meshes(&out->file, session, parts->meshes, parts->mesh_count, parts->poses,
                               parts->pose_count)) {
        out->file = -1;
        return false;
    }
    if (fstat(out->file, &status) != 0) {
        td_cli_error("%s: the temporary file cannot be read: %s", out->path, strerror(errno));
        return false;
    }
    out->size = (uint64_t)status.st_size;
    out->frames = parts->pose_count > 0 ? parts->pose_count : 1;
    out->bodies = out->meshes = parts->mesh_count;
    out->complete = true;
    if (out->highlights && out->highlighted == 0 && !session->quiet) {
        td_cli_note("%s: no triangles intersect: there are none to highlight", parts->wish->result);
    }
    return true;
}

bool td_view_open_meshes(td_view_source *out, td_cli_session *session, td_view_wish *wish) {
    const char *path = wish->result ? wish->result : wish->meshes[0];
    *out = (td_view_source){.path = path, .name = td_path_file_name(path), .file = -1};
    td_view_parts parts;
    const bool success = td_view_gather_parts(&parts, session, wish) && td_make_source(out, &parts);
    td_view_release_parts(&parts);
    return success;
}
