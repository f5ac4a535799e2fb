// Cuts by bins: prims fall into bins by their centre, only the borders between bins are tried.
// Based on: Wald, On fast construction of SAH-based bounding volume hierarchies, 2007.
#ifndef TD_BVH_CUT_BINS_H
#define TD_BVH_CUT_BINS_H

#include "cut.h"

// Which prims go right: those with (key - lowest) * per_bin >= limit.
typedef struct td_border {
    int axis;
    float lowest, per_bin, limit;
    bool found; // false: all centres are in one place, as far as bins can tell
} td_border;

// 1 or 0.
static inline uint32_t td_goes_right(const td_prim *prim, const td_border *border) {
    return (td_prim_key(prim, border->axis) - border->lowest) * border->per_bin >= border->limit;
}

static inline void td_copy_prim(td_prim *to, const td_prim *from) {
    td_f4_store(to->lower, td_f4_load(from->lower));
    td_f4_store(to->upper, td_f4_load(from->upper));
}

// The box around the prims, and the range of their keys.
typedef struct td_measures {
    td_box4 box, keys;
} td_measures;

td_measures td_measure_prims(const td_prim *prims, uint32_t count);

static inline td_measures td_join_measures(td_measures a, td_measures b) {
    return (td_measures){td_box4_join(a.box, b.box), td_box4_join(a.keys, b.keys)};
}

typedef struct td_bins {
    td_box4 box[3][TD_BINS]; // per axis
    uint32_t count[3][TD_BINS];
} td_bins;

// Which prims are binned, and how: of every `stride` one, the bin of a key being (key - offset) * scale, in
// [0, TD_BINS).
typedef struct td_binning {
    td_f4 offset, scale;
    uint32_t samples, stride;
} td_binning;

// Where to cut prims whose keys span `keys`. Large sets are judged by a sample.
td_border td_find_border(const td_prim *prims, uint32_t count, td_box4 keys, td_tree_rules rules);

// Its parts: the choice of the sample, bins of samples first ... end - 1, and of all bins the best border.
td_binning td_choose_binning(uint32_t count, td_box4 keys);
void td_fill_bins(td_bins *bins, const td_binning *binning, const td_prim *prims, uint32_t first,
                  uint32_t end);
void td_merge_bins(td_bins *bins, const td_bins *other);
td_border td_choose_border(const td_bins *bins, const td_binning *binning, td_tree_rules rules);

// Moves the prims from one buffer to the other, left ones from the front, right ones from the back; returns
// the number of left ones.
uint32_t td_partition(td_prim *to, const td_prim *from, uint32_t count, const td_border *border);

#endif
