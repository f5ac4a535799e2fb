// Scenes from files and from those that are built in, and what a caller asks of a scene.
#include "../core/error.h"
#include "../core/nearest.h"
#include "file.h"
#include "path.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

uint32_t td_builtin_scene_count(void) {
    return td_builtin_scenes_count;
}

const char *td_builtin_scene_name(uint32_t index) {
    return index < td_builtin_scenes_count ? td_builtin_scenes[index].name : NULL;
}

const char *td_builtin_scene_description(uint32_t index) {
    return index < td_builtin_scenes_count ? td_builtin_scenes[index].description : NULL;
}

// A name that is no file and none of the scenes here.
static td_result td_fail_unknown_scene(const char *name) {
    td_nearest nearest = td_nearest_to(name);
    char known[400] = "";
    for (uint32_t i = 0; i < td_builtin_scenes_count; ++i) {
        td_nearest_offer(&nearest, td_builtin_scenes[i].name);
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", td_builtin_scenes[i].name);
    }
    return td_fail(TD_ERROR_FILE, "%.200s: there is no such file, and no such scene among %s%s%s%s", name,
                   known, nearest.best != NULL ? ": did you mean " : "",
                   nearest.best != NULL ? nearest.best : "", nearest.best != NULL ? "?" : "");
}

static td_result td_load_scene_file(td_scene **out, td_context *context, const char *path,
                                    const td_scene_def *def) {
    const size_t length = (size_t)(td_path_file_name(path) - path);
    char folder[4096];
    if (length >= sizeof folder) {
        return td_fail(TD_ERROR_FILE, "%.200s...: the path is too long", path);
    }
    memcpy(folder, path, length);
    folder[length > 1 ? length - 1 : length] = 0; // without the last '/', unless it is the root
    td_file_bytes bytes;
    TD_TRY(td_read_whole_file(&bytes, context, path, def->progress, def->progress_user));
    const td_result result =
        td_parse_scene(out, context, bytes.items, bytes.count, path, length > 0 ? folder : NULL, def);
    td_array_release(context, &bytes);
    return result;
}

td_result td_load_scene(td_scene **out, td_context *context, const char *path, const td_scene_def *def) {
    if (out == NULL || context == NULL || path == NULL || def == NULL) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "loading a scene needs an output, a context, a path and a td_scene_def");
    }
    *out = NULL;
    for (uint32_t i = 0; i < td_builtin_scenes_count; ++i) {
        const td_builtin_scene *scene = &td_builtin_scenes[i];
        if (strcmp(scene->name, path) == 0) {
            return td_parse_scene(out, context, (const char *)scene->text, scene->size, scene->name, NULL,
                                  def);
        }
    }
    if (strchr(path, '/') == NULL && *td_path_extension(path) == 0 && access(path, F_OK) != 0) {
        return td_fail_unknown_scene(path);
    }
    return td_load_scene_file(out, context, path, def);
}

void td_destroy_scene(td_scene *scene) {
    if (scene == NULL) {
        return;
    }
    td_context *context = scene->context;
    td_destroy_planar_scene(&scene->planar, context);
    td_destroy_world(scene->world); // before the meshes of its bodies
    for (size_t i = 0; i < scene->meshes.count; ++i) {
        td_destroy_mesh(scene->meshes.items[i].mesh);
        td_release_text(context, scene->meshes.items[i].name);
    }
    td_array_release(context, &scene->meshes);
    td_array_release(context, &scene->rules);
    td_array_release(context, &scene->starts);
    td_array_release(context, &scene->centres);
    td_release_text(context, scene->name);
    td_release_text(context, scene->description);
    td_release_text(context, scene->text);
    TD_DELETE(context, td_scene, scene, 1);
}

// ---------------------------------------------------------------------------------------------------------

const char *td_scene_name(const td_scene *scene) {
    return scene->name;
}

const char *td_scene_description(const td_scene *scene) {
    return scene->description;
}

td_world *td_scene_world(td_scene *scene) {
    return scene->world;
}

td_planar *td_scene_planar(td_scene *scene) {
    return scene->planar.planar;
}

uint32_t td_scene_body_count(const td_scene *scene) {
    return scene->world != NULL ? td_body_count(scene->world) : scene->planar.count;
}

uint64_t td_hash_scene(const td_scene *scene) {
    return scene->world != NULL ? td_hash_world(scene->world) : scene->planar.report.hash;
}

double td_scene_step(const td_scene *scene) {
    return scene->step;
}

uint64_t td_scene_steps(const td_scene *scene) {
    return scene->steps;
}

uint32_t td_scene_mesh_count(const td_scene *scene) {
    return (uint32_t)scene->meshes.count;
}

const td_mesh *td_scene_mesh(const td_scene *scene, uint32_t index) {
    return index < scene->meshes.count ? scene->meshes.items[index].mesh : NULL;
}

const char *td_scene_mesh_name(const td_scene *scene, uint32_t index) {
    return index < scene->meshes.count ? scene->meshes.items[index].name : NULL;
}

const char *td_scene_text(const td_scene *scene) {
    return scene->text;
}

td_result td_step_scene(td_step_report *out, td_scene *scene) {
    if (scene == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "a step needs a scene");
    }
    if (scene->world == NULL) {
        return td_step_planar_scene(out, scene);
    }
    TD_TRY(td_step_world(out, scene->world));
    return td_apply_scene_rules(scene);
}
