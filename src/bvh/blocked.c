// From a mesh to its blocked hierarchy: boxes, tree, blocks, quads.
#include "blocked.h"

#include "../core/array.h"
#include "../core/clock.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "prims.h"
#include "quads.h"

#include <string.h>

enum {
    TD_QUAD = 4,                       // triangles per leaf
    TD_LEAF_BLOCK = TD_QUAD * TD_QUAD, // triangles per leaf block
    TD_CHUNK = 4096                    // triangles per task
};

typedef struct td_blocked_build {
    td_blocked *out;
    const td_trimesh *mesh;
    td_prim *prims;
    td_tree_node *nodes;
    td_run *quad_runs; // per quad
} td_blocked_build;

// The mesh fits [-1, 1] after a scaling by a power of two, which is exact.
static void td_choose_frame(td_blocked *out, const td_trimesh *mesh) {
    const td_vec3 lower = mesh->lower, upper = mesh->upper;
    out->origin = td_add(td_scale(lower, 0.5), td_scale(upper, 0.5));
    const td_vec3 half = td_sub(td_scale(upper, 0.5), td_scale(lower, 0.5));
    const double largest = fmax(half.x, fmax(half.y, half.z));
    int exponent = 0;
    if (largest > 0) {
        frexp(largest, &exponent);
    }
    out->exponent = -exponent;
    out->scale[0] = ldexp(1.0, out->exponent / 2);
    out->scale[1] = ldexp(1.0, out->exponent - out->exponent / 2);
    out->half[0] = half.x * out->scale[0] * out->scale[1];
    out->half[1] = half.y * out->scale[0] * out->scale[1];
    out->half[2] = half.z * out->scale[0] * out->scale[1];
}

static float td_tree_area(const td_tree_node *node) {
    const float x = node->upper[0] - node->lower[0];
    const float y = node->upper[1] - node->lower[1];
    const float z = node->upper[2] - node->lower[2];
    return x * y + y * z + z * x;
}

// The up to four tree nodes that become the nodes of one block: starting from the two children, the one of
// largest area is replaced by its children while there is room. In a leaf block everything down to the leaves
// is opened; in an internal block only what is too large for a leaf block of its own, so that leaf blocks
// stay full.
static int td_collapse(uint32_t members[4], const td_tree_node *nodes, uint32_t root) {
    const uint32_t stop = nodes[root].count <= TD_LEAF_BLOCK ? TD_QUAD : TD_LEAF_BLOCK;
    int count = 1;
    members[0] = root;
    while (count < 4) {
        int widest = -1;
        for (int i = 0; i < count; ++i) {
            if (nodes[members[i]].count > stop &&
                (widest < 0 || td_tree_area(&nodes[members[i]]) > td_tree_area(&nodes[members[widest]]))) {
                widest = i;
            }
        }
        if (widest < 0) {
            break;
        }
        const uint32_t opened = members[widest];
        memmove(members + widest + 2, members + widest + 1, (size_t)(count - widest - 1) * sizeof *members);
        members[widest] = td_tree_left(opened);
        members[widest + 1] = td_tree_right(nodes, opened);
        ++count;
    }
    return count;
}

typedef struct td_block_counts {
    uint32_t blocks, leaf_blocks, quads, height;
} td_block_counts;

static td_block_counts td_count_blocks(const td_tree_node *nodes, uint32_t root) {
    uint32_t members[4];
    const int count = td_collapse(members, nodes, root);
    if (nodes[root].count <= TD_LEAF_BLOCK) {
        return (td_block_counts){1, 1, (uint32_t)count, 1};
    }
    td_block_counts sum = {1, 0, 0, 0};
    for (int i = 0; i < count; ++i) {
        const td_block_counts below = td_count_blocks(nodes, members[i]);
        sum.blocks += below.blocks;
        sum.leaf_blocks += below.leaf_blocks;
        sum.quads += below.quads;
        sum.height = below.height > sum.height ? below.height : sum.height;
    }
    sum.height++;
    return sum;
}

static void td_set_box(td_block *block, int lane, const td_tree_node *node) {
    for (int k = 0; k < 3; ++k) {
        const float center = 0.5f * node->lower[k] + 0.5f * node->upper[k];
        const float half = fmaxf(node->upper[k] - center, center - node->lower[k]);
        block->center[k][lane] = center;
        block->half[k][lane] = half + half * 0x1p-22f; // covers the rounding of the subtraction
    }
}

