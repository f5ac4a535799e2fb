// tandem bench scaling: time per step over the size of a scene, and memory.
#include "bench_scaling.h"
#include "bench_measure.h"
#include "bench_world.h"
#include "command.h"
#include "load.h"
#include "median.h"
#include "message.h"
#include "names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { TD_SCALING_OPTIONS = 5, TD_SCALING_SIZES = 5, TD_SCALING_STEPS_MOST = 100000 };

// The scenes and sizes of paper 002.
static const struct {
    const char *scene;
    uint32_t
        settle; // steps, after which the pile is one and the slide slides; few bodies are at rest by then
    uint32_t sizes[TD_SCALING_SIZES];
    uint32_t size_count;
} td_series[TD_SCALING_SCENES] = {
    {"pile", 120, {6, 8, 10}, 3}, // cows along an edge
    {"rockslide", 200, {500, 1000, 1500, 2000, 2500}, 5},
};

// The largest configuration of paper 002: 60 million triangles.
enum { TD_LARGEST_COWS = 2500, TD_LARGEST_SUBDIVISION = 2 };

static const uint32_t td_own_settle = UINT32_MAX; // each scene's own

typedef struct td_scaling_command {
    td_cli_session session;
    const char *scenes;
    uint32_t settle, subdivide;
    bool full;
    td_scaling scaling;
} td_scaling_command;

static td_cli_parsed td_parse_scaling(td_scaling_command *command, int argc, char **argv) {
    const td_cli_option own[TD_SCALING_OPTIONS] = {
        {.name = "--scenes",
         .argument = "LIST",
         .text = &command->scenes,
         .help = "of these only: pile, rockslide"},
        {.name = "--subdivide",
         .argument = "N",
         .number = &command->subdivide,
         .most = TD_CLI_SUBDIVIDE_MOST,
         .help = "of the built-in cow; default 0, 1,500 triangles"},
        {.name = "--settle",
         .argument = "N",
         .number = &command->settle,
         .most = TD_SCALING_STEPS_MOST,
         .help = "steps before those that are measured; default: by scene"},
        {.name = "--steps",
         .argument = "N",
         .number = &command->scaling.steps,
         .least = 1,
         .most = TD_SCALING_STEPS_MOST,
         .help = "measured steps; default 60"},
        {.name = "--full",
         .flag = &command->full,
         .help = "as well: 2,500 cows of 24,000 triangles on the slide"},
    };
    const td_cli_syntax syntax = {
        .command = "bench scaling",
        .usage = "[options]",
        .about = "Measures how the time of a step grows with a scene: piles of 216, 512 and 1,000 cows, and\n"
                 "slides of 500 to 2,500. Tells the exponent of time in contacts (1: linear) and memory.\n",
        .example = "  tandem bench scaling --scenes rockslide --full\n",
        .groups = {{"Options", own, TD_SCALING_OPTIONS}, td_cli_common_group(&command->session)},
        .operands = "no operand",
    };
    char **operands;
    int count;
    return td_cli_parse(&syntax, argc, argv, &operands, &count);
}

