// tandem bench paper 004: its Tables 1, 2, 4 and 5, and what is beyond them.
//
// Based on: paper 004, sections 2 and 4. Random circles and triangles in a square room; each job is a
// simulation of its own from the same start. Jobs take turns, round after round, and medians are kept.
// Rendering (the paper's Table 3) is the viewer's, in a browser: viewer/tests/rendering.mjs measures it, and
// only the published figures are here.
#include "bench_paper_004.h"
#include "bench_sides.h"
#include "command.h"
#include "median.h"
#include "message.h"
#include "published_004.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TD_PLANAR_OPTIONS = 3, TD_PLANAR_JOBS = 160, TD_PLANAR_REPEATS = 101 };

typedef struct td_figure_source {
    td_planar_figure figure;
    uint32_t job;
    td_planar_field field;
} td_figure_source;

typedef struct td_plane_command {
    td_cli_session session;
    uint32_t steps, repeats, most;
    td_context *scalar; // one thread
    td_device *device;  // null: none
    td_planar_job jobs[TD_PLANAR_JOBS];
    uint32_t job_count;
    td_figure_source sources[2 * TD_PLANAR_JOBS];
    uint32_t source_count;
    td_planar_figures figures;
} td_plane_command;

static td_cli_parsed td_parse_plane(td_plane_command *command, int argc, char **argv) {
    const td_cli_option own[TD_PLANAR_OPTIONS] = {
        {.name = "--most",
         .argument = "N",
         .number = &command->most,
         .least = 256,
         .most = 4096,
         .help = "objects of the paper's tables at most; default 4096"},
        {.name = "--steps",
         .argument = "N",
         .number = &command->steps,
         .least = 1,
         .most = 10000,
         .help = "steps of a run of 1,024 objects, fewer of more; default 20"},
        {.name = "--repeats",
         .argument = "N",
         .number = &command->repeats,
         .least = 1,
         .most = TD_PLANAR_REPEATS,
         .help = "rounds, of which medians are taken; default 3"},
    };
    const td_cli_syntax syntax = {
        .command = "bench paper 004",
        .usage = "[options]",
        .about =
            "Repeats Tables 1, 2, 4 and 5 of paper 004: a simulator of circles and convex polygons in the\n"
            "plane that lives wholly on the device. Times are seconds per 1,000 steps: natively on one\n"
            "thread (scalar) and on all (native), and on an OpenCL device. Behind them, what a grid and\n"
            "collisions in order of time are worth, and a gas of up to 100,000 circles.\n",
        .example = "  tandem bench paper 004 --most 1024\n",
        .groups = {{"Options", own, TD_PLANAR_OPTIONS}, td_bench_sides_group(&command->session)},
        .operands = "no operand",
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed == TD_CLI_RUN && (command->session.strategy || command->session.volume)) {
        td_cli_error("paper 004 has no triangle meshes: expected neither --strategy nor --volume");
        return TD_CLI_REFUSED;
    }
    return parsed;
}

// ---------------------------------------------------------------------------------------------------------
// Jobs

typedef struct td_job_kind {
    const char *place; // "scalar", "native", "device"
    uint32_t corners, objects;
    td_planar_def def;
} td_job_kind;

static td_planar_def td_paper_def(void) {
    td_planar_def def = td_default_planar_def();
    def.stepping = TD_PLANAR_FIRST_COLLISION;
    def.broad = TD_PLANAR_ALL_PAIRS;
    def.step = 0.1;
    return def;
}

// Fewer steps of more objects, so that no job takes much longer than another.
static uint32_t td_steps_of(const td_plane_command *command, uint32_t objects) {
    const uint32_t steps = (uint32_t)((uint64_t)command->steps * 1024 / objects);
    return steps < 3 ? 3 : steps > 4 * command->steps ? 4 * command->steps : steps;
}

// Returns the job's index, or UINT32_MAX if its place is a device and there is none.
static uint32_t td_add_job(td_plane_command *command, const td_job_kind *kind) {
    const bool on_device = strcmp(kind->place, "device") == 0;
    if ((on_device && !command->device) || command->job_count == TD_PLANAR_JOBS) {
        return UINT32_MAX;
    }
    td_planar_job *job = &command->jobs[command->job_count];
    *job = (td_planar_job){.context = strcmp(kind->place, "scalar") == 0 ? command->scalar
                                                                         : command->session.context,
                           .def = kind->def,
                           .corners = kind->corners,
                           .objects = kind->objects,
                           .steps = td_steps_of(command, kind->objects),
                           .gap = TD_PLANAR_GAP_UNKNOWN};
    job->def.device = on_device ? command->device : NULL;
    return command->job_count++;
}

