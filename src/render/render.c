// A picture: checked, cut into tiles, shared out over threads.
#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "../math/quat.h"
#include "light.h"
#include "tile.h"

#include <stdatomic.h>

#define TD_COOKIE_RENDER 0x7d00000eu

enum {
    TD_SIDE_MOST = 16384,
    TD_SAMPLES_MOST = 4096,
    TD_SKY_RAYS_MOST = 64,
    TD_TILES_OF_ROUND = 32 // per thread, between two calls of `progress`
};

td_render_def td_default_render_def(void) {
    return (td_render_def){.cookie = TD_COOKIE_RENDER,
                           .camera = {.eye = {0, 0, 5}, .up = {0, 1, 0}, .field_of_view = 0.66},
                           .width = 960,
                           .height = 540,
                           .samples = 16,
                           .sky_rays = 4,
                           .sun = {-0.46, 0.78, 0.42}};
}

// What the threads share.
typedef struct td_rendering {
    td_picture picture;
    td_set set;
    td_tile_room *rooms; // one per thread
    uint32_t room_count;
    uint32_t tile_count;
    atomic_uint next;  // tile
    uint32_t end;      // of this round
    atomic_int failed; // a td_result
} td_rendering;

static td_result td_check_count(uint32_t count, uint32_t least, uint32_t most, const char *what) {
    if (count < least || count > most) {
        return td_fail(TD_ERROR_ARGUMENT, "picture: %s is %u; expected %u to %u", what, count, least, most);
    }
    return TD_OK;
}

static td_result td_check_render_def(const td_render_def *def) {
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_RENDER, "td_default_render_def"));
    TD_TRY(td_check_count(def->width, 1, TD_SIDE_MOST, "the width"));
    TD_TRY(td_check_count(def->height, 1, TD_SIDE_MOST, "the height"));
    TD_TRY(td_check_count(def->samples, 1, TD_SAMPLES_MOST, "the number of samples"));
    TD_TRY(td_check_count(def->sky_rays, 0, TD_SKY_RAYS_MOST, "the number of rays to the sky"));
    if (def->colours != TD_COLOUR_BODY && def->colours != TD_COLOUR_NORMAL) {
        return td_fail(TD_ERROR_ARGUMENT, "picture: colours %d are neither those of bodies nor of normals",
                       (int)def->colours);
    }
    const double length = td_length(td_vec3_make(def->sun[0], def->sun[1], def->sun[2]));
    if (!(length > 0 && isfinite(length))) {
        return td_fail(TD_ERROR_ARGUMENT, "picture: the sun is at (%g, %g, %g); expected a direction",
                       def->sun[0], def->sun[1], def->sun[2]);
    }
    if (def->ground && !(fabs(def->height_of_ground) < TD_RENDER_FARTHEST)) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "picture: the ground is at y = %g; expected a number of size below %g",
                       def->height_of_ground, TD_RENDER_FARTHEST);
    }
    return TD_OK;
}

static void td_set_sun(td_picture *picture, const double sun[3]) {
    const td_vec3 way = td_vec3_make(sun[0], sun[1], sun[2]);
    const td_vec3 s = td_scale(way, 1 / td_length(way));
    const td_vec3 other = fabs(s.y) < 0.9 ? td_vec3_make(0, 1, 0) : td_vec3_make(1, 0, 0);
    const td_vec3 right = td_cross(other, s);
    picture->sun = s;
    picture->sun_right = td_scale(right, 1 / td_length(right));
    picture->sun_up = td_cross(s, picture->sun_right);
}

