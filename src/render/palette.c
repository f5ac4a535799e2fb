// Colours of bodies and of scales: the page's (viewer/src/stage/palette.ts).
#include "colour.h"

#include <tandem/render.h>

static const double td_golden_section = 0.618033988749895;
static const double td_turn = 6.283185307179586;

// Oklab: equal steps look equal (Ottosson, 2020).
static void td_from_oklch(float out[3], double lightness, double strength, double hue) {
    const double a = strength * cos(td_turn * hue), b = strength * sin(td_turn * hue);
    const double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    const double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    const double s = lightness - 0.0894841775 * a - 1.291485548 * b;
    const double l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
    out[0] = (float)td_to_srgb(4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3);
    out[1] = (float)td_to_srgb(-1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3);
    out[2] = (float)td_to_srgb(-0.0041960863 * l3 - 0.7034186147 * m3 + 1.707614701 * s3);
}

// Hues a golden section apart: neighbours in number differ, and no hue comes twice. Lightness and strength
// vary a little, so that equal-looking hues still differ.
void td_body_colour(float out[3], uint32_t body) {
    const double hue = fmod(0.08 + body * td_golden_section, 1);
    td_from_oklch(out, 0.7 + 0.08 * sin(body * 2.4), 0.115 + 0.02 * cos(body * 1.7), hue);
}

void td_still_colour(float out[3]) {
    out[0] = 0.62f;
    out[1] = 0.63f;
    out[2] = 0.65f;
}

// Lightness rises evenly, so that the order is seen without a legend, also by people who see few colours.
void td_scale_colour(float out[3], double share) {
    enum { TD_STOPS = 7 };
    static const double stops[TD_STOPS][3] = {{0.27, 0.13, 0.45}, {0.24, 0.29, 0.56}, {0.18, 0.43, 0.56},
                                              {0.13, 0.57, 0.55}, {0.2, 0.7, 0.45},   {0.53, 0.82, 0.28},
                                              {0.98, 0.9, 0.2}};
    const double at = (share > 0 ? share < 1 ? share : 1 : 0) * (TD_STOPS - 1);
    const int stop = (int)at, low = stop < TD_STOPS - 2 ? stop : TD_STOPS - 2;
    for (int k = 0; k < 3; ++k) {
        const double from = td_to_linear(stops[low][k]), to = td_to_linear(stops[low + 1][k]);
        out[k] = (float)td_to_srgb(from + (to - from) * (at - low));
    }
}
