#include "tile.h"

#include "../core/error.h"
#include "../math/quat.h"
#include "light.h"
#include "pattern.h"

static const double td_two_pi = 6.283185307179586;

// For what a pixel's pattern is used.
enum { TD_FOR_PIXEL, TD_FOR_SUN, TD_FOR_SKY };

// A pass takes up to so many samples of each pixel of a tile.
enum { TD_PASS_SAMPLES = TD_STREAM_RAYS / TD_TILE_PIXELS };

// Samples of a pass, pixel by pixel, so that rays side by side in the stream go nearly the same way.
typedef struct td_pass {
    uint32_t x, y, width, height; // of the tile, pixels
    uint32_t first, count;        // samples of each pixel
} td_pass;

static uint32_t td_pixel_in_tile(const td_pass *pass, size_t sample) {
    return (uint32_t)sample / pass->count;
}

static uint32_t td_pixel_x(const td_pass *pass, size_t sample) {
    return pass->x + td_pixel_in_tile(pass, sample) % pass->width;
}

static uint32_t td_pixel_y(const td_pass *pass, size_t sample) {
    return pass->y + td_pixel_in_tile(pass, sample) / pass->width;
}

static uint32_t td_seed(const td_pass *pass, size_t sample) {
    return td_hash_with(td_hash(td_pixel_y(pass, sample)), td_pixel_x(pass, sample));
}

// Among all of its pixel.
static uint32_t td_sample_number(const td_pass *pass, size_t sample) {
    return pass->first + (uint32_t)sample % pass->count;
}

// A picture of one sample per pixel takes the middle of everything.
static td_spot td_spot_of(const td_picture *picture, const td_pass *pass, size_t sample, uint32_t purpose) {
    return picture->samples == 1 ? (td_spot){0.5, 0.5}
                                 : td_pattern(td_seed(pass, sample), purpose, td_sample_number(pass, sample));
}

static size_t td_sample_count(const td_pass *pass) {
    return (size_t)pass->width * pass->height * pass->count;
}

// ---------------------------------------------------------------------------------------------------------
// What the camera sees

