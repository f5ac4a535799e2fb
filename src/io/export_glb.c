// A recording as an animation in a .glb file: a node per body, in their order, behind them a camera and the
// node above all, which has the place of the scene in the world.
#include "export_glb_soft.h"

#include "../core/error.h"
#include "record.h"

#include <float.h>
#include <math.h>

typedef struct td_glb_export {
    td_export *task;
    td_gltf gltf;
    td_glb_meshes meshes;
    td_glb_animation animation;
    td_samples samples;
    td_glb_soft soft;
    td_export_names names;
    td_mesh_ball *balls; // per recorded mesh
    td_pose *start;      // per body, in the first frame
    double origin[3];    // m; positions are written relative to it
} td_glb_export;

// ---------------------------------------------------------------------------------------------------------
// Preparations

// float32 is fine enough up to here: half a step of it is 4e-6 m.
static const double td_near_metres = 128;

// Whole metres. Zero, unless the bodies stand so far from the world's origin that float32 would lose what
// their distances from each other need.
static void td_choose_origin(td_glb_export *export) {
    double farthest = 0, widest = 0;
    for (int k = 0; k < 3; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (uint32_t i = 0; i < export->task->info.bodies; ++i) {
            lower = fmin(lower, export->start[i].position[k]);
            upper = fmax(upper, export->start[i].position[k]);
        }
        if (lower <= upper) {
            export->origin[k] = rint(0.5 * lower + 0.5 * upper);
            farthest = fmax(farthest, fmax(fabs(lower), fabs(upper)));
            widest = fmax(widest, 0.5 * upper - 0.5 * lower);
        }
    }
    if (farthest <= td_near_metres || widest >= 0.25 * farthest) {
        export->origin[0] = export->origin[1] = export->origin[2] = 0;
    }
}

static td_result td_collect_names(td_glb_export *export) {
    td_export *task = export->task;
    for (uint32_t i = 0; i < task->info.bodies; ++i) {
        const char *name = td_recording_body(task->recording, i).name;
        TD_TRY(td_add_export_name(&export->names, task->context, name, "body"));
    }
    TD_TRY(td_add_export_name(&export->names, task->context, "camera", ""));
    TD_TRY(td_add_export_name(&export->names, task->context, task->info.scene, "scene"));
    return td_tell_names_apart(&export->names, task->context);
}

static td_result td_prepare_glb(td_glb_export *export) {
    td_export *task = export->task;
    export->balls = TD_NEW(task->context, td_mesh_ball, task->info.meshes);
    export->start = TD_NEW(task->context, td_pose, task->info.bodies);
    if (export->balls == NULL || export->start == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < task->info.meshes; ++i) {
        export->balls[i] = td_ball_of_mesh(td_recording_mesh(task->recording, i));
    }
    TD_TRY(td_read_centred_frame(export->start, task->recording, task->def.first));
    td_choose_origin(export);
    TD_TRY(td_begin_glb_meshes(&export->meshes, task));
    TD_TRY(td_begin_glb_soft(&export->soft, task));
    return td_collect_names(export);
}

// ---------------------------------------------------------------------------------------------------------
// Nodes

static td_result td_add_body_node(td_glb_export *export, uint32_t body) {
    uint32_t mesh;
    td_gltf *gltf = &export->gltf;
    const td_pose *pose = &export->start[body];
    TD_TRY(td_glb_soft_of_body(&export->soft, body) != NULL
               ? td_add_glb_soft_mesh(&mesh, &export->soft, &export->meshes, gltf, export->task, body,
                                      pose->position)
               : td_glb_mesh_of_body(&mesh, &export->meshes, gltf, export->task, body));
    double position[3];
    for (int k = 0; k < 3; ++k) {
        position[k] = pose->position[k] - export->origin[k];
    }
    cJSON *node = td_gltf_entry(gltf, TD_GLTF_NODES);
    td_gltf_text(gltf, node, "name", td_export_name(&export->names, body));
    td_gltf_number(gltf, node, "mesh", mesh);
    td_gltf_numbers(gltf, node, "translation", position, 3);
    td_gltf_numbers(gltf, node, "rotation", pose->rotation, 4);
    return TD_OK;
}

static void td_add_scene(td_glb_export *export) {
    td_gltf *gltf = &export->gltf;
    const uint32_t bodies = export->task->info.bodies;
    const uint32_t camera = td_add_glb_camera(gltf, export->task, export->start, export->balls,
                                              export->origin, td_export_name(&export->names, bodies));
    const uint32_t above = gltf->counts[TD_GLTF_NODES];
    cJSON *node = td_gltf_entry(gltf, TD_GLTF_NODES);
    td_gltf_text(gltf, node, "name", td_export_name(&export->names, bodies + 1));
    td_gltf_numbers(gltf, node, "translation", export->origin, 3);
    cJSON *children = td_gltf_array(gltf, node, "children");
    for (uint32_t i = 0; i < bodies; ++i) {
        td_gltf_number(gltf, children, NULL, i);
    }
    td_gltf_number(gltf, children, NULL, camera);
    cJSON *scene = td_gltf_entry(gltf, TD_GLTF_SCENES);
    td_gltf_number(gltf, td_gltf_array(gltf, scene, "nodes"), NULL, above);
    td_gltf_number(gltf, gltf->root, "scene", 0);
}

