// The linear builder: one sort, then cuts that are found, not chosen.
// Based on: Lauterbach, Garland, Sengupta, Luebke and Manocha, Fast BVH construction on GPUs, 2009; and
// Karras, Maximizing parallelism in the construction of BVHs, octrees, and k-d trees, 2012 (cuts by binary
// search). Unlike there, no box is needed before the blocks are filled: a patch of a surface is taken to be
// as large as it has triangles. Triangles in one cell are cut by the surface area heuristic: so a mesh whose
// size is set by one stray triangle still gets a tree.
#include "build_linear.h"

#include "../core/array.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "build_sah.h"
#include "codes.h"
#include "cut_bins.h"
#include "prims.h"

enum {
    TD_CROWD = 64,           // triangles of a cell beyond which it is cut with care
    TD_SUBTREE_PRIMS = 1024, // nodes up to here are always one task
    TD_SUBTREE_SHARE = 256   // ... and nodes up to this fraction of all triangles
};

typedef struct td_linear_job {
    uint32_t node, first, count;
} td_linear_job;

typedef struct td_linear_build {
    td_tree_node *nodes;
    td_coded *codes;
    td_prim *prims[3]; // of all triangles by id, and room to cut crowded cells in; null if there are none
    td_coding coding;
    td_tree_rules rules;
    uint32_t count, small;
    TD_ARRAY(td_linear_job) jobs;
} td_linear_build;

// How many of a run of codes, which differ, come before the highest differing bit turns.
static uint32_t td_codes_before_turn(const td_coded *codes, uint32_t count) {
    const uint32_t different = codes[0].code ^ codes[count - 1].code;
    const uint32_t turn = codes[count - 1].code & ~(UINT32_MAX >> __builtin_clz(different) >> 1);
    uint32_t low = 0, high = count - 1; // codes[low] is before it, codes[high] is not
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const bool before = codes[middle].code < turn;
        low = before ? middle : low;
        high = before ? high : middle;
    }
    return high;
}

// Groups and leaves come out full: the cut moves to where the nearest one ends.
static uint32_t td_round_cut(uint32_t left, uint32_t count, td_tree_rules rules) {
    const uint32_t unit = count <= rules.group_size ? rules.leaf_size : rules.group_size;
    if (count > rules.group_size && count > rules.packed_size) {
        return left;
    }
    const uint32_t nearest = (left + unit / 2) / unit, last = (count - 1) / unit;
    return unit * (nearest < 1 ? 1 : nearest > last ? last : nearest);
}

static void td_set_linear_node(const td_linear_build *build, uint32_t node, uint32_t count) {
    build->nodes[node] = (td_tree_node){(float)count, count};
}

// Sets the node and returns how many go left.
static uint32_t td_cut_run(const td_linear_build *build, uint32_t node, uint32_t first, uint32_t count) {
    const td_coded *codes = build->codes + first;
    td_set_linear_node(build, node, count);
    const bool same = codes[0].code == codes[count - 1].code;
    return td_round_cut(same ? count / 2 : td_codes_before_turn(codes, count), count, build->rules);
}

static bool td_is_crowded_cell(const td_linear_build *build, uint32_t first, uint32_t count) {
    return count > TD_CROWD && build->codes[first].code == build->codes[first + count - 1].code;
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
        td_set_linear_node(build, node, count);
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

static td_result td_linear_tree(td_linear_build *build, td_context *context) {
    TD_TRY(td_linear_crown(build, context, 0, 0, build->count));
    td_run_tasks(context, td_linear_task, (uint32_t)build->jobs.count, build);
    return TD_OK;
}

// With the boxes of triangles, if there are crowded cells.
static td_result td_linear_tree_with_prims(td_linear_build *build, const td_blocked *frame,
                                           const td_trimesh *mesh) {
    td_context *context = mesh->context;
    if (!td_has_crowd(build->codes, build->count)) {
        return td_linear_tree(build, context);
    }
    bool there = true;
    for (int i = 0; i < 3; ++i) {
        build->prims[i] = TD_NEW(context, td_prim, build->count);
        there = there && build->prims[i] != NULL;
    }
    td_result result = TD_ERROR_MEMORY;
    if (there) {
        td_fill_prims(build->prims[0], frame, mesh);
        result = td_linear_tree(build, context);
    }
    for (int i = 0; i < 3; ++i) {
        TD_DELETE(context, td_prim, build->prims[i], build->count);
    }
    return result;
}

// The nodes are not needed yet: there the codes are sorted.
static td_result td_linear_codes(td_linear_build *build, const td_blocked *frame, const td_trimesh *mesh) {
    _Static_assert(sizeof(td_coded) <= sizeof(td_tree_node), "a code goes where a node will be");
    td_coded *scratch = (td_coded *)(void *)build->nodes;
    td_choose_coding(&build->coding, frame->half);
    td_code_triangles(build->codes, &build->coding, frame, mesh);
    return td_sort_codes(build->codes, scratch, build->count, mesh->context);
}

td_result td_build_linear(td_tree_node *nodes, td_coded *codes, const td_blocked *frame,
                          const td_trimesh *mesh, td_tree_rules rules, td_progress_fn *progress,
                          void *progress_user) {
    TD_TRY(td_check_tree_rules(rules));
    td_context *context = mesh->context;
    const uint32_t count = mesh->triangle_count, share = count / TD_SUBTREE_SHARE;
    td_linear_build *build = TD_NEW(context, td_linear_build, 1); // 10 KiB: not on a caller's stack
    td_result result = TD_ERROR_MEMORY;
    if (build != NULL) {
        *build = (td_linear_build){.nodes = nodes,
                                   .codes = codes,
                                   .rules = rules,
                                   .count = count,
                                   .small = share > TD_SUBTREE_PRIMS ? share : TD_SUBTREE_PRIMS};
        result = td_linear_codes(build, frame, mesh);
        result = result == TD_OK ? td_report_linear(0, count, progress, progress_user) : result;
        result = result == TD_OK ? td_linear_tree_with_prims(build, frame, mesh) : result;
        result = result == TD_OK ? td_report_linear(count, count, progress, progress_user) : result;
        td_array_release(context, &build->jobs);
    }
    TD_DELETE(context, td_linear_build, build, 1);
    return result;
}
