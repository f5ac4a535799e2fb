// tandem bench ray [MESH]: how many rays a second, those of a camera and those that leave what it sees.
#include "command.h"
#include "core/clock.h"
#include "json.h"
#include "load.h"
#include "median.h"
#include "message.h"
#include "processor.h"
#include "ray_sets.h"
#include "table.h"

#include <stdlib.h>

enum {
    TD_RAY_OPTIONS = 2,
    TD_RAY_SIZE_MOST = 8192,
    TD_RAY_REPEATS_MOST = 1000,
    TD_RAY_SETS = 3,
    TD_RAY_MODES = 2
};

static const char *const td_ray_sets[TD_RAY_SETS] = {"camera", "diffuse", "shuffled"};
static const char *const td_ray_modes[TD_RAY_MODES] = {"closest", "any"};

typedef struct td_ray_row {
    const char *set, *mode;
    size_t rays, hits;
    double ms; // median
} td_ray_row;

typedef struct td_ray_command {
    td_cli_session session;
    const char *name;
    uint32_t size, repeats;
    td_cli_mesh mesh;
    td_query *query; // holds the mesh on a device
    td_ray *camera, *diffuse;
    td_ray_hit *hits;
    double *times;
    td_ray_row rows[TD_RAY_SETS * TD_RAY_MODES];
    uint32_t row_count;
} td_ray_command;

static td_cli_parsed td_parse_ray(td_ray_command *command, int argc, char **argv) {
    const td_cli_option own[TD_RAY_OPTIONS] = {
        {.name = "--size",
         .argument = "N",
         .number = &command->size,
         .least = 1,
         .most = TD_RAY_SIZE_MOST,
         .help = "N x N rays of the camera; default 1024"},
        {.name = "--repeats",
         .argument = "N",
         .number = &command->repeats,
         .least = 1,
         .most = TD_RAY_REPEATS_MOST,
         .help = "rounds, of which medians are taken; default 5"},
    };
    const td_cli_syntax syntax = {
        .command = "bench ray",
        .usage = "[MESH] [options]",
        .about =
            "Measures rays against a mesh, closest hit and any hit: those of a camera; those that leave\n"
            "the surface it sees in random directions; and these once more, in random order.\n"
            "\n"
            "MESH is a file, or shape:NAME or shape:NAME:N; without it a cow of 384,000 triangles.\n",
        .example = "  tandem bench ray armadillo.obj --threads 1\n",
        .groups = {{"Options", own, TD_RAY_OPTIONS}, td_cli_common_group(&command->session)},
        .operands = "one mesh at most",
        .operands_most = 1,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed == TD_CLI_RUN && count == 1) {
        command->name = operands[0];
    }
    const td_cli_session *session = &command->session;
    if (parsed == TD_CLI_RUN && (session->strategy || session->volume || session->descent)) {
        td_cli_error("'bench ray' has one way to cast rays: expected no --strategy, --volume or --descent");
        return TD_CLI_REFUSED;
    }
    return parsed;
}

// ---------------------------------------------------------------------------------------------------------

static bool td_cast_set(td_ray_command *command, const td_ray *rays, size_t count, td_ray_mode mode) {
    td_ray_def def = td_default_ray_def();
    def.mode = mode;
    def.device = command->session.opened_device;
    def.query = command->query;
    if (td_cast_rays(command->hits, command->mesh.mesh, NULL, rays, count, &def) != TD_OK) {
        td_cli_library_error(command->name);
        return false;
    }
    return true;
}

// Closest hits last, so that these are what stays.
static bool td_measure_rays(td_ray_command *command, const char *set, const td_ray *rays, size_t count) {
    for (int mode = TD_RAY_MODES - 1; mode >= 0; --mode) {
        td_ray_row *row = &command->rows[command->row_count + (uint32_t)mode];
        *row = (td_ray_row){.set = set, .mode = td_ray_modes[mode], .rays = count};
        for (uint32_t i = 0; i <= command->repeats; ++i) { // the first warms up
            td_cli_progress_count(&command->session.progress, i, command->repeats, "rounds");
            const double start = td_clock_ms();
            if (!td_cast_set(command, rays, count, (td_ray_mode)mode)) {
                return false;
            }
            command->times[i == 0 ? 0 : i - 1] = td_clock_ms() - start;
        }
        row->ms = td_cli_median(command->times, command->repeats);
        for (size_t i = 0; i < count; ++i) {
            row->hits += command->hits[i].hit;
        }
    }
    const td_ray_row *closest = &command->rows[command->row_count], *any = closest + 1;
    command->row_count += TD_RAY_MODES;
    if (closest->hits != any->hits) {
        td_cli_error("%s rays: %zu have a closest hit, but %zu any hit", set, closest->hits, any->hits);
        return false;
    }
    return true;
}

static bool td_reserve_rays(td_ray_command *command, size_t count) {
    command->camera = malloc(sizeof(td_ray) * count);
    command->diffuse = malloc(sizeof(td_ray) * count);
    command->hits = malloc(sizeof(td_ray_hit) * count);
    command->times = malloc(sizeof(double) * command->repeats);
    if (!command->camera || !command->diffuse || !command->hits || !command->times) {
        td_cli_error("out of memory for %zu rays", count);
        return false;
    }
    return true;
}