static void td_add_figure(td_plane_command *command, int table, const char *column, const char *place,
                          uint32_t job, td_planar_field field) {
    if (job == UINT32_MAX || command->source_count == 2 * TD_PLANAR_JOBS) {
        return;
    }
    td_figure_source *source = &command->sources[command->source_count++];
    *source = (td_figure_source){.job = job, .field = field};
    source->figure.table = table;
    source->figure.objects = command->jobs[job].objects;
    snprintf(source->figure.column, sizeof source->figure.column, "%s, %s", column, place);
}

static const char *const td_places[] = {"scalar", "native", "device"};

// Tables 1 and 5: the same jobs.
static void td_plan_phases(td_plane_command *command, uint32_t objects) {
    static const struct {
        const char *column;
        td_planar_field field;
    } phases[] = {{"update", TD_FIELD_UPDATE},
                  {"overlap", TD_FIELD_OVERLAP},
                  {"bisection", TD_FIELD_HITS},
                  {"impulse", TD_FIELD_IMPULSE},
                  {"forward", TD_FIELD_FORWARD}};
    for (int place = 0; place < 3; place += 2) {
        td_job_kind kind = {td_places[place], 3, objects, td_paper_def()};
        kind.def.timed = true;
        const uint32_t inside = td_add_job(command, &kind);
        kind.def.halve_outside = true;
        const uint32_t outside = td_add_job(command, &kind);
        td_add_figure(command, 1, "inside", td_places[place], inside, TD_FIELD_HITS);
        td_add_figure(command, 1, "outside", td_places[place], outside, TD_FIELD_HITS);
        for (size_t i = 0; i < sizeof phases / sizeof phases[0]; ++i) {
            td_add_figure(command, 5, phases[i].column, td_places[place], inside, phases[i].field);
        }
    }
}

static void td_plan_reductions(td_plane_command *command, uint32_t objects) {
    static const char *const names[] = {"classic", "six", "four-six"};
    for (int place = 0; place < 3; place += 2) {
        for (int i = 0; i < 3; ++i) {
            td_job_kind kind = {td_places[place], 0, objects, td_paper_def()};
            kind.def.timed = true;
            kind.def.reduction = (td_planar_reduction)i;
            const uint32_t job = td_add_job(command, &kind);
            td_add_figure(command, 2, names[i], td_places[place], job, TD_FIELD_REDUCTION);
        }
    }
}

static void td_plan_whole_steps(td_plane_command *command, uint32_t objects) {
    static const struct {
        const char *column;
        uint32_t corners;
        td_planar_hit_times times;
    } scenes[] = {{"circles alg", 0, TD_PLANAR_ALGEBRAIC},
                  {"circles bis", 0, TD_PLANAR_BISECTION},
                  {"polygons", 3, TD_PLANAR_BISECTION}};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        for (int place = 0; place < 3; ++place) {
            td_job_kind kind = {td_places[place], scenes[i].corners, objects, td_paper_def()};
            kind.def.hit_times = scenes[i].times;
            const uint32_t job = td_add_job(command, &kind);
            td_add_figure(command, 4, scenes[i].column, td_places[place], job, TD_FIELD_TOTAL);
        }
    }
}

// The same triangles, by the paper's scheme, with the grid, and with the collisions in order.
static void td_plan_beyond(td_plane_command *command, uint32_t objects) {
    td_job_kind kind = {"scalar", 3, objects, td_paper_def()};
    const uint32_t paper = td_add_job(command, &kind);
    kind.def.broad = TD_PLANAR_GRID;
    const uint32_t grid = td_add_job(command, &kind);
    kind.def.stepping = TD_PLANAR_ORDERED;
    const uint32_t ordered = td_add_job(command, &kind);
    td_add_figure(command, TD_TABLE_BEYOND, "first, all pairs", "scalar", paper, TD_FIELD_PER_SECOND);
    td_add_figure(command, TD_TABLE_BEYOND, "first, grid", "scalar", grid, TD_FIELD_PER_SECOND);
    td_add_figure(command, TD_TABLE_BEYOND, "ordered, grid", "scalar", ordered, TD_FIELD_PER_SECOND);
}

static void td_plan_gas(td_plane_command *command, uint32_t objects) {
    td_job_kind kind = {"scalar", 0, objects, td_default_planar_def()};
    kind.def.step = 0.25; // as in the scene
    const uint32_t job = td_add_job(command, &kind);
    command->jobs[job].steps = 6;
    td_add_figure(command, TD_TABLE_GAS, "ordered, grid", "scalar", job, TD_FIELD_TOTAL);
}

