#include "fan.h"

#include "../core/array.h"
#include "../core/error.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(td_fan) % TD_FAN_LINE == 0 && sizeof(td_quad) % TD_FAN_LINE == 0, "whole lines");

enum { TD_LINES_OF_FAN = sizeof(td_fan) / TD_FAN_LINE, TD_LINES_OF_QUAD = sizeof(td_quad) / TD_FAN_LINE };

// Of a block that is opened into at most b lanes: the areas of all fans below, by b. INFINITY: too few lanes.
typedef struct td_lane_costs {
    float of[TD_FAN + 1];
} td_lane_costs;

// How the lanes of a block are shared out among its nodes: of b lanes for nodes 0 ... i, so many are node
// i's.
typedef struct td_lane_shares {
    uint8_t of[4][TD_FAN + 1];
} td_lane_shares;

// A fan that is to be filled.
typedef struct td_fan_root {
    uint32_t block, height;
} td_fan_root;

typedef struct td_fan_builder {
    td_context *context;
    const td_blocked *blocked;
    td_lane_costs *costs; // per block
    TD_ARRAY(td_fan) fans;
    TD_ARRAY(td_fan_root) roots; // per fan
    uint32_t lane;               // of the fan that is being filled, the next to be filled
} td_fan_builder;

static float td_node_area(const td_block *block, uint32_t node) {
    const float x = block->half[0][node], y = block->half[1][node], z = block->half[2][node];
    return x * y + y * z + z * x;
}

// As a fan of its own, in one lane of the fan above.
static float td_closed_cost(const td_fan_builder *builder, const td_block *block, uint32_t node) {
    return td_node_area(block, node) + builder->costs[block->child[node]].of[TD_FAN];
}

// Of a node that gets b lanes, by b.
static td_lane_costs td_node_costs(const td_fan_builder *builder, const td_block *block, uint32_t node) {
    td_lane_costs costs = {.of = {INFINITY}};
    const float closed = block->leaf ? 0 : td_closed_cost(builder, block, node);
    for (uint32_t b = 1; b <= TD_FAN; ++b) {
        const float open = block->leaf ? 0 : builder->costs[block->child[node]].of[b];
        costs.of[b] = open < closed ? open : closed;
    }
    return costs;
}

static td_lane_costs td_share_lanes(td_lane_shares *shares, const td_fan_builder *builder,
                                    const td_block *block) {
    td_lane_costs all = {{0}};
    for (uint32_t node = 0; node < block->node_count; ++node) {
        const td_lane_costs before = all, own = td_node_costs(builder, block, node);
        for (uint32_t b = 0; b <= TD_FAN; ++b) {
            float least = INFINITY;
            uint32_t share = 0;
            for (uint32_t i = 1; i <= b; ++i) {
                const float sum = before.of[b - i] + own.of[i];
                share = sum < least ? i : share;
                least = sum < least ? sum : least;
            }
            all.of[b] = least;
            shares->of[node][b] = (uint8_t)share;
        }
    }
    return all;
}

// A parent stands before its children.
static void td_cost_all(td_fan_builder *builder) {
    td_lane_shares shares;
    for (uint32_t i = builder->blocked->block_count; i > 0; --i) {
        builder->costs[i - 1] = td_share_lanes(&shares, builder, &builder->blocked->blocks[i - 1]);
    }
}

// ---------------------------------------------------------------------------------------------------------

static const td_fan td_empty_fan = {{{0}}, {0}};

static void td_clear_fan(td_fan *fan) {
    *fan = td_empty_fan;
    for (int k = 0; k < 3; ++k) {
        for (int lane = 0; lane < TD_FAN; ++lane) {
            fan->plane[k][lane] = INFINITY;
            fan->plane[3 + k][lane] = -INFINITY;
        }
    }
}

// Beside the slack, double the rounding of float32.
static double td_outward(double x) {
    return fabs(x) * 0x1p-23 + TD_FAN_SLACK;
}

static void td_put_lane(td_fan_builder *builder, size_t fan_number, const td_block *block, uint32_t node,
                        uint32_t child) {
    td_fan *fan = &builder->fans.items[fan_number];
    const uint32_t lane = builder->lane++;
    for (int k = 0; k < 3; ++k) {
        const double center = (double)block->center[k][node], half = (double)block->half[k][node];
        const double lower = center - half, upper = center + half;
        fan->plane[k][lane] = (float)(lower - td_outward(lower));
        fan->plane[3 + k][lane] = (float)(upper + td_outward(upper));
    }
    fan->child[lane] = child;
}

