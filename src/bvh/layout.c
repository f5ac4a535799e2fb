// Blocks stand in the order of a walk that visits parents before children, left before right. The walk's
// crown is serial; a subtree below it is a job: first the blocks of each are counted, so that each has a
// range of its own to fill, then all are filled at once.
#include "layout.h"

#include "../core/array.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "collapse.h"

#include <string.h>

// Subtrees up to this many prims, or this fraction of all, are filled by one task.
enum { TD_JOB_PRIMS = 1024, TD_JOB_SHARE = 256 };

typedef struct td_block_counts {
    uint32_t blocks, leaf_blocks, quads, height;
} td_block_counts;

typedef struct td_layout_job {
    uint32_t node;
    td_block_counts counts;
    td_block_counts start; // how many there are before it; height unused
} td_layout_job;

typedef struct td_layout {
    td_blocked *out;
    td_collapse collapse;
    const td_quad_source *source;
    TD_ARRAY(td_layout_job) jobs; // in the order of the walk
    uint32_t small;               // most prims of a job
} td_layout;

static td_block_counts td_add_counts(td_block_counts a, td_block_counts b) {
    return (td_block_counts){a.blocks + b.blocks, a.leaf_blocks + b.leaf_blocks, a.quads + b.quads,
                             a.height > b.height ? a.height : b.height};
}

static td_block_counts td_count_blocks(const td_collapse *collapse, uint32_t root) {
    uint32_t members[4];
    const int count = td_block_members(members, collapse, root);
    if (collapse->nodes[root].count <= TD_LEAF_BLOCK) {
        return (td_block_counts){1, 1, (uint32_t)count, 1};
    }
    td_block_counts sum = {1, 0, 0, 0};
    for (int i = 0; i < count; ++i) {
        sum = td_add_counts(sum, td_count_blocks(collapse, members[i]));
    }
    sum.height++;
    return sum;
}

static void td_count_task(uint32_t item, void *payload) {
    const td_layout *layout = payload;
    td_layout_job *job = &layout->jobs.items[item];
    job->counts = td_count_blocks(&layout->collapse, job->node);
}

// The jobs below `root`.
static td_result td_list_jobs(td_layout *layout, td_context *context, uint32_t root) {
    if (layout->collapse.nodes[root].count <= layout->small) {
        TD_TRY(td_array_reserve(context, &layout->jobs, 1));
        layout->jobs.items[layout->jobs.count++] = (td_layout_job){.node = root};
        return TD_OK;
    }
    uint32_t members[4];
    const int count = td_block_members(members, &layout->collapse, root);
    for (int i = 0; i < count; ++i) {
        TD_TRY(td_list_jobs(layout, context, members[i]));
    }
    return TD_OK;
}

// Tells every job where it starts. Returns what there is below `root`.
static td_block_counts td_place_jobs(const td_layout *layout, td_layout_job **next, td_block_counts start,
                                     uint32_t root) {
    if (layout->collapse.nodes[root].count <= layout->small) {
        td_layout_job *job = (*next)++;
        job->start = start;
        return job->counts;
    }
    uint32_t members[4];
    const int count = td_block_members(members, &layout->collapse, root);
    td_block_counts sum = {1, 0, 0, 0};
    for (int i = 0; i < count; ++i) {
        sum = td_add_counts(sum, td_place_jobs(layout, next, td_add_counts(start, sum), members[i]));
    }
    sum.height++;
    return sum;
}

// ---------------------------------------------------------------------------------------------------------

static void td_set_box(td_block *block, int lane, const td_tree_node *node) {
    for (int k = 0; k < 3; ++k) {
        const float center = 0.5f * node->lower[k] + 0.5f * node->upper[k];
        const float above = node->upper[k] - center, below = center - node->lower[k];
        const float half = above > below ? above : below;
        block->center[k][lane] = center;
        block->half[k][lane] = half + half * 0x1p-22f; // covers the rounding of the subtraction
    }
}

static void td_set_imaginary(td_block *block, int lane) {
    block->child[lane] = TD_NONE;
    for (int k = 0; k < 3; ++k) {
        block->center[k][lane] = 0;
        block->half[k][lane] = -1e18f; // farther from overlap than any sum of radii can mend
    }
}

// Child `lane` is the block at `index`.
static inline void td_set_child(td_block *block, uint32_t lane, uint32_t index, bool leaf) {
    block->child[lane & 3] = index; // & 3: lanes are fewer than four, which compilers cannot know
    block->leaf_children |= (uint32_t)leaf << (lane & 3);
}

// Sets all of the block but its children.
static void td_start_block(const td_layout *layout, td_block *block, const uint32_t members[4], int count,
                           bool leaf) {
    *block = (td_block){.leaf = leaf, .node_count = (uint32_t)count, .slabs = TD_NONE};
    for (int i = 0; i < 4; ++i) {
        if (i < count) {
            td_set_box(block, i, &layout->collapse.nodes[members[i]]);
        } else {
            td_set_imaginary(block, i);
        }
    }
}

