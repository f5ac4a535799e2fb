// Recorders of scenes: what the scene and its world hold, put into the terms of record.h.
#include "../core/error.h"
#include "record.h"
#include "scene.h"

// What td_begin_recorder wants, for as long as it runs.
typedef struct td_scene_content {
    td_context *context;
    td_record_content content;
    td_record_mesh *meshes;
    td_record_body *bodies;
    td_body_id *ids;
    td_pose *poses;
} td_scene_content;

static void td_release_content(td_scene_content *scene) {
    TD_DELETE(scene->context, td_record_mesh, scene->meshes, scene->content.mesh_count);
    TD_DELETE(scene->context, td_record_body, scene->bodies, scene->content.body_count);
    TD_DELETE(scene->context, td_body_id, scene->ids, scene->content.body_count);
    TD_DELETE(scene->context, td_pose, scene->poses, scene->content.body_count);
}

static td_result td_find_mesh(uint32_t *out, const td_scene *scene, const td_body_state *body) {
    for (uint32_t mesh = 0; mesh < td_scene_mesh_count(scene); ++mesh) {
        if (td_scene_mesh(scene, mesh) == body->mesh) {
            *out = mesh;
            return TD_OK;
        }
    }
    return td_fail(TD_ERROR_ARGUMENT,
                   "body '%s' has a mesh that is not of the scene '%s': it cannot be recorded", body->name,
                   td_scene_name(scene));
}

static td_result td_gather_bodies(td_scene_content *out, const td_scene *scene) {
    const td_world *world = scene->world;
    for (uint32_t i = 0; i < out->content.body_count; ++i) {
        td_body_state body;
        out->ids[i] = td_body_at(world, i);
        TD_TRY(td_get_body(&body, world, out->ids[i]));
        TD_TRY(td_find_mesh(&out->bodies[i].mesh, scene, &body));
        out->bodies[i].kind = body.kind;
        out->bodies[i].name = body.name != NULL ? body.name : "";
        out->poses[i] = body.pose;
    }
    return TD_OK;
}

static td_result td_gather_content(td_scene_content *out, td_context *context, const td_scene *scene) {
    const uint32_t meshes = td_scene_mesh_count(scene), bodies = td_body_count(scene->world);
    *out = (td_scene_content){.context = context,
                              .content = {.scene = td_scene_name(scene),
                                          .text = td_scene_text(scene),
                                          .step = td_scene_step(scene),
                                          .mesh_count = meshes,
                                          .body_count = bodies}};
    out->content.meshes = out->meshes = TD_NEW(context, td_record_mesh, meshes);
    out->content.bodies = out->bodies = TD_NEW(context, td_record_body, bodies);
    out->ids = TD_NEW(context, td_body_id, bodies);
    out->poses = TD_NEW(context, td_pose, bodies);
    if (out->meshes == NULL || out->bodies == NULL || out->ids == NULL || out->poses == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t mesh = 0; mesh < meshes; ++mesh) {
        out->meshes[mesh] = (td_record_mesh){td_scene_mesh_name(scene, mesh), td_scene_mesh(scene, mesh)};
    }
    return td_gather_bodies(out, scene);
}

td_result td_create_recorder(td_recorder **out, td_context *context, const td_scene *scene,
                             const char *path) {
    if (out == NULL || context == NULL || scene == NULL || path == NULL) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "td_create_recorder needs an output, a context, a scene and a path");
    }
    *out = NULL;
    td_scene_content gathered;
    td_result result = td_gather_content(&gathered, context, scene);
    if (result == TD_OK) {
        result = td_begin_recorder(out, context, path, &gathered.content, gathered.poses,
                                   td_hash_world(scene->world));
    }
    for (uint32_t i = 0; result == TD_OK && i < gathered.content.body_count; ++i) {
        td_recorder_bodies(*out)[i] = gathered.ids[i];
    }
    td_release_content(&gathered);
    return result;
}

td_result td_record_frame(td_recorder *recorder, const td_scene *scene, const td_step_report *report) {
    if (recorder == NULL || scene == NULL || report == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_record_frame needs a recorder, a scene and a report");
    }
    const td_world *world = scene->world;
    const uint32_t count = td_recorder_body_count(recorder);
    if (td_body_count(world) != count) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "the world has %u bodies, its recording %u: bodies that come or go "
                       "cannot be recorded",
                       td_body_count(world), count);
    }
    td_pose *poses = td_recorder_poses(recorder);
    for (uint32_t i = 0; i < count; ++i) {
        td_body_state body;
        TD_TRY(td_get_body(&body, world, td_recorder_bodies(recorder)[i]));
        poses[i] = body.pose;
    }
    const td_frame_numbers numbers = {.steps = report->step + 1,
                                      .hash = td_hash_world(world),
                                      .time = report->time,
                                      .kinetic_energy = report->kinetic_energy,
                                      .potential_energy = report->potential_energy,
                                      .penetration = report->penetration,
                                      .awake = report->awake,
                                      .islands = report->islands,
                                      .colliding_pairs = report->colliding_pairs,
                                      .faces = report->faces,
                                      .contacts = report->contacts};
    return td_record_poses(recorder, poses, &numbers);
}
