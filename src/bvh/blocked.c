// From a mesh to its blocked hierarchy: boxes, tree, blocks, quads.
#include "blocked.h"

#include "../core/clock.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "collapse.h"
#include "layout.h"
#include "local.h"
#include "prims.h"

// Nodes up to here are cut so that leaf blocks come out full.
enum { TD_PACKED = 4 * TD_LEAF_BLOCK };

// What a build needs while it lasts.
typedef struct td_blocked_build {
    td_local_vertex *vertices;
    td_prim *prims;
    td_tree_node *nodes;
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

static td_result td_build_blocked(td_blocked *out, const td_blocked_build *build, const td_trimesh *mesh,
                                  td_progress_fn *progress, void *progress_user) {
    if (build->vertices == NULL || build->prims == NULL || build->nodes == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_tree_rules rules = {TD_QUAD, TD_LEAF_BLOCK, TD_PACKED};
    td_fill_local(build->vertices, out, mesh);
    td_fill_prims_from(build->prims, build->vertices, mesh);
    TD_TRY(td_build_sah(build->nodes, build->prims, mesh->triangle_count, rules, mesh->context, progress,
                        progress_user));
    const td_quad_source source = {mesh, build->vertices, build->prims};
    return td_lay_out(out, build->nodes, &source, mesh->context);
}

td_result td_blocked_create(td_blocked *out, const td_trimesh *mesh, td_progress_fn *progress,
                            void *progress_user) {
    const double start = td_clock_ms();
    td_context *context = mesh->context;
    const uint32_t count = mesh->triangle_count;
    const size_t node_count = 2 * (size_t)count - 1;
    *out = (td_blocked){0};
    td_choose_frame(out, mesh);
    const td_blocked_build build = {.vertices = TD_NEW(context, td_local_vertex, mesh->vertex_count),
                                    .prims = TD_NEW(context, td_prim, count),
                                    .nodes = TD_NEW(context, td_tree_node, node_count)};
    const td_result result = td_build_blocked(out, &build, mesh, progress, progress_user);
    TD_DELETE(context, td_local_vertex, build.vertices, mesh->vertex_count);
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