// Emits the block of `root` and everything below, parents first; returns its index.
static uint32_t td_emit_block(td_blocked_build *build, uint32_t root) {
    td_blocked *out = build->out;
    const td_tree_node *nodes = build->nodes;
    uint32_t members[4];
    const int count = td_collapse(members, nodes, root);
    const uint32_t index = out->block_count++;
    td_block *block = &out->blocks[index];
    *block = (td_block){.leaf = nodes[root].count <= TD_LEAF_BLOCK, .node_count = (uint32_t)count};
    block->slabs = block->leaf ? out->slabs_count++ : TD_NONE;
    for (int i = 0; i < 4; ++i) {
        if (i >= count) {
            block->child[i] = TD_NONE;
            for (int k = 0; k < 3; ++k) {
                block->center[k][i] = 0;
                block->half[k][i] = -1e18f; // imaginary: farther from overlap than any sum of radii can mend
            }
            continue;
        }
        td_set_box(block, i, &nodes[members[i]]);
        if (block->leaf) {
            build->quad_runs[out->quad_count] = (td_run){nodes[members[i]].first, nodes[members[i]].count};
            block->child[i] = out->quad_count++;
        } else {
            block->child[i] = td_emit_block(build, members[i]);
            block->leaf_children |= out->blocks[block->child[i]].leaf << i;
        }
    }
    return index;
}

static void td_quad_task(uint32_t item, void *payload) {
    const td_blocked_build *build = payload;
    const uint32_t chunk = TD_CHUNK / TD_LEAF_BLOCK;
    const uint32_t end =
        (item + 1) * chunk < build->out->block_count ? (item + 1) * chunk : build->out->block_count;
    for (uint32_t b = item * chunk; b < end; ++b) {
        if (build->out->blocks[b].leaf) {
            td_fill_quads(build->out, b, build->mesh, build->prims, build->quad_runs);
        }
    }
}

static td_result td_lay_out(td_blocked_build *build, td_context *context) {
    td_blocked *out = build->out;
    const td_block_counts counts = td_count_blocks(build->nodes, 0);
    out->blocks = TD_NEW(context, td_block, counts.blocks);
    out->quads = TD_NEW(context, td_quad, counts.quads);
    out->corners = TD_NEW(context, td_quad_corners, counts.quads);
    out->slabs = TD_NEW(context, td_slabs, counts.leaf_blocks);
    build->quad_runs = TD_NEW(context, td_run, counts.quads);
    out->height = counts.height;
    if (out->blocks != NULL && out->quads != NULL && out->corners != NULL && out->slabs != NULL &&
        build->quad_runs != NULL) {
        td_emit_block(build, 0);
        const uint32_t chunk = TD_CHUNK / TD_LEAF_BLOCK;
        td_run_tasks(context, td_quad_task, (out->block_count + chunk - 1) / chunk, build);
        TD_DELETE(context, td_run, build->quad_runs, counts.quads);
        return TD_OK;
    }
    TD_DELETE(context, td_block, out->blocks, counts.blocks);
    TD_DELETE(context, td_quad, out->quads, counts.quads);
    TD_DELETE(context, td_quad_corners, out->corners, counts.quads);
    TD_DELETE(context, td_slabs, out->slabs, counts.leaf_blocks);
    TD_DELETE(context, td_run, build->quad_runs, counts.quads);
    *out = (td_blocked){0};
    return TD_ERROR_MEMORY;
}

td_result td_blocked_create(td_blocked *out, const td_trimesh *mesh, td_progress_fn *progress,
                            void *progress_user) {
    const double start = td_clock_ms();
    td_context *context = mesh->context;
    const uint32_t count = mesh->triangle_count;
    const size_t node_count = 2 * (size_t)count - 1;
    *out = (td_blocked){0};
    td_choose_frame(out, mesh);
    td_blocked_build build = {.out = out, .mesh = mesh};
    build.prims = TD_NEW(context, td_prim, count);
    build.nodes = TD_NEW(context, td_tree_node, node_count);
    td_result result = TD_ERROR_MEMORY;
    if (build.prims != NULL && build.nodes != NULL) {
        const td_tree_rules rules = {TD_QUAD, TD_LEAF_BLOCK};
        td_fill_prims(build.prims, out, mesh);
        result = td_build_sah(build.nodes, build.prims, count, rules, context, progress, progress_user);
        if (result == TD_OK) {
            result = td_lay_out(&build, context);
        }
    }
    TD_DELETE(context, td_prim, build.prims, count);
    TD_DELETE(context, td_tree_node, build.nodes, node_count);
    out->build_ms = td_clock_ms() - start;
    return result;
}

void td_blocked_destroy(td_blocked *blocked, td_context *context) {
    TD_DELETE(context, td_block, blocked->blocks, blocked->block_count);
    TD_DELETE(context, td_quad, blocked->quads, blocked->quad_count);
    TD_DELETE(context, td_quad_corners, blocked->corners, blocked->quad_count);
    TD_DELETE(context, td_slabs, blocked->slabs, blocked->slabs_count);
    *blocked = (td_blocked){0};
}

uint64_t td_blocked_bytes(const td_blocked *blocked) {
    return blocked->block_count * sizeof(td_block) + blocked->slabs_count * sizeof(td_slabs) +
           blocked->quad_count * (sizeof(td_quad) + sizeof(td_quad_corners));
}
