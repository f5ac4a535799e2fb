#include "simulate_start.h"

#include "io/decimal.h"
#include "json.h"
#include "load.h"
#include "message.h"
#include "table.h"

#include <string.h>

static void td_list_for_programs(td_cli_session *session) {
    td_cli_output *output = session->output;
    if (session->format == TD_CLI_CSV) {
        td_cli_put(output, "scene,description\n");
        for (uint32_t i = 0; i < td_builtin_scene_count(); ++i) {
            td_cli_put_csv(output, td_builtin_scene_name(i));
            td_cli_put(output, ",");
            td_cli_put_csv(output, td_builtin_scene_description(i));
            td_cli_put(output, "\n");
        }
        return;
    }
    td_cli_json json = td_cli_json_begin(output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_array(&json, "scenes", TD_JSON_LINES);
    for (uint32_t i = 0; i < td_builtin_scene_count(); ++i) {
        td_cli_json_object(&json, NULL, TD_JSON_INLINE);
        td_cli_json_text(&json, "name", td_builtin_scene_name(i));
        td_cli_json_text(&json, "description", td_builtin_scene_description(i));
        td_cli_json_end(&json);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

bool td_cli_list_scenes(td_cli_session *session) {
    if (session->format != TD_CLI_TABLE) {
        td_list_for_programs(session);
        return true;
    }
    td_cli_table table = td_cli_table_begin("ll");
    for (uint32_t i = 0; i < td_builtin_scene_count(); ++i) {
        td_cli_table_cell(&table, "%s", td_builtin_scene_name(i));
        td_cli_table_cell(&table, "%s", td_builtin_scene_description(i));
    }
    td_cli_table_end(&table, session->output, 0);
    return true;
}

static bool td_parse_step(double *out, const char *text) {
    const char *at = text, *end = text + strlen(text);
    if (td_decimal_parse(out, &at, end) != TD_DECIMAL_OK || at != end || !(*out > 0) || *out > 1) {
        td_cli_error("--step '%s' is not a number of seconds: expected one > 0 and at most 1", text);
        return false;
    }
    return true;
}

bool td_cli_load_scene(td_scene **out, td_cli_session *session, const char *path,
                       const td_cli_scene_options *options) {
    td_scene_def def = td_default_scene_def();
    def.parameters = options->parameters.items;
    def.parameter_count = options->parameters.count;
    def.meshes = options->meshes.items;
    def.mesh_count = options->meshes.count;
    if (options->step && !td_parse_step(&def.step, options->step)) {
        return false;
    }
    def.substeps = options->substeps;
    def.iterations = options->iterations;
    def.broad = options->broad;
    def.narrow = options->narrow;
    def.stepping = options->stepping;
    def.strategy = td_cli_session_strategy(session);
    def.volume = session->bounding_volume;
    def.descent = session->descent_rule;
    def.device = session->opened_device;
    def.read_mesh = td_cli_read_arrays;
    def.read_mesh_user = session;
    def.progress = td_cli_progress_function(&session->progress);
    def.progress_user = &session->progress;
    td_cli_progress_stage(&session->progress, "loading %s", path);
    if (td_load_scene(out, session->context, path, &def) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    return true;
}

enum { TD_OVERLAPS_TOLD = 10 };

static const char *td_body_name(td_world *world, td_body_id body) {
    td_body_state state;
    return td_get_body(&state, world, body) == TD_OK && state.name ? state.name : "?";
}

static void td_tell_overlaps(td_world *world, const td_touch *pairs, size_t count) {
    char list[1200] = "";
    for (size_t i = 0; i < count && i < TD_OVERLAPS_TOLD; ++i) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%.48s and %.48s", i ? ", " : "",
                 td_body_name(world, pairs[i].a), td_body_name(world, pairs[i].b));
    }
    char more[64] = "";
    if (count > TD_OVERLAPS_TOLD) {
        snprintf(more, sizeof more, ", and %zu more", count - TD_OVERLAPS_TOLD);
    }
    td_cli_warning("%zu pair%s of bodies start%s inside each other: %s%s", count, count == 1 ? "" : "s",
                   count == 1 ? "s" : "", list, more);
}

bool td_cli_check_overlaps(uint64_t *count, td_cli_session *session, td_scene *scene) {
    const td_touch *pairs;
    size_t found;
    if (!td_scene_world(scene)) { // planar: refused when it was loaded
        *count = 0;
        return true;
    }
    if (td_find_overlaps(&pairs, &found, td_scene_world(scene)) != TD_OK) {
        td_cli_library_error(td_scene_name(scene));
        return false;
    }
    if (found > 0 && !session->quiet) {
        td_tell_overlaps(td_scene_world(scene), pairs, found);
    }
    *count = found;
    return true;
}
