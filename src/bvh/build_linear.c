// The linear builder: one sort, then cuts that are found, not chosen.
// Based on: Lauterbach, Garland, Sengupta, Luebke and Manocha, Fast BVH construction on GPUs, 2009; and
// Karras, Maximizing parallelism in the construction of BVHs, octrees, and k-d trees, 2012 (cuts by binary
// search). Unlike there, the bits of a code are dealt out by extent: each goes to the axis along which the
// cells are longest by then, so that a sheet gets 16 bits along each of its sides and none across. Prims in
// one cell are cut by the surface area heuristic: so a mesh whose size is set by one stray triangle still
// gets a tree.
#include "../core/array.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "build_device.h"
#include "build_sah.h"
#include "cut_together.h"
#include "morton.h"
#include "radix.h"

#include <string.h>

enum {
    TD_CODE_CHUNK = 8192,   // prims per task
    TD_AHEAD = 24,          // prims between asking for one and using it
    TD_LINEAR_PRIMS = 1024, // nodes up to here are always one task
    TD_LINEAR_SHARE = 256   // ... and nodes up to this fraction of all prims
};

// From a prim's key to its code.
typedef struct td_coding {
    td_morton morton;
    td_f4 offset, scale;        // as there
    uint32_t spread[3][4][256]; // per axis and byte of the cell: its bits at their places
} td_coding;

typedef struct td_linear_job {
    uint32_t node, first, count;
    td_box4 box; // found by the task
} td_linear_job;

typedef struct td_linear_build {
    td_tree_node *nodes;
    const td_prim *prims;
    td_coded *codes;
    td_prim *cells[2]; // room for the prims of crowded cells; null if there are none
    td_coding coding;
    td_tree_rules rules;
    uint32_t count, small;
    TD_ARRAY(td_linear_job) jobs; // from left to right
} td_linear_build;

// ---------------------------------------------------------------------------------------------------------
// Codes

static void td_fill_spread(td_coding *coding) {
    for (int axis = 0; axis < 3; ++axis) {
        for (int byte = 0; byte < 4; ++byte) {
            for (uint32_t value = 0; value < 256; ++value) {
                uint32_t code = 0;
                for (int i = 0; i < 8 && 8 * byte + i < (int)coding->morton.bits[axis]; ++i) {
                    code |= (value >> i & 1) << coding->morton.place[axis][8 * byte + i];
                }
                coding->spread[axis][byte][value] = code;
            }
        }
    }
}

static void td_choose_coding(td_coding *coding, td_box4 keys) {
    _Alignas(16) float lower[4], upper[4], scale[4] = {0, 0, 0, 0};
    td_f4_store(lower, keys.lower);
    td_f4_store(upper, keys.upper);
    *coding = (td_coding){.morton = td_choose_morton(lower, upper), .offset = keys.lower};
    memcpy(scale, coding->morton.scale, sizeof coding->morton.scale);
    coding->scale = td_f4_load(scale);
    td_fill_spread(coding);
}

static void td_code_task(uint32_t item, void *payload) {
    const td_linear_build *build = payload;
    const td_coding *coding = &build->coding;
    const uint32_t first = item * TD_CODE_CHUNK;
    const uint32_t end = build->count - first < TD_CODE_CHUNK ? build->count : first + TD_CODE_CHUNK;
    for (uint32_t i = first; i < end; ++i) {
        const td_box4 box = td_box4_of(&build->prims[i]);
        const td_f4 key = td_f4_add(box.lower, box.upper);
        _Alignas(16) int32_t cell[4];
        td_f4_to_int(cell, td_f4_mul(td_f4_sub(key, coding->offset), coding->scale));
        uint32_t code = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const uint32_t c = (uint32_t)cell[axis];
            code |= coding->spread[axis][0][c & 255] | coding->spread[axis][1][c >> 8 & 255] |
                    coding->spread[axis][2][c >> 16 & 255];
        }
        build->codes[i] = (td_coded){code, i};
    }
}

// ---------------------------------------------------------------------------------------------------------
// Cuts

static uint32_t td_linear_cut(const td_linear_build *build, uint32_t first, uint32_t count) {
    return td_cut_codes(build->codes + first, count, build->rules);
}

