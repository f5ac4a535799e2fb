// Fans: nodes of sixteen boxes, for rays that come alone.
//
// A ray that has nobody to take turns with waits at every node for what the last one found, so it wants few
// nodes. A fan is a block of the hierarchy with some of the blocks below opened into it; its leaves are the
// quads that the blocks have. Which blocks are opened is chosen so that a random line meets the fewest fans:
// the surface area heuristic, solved exactly from the leaves up.
//
// based on: Ylitie, Karras, Laine, Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs,
// 2017, section 4, whose dynamic programming starts from a binary tree.
#ifndef TD_BVH_FAN_H
#define TD_BVH_FAN_H

#include "blocked.h"

enum {
    TD_FAN = 16,
    TD_FAN_LINE = 64,  // bytes
    TD_FAN_HEIGHT = 32 // a tree that is taller has no fans: walks need a bound
};

#define TD_FAN_QUAD  0x80000000u // beside the place of a quad
#define TD_FAN_SLACK 0x1p-16     // by which boxes are larger, on all sides (traverse/ray_one.h says why)

// 448 bytes, seven cache lines.
typedef struct td_fan {
    float plane[6][TD_FAN]; // of boxes: the lower x, y, z, then the upper ones; enlarged
    // Where a fan, or a quad, lies: cache lines after the first one. Of a lane without a box, which no ray
    // meets: 0.
    uint32_t child[TD_FAN];
} td_fan;

static inline const td_fan *td_fan_at(const td_fan *fans, uint32_t child) {
    return (const td_fan *)(const void *)((const char *)fans + (size_t)child * TD_FAN_LINE);
}

// Without TD_FAN_QUAD.
static inline const td_quad *td_quad_at(const td_quad *quads, uint32_t child) {
    return (const td_quad *)(const void *)((const char *)quads + (size_t)child * TD_FAN_LINE);
}

typedef struct td_fan_tree {
    td_fan *fans; // fans[0] is the root; null: there are none, as the hierarchy is too tall, too large, or
                  // near the ends of float64
    uint32_t fan_count;
    // As td_blocked has them, with a fourth axis, along which everything is at 0 and all is endless.
    double origin[4], scale[4];
    float half[4]; // enlarged, as the boxes of fans are
} td_fan_tree;

// td_line.grain: 4 e of the local frame.
static inline double td_ray_grain(const td_blocked *hierarchy) {
    return 0x1p-22 / hierarchy->scale[0] / hierarchy->scale[1];
}

// For the boxes as they are now: after a refit it has to be made anew.
td_result td_fan_tree_create(td_fan_tree *out, const td_blocked *blocked, td_context *context);
void td_fan_tree_destroy(td_fan_tree *tree, td_context *context);
uint64_t td_fan_tree_bytes(const td_fan_tree *tree);

#endif
