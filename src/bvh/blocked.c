// From a mesh to its blocked hierarchy: boxes, tree, blocks, quads.
#include "blocked.h"

#include "../core/clock.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "build_device.h"
#include "build_linear.h"
#include "collapse.h"
#include "layout.h"
#include "local.h"
#include "prims.h"

#include <string.h>

// Nodes up to here are cut so that leaf blocks come out full.
enum { TD_PACKED = 4 * TD_LEAF_BLOCK };

static void td_release_plan(td_blocked *blocked, td_context *context) {
    td_refit_plan *plan = &blocked->plan;
    TD_DELETE(context, td_block_range, plan->ranges, plan->range_count);
    TD_DELETE(context, double, plan->areas, plan->range_count);
    TD_DELETE(context, uint32_t, plan->crown, plan->crown_count);
    TD_DELETE(context, td_block_bounds, plan->bounds, blocked->block_count);
    TD_DELETE(context, td_quad_names, plan->names, blocked->quad_count);
    if (plan->vertices != blocked->corners) {
        TD_DELETE(context, td_quad_corners, plan->vertices, blocked->quad_count);
    }
    *plan = (td_refit_plan){0};
}

// On failure nothing is left of the hierarchy.
static td_result td_keep_names(td_blocked *blocked, td_context *context) {
    blocked->plan.names = TD_NEW(context, td_quad_names, blocked->quad_count);
    if (blocked->plan.names == NULL) {
        td_blocked_destroy(blocked, context);
        return TD_ERROR_MEMORY;
    }
    for (uint32_t q = 0; q < blocked->quad_count; ++q) {
        memcpy(blocked->plan.names[q].triangle, blocked->quads[q].triangle, sizeof blocked->plan.names[q]);
    }
    return TD_OK;
}

static td_build_on_device td_on_device_of(const td_blocked_def *def) {
    return (td_build_on_device){def->device, def->by_levels ? TD_WORK_LEVELS : TD_WORK_BALANCED,
                                def->progress, def->progress_user, 0};
}

static td_result td_tree_along_curve(td_blocked *out, td_tree_node *nodes, td_coded *codes,
                                     const td_trimesh *mesh, td_tree_rules rules, const td_blocked_def *def) {
    const double start = td_clock_ms();
    td_build_on_device on = td_on_device_of(def);
    TD_TRY(def->device == NULL
               ? td_build_linear(nodes, codes, out, mesh, rules, def->progress, def->progress_user)
               : td_build_linear_on_device(nodes, codes, out, mesh, rules, &on));
    out->rounds = on.rounds;
    out->tree_ms = td_clock_ms() - start;
    return TD_OK;
}

static td_result td_tree_by_area(td_blocked *out, td_tree_node *nodes, td_prim *prims, const td_trimesh *mesh,
                                 td_tree_rules rules, const td_blocked_def *def) {
    const uint32_t count = mesh->triangle_count;
    td_fill_prims(prims, out, mesh);
    const double start = td_clock_ms();
    td_build_on_device on = td_on_device_of(def);
    TD_TRY(def->device == NULL
               ? td_build_sah(nodes, prims, count, rules, mesh->context, def->progress, def->progress_user)
               : td_build_sah_on_device(nodes, prims, count, rules, &on));
    out->rounds = on.rounds;
    out->tree_ms = td_clock_ms() - start;
    return TD_OK;
}

// Leaves of the tree are leaf blocks: along the curve, what follows each other may well share a quad.
static td_result td_blocked_along_curve(td_blocked *out, td_tree_node *nodes, const td_trimesh *mesh,
                                        const td_blocked_def *def) {
    const td_tree_rules rules = {TD_LEAF_BLOCK, TD_LEAF_BLOCK, TD_PACKED};
    td_coded *codes = TD_NEW(mesh->context, td_coded, mesh->triangle_count);
    td_result result = TD_ERROR_MEMORY;
    if (codes != NULL) {
        result = td_tree_along_curve(out, nodes, codes, mesh, rules, def);
    }
    if (result == TD_OK) {
        result = td_lay_out(out, nodes, rules.leaf_size, td_order_of_codes(codes), mesh);
    }
    TD_DELETE(mesh->context, td_coded, codes, mesh->triangle_count);
    return result;
}

static td_result td_blocked_by_area(td_blocked *out, td_tree_node *nodes, const td_trimesh *mesh,
                                    const td_blocked_def *def) {
    const td_tree_rules rules = {TD_QUAD, TD_LEAF_BLOCK, TD_PACKED};
    const uint32_t count = mesh->triangle_count;
    td_prim *prims = TD_NEW(mesh->context, td_prim, count);
    td_result result = TD_ERROR_MEMORY;
    if (prims != NULL) {
        result = td_tree_by_area(out, nodes, prims, mesh, rules, def);
    }
    if (result == TD_OK) {
        result = td_lay_out(out, nodes, rules.leaf_size, td_order_of_prims(prims), mesh);
    }
    TD_DELETE(mesh->context, td_prim, prims, count);
    return result;
}

static td_result td_build_blocked(td_blocked *out, td_tree_node *nodes, const td_trimesh *mesh,
                                  const td_blocked_def *def) {
    if (nodes == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_choose_frame(out, mesh);
    TD_TRY(def->builder == TD_BUILDER_LINEAR ? td_blocked_along_curve(out, nodes, mesh, def)
                                             : td_blocked_by_area(out, nodes, mesh, def));
    out->built_cost = td_blocked_cost(out);
    if (def->keep_plan) {
        return td_keep_names(out, mesh->context);
    }
    td_release_plan(out, mesh->context);
    return TD_OK;
}

td_result td_blocked_create(td_blocked *out, const td_trimesh *mesh, const td_blocked_def *def) {
    const double start = td_clock_ms();
    const size_t node_count = 2 * (size_t)mesh->triangle_count - 1;
    *out = (td_blocked){0};
    td_tree_node *nodes = TD_NEW(mesh->context, td_tree_node, node_count);
    const td_result result = td_build_blocked(out, nodes, mesh, def);
    TD_DELETE(mesh->context, td_tree_node, nodes, node_count);
    out->build_ms = td_clock_ms() - start;
    return result;
}

void td_blocked_destroy(td_blocked *blocked, td_context *context) {
    td_release_plan(blocked, context);
    TD_DELETE(context, td_block, blocked->blocks, blocked->block_count);
    TD_DELETE(context, td_quad, blocked->quads, blocked->quad_count);
    TD_DELETE(context, td_quad_corners, blocked->corners, blocked->quad_count);
    TD_DELETE(context, td_slabs, blocked->slabs, blocked->slabs_count);
    *blocked = (td_blocked){0};
}

static uint64_t td_plan_bytes(const td_blocked *blocked) {
    const td_refit_plan *plan = &blocked->plan;
    if (plan->ranges == NULL) {
        return 0;
    }
    const size_t vertices = plan->vertices != blocked->corners ? blocked->quad_count : 0;
    return plan->range_count * (sizeof *plan->ranges + sizeof *plan->areas) +
           plan->crown_count * sizeof *plan->crown + blocked->block_count * sizeof *plan->bounds +
           vertices * sizeof *plan->vertices +
           (plan->names != NULL ? blocked->quad_count : 0) * sizeof *plan->names;
}

uint64_t td_blocked_bytes(const td_blocked *blocked) {
    return blocked->block_count * sizeof(td_block) + blocked->slabs_count * sizeof(td_slabs) +
           blocked->quad_count * (sizeof(td_quad) + sizeof(td_quad_corners)) + td_plan_bytes(blocked);
}