static void td_fill_leaf_block(const td_layout *layout, td_block_counts *next, td_block *block,
                               const uint32_t members[4]) {
    td_run runs[4];
    block->slabs = next->leaf_blocks++;
    for (uint32_t i = 0; i < block->node_count; ++i) {
        const td_tree_node *leaf = &layout->collapse.nodes[members[i]];
        runs[i] = (td_run){leaf->first, leaf->count};
        block->child[i] = next->quads++;
    }
    td_fill_quads(layout->out, block, layout->source, runs);
}

// Fills the block of `root` and everything below. `next` counts what is filled.
static void td_fill_blocks(const td_layout *layout, td_block_counts *next, uint32_t root) {
    const td_tree_node *nodes = layout->collapse.nodes;
    uint32_t members[4];
    const int count = td_block_members(members, &layout->collapse, root);
    const bool leaf = nodes[root].count <= TD_LEAF_BLOCK;
    td_block *block = &layout->out->blocks[next->blocks++];
    td_start_block(layout, block, members, count, leaf);
    if (leaf) {
        td_fill_leaf_block(layout, next, block, members);
        return;
    }
    for (uint32_t i = 0; i < block->node_count; ++i) {
        td_set_child(block, i, next->blocks, nodes[members[i]].count <= TD_LEAF_BLOCK);
        td_fill_blocks(layout, next, members[i]);
    }
}

static void td_fill_task(uint32_t item, void *payload) {
    const td_layout *layout = payload;
    const td_layout_job *job = &layout->jobs.items[item];
    td_block_counts next = job->start;
    td_fill_blocks(layout, &next, job->node);
}

// The blocks above the jobs. Returns the number of blocks up to the end of what is below `root`.
static uint32_t td_fill_crown(const td_layout *layout, const td_layout_job **next, uint32_t index,
                              uint32_t root) {
    const td_tree_node *nodes = layout->collapse.nodes;
    if (nodes[root].count <= layout->small) {
        return index + (*next)++->counts.blocks;
    }
    uint32_t members[4];
    const int count = td_block_members(members, &layout->collapse, root);
    td_block *block = &layout->out->blocks[index++];
    td_start_block(layout, block, members, count, false);
    for (uint32_t i = 0; i < block->node_count; ++i) {
        td_set_child(block, i, index, nodes[members[i]].count <= TD_LEAF_BLOCK);
        index = td_fill_crown(layout, next, index, members[i]);
    }
    return index;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_allocate_blocks(td_blocked *out, td_block_counts counts, td_context *context) {
    out->block_count = counts.blocks;
    out->quad_count = counts.quads;
    out->slabs_count = counts.leaf_blocks;
    out->height = counts.height;
    out->blocks = TD_NEW(context, td_block, counts.blocks);
    out->quads = TD_NEW(context, td_quad, counts.quads);
    out->corners = TD_NEW(context, td_quad_corners, counts.quads);
    out->slabs = TD_NEW(context, td_slabs, counts.leaf_blocks);
    if (out->blocks != NULL && out->quads != NULL && out->corners != NULL && out->slabs != NULL) {
        return TD_OK;
    }
    td_blocked_destroy(out, context);
    return TD_ERROR_MEMORY;
}

static td_result td_lay_out_planned(td_layout *layout, td_context *context) {
    TD_TRY(td_plan_blocks(&layout->collapse, context));
    TD_TRY(td_list_jobs(layout, context, 0));
    const uint32_t job_count = (uint32_t)layout->jobs.count;
    td_run_tasks(context, td_count_task, job_count, layout);
    td_layout_job *next = layout->jobs.items;
    TD_TRY(td_allocate_blocks(layout->out, td_place_jobs(layout, &next, (td_block_counts){0}, 0), context));
    const td_layout_job *first = layout->jobs.items;
    td_fill_crown(layout, &first, 0, 0);
    td_run_tasks(context, td_fill_task, job_count, layout);
    return TD_OK;
}

td_result td_lay_out(td_blocked *out, const td_tree_node *nodes, const td_quad_source *source,
                     td_context *context) {
    const uint32_t count = nodes[0].count, share = count / TD_JOB_SHARE;
    td_layout layout = {.out = out,
                        .collapse = {nodes, TD_NEW(context, uint8_t, count)},
                        .source = source,
                        .small = share > TD_JOB_PRIMS ? share : TD_JOB_PRIMS};
    const td_result result =
        layout.collapse.plan != NULL ? td_lay_out_planned(&layout, context) : TD_ERROR_MEMORY;
    td_array_release(context, &layout.jobs);
    TD_DELETE(context, uint8_t, layout.collapse.plan, count);
    return result;
}
