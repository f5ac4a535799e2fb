#include "export_samples.h"

#include "../core/error.h"
#include "record.h"

#include <math.h>
#include <string.h>

static const size_t td_most_sample_bytes = (size_t)64 << 20;

td_mesh_ball td_ball_of_mesh(const td_mesh_arrays *mesh) {
    td_mesh_ball ball = {0};
    double lower[3], upper[3];
    for (int k = 0; k < 3; ++k) {
        lower[k] = INFINITY;
        upper[k] = -INFINITY;
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            lower[k] = fmin(lower[k], mesh->positions[3 * v + (size_t)k]);
            upper[k] = fmax(upper[k], mesh->positions[3 * v + (size_t)k]);
        }
        ball.centre[k] = 0.5 * lower[k] + 0.5 * upper[k];
    }
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const double *p = mesh->positions + 3 * v;
        ball.radius = fmax(ball.radius,
                           hypot(hypot(p[0] - ball.centre[0], p[1] - ball.centre[1]), p[2] - ball.centre[2]));
        ball.reach = fmax(ball.reach, hypot(hypot(p[0], p[1]), p[2]));
    }
    return ball;
}

// ---------------------------------------------------------------------------------------------------------
// Room and times

static td_result td_read_times(float *times, td_export *task, uint32_t count) {
    double start = 0;
    for (uint32_t i = 0; i < count; ++i) {
        td_step_report report;
        const uint64_t frame = task->def.first + i * task->def.every;
        TD_TRY(td_read_report(&report, task->recording, frame));
        start = i == 0 ? report.time : start;
        times[i] = (float)(report.time - start);
        if (i > 0 && !(times[i] > times[i - 1] && isfinite(times[i]))) {
            return td_fail(TD_ERROR_UNSUPPORTED,
                           "%s: frame %llu is at %.17g s, the exported one before at %.17g s, which float32 "
                           "cannot tell apart: expected fewer frames",
                           td_recording_path(task->recording), (unsigned long long)frame, report.time - start,
                           (double)times[i - 1]);
        }
    }
    return TD_OK;
}

static td_result td_make_sample_room(td_samples *samples, td_context *context) {
    samples->items = TD_NEW(context, td_track_sample, (size_t)samples->body_room * samples->count);
    samples->times = TD_NEW(context, float, samples->count);
    samples->poses = TD_NEW(context, td_pose, samples->body_count);
    samples->poses_before = TD_NEW(context, td_pose, samples->body_count);
    samples->motions = TD_NEW(context, td_recorded_motion, samples->body_count);
    samples->motions_before = TD_NEW(context, td_recorded_motion, samples->body_count);
    const bool made = samples->items != NULL && samples->times != NULL && samples->poses != NULL &&
                      samples->poses_before != NULL && samples->motions != NULL &&
                      samples->motions_before != NULL;
    return made ? TD_OK : TD_ERROR_MEMORY;
}

td_result td_begin_samples(td_samples *out, td_export *task, const td_mesh_ball *balls) {
    const uint64_t frames = td_export_frame_count(task);
    if (frames > INT32_MAX) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%s: %llu frames are too many for one animation",
                       td_recording_path(task->recording), (unsigned long long)frames);
    }
    const uint64_t room = td_most_sample_bytes / sizeof(td_track_sample) / frames;
    const uint32_t bodies = task->info.bodies;
    *out = (td_samples){.count = (uint32_t)frames,
                        .body_room = room == 0       ? 1
                                     : room < bodies ? (uint32_t)room
                                                     : bodies,
                        .balls = balls,
                        .body_count = bodies};
    td_result result = td_make_sample_room(out, task->context);
    if (result == TD_OK) {
        result = td_read_times(out->times, task, out->count);
    }
    if (result != TD_OK) {
        td_release_samples(out, task->context);
    }
    return result;
}