static td_result td_add_fan(td_fan_builder *builder, uint32_t block, uint32_t height) {
    TD_TRY(td_array_reserve(builder->context, &builder->fans, 1));
    TD_TRY(td_array_reserve(builder->context, &builder->roots, 1));
    td_clear_fan(&builder->fans.items[builder->fans.count++]);
    builder->roots.items[builder->roots.count++] = (td_fan_root){block, height};
    return TD_OK;
}

// A block into lanes of a fan, at most so many.
static td_result td_open_block(td_fan_builder *builder, size_t fan, uint32_t number, uint32_t lanes) {
    const td_block *block = &builder->blocked->blocks[number];
    td_lane_shares shares;
    td_share_lanes(&shares, builder, block);
    uint32_t share[4] = {0};
    for (uint32_t node = block->node_count; node > 0; --node) {
        share[node - 1] = shares.of[node - 1][lanes];
        lanes -= share[node - 1];
    }
    for (uint32_t node = 0; node < block->node_count; ++node) {
        const uint32_t child = block->child[node];
        if (block->leaf) {
            td_put_lane(builder, fan, block, node, child * TD_LINES_OF_QUAD | TD_FAN_QUAD);
        } else if (builder->costs[child].of[share[node]] < td_closed_cost(builder, block, node)) {
            TD_TRY(td_open_block(builder, fan, child, share[node]));
        } else {
            td_put_lane(builder, fan, block, node, (uint32_t)builder->fans.count * TD_LINES_OF_FAN);
            TD_TRY(td_add_fan(builder, child, builder->roots.items[fan].height + 1));
        }
    }
    return TD_OK;
}

static td_result td_fill_fans(td_fan_builder *builder) {
    TD_TRY(td_add_fan(builder, 0, 1));
    for (size_t i = 0; i < builder->fans.count; ++i) {
        if (builder->roots.items[i].height > TD_FAN_HEIGHT) {
            td_array_release(builder->context, &builder->fans);
            return TD_OK;
        }
        builder->lane = 0;
        TD_TRY(td_open_block(builder, i, builder->roots.items[i].block, TD_FAN));
    }
    return TD_OK;
}

// A copy that is no larger than it has to be.
static td_result td_keep_fans(td_fan_tree *out, const td_fan_builder *builder) {
    const size_t count = builder->fans.count;
    if (count == 0) {
        return TD_OK;
    }
    out->fans = TD_NEW(builder->context, td_fan, count);
    if (out->fans == NULL) {
        return TD_ERROR_MEMORY;
    }
    memcpy(out->fans, builder->fans.items, count * sizeof *out->fans);
    out->fan_count = (uint32_t)count;
    return TD_OK;
}

// Places of quads and fans, of which there are at most as many as blocks, must fit their numbers; and neither
// the scale nor where the mesh lies may be near the ends of float64, so that rays need not ask.
static bool td_fans_are_possible(const td_blocked *blocked, double scale) {
    const td_vec3 o = blocked->origin;
    return blocked->block_count <= (TD_FAN_QUAD - 1) / TD_LINES_OF_FAN &&
           blocked->quad_count <= (TD_FAN_QUAD - 1) / TD_LINES_OF_QUAD && scale > 0x1p-500 &&
           scale < 0x1p500 && fabs(o.x) < 0x1p1000 && fabs(o.y) < 0x1p1000 && fabs(o.z) < 0x1p1000;
}

td_result td_fan_tree_create(td_fan_tree *out, const td_blocked *blocked, td_context *context) {
    td_fan_builder builder = {.context = context, .blocked = blocked};
    const double *half = blocked->half, scale = blocked->scale[0] * blocked->scale[1];
    *out =
        (td_fan_tree){.origin = {blocked->origin.x, blocked->origin.y, blocked->origin.z},
                      .scale = {scale, scale, scale},
                      .half = {(float)(half[0] + td_outward(half[0])), (float)(half[1] + td_outward(half[1])),
                               (float)(half[2] + td_outward(half[2])), INFINITY}};
    if (!td_fans_are_possible(blocked, scale)) {
        return TD_OK;
    }
    builder.costs = TD_NEW(context, td_lane_costs, blocked->block_count);
    if (builder.costs == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_cost_all(&builder);
    td_result result = td_fill_fans(&builder);
    if (result == TD_OK) {
        result = td_keep_fans(out, &builder);
    }
    TD_DELETE(context, td_lane_costs, builder.costs, blocked->block_count);
    td_array_release(context, &builder.roots);
    td_array_release(context, &builder.fans);
    return result;
}

void td_fan_tree_destroy(td_fan_tree *tree, td_context *context) {
    TD_DELETE(context, td_fan, tree->fans, tree->fan_count);
    *tree = (td_fan_tree){0};
}

uint64_t td_fan_tree_bytes(const td_fan_tree *tree) {
    return tree->fan_count * sizeof(td_fan);
}