// Prims lie anywhere; those of the leaves that follow are asked for ahead.
static td_box4 td_linear_leaf(const td_linear_build *build, uint32_t node, uint32_t first, uint32_t count) {
    const uint32_t ahead = build->count - first > 2 * TD_AHEAD ? first + TD_AHEAD : first;
    td_box4 box = td_box4_empty();
    for (uint32_t i = 0; i < count; ++i) {
        __builtin_prefetch(&build->prims[build->codes[ahead + i].id]);
        box = td_box4_join(box, td_box4_of(&build->prims[build->codes[first + i].id]));
    }
    td_node_set(&build->nodes[node], box, first, count);
    return box;
}

static bool td_is_crowded_cell(const td_linear_build *build, uint32_t first, uint32_t count) {
    return td_is_crowded(build->codes + first, count);
}

static td_box4 td_linear_cell(const td_linear_build *build, uint32_t node, uint32_t first, uint32_t count) {
    td_prim *to = build->cells[0], *from = build->cells[1];
    for (uint32_t i = first; i < first + count; ++i) {
        td_copy_prim(&from[i], &build->prims[build->codes[i].id]);
    }
    td_build_sah_below(build->nodes, to, from, node, first, count, build->rules);
    for (uint32_t i = first; i < first + count; ++i) {
        build->codes[i].id = to[i].id;
    }
    return (td_box4){td_f4_load(build->nodes[node].lower), td_f4_load(build->nodes[node].upper)};
}

static td_box4 td_linear_subtree(const td_linear_build *build, uint32_t node, uint32_t first,
                                 uint32_t count) {
    if (count <= build->rules.leaf_size) {
        return td_linear_leaf(build, node, first, count);
    }
    if (td_is_crowded_cell(build, first, count)) {
        return td_linear_cell(build, node, first, count);
    }
    const uint32_t left = td_linear_cut(build, first, count);
    const td_box4 a = td_linear_subtree(build, node + 1, first, left);
    const td_box4 b = td_linear_subtree(build, node + 2 * left, first + left, count - left);
    const td_box4 box = td_box4_join(a, b);
    td_node_set(&build->nodes[node], box, first, count);
    return box;
}

static void td_linear_task(uint32_t item, void *payload) {
    const td_linear_build *build = payload;
    td_linear_job *job = &build->jobs.items[item];
    job->box = td_linear_subtree(build, job->node, job->first, job->count);
}

// ---------------------------------------------------------------------------------------------------------
// The crown: down to the jobs, and up again once they are done.

static bool td_is_linear_job(const td_linear_build *build, uint32_t first, uint32_t count) {
    return count <= build->small || td_is_crowded_cell(build, first, count);
}

static td_result td_list_linear_jobs(td_linear_build *build, td_context *context, uint32_t node,
                                     uint32_t first, uint32_t count) {
    if (td_is_linear_job(build, first, count)) {
        TD_TRY(td_array_reserve(context, &build->jobs, 1));
        build->jobs.items[build->jobs.count++] = (td_linear_job){node, first, count, td_box4_empty()};
        return TD_OK;
    }
    const uint32_t left = td_linear_cut(build, first, count);
    TD_TRY(td_list_linear_jobs(build, context, node + 1, first, left));
    return td_list_linear_jobs(build, context, node + 2 * left, first + left, count - left);
}

static td_box4 td_linear_crown(const td_linear_build *build, const td_linear_job **next, uint32_t node,
                               uint32_t first, uint32_t count) {
    if (td_is_linear_job(build, first, count)) {
        return (*next)++->box;
    }
    const uint32_t left = td_linear_cut(build, first, count);
    const td_box4 a = td_linear_crown(build, next, node + 1, first, left);
    const td_box4 b = td_linear_crown(build, next, node + 2 * left, first + left, count - left);
    const td_box4 box = td_box4_join(a, b);
    td_node_set(&build->nodes[node], box, first, count);
    return box;
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
    TD_TRY(td_list_linear_jobs(build, context, 0, 0, build->count));
    td_run_tasks(context, td_linear_task, (uint32_t)build->jobs.count, build);
    const td_linear_job *next = build->jobs.items;
    td_linear_crown(build, &next, 0, 0, build->count);
    return TD_OK;
}

