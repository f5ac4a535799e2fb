// The poses of all bodies in all frames, as a table. A soft body is where the mean of its vertices is,
// unturned.
#include "../core/error.h"
#include "../core/memory.h"
#include "decimal.h"
#include "export.h"
#include "record.h"

#include <inttypes.h>
#include <string.h>

// One field: quoted if it holds a comma, a quote or a line break.
static void td_put_csv_text(FILE *file, const char *text) {
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c == '"') {
            fputc('"', file);
        }
        fputc(*c, file);
    }
    fputc('"', file);
}

static void td_put_csv_number(FILE *file, double number) {
    char text[TD_DECIMAL_BYTES + 1];
    const int length = td_decimal_format(text, number);
    text[length] = ',';
    fwrite(text, 1, (size_t)length + 1, file);
}

static void td_put_csv_row(td_export *task, uint64_t frame, double time, uint32_t body, const td_pose *pose,
                           const td_recorded_motion *motion) {
    FILE *file = task->file;
    fprintf(file, "%" PRIu64 ",", frame);
    td_put_csv_number(file, time);
    fprintf(file, "%" PRIu32 ",", body);
    td_put_csv_text(file, td_recording_body(task->recording, body).name);
    fputc(',', file);
    for (int k = 0; k < 3; ++k) {
        td_put_csv_number(file, pose->position[k]);
    }
    for (int k = 0; k < 4; ++k) {
        td_put_csv_number(file, pose->rotation[k]);
    }
    td_put_csv_number(file, motion->speed);
    fputs(motion->awake ? "1\n" : "0\n", file);
}

static td_result td_put_csv_frames(td_export *task, td_pose *poses, td_recorded_motion *motions) {
    const uint64_t count = td_export_frame_count(task);
    fputs("frame,time,body,name,x,y,z,qx,qy,qz,qw,speed,awake\n", task->file);
    for (uint64_t i = 0; i < count && !ferror(task->file); ++i) {
        const uint64_t frame = task->def.first + i * task->def.every;
        td_step_report report;
        TD_TRY(td_read_centred_frame(poses, task->recording, frame));
        TD_TRY(td_read_report(&report, task->recording, frame));
        TD_TRY(td_read_motions(motions, task->recording, frame));
        for (uint32_t body = 0; body < task->info.bodies; ++body) {
            td_put_csv_row(task, frame, report.time, body, &poses[body], &motions[body]);
        }
        TD_TRY(td_export_advance(task, i + 1, count));
    }
    return TD_OK;
}

td_result td_export_csv(td_export *task) {
    const size_t bodies = task->info.bodies;
    td_pose *poses = TD_NEW(task->context, td_pose, bodies);
    td_recorded_motion *motions = TD_NEW(task->context, td_recorded_motion, bodies);
    const td_result result =
        poses != NULL && motions != NULL ? td_put_csv_frames(task, poses, motions) : TD_ERROR_MEMORY;
    TD_DELETE(task->context, td_pose, poses, bodies);
    TD_DELETE(task->context, td_recorded_motion, motions, bodies);
    return result;
}
