// The light: one sun, a sky that is brighter above, and the little that comes back from things. Radiances in
// units in which white paper in full light is about 2; colours as in the page (viewer/src/stage).
#ifndef TD_RENDER_LIGHT_H
#define TD_RENDER_LIGHT_H

#include "colour.h"

// Of the sun's disc, as seen from here: larger than the true one, for softer shadows.
static const double td_sun_radius = 0.02; // rad

static inline td_vec3 td_sun_light(void) {
    return td_vec3_make(1.5, 1.42, 1.28);
}

// From a direction of length 1; where there is no ground, from below as well.
static inline td_vec3 td_sky_light(td_vec3 direction) {
    const double height = 0.5 + 0.75 * direction.y, share = height < 0 ? 0 : height > 1 ? 1 : height;
    return td_mix(td_vec3_make(0.22, 0.2, 0.19), td_vec3_make(0.6, 0.66, 0.75), share);
}

// What a thing in the way sends back, on average, in place of the sky behind it.
static inline td_vec3 td_bounced_light(void) {
    return td_vec3_make(0.1, 0.092, 0.085);
}

// The ground sends back sunlight, but not from right below, where it lies in shadow: `nearness` is 1 there.
static inline td_vec3 td_ground_light(double nearness) {
    return td_mix(td_vec3_make(0.5, 0.48, 0.45), td_bounced_light(), nearness);
}

// Bright places fade to white instead of being cut off.
static inline double td_tone(double x) {
    return x * (1 + x / 6) / (1 + 0.42 * x);
}

// Behind everything, as the screen shows it, in linear light: `height` is 0 at the lower edge of the picture,
// 1 at the upper.
static inline td_vec3 td_backdrop(double height) {
    const double share = td_smooth_step(0, 1, height);
    const td_vec3 bottom = td_vec3_make(0.96, 0.96, 0.95), top = td_vec3_make(0.8, 0.85, 0.9);
    const td_vec3 c = td_mix(bottom, top, share);
    return td_vec3_make(td_to_linear(c.x), td_to_linear(c.y), td_to_linear(c.z));
}

#endif
