// A tile of the picture: its samples are taken together, as streams of rays.
#ifndef TD_RENDER_TILE_H
#define TD_RENDER_TILE_H

#include "surface.h"

enum { TD_TILE_SIDE = 8, TD_TILE_PIXELS = TD_TILE_SIDE * TD_TILE_SIDE };

// What is the same for all tiles of a picture.
typedef struct td_picture {
    td_view view;
    td_render_colours colours;
    uint32_t width, height, samples, sky_rays;
    td_vec3 sun, sun_right, sun_up; // towards it, and across; of length 1
    td_vec3 *backdrop;              // per row
    double reach;                   // m: how far up the shadow right below a body is felt
    uint8_t *pixels;
} td_picture;

// The light that falls on a sample's surface.
typedef struct td_gathered_light {
    double sun;            // share of the sun that is seen
    td_vec3 sky, full_sky; // sums over rays to the sky; what they would be with nothing in the way
} td_gathered_light;

// What one thread needs for a tile at a time.
typedef struct td_tile_room {
    td_stream stream;
    td_surface surfaces[TD_STREAM_RAYS];
    td_gathered_light light[TD_STREAM_RAYS];
    uint16_t sample_of[TD_STREAM_RAYS]; // the sample that a ray of the stream is cast for
    double ground_at[TD_STREAM_RAYS];   // of a ray to the sky: the t of the ground; infinite if none
    td_vec3 sums[TD_TILE_PIXELS];
    uint64_t camera_rays, sun_rays, sky_rays; // cast so far
} td_tile_room;

// Tiles are counted in rows, from the top left on.
td_result td_render_tile(td_tile_room *room, const td_picture *picture, uint32_t tile);

static inline uint32_t td_tiles_across(uint32_t pixels) {
    return (pixels + TD_TILE_SIDE - 1) / TD_TILE_SIDE;
}

#endif
