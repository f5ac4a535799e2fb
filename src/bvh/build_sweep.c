// The reference builder: every cut of every axis at every node. O(n log^2 n), serial; used to judge the fast
// one.
#include "cut.h"

#include "../core/error.h"
#include "../core/memory.h"

typedef struct td_sweep_build {
    td_tree_node *nodes;
    td_prim *prims, *scratch;
    td_tree_rules rules;
} td_sweep_build;

static void td_sweep_subtree(const td_sweep_build *build, uint32_t node, uint32_t first, uint32_t count) {
    while (true) {
        td_box4 box = td_box4_empty();
        for (uint32_t i = 0; i < count; ++i) {
            box = td_box4_join(box, td_box4_of(&build->prims[first + i]));
        }
        td_node_set(&build->nodes[node], box, count);
        if (count <= build->rules.leaf_size) {
            return;
        }
        const uint32_t left = td_cut_by_sweep(build->prims + first, count, build->rules, build->scratch);
        const uint32_t right = count - left;
        // Recursion into the smaller half, iteration over the larger: the call depth stays logarithmic.
        if (left < right) {
            td_sweep_subtree(build, node + 1, first, left);
            node += 2 * left;
            first += left;
            count = right;
        } else {
            td_sweep_subtree(build, node + 2 * left, first + left, right);
            node += 1;
            count = left;
        }
    }
}

td_result td_build_sweep(td_tree_node *nodes, td_prim *prims, uint32_t count, td_tree_rules rules,
                         td_context *context) {
    td_prim *scratch = TD_NEW(context, td_prim, 2 * (size_t)count);
    if (scratch == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_sweep_build build = {nodes, prims, scratch, rules};
    td_sweep_subtree(&build, 0, 0, count);
    TD_DELETE(context, td_prim, scratch, 2 * (size_t)count);
    return TD_OK;
}

// By place, without recursion: the nodes of a tree over n prims all lie in [0, 2 n - 1), and walking
// left-first from each inner node visits them in ascending order.
double td_tree_sah_cost(const td_tree_node *nodes, uint32_t leaf_size) {
    const double root = (double)nodes[0].area;
    double cost = 0;
    for (uint32_t node = 0; node < 2 * nodes[0].count - 1;) {
        const double share = root > 0 ? (double)nodes[node].area / root : 1;
        const bool leaf = nodes[node].count <= leaf_size;
        cost += share * (leaf ? (double)nodes[node].count : 2.0);
        node += leaf ? 2 * nodes[node].count - 1 : 1;
    }
    return cost;
}