void td_release_samples(td_samples *samples, td_context *context) {
    TD_DELETE(context, td_track_sample, samples->items, (size_t)samples->body_room * samples->count);
    TD_DELETE(context, float, samples->times, samples->count);
    TD_DELETE(context, td_pose, samples->poses, samples->body_count);
    TD_DELETE(context, td_pose, samples->poses_before, samples->body_count);
    TD_DELETE(context, td_recorded_motion, samples->motions, samples->body_count);
    TD_DELETE(context, td_recorded_motion, samples->motions_before, samples->body_count);
    *samples = (td_samples){0};
}

// ---------------------------------------------------------------------------------------------------------
// Reading

// A body jumps if, from one frame to the next, it goes further than twice what the faster of its two speeds
// explains, and by more than its own size: a smaller leap is no streak.
static bool td_jumped(const td_samples *samples, uint32_t body, const td_mesh_ball *ball, double duration) {
    double before[3], after[3], square = 0;
    td_pose_apply(before, &samples->poses_before[body], ball->centre);
    td_pose_apply(after, &samples->poses[body], ball->centre);
    for (int k = 0; k < 3; ++k) {
        square += (after[k] - before[k]) * (after[k] - before[k]);
    }
    const double speed = fmax(samples->motions[body].speed, samples->motions_before[body].speed);
    return sqrt(square) > 2 * speed * duration + 2 * ball->radius;
}

// A rotation and its negative are the same; the nearer one to the sample before is taken, for programs that
// mix the numbers one by one.
static td_pose td_follow_sign(td_pose pose, const td_pose *before) {
    double dot = 0;
    for (int k = 0; k < 4; ++k) {
        dot += pose.rotation[k] * before->rotation[k];
    }
    for (int k = 0; k < 4 && dot < 0; ++k) {
        pose.rotation[k] = -pose.rotation[k];
    }
    return pose;
}

static td_result td_read_sampled_frame(double *time, td_samples *samples, td_export *task, uint64_t frame) {
    td_pose *poses = samples->poses_before;
    samples->poses_before = samples->poses;
    samples->poses = poses;
    td_recorded_motion *motions = samples->motions_before;
    samples->motions_before = samples->motions;
    samples->motions = motions;
    td_step_report report;
    TD_TRY(td_read_centred_frame(poses, task->recording, frame));
    TD_TRY(td_read_motions(motions, task->recording, frame));
    TD_TRY(td_read_report(&report, task->recording, frame));
    *time = report.time;
    return TD_OK;
}

// The frames between those that are exported are read as well: bodies jump in them, too.
static td_result td_read_next_sample(td_samples *samples, td_export *task, uint32_t first, uint32_t count,
                                     uint32_t sample, double *time) {
    const uint64_t frame = task->def.first + sample * task->def.every;
    for (uint64_t next = sample == 0 ? frame : frame - task->def.every + 1; next <= frame; ++next) {
        const double before = *time;
        TD_TRY(td_read_sampled_frame(time, samples, task, next));
        for (uint32_t i = 0; i < count && sample > 0; ++i) {
            const uint32_t body = first + i;
            const td_mesh_ball *ball = &samples->balls[td_recording_body(task->recording, body).mesh];
            samples->items[(size_t)i * samples->count + sample].jumped |=
                td_jumped(samples, body, ball, *time - before);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        td_track_sample *item = &samples->items[(size_t)i * samples->count + sample];
        item->pose = sample == 0 ? samples->poses[first + i]
                                 : td_follow_sign(samples->poses[first + i], &item[-1].pose);
    }
    return TD_OK;
}

td_result td_read_samples(td_samples *samples, td_export *task, uint32_t first, uint32_t count, uint64_t done,
                          uint64_t total) {
    double time = 0;
    for (size_t i = 0; i < (size_t)count * samples->count; ++i) {
        samples->items[i].jumped = false;
    }
    for (uint32_t sample = 0; sample < samples->count; ++sample) {
        TD_TRY(td_read_next_sample(samples, task, first, count, sample, &time));
        TD_TRY(td_export_advance(task, done + sample + 1, total));
    }
    return TD_OK;
}
