// Full-sweep cuts: sort along each axis, try every place, keep the cheapest.
// Based on: MacDonald and Booth, Heuristics for ray tracing using space subdivision, 1990.
#include "cut.h"

#include <stdlib.h>
#include <string.h>

enum { TD_SWEEP_SMALL = 64 }; // sets up to here are sorted on the stack

typedef struct td_sort_key {
    float key;
    uint32_t place;
} td_sort_key;

// Ties are ordered by place, so the order is total and the same on every machine.
static int td_compare_keys(const void *left, const void *right) {
    const td_sort_key *a = left, *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->place < b->place ? -1 : (a->place > b->place);
}

static void td_sort_keys(td_sort_key *keys, uint32_t count) {
    if (count > TD_SWEEP_SMALL) {
        qsort(keys, count, sizeof *keys, td_compare_keys);
        return;
    }
    for (uint32_t i = 1; i < count; ++i) { // insertion sort: stable, and places ascend at the start
        const td_sort_key moving = keys[i];
        uint32_t k = i;
        while (k > 0 && keys[k - 1].key > moving.key) {
            keys[k] = keys[k - 1];
            --k;
        }
        keys[k] = moving;
    }
}

// The cheapest cut of the prims in the order of `keys`: area times number on either side. Returns its cost.
static float td_best_cut(uint32_t *best, const td_prim *prims, const td_sort_key *keys, uint32_t count,
                         td_tree_rules rules, float *right_area) {
    td_box4 box = td_box4_empty();
    for (uint32_t i = count; i-- > 1;) {
        box = td_box4_join(box, td_box4_of(&prims[keys[i].place]));
        right_area[i] = td_box4_area(box);
    }
    float best_cost = FLT_MAX;
    box = td_box4_empty();
    for (uint32_t i = 1; i < count; ++i) {
        box = td_box4_join(box, td_box4_of(&prims[keys[i - 1].place]));
        if (!td_may_cut(rules, i, count - i)) {
            continue;
        }
        const float cost = td_cut_weight(rules, i, count - i) *
                           (td_box4_area(box) * (float)i + right_area[i] * (float)(count - i));
        if (cost < best_cost) {
            best_cost = cost;
            *best = i;
        }
    }
    return best_cost;
}

static uint32_t td_sweep_with(td_prim *prims, uint32_t count, td_tree_rules rules, td_prim *scratch,
                              td_sort_key *keys, td_sort_key *best_keys, float *right_area) {
    uint32_t best = 0;
    float best_cost = FLT_MAX;
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i < count; ++i) {
            keys[i] = (td_sort_key){td_prim_key(&prims[i], axis), i};
        }
        td_sort_keys(keys, count);
        uint32_t cut = 0;
        const float cost = td_best_cut(&cut, prims, keys, count, rules, right_area);
        if (cost < best_cost) {
            best_cost = cost;
            best = cut;
            memcpy(best_keys, keys, count * sizeof *keys);
        }
    }
    if (best == 0) { // areas beyond float32 or all infinite: any cut will do
        const uint32_t half = (count / 2 + rules.leaf_size - 1) / rules.leaf_size * rules.leaf_size;
        return half < count ? half : rules.leaf_size;
    }
    memcpy(scratch, prims, count * sizeof *prims);
    for (uint32_t i = 0; i < count; ++i) {
        prims[i] = scratch[best_keys[i].place];
    }
    return best;
}

uint32_t td_cut_by_sweep(td_prim *prims, uint32_t count, td_tree_rules rules, td_prim *scratch) {
    if (count <= TD_SWEEP_SMALL) {
        td_sort_key keys[TD_SWEEP_SMALL], best_keys[TD_SWEEP_SMALL];
        float right_area[TD_SWEEP_SMALL];
        return td_sweep_with(prims, count, rules, scratch, keys, best_keys, right_area);
    }
    // Behind the prims, the scratch holds the keys and the areas: 8 + 8 + 4 bytes of the 32 of a second prim
    // each.
    td_sort_key *keys = (td_sort_key *)(void *)(scratch + count);
    td_sort_key *best_keys = keys + count;
    return td_sweep_with(prims, count, rules, scratch, keys, best_keys, (float *)(void *)(best_keys + count));
}
