// Recorders of scenes: what the scene and its world hold, put into the terms of record.h.
#include "../core/context.h"
#include "../core/error.h"
#include "record.h"
#include "record_planar.h"
#include "record_thin.h"
#include "scene.h"

#include <math.h>

// What td_begin_recorder wants, for as long as it runs.
typedef struct td_scene_content {
    td_context *context;
    td_record_content content;
    td_record_mesh *meshes;
    td_record_body *bodies;
    td_scene_cache cache;
} td_scene_content;

static void td_release_content(td_scene_content *scene) {
    TD_DELETE(scene->context, td_record_mesh, scene->meshes, scene->content.mesh_count);
    TD_DELETE(scene->context, td_record_body, scene->bodies, scene->content.body_count);
    td_release_scene_cache(&scene->cache, scene->context);
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

// ---------------------------------------------------------------------------------------------------------
// The state of a frame

// Which bodies are soft, if any is.
static td_result td_find_soft_bodies(td_scene_cache *cache, td_context *context, const td_world *world) {
    for (uint32_t i = 0; i < cache->body_count; ++i) {
        td_body_state body;
        TD_TRY(td_get_body(&body, world, cache->ids[i]));
        if (body.kind == TD_BODY_SOFT && cache->soft == NULL) {
            cache->soft = TD_NEW(context, bool, cache->body_count);
            cache->positions = TD_NEW(context, const double *, cache->body_count);
            if (cache->soft == NULL || cache->positions == NULL) {
                return TD_ERROR_MEMORY;
            }
            for (uint32_t k = 0; k < cache->body_count; ++k) {
                cache->soft[k] = false;
                cache->positions[k] = NULL;
            }
        }
        if (cache->soft != NULL) {
            cache->soft[i] = body.kind == TD_BODY_SOFT;
        }
    }
    return TD_OK;
}

static td_result td_create_cache(td_scene_cache *out, td_context *context, const td_world *world) {
    const uint32_t count = td_body_count(world);
    *out = (td_scene_cache){.body_count = count};
    out->ids = TD_NEW(context, td_body_id, count);
    out->poses = TD_NEW(context, td_pose, count);
    out->motions = TD_NEW(context, td_recorded_motion, count);
    if (out->ids == NULL || out->poses == NULL || out->motions == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; ++i) {
        out->ids[i] = td_body_at(world, i);
    }
    return td_find_soft_bodies(out, context, world);
}

void td_release_scene_cache(td_scene_cache *cache, td_context *context) {
    TD_DELETE(context, td_body_id, cache->ids, cache->body_count);
    TD_DELETE(context, td_pose, cache->poses, cache->body_count);
    TD_DELETE(context, td_recorded_motion, cache->motions, cache->body_count);
    TD_DELETE(context, bool, cache->soft, cache->body_count);
    TD_DELETE(context, const double *, cache->positions, cache->body_count);
    td_array_release(context, &cache->contacts);
    *cache = (td_scene_cache){0};
}

static double td_speed(const double velocity[3]) {
    return sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
}

static bool td_may_move(td_body_kind kind) {
    return kind == TD_BODY_DYNAMIC || kind == TD_BODY_SOFT;
}

static td_result td_gather_motions(td_scene_cache *cache, const td_world *world) {
    for (uint32_t i = 0; i < cache->body_count; ++i) {
        td_body_state body;
        TD_TRY(td_get_body(&body, world, cache->ids[i]));
        cache->poses[i] = body.pose;
        cache->motions[i] = (td_recorded_motion){.speed = td_speed(body.velocity),
                                                 .awake = td_may_move(body.kind) && body.awake};
    }
    return TD_OK;
}

static td_result td_gather_positions(td_scene_cache *cache, const td_world *world) {
    for (uint32_t i = 0; cache->soft != NULL && i < cache->body_count; ++i) {
        uint32_t vertex_count;
        if (cache->soft[i]) {
            TD_TRY(td_get_positions(&cache->positions[i], &vertex_count, world, cache->ids[i]));
        }
    }
    return TD_OK;
}

// The number of a body in the recording; UINT32_MAX if it is not of it.
static uint32_t td_find_body(const td_scene_cache *cache, td_body_id id) {
    uint32_t low = 0, high = cache->body_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (cache->ids[middle].index < id.index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < cache->body_count && cache->ids[low].index == id.index &&
                   cache->ids[low].generation == id.generation
               ? low
               : UINT32_MAX;
}

// Contacts of a body that was there in the last step and is not recorded, because it is gone, are left out;
// so are those of a soft body with itself.
static td_result td_gather_contacts(td_scene_cache *cache, td_context *context, const td_world *world) {
    const size_t count = td_contact_count(world);
    cache->contacts.count = 0;
    TD_TRY(td_array_reserve(context, &cache->contacts, count));
    for (size_t i = 0; i < count; ++i) {
        const td_contact contact = td_get_contact(world, i);
        const uint32_t a = td_find_body(cache, contact.a), b = td_find_body(cache, contact.b);
        if (a == UINT32_MAX || b == UINT32_MAX || a == b) {
            continue;
        }
        td_recorded_contact *out = &cache->contacts.items[cache->contacts.count++];
        *out = (td_recorded_contact){.a = a, .b = b, .impulse = contact.impulse};
        for (int k = 0; k < 3; ++k) {
            out->point[k] = contact.point[k];
            out->normal[k] = contact.normal[k];
        }
    }
    if (cache->soft != NULL) {
        cache->contacts.count = td_thin_contacts(cache->contacts.items, cache->contacts.count, cache->soft);
    }
    return TD_OK;
}

static td_result td_gather_state(td_recorded_state *out, td_scene_cache *cache, td_context *context,
                                 const td_world *world) {
    TD_TRY(td_gather_motions(cache, world));
    TD_TRY(td_gather_positions(cache, world));
    TD_TRY(td_gather_contacts(cache, context, world));
    *out = (td_recorded_state){.poses = cache->poses,
                               .motions = cache->motions,
                               .positions = cache->positions,
                               .contacts = cache->contacts.items,
                               .contact_count = cache->contacts.count};
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Beginning

static td_result td_gather_bodies(td_scene_content *out, const td_scene *scene) {
    const td_world *world = scene->world;
    for (uint32_t i = 0; i < out->content.body_count; ++i) {
        td_body_state body;
        TD_TRY(td_get_body(&body, world, out->cache.ids[i]));
        TD_TRY(td_find_mesh(&out->bodies[i].mesh, scene, &body));
        out->bodies[i].kind = body.kind;
        out->bodies[i].name = body.name != NULL ? body.name : "";
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
    if (out->meshes == NULL || out->bodies == NULL) {
        return TD_ERROR_MEMORY;
    }
    TD_TRY(td_create_cache(&out->cache, context, scene->world));
    for (uint32_t mesh = 0; mesh < meshes; ++mesh) {
        out->meshes[mesh] = (td_record_mesh){td_scene_mesh_name(scene, mesh), td_scene_mesh(scene, mesh)};
    }
    return td_gather_bodies(out, scene);
}

td_recorder_def td_default_recorder_def(void) {
    return (td_recorder_def){.cookie = TD_COOKIE_RECORDER};
}

td_result td_create_recorder(td_recorder **out, td_context *context, const td_scene *scene, const char *path,
                             const td_recorder_def *def) {
    if (out == NULL || context == NULL || scene == NULL || path == NULL) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "td_create_recorder needs an output, a context, a scene and a path");
    }
    *out = NULL;
    if (def != NULL) {
        TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_RECORDER, "td_default_recorder_def"));
    }
    if (scene->world == NULL) {
        return td_create_planar_recorder(out, context, scene, path, def != NULL && def->times);
    }
    td_scene_content gathered;
    td_recorded_state state;
    td_result result = td_gather_content(&gathered, context, scene);
    if (result == TD_OK) {
        result = td_gather_state(&state, &gathered.cache, context, scene->world);
    }
    if (result == TD_OK) {
        result =
            td_begin_recorder(out, context, path, &gathered.content, &state, td_hash_world(scene->world));
    }
    if (result == TD_OK) {
        gathered.cache.times = def != NULL && def->times;
        *td_recorder_cache(*out) = gathered.cache;
        gathered.cache = (td_scene_cache){0};
    }
    td_release_content(&gathered);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Going on

static td_frame_numbers td_numbers_of(const td_step_report *report, uint64_t hash) {
    return (td_frame_numbers){.steps = report->step + 1,
                              .hash = hash,
                              .time = report->time,
                              .kinetic_energy = report->kinetic_energy,
                              .potential_energy = report->potential_energy,
                              .penetration = report->penetration,
                              .residual = report->residual,
                              .awake = report->awake,
                              .islands = report->islands,
                              .passes = report->passes,
                              .colours = report->colours,
                              .broad_pairs = report->broad_pairs,
                              .colliding_pairs = report->colliding_pairs,
                              .faces = report->faces,
                              .regions = report->regions,
                              .contacts = report->contacts,
                              .stopped_bodies = report->stopped_bodies};
}

static td_record_times td_times_of(const td_step_report *report) {
    td_record_times times;
    times.ms[TD_STAGE_TOTAL] = td_time_to_record(report->total_ms);
    times.ms[TD_STAGE_BROAD] = td_time_to_record(report->broad_ms);
    times.ms[TD_STAGE_TRAVERSAL] = td_time_to_record(report->traversal_ms);
    times.ms[TD_STAGE_CONTACTS] = td_time_to_record(report->contacts_ms);
    times.ms[TD_STAGE_SOLVER] = td_time_to_record(report->solver_ms);
    times.ms[TD_STAGE_COPY] = td_time_to_record(report->copy_ms);
    times.ms[TD_STAGE_KERNEL] = td_time_to_record(report->kernel_ms);
    return times;
}

td_result td_record_frame(td_recorder *recorder, const td_scene *scene, const td_step_report *report) {
    if (recorder == NULL || scene == NULL || report == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_record_frame needs a recorder, a scene and a report");
    }
    const td_world *world = scene->world;
    if (world == NULL) {
        return td_record_planar_frame(recorder, scene, report);
    }
    td_scene_cache *cache = td_recorder_cache(recorder);
    if (td_body_count(world) != cache->body_count) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "the world has %u bodies, its recording %u: bodies that come or go "
                       "cannot be recorded",
                       td_body_count(world), cache->body_count);
    }
    td_recorded_state state;
    TD_TRY(td_gather_state(&state, cache, td_recorder_context(recorder), world));
    const td_record_times times = td_times_of(report);
    state.times = cache->times ? &times : NULL;
    const td_frame_numbers numbers = td_numbers_of(report, td_hash_world(world));
    return td_record_state(recorder, &state, &numbers);
}
