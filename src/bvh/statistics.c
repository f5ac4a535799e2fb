// What a blocked hierarchy is made of, and what it is expected to cost.
#include "blocked.h"

static double td_box_area(const td_block *block, uint32_t lane) {
    const double x = (double)block->half[0][lane], y = (double)block->half[1][lane],
                 z = (double)block->half[2][lane];
    return x * y + y * z + z * x;
}

static uint32_t td_lanes_used(const td_quad *quad) {
    uint32_t used = 0;
    for (int i = 0; i < 4; ++i) {
        used += quad->triangle[i] != TD_NONE;
    }
    return used;
}

// The box around all nodes of the root block.
static double td_root_area(const td_blocked *blocked) {
    const td_block *root = &blocked->blocks[0];
    double half[3];
    for (int k = 0; k < 3; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (uint32_t i = 0; i < root->node_count; ++i) {
            lower = fmin(lower, (double)root->center[k][i] - (double)root->half[k][i]);
            upper = fmax(upper, (double)root->center[k][i] + (double)root->half[k][i]);
        }
        half[k] = 0.5 * (upper - lower);
    }
    return half[0] * half[1] + half[1] * half[2] + half[2] * half[0];
}

double td_blocked_cost(const td_blocked *blocked) {
    const double root = td_root_area(blocked);
    return root > 0 ? blocked->area / root : 1;
}

void td_blocked_statistics(td_hierarchy_report *out, const td_blocked *blocked) {
    *out = (td_hierarchy_report){
        .blocks = blocked->block_count,
        .quads = blocked->quad_count,
        .height = blocked->height,
        .hierarchy_bytes = td_blocked_bytes(blocked),
        .build_ms = blocked->build_ms,
        .tree_ms = blocked->tree_ms,
        .rounds = blocked->rounds,
    };
    const double root = td_root_area(blocked);
    double cost = blocked->blocks[0].node_count; // whoever meets the root tests its nodes
    for (uint32_t b = 0; b < blocked->block_count; ++b) {
        const td_block *block = &blocked->blocks[b];
        out->leaf_blocks += block->leaf;
        out->imaginary_nodes += 4 - block->node_count;
        for (uint32_t i = 0; i < block->node_count; ++i) {
            const double share = root > 0 ? td_box_area(block, i) / root : 1;
            cost += share * (block->leaf ? (double)td_lanes_used(&blocked->quads[block->child[i]])
                                         : (double)blocked->blocks[block->child[i]].node_count);
        }
    }
    out->sah_cost = cost;
}
