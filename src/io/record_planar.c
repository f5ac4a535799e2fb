#include "record_planar.h"

#include "../core/error.h"
#include "scene.h"

#include <math.h>
#include <stdio.h>

enum { TD_PLANAR_NAME_SIZE = 24 };

static td_result td_create_planar_cache(td_scene_cache *out, td_context *context, uint32_t count) {
    *out = (td_scene_cache){.body_count = count};
    out->ids = TD_NEW(context, td_body_id, count); // released with the rest; none is asked for
    out->poses = TD_NEW(context, td_pose, count);
    out->motions = TD_NEW(context, td_recorded_motion, count);
    return out->ids != NULL && out->poses != NULL && out->motions != NULL ? TD_OK : TD_ERROR_MEMORY;
}

static td_recorded_state td_gather_planar(td_scene_cache *cache, const td_planar_scene *plane) {
    for (uint32_t i = 0; i < cache->body_count; ++i) {
        cache->poses[i] = td_planar_recorded_pose(plane, i);
        cache->motions[i] = (td_recorded_motion){0};
        if (i < plane->count && !td_planar_body_is_static(plane->planar, i)) {
            const double *v = plane->states[i].velocity;
            cache->motions[i] = (td_recorded_motion){sqrt(v[0] * v[0] + v[1] * v[1]), true};
        }
    }
    return (td_recorded_state){.poses = cache->poses, .motions = cache->motions};
}

static void td_name_bodies(td_record_body *bodies, char (*names)[TD_PLANAR_NAME_SIZE],
                           const td_planar_scene *plane) {
    const uint32_t first_wall = plane->count;
    uint32_t wall_mesh = 0;
    for (uint32_t i = 0; i < plane->count; ++i) {
        wall_mesh = plane->meshes[i] + 1 > wall_mesh ? plane->meshes[i] + 1 : wall_mesh;
    }
    for (uint32_t i = 0; i < td_planar_recorded_count(plane); ++i) {
        const bool is_wall = i >= first_wall;
        snprintf(names[i], sizeof names[i], is_wall ? "wall[%u]" : "object[%u]",
                 is_wall ? i - first_wall : i);
        bodies[i] = (td_record_body){.mesh = is_wall ? wall_mesh + i - first_wall : plane->meshes[i],
                                     .name = names[i]};
        bodies[i].kind =
            is_wall || td_planar_body_is_static(plane->planar, i) ? TD_BODY_STATIC : TD_BODY_DYNAMIC;
    }
}

// What td_begin_recorder borrows.
typedef struct td_planar_content {
    td_record_content content;
    td_record_mesh *meshes;
    td_record_body *bodies;
    char (*names)[TD_PLANAR_NAME_SIZE];
    td_scene_cache cache;
} td_planar_content;

static td_result td_gather_planar_content(td_planar_content *out, td_context *context,
                                          const td_scene *scene) {
    const uint32_t meshes = td_scene_mesh_count(scene), bodies = td_planar_recorded_count(&scene->planar);
    *out = (td_planar_content){.content = {.scene = td_scene_name(scene),
                                           .text = td_scene_text(scene),
                                           .step = td_scene_step(scene) * scene->planar.steps_per_frame,
                                           .mesh_count = meshes,
                                           .body_count = bodies}};
    out->content.meshes = out->meshes = TD_NEW(context, td_record_mesh, meshes);
    out->content.bodies = out->bodies = TD_NEW(context, td_record_body, bodies);
    out->names = td_allocate(context, bodies, sizeof *out->names);
    if (out->meshes == NULL || out->bodies == NULL || out->names == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < meshes; ++i) {
        out->meshes[i] = (td_record_mesh){td_scene_mesh_name(scene, i), td_scene_mesh(scene, i)};
    }
    td_name_bodies(out->bodies, out->names, &scene->planar);
    return td_create_planar_cache(&out->cache, context, bodies);
}

td_result td_create_planar_recorder(td_recorder **out, td_context *context, const td_scene *scene,
                                    const char *path, bool times) {
    td_planar_content gathered;
    td_result result = td_gather_planar_content(&gathered, context, scene);
    if (result == TD_OK) {
        const td_recorded_state state = td_gather_planar(&gathered.cache, &scene->planar);
        result = td_begin_recorder(out, context, path, &gathered.content, &state, td_hash_scene(scene));
    }
    if (result == TD_OK) {
        gathered.cache.times = times;
        *td_recorder_cache(*out) = gathered.cache;
        gathered.cache = (td_scene_cache){0};
    }
    TD_DELETE(context, td_record_mesh, gathered.meshes, gathered.content.mesh_count);
    TD_DELETE(context, td_record_body, gathered.bodies, gathered.content.body_count);
    td_release(context, gathered.names, gathered.content.body_count, sizeof *gathered.names);
    td_release_scene_cache(&gathered.cache, context);
    return result;
}

td_result td_record_planar_frame(td_recorder *recorder, const td_scene *scene, const td_step_report *report) {
    td_recorded_state state = td_gather_planar(td_recorder_cache(recorder), &scene->planar);
    td_record_times times = {0};
    times.ms[TD_STAGE_TOTAL] = td_time_to_record(report->total_ms);
    state.times = td_recorder_cache(recorder)->times ? &times : NULL;
    const td_frame_numbers numbers = {.steps = report->step + 1,
                                      .hash = td_hash_scene(scene),
                                      .time = report->time,
                                      .kinetic_energy = report->kinetic_energy,
                                      .awake = report->awake,
                                      .passes = report->passes,
                                      .colliding_pairs = report->colliding_pairs,
                                      .contacts = report->contacts};
    return td_record_state(recorder, &state, &numbers);
}
