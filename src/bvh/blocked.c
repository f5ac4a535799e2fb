// From a mesh to its blocked hierarchy: boxes, tree, blocks, quads.
#include "blocked.h"

#include "../core/clock.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "build_device.h"
#include "collapse.h"
#include "layout.h"
#include "local.h"
#include "prims.h"

// Nodes up to here are cut so that leaf blocks come out full.
enum { TD_PACKED = 4 * TD_LEAF_BLOCK };

// What a build needs while it lasts.
typedef struct td_blocked_build {
    td_prim *prims;
    td_tree_node *nodes;
    td_coded *codes; // of the linear builder
} td_blocked_build;

static void td_release_plan(td_blocked *blocked, td_context *context) {
    td_refit_plan *plan = &blocked->plan;
    TD_DELETE(context, td_block_range, plan->ranges, plan->range_count);
    TD_DELETE(context, double, plan->areas, plan->range_count);
    TD_DELETE(context, uint32_t, plan->crown, plan->crown_count);
    TD_DELETE(context, td_block_bounds, plan->bounds, blocked->block_count);
    if (plan->vertices != blocked->corners) {
        TD_DELETE(context, td_quad_corners, plan->vertices, blocked->quad_count);
    }
    *plan = (td_refit_plan){0};
}

static td_result td_build_tree_on_device(td_blocked *out, const td_blocked_build *build,
                                         const td_trimesh *mesh, td_tree_rules rules,
                                         const td_blocked_def *def) {
    td_build_on_device on = {def->device, def->by_levels ? TD_WORK_LEVELS : TD_WORK_BALANCED, def->progress,
                             def->progress_user, 0};
    const uint32_t count = mesh->triangle_count;
    TD_TRY(def->builder == TD_BUILDER_LINEAR
               ? td_build_linear_on_device(build->nodes, build->codes, build->prims, count, rules, &on)
               : td_build_sah_on_device(build->nodes, build->prims, count, rules, &on));
    out->rounds = on.rounds;
    return TD_OK;
}

static td_result td_build_tree(td_blocked *out, td_tree_order *order, const td_blocked_build *build,
                               const td_trimesh *mesh, const td_blocked_def *def) {
    const td_tree_rules rules = {TD_QUAD, TD_LEAF_BLOCK, TD_PACKED};
    const uint32_t count = mesh->triangle_count;
    const bool linear = def->builder == TD_BUILDER_LINEAR;
    *order = linear ? td_order_of_codes(build->codes) : td_order_of_prims(build->prims);
    if (def->device != NULL) {
        return td_build_tree_on_device(out, build, mesh, rules, def);
    }
    if (linear) {
        return td_build_linear(build->nodes, build->codes, build->prims, count, rules, mesh->context,
                               def->progress, def->progress_user);
    }
    return td_build_sah(build->nodes, build->prims, count, rules, mesh->context, def->progress,
                        def->progress_user);
}

static td_result td_build_blocked(td_blocked *out, const td_blocked_build *build, const td_trimesh *mesh,
                                  const td_blocked_def *def) {
    if (build->prims == NULL || build->nodes == NULL || build->codes == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_choose_frame(out, mesh);
    td_fill_prims(build->prims, out, mesh);
    td_tree_order order;
    const double start = td_clock_ms();
    TD_TRY(td_build_tree(out, &order, build, mesh, def));
    out->tree_ms = td_clock_ms() - start;
    TD_TRY(td_lay_out(out, build->nodes, order, mesh));
    out->built_cost = td_blocked_cost(out);
    if (!def->keep_plan) {
        td_release_plan(out, mesh->context);
    }
    return TD_OK;
}

td_result td_blocked_create(td_blocked *out, const td_trimesh *mesh, const td_blocked_def *def) {
    const double start = td_clock_ms();
    td_context *context = mesh->context;
    const uint32_t count = mesh->triangle_count;
    const size_t node_count = 2 * (size_t)count - 1;
    const uint32_t code_count = def->builder == TD_BUILDER_LINEAR ? count : 0;
    *out = (td_blocked){0};
    const td_blocked_build build = {.prims = TD_NEW(context, td_prim, count),
                                    .nodes = TD_NEW(context, td_tree_node, node_count),
                                    .codes = TD_NEW(context, td_coded, code_count)};
    const td_result result = td_build_blocked(out, &build, mesh, def);
    TD_DELETE(context, td_prim, build.prims, count);
    TD_DELETE(context, td_tree_node, build.nodes, node_count);
    TD_DELETE(context, td_coded, build.codes, code_count);
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
           vertices * sizeof *plan->vertices;
}

uint64_t td_blocked_bytes(const td_blocked *blocked) {
    return blocked->block_count * sizeof(td_block) + blocked->slabs_count * sizeof(td_slabs) +
           blocked->quad_count * (sizeof(td_quad) + sizeof(td_quad_corners)) + td_plan_bytes(blocked);
}