static bool td_run_ray(td_ray_command *command) {
    const size_t count = (size_t)command->size * command->size;
    if (!td_cli_session_open_device(&command->session, false)) {
        return false;
    }
    if (td_create_query(&command->query, command->session.context) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    if (!td_cli_load(&command->mesh, &command->session, command->name, true) ||
        !td_reserve_rays(command, count)) {
        return false;
    }
    td_camera_rays(command->camera, command->size, command->mesh.mesh);
    if (!td_measure_rays(command, td_ray_sets[0], command->camera, count)) {
        return false;
    }
    const size_t diffuse =
        td_diffuse_rays(command->diffuse, command->camera, command->hits, count, command->mesh.mesh);
    if (diffuse == 0) {
        return true; // the camera saw nothing
    }
    if (!td_measure_rays(command, td_ray_sets[1], command->diffuse, diffuse)) {
        return false;
    }
    td_shuffle_rays(command->diffuse, diffuse);
    return td_measure_rays(command, td_ray_sets[2], command->diffuse, diffuse);
}

// ---------------------------------------------------------------------------------------------------------

static double td_ray_rate(const td_ray_row *row) {
    return (double)row->rays / row->ms * 1e-3;
}

static void td_rays_as_table(const td_ray_command *command, const char *processor) {
    td_cli_output *output = command->session.output;
    char number[TD_CLI_NUMBER_SIZE], label[TD_CLI_DEVICE_LABEL];
    td_cli_print(output, "%s, %s, %s; ", processor, td_isa_name(td_context_isa(command->session.context)),
                 td_cli_device_label(label, command->session.opened_device));
    td_cli_print(output, "%s triangles; medians of %u rounds\n\n",
                 td_cli_grouped(number, td_mesh_triangle_count(command->mesh.mesh)), command->repeats);
    static const char *const heads[] = {"rays", "mode", "number", "hits", "ms", "million rays/s"};
    td_cli_table table = td_cli_table_begin("llrrrr");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; ++i) {
        td_cli_table_cell(&table, "%s", heads[i]);
    }
    for (uint32_t i = 0; i < command->row_count; ++i) {
        const td_ray_row *row = &command->rows[i];
        td_cli_table_cell(&table, "%s", row->set);
        td_cli_table_cell(&table, "%s", row->mode);
        td_cli_table_cell(&table, "%s", td_cli_grouped(number, row->rays));
        td_cli_table_cell(&table, "%s", td_cli_grouped(number, row->hits));
        td_cli_table_cell(&table, "%.2f", row->ms);
        td_cli_table_cell(&table, "%.3f", td_ray_rate(row));
    }
    td_cli_table_end(&table, output, 0);
}

static void td_rays_as_csv(const td_ray_command *command, const char *processor) {
    td_cli_output *output = command->session.output;
    td_cli_put(output, "cpu,isa,mesh,triangles,rays,mode,number,hits,repeats,ms,million_rays_per_s,device\n");
    char label[TD_CLI_DEVICE_LABEL];
    td_cli_device_label(label, command->session.opened_device);
    for (uint32_t i = 0; i < command->row_count; ++i) {
        const td_ray_row *row = &command->rows[i];
        td_cli_put_csv(output, processor);
        td_cli_print(output, ",%s,", td_isa_name(td_context_isa(command->session.context)));
        td_cli_put_csv(output, command->name);
        td_cli_print(output, ",%u,%s,%s,%zu,%zu,%u,%.6g,%.6g,%s\n",
                     td_mesh_triangle_count(command->mesh.mesh), row->set, row->mode, row->rays, row->hits,
                     command->repeats, row->ms, td_ray_rate(row), label);
    }
}

static void td_rays_as_json(const td_ray_command *command, const char *processor) {
    td_cli_json json = td_cli_json_begin(command->session.output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "processor", processor);
    td_cli_json_text(&json, "isa", td_isa_name(td_context_isa(command->session.context)));
    char label[TD_CLI_DEVICE_LABEL];
    td_cli_json_text(&json, "device", td_cli_device_label(label, command->session.opened_device));
    td_cli_json_text(&json, "mesh", command->name);
    td_cli_json_count(&json, "triangles", td_mesh_triangle_count(command->mesh.mesh));
    td_cli_json_count(&json, "repeats", command->repeats);
    td_cli_json_array(&json, "rows", TD_JSON_LINES);
    for (uint32_t i = 0; i < command->row_count; ++i) {
        const td_ray_row *row = &command->rows[i];
        td_cli_json_object(&json, NULL, TD_JSON_INLINE);
        td_cli_json_text(&json, "rays", row->set);
        td_cli_json_text(&json, "mode", row->mode);
        td_cli_json_count(&json, "number", row->rays);
        td_cli_json_count(&json, "hits", row->hits);
        td_cli_json_number(&json, "ms", row->ms);
        td_cli_json_number(&json, "million_rays_per_s", td_ray_rate(row));
        td_cli_json_end(&json);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

static void td_write_rays(const td_ray_command *command) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_processor_name(processor);
    switch (command->session.format) {
    case TD_CLI_JSON:
        td_rays_as_json(command, processor);
        break;
    case TD_CLI_CSV:
        td_rays_as_csv(command, processor);
        break;
    default:
        td_rays_as_table(command, processor);
    }
}

int td_bench_ray(int argc, char **argv) {
    td_ray_command command = {.name = "shape:cow:4", .size = 1024, .repeats = 5};
    const td_cli_parsed parsed = td_parse_ray(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(&command.session, true)) {
        return TD_EXIT_ERROR;
    }
    const bool success = td_run_ray(&command);
    if (success) {
        td_write_rays(&command);
    }
    td_destroy_query(command.query);
    td_cli_unload(&command.mesh);
    free(command.camera);
    free(command.diffuse);
    free(command.hits);
    free(command.times);
    return td_cli_session_close(&command.session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
