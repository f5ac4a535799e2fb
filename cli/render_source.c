#include "message.h"
#include "render_soft.h"

#include <math.h>
#include <stdlib.h>

bool td_render_reserve(td_render_source *source, uint32_t body_count, uint32_t mesh_count) {
    source->bodies = calloc(body_count ? body_count : 1, sizeof *source->bodies);
    source->framed = calloc(body_count ? body_count : 1, sizeof *source->framed);
    source->meshes = calloc(mesh_count ? mesh_count : 1, sizeof *source->meshes);
    source->body_count = body_count;
    source->mesh_count = mesh_count;
    if (!source->bodies || !source->framed || !source->meshes) {
        td_cli_error("out of memory for %u bodies", body_count);
        return false;
    }
    return true;
}

bool td_render_add_model(td_render_source *source, uint32_t index, const td_mesh *mesh) {
    if (td_create_render_mesh(&source->meshes[index].model, source->session->context, mesh) != TD_OK) {
        td_cli_library_error(td_mesh_name(mesh));
        return false;
    }
    return true;
}

void td_render_close(td_render_source *source) {
    for (uint32_t i = 0; source->meshes && i < source->mesh_count; ++i) {
        td_destroy_render_mesh(source->meshes[i].model);
        td_destroy_mesh(source->meshes[i].mesh);
    }
    td_destroy_render_mesh(source->extent_mesh.model);
    td_destroy_mesh(source->extent_mesh.mesh);
    td_release_soft_models(source);
    free(source->meshes);
    free(source->bodies);
    free(source->framed);
    free(source->poses);
    free(source->motions);
    td_view_release_marks(&source->marks);
    if (source->parts.session) {
        td_view_release_parts(&source->parts);
    }
    td_close_recording(source->recording); // after the meshes, which borrow its arrays
    *source = (td_render_source){0};
}

// ---------------------------------------------------------------------------------------------------------
// The camera

enum { TD_FRAMES_MOST = 64, TD_PLACES_MOST = 40000 };

// Bodies of some frames, copied side by side.
typedef struct td_places {
    td_render_body *items;
    size_t count;
} td_places;

// Soft bodies, whose mesh is another in each frame, come last, as boxes around all.
static void td_add_places(td_places *places, const td_render_source *source) {
    uint32_t soft = 0;
    for (uint32_t i = 0; i < source->body_count; ++i) {
        if (soft < source->soft_count && source->soft[soft].body == i) {
            ++soft;
        } else if (source->framed[i]) {
            places->items[places->count] = source->bodies[i];
            places->items[places->count++].marked_count = 0;
        }
    }
}

static bool td_add_soft_places(td_places *places, td_render_source *source) {
    if (!td_make_soft_extents(source)) {
        return false;
    }
    for (uint32_t i = 0; i < source->soft_count; ++i) {
        if (source->framed[source->soft[i].body]) {
            places->items[places->count++] =
                (td_render_body){.mesh = source->soft[i].extent.model, .pose = td_pose_identity()};
        }
    }
    return true;
}

static bool td_gather_places(td_places *places, td_render_source *source, const td_render_range *range) {
    const uint64_t frames = td_render_range_count(range);
    const uint64_t bodies = source->body_count ? source->body_count : 1;
    uint64_t most = TD_PLACES_MOST / bodies < TD_FRAMES_MOST ? TD_PLACES_MOST / bodies : TD_FRAMES_MOST;
    most = most < 2 ? 2 : most;
    const uint64_t taken = frames < most ? frames : most;
    places->items = malloc((size_t)(taken * bodies) * sizeof *places->items);
    if (!places->items) {
        td_cli_error("out of memory");
        return false;
    }
    td_forget_soft_extents(source);
    for (uint64_t i = 0; i < taken; ++i) {
        // The first and the last are among them.
        const uint64_t number = taken > 1 ? i * (frames - 1) / (taken - 1) : 0;
        if (!source->set_frame(source, range->first + number * range->every)) {
            return false;
        }
        td_add_places(places, source);
    }
    return td_add_soft_places(places, source);
}

// Below a floor, if there is one, or below everything.
static double td_find_ground(const td_render_source *source, const td_places *places) {
    if (!source->has_floor) {
        return td_lowest_height(places->items, places->count);
    }
    double lowest = INFINITY;
    for (uint32_t i = 0; i < source->body_count; ++i) {
        if (source->bodies[i].fades) {
            lowest = fmin(lowest, td_lowest_height(&source->bodies[i], 1));
        }
    }
    return lowest;
}

static bool td_frame_places(td_camera *camera, double *ground, const td_render_source *source,
                            const td_places *places, double proportions) {
    *ground = td_find_ground(source, places);
    if (td_frame_bodies(camera, source->session->context, places->items, places->count, proportions, NULL) !=
        TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    return true;
}

bool td_render_frame_camera(td_camera *camera, double *ground, td_render_source *source,
                            const td_render_range *range, double proportions) {
    if (source->extent.mesh) {
        const td_places all = {&source->extent, 1};
        return td_frame_places(camera, ground, source, &all, proportions);
    }
    td_places places = {0};
    const bool success = td_gather_places(&places, source, range) &&
                         td_frame_places(camera, ground, source, &places, proportions);
    free(places.items);
    return success;
}
