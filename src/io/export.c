// td_export_recording: checks what is asked for, and gives it to the exporter of the format.
#include "export.h"

#include "../core/context.h"
#include "../core/error.h"
#include "output.h"
#include "path.h"
#include "record.h"

#include <math.h>

typedef struct td_export_kind {
    const char *name;
    const char *extension;
    td_export_fn *run;
    bool mesh;
} td_export_kind;

// In the order of td_export_format.
static const td_export_kind td_export_kinds[TD_EXPORT_FORMAT_COUNT] = {
    {"by name", NULL, NULL, false},        {"glb", ".glb", td_export_glb, false},
    {"csv", ".csv", td_export_csv, false}, {"obj", ".obj", td_export_mesh, true},
    {"ply", ".ply", td_export_mesh, true}, {"off", ".off", td_export_mesh, true},
    {"stl", ".stl", td_export_mesh, true},
};

static bool td_is_export_format(td_export_format format) {
    return (unsigned)format < TD_EXPORT_FORMAT_COUNT;
}

const char *td_export_format_name(td_export_format format) {
    return td_is_export_format(format) ? td_export_kinds[format].name : "unknown";
}

bool td_export_is_mesh(td_export_format format) {
    return td_is_export_format(format) && td_export_kinds[format].mesh;
}

td_result td_export_format_of_path(td_export_format *out, const char *path) {
    if (out == NULL || path == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_export_format_of_path needs an output and a path");
    }
    for (int i = TD_EXPORT_BY_NAME + 1; i < TD_EXPORT_FORMAT_COUNT; ++i) {
        if (td_path_has_extension(path, td_export_kinds[i].extension)) {
            *out = (td_export_format)i;
            return TD_OK;
        }
    }
    return td_fail(TD_ERROR_UNSUPPORTED,
                   "%s: unknown format, expected .glb (animation), .csv (poses), or .obj, .ply, .off, .stl "
                   "(one frame)",
                   path);
}

td_export_def td_default_export_def(void) {
    return (td_export_def){.cookie = TD_COOKIE_EXPORT,
                           .last = UINT64_MAX,
                           .every = 1,
                           .tolerance = 1e-5,
                           .soft_tolerance = 0x1p-8};
}

static td_result td_check_frames(td_export *task) {
    td_export_def *def = &task->def;
    const char *name = td_recording_path(task->recording);
    const uint64_t frames = task->info.frames;
    if (frames == 0) {
        return td_fail(TD_ERROR_FORMAT, "%s: has no whole frame: there is nothing to export", name);
    }
    if (def->last == UINT64_MAX) {
        def->last = frames - 1;
    }
    if (def->first >= frames || (def->last >= frames && !td_export_is_mesh(def->format))) {
        const uint64_t missing = def->first >= frames ? def->first : def->last;
        return td_fail(TD_ERROR_ARGUMENT, "%s: there is no frame %llu: the recording has %llu, from 0", name,
                       (unsigned long long)missing, (unsigned long long)frames);
    }
    if (td_export_is_mesh(def->format)) {
        def->last = def->first;
    }
    if (def->first > def->last) {
        return td_fail(TD_ERROR_ARGUMENT, "frames %llu to %llu: expected the first not behind the last",
                       (unsigned long long)def->first, (unsigned long long)def->last);
    }
    if (def->every == 0) {
        return td_fail(TD_ERROR_ARGUMENT, "every 0th frame: expected 1 or more");
    }
    return TD_OK;
}

static td_result td_check_export(td_export *task) {
    td_export_def *def = &task->def;
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_EXPORT, "td_default_export_def"));
    if (!td_is_export_format(def->format)) {
        return td_fail(TD_ERROR_ARGUMENT, "export format %d: expected one of td_export_format",
                       (int)def->format);
    }
    if (def->format == TD_EXPORT_BY_NAME) {
        TD_TRY(td_export_format_of_path(&def->format, task->path));
    }
    if (!(def->tolerance >= 0) || !isfinite(def->tolerance)) {
        return td_fail(TD_ERROR_ARGUMENT, "tolerance %g: expected a finite number >= 0, in metres",
                       def->tolerance);
    }
    if (!(def->soft_tolerance >= 0) || !isfinite(def->soft_tolerance)) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "tolerance %g of soft bodies: expected a finite number >= 0, a part of "
                       "their size",
                       def->soft_tolerance);
    }
    return td_check_frames(task);
}

static void td_begin_report(td_export *task) {
    task->report = (td_export_report){
        .format = task->def.format, .frames = td_export_frame_count(task), .bodies = task->info.bodies};
    for (uint32_t i = 0; i < task->info.bodies; ++i) {
        const uint32_t mesh = td_recording_body(task->recording, i).mesh;
        task->report.triangles += td_recording_mesh(task->recording, mesh)->triangle_count;
    }
}

td_result td_export_advance(const td_export *task, uint64_t done, uint64_t total) {
    const td_export_def *def = &task->def;
    if (def->progress != NULL && !def->progress(done, total, def->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "%s: stopped by the caller", task->path);
    }
    return TD_OK;
}

td_result td_export_recording(td_export_report *out, td_recording *recording, const char *path,
                              const td_export_def *def) {
    if (recording == NULL || path == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_export_recording needs a recording and a path");
    }
    td_export task = {.context = td_recording_context(recording),
                      .recording = recording,
                      .info = td_recording_about(recording),
                      .def = def != NULL ? *def : td_default_export_def(),
                      .path = path};
    TD_TRY(td_check_export(&task));
    td_begin_report(&task);
    td_output output;
    TD_TRY(td_output_open(&output, path));
    task.file = output.file;
    const td_result result = td_export_kinds[task.def.format].run(&task);
    if (result != TD_OK) {
        td_output_abandon(&output);
        return result;
    }
    const off_t bytes = ftello(output.file);
    task.report.bytes = bytes > 0 ? (uint64_t)bytes : 0;
    TD_TRY(td_output_commit(&output));
    if (out != NULL) {
        *out = task.report;
    }
    return TD_OK;
}
