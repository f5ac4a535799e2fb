// Colours: from sRGB, as people name them, to linear light, in which light adds up, and back.
#ifndef TD_RENDER_COLOUR_H
#define TD_RENDER_COLOUR_H

#include "../math/vec3.h"

static inline double td_to_linear(double srgb) {
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

static inline double td_to_srgb(double linear) {
    const double x = linear < 0 ? 0 : linear > 1 ? 1 : linear;
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

// `up` is what is added before the fraction is cut off: 0.5 rounds.
static inline uint8_t td_to_byte(double linear, double up) {
    const double value = 255 * td_to_srgb(linear) + up;
    return (uint8_t)(value < 255 ? value : 255);
}

// Colours are vectors of red, green and blue.
static inline td_vec3 td_times(td_vec3 a, td_vec3 b) {
    return td_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline td_vec3 td_mix(td_vec3 a, td_vec3 b, double share) {
    return td_add(td_scale(a, 1 - share), td_scale(b, share));
}

// 0 below `from`, 1 above `to`, smooth between.
static inline double td_smooth_step(double from, double to, double x) {
    const double at = (x - from) / (to - from), s = at < 0 ? 0 : at > 1 ? 1 : at;
    return s * s * (3 - 2 * s);
}

#endif
