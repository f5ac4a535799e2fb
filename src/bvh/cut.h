// A way to cut a set of prims in two, and the sorting of small sets: what all builders share.
#ifndef TD_BVH_CUT_H
#define TD_BVH_CUT_H

#include "../math/f4.h"
#include "build.h"
#include "sah.h"

#include <float.h>

// Twice the centre of the prim's box: only compared, so the half is not needed.
static inline float td_prim_key(const td_prim *prim, int axis) {
    return prim->lower[axis] + prim->upper[axis];
}

typedef struct td_box4 {
    td_f4 lower, upper; // fourth lane: whatever stands behind the corner in a td_prim; never read
} td_box4;

static inline td_box4 td_box4_empty(void) {
    return (td_box4){td_f4_set1(FLT_MAX), td_f4_set1(-FLT_MAX)};
}

static inline td_box4 td_box4_of(const td_prim *prim) {
    return (td_box4){td_f4_load(prim->lower), td_f4_load(prim->upper)};
}

static inline td_box4 td_box4_join(td_box4 a, td_box4 b) {
    return (td_box4){td_f4_min(a.lower, b.lower), td_f4_max(a.upper, b.upper)};
}

// Half the surface area; an empty box gives garbage that callers multiply by a count of zero.
static inline float td_box4_area(td_box4 box) {
    _Alignas(16) float d[4];
    td_f4_store(d, td_f4_sub(box.upper, box.lower));
    return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

static inline void td_node_set(td_tree_node *node, td_box4 box, uint32_t count) {
    *node = (td_tree_node){td_box4_area(box), count};
}

// Cuts a set of any size by a full sweep over the three axes: sorts the prims along the best axis and returns
// how many go left. `scratch` has room for 2 `count` prims.
uint32_t td_cut_by_sweep(td_prim *prims, uint32_t count, td_tree_rules rules, td_prim *scratch);

// Builds everything below a set of at most TD_SMALL_SET prims, which becomes node `node`; `out` gets the
// prims in the order of the leaves.
void td_build_small(td_tree_node *nodes, uint32_t node, td_prim *out, const td_prim *prims, uint32_t count,
                    td_tree_rules rules);

#endif
