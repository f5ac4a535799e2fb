// tandem bench refit [MESH]: how fast hierarchies follow a deforming mesh, and how they decay.
#include "bench_refit.h"

#include "command.h"
#include "median.h"
#include "message.h"

#include <tandem/query.h>

#include <math.h>
#include <stdlib.h>

const char *const td_refit_keys[TD_REFIT_TIMES] = {"read", "refit", "post_aabb", "post_obb", "rebuild"};

typedef struct td_refit_command {
    td_cli_session session;
    const char *name;
    td_refit_bench bench;
    double *positions; // of the current frame
    double lower[3], upper[3];
} td_refit_command;

static td_cli_parsed td_parse_refit(td_refit_command *command, int argc, char **argv) {
    const td_cli_option own[] = {
        {.name = "--frames",
         .argument = "N",
         .number = &command->bench.frame_count,
         .least = 1,
         .most = TD_REFIT_FRAMES_MOST,
         .help = "of the deformation; default 12"},
    };
    const td_cli_syntax syntax = {
        .command = "bench refit",
        .usage = "[MESH] [options]",
        .about =
            "Twists a mesh by half a turn, frame by frame, and measures how fast its hierarchies are "
            "refitted,\n"
            "on one thread and on all, and what they cost beside hierarchies that are built anew. With\n"
            "--device also there, by the device's own clock: reading is the copy of the positions then.\n"
            "\n"
            "MESH is a file, or shape:NAME or shape:NAME:N; by default shape:cow:4, 384,000 triangles.\n",
        .example = "  tandem bench refit armadillo.obj --frames 24 --csv\n",
        .groups = {{"Options", own, 1}, td_cli_common_group(&command->session)},
        .operands = "a mesh, or none",
        .operands_most = 1,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed == TD_CLI_RUN && !td_hierarchy_check_options(&command->session, syntax.command)) {
        return TD_CLI_REFUSED;
    }
    command->name = parsed == TD_CLI_RUN && count > 0 ? operands[0] : NULL;
    return parsed;
}

static void td_find_box(td_refit_command *command) {
    const td_hierarchy_subject *subject = &command->bench.subject;
    for (size_t i = 0; i < 3 * (size_t)subject->vertex_count; ++i) {
        const double x = subject->positions[i];
        command->lower[i % 3] = i < 3 ? x : fmin(command->lower[i % 3], x);
        command->upper[i % 3] = i < 3 ? x : fmax(command->upper[i % 3], x);
    }
}

// About the upright through the middle, by up to half a turn from bottom to top.
static void td_twist(td_refit_command *command, double amount) {
    const td_hierarchy_subject *subject = &command->bench.subject;
    const double middle[3] = {0.5 * (command->lower[0] + command->upper[0]), command->lower[1],
                              0.5 * (command->lower[2] + command->upper[2])};
    const double height = command->upper[1] - command->lower[1];
    const double turn = height > 0 ? 3.141592653589793 * amount / height : 0;
    for (size_t v = 0; v < subject->vertex_count; ++v) {
        const double *p = subject->positions + 3 * v;
        const double x = p[0] - middle[0], z = p[2] - middle[2], angle = turn * (p[1] - middle[1]);
        command->positions[3 * v] = middle[0] + x * cos(angle) - z * sin(angle);
        command->positions[3 * v + 1] = p[1];
        command->positions[3 * v + 2] = middle[2] + x * sin(angle) + z * cos(angle);
    }
}

// A question makes post-order hierarchies. It is asked of two meshes far apart.
static td_result td_make_post_order(td_mesh *mesh, td_context *context, td_volume volume) {
    td_query *query = NULL;
    td_result result = td_create_query(&query, context);
    if (result == TD_OK) {
        td_collide_def def = td_default_collide_def();
        def.strategy = "stack";
        def.volume = volume;
        def.mode = TD_MODE_FIRST;
        double lower[3], upper[3];
        td_mesh_bounds(lower, upper, mesh);
        const td_pose away = {{4 * (upper[0] - lower[0]) + 1, 0, 0}, {0, 0, 0, 1}};
        td_collide_result answer;
        result = td_collide(&answer, query, mesh, mesh, &away, &def);
        td_destroy_query(query);
    }
    return result;
}

