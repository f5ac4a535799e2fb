// The `planar` section of a scene, from text to a simulation.
#include "scene_planar.h"

#include "../core/error.h"
#include "scene.h"
#include "scene_planar_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const td_planar_keys[] = {"room",      "restitution", "stepping",        "broad",
                                             "hit_times", "reduction",   "epsilon",         "skin",
                                             "scatter",   "objects",     "steps_per_frame", NULL};
static const char *const td_scatter_keys[] = {"count", "corners", "radius", "fill",
                                              "speed", "spin",    "seed",   NULL};
static const char *const td_object_keys[] = {"circle",   "regular", "polygon", "corners", "position", "angle",
                                             "velocity", "spin",    "mass",    "density", "static",   NULL};
// What a scene of meshes has and a planar one has not.
static const char *const td_foreign_keys[] = {
    "gravity",    "substeps",   "iterations", "relaxations",  "sleep_speed", "sleep_time", "slop",
    "continuous", "exact_ways", "push_speed", "bounce_speed", "meshes",      "materials",  "bodies",
    "rules",      "narrow",     NULL};

static const td_json_range td_epsilon_range = {0x1p-40, 0.5, false, "a number from 2^-40 to 0.5"};
static const td_json_range td_fill_range = {0, 0.9, true, "a number > 0 and at most 0.9"};

// What is known while the section is read.
typedef struct td_planar_reader {
    td_scene_reader *scene;
    td_json section;
    td_planar_def def;
    TD_ARRAY(td_planar_body_def) bodies;
    TD_ARRAY(double) corners; // of all polygons; bodies point into it when all are read
} td_planar_reader;

// ---------------------------------------------------------------------------------------------------------
// Settings

// `value` is none of the names.
static td_result td_refuse_choice(const td_json *value, const char *key, const char *name,
                                  const char *const *names) {
    char list[80] = "";
    for (int i = 0; names[i] != NULL; ++i) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s\"%s\"",
                 i == 0                 ? ""
                 : names[i + 1] != NULL ? ", "
                                        : " or ",
                 names[i]);
    }
    return td_json_fail(value, "\"%.40s\" is no %s: expected %s", name, key, list);
}

// The member `key`, one of `names`; what it is goes into the text, so that a replay does the same.
static td_result td_read_choice(uint32_t *out, const td_json *section, const char *key,
                                const char *const *names, const char *override, uint32_t otherwise) {
    td_json value = *section;
    const char *name = override;
    const bool given = td_json_get(&value, section, key);
    if (given && name == NULL) {
        TD_TRY(td_json_text(&name, &value));
    }
    uint32_t index = name != NULL ? 0 : otherwise;
    while (name != NULL && names[index] != NULL && strcmp(names[index], name) != 0) {
        ++index;
    }
    if (names[index] == NULL) {
        return td_refuse_choice(given ? &value : section, key, name, names);
    }
    *out = index;
    cJSON_DeleteItemFromObjectCaseSensitive(section->item, key);
    return cJSON_AddStringToObject(section->item, key, names[index]) != NULL
               ? TD_OK
               : td_fail(TD_ERROR_MEMORY, "out of memory");
}

// What is not chosen is what the device can do, or the best there is without one.
static td_result td_read_choices(td_planar_reader *reader) {
    static const char *const steppings[] = {"ordered", "first", NULL};
    static const char *const broads[] = {"grid", "all", NULL};
    static const char *const times[] = {"algebraic", "bisection", NULL};
    static const char *const reductions[] = {"classic", "six", "four-six", NULL};
    const td_scene_def *def = reader->scene->def;
    const uint32_t device = def->device != NULL;
    uint32_t stepping, broad, hit_times, reduction;
    TD_TRY(td_read_choice(&stepping, &reader->section, "stepping", steppings, def->stepping, device));
    TD_TRY(td_read_choice(&broad, &reader->section, "broad", broads, def->broad, device));
    TD_TRY(td_read_choice(&hit_times, &reader->section, "hit_times", times, NULL, 0));
    TD_TRY(td_read_choice(&reduction, &reader->section, "reduction", reductions, NULL, 2));
    reader->def.stepping = (td_planar_stepping)stepping;
    reader->def.broad = (td_planar_broad)broad;
    reader->def.hit_times = (td_planar_hit_times)hit_times;
    reader->def.reduction = (td_planar_reduction)reduction;
    return TD_OK;
}

