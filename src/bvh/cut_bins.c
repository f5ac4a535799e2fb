#include "cut_bins.h"

enum { TD_PAIRED_BINNING = 512 }; // samples from which a second set of bins pays

td_binning td_choose_binning(uint32_t count, td_box4 keys) {
    _Alignas(16) float extent[4], scale[4];
    td_f4_store(extent, td_f4_sub(keys.upper, keys.lower));
    for (int k = 0; k < 4; ++k) {
        // 0.9999: the highest key stays below TD_BINS. A flat axis gets one bin.
        scale[k] = extent[k] > 0 ? 0.9999f * (float)TD_BINS / extent[k] : 0;
        scale[k] = scale[k] < FLT_MAX ? scale[k] : 0; // denormal extent
    }
    scale[3] = 0; // the fourth lane is no coordinate
    const uint32_t stride = td_sample_stride(count);
    return (td_binning){keys.lower, td_f4_load(scale), count / stride, stride};
}

static void td_clear_bins(td_bins *bins) {
    for (int axis = 0; axis < 3; ++axis) {
        for (int b = 0; b < TD_BINS; ++b) {
            bins->box[axis][b] = td_box4_empty();
            bins->count[axis][b] = 0;
        }
    }
}

// `offset` and `scale` as in td_binning.
static inline void td_bin_prim(td_bins *bins, td_f4 offset, td_f4 scale, const td_prim *prim) {
    const td_box4 box = td_box4_of(prim);
    _Alignas(16) int32_t bin[4];
    td_f4_to_int(bin, td_f4_mul(td_f4_sub(td_f4_add(box.lower, box.upper), offset), scale));
    for (int axis = 0; axis < 3; ++axis) {
        bins->box[axis][bin[axis]] = td_box4_join(bins->box[axis][bin[axis]], box);
        bins->count[axis][bin[axis]]++;
    }
}

void td_merge_bins(td_bins *bins, const td_bins *other) {
    for (int axis = 0; axis < 3; ++axis) {
        for (int b = 0; b < TD_BINS; ++b) {
            bins->box[axis][b] = td_box4_join(bins->box[axis][b], other->box[axis][b]);
            bins->count[axis][b] += other->count[axis][b];
        }
    }
}

// Many are binned into two sets of bins in turn: neighbours fall into the same bins, where each would wait
// for the one before it.
void td_fill_bins(td_bins *bins, const td_binning *binning, const td_prim *prims, uint32_t first,
                  uint32_t end) {
    const td_f4 offset = binning->offset, scale = binning->scale;
    const uint32_t stride = binning->stride;
    uint32_t i = first;
    td_clear_bins(bins);
    if (end - first >= TD_PAIRED_BINNING) {
        td_bins other;
        td_clear_bins(&other);
        for (; i + 1 < end; i += 2) {
            td_bin_prim(bins, offset, scale, &prims[td_sample_place(i, stride)]);
            td_bin_prim(&other, offset, scale, &prims[td_sample_place(i + 1, stride)]);
        }
        td_merge_bins(bins, &other);
    }
    for (; i < end; ++i) {
        td_bin_prim(bins, offset, scale, &prims[stride == 1 ? i : td_sample_place(i, stride)]);
    }
}

td_measures td_measure_prims(const td_prim *prims, uint32_t count) {
    const td_box4 none = td_box4_empty();
    td_box4 box0 = none, box1 = none, keys0 = none, keys1 = none; // two in turn: less waiting
    for (uint32_t i = 0; i < count; i += 2) {
        const td_box4 one = td_box4_of(&prims[i]), two = td_box4_of(&prims[i + 1 < count ? i + 1 : i]);
        const td_f4 key_one = td_f4_add(one.lower, one.upper), key_two = td_f4_add(two.lower, two.upper);
        box0 = td_box4_join(box0, one);
        box1 = td_box4_join(box1, two);
        keys0 = td_box4_join(keys0, (td_box4){key_one, key_one});
        keys1 = td_box4_join(keys1, (td_box4){key_two, key_two});
    }
    return (td_measures){td_box4_join(box0, box1), td_box4_join(keys0, keys1)};
}

typedef struct td_bin_border {
    int axis, bin; // prims in bins below `bin` go left
} td_bin_border;

// The cheapest border between bins; bin 0 if there is none.
static td_bin_border td_best_border(const td_bins *bins, uint32_t count, td_tree_rules rules) {
    td_bin_border best = {0};
    float best_cost = FLT_MAX;
    for (int axis = 0; axis < 3; ++axis) {
        float right_cost[TD_BINS];
        td_box4 box = td_box4_empty();
        uint32_t below = 0;
        for (int b = TD_BINS - 1; b > 0; --b) {
            box = td_box4_join(box, bins->box[axis][b]);
            below += bins->count[axis][b];
            right_cost[b] = below == 0 ? 0 : td_box4_area(box) * (float)below;
        }
        box = td_box4_empty();
        below = 0;
        for (int b = 1; b < TD_BINS; ++b) {
            box = td_box4_join(box, bins->box[axis][b - 1]);
            below += bins->count[axis][b - 1];
            if (below == 0 || below == count) {
                continue;
            }
            const float cost = (td_box4_area(box) * (float)below + right_cost[b]) *
                               td_cut_weight(rules, below, count - below);
            if (cost < best_cost) {
                best_cost = cost;
                best = (td_bin_border){axis, b};
            }
        }
    }
    return best;
}

td_border td_choose_border(const td_bins *bins, const td_binning *binning, td_tree_rules rules) {
    const td_bin_border best = td_best_border(bins, binning->samples, rules);
    _Alignas(16) float offset[4], scale[4];
    td_f4_store(offset, binning->offset);
    td_f4_store(scale, binning->scale);
    return (td_border){best.axis, offset[best.axis], scale[best.axis], (float)best.bin, best.bin > 0};
}

td_border td_find_border(const td_prim *prims, uint32_t count, td_box4 keys, td_tree_rules rules) {
    const td_binning binning = td_choose_binning(count, keys);
    td_bins bins;
    td_fill_bins(&bins, &binning, prims, 0, binning.samples);
    return td_choose_border(&bins, &binning, rules);
}

// Arithmetic instead of a choice: no branch to mispredict.
uint32_t td_partition(td_prim *to, const td_prim *from, uint32_t count, const td_border *border) {
    const td_border test = *border;
    uint32_t left = 0, right = count;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t goes_right = td_goes_right(&from[i], &test);
        right -= goes_right;
        td_copy_prim(&to[left + (right - left) * goes_right], &from[i]);
        left += 1 - goes_right;
    }
    return left;
}