static td_result td_make_meshes(td_refit_meshes *meshes, const td_refit_bench *bench, td_context *context,
                                td_device *device) {
    td_mesh_def def = td_hierarchy_mesh_def(&bench->subject);
    def.deformable = true;
    def.device = device;
    td_mesh **all[3] = {&meshes->aabb, &meshes->obb, &meshes->rebuilt};
    for (int i = 0; i < 3; ++i) {
        const td_result result = td_create_mesh(all[i], context, &def);
        if (result != TD_OK) {
            return result;
        }
    }
    if (device) {
        return td_create_query(&meshes->query, context); // what it asks makes them
    }
    const td_result result = td_make_post_order(meshes->aabb, context, TD_VOLUME_AABB);
    return result == TD_OK ? td_make_post_order(meshes->obb, context, TD_VOLUME_OBB) : result;
}

static td_result td_set(td_refit_report *report, double *cost, td_mesh *mesh, td_context *context,
                        const double *positions, td_rebuild rebuild) {
    td_hierarchy_report hierarchy;
    td_result result = td_set_positions(report, mesh, TD_FLOAT64, positions, 0, rebuild);
    if (result == TD_OK) {
        result = td_inspect_hierarchy(&hierarchy, context, mesh);
        *cost = hierarchy.sah_cost;
    }
    return result;
}

static td_result td_measure_frame(td_refit_frame *frame, const td_refit_meshes *meshes, td_context *context,
                                  const double *positions) {
    td_refit_report aabb, obb, rebuilt;
    double cost;
    td_result result = td_set(&aabb, &frame->cost, meshes->aabb, context, positions, TD_REBUILD_NEVER);
    result =
        result == TD_OK ? td_set(&obb, &cost, meshes->obb, context, positions, TD_REBUILD_NEVER) : result;
    result = result == TD_OK ? td_set(&rebuilt, &frame->rebuilt_cost, meshes->rebuilt, context, positions,
                                      TD_REBUILD_ALWAYS)
                             : result;
    if (result == TD_OK) {
        frame->ms[TD_REFIT_READ] = aabb.read_ms;
        frame->ms[TD_REFIT_BLOCKS] = aabb.refit_ms;
        frame->ms[TD_REFIT_AABB] = aabb.post_ms;
        frame->ms[TD_REFIT_OBB] = obb.post_ms;
        frame->ms[TD_REFIT_REBUILD] = rebuilt.rebuild_ms;
    }
    return result;
}

// Asks the device about the mesh beside itself, so that it brings its hierarchies up to date. They hardly
// touch: there is little else to do.
static td_result td_update_on_device(td_query_times *out, const td_refit_meshes *meshes, const td_mesh *mesh,
                                     td_device *device, const char *strategy, td_volume volume) {
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, mesh);
    const td_pose beside = {{0.98 * (upper[0] - lower[0]), 0, 0}, {0, 0, 0, 1}};
    td_collide_def def = td_default_collide_def();
    def.device = device;
    def.strategy = strategy;
    def.volume = volume;
    td_collide_result answer;
    const td_result result = td_collide(&answer, meshes->query, mesh, mesh, &beside, &def);
    *out = td_last_times(meshes->query);
    return result;
}

// Blocks first, so that what follows is the post-order hierarchy alone.
td_result td_refit_on_device(td_refit_frame *frame, const td_refit_meshes *meshes, td_device *device) {
    td_query_times blocks, aabb, obb;
    td_result result = td_update_on_device(&blocks, meshes, meshes->aabb, device, "blocked", TD_VOLUME_AABB);
    result = result == TD_OK
                 ? td_update_on_device(&aabb, meshes, meshes->aabb, device, "stack", TD_VOLUME_AABB)
                 : result;
    result = result == TD_OK
                 ? td_update_on_device(&obb, meshes, meshes->obb, device, "blocked", TD_VOLUME_AABB)
                 : result;
    result = result == TD_OK ? td_update_on_device(&obb, meshes, meshes->obb, device, "stack", TD_VOLUME_OBB)
                             : result;
    if (result == TD_OK) {
        frame->ms[TD_REFIT_READ] = blocks.copy_in_ms;
        frame->ms[TD_REFIT_BLOCKS] = blocks.refit_ms;
        frame->ms[TD_REFIT_AABB] = aabb.refit_ms;
        frame->ms[TD_REFIT_OBB] = obb.refit_ms;
    }
    return result;
}

