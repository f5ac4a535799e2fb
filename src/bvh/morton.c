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

td_morton td_choose_morton(const float lower[3], const float upper[3]) {
    td_morton morton = {.offset = {lower[0], lower[1], lower[2]}};
    const float extent[3] = {upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]};
    td_deal_bits(&morton, extent);
    for (int k = 0; k < 3; ++k) {
        // A hair less than all cells, so that the highest key lies in the last one. A flat axis has one.
        const float cells = (float)(1u << morton.bits[k]) * (1 - 0x1p-22f);
        morton.scale[k] = extent[k] > 0 ? cells / extent[k] : 0;
        morton.scale[k] = morton.scale[k] < FLT_MAX ? morton.scale[k] : 0; // denormal extent
    }
    return morton;
}