static td_result td_start_picture(td_rendering *rendering, const td_render_def *def) {
    td_picture *picture = &rendering->picture;
    *picture = (td_picture){.view = {.set = &rendering->set,
                                     .flat = def->flat,
                                     .ground = def->ground && def->camera.eye[1] > def->height_of_ground,
                                     .height_of_ground = def->height_of_ground},
                            .colours = def->colours,
                            .width = def->width,
                            .height = def->height,
                            .samples = def->samples,
                            .sky_rays = def->sky_rays,
                            .pixels = picture->pixels};
    TD_TRY(td_make_lens(&picture->view.lens, &def->camera, def->width, def->height));
    td_set_sun(picture, def->sun);
    picture->reach = 0.1 * picture->view.lens.distance;
    picture->backdrop = TD_NEW(rendering->set.context, td_vec3, def->height);
    if (picture->backdrop == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t y = 0; y < def->height; ++y) {
        picture->backdrop[y] = td_backdrop(1 - (y + 0.5) / def->height);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

// A thread's share of a round: tiles as they come.
static void td_render_task(uint32_t item, void *payload) {
    td_rendering *rendering = payload;
    for (;;) {
        const uint32_t tile = atomic_fetch_add(&rendering->next, 1);
        if (tile >= rendering->end) {
            return;
        }
        const td_result result = td_render_tile(&rendering->rooms[item], &rendering->picture, tile);
        if (result != TD_OK) {
            atomic_store(&rendering->failed, result);
            return;
        }
    }
}

static td_result td_render_rounds(td_rendering *rendering, td_context *context, const td_render_def *def) {
    for (uint32_t done = 0; done < rendering->tile_count; done = rendering->end) {
        const uint32_t left = rendering->tile_count - done, most = TD_TILES_OF_ROUND * rendering->room_count;
        rendering->end = done + (left < most ? left : most);
        atomic_store(&rendering->next, done);
        td_run_tasks(context, td_render_task, rendering->room_count, rendering);
        if (atomic_load(&rendering->failed) != TD_OK) {
            return td_fail((td_result)atomic_load(&rendering->failed),
                           "picture: a ray could not be cast: the camera or a body is too far away");
        }
        if (def->progress != NULL &&
            !def->progress(rendering->end, rendering->tile_count, def->progress_user)) {
            return td_fail(TD_ERROR_CANCELLED, "the picture was cancelled");
        }
    }
    return TD_OK;
}

static td_result td_start_rooms(td_rendering *rendering) {
    td_context *context = rendering->set.context;
    rendering->rooms = TD_NEW(context, td_tile_room, rendering->room_count);
    if (rendering->rooms == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_result result = TD_OK;
    for (uint32_t i = 0; i < rendering->room_count; ++i) {
        td_tile_room *room = &rendering->rooms[i];
        room->stream.lists = NULL;
        room->camera_rays = room->sun_rays = room->sky_rays = 0;
        if (result == TD_OK) {
            result = td_start_stream(&room->stream, &rendering->set);
        }
    }
    return result;
}

static void td_clear_rendering(td_rendering *rendering) {
    td_context *context = rendering->set.context;
    for (uint32_t i = 0; rendering->rooms != NULL && i < rendering->room_count; ++i) {
        td_end_stream(&rendering->rooms[i].stream, &rendering->set);
    }
    TD_DELETE(context, td_tile_room, rendering->rooms, rendering->room_count);
    TD_DELETE(context, td_vec3, rendering->picture.backdrop, rendering->picture.height);
    td_clear_set(&rendering->set);
}

static void td_fill_report(td_render_report *report, const td_rendering *rendering, double ms) {
    *report = (td_render_report){.ms = ms};
    for (uint32_t i = 0; i < rendering->room_count; ++i) {
        report->camera_rays += rendering->rooms[i].camera_rays;
        report->sun_rays += rendering->rooms[i].sun_rays;
        report->sky_rays += rendering->rooms[i].sky_rays;
    }
}

td_result td_render_picture(uint8_t *pixels, td_render_report *report, td_context *context,
                            const td_render_body *bodies, size_t count, const td_render_def *def) {
    const double began = td_clock_ms();
    TD_TRY(td_check_render_def(def));
    td_rendering rendering = {.room_count = context->worker_count,
                              .tile_count = td_tiles_across(def->width) * td_tiles_across(def->height)};
    atomic_init(&rendering.failed, TD_OK);
    TD_TRY(td_build_set(&rendering.set, context, bodies, count));
    rendering.set.brute = def->brute;
    rendering.picture.pixels = pixels;
    td_result result = td_start_picture(&rendering, def);
    if (result == TD_OK) {
        result = td_start_rooms(&rendering);
    }
    if (result == TD_OK) {
        result = td_render_rounds(&rendering, context, def);
    }
    if (result == TD_OK && report != NULL) {
        td_fill_report(report, &rendering, td_clock_ms() - began);
    }
    td_clear_rendering(&rendering);
    return result;
}
