// The linear builder: one sort, then cuts that are found, not chosen.
// Based on: Lauterbach, Garland, Sengupta, Luebke and Manocha, Fast BVH construction on GPUs, 2009; and
// Karras, Maximizing parallelism in the construction of BVHs, octrees, and k-d trees, 2012 (cuts by binary
// search). Unlike there, no box is needed before the blocks are filled (td_set_linear_node). Triangles in one
// cell are cut by the surface area heuristic: so a mesh whose size is set by one stray triangle still gets a
// tree.
#include "build_linear.h"

#include "../core/array.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "build_sah.h"
#include "codes.h"
#include "cut_bins.h"
#include "prims.h"
#include "radix.h"

enum {
    TD_LINEAR_PRIMS = 1024, // nodes up to here are always one task
    TD_LINEAR_SHARE = 256   // ... and nodes up to this fraction of all triangles
};

typedef struct td_linear_job {
    uint32_t node, first, count;
} td_linear_job;

typedef struct td_linear_build {
    td_tree_node *nodes;
    td_coded *codes;
    td_prim *prims[3]; // of all triangles by id, and room to cut crowded cells in; null if there are none
    td_tree_rules rules;
    uint32_t count, small;
    TD_ARRAY(td_linear_job) jobs;
} td_linear_build;

// Sets the node and returns how many go left.
static uint32_t td_cut_run(const td_linear_build *build, uint32_t node, uint32_t first, uint32_t count) {
    td_set_linear_node(&build->nodes[node], count);
    return td_cut_codes(build->codes + first, count, build->rules);
}

static bool td_is_crowded_cell(const td_linear_build *build, uint32_t first, uint32_t count) {
    return td_is_crowded(build->codes + first, count);
}

static void td_cut_cell(const td_linear_build *build, uint32_t node, uint32_t first, uint32_t count) {
    const td_prim *all = build->prims[0];
    td_prim *to = build->prims[1], *from = build->prims[2];
    for (uint32_t i = first; i < first + count; ++i) {
        td_copy_prim(&from[i], &all[build->codes[i].id]);
    }
    td_build_sah_below(build->nodes, to, from, node, first, count, build->rules);
    for (uint32_t i = first; i < first + count; ++i) {
        build->codes[i].id = to[i].id;
    }
}

static void td_linear_subtree(const td_linear_build *build, uint32_t node, uint32_t first, uint32_t count) {
    if (count <= build->rules.leaf_size) {
        td_set_linear_node(&build->nodes[node], count);
    } else if (td_is_crowded_cell(build, first, count)) {
        td_cut_cell(build, node, first, count);
    } else {
        const uint32_t left = td_cut_run(build, node, first, count);
        td_linear_subtree(build, node + 1, first, left);
        td_linear_subtree(build, node + 2 * left, first + left, count - left);
    }
}

static void td_linear_task(uint32_t item, void *payload) {
    const td_linear_build *build = payload;
    const td_linear_job job = build->jobs.items[item];
    td_linear_subtree(build, job.node, job.first, job.count);
}