static void td_plan(td_plane_command *command) {
    for (uint32_t objects = 256; objects <= 4096 && objects <= command->most; objects *= 2) {
        td_plan_reductions(command, objects);
        if (objects <= 2048) {
            td_plan_phases(command, objects);
            td_plan_whole_steps(command, objects);
        }
    }
    td_plan_beyond(command, command->most < 2048 ? command->most : 2048);
    for (uint32_t objects = 12500; objects <= 100000 && objects <= 25 * command->most; objects *= 2) {
        td_plan_gas(command, objects);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Measuring

static bool td_measure_jobs(td_plane_command *command) {
    td_cli_progress *progress = &command->session.progress;
    td_cli_progress_stage(progress, "measuring");
    for (uint32_t round = 0; round < command->repeats; ++round) {
        for (uint32_t i = 0; i < command->job_count; ++i) {
            if (!td_planar_job_run(&command->jobs[i], round)) {
                return false;
            }
            td_cli_progress_count(progress, (uint64_t)round * command->job_count + i + 1,
                                  (uint64_t)command->repeats * command->job_count, "runs");
        }
    }
    td_cli_progress_end(progress);
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Figures

static bool td_make_samples(td_plane_command *command) {
    for (uint32_t i = 0; i < command->job_count; ++i) {
        for (int field = 0; field < TD_FIELD_COUNT; ++field) {
            command->jobs[i].samples[field] = calloc(command->repeats, sizeof(double));
            if (!command->jobs[i].samples[field]) {
                td_cli_error("out of memory");
                return false;
            }
        }
    }
    return true;
}

static void td_put_figure(td_planar_figures *figures, const td_planar_figure *figure) {
    if (figures->count < figures->capacity) {
        figures->items[figures->count++] = *figure;
    }
}

static void td_add_published(td_planar_figures *figures, uint32_t most) {
    for (uint32_t i = 0; i < td_published_004_count; ++i) {
        const td_published_column *column = &td_published_004[i];
        uint32_t objects = 256;
        for (int size = 0; size < TD_PUBLISHED_004_SIZES && objects <= most; ++size, objects *= 2) {
            td_planar_figure figure = {.table = column->table,
                                       .objects = objects,
                                       .value = column->seconds[size],
                                       .published = true};
            snprintf(figure.column, sizeof figure.column, "%s", column->column);
            if (figure.value > 0) {
                td_put_figure(figures, &figure);
            }
        }
    }
}

static bool td_collect_figures(td_plane_command *command) {
    td_planar_figures *figures = &command->figures;
    figures->capacity = command->source_count + 5 * td_published_004_count;
    figures->items = calloc(figures->capacity, sizeof *figures->items);
    if (!figures->items) {
        td_cli_error("out of memory");
        return false;
    }
    for (uint32_t i = 0; i < command->source_count; ++i) {
        td_figure_source *source = &command->sources[i];
        source->figure.value =
            td_cli_median(command->jobs[source->job].samples[source->field], command->repeats);
        td_put_figure(figures, &source->figure);
    }
    td_add_published(figures, command->most);
    figures->gap = TD_PLANAR_GAP_UNKNOWN;
    for (uint32_t i = 0; i < command->job_count; ++i) {
        const td_planar_job *job = &command->jobs[i];
        figures->energy_error = fmax(figures->energy_error, job->energy_error);
        figures->momentum_error = fmax(figures->momentum_error, job->momentum_error);
        figures->gap = fmin(figures->gap, job->gap);
        figures->waits += job->waits;
        figures->device_steps +=
            job->def.device && !job->def.timed ? (uint64_t)job->steps * command->repeats : 0;
    }
    figures->threads = td_context_thread_count(command->session.context);
    return true;
}

static bool td_run_plane(td_plane_command *command) {
    td_context_def scalar = td_default_context_def();
    scalar.thread_count = 1;
    if (td_create_context(&command->scalar, &scalar) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    if (!td_bench_device_open(&command->device, command->figures.device, sizeof command->figures.device,
                              &command->session)) {
        return false;
    }
    td_plan(command);
    if (!td_make_samples(command) || !td_measure_jobs(command) || !td_collect_figures(command)) {
        return false;
    }
    td_planar_figures_write(&command->session, &command->figures);
    return true;
}

int td_bench_paper_004(int argc, char **argv) {
    static td_plane_command command; // large: not on the stack
    command = (td_plane_command){.steps = 20, .repeats = 3, .most = 4096};
    const td_cli_parsed parsed = td_parse_plane(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_plane(&command);
    for (uint32_t i = 0; i < command.job_count; ++i) {
        for (int field = 0; field < TD_FIELD_COUNT; ++field) {
            free(command.jobs[i].samples[field]);
        }
    }
    free(command.figures.items);
    td_destroy_device(command.device);
    td_destroy_context(command.scalar);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