static td_result td_read_planar_settings(td_planar_reader *reader, uint32_t *steps_per_frame) {
    const td_json *section = &reader->section;
    td_planar_def *def = &reader->def;
    *def = td_default_planar_def();
    def->step = reader->scene->scene->step;
    def->device = reader->scene->def->device;
    TD_TRY(td_json_optional_numbers(def->room, 2, section, "room", &td_json_positive));
    TD_TRY(td_json_optional_number(&def->restitution, section, "restitution", &td_json_part));
    TD_TRY(td_json_optional_number(&def->epsilon, section, "epsilon", &td_epsilon_range));
    TD_TRY(td_json_optional_number(&def->skin, section, "skin", &td_json_not_negative));
    TD_TRY(td_json_optional_count(steps_per_frame, section, "steps_per_frame", 1, 10000));
    return td_read_choices(reader);
}

// ---------------------------------------------------------------------------------------------------------
// Bodies

// A room that is not given is the square that scattered bodies fill as much as they are to.
static td_result td_size_room(td_planar_reader *reader, const td_json *scatter, td_planar_scatter_def *def) {
    td_json room, fill;
    const bool has_room = td_json_get(&room, &reader->section, "room");
    if (td_json_get(&fill, scatter, "fill")) {
        double part;
        TD_TRY(td_json_number(&part, &fill, &td_fill_range));
        if (has_room) {
            return td_json_fail(&fill, "there is a \"room\", too: expected one of them");
        }
        const double side = sqrt(def->count * 3.14159265358979323846 * def->radius * def->radius / part);
        reader->def.room[0] = reader->def.room[1] = side;
    } else if (!has_room) {
        return td_json_fail(scatter, "expected \"fill\" here, or a \"room\"");
    }
    def->room[0] = reader->def.room[0];
    def->room[1] = reader->def.room[1];
    return TD_OK;
}

static td_result td_read_scatter(td_planar_reader *reader) {
    td_json scatter;
    if (!td_json_get(&scatter, &reader->section, "scatter")) {
        return TD_OK;
    }
    TD_TRY(td_json_check_object(&scatter, td_scatter_keys));
    td_planar_scatter_def def = td_default_planar_scatter_def();
    td_json count;
    if (!td_json_get(&count, &scatter, "count")) {
        return td_json_fail(&scatter, "expected a \"count\"");
    }
    uint32_t seed = 0;
    TD_TRY(td_json_count(&def.count, &count, 1, TD_SCENE_BODIES_MOST));
    TD_TRY(td_json_optional_count(&def.corners, &scatter, "corners", 0, TD_PLANAR_CORNERS_MOST));
    TD_TRY(td_json_optional_number(&def.radius, &scatter, "radius", &td_json_positive));
    TD_TRY(td_json_optional_number(&def.speed, &scatter, "speed", &td_json_not_negative));
    TD_TRY(td_json_optional_number(&def.spin, &scatter, "spin", &td_json_not_negative));
    TD_TRY(td_json_optional_count(&seed, &scatter, "seed", 0, UINT32_MAX));
    TD_TRY(td_size_room(reader, &scatter, &def));
    def.seed = seed;
    td_context *context = reader->scene->context;
    TD_TRY(td_array_reserve(context, &reader->bodies, def.count));
    const td_result result = td_scatter_planar(reader->bodies.items, context, &def);
    reader->bodies.count = def.count;
    return result == TD_OK ? TD_OK : td_json_fail_within(&scatter, result);
}

static td_result td_read_corners(td_planar_reader *reader, td_planar_body_def *body, const td_json *polygon) {
    TD_TRY(td_json_check_array(polygon));
    td_json corner = {0};
    body->kind = TD_PLANAR_POLYGON;
    while (td_json_next(&corner, polygon)) {
        TD_TRY(td_array_reserve(reader->scene->context, &reader->corners, 2));
        TD_TRY(td_json_numbers(reader->corners.items + reader->corners.count, 2, &corner, &td_json_any));
        reader->corners.count += 2;
        ++body->corner_count;
    }
    return TD_OK;
}

// Exactly one of "circle", "regular" and "polygon".
static td_result td_read_object_shape(td_planar_reader *reader, td_planar_body_def *body,
                                      const td_json *object) {
    td_json circle, regular, polygon, corners;
    const bool is_circle = td_json_get(&circle, object, "circle");
    const bool is_regular = td_json_get(&regular, object, "regular");
    const bool is_polygon = td_json_get(&polygon, object, "polygon");
    if (is_circle + is_regular + is_polygon != 1) {
        return td_json_fail(object, "expected one of \"circle\", \"regular\" and \"polygon\"");
    }
    const bool has_corners = td_json_get(&corners, object, "corners");
    if (has_corners != is_regular) {
        return td_json_fail(object,
                            "\"corners\", a number of them, is of \"regular\" polygons, which need it");
    }
    if (is_polygon) {
        return td_read_corners(reader, body, &polygon);
    }
    // Whether a radius is one, the simulator says, with the object's index.
    TD_TRY(td_json_number(&body->radius, is_circle ? &circle : &regular, &td_json_any));
    body->kind = is_circle ? TD_PLANAR_CIRCLE : TD_PLANAR_REGULAR;
    return is_circle ? TD_OK : td_json_count(&body->corner_count, &corners, 3, TD_PLANAR_CORNERS_MOST);
}