static td_result td_add_nodes(td_glb_export *export) {
    for (uint32_t body = 0; body < export->task->info.bodies; ++body) {
        TD_TRY(td_add_body_node(export, body));
    }
    td_add_scene(export);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Animation

static td_result td_check_range(const td_glb_export *export, const td_track_source *source, uint32_t body) {
    const td_export *task = export->task;
    for (uint32_t i = 0; i < source->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double at = source->samples[i].pose.position[k] - source->origin[k];
            if (!(fabs(at) <= (double)FLT_MAX)) {
                return td_fail(TD_ERROR_UNSUPPORTED,
                               "%s: body %u (%s) is at %c = %g in frame %llu, which float32 cannot hold: "
                               "expected frames before it",
                               td_recording_path(task->recording), body,
                               td_recording_body(task->recording, body).name, "xyz"[k], at,
                               (unsigned long long)(task->def.first + i * task->def.every));
            }
        }
    }
    return TD_OK;
}

// Where its middle goes, and its shapes. What these are off by is not measured, but limited.
static td_result td_animate_soft(td_glb_export *export, const td_track_source *source,
                                 const td_glb_soft_body *soft) {
    const td_shape_fit *fit = &soft->fit;
    td_export_report *report = &export->task->report;
    const uint32_t moving = report->moving_bodies;
    const bool thinned = fit->keys.count < source->count && fit->shapes > 0;
    TD_TRY(td_animate_body(&export->animation, &export->gltf, export->task, source, soft->body, 0,
                           soft->rounding + (thinned ? sqrt(3) * fit->limit : 0)));
    report->moving_bodies += report->moving_bodies == moving && fit->shapes > 0;
    return fit->shapes > 0 ? td_animate_shapes(&export->animation, &export->gltf, source, soft->body,
                                               fit->keys.items, (uint32_t)fit->keys.count, fit->shapes)
                           : TD_OK;
}

static td_result td_animate_batch(td_glb_export *export, uint32_t first, uint32_t count) {
    td_samples *samples = &export->samples;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t mesh = td_recording_body(export->task->recording, first + i).mesh;
        const td_track_source source = {.samples = samples->items + (size_t)i * samples->count,
                                        .times = samples->times,
                                        .origin = export->origin,
                                        .count = samples->count};
        const td_glb_soft_body *soft = td_glb_soft_of_body(&export->soft, first + i);
        TD_TRY(td_check_range(export, &source, first + i));
        if (soft != NULL) {
            TD_TRY(td_animate_soft(export, &source, soft));
            continue;
        }
        TD_TRY(td_animate_body(&export->animation, &export->gltf, export->task, &source, first + i,
                               export->balls[mesh].reach, export->meshes.shapes[mesh].rounding));
    }
    return TD_OK;
}

// Batches of bodies, so that memory does not grow with the recording; each reads all frames.
static td_result td_animate_all(td_glb_export *export) {
    td_export *task = export->task;
    TD_TRY(td_begin_samples(&export->samples, task, export->balls));
    const uint32_t bodies = task->info.bodies, room = export->samples.body_room;
    const uint64_t frames = export->samples.count;
    const uint64_t passes = (bodies > 0 ? (bodies - 1) / room + 1 : 0) + (export->soft.count > 0);
    const uint64_t total = frames * passes;
    uint64_t done = export->soft.count > 0 ? frames : 0;
    TD_TRY(td_add_glb_shapes(&export->soft, &export->gltf, task, export->samples.times, export->samples.count,
                             total));
    TD_TRY(td_begin_glb_animation(&export->animation, &export->gltf,
                                  td_export_name(&export->names, task->info.bodies + 1)));
    for (uint32_t first = 0; first < bodies; done += frames) {
        const uint32_t count = bodies - first < room ? bodies - first : room;
        TD_TRY(td_read_samples(&export->samples, task, first, count, done, total));
        TD_TRY(td_animate_batch(export, first, count));
        first += count;
    }
    td_end_glb_animation(&export->animation, &export->gltf);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_run_glb(td_glb_export *export) {
    TD_TRY(td_prepare_glb(export));
    TD_TRY(td_add_nodes(export));
    TD_TRY(td_animate_all(export));
    const td_result result = td_write_glb(export->task->file, &export->gltf);
    return result == TD_ERROR_UNSUPPORTED ? td_fail_within(result, export->task->path) : result;
}

td_result td_export_glb(td_export *task) {
    td_glb_export export = {.task = task, .gltf = td_begin_gltf(task->context)};
    const td_result result = td_run_glb(&export);
    td_release_glb_animation(&export.animation, task->context);
    td_release_samples(&export.samples, task->context);
    td_release_glb_soft(&export.soft, task->context);
    td_release_glb_meshes(&export.meshes, task->context);
    td_release_export_names(&export.names, task->context);
    TD_DELETE(task->context, td_mesh_ball, export.balls, task->info.meshes);
    TD_DELETE(task->context, td_pose, export.start, task->info.bodies);
    td_release_gltf(&export.gltf);
    return result;
}
