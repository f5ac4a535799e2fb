// A whole step: continuous collision of a mesh with itself, natively and on devices, beside its
// self-intersections at the end of the step, for which its hierarchy is refitted.
#include "bench_ccd.h"
#include "bench_measure.h"
#include "core/clock.h"
#include "median.h"
#include "message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TD_CCD_BRUTE_MOST = 2000 }; // triangles

// ---------------------------------------------------------------------------------------------------------
// The frames

// The half in front is folded over the other, by part of five twelfths of a turn, rigidly but for a seam.
static void td_fold(double out[3], const double from[3], double part) {
    const double cosine = -0.8660254037844386, sine = 0.5, seam = 0.2;
    const double weight = part * fmin(fmax(from[0] / seam, 0.0), 1.0);
    const double x = cosine * from[0] - sine * from[1], y = sine * from[0] + cosine * from[1];
    const double folded[3] = {from[0] + weight * (x - from[0]), from[1] + weight * (y - from[1]), from[2]};
    for (int k = 0; k < 3; ++k) {
        out[k] = folded[k];
    }
}

static bool td_open_frames(td_ccd_command *command) {
    td_ccd_step *step = &command->step;
    const char *start = command->frames[0] ? command->frames[0] : "shape:cow:1";
    step->name = start;
    if (!td_hierarchy_subject_open(&step->start, &command->session, start)) {
        return false;
    }
    if (command->frames[0]) { // both files once more, to compare their triangles
        return td_cli_load_frames(&step->frames, &command->session, start, command->frames[1]);
    }
    step->end = malloc(3 * (size_t)step->start.vertex_count * sizeof *step->end);
    if (!step->end) {
        td_cli_error("out of memory");
        return false;
    }
    for (uint32_t v = 0; v < step->start.vertex_count; ++v) {
        double *start_of_path = step->start.positions + 3 * (size_t)v;
        td_fold(step->end + 3 * (size_t)v, start_of_path, 0.52);
        td_fold(start_of_path, start_of_path, 0.5);
    }
    return true;
}

static const double *td_end_positions(const td_ccd_step *step) {
    return step->frames.positions ? step->frames.positions : step->end;
}

// ---------------------------------------------------------------------------------------------------------
// Rows

static bool td_open_ccd_devices(td_ccd_command *command) {
    td_context *context = command->workers[command->worker_count - 1].context;
    const char *name = command->session.device;
    if (name) {
        td_device *device = NULL;
        if (td_create_device_by_name(&device, context, name) != TD_OK) {
            td_cli_library_error("--device");
            return false;
        }
        if (device) {
            command->devices[command->device_count++] = device;
        }
        return true;
    }
    td_device_info infos[TD_CCD_DEVICES_MOST];
    uint32_t count = 0;
    if (td_list_devices(infos, TD_CCD_DEVICES_MOST, &count, context) != TD_OK) {
        td_cli_note("no rows of devices: %s", td_error_message());
        return true;
    }
    for (uint32_t i = 0; i < count && i < TD_CCD_DEVICES_MOST; ++i) {
        td_device_def def = td_default_device_def();
        def.index = infos[i].index;
        if (!infos[i].usable) {
            continue;
        }
        if (td_create_device(&command->devices[command->device_count], context, &def) != TD_OK) {
            td_cli_library_error("opencl");
            return false;
        }
        ++command->device_count;
    }
    return true;
}

static bool td_add_row(td_ccd_command *command, bool discrete, const char *strategy,
                       const td_hierarchy_worker *worker, td_device *device) {
    td_ccd_row *row = &command->rows[command->row_count];
    *row = (td_ccd_row){.discrete = discrete,
                        .strategy = strategy,
                        .threads = worker->threads,
                        .context = worker->context,
                        .device = device};
    td_cli_device_label(row->device_label, device);
    ++command->row_count;
    td_mesh_def def = td_hierarchy_mesh_def(&command->step.start);
    def.deformable = discrete;
    td_result result = td_create_mesh(&row->mesh, row->context, &def);
    if (result == TD_OK) {
        result = discrete ? td_create_query(&row->query, row->context)
                          : td_create_continuous(&row->continuous, row->context);
    }
    if (result != TD_OK) {
        td_cli_library_error(command->step.name);
    }
    return result == TD_OK;
}

