// Rules of a scene: what happens between two steps. So far one, for slides that never end: bodies that fell
// out at the bottom come in again at the top.
#include "../core/error.h"
#include "scene.h"

#include <math.h>
#include <string.h>

static const char *const td_rule_keys[] = {"reinsert", NULL};
static const char *const td_reinsert_keys[] = {"below", "velocity", "position", "grid", NULL};

enum { TD_RULES_MOST = 64, TD_PLACES_MOST = 1000000, TD_RISES_MOST = 100000 };

static td_result td_read_reinsert(td_scene_rule *out, const td_json *value) {
    TD_TRY(td_json_check_object(value, td_reinsert_keys));
    td_json below, velocity, position, grid;
    if (!td_json_get(&below, value, "below")) {
        return td_json_fail(value, "expected \"below\": the height under which bodies are put back");
    }
    TD_TRY(td_json_number(&out->below, &below, &td_json_any));
    out->has_velocity = td_json_get(&velocity, value, "velocity");
    if (out->has_velocity) {
        TD_TRY(td_json_numbers(out->velocity, 3, &velocity, &td_json_any));
    }
    out->places = td_single_place();
    out->has_places = td_json_get(&position, value, "position");
    if (out->has_places) {
        double origin[3];
        TD_TRY(td_json_numbers(origin, 3, &position, &td_json_any));
        out->places.origin = td_vec3_make(origin[0], origin[1], origin[2]);
    }
    if (td_json_get(&grid, value, "grid")) {
        if (!out->has_places) {
            return td_json_fail(&grid, "expected a \"position\" beside it");
        }
        TD_TRY(td_read_grid(&out->places, &grid, TD_PLACES_MOST));
    }
    return TD_OK;
}

static td_result td_keep_starts(td_scene *scene) {
    const uint32_t count = td_body_count(scene->world);
    TD_TRY(td_array_reserve(scene->context, &scene->starts, count));
    TD_TRY(td_array_reserve(scene->context, &scene->centres, count));
    for (uint32_t i = 0; i < count; ++i) {
        const td_body_id id = td_body_at(scene->world, i);
        td_body_state state;
        TD_TRY(td_get_body(&state, scene->world, id));
        if (state.kind != TD_BODY_DYNAMIC) {
            continue;
        }
        td_scene_start *start = &scene->starts.items[scene->starts.count++];
        *start = (td_scene_start){.body = id, .pose = state.pose, .radius = state.radius};
        for (int k = 0; k < 3; ++k) {
            start->centre[k] = state.centre[k] - state.pose.position[k];
            start->velocity[k] = state.velocity[k];
            start->spin[k] = state.spin[k];
        }
    }
    return TD_OK;
}

td_result td_read_scene_rules(td_scene_reader *reader) {
    td_scene *scene = reader->scene;
    td_json rules, rule = {0};
    if (!td_json_get(&rules, &reader->root, "rules")) {
        return TD_OK;
    }
    TD_TRY(td_json_check_array(&rules));
    while (td_json_next(&rule, &rules)) {
        TD_TRY(td_json_check_object(&rule, td_rule_keys));
        td_json reinsert;
        if (!td_json_get(&reinsert, &rule, "reinsert")) {
            return td_json_fail(&rule, "expected \"reinsert\"");
        }
        if (rule.index == TD_RULES_MOST) {
            return td_json_fail(&rules, "there are more than %d", TD_RULES_MOST);
        }
        td_scene_rule read = {0};
        TD_TRY(td_read_reinsert(&read, &reinsert));
        TD_TRY(td_array_reserve(scene->context, &scene->rules, 1));
        scene->rules.items[scene->rules.count++] = read;
    }
    return scene->rules.count > 0 ? td_keep_starts(scene) : TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Putting back

// Where dynamic bodies are now, in the order of `starts`. A body that the caller removed is nowhere.
static td_result td_find_centres(td_scene *scene, bool *any_below, double below) {
    *any_below = false;
    scene->centres.count = scene->starts.count;
    for (size_t i = 0; i < scene->starts.count; ++i) {
        const td_body_id id = scene->starts.items[i].body;
        td_body_state state;
        if (!td_body_exists(scene->world, id)) {
            scene->centres.items[i] = td_vec3_make(NAN, NAN, NAN);
            continue;
        }
        TD_TRY(td_get_body(&state, scene->world, id));
        scene->centres.items[i] = td_vec3_make(state.centre[0], state.centre[1], state.centre[2]);
        *any_below = *any_below || state.centre[1] < below;
    }
    return TD_OK;
}

// Whether the ball about the body, were its centre there, is clear of the balls of all other dynamic bodies.
// What is static was there at the start, too.
static bool td_is_free(const td_scene *scene, size_t body, td_vec3 centre) {
    const double radius = scene->starts.items[body].radius;
    for (size_t i = 0; i < scene->starts.count; ++i) {
        const td_vec3 d = td_sub(scene->centres.items[i], centre);
        const double reach = radius + scene->starts.items[i].radius;
        if (i != body && td_dot(d, d) < reach * reach) {
            return false;
        }
    }
    return true;
}

// The next place that is free; where none is, the same places higher and higher, by the size of the body.
static td_vec3 td_find_place(td_scene *scene, td_scene_rule *rule, size_t body) {
    const td_scene_start *start = &scene->starts.items[body];
    const td_vec3 centre = td_vec3_make(start->centre[0], start->centre[1], start->centre[2]);
    td_vec3 place = td_vec3_make(start->pose.position[0], start->pose.position[1], start->pose.position[2]);
    const double height = 2 * start->radius;
    for (uint64_t rise = 0;; ++rise) {
        for (uint64_t tried = 0; tried < rule->places.total; ++tried) {
            td_vec3 raised = place;
            if (rule->has_places) {
                td_quat turn;
                raised = td_grid_place(&turn, &rule->places, rule->next_place);
                rule->next_place = (rule->next_place + 1) % rule->places.total;
            }
            raised.y += (double)rise * height;
            if (rise == TD_RISES_MOST || td_is_free(scene, body, td_add(raised, centre))) {
                return raised;
            }
        }
    }
}

static td_result td_reinsert(td_scene *scene, td_scene_rule *rule, size_t body) {
    const td_scene_start *start = &scene->starts.items[body];
    const td_vec3 place = td_find_place(scene, rule, body);
    td_pose pose = start->pose;
    pose.position[0] = place.x;
    pose.position[1] = place.y;
    pose.position[2] = place.z;
    TD_TRY(td_set_body_pose(scene->world, start->body, &pose));
    TD_TRY(td_set_body_velocity(scene->world, start->body,
                                rule->has_velocity ? rule->velocity : start->velocity, start->spin));
    scene->centres.items[body] =
        td_add(place, td_vec3_make(start->centre[0], start->centre[1], start->centre[2]));
    return TD_OK;
}

td_result td_apply_scene_rules(td_scene *scene) {
    for (size_t r = 0; r < scene->rules.count; ++r) {
        td_scene_rule *rule = &scene->rules.items[r];
        bool any_below;
        TD_TRY(td_find_centres(scene, &any_below, rule->below));
        for (size_t i = 0; any_below && i < scene->starts.count; ++i) {
            if (scene->centres.items[i].y < rule->below) {
                TD_TRY(td_reinsert(scene, rule, i));
            }
        }
    }
    return TD_OK;
}
