// Full-sweep cuts of small sets: half of all cuts of a build are of sets of at most 32 prims.
//
// Prims are ranked along an axis by comparing every key with every other: no branch to mispredict, and the
// compiler makes vectors of it. Only cuts at multiples of `step` are tried, so boxes are joined step by step.
#include "cut.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct td_small_cut {
    uint32_t left;
    float cost;
    unsigned char order[TD_SMALL_SET]; // places in order of their keys
} td_small_cut;

// A key as an integer of the same order, made unique by the place of its prim in the lowest bits.
static int32_t td_small_key(const td_prim *prim, int axis, uint32_t place) {
    const float key = td_prim_key(prim, axis);
    int32_t bits;
    memcpy(&bits, &key, sizeof bits);
    bits ^= bits < 0 ? 0x7fffffff : 0; // negative numbers the other way round
    return (bits & ~(TD_SMALL_SET - 1)) | (int32_t)place;
}

static void td_rank_small(unsigned char order[TD_SMALL_SET], const td_prim *prims, uint32_t count, int axis) {
    int32_t key[TD_SMALL_SET];
    const uint32_t padded = (count + 15) / 16 * 16;
    for (uint32_t i = 0; i < count; ++i) {
        key[i] = td_small_key(&prims[i], axis, i);
    }
    for (uint32_t i = count; i < padded; ++i) {
        key[i] = INT32_MAX;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const int32_t mine = key[i];
        int32_t rank = 0;
        for (uint32_t j = 0; j < padded; ++j) {
            rank += key[j] < mine;
        }
        order[rank] = (unsigned char)i;
    }
}

static td_box4 td_join_run(const td_prim *prims, const unsigned char *order, uint32_t first, uint32_t end) {
    td_box4 box = td_box4_of(&prims[order[first]]);
    for (uint32_t i = first + 1; i < end; ++i) {
        box = td_box4_join(box, td_box4_of(&prims[order[i]]));
    }
    return box;
}

// The cheapest cut in the given order.
static void td_try_order(td_small_cut *cut, const td_prim *prims, uint32_t count, uint32_t step) {
    td_box4 run[TD_SMALL_SET];
    float right_area[TD_SMALL_SET];
    const uint32_t runs = (count + step - 1) / step;
    for (uint32_t r = 0; r < runs; ++r) {
        run[r] = td_join_run(prims, cut->order, r * step, (r + 1) * step < count ? (r + 1) * step : count);
    }
    td_box4 box = td_box4_empty();
    for (uint32_t r = runs; r-- > 1;) {
        box = td_box4_join(box, run[r]);
        right_area[r] = td_box4_area(box);
    }
    box = td_box4_empty();
    cut->cost = INFINITY;
    cut->left = step;
    for (uint32_t r = 1; r < runs; ++r) {
        box = td_box4_join(box, run[r - 1]);
        const uint32_t left = r * step;
        const float cost = td_box4_area(box) * (float)left + right_area[r] * (float)(count - left);
        if (cost < cut->cost) {
            cut->cost = cost;
            cut->left = left;
        }
    }
}

uint32_t td_cut_small(td_prim *prims, uint32_t count, uint32_t step, td_prim *scratch) {
    assert(step > 0 && count > step && count <= TD_SMALL_SET);
    td_small_cut best = {0};
    for (int axis = 0; axis < 3; ++axis) {
        td_small_cut cut = {0};
        td_rank_small(cut.order, prims, count, axis);
        td_try_order(&cut, prims, count, step);
        if (axis == 0 || cut.cost < best.cost) {
            best = cut;
        }
    }
    memcpy(scratch, prims, count * sizeof *prims);
    for (uint32_t i = 0; i < count; ++i) {
        prims[i] = scratch[best.order[i]];
    }
    return best.left;
}