static td_result td_look(td_tile_room *room, const td_picture *picture, const td_pass *pass) {
    td_stream *stream = &room->stream;
    stream->count = td_sample_count(pass);
    for (size_t i = 0; i < stream->count; ++i) {
        const td_spot spot = td_spot_of(picture, pass, i, TD_FOR_PIXEL);
        stream->rays[i] =
            td_camera_ray(&picture->view.lens, td_pixel_x(pass, i) + spot.x, td_pixel_y(pass, i) + spot.y);
    }
    room->camera_rays += stream->count;
    TD_TRY(td_cast_stream(stream, picture->view.set, TD_RAY_CLOSEST));
    for (size_t i = 0; i < stream->count; ++i) {
        room->surfaces[i] = td_find_surface(&picture->view, stream, i);
        room->light[i] = (td_gathered_light){0};
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Light

static void td_add_light_ray(td_tile_room *room, size_t sample, td_vec3 direction, double t_max) {
    td_stream *stream = &room->stream;
    const td_vec3 from = room->surfaces[sample].point;
    room->sample_of[stream->count] = (uint16_t)sample;
    stream->rays[stream->count++] = (td_ray){.origin = {from.x, from.y, from.z},
                                             .direction = {direction.x, direction.y, direction.z},
                                             .t_max = t_max};
}

// A point of the unit disc.
static td_spot td_on_disc(td_spot spot) {
    const double radius = sqrt(spot.x), angle = td_two_pi * spot.y;
    const double x = cos(angle), y = sin(angle);
    return (td_spot){radius * x, radius * y};
}

static td_vec3 td_sun_direction(const td_picture *picture, td_spot spot) {
    if (picture->samples == 1) {
        return picture->sun;
    }
    const td_spot disc = td_on_disc(spot);
    return td_add(picture->sun, td_add(td_scale(picture->sun_right, td_sun_radius * disc.x),
                                       td_scale(picture->sun_up, td_sun_radius * disc.y)));
}

static td_result td_gather_sun(td_tile_room *room, const td_picture *picture, const td_pass *pass) {
    td_stream *stream = &room->stream;
    stream->count = 0;
    for (size_t i = 0; i < td_sample_count(pass); ++i) {
        const td_surface *surface = &room->surfaces[i];
        if (surface->fade < 1 && td_dot(surface->normal, picture->sun) > 0) {
            const td_spot spot = td_spot_of(picture, pass, i, TD_FOR_SUN);
            td_add_light_ray(room, i, td_sun_direction(picture, spot), INFINITY);
        }
    }
    room->sun_rays += stream->count;
    TD_TRY(td_cast_stream(stream, picture->view.set, TD_RAY_ANY));
    for (size_t ray = 0; ray < stream->count; ++ray) {
        room->light[room->sample_of[ray]].sun = stream->hits[ray].hit ? 0 : 1;
    }
    return TD_OK;
}

// Two directions at right angles to a unit vector: Duff and others, Building an Orthonormal Basis, Revisited
// (2017).
static void td_make_basis(td_vec3 n, td_vec3 *right, td_vec3 *up) {
    const double sign = n.z < 0 ? -1 : 1, a = -1 / (sign + n.z), b = n.x * n.y * a;
    *right = td_vec3_make(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    *up = td_vec3_make(b, sign + n.y * n.y * a, -n.y);
}

// More often where the light falls steeply. A direction into the triangle itself is mirrored out of it.
static td_vec3 td_sky_direction(const td_surface *surface, td_spot spot) {
    const td_spot disc = td_on_disc(spot);
    td_vec3 right, up;
    td_make_basis(surface->normal, &right, &up);
    const double height = sqrt(fmax(0, 1 - disc.x * disc.x - disc.y * disc.y));
    const td_vec3 d =
        td_add(td_scale(surface->normal, height), td_add(td_scale(right, disc.x), td_scale(up, disc.y)));
    const double below = td_dot(d, surface->facing);
    return below < 0 ? td_sub(d, td_scale(surface->facing, 2 * below)) : d;
}

static double td_way_to_ground(const td_picture *picture, td_vec3 from, td_vec3 direction) {
    const double above = from.y - picture->view.height_of_ground;
    return picture->view.ground && direction.y < 0 && above > 0 ? -above / direction.y : INFINITY;
}

static void td_take_sky(td_tile_room *room, const td_picture *picture, size_t ray) {
    const td_stream *stream = &room->stream;
    const double *d = stream->rays[ray].direction, way = room->ground_at[ray];
    td_gathered_light *light = &room->light[room->sample_of[ray]];
    td_vec3 full = td_sky_light(td_vec3_make(d[0], d[1], d[2]));
    if (way < INFINITY) {
        full = td_ground_light(picture->reach / (picture->reach + way));
    }
    light->full_sky = td_add(light->full_sky, full);
    light->sky = td_add(light->sky, stream->hits[ray].hit ? td_bounced_light() : full);
}

// One ray to the sky per sample, number `round` of them.
static td_result td_gather_sky(td_tile_room *room, const td_picture *picture, const td_pass *pass,
                               uint32_t round) {
    td_stream *stream = &room->stream;
    stream->count = 0;
    for (size_t i = 0; i < td_sample_count(pass); ++i) {
        const td_surface *surface = &room->surfaces[i];
        if (surface->fade < 1) {
            const uint32_t index = td_sample_number(pass, i) * picture->sky_rays + round;
            const td_spot spot = td_pattern(td_seed(pass, i), TD_FOR_SKY, index);
            const td_vec3 direction = td_sky_direction(surface, spot);
            const double way = td_way_to_ground(picture, surface->point, direction);
            room->ground_at[stream->count] = way;
            td_add_light_ray(room, i, direction, way);
        }
    }
    room->sky_rays += stream->count;
    TD_TRY(td_cast_stream(stream, picture->view.set, TD_RAY_ANY));
    for (size_t ray = 0; ray < stream->count; ++ray) {
        td_take_sky(room, picture, ray);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Colours, in linear light as the screen shows it

static td_vec3 td_lit_body(const td_picture *picture, const td_surface *surface,
                           const td_gathered_light *light, td_vec3 sky) {
    const td_vec3 half = td_add(surface->to_eye, picture->sun);
    const double fall = fmax(td_dot(surface->normal, picture->sun), 0);
    double shine = fmax(td_dot(surface->normal, td_scale(half, 1 / fmax(td_length(half), 1e-9))), 0);
    for (int i = 0; i < 4; ++i) {
        shine *= shine;
    }
    const td_vec3 all = td_add(sky, td_scale(td_sun_light(), fall * light->sun));
    const td_vec3 lit = td_add(td_times(surface->colour, all),
                               td_scale(td_sun_light(), 0.08 * shine * light->sun * (fall > 0)));
    return td_vec3_make(td_tone(lit.x), td_tone(lit.y), td_tone(lit.z));
}

// The backdrop, darker by the light that is missing.
static td_vec3 td_lit_ground(const td_picture *picture, const td_gathered_light *light, td_vec3 sky,
                             td_vec3 full_sky, td_vec3 backdrop) {
    const td_vec3 sun = td_scale(td_sun_light(), fmax(picture->sun.y, 0));
    const td_vec3 here = td_add(sky, td_scale(sun, light->sun)), full = td_add(full_sky, sun);
    return td_vec3_make(backdrop.x * here.x / full.x, backdrop.y * here.y / full.y,
                        backdrop.z * here.z / full.z);
}

static td_vec3 td_lit(const td_picture *picture, const td_surface *surface, const td_gathered_light *light,
                      td_vec3 backdrop) {
    td_vec3 sky = td_sky_light(surface->normal), full_sky = sky;
    if (picture->sky_rays > 0) {
        sky = td_scale(light->sky, 1.0 / picture->sky_rays);
        full_sky = td_scale(light->full_sky, 1.0 / picture->sky_rays);
    }
    const td_vec3 seen = surface->kind == TD_SEES_GROUND
                             ? td_lit_ground(picture, light, sky, full_sky, backdrop)
                             : td_lit_body(picture, surface, light, sky);
    return td_mix(seen, backdrop, surface->fade);
}

static td_vec3 td_normal_colour(td_vec3 n) {
    return td_vec3_make(td_to_linear(0.5 + 0.5 * n.x), td_to_linear(0.5 + 0.5 * n.y),
                        td_to_linear(0.5 + 0.5 * n.z));
}

static void td_add_samples(td_tile_room *room, const td_picture *picture, const td_pass *pass) {
    for (size_t i = 0; i < td_sample_count(pass); ++i) {
        const td_surface *surface = &room->surfaces[i];
        td_vec3 seen = picture->backdrop[td_pixel_y(pass, i)];
        if (picture->colours == TD_COLOUR_NORMAL && surface->kind == TD_SEES_BODY) {
            seen = td_normal_colour(surface->normal);
        } else if (picture->colours != TD_COLOUR_NORMAL && surface->fade < 1) {
            seen = td_lit(picture, surface, &room->light[i], seen);
        }
        td_vec3 *sum = &room->sums[td_pixel_in_tile(pass, i)];
        *sum = td_add(*sum, seen);
    }
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_run_pass(td_tile_room *room, const td_picture *picture, const td_pass *pass) {
    TD_TRY(td_look(room, picture, pass));
    if (picture->colours != TD_COLOUR_NORMAL) {
        TD_TRY(td_gather_sun(room, picture, pass));
        for (uint32_t round = 0; round < picture->sky_rays; ++round) {
            TD_TRY(td_gather_sky(room, picture, pass, round));
        }
    }
    td_add_samples(room, picture, pass);
    return TD_OK;
}

// What is added before a value is cut to a byte: thresholds of an 8 x 8 Bayer matrix, so that soft gradients
// do not show steps.
static double td_dither(size_t x, size_t y) {
    unsigned value = 0;
    for (unsigned bit = 0; bit < 3; ++bit) {
        const unsigned across = x >> bit & 1, down = y >> bit & 1;
        value = value << 2 | (across ^ down) << 1 | down;
    }
    return (value + 0.5) / 64;
}

static void td_put_pixels(const td_tile_room *room, const td_picture *picture, const td_pass *pass) {
    for (uint32_t i = 0; i < pass->width * pass->height; ++i) {
        const size_t x = pass->x + i % pass->width, y = pass->y + i / pass->width;
        const td_vec3 mean = td_scale(room->sums[i], 1.0 / picture->samples);
        const double up = picture->colours == TD_COLOUR_NORMAL ? 0.5 : td_dither(x, y);
        uint8_t *pixel = picture->pixels + 3 * (y * picture->width + x);
        pixel[0] = td_to_byte(mean.x, up);
        pixel[1] = td_to_byte(mean.y, up);
        pixel[2] = td_to_byte(mean.z, up);
    }
}

td_result td_render_tile(td_tile_room *room, const td_picture *picture, uint32_t tile) {
    const uint32_t across = td_tiles_across(picture->width);
    td_pass pass = {.x = tile % across * TD_TILE_SIDE, .y = tile / across * TD_TILE_SIDE};
    const uint32_t right = picture->width - pass.x, below = picture->height - pass.y;
    pass.width = right < TD_TILE_SIDE ? right : TD_TILE_SIDE;
    pass.height = below < TD_TILE_SIDE ? below : TD_TILE_SIDE;
    for (uint32_t i = 0; i < TD_TILE_PIXELS; ++i) {
        room->sums[i] = td_vec3_make(0, 0, 0);
    }
    for (; pass.first < picture->samples; pass.first += pass.count) {
        const uint32_t left = picture->samples - pass.first;
        pass.count = left < TD_PASS_SAMPLES ? left : TD_PASS_SAMPLES;
        TD_TRY(td_run_pass(room, picture, &pass));
    }
    td_put_pixels(room, picture, &pass);
    return TD_OK;
}
