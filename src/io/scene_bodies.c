// The bodies of a scene, one by one or in grids.
#include "../core/error.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const td_body_keys[] = {
    "name",     "mesh",          "kind",          "position",       "rotation",
    "velocity", "spin",          "material",      "friction",       "restitution",
    "density",  "mass",          "gravity_scale", "linear_damping", "angular_damping",
    "group",    "collides_with", "may_sleep",     "grid",           "soft",
    NULL};

static const char *const td_material_keys[] = {"friction", "restitution", "density", NULL};

// Groups by number come first, those by name behind them.
enum { TD_FIRST_NAMED_GROUP = 32, TD_GROUPS_MOST = 64 };

// ---------------------------------------------------------------------------------------------------------
// Groups

// The bit of a group by name; a name that is new gets the next one.
static td_result td_named_group(uint64_t *bit, td_scene_reader *reader, const td_json *value) {
    const char *name = NULL;
    TD_TRY(td_json_text(&name, value));
    size_t i = 0;
    while (i < reader->groups.count && strcmp(reader->groups.items[i], name) != 0) {
        ++i;
    }
    if (i == TD_GROUPS_MOST - TD_FIRST_NAMED_GROUP) {
        return td_json_fail(value, "there are more than %d groups", TD_GROUPS_MOST - TD_FIRST_NAMED_GROUP);
    }
    if (i == reader->groups.count) {
        TD_TRY(td_array_reserve(reader->context, &reader->groups, 1));
        reader->groups.items[reader->groups.count++] = name;
    }
    *bit = (uint64_t)1 << (TD_FIRST_NAMED_GROUP + i);
    return TD_OK;
}

static td_result td_read_groups(uint64_t *out, td_scene_reader *reader, const td_json *body,
                                const char *key) {
    td_json list;
    if (!td_json_get(&list, body, key)) {
        return TD_OK;
    }
    TD_TRY(td_json_check_array(&list));
    *out = 0;
    td_json group = {0};
    while (td_json_next(&group, &list)) {
        uint64_t bit = 0;
        if (cJSON_IsString(group.item) && group.item->valuestring[0] != '$') {
            TD_TRY(td_named_group(&bit, reader, &group));
        } else {
            uint32_t number;
            TD_TRY(td_json_count(&number, &group, 0, TD_FIRST_NAMED_GROUP - 1));
            bit = (uint64_t)1 << number;
        }
        *out |= bit;
    }
    return TD_OK;
}