static bool td_add_rows(td_ccd_command *command) {
    for (uint32_t i = 0; i < command->worker_count; ++i) {
        const td_hierarchy_worker *worker = &command->workers[i];
        const bool small = command->step.start.triangle_count <= TD_CCD_BRUTE_MOST;
        if (!td_add_row(command, true, "wide", worker, NULL) ||
            !td_add_row(command, false, "wide", worker, NULL) ||
            (small && !td_add_row(command, false, "brute", worker, NULL))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < command->device_count; ++i) {
        if (!td_add_row(command, false, "blocked", &command->workers[command->worker_count - 1],
                        command->devices[i])) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Rounds

static td_result td_ask_discrete(td_ccd_row *row, const td_ccd_step *step, double *fit_ms) {
    td_collide_def def = td_default_collide_def();
    td_collide_result found;
    def.mode = TD_MODE_PAIRS;
    const double start = td_clock_ms();
    td_result result =
        td_set_positions(NULL, row->mesh, TD_FLOAT64, td_end_positions(step), 0, TD_REBUILD_AUTO);
    *fit_ms = td_clock_ms() - start;
    if (result == TD_OK) {
        result = td_self_collide(&found, row->query, row->mesh, &def);
        row->found[0] = found.pair_count;
    }
    return result;
}

static td_result td_ask_continuous(td_ccd_row *row, const td_ccd_step *step, double *fit_ms) {
    const td_moving_mesh moving = {.mesh = row->mesh,
                                   .positions = td_end_positions(step),
                                   .scalar = TD_FLOAT64,
                                   .vertex_count = step->start.vertex_count};
    td_continuous_def def = td_default_continuous_def();
    td_continuous_result found;
    def.strategy = row->strategy;
    def.device = row->device;
    const td_result result = td_continuous_self(&found, row->continuous, &moving, &def);
    if (result == TD_OK) {
        *fit_ms = found.fit_ms;
        row->found[0] = found.count[TD_CONTACT_EDGE_EDGE];
        row->found[1] = found.count[TD_CONTACT_VERTEX_FACE];
    }
    return result;
}

static bool td_ask_row(td_ccd_row *row, const td_ccd_step *step, uint32_t round) {
    const double start = td_clock_ms(), cpu_start = td_bench_cpu_ms();
    const td_result result = row->discrete ? td_ask_discrete(row, step, &row->fit_times[round])
                                           : td_ask_continuous(row, step, &row->fit_times[round]);
    row->times[round] = td_clock_ms() - start;
    row->cpu_times[round] = td_bench_cpu_ms() - cpu_start;
    if (result != TD_OK) {
        td_cli_library_error(step->name);
    }
    return result == TD_OK;
}

static bool td_same_contacts(const td_ccd_command *command) {
    const td_ccd_row *first = NULL;
    for (uint32_t i = 0; i < command->row_count; ++i) {
        const td_ccd_row *row = &command->rows[i];
        first = first || row->discrete ? first : row;
        if (!row->discrete && memcmp(row->found, first->found, sizeof row->found) != 0) {
            td_cli_error("%s on %s with %u threads finds %llu and %llu contacts, but %s on %s %llu and %llu",
                         row->strategy, row->device_label, row->threads, (unsigned long long)row->found[0],
                         (unsigned long long)row->found[1], first->strategy, first->device_label,
                         (unsigned long long)first->found[0], (unsigned long long)first->found[1]);
            return false;
        }
    }
    return true;
}

static void td_sum_up_rows(td_ccd_command *command) {
    for (uint32_t i = 0; i < command->row_count; ++i) {
        td_ccd_row *row = &command->rows[i];
        row->ms = td_cli_median(row->times, command->repeats);
        row->cpu_ms = td_cli_median(row->cpu_times, command->repeats);
        row->fit_ms = td_cli_median(row->fit_times, command->repeats);
    }
    for (uint32_t i = 0; i < command->row_count; ++i) {
        td_ccd_row *row = &command->rows[i];
        for (uint32_t k = 0; k < command->row_count; ++k) {
            const td_ccd_row *discrete = &command->rows[k];
            if (discrete->discrete && discrete->threads == row->threads) {
                row->ratio = row->ms / discrete->ms;
                row->cpu_ratio = row->cpu_ms / discrete->cpu_ms;
            }
        }
    }
}

bool td_ccd_measure_step(td_ccd_command *command) {
    if (!td_open_frames(command)) {
        return false;
    }
    command->worker_count = td_hierarchy_workers_open(command->workers, &command->session);
    if (command->worker_count == 0 || !td_open_ccd_devices(command) || !td_add_rows(command)) {
        return false;
    }
    td_cli_progress_stage(&command->session.progress, "steps");
    for (uint32_t round = 0; round <= command->repeats; ++round) { // the first warms up
        for (uint32_t i = 0; i < command->row_count; ++i) {
            if (!td_ask_row(&command->rows[i], &command->step, round == 0 ? 0 : round - 1)) {
                return false;
            }
        }
        td_cli_progress_count(&command->session.progress, round, command->repeats, "rounds");
    }
    td_sum_up_rows(command);
    td_cli_progress_end(&command->session.progress);
    return td_same_contacts(command);
}

void td_ccd_release_step(td_ccd_command *command) {
    for (uint32_t i = 0; i < command->row_count; ++i) {
        td_ccd_row *row = &command->rows[i];
        td_destroy_query(row->query);
        td_destroy_continuous(row->continuous);
        td_destroy_mesh(row->mesh);
    }
    for (uint32_t i = 0; i < command->device_count; ++i) {
        td_destroy_device(command->devices[i]);
    }
    td_hierarchy_workers_close(command->workers, command->worker_count);
    td_cli_unload_frames(&command->step.frames);
    td_hierarchy_subject_close(&command->step.start);
    free(command->step.end);
}