static bool td_choose_rows(td_scaling_command *command) {
    td_scaling *scaling = &command->scaling;
    const char *names[TD_SCALING_SCENES];
    bool wanted[TD_SCALING_SCENES] = {false};
    for (int i = 0; i < TD_SCALING_SCENES; ++i) {
        names[i] = td_series[i].scene;
        wanted[i] = !command->scenes;
    }
    if (!td_cli_find_names(wanted, &(td_cli_names){"scene", names, TD_SCALING_SCENES}, command->scenes,
                           "--scenes")) {
        return false;
    }
    for (int i = 0; i < TD_SCALING_SCENES; ++i) {
        const uint32_t settle = command->settle == td_own_settle ? td_series[i].settle : command->settle;
        for (uint32_t k = 0; wanted[i] && k < td_series[i].size_count; ++k) {
            scaling->rows[scaling->count++] = (td_scaling_row){.scene = td_series[i].scene,
                                                               .n = td_series[i].sizes[k],
                                                               .subdivide = command->subdivide,
                                                               .settle = settle,
                                                               .fitted = true};
        }
        if (wanted[i]) {
            scaling->fits[scaling->fit_count++].scene = td_series[i].scene;
        }
    }
    if (command->full) { // last: its peak of memory is the program's
        scaling->rows[scaling->count++] = (td_scaling_row){
            .scene = "rockslide",
            .n = TD_LARGEST_COWS,
            .subdivide = TD_LARGEST_SUBDIVISION,
            .settle = command->settle == td_own_settle ? td_series[1].settle : command->settle};
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------

typedef enum td_sample {
    TD_SAMPLE_PAIRS = TD_SCALING_TIMES,
    TD_SAMPLE_TESTED,
    TD_SAMPLE_FACES,
    TD_SAMPLE_CONTACTS,
    TD_SAMPLE_AWAKE,
    TD_SAMPLES
} td_sample;

static void td_take_sample(double *columns, uint32_t steps, uint32_t step, const td_step_report *report,
                           double cpu_ms) {
    const double sample[TD_SAMPLES] = {
        [TD_SCALING_STEP] = report->total_ms,
        [TD_SCALING_CPU] = cpu_ms,
        [TD_SCALING_BROAD] = report->broad_ms,
        [TD_SCALING_TRAVERSAL] = report->traversal_ms,
        [TD_SCALING_CONTACTS] = report->contacts_ms,
        [TD_SCALING_SOLVER] = report->solver_ms,
        [TD_SAMPLE_PAIRS] = (double)report->broad_pairs,
        [TD_SAMPLE_TESTED] = (double)report->tested_pairs,
        [TD_SAMPLE_FACES] = (double)report->faces,
        [TD_SAMPLE_CONTACTS] = (double)report->contacts,
        [TD_SAMPLE_AWAKE] = report->awake,
    };
    for (int k = 0; k < TD_SAMPLES; ++k) {
        columns[(size_t)k * steps + step] = sample[k];
    }
}

static uint64_t td_peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static bool td_measure_steps(td_scaling_command *command, td_scaling_row *row, td_scene *scene,
                             double *columns) {
    td_cli_session *session = &command->session;
    const uint32_t steps = command->scaling.steps;
    if (!td_bench_world_settle(session, scene, row->settle)) {
        return false;
    }
    td_cli_progress_stage(&session->progress, "measuring %s", row->scene);
    for (uint32_t i = 0; i < steps; ++i) {
        td_step_report report;
        const double began = td_bench_cpu_ms();
        if (!td_bench_world_step(&report, scene)) {
            return false;
        }
        td_take_sample(columns, steps, i, &report, td_bench_cpu_ms() - began);
        td_cli_progress_count(&session->progress, i + 1, steps, "steps");
    }
    double medians[TD_SAMPLES];
    for (int k = 0; k < TD_SAMPLES; ++k) {
        medians[k] = td_cli_median(columns + (size_t)k * steps, steps);
    }
    memcpy(row->ms, medians, sizeof row->ms);
    row->object_pairs = medians[TD_SAMPLE_PAIRS];
    row->tested_pairs = medians[TD_SAMPLE_TESTED];
    row->faces = medians[TD_SAMPLE_FACES];
    row->contacts = medians[TD_SAMPLE_CONTACTS];
    row->awake = (uint32_t)medians[TD_SAMPLE_AWAKE];
    row->bodies = td_body_count(td_scene_world(scene)) - 1; // without the ground
    row->object_triangles = td_mesh_triangle_count(td_bench_world_mesh(scene));
    row->triangles = td_bench_world_triangles(scene);
    row->peak_bytes = td_peak_bytes();
    return true;
}

static bool td_measure_row(td_scaling_command *command, td_scaling_row *row) {
    td_cli_session *session = &command->session;
    const td_bench_world_def def = {.scene = row->scene,
                                    .n = row->n,
                                    .subdivide = row->subdivide,
                                    .strategy = td_cli_session_strategy(session),
                                    .volume = session->bounding_volume,
                                    .descent = session->descent_rule,
                                    .device = session->opened_device};
    double *columns = calloc((size_t)TD_SAMPLES * command->scaling.steps, sizeof *columns);
    td_scene *scene = NULL;
    if (!columns) {
        td_cli_error("out of memory for the times of %u steps", command->scaling.steps);
    }
    const bool measured = columns && td_bench_world_open(&scene, session, &def) &&
                          td_measure_steps(command, row, scene, columns);
    td_destroy_scene(scene);
    free(columns);
    return measured;
}

// The slope of log time over log contacts, by least squares; NaN if contacts are not there or all the same.
static double td_fit_exponent(const td_scaling *scaling, const char *scene, td_scaling_time time) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (uint32_t i = 0; i < scaling->count; ++i) {
        const td_scaling_row *row = &scaling->rows[i];
        if (row->fitted && strcmp(row->scene, scene) == 0 && row->contacts > 0) {
            const double x = log(row->contacts), y = log(row->ms[time]);
            n += 1;
            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
        }
    }
    const double spread = n * sxx - sx * sx;
    return n >= 2 && spread > 0 ? (n * sxy - sx * sy) / spread : NAN;
}

static bool td_run_scaling(td_scaling_command *command) {
    td_scaling *scaling = &command->scaling;
    if (!td_choose_rows(command) || !td_cli_session_open_device(&command->session, false)) {
        return false;
    }
    scaling->threads = td_context_thread_count(command->session.context);
    for (uint32_t i = 0; i < scaling->count; ++i) {
        if (!td_measure_row(command, &scaling->rows[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < scaling->fit_count; ++i) {
        const char *scene = scaling->fits[i].scene;
        scaling->fits[i].exponent = td_fit_exponent(scaling, scene, TD_SCALING_STEP);
        scaling->fits[i].cpu_exponent = td_fit_exponent(scaling, scene, TD_SCALING_CPU);
    }
    td_scaling_write(&command->session, scaling);
    return true;
}

int td_bench_scaling(int argc, char **argv) {
    td_scaling_command command = {.settle = td_own_settle, .scaling = {.steps = 60}};
    const td_cli_parsed parsed = td_parse_scaling(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_scaling(&command);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
