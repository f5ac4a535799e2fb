// What the exporters share: the recording, the frames that are asked for, and where they go.
#ifndef TD_IO_EXPORT_H
#define TD_IO_EXPORT_H

#include <stdio.h>

#include <tandem/scene.h>

typedef struct td_export {
    td_context *context;
    td_recording *recording;
    td_recording_info info;
    td_export_def def; // checked: a format, and frames that the recording has
    const char *path;  // for messages
    FILE *file;        // which keeps its errors until it is committed
    td_export_report report;
} td_export;

// The exporters: the whole file to export->file, their part of the report.
typedef td_result td_export_fn(td_export *task);
td_export_fn td_export_glb, td_export_csv, td_export_mesh;

// How many frames are written.
static inline uint64_t td_export_frame_count(const td_export *task) {
    return (task->def.last - task->def.first) / task->def.every + 1;
}

// TD_ERROR_CANCELLED if the caller wants to stop.
td_result td_export_advance(const td_export *task, uint64_t done, uint64_t total);

#endif
