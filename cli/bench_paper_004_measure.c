#include "bench_paper_004.h"
#include "device/device.h"
#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double td_wall_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// As in the scenes circles, triangles and gas: a tenth of the room is filled.
static bool td_start_job(td_planar **out, const td_planar_job *job) {
    td_planar_scatter_def scatter = td_default_planar_scatter_def();
    const double side = sqrt(job->objects * 3.14159265358979323846 * 0.25 / 0.1);
    scatter.count = job->objects;
    scatter.corners = job->corners;
    scatter.room[0] = scatter.room[1] = side;
    scatter.speed = 1;
    scatter.spin = 2;
    scatter.seed = 1;
    td_planar_def def = job->def;
    def.room[0] = def.room[1] = side;
    td_planar_body_def *bodies = malloc(job->objects * sizeof *bodies);
    const bool started = bodies && td_scatter_planar(bodies, job->context, &scatter) == TD_OK &&
                         td_create_planar(out, job->context, &def, bodies, job->objects) == TD_OK;
    if (!bodies) {
        td_cli_error("out of memory");
    } else if (!started) {
        td_cli_library_error(NULL);
    }
    free(bodies);
    return started;
}

static void td_keep_sample(td_planar_job *job, uint32_t round, const td_planar_report *before,
                           const td_planar_report *after, double ms) {
    const double steps = job->steps;
    job->samples[TD_FIELD_TOTAL][round] = ms / steps;
    job->samples[TD_FIELD_UPDATE][round] = (after->update_ms - before->update_ms) / steps;
    job->samples[TD_FIELD_OVERLAP][round] = (after->overlap_ms - before->overlap_ms) / steps;
    job->samples[TD_FIELD_HITS][round] = (after->hits_ms - before->hits_ms) / steps;
    job->samples[TD_FIELD_REDUCTION][round] = (after->reduction_ms - before->reduction_ms) / steps;
    job->samples[TD_FIELD_IMPULSE][round] = (after->impulse_ms - before->impulse_ms) / steps;
    job->samples[TD_FIELD_FORWARD][round] = (after->forward_ms - before->forward_ms) / steps;
    job->samples[TD_FIELD_PER_SECOND][round] = ms / (after->time - before->time);
    const double energy = fabs(after->kinetic_energy / before->kinetic_energy - 1);
    const double scale = sqrt(2 * before->kinetic_energy * job->objects);
    for (int k = 0; k < 2; ++k) {
        const double error = fabs(after->momentum[k] - after->wall_momentum[k] - before->momentum[k] +
                                  before->wall_momentum[k]) /
                             scale;
        job->momentum_error = fmax(job->momentum_error, error);
    }
    job->energy_error = fmax(job->energy_error, energy);
    job->collisions = after->collisions - before->collisions;
}

static bool td_run_steps(td_planar_job *job, td_planar *planar, uint32_t round) {
    td_planar_report before, after;
    bool success = td_step_planar(planar, 1) == TD_OK && td_report_planar(&before, planar) == TD_OK;
    if (success) {
        td_device *device = job->def.device;
        const uint64_t waits = device ? td_device_sum_times(device).waits : 0;
        const double begin = td_wall_ms();
        success = td_step_planar(planar, job->steps) == TD_OK;
        if (device && !job->def.timed) { // timed phases are waited for, one by one
            job->waits += td_device_sum_times(device).waits - waits;
        }
        success = success && td_report_planar(&after, planar) == TD_OK;
        if (success) {
            td_keep_sample(job, round, &before, &after, td_wall_ms() - begin);
        }
    }
    if (success && round == 0 && job->objects <= 4096) {
        success = td_measure_planar_gap(&job->gap, NULL, NULL, planar) == TD_OK;
    }
    if (!success) {
        td_cli_library_error(NULL);
    }
    return success;
}

bool td_planar_job_run(td_planar_job *job, uint32_t round) {
    td_planar *planar = NULL;
    const bool success = td_start_job(&planar, job) && td_run_steps(job, planar, round);
    td_destroy_planar(planar);
    return success;
}
