#include "morton.h"

#include <float.h>

// Deals out the bits, highest first.
static void td_deal_bits(td_morton *morton, const float extent[3]) {
    float cell[3] = {extent[0], extent[1], extent[2]};
    int axes[TD_MORTON_BITS];
    for (int bit = TD_MORTON_BITS - 1; bit >= 0; --bit) {
        int longest = cell[1] > cell[0] ? 1 : 0;
        longest = cell[2] > cell[longest] ? 2 : longest;
        if (morton->bits[longest] >= 24) { // float32 has no more
            longest = morton->bits[0] < 24 ? 0 : 1;
        }
        axes[bit] = longest;
        cell[longest] *= 0.5f;
        morton->bits[longest]++;
    }
    int next[3] = {0, 0, 0};
    for (int bit = 0; bit < TD_MORTON_BITS; ++bit) {
        morton->place[axes[bit]][next[axes[bit]]++] = (uint8_t)bit;
    }
}

td_morton td_choose_morton(const double reach[3]) {
    const float extent[3] = {(float)(2 * reach[0]), (float)(2 * reach[1]), (float)(2 * reach[2])};
    td_morton morton = {.bits = {0}};
    td_deal_bits(&morton, extent);
    for (int k = 0; k < 3; ++k) {
        const float cells = (float)(1u << morton.bits[k]);
        const float scale = extent[k] > 0 ? cells / extent[k] : 0; // a flat axis has one cell
        morton.scale[k] = scale < FLT_MAX ? scale : 0;             // denormal extent
        morton.offset[k] = -0.5f * extent[k];
        morton.last[k] = cells - 1;
    }
    return morton;
}