// With room for crowded cells, if there are any.
static td_result td_linear_tree_with_room(td_linear_build *build, td_context *context) {
    if (!td_has_crowd(build->codes, build->count)) {
        return td_linear_tree(build, context);
    }
    td_result result = TD_ERROR_MEMORY;
    build->cells[0] = TD_NEW(context, td_prim, build->count);
    build->cells[1] = TD_NEW(context, td_prim, build->count);
    if (build->cells[0] != NULL && build->cells[1] != NULL) {
        result = td_linear_tree(build, context);
    }
    TD_DELETE(context, td_prim, build->cells[0], build->count);
    TD_DELETE(context, td_prim, build->cells[1], build->count);
    return result;
}

// Below `node`, cells of a tree that is done but for them.
static void td_build_cells_below(const td_linear_build *build, uint32_t node, uint32_t first,
                                 uint32_t count) {
    if (td_is_crowded_cell(build, first, count)) {
        td_linear_cell(build, node, first, count);
    } else if (count > build->rules.leaf_size) {
        const uint32_t left = td_linear_cut(build, first, count);
        td_build_cells_below(build, node + 1, first, left);
        td_build_cells_below(build, node + 2 * left, first + left, count - left);
    }
}

td_result td_build_crowded_cells(td_tree_node *nodes, td_coded *codes, const td_prim *prims, uint32_t count,
                                 td_tree_rules rules, td_context *context) {
    if (!td_has_crowd(codes, count)) {
        return TD_OK;
    }
    td_linear_build *build = TD_NEW(context, td_linear_build, 1);
    td_prim *cells[2] = {TD_NEW(context, td_prim, count), TD_NEW(context, td_prim, count)};
    td_result result = TD_ERROR_MEMORY;
    if (build != NULL && cells[0] != NULL && cells[1] != NULL) {
        *build = (td_linear_build){.nodes = nodes,
                                   .prims = prims,
                                   .codes = codes,
                                   .cells = {cells[0], cells[1]},
                                   .rules = rules,
                                   .count = count};
        td_build_cells_below(build, 0, 0, count);
        result = TD_OK;
    }
    TD_DELETE(context, td_prim, cells[0], count);
    TD_DELETE(context, td_prim, cells[1], count);
    TD_DELETE(context, td_linear_build, build, 1);
    return result;
}

static td_result td_linear_codes(td_linear_build *build, td_coded *scratch, td_chunk *chunks,
                                 td_context *context) {
    const uint32_t count = build->count;
    td_choose_coding(&build->coding, td_measure_together(build->prims, count, chunks, context).keys);
    td_run_tasks(context, td_code_task, (count + TD_CODE_CHUNK - 1) / TD_CODE_CHUNK, build);
    return td_sort_codes(build->codes, scratch, count, context);
}

td_result td_build_linear(td_tree_node *nodes, td_coded *codes, const td_prim *prims, uint32_t count,
                          td_tree_rules rules, td_context *context, td_progress_fn *progress,
                          void *progress_user) {
    TD_TRY(td_check_tree_rules(rules));
    const uint32_t chunk_count = td_chunk_count(count), share = count / TD_LINEAR_SHARE;
    td_coded *scratch = TD_NEW(context, td_coded, count);
    td_chunk *chunks = TD_NEW(context, td_chunk, chunk_count);
    td_linear_build *build = TD_NEW(context, td_linear_build, 1); // 12 KiB: not on a caller's stack
    td_result result = TD_ERROR_MEMORY;
    if (scratch != NULL && chunks != NULL && build != NULL) {
        *build = (td_linear_build){.nodes = nodes,
                                   .prims = prims,
                                   .codes = codes,
                                   .rules = rules,
                                   .count = count,
                                   .small = share > TD_LINEAR_PRIMS ? share : TD_LINEAR_PRIMS};
        result = td_linear_codes(build, scratch, chunks, context);
        result = result == TD_OK ? td_report_linear(0, count, progress, progress_user) : result;
        result = result == TD_OK ? td_linear_tree_with_room(build, context) : result;
        result = result == TD_OK ? td_report_linear(count, count, progress, progress_user) : result;
        td_array_release(context, &build->jobs);
    }
    TD_DELETE(context, td_linear_build, build, 1);
    TD_DELETE(context, td_chunk, chunks, chunk_count);
    TD_DELETE(context, td_coded, scratch, count);
    return result;
}
