// From the text of a scene to a world.
#include "scene.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/nearest.h"
#include "decimal.h"

#include <string.h>

static const char *const td_scene_keys[] = {
    "tandem",      "name",          "description", "gravity",    "step",      "substeps",   "iterations",
    "relaxations", "steps",         "sleep_speed", "sleep_time", "slop",      "continuous", "exact_ways",
    "push_speed",  "bounce_speed",  "parameters",  "meshes",     "materials", "bodies",     "rules",
    "planar",      "soft_substeps", "narrow",      NULL};

enum { TD_SCENE_VERSION = 1, TD_SCENE_SUBSTEPS_MOST = 1000, TD_SCENE_ITERATIONS_MOST = 100000 };

static const td_json_range td_step_range = {0, 1, true, "a number of seconds, > 0 and at most 1"};

td_scene_def td_default_scene_def(void) {
    return (td_scene_def){.cookie = TD_COOKIE_SCENE};
}

char *td_copy_text(td_context *context, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = TD_NEW(context, char, size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void td_release_text(td_context *context, char *text) {
    if (text != NULL) {
        TD_DELETE(context, char, text, strlen(text) + 1);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Parameters

static bool td_is_parameter_name(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char digits[] = "0123456789";
    if (name[0] == 0 || strchr(letters, name[0]) == NULL) {
        return false;
    }
    for (; *name != 0; ++name) {
        if (strchr(letters, *name) == NULL && strchr(digits, *name) == NULL) {
            return false;
        }
    }
    return true;
}

// "n=8": the value of one parameter, in place of the scene's own.
static td_result td_set_parameter(const td_json *parameters, const char *setting) {
    const char *scene = parameters->document->name;
    const char *equals = strchr(setting, '=');
    if (equals == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: expected \"name=value\" for a parameter, got \"%.60s\"", scene,
                       setting);
    }
    const size_t length = (size_t)(equals - setting);
    char name[64] = "";
    memcpy(name, setting, length < sizeof name ? length : sizeof name - 1);
    td_nearest nearest = td_nearest_to(name);
    td_json parameter = {0};
    while (parameters->item != NULL && td_json_next(&parameter, parameters)) {
        const char *known = parameter.item->string;
        if (strlen(known) == length && memcmp(known, setting, length) == 0) {
            double value = 0;
            const char *at = equals + 1, *end = at + strlen(at);
            if (td_decimal_parse(&value, &at, end) != TD_DECIMAL_OK || at != end) {
                return td_fail(TD_ERROR_ARGUMENT, "%s: expected a number for the parameter %s, got \"%.60s\"",
                               scene, name, equals + 1);
            }
            cJSON_SetNumberHelper(parameter.item, value);
            return TD_OK;
        }
        td_nearest_offer(&nearest, known);
    }
    return td_fail(TD_ERROR_ARGUMENT, "%s: has no parameter \"%s\"%s%s%s", scene, name,
                   nearest.best != NULL ? ": did you mean " : "", nearest.best != NULL ? nearest.best : "",
                   nearest.best != NULL ? "?" : "");
}

static td_result td_read_parameters(td_scene_reader *reader, td_json_document *document) {
    td_json parameters = {.document = document};
    if (td_json_get(&parameters, &reader->root, "parameters")) {
        TD_TRY(td_json_check_map(&parameters));
        td_json parameter = {0};
        while (td_json_next(&parameter, &parameters)) {
            double value; // read before `parameters` is known to the document: none stands for another
            TD_TRY(td_json_number(&value, &parameter, &td_json_any));
            if (!td_is_parameter_name(parameter.item->string)) {
                return td_json_fail(&parameter,
                                    "expected a name of letters, digits and _, not a digit first");
            }
        }
    }
    for (size_t i = 0; i < reader->def->parameter_count; ++i) {
        TD_TRY(td_set_parameter(&parameters, reader->def->parameters[i]));
    }
    document->parameters = parameters.item;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Settings

// An override goes into the text, so that it holds there as well. False if there is no memory.
static bool td_override(const td_json *root, const char *key, double number) {
    cJSON *item = cJSON_GetObjectItemCaseSensitive(root->item, key);
    if (item != NULL) {
        cJSON_DeleteItemFromObjectCaseSensitive(root->item, key);
    }
    return cJSON_AddNumberToObject(root->item, key, number) != NULL;
}

static bool td_override_text(const td_json *root, const char *key, const char *text) {
    cJSON_DeleteItemFromObjectCaseSensitive(root->item, key); // nothing happens if it is not there
    return cJSON_AddStringToObject(root->item, key, text) != NULL;
}

static td_result td_apply_overrides(const td_scene_reader *reader) {
    const td_scene_def *def = reader->def;
    if ((def->step != 0 && !td_override(&reader->root, "step", def->step)) ||
        (def->substeps != 0 && !td_override(&reader->root, "substeps", def->substeps)) ||
        (def->iterations != 0 && !td_override(&reader->root, "iterations", def->iterations)) ||
        (def->narrow != NULL && !td_override_text(&reader->root, "narrow", def->narrow))) {
        return td_fail(TD_ERROR_MEMORY, "out of memory");
    }
    return TD_OK;
}

static td_result td_read_numbers(td_world_def *out, uint32_t *steps, const td_json *root) {
    TD_TRY(td_json_optional_numbers(out->gravity, 3, root, "gravity", &td_json_any));
    TD_TRY(td_json_optional_number(&out->step, root, "step", &td_step_range));
    TD_TRY(td_json_optional_count(&out->substeps, root, "substeps", 1, TD_SCENE_SUBSTEPS_MOST));
    TD_TRY(td_json_optional_count(&out->soft_substeps, root, "soft_substeps", 1, TD_SCENE_SUBSTEPS_MOST));
    TD_TRY(td_json_optional_count(&out->iterations, root, "iterations", 1, TD_SCENE_ITERATIONS_MOST));
    TD_TRY(td_json_optional_count(&out->relaxations, root, "relaxations", 0, TD_SCENE_ITERATIONS_MOST));
    TD_TRY(td_json_optional_number(&out->slop, root, "slop", &td_json_part));
    TD_TRY(td_json_optional_number(&out->push_speed, root, "push_speed", &td_json_not_negative));
    TD_TRY(td_json_optional_number(&out->bounce_speed, root, "bounce_speed", &td_json_not_negative));
    TD_TRY(td_json_optional_number(&out->sleep_speed, root, "sleep_speed", &td_json_not_negative));
    TD_TRY(td_json_optional_number(&out->sleep_time, root, "sleep_time", &td_json_not_negative));
    TD_TRY(td_json_optional_bool(&out->continuous, root, "continuous"));
    TD_TRY(td_json_optional_bool(&out->exact_ways, root, "exact_ways"));
    return td_json_optional_count(steps, root, "steps", 1, UINT32_MAX);
}

static td_result td_read_narrow(td_narrow *out, const td_json *root) {
    td_json value;
    const char *name = NULL;
    if (!td_json_get(&value, root, "narrow")) {
        return TD_OK;
    }
    TD_TRY(td_json_text(&name, &value));
    if (td_narrow_from_name(out, name) != TD_OK) {
        return td_json_fail(&value, "expected \"triangles\" or \"rays\", got \"%.40s\"", name);
    }
    return TD_OK;
}

td_result td_read_scene_settings(td_world_def *out, td_scene_reader *reader) {
    const td_json *root = &reader->root;
    const char *name = root->document->name, *description = "";
    uint32_t steps = 400;
    *out = td_default_world_def();
    TD_TRY(td_apply_overrides(reader));
    TD_TRY(td_read_numbers(out, &steps, root));
    TD_TRY(td_read_narrow(&out->narrow, root));
    TD_TRY(td_json_optional_text(&name, root, "name"));
    TD_TRY(td_json_optional_text(&description, root, "description"));
    const td_scene_def *def = reader->def;
    out->broad = def->broad;
    out->strategy = def->strategy;
    out->volume = def->volume;
    out->descent = def->descent;
    out->device = def->device;
    td_scene *scene = reader->scene;
    scene->step = out->step;
    scene->steps = steps;
    scene->name = td_copy_text(reader->context, name);
    scene->description = td_copy_text(reader->context, description);
    return scene->name != NULL && scene->description != NULL ? TD_OK : TD_ERROR_MEMORY;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_check_version(const td_json *root) {
    td_json version;
    if (!cJSON_IsObject(root->item) || !td_json_get(&version, root, "tandem")) {
        return td_json_fail(root, "expected a scene: an object with \"tandem\": %d", TD_SCENE_VERSION);
    }
    if (!cJSON_IsNumber(version.item) || version.item->valuedouble != TD_SCENE_VERSION) {
        return td_json_fail(&version, "expected %d, the version of the format that is known here",
                            TD_SCENE_VERSION);
    }
    return TD_OK;
}

static td_result td_keep_text(td_scene_reader *reader) {
    char *text = cJSON_PrintUnformatted(reader->root.item);
    if (text == NULL) {
        return td_fail(TD_ERROR_MEMORY, "out of memory for the text of the scene");
    }
    reader->scene->text = td_copy_text(reader->context, text);
    cJSON_free(text);
    return reader->scene->text != NULL ? TD_OK : TD_ERROR_MEMORY;
}

static td_result td_read_scene(td_scene_reader *reader, td_json_document *document) {
    td_world_def world_def;
    TD_TRY(td_check_version(&reader->root));
    TD_TRY(td_json_check_object(&reader->root, td_scene_keys));
    TD_TRY(td_read_parameters(reader, document));
    TD_TRY(td_read_scene_settings(&world_def, reader));
    td_json planar;
    if (td_json_get(&planar, &reader->root, "planar")) {
        TD_TRY(td_read_planar_scene(reader));
        return td_keep_text(reader);
    }
    if (reader->def->stepping != NULL) {
        return td_json_fail(&reader->root, "is no planar scene: expected no stepping for it");
    }
    const td_result created = td_create_world(&reader->scene->world, reader->context, &world_def);
    if (created != TD_OK) {
        return td_fail_within(created, document->name);
    }
    TD_TRY(td_read_scene_meshes(reader));
    TD_TRY(td_read_scene_bodies(reader));
    TD_TRY(td_read_scene_rules(reader));
    return td_keep_text(reader);
}

static td_result td_start_scene(td_scene **out, td_context *context) {
    *out = TD_NEW(context, td_scene, 1);
    if (*out == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(*out, 0, sizeof **out);
    (*out)->context = context;
    return TD_OK;
}

static td_result td_parse_with(td_scene_reader *reader, td_scene **out, const char *text, size_t size,
                               const char *name) {
    *out = NULL;
    TD_TRY(td_check_cookie(reader->def->cookie, TD_COOKIE_SCENE, "td_default_scene_def"));
    cJSON *root;
    TD_TRY(td_json_read(&root, text, size, name));
    td_json_document document = {.name = name};
    reader->root = (td_json){.document = &document, .item = root};
    td_result result = td_start_scene(&reader->scene, reader->context);
    if (result == TD_OK) {
        result = td_read_scene(reader, &document);
    }
    td_array_release(reader->context, &reader->groups);
    td_array_release(reader->context, &reader->body_names);
    cJSON_Delete(root);
    if (result != TD_OK) {
        td_destroy_scene(reader->scene);
        return result;
    }
    *out = reader->scene;
    return TD_OK;
}

td_result td_parse_scene(td_scene **out, td_context *context, const char *text, size_t size, const char *name,
                         const char *folder, const td_scene_def *def) {
    if (out == NULL || context == NULL || text == NULL || name == NULL || def == NULL) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "parsing a scene needs an output, a context, a text, its name and a "
                       "td_scene_def");
    }
    td_scene_reader reader = {.context = context, .def = def, .folder = folder};
    return td_parse_with(&reader, out, text, size, name);
}

td_result td_parse_scene_on_meshes(td_scene **out, td_context *context, const char *text, size_t size,
                                   const char *name, const td_scene_def *def, const td_mesh_arrays *meshes,
                                   uint32_t mesh_count) {
    td_scene_reader reader = {
        .context = context, .def = def, .recorded = meshes, .recorded_count = mesh_count};
    return td_parse_with(&reader, out, text, size, name);
}