static td_result td_read_object(td_planar_reader *reader, const td_json *object) {
    TD_TRY(td_json_check_object(object, td_object_keys));
    td_planar_body_def body = td_default_planar_body_def();
    TD_TRY(td_read_object_shape(reader, &body, object));
    TD_TRY(td_json_optional_numbers(body.position, 2, object, "position", &td_json_any));
    TD_TRY(td_json_optional_number(&body.angle, object, "angle", &td_json_any));
    TD_TRY(td_json_optional_numbers(body.velocity, 2, object, "velocity", &td_json_any));
    TD_TRY(td_json_optional_number(&body.spin, object, "spin", &td_json_any));
    TD_TRY(td_json_optional_number(&body.mass, object, "mass", &td_json_any));
    TD_TRY(td_json_optional_number(&body.density, object, "density", &td_json_any));
    TD_TRY(td_json_optional_bool(&body.is_static, object, "static"));
    TD_TRY(td_array_reserve(reader->scene->context, &reader->bodies, 1));
    reader->bodies.items[reader->bodies.count++] = body;
    return TD_OK;
}

static td_result td_read_objects(td_planar_reader *reader) {
    td_json objects, object = {0}, room;
    TD_TRY(td_read_scatter(reader));
    if (td_json_get(&objects, &reader->section, "objects")) {
        TD_TRY(td_json_check_array(&objects));
        if (reader->bodies.count == 0 && !td_json_get(&room, &reader->section, "room")) {
            return td_json_fail(&reader->section, "expected a \"room\"");
        }
        while (td_json_next(&object, &objects)) {
            TD_TRY(td_read_object(reader, &object));
        }
    }
    if (reader->bodies.count == 0) {
        return td_json_fail(&reader->section, "expected \"scatter\" or \"objects\", of one object at least");
    }
    size_t corner = 0;
    for (size_t i = 0; i < reader->bodies.count; ++i) {
        td_planar_body_def *body = &reader->bodies.items[i];
        if (body->kind == TD_PLANAR_POLYGON) {
            body->corners = reader->corners.items + corner;
            corner += 2 * (size_t)body->corner_count;
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_check_foreign(const td_scene_reader *reader) {
    td_json value;
    for (int i = 0; td_foreign_keys[i] != NULL; ++i) {
        if (td_json_get(&value, &reader->root, td_foreign_keys[i])) {
            return td_json_fail(&value, "a planar scene has no \"%s\"", td_foreign_keys[i]);
        }
    }
    const td_scene_def *def = reader->def;
    if (def->strategy != NULL || def->mesh_count > 0) {
        return td_json_fail(&reader->root, "a planar scene has no meshes: expected no %s for it",
                            def->strategy != NULL ? "strategy" : "mesh file");
    }
    return TD_OK;
}

static td_result td_build_planar(td_planar_reader *reader, td_planar_scene *out) {
    td_context *context = reader->scene->context;
    out->count = (uint32_t)reader->bodies.count;
    out->room[0] = reader->def.room[0];
    out->room[1] = reader->def.room[1];
    const td_result result =
        td_create_planar(&out->planar, context, &reader->def, reader->bodies.items, out->count);
    if (result != TD_OK) {
        return td_json_fail_within(&reader->section, result);
    }
    out->states = TD_NEW(context, td_planar_state, out->count);
    out->meshes = TD_NEW(context, uint32_t, out->count);
    if (out->states == NULL || out->meshes == NULL) {
        return TD_ERROR_MEMORY;
    }
    TD_TRY(td_get_planar_states(out->states, out->planar));
    TD_TRY(td_report_planar(&out->report, out->planar));
    return td_make_planar_meshes(reader->scene->scene);
}

td_result td_read_planar_scene(td_scene_reader *scene_reader) {
    td_planar_reader reader = {.scene = scene_reader};
    TD_TRY(td_check_foreign(scene_reader));
    td_json_get(&reader.section, &scene_reader->root, "planar");
    TD_TRY(td_json_check_object(&reader.section, td_planar_keys));
    td_planar_scene *planar = &scene_reader->scene->planar;
    planar->steps_per_frame = 1;
    td_result result = td_read_planar_settings(&reader, &planar->steps_per_frame);
    if (result == TD_OK) {
        result = td_read_objects(&reader);
    }
    if (result == TD_OK) {
        result = td_build_planar(&reader, planar);
    }
    td_array_release(scene_reader->context, &reader.bodies);
    td_array_release(scene_reader->context, &reader.corners);
    return result;
}