// The crown, and the jobs below it.
static td_result td_linear_crown(td_linear_build *build, td_context *context, uint32_t node, uint32_t first,
                                 uint32_t count) {
    if (count <= build->small || td_is_crowded_cell(build, first, count)) {
        TD_TRY(td_array_reserve(context, &build->jobs, 1));
        build->jobs.items[build->jobs.count++] = (td_linear_job){node, first, count};
        return TD_OK;
    }
    const uint32_t left = td_cut_run(build, node, first, count);
    TD_TRY(td_linear_crown(build, context, node + 1, first, left));
    return td_linear_crown(build, context, node + 2 * left, first + left, count - left);
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_report_linear(uint32_t done, uint32_t count, td_progress_fn *progress, void *user) {
    if (progress != NULL && !progress(done, count, user)) {
        return td_fail(TD_ERROR_CANCELLED, "building a hierarchy over %u triangles was cancelled", count);
    }
    return TD_OK;
}

// Runs of more than TD_CROWD equal codes hold two places that are multiples of half of it.
static bool td_has_crowd(const td_coded *codes, uint32_t count) {
    enum { TD_HALF = TD_CROWD / 2 };
    for (size_t i = 0; i + TD_HALF < count; i += TD_HALF) {
        if (codes[i].code == codes[i + TD_HALF].code) {
            return true;
        }
    }
    return false;
}

typedef td_result td_linear_work_fn(td_linear_build *build, td_context *context);

static td_result td_linear_tree(td_linear_build *build, td_context *context) {
    TD_TRY(td_linear_crown(build, context, 0, 0, build->count));
    td_run_tasks(context, td_linear_task, (uint32_t)build->jobs.count, build);
    return TD_OK;
}

// The crowded cells below `node` of a tree that is done but for them.
static void td_cut_cells_below(const td_linear_build *build, uint32_t node, uint32_t first, uint32_t count) {
    if (count <= build->rules.leaf_size) {
        return;
    }
    if (td_is_crowded_cell(build, first, count)) {
        td_cut_cell(build, node, first, count);
    } else {
        const uint32_t left = build->nodes[td_tree_left(node)].count;
        td_cut_cells_below(build, td_tree_left(node), first, left);
        td_cut_cells_below(build, td_tree_right(build->nodes, node), first + left, count - left);
    }
}

static td_result td_linear_cells(td_linear_build *build, td_context *context) {
    (void)context;
    td_cut_cells_below(build, 0, 0, build->count);
    return TD_OK;
}

// Does the work with the boxes of triangles at hand, which crowded cells are cut by.
static td_result td_with_prims(td_linear_build *build, td_linear_work_fn *work, const td_blocked *frame,
                               const td_trimesh *mesh) {
    td_context *context = mesh->context;
    bool there = true;
    for (int i = 0; i < 3; ++i) {
        build->prims[i] = TD_NEW(context, td_prim, build->count);
        there = there && build->prims[i] != NULL;
    }
    td_result result = TD_ERROR_MEMORY;
    if (there) {
        td_fill_prims(build->prims[0], frame, mesh);
        result = work(build, context);
    }
    for (int i = 0; i < 3; ++i) {
        TD_DELETE(context, td_prim, build->prims[i], build->count);
    }
    return result;
}

td_result td_build_crowded_cells(td_tree_node *nodes, td_coded *codes, const td_blocked *frame,
                                 const td_trimesh *mesh, td_tree_rules rules) {
    if (!td_has_crowd(codes, mesh->triangle_count)) {
        return TD_OK;
    }
    td_linear_build build = {.nodes = nodes, .codes = codes, .rules = rules, .count = mesh->triangle_count};
    return td_with_prims(&build, td_linear_cells, frame, mesh);
}

static td_result td_linear_tree_of_codes(td_linear_build *build, const td_blocked *frame,
                                         const td_trimesh *mesh) {
    return td_has_crowd(build->codes, build->count) ? td_with_prims(build, td_linear_tree, frame, mesh)
                                                    : td_linear_tree(build, mesh->context);
}

// The nodes are not needed yet: there the codes are sorted.
static td_result td_linear_codes(const td_linear_build *build, const td_blocked *frame,
                                 const td_trimesh *mesh) {
    _Static_assert(sizeof(td_coded) <= sizeof(td_tree_node), "a code goes where a node will be");
    td_coded *scratch = (td_coded *)(void *)build->nodes;
    td_coding *coding = TD_NEW(mesh->context, td_coding, 1); // 10 KiB: not on a caller's stack
    if (coding == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_choose_coding(coding, frame->half);
    td_code_triangles(build->codes, coding, frame, mesh);
    TD_DELETE(mesh->context, td_coding, coding, 1);
    return td_sort_codes(build->codes, scratch, build->count, mesh->context);
}

td_result td_build_linear(td_tree_node *nodes, td_coded *codes, const td_blocked *frame,
                          const td_trimesh *mesh, td_tree_rules rules, td_progress_fn *progress,
                          void *progress_user) {
    TD_TRY(td_check_tree_rules(rules));
    const uint32_t count = mesh->triangle_count, share = count / TD_LINEAR_SHARE;
    td_linear_build build = {.nodes = nodes,
                             .codes = codes,
                             .rules = rules,
                             .count = count,
                             .small = share > TD_LINEAR_PRIMS ? share : TD_LINEAR_PRIMS};
    TD_TRY(td_linear_codes(&build, frame, mesh));
    TD_TRY(td_report_linear(0, count, progress, progress_user));
    const td_result result = td_linear_tree_of_codes(&build, frame, mesh);
    td_array_release(mesh->context, &build.jobs);
    TD_TRY(result);
    return td_report_linear(count, count, progress, progress_user);
}
