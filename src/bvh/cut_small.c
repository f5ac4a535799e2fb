// Subtrees over small sets, by full sweep: half of all cuts of a build are of sets of at most 32 prims.
//
// The prims stay where they are; what is sorted are their places in the set, one byte each. Along an axis
// they are ranked by comparing every key with every other: no branch to mispredict, and four comparisons at a
// time.
#include "cut.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Vectors as gcc and clang know them, for every processor.
typedef int32_t td_i4 __attribute__((vector_size(16)));

enum { TD_RANK_LANES = 16 };

typedef struct td_small_build {
    const td_prim *prims;         // the set
    td_prim *out;                 // ... in the order of the leaves
    td_tree_node *nodes;          // of the whole tree
    td_tree_rules rules;          //
    int32_t key[3][TD_SMALL_SET]; // per axis and place
} td_small_build;

typedef struct td_small_cut {
    uint32_t left;
    float cost;
    td_box4 box[2];
    unsigned char order[TD_SMALL_SET]; // places, sorted
} td_small_cut;

// Integers of the same order as the keys, made unique by their places in the lowest bits.
static void td_fill_keys(td_small_build *build, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        _Alignas(16) float key[4];
        td_f4_store(key, td_f4_add(td_f4_load(build->prims[i].lower), td_f4_load(build->prims[i].upper)));
        for (int axis = 0; axis < 3; ++axis) {
            int32_t bits;
            memcpy(&bits, &key[axis], sizeof bits);
            bits ^= bits < 0 ? 0x7fffffff : 0; // negative numbers the other way round
            build->key[axis][i] = (bits & ~(TD_SMALL_SET - 1)) | (int32_t)i;
        }
    }
}

// Sorts sixteen lanes of `key` among the first `count` keys.
static void td_rank_lanes(unsigned char *sorted, const int32_t *all, uint32_t count, uint32_t lane,
                          const unsigned char *places) {
    td_i4 key[4], rank[4] = {{0}, {0}, {0}, {0}};
    memcpy(key, all + lane, sizeof key);
    for (uint32_t j = 0; j < count; ++j) {
        const td_i4 other = {all[j], all[j], all[j], all[j]};
        rank[0] -= other < key[0];
        rank[1] -= other < key[1];
        rank[2] -= other < key[2];
        rank[3] -= other < key[3];
    }
    int32_t ranks[TD_RANK_LANES];
    memcpy(ranks, rank, sizeof ranks);
    const uint32_t used = count - lane < TD_RANK_LANES ? count - lane : TD_RANK_LANES;
    for (uint32_t i = 0; i < used; ++i) {
        sorted[ranks[i]] = places[lane + i];
    }
}

static void td_sort_places(unsigned char *sorted, const td_small_build *build, const unsigned char *places,
                           uint32_t count, int axis) {
    int32_t gathered[TD_SMALL_SET];
    for (uint32_t i = 0; i < count; ++i) {
        gathered[i] = build->key[axis][places[i]];
    }
    const uint32_t padded = count <= TD_RANK_LANES ? TD_RANK_LANES : TD_SMALL_SET;
    for (uint32_t i = count; i < padded; ++i) {
        gathered[i] = INT32_MAX;
    }
    for (uint32_t lane = 0; lane < count; lane += TD_RANK_LANES) {
        td_rank_lanes(sorted, gathered, count, lane, places);
    }
}

// Where a set may be cut: ends[r] is where run r of its prims ends; the last run ends with the set.
typedef struct td_small_runs {
    uint32_t count;
    uint32_t ends[TD_SMALL_SET];
    float weight[TD_SMALL_SET]; // of the cost of a cut there
} td_small_runs;

static td_small_runs td_small_runs_of(uint32_t count, td_tree_rules rules) {
    td_small_runs runs;
    runs.count = 0;
    for (uint32_t left = 1; left < count; ++left) {
        runs.ends[runs.count] = left;
        runs.weight[runs.count] = td_cut_weight(rules, left, count - left);
        runs.count += td_may_cut(rules, left, count - left);
    }
    runs.ends[runs.count++] = count;
    return runs;
}

// The cheapest cut in the given order. Arithmetic instead of choices: costs go up and down, and a branch
// would be mispredicted at every turn.
static void td_try_order(td_small_cut *cut, const td_prim *prims, const td_small_runs *runs) {
    td_box4 left[TD_SMALL_SET], right[TD_SMALL_SET];
    const uint32_t last = runs->count - 1, count = runs->ends[last];
    td_box4 box = td_box4_empty();
    for (uint32_t r = last, i = count; r > 0; --r) {
        for (; i > runs->ends[r - 1]; --i) {
            box = td_box4_join(box, td_box4_of(&prims[cut->order[i - 1]]));
        }
        right[r] = box;
    }
    uint32_t best = 0;
    float best_cost = INFINITY;
    box = td_box4_empty();
    for (uint32_t r = 0, i = 0; r < last; ++r) {
        for (; i < runs->ends[r]; ++i) {
            box = td_box4_join(box, td_box4_of(&prims[cut->order[i]]));
        }
        left[r] = box;
        const float cost = runs->weight[r] *
                           (td_box4_area(box) * (float)i + td_box4_area(right[r + 1]) * (float)(count - i));
        const bool better = cost < best_cost;
        best_cost = better ? cost : best_cost;
        best = better ? r : best;
    }
    cut->cost = best_cost;
    cut->left = runs->ends[best];
    cut->box[0] = left[best];
    cut->box[1] = right[best + 1];
}

// `places` are sorted along `sorted_axis` (3: along none).
static void td_build_below(const td_small_build *build, uint32_t node, uint32_t first, uint32_t count,
                           const unsigned char *places, int sorted_axis, td_box4 box) {
    td_node_set(&build->nodes[node], box, count);
    if (count <= build->rules.leaf_size) {
        for (uint32_t i = 0; i < count; ++i) {
            build->out[first + i] = build->prims[places[i]];
        }
        return;
    }
    const td_small_runs runs = td_small_runs_of(count, build->rules);
    td_small_cut cuts[2]; // the best one, and the one that is tried
    int best = 0, best_axis = 3;
    for (int axis = 0; axis < 3; ++axis) {
        td_small_cut *cut = &cuts[1 - best];
        if (axis == sorted_axis) {
            memcpy(cut->order, places, count);
        } else {
            td_sort_places(cut->order, build, places, count, axis);
        }
        td_try_order(cut, build->prims, &runs);
        if (best_axis == 3 || cut->cost < cuts[best].cost) {
            best = 1 - best;
            best_axis = axis;
        }
    }
    const td_small_cut *cut = &cuts[best];
    td_build_below(build, node + 1, first, cut->left, cut->order, best_axis, cut->box[0]);
    td_build_below(build, node + 2 * cut->left, first + cut->left, count - cut->left, cut->order + cut->left,
                   best_axis, cut->box[1]);
}

void td_build_small(td_tree_node *nodes, uint32_t node, td_prim *out, const td_prim *prims, uint32_t count,
                    td_tree_rules rules) {
    assert(count > 0 && count <= TD_SMALL_SET);
    td_small_build build = {.prims = prims, .out = out, .nodes = nodes, .rules = rules};
    td_fill_keys(&build, count);
    unsigned char places[TD_SMALL_SET];
    td_box4 box = td_box4_empty();
    for (uint32_t i = 0; i < count; ++i) {
        places[i] = (unsigned char)i;
        box = td_box4_join(box, td_box4_of(&prims[i]));
    }
    td_build_below(&build, node, 0, count, places, 3, box);
}