static td_result td_measure_run(td_refit_command *command, td_refit_run *run, const td_refit_meshes *meshes) {
    const uint32_t count = command->bench.frame_count;
    if (run->worker.device) {
        td_cli_progress_stage(&command->session.progress, "deforming on the device");
        td_refit_frame first; // hierarchies get there, and kernels are compiled
        const td_result result = td_refit_on_device(&first, meshes, run->worker.device);
        if (result != TD_OK) {
            return result;
        }
    } else {
        td_cli_progress_stage(&command->session.progress, "deforming on %u threads", run->worker.threads);
    }
    for (uint32_t i = 0; i < count; ++i) {
        td_refit_frame *frame = &run->frames[i];
        frame->amount = (i + 1.0) / count;
        td_twist(command, frame->amount);
        td_result result = td_measure_frame(frame, meshes, run->worker.context, command->positions);
        if (result == TD_OK && run->worker.device) {
            result = td_refit_on_device(frame, meshes, run->worker.device);
        }
        if (result != TD_OK) {
            return result;
        }
        td_cli_progress_count(&command->session.progress, i + 1, count, "frames");
    }
    double times[TD_REFIT_FRAMES_MOST];
    for (int k = 0; k < TD_REFIT_TIMES; ++k) {
        for (uint32_t i = 0; i < count; ++i) {
            times[i] = run->frames[i].ms[k];
        }
        run->median_ms[k] = td_cli_median(times, count);
    }
    return TD_OK;
}

static bool td_run_on(td_refit_command *command, td_refit_run *run) {
    td_refit_meshes meshes = {0};
    run->frames = calloc(command->bench.frame_count, sizeof *run->frames);
    if (!run->frames) {
        td_cli_error("out of memory");
        return false;
    }
    td_result result = td_make_meshes(&meshes, &command->bench, run->worker.context, run->worker.device);
    result = result == TD_OK ? td_measure_run(command, run, &meshes) : result;
    if (result != TD_OK) {
        td_cli_library_error(NULL);
    }
    td_destroy_query(meshes.query);
    td_destroy_mesh(meshes.aabb);
    td_destroy_mesh(meshes.obb);
    td_destroy_mesh(meshes.rebuilt);
    return result == TD_OK;
}

static bool td_run_refit(td_refit_command *command) {
    td_refit_bench *bench = &command->bench;
    if (!td_cli_session_open_device(&command->session, false) ||
        !td_hierarchy_subject_open(&bench->subject, &command->session, command->name)) {
        return false;
    }
    td_find_box(command);
    command->positions = calloc(3 * (size_t)bench->subject.vertex_count, sizeof *command->positions);
    if (!command->positions) {
        td_cli_error("out of memory");
        return false;
    }
    td_hierarchy_worker workers[TD_HIERARCHY_WORKERS] = {0};
    bench->run_count = td_hierarchy_workers_open(workers, &command->session);
    bool success = bench->run_count > 0;
    for (uint32_t i = 0; success && i < bench->run_count; ++i) {
        bench->runs[i].worker = workers[i];
        success = td_run_on(command, &bench->runs[i]);
    }
    if (success) {
        td_cli_progress_end(&command->session.progress);
        td_refit_write(&command->session, bench);
    }
    td_hierarchy_workers_close(workers, bench->run_count);
    return success;
}

int td_bench_refit(int argc, char **argv) {
    td_refit_command command = {.bench.frame_count = 12};
    const td_cli_parsed parsed = td_parse_refit(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_refit(&command);
    for (uint32_t i = 0; i < command.bench.run_count; ++i) {
        free(command.bench.runs[i].frames);
    }
    free(command.positions);
    td_hierarchy_subject_close(&command.bench.subject);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