// A group that bodies collide with and that none is in is a slip of the pen.
static td_result td_check_groups(const td_scene_reader *reader, const td_json *bodies) {
    for (size_t i = 0; i < reader->groups.count; ++i) {
        if ((reader->groups_used >> (TD_FIRST_NAMED_GROUP + i) & 1) == 0) {
            return td_json_fail(bodies, "bodies collide with the group \"%.60s\", but none is in it",
                                reader->groups.items[i]);
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// One entry

static td_result td_read_surface(td_body_def *out, const td_json *object) {
    TD_TRY(td_json_optional_number(&out->friction, object, "friction", &td_json_not_negative));
    TD_TRY(td_json_optional_number(&out->restitution, object, "restitution", &td_json_part));
    return td_json_optional_number(&out->density, object, "density", &td_json_positive);
}

static td_result td_read_material(td_body_def *out, const td_scene_reader *reader, const td_json *body) {
    td_json name, material = {0};
    if (!td_json_get(&name, body, "material")) {
        return TD_OK;
    }
    size_t index;
    TD_TRY(td_json_find_name(&index, &name, &reader->materials, "material"));
    for (size_t i = 0; i <= index; ++i) {
        td_json_next(&material, &reader->materials);
    }
    return td_read_surface(out, &material);
}

static td_result td_read_kind(td_body_kind *out, const td_json *body) {
    td_json value;
    if (!td_json_get(&value, body, "kind")) {
        return TD_OK;
    }
    const char *name = NULL;
    TD_TRY(td_json_text(&name, &value));
    if (td_body_kind_from_name(out, name) != TD_OK) {
        return td_json_fail(
            &value, "expected \"dynamic\", \"static\", \"kinematic\" or \"soft\", got \"%.40s\"", name);
    }
    return TD_OK;
}

static td_result td_read_motion(td_body_def *out, const td_json *body) {
    TD_TRY(td_json_optional_numbers(out->velocity, 3, body, "velocity", &td_json_any));
    TD_TRY(td_json_optional_numbers(out->spin, 3, body, "spin", &td_json_any));
    td_json moving;
    if (out->kind == TD_BODY_STATIC &&
        (td_json_get(&moving, body, "velocity") || td_json_get(&moving, body, "spin"))) {
        return td_json_fail(&moving,
                            "a static body does not move: expected the kind \"dynamic\" or \"kinematic\"");
    }
    return TD_OK;
}

static td_result td_read_body(td_body_def *out, td_scene_reader *reader, const td_json *body) {
    TD_TRY(td_json_check_object(body, td_body_keys));
    td_json mesh;
    if (!td_json_get(&mesh, body, "mesh")) {
        return td_json_fail(body, "expected a \"mesh\"");
    }
    size_t index;
    TD_TRY(td_json_find_name(&index, &mesh, &reader->meshes, "mesh"));
    *out = td_default_body_def();
    out->kind = TD_BODY_DYNAMIC;
    out->mesh = reader->scene->meshes.items[index].mesh;
    out->name = reader->scene->meshes.items[index].name;
    TD_TRY(td_read_kind(&out->kind, body));
    TD_TRY(td_read_motion(out, body));
    TD_TRY(td_read_material(out, reader, body));
    TD_TRY(td_read_surface(out, body));
    TD_TRY(td_json_optional_number(&out->mass, body, "mass", &td_json_positive));
    TD_TRY(td_json_optional_number(&out->gravity_scale, body, "gravity_scale", &td_json_any));
    TD_TRY(td_json_optional_number(&out->linear_damping, body, "linear_damping", &td_json_not_negative));
    TD_TRY(td_json_optional_number(&out->angular_damping, body, "angular_damping", &td_json_not_negative));
    TD_TRY(td_json_optional_bool(&out->may_sleep, body, "may_sleep"));
    TD_TRY(td_read_groups(&out->group, reader, body, "group"));
    reader->groups_used |= out->group;
    return td_read_groups(&out->collides_with, reader, body, "collides_with");
}

static td_result td_keep_body_name(td_body_def *def, td_scene_reader *reader, const td_json *body) {
    td_json value;
    if (!td_json_get(&value, body, "name")) {
        return TD_OK;
    }
    TD_TRY(td_json_text(&def->name, &value));
    TD_TRY(td_array_reserve(reader->context, &reader->body_names, 1));
    reader->body_names.items[reader->body_names.count++] = def->name;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// From entries to bodies

static void td_place_body(td_body_def *def, const td_scene_grid *grid, uint64_t index, td_quat rotation) {
    td_quat turn;
    const td_vec3 place = td_grid_place(&turn, grid, index);
    const td_quat q = grid->turn ? td_quat_normalise(td_quat_mul(rotation, turn)) : rotation;
    def->pose = (td_pose){{place.x, place.y, place.z}, {q.x, q.y, q.z, q.w}};
}

static td_result td_add_at_places(td_scene_reader *reader, const td_json *body, td_body_def *def,
                                  const td_scene_grid *grid, bool is_grid, td_quat rotation) {
    const char *stem = def->name;
    char name[128];
    for (uint64_t i = 0; i < grid->total; ++i) {
        if (is_grid) {
            snprintf(name, sizeof name, "%.100s[%llu]", stem, (unsigned long long)i);
            def->name = name;
        }
        td_place_body(def, grid, i, rotation);
        td_body_id id;
        const td_result result = td_add_body(&id, reader->scene->world, def);
        if (result != TD_OK) {
            return td_json_fail_within(body, result);
        }
    }
    return TD_OK;
}

static td_result td_add_bodies_of(td_scene_reader *reader, const td_json *body, td_scene_pins *pins) {
    td_world *world = reader->scene->world;
    td_body_def def = td_default_body_def();
    td_soft_def soft;
    TD_TRY(td_read_body(&def, reader, body));
    TD_TRY(td_read_soft(&def, &soft, pins, reader->context, body));
    TD_TRY(td_keep_body_name(&def, reader, body));
    td_scene_grid grid = td_single_place();
    double position[3] = {0};
    td_quat rotation = {0, 0, 0, 1};
    TD_TRY(td_json_optional_numbers(position, 3, body, "position", &td_json_any));
    TD_TRY(td_read_optional_rotation(&rotation, body, "rotation"));
    grid.origin = td_vec3_make(position[0], position[1], position[2]);
    td_json many;
    const bool is_grid = td_json_get(&many, body, "grid");
    if (is_grid) {
        TD_TRY(td_read_grid(&grid, &many, TD_SCENE_BODIES_MOST - td_body_count(world)));
    } else if (td_body_count(world) == TD_SCENE_BODIES_MOST) {
        return td_json_fail(body, "there are more than %d bodies", TD_SCENE_BODIES_MOST);
    }
    return td_add_at_places(reader, body, &def, &grid, is_grid, rotation);
}

static td_result td_add_bodies(td_scene_reader *reader, const td_json *body) {
    td_scene_pins pins = {0};
    const td_result result = td_add_bodies_of(reader, body, &pins);
    td_array_release(reader->context, &pins);
    return result;
}

static int td_compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static td_result td_check_names(td_scene_reader *reader, const td_json *bodies) {
    const size_t count = reader->body_names.count;
    const char **names = reader->body_names.items;
    if (count > 1) {
        qsort(names, count, sizeof *names, td_compare_names);
    }
    for (size_t i = 1; i < count; ++i) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            return td_json_fail(bodies, "two of them have the name \"%.60s\"", names[i]);
        }
    }
    return TD_OK;
}

static td_result td_check_materials(td_scene_reader *reader) {
    if (!td_json_get(&reader->materials, &reader->root, "materials")) {
        return TD_OK;
    }
    TD_TRY(td_json_check_map(&reader->materials));
    td_json material = {0};
    while (td_json_next(&material, &reader->materials)) {
        TD_TRY(td_json_check_object(&material, td_material_keys));
        td_body_def ignored = td_default_body_def();
        TD_TRY(td_read_surface(&ignored, &material));
    }
    return TD_OK;
}

td_result td_read_scene_bodies(td_scene_reader *reader) {
    TD_TRY(td_check_materials(reader));
    td_json bodies, body = {0};
    if (!td_json_get(&bodies, &reader->root, "bodies")) {
        return td_json_fail(&reader->root, "expected \"bodies\"");
    }
    TD_TRY(td_json_check_array(&bodies));
    if (bodies.item->child == NULL) {
        return td_json_fail(&bodies, "expected at least one body, got none");
    }
    while (td_json_next(&body, &bodies)) {
        TD_TRY(td_add_bodies(reader, &body));
    }
    TD_TRY(td_check_names(reader, &bodies));
    return td_check_groups(reader, &bodies);
}
