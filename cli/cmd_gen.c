// tandem gen SHAPE: writes a built-in mesh.
#include "command.h"
#include "interrupt.h"
#include "io/mesh_writer.h"
#include "json.h"
#include "load.h"
#include "message.h"
#include "table.h"

#include <tandem/io.h>

#include <stddef.h>

typedef struct td_gen_command {
    td_cli_session session;
    const char *shape; // null: list the shapes
    uint32_t subdivide;
    bool list;
} td_gen_command;

static td_cli_parsed td_parse_gen(td_gen_command *command, int argc, char **argv) {
    const td_cli_option own[] = {
        {.name = "--subdivide",
         .argument = "N",
         .number = &command->subdivide,
         .most = TD_CLI_SUBDIVIDE_MOST,
         .help = "split each triangle in four, N times"},
        {.name = "--list", .flag = &command->list, .help = "list the shapes"},
    };
    const td_cli_syntax syntax = {
        .command = "gen",
        .usage = "[SHAPE] [--subdivide N] [-o FILE] [options]",
        .about = "Writes a built-in mesh: to the file of -o, in the format of its extension (.obj, .ply,\n"
                 ".off, .stl), or as OBJ to standard output. Without SHAPE it lists the shapes.\n",
        .example = "  tandem gen cow --subdivide 1 -o cow.ply\n",
        .groups = {{"Options", own, sizeof own / sizeof own[0]}, td_cli_common_group(&command->session)},
        .operands = "at most one shape",
        .operands_most = 1,
    };
    char **operands;
    int count;
    const td_cli_parsed parsed = td_cli_parse(&syntax, argc, argv, &operands, &count);
    if (parsed == TD_CLI_RUN && count == 1 && !command->list) {
        command->shape = operands[0];
    }
    return parsed;
}

// ---------------------------------------------------------------------------------------------------------
// The list

static void td_list_as_json(td_cli_output *output) {
    td_cli_json json = td_cli_json_begin(output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_array(&json, "shapes", TD_JSON_LINES);
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        td_cli_json_object(&json, NULL, TD_JSON_INLINE);
        td_cli_json_text(&json, "name", td_shape_name(i));
        td_cli_json_text(&json, "description", td_shape_description(i));
        td_cli_json_end(&json);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

static void td_list_as_csv(td_cli_output *output) {
    td_cli_put(output, "name,description\n");
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        td_cli_put_csv(output, td_shape_name(i));
        td_cli_put(output, ",");
        td_cli_put_csv(output, td_shape_description(i));
        td_cli_put(output, "\n");
    }
}

static void td_list_as_table(td_cli_output *output) {
    td_cli_table table = td_cli_table_begin("ll");
    for (uint32_t i = 0; i < td_shape_count(); ++i) {
        td_cli_table_cell(&table, "%s", td_shape_name(i));
        td_cli_table_cell(&table, "%s", td_shape_description(i));
    }
    td_cli_table_end(&table, output, 0);
}

static int td_list_shapes(td_cli_session *session) {
    if (!td_cli_session_open(session, true)) {
        return TD_EXIT_ERROR;
    }
    if (session->format == TD_CLI_JSON) {
        td_list_as_json(session->output);
    } else if (session->format == TD_CLI_CSV) {
        td_list_as_csv(session->output);
    } else {
        td_list_as_table(session->output);
    }
    return td_cli_session_close(session, true) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}

// ---------------------------------------------------------------------------------------------------------
// The mesh

static bool td_print_obj(td_cli_output *output, const td_mesh *mesh) {
    FILE *stream = td_cli_output_stream(output);
    if (!stream) {
        td_cli_error("out of memory");
        return false;
    }
    td_write_obj(stream, mesh); // whose failures are those of the stream, which the output keeps
    fclose(stream);
    return true;
}

// What was written, for whoever asked for a file.
static void td_tell_saved(td_cli_output *output, td_cli_format format, const td_gen_command *command,
                          const td_mesh *mesh) {
    const char *path = command->session.output_path;
    const uint32_t vertices = td_mesh_vertex_count(mesh), triangles = td_mesh_triangle_count(mesh);
    char first[TD_CLI_NUMBER_SIZE], second[TD_CLI_NUMBER_SIZE];
    if (format == TD_CLI_JSON) {
        td_cli_json json = td_cli_json_begin(output);
        td_cli_json_object(&json, NULL, TD_JSON_INLINE);
        td_cli_json_text(&json, "file", path);
        td_cli_json_text(&json, "shape", command->shape);
        td_cli_json_count(&json, "subdivide", command->subdivide);
        td_cli_json_count(&json, "vertices", vertices);
        td_cli_json_count(&json, "triangles", triangles);
        td_cli_json_end(&json);
    } else if (format == TD_CLI_CSV) {
        td_cli_put(output, "file,shape,subdivide,vertices,triangles\n");
        td_cli_put_csv(output, path);
        td_cli_print(output, ",%s,%u,%u,%u\n", command->shape, command->subdivide, vertices, triangles);
    } else if (!command->session.quiet) {
        td_cli_table table = td_cli_table_begin("l");
        td_cli_table_cell(&table, "%s: %s vertices, %s triangles", path, td_cli_grouped(first, vertices),
                          td_cli_grouped(second, triangles));
        td_cli_table_end(&table, output, 0);
    }
}

static bool td_save_shape(td_gen_command *command, const td_mesh *mesh) {
    td_cli_session *session = &command->session;
    td_cli_hold_signals(); // td_save_mesh cleans up after itself, but not if it is cut in two
    const td_result result = td_save_mesh(session->context, mesh, session->output_path);
    td_cli_release_signals();
    if (result != TD_OK) {
        td_cli_library_error(result == TD_ERROR_FILE ? td_cli_output_expected : NULL);
        return false;
    }
    static td_cli_output output;
    if (!td_cli_output_open(&output, NULL)) {
        return false;
    }
    td_tell_saved(&output, session->format, command, mesh);
    return td_cli_output_commit(&output);
}

int td_cmd_gen(int argc, char **argv) {
    td_gen_command command = {0};
    td_cli_session *session = &command.session;
    const td_cli_parsed parsed = td_parse_gen(&command, argc, argv);
    if (parsed != TD_CLI_RUN) {
        return parsed == TD_CLI_ANSWERED ? TD_EXIT_DONE : TD_EXIT_ERROR;
    }
    if (!command.shape) {
        return td_list_shapes(session);
    }
    const char *path = session->output_path;
    if (!path && (session->json || session->csv)) {
        td_cli_error("--json and --csv describe the file that was written: expected -o FILE as well");
        return TD_EXIT_ERROR;
    }
    if (path && !td_mesh_format_known(path)) {
        td_cli_error("cannot tell the mesh format of '%s': expected .obj, .ply, .off or .stl", path);
        return TD_EXIT_ERROR;
    }
    if (!td_cli_session_open(session, !path)) {
        return TD_EXIT_ERROR;
    }
    td_mesh *mesh = NULL;
    bool success = td_cli_create_shape(&mesh, session, command.shape, command.subdivide);
    if (success && path) {
        success = td_save_shape(&command, mesh);
    } else if (success) {
        success = td_print_obj(session->output, mesh);
    }
    td_destroy_mesh(mesh);
    return td_cli_session_close(session, success) ? TD_EXIT_DONE : TD_EXIT_ERROR;
}
