// A planar scene, once it is there: its steps, and where its bodies are in three dimensions.
#include "../core/clock.h"
#include "../core/error.h"
#include "../planar/turn.h"
#include "scene.h"

void td_destroy_planar_scene(td_planar_scene *scene, td_context *context) {
    td_destroy_planar(scene->planar);
    TD_DELETE(context, td_planar_state, scene->states, scene->count);
    TD_DELETE(context, uint32_t, scene->meshes, scene->count);
    *scene = (td_planar_scene){0};
}

static uint32_t td_count_moving(const td_planar_scene *scene) {
    uint32_t moving = 0;
    for (uint32_t i = 0; i < scene->count; ++i) {
        moving += !td_planar_body_is_static(scene->planar, i);
    }
    return moving;
}

// Of a step report's numbers, those that a plane has: collisions are its contacts.
td_result td_step_planar_scene(td_step_report *out, td_scene *scene) {
    td_planar_scene *plane = &scene->planar;
    const double begin = td_clock_ms(), before = plane->report.collisions;
    TD_TRY(td_step_planar(plane->planar, plane->steps_per_frame));
    TD_TRY(td_get_planar_states(plane->states, plane->planar));
    TD_TRY(td_report_planar(&plane->report, plane->planar));
    const uint64_t collisions = (uint64_t)(plane->report.collisions - before);
    if (out != NULL) {
        *out = (td_step_report){.step = plane->report.steps / plane->steps_per_frame - 1,
                                .time = plane->report.time,
                                .bodies = plane->count,
                                .awake = td_count_moving(plane),
                                .passes = 1,
                                .colliding_pairs = collisions,
                                .contacts = collisions,
                                .kinetic_energy = plane->report.kinetic_energy,
                                .total_ms = td_clock_ms() - begin};
    }
    return TD_OK;
}

uint32_t td_planar_recorded_count(const td_planar_scene *scene) {
    return scene->count + TD_PLANAR_WALL_BODIES;
}

td_pose td_planar_recorded_pose(const td_planar_scene *scene, uint32_t body) {
    if (body >= scene->count) {
        return (td_pose){.rotation = {0, 0, 0, 1}}; // walls are made where they stand
    }
    const td_planar_state *state = &scene->states[body];
    const td_planar_turn turn = td_planar_turn_of(0.5 * state->angle);
    return (td_pose){.position = {state->position[0], 0, -state->position[1]},
                     .rotation = {0, turn.s, 0, turn.c}};
}
