// Blocks stand in the order of a walk that visits parents before children, left before right. The walk's
// crown is serial; a subtree below it is a job: first the blocks of each are counted, so that each has a
// range of its own to fill, then all are filled at once. Filling says who stands where; boxes and coordinates
// come from refitting (refit.h), subtree by subtree while it is in the cache.
#include "layout.h"

#include "../core/array.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "collapse.h"
#include "refit.h"

#include <string.h>

// Subtrees up to this many prims, or this fraction of all, are filled by one task.
enum { TD_JOB_PRIMS = 1024, TD_JOB_SHARE = 256 };

enum { TD_AHEAD = 64 }; // prims between asking for memory and using it

typedef struct td_block_counts {
    uint32_t blocks, leaf_blocks, quads, prims, height;
} td_block_counts;

typedef struct td_layout_job {
    uint32_t node;
    td_block_counts counts;
    td_block_counts start; // how many there are before it; height unused
} td_layout_job;

typedef struct td_layout {
    td_blocked *out;
    td_collapse collapse;
    td_tree_order order;
    const td_trimesh *mesh;
    td_refit_source source;
    TD_ARRAY(td_layout_job) jobs; // in the order of the walk
    uint32_t small;               // most prims of a job
} td_layout;

static td_block_counts td_add_counts(td_block_counts a, td_block_counts b) {
    return (td_block_counts){a.blocks + b.blocks, a.leaf_blocks + b.leaf_blocks, a.quads + b.quads,
                             a.prims + b.prims, a.height > b.height ? a.height : b.height};
}

static td_block_counts td_count_blocks(const td_collapse *collapse, uint32_t root) {
    if (collapse->nodes[root].count <= TD_LEAF_BLOCK) {
        uint32_t sizes[4];
        const int quads = td_quad_sizes(sizes, collapse, root);
        return (td_block_counts){1, 1, (uint32_t)quads, collapse->nodes[root].count, 1};
    }
    uint32_t members[4];
    const int count = td_block_members(members, collapse, root);
    td_block_counts sum = {.blocks = 1};
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
    td_block_counts sum = {.blocks = 1};
    for (int i = 0; i < count; ++i) {
        sum = td_add_counts(sum, td_place_jobs(layout, next, td_add_counts(start, sum), members[i]));
    }
    sum.height++;
    return sum;
}

// ---------------------------------------------------------------------------------------------------------

// Child `lane` is the block at `index`.
static inline void td_set_child(td_block *block, uint32_t lane, uint32_t index, bool leaf) {
    block->child[lane & 3] = index; // & 3: lanes are fewer than four, which compilers cannot know
    block->leaf_children |= (uint32_t)leaf << (lane & 3);
}

// All of the block but its children and boxes, which refitting sets.
static void td_start_block(td_block *block, int count, bool leaf) {
    for (int lane = 0; lane < 4; ++lane) {
        block->child[lane] = TD_NONE;
    }
    block->leaf = leaf;
    block->node_count = (uint32_t)count;
    block->leaf_children = 0;
    block->slabs = TD_NONE;
}

// The corners, in the mesh, of the triangle at a place.
static inline const uint32_t *td_corners_at(const td_layout *layout, uint32_t place) {
    return layout->mesh->indices + 3 * (size_t)layout->order.ids[(size_t)place * layout->order.step];
}

// Which triangles a quad holds, those at the given places, and their vertices: those at the same position by
// one name, and as the mesh has them.
static void td_name_triangles(const td_layout *layout, uint32_t index, uint32_t first, uint32_t count) {
    td_quad *quad = &layout->out->quads[index];
    td_quad_corners *corners = &layout->out->corners[index];
    td_quad_corners *vertices = &layout->out->plan.vertices[index];
    const uint32_t last = layout->mesh->triangle_count - 1;
    for (uint32_t i = 0; i < TD_QUAD; ++i) {
        if (i >= count) {
            quad->triangle[i] = TD_NONE;
            for (int k = 0; k < 3; ++k) {
                vertices->corner[k][i] = corners->corner[k][i] = TD_NONE;
            }
            continue;
        }
        const uint32_t place = first + i, *corner = td_corners_at(layout, place);
        __builtin_prefetch(td_corners_at(layout, place + TD_AHEAD < last ? place + TD_AHEAD : last));
        quad->triangle[i] = layout->order.ids[(size_t)place * layout->order.step];
        for (int k = 0; k < 3; ++k) {
            vertices->corner[k][i] = corner[k];
            corners->corner[k][i] = td_trimesh_welded(layout->mesh, corner[k]); // the same place, or another
        }
    }
}

static void td_fill_leaf_block(const td_layout *layout, td_block_counts *next, td_block *block,
                               uint32_t root) {
    uint32_t sizes[4];
    const int count = td_quad_sizes(sizes, &layout->collapse, root);
    td_start_block(block, count, true);
    block->slabs = next->leaf_blocks++;
    for (uint32_t i = 0; i < block->node_count; ++i) {
        block->child[i & 3] = next->quads++;
        td_name_triangles(layout, block->child[i & 3], next->prims, sizes[i & 3]);
        next->prims += sizes[i & 3];
    }
}

// Fills the block of `root` and everything below. `next` counts what is filled.
static void td_fill_blocks(const td_layout *layout, td_block_counts *next, uint32_t root) {
    const td_tree_node *nodes = layout->collapse.nodes;
    td_block *block = &layout->out->blocks[next->blocks++];
    if (nodes[root].count <= TD_LEAF_BLOCK) {
        td_fill_leaf_block(layout, next, block, root);
        return;
    }
    uint32_t members[4];
    const int count = td_block_members(members, &layout->collapse, root);
    td_start_block(block, count, false);
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
    td_refit_range(layout->out, &layout->source, item, layout->mesh->context->isa);
}

// The blocks above the jobs, whose numbers go to `crown`. Returns the number of blocks up to the end of what
// is below `root`.
static uint32_t td_fill_crown(const td_layout *layout, const td_layout_job **next, uint32_t **crown,
                              uint32_t index, uint32_t root) {
    const td_tree_node *nodes = layout->collapse.nodes;
    if (nodes[root].count <= layout->small) {
        return index + (*next)++->counts.blocks;
    }
    uint32_t members[4];
    const int count = td_block_members(members, &layout->collapse, root);
    *(*crown)++ = index;
    td_block *block = &layout->out->blocks[index++];
    td_start_block(block, count, false);
    for (uint32_t i = 0; i < block->node_count; ++i) {
        td_set_child(block, i, index, nodes[members[i]].count <= TD_LEAF_BLOCK);
        index = td_fill_crown(layout, next, crown, index, members[i]);
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
    return out->blocks != NULL && out->quads != NULL && out->corners != NULL && out->slabs != NULL
               ? TD_OK
               : TD_ERROR_MEMORY;
}

// The subtrees of the jobs are the ranges of the plan; `crown_count` blocks stand above them.
static td_result td_allocate_plan(td_layout *layout, uint32_t crown_count, td_context *context) {
    td_blocked *out = layout->out;
    td_refit_plan *plan = &out->plan;
    plan->range_count = (uint32_t)layout->jobs.count;
    plan->crown_count = crown_count;
    plan->ranges = TD_NEW(context, td_block_range, plan->range_count);
    plan->areas = TD_NEW(context, double, plan->range_count);
    plan->crown = TD_NEW(context, uint32_t, crown_count);
    plan->bounds = TD_NEW(context, td_block_bounds, out->block_count);
    plan->vertices =
        layout->mesh->weld == NULL ? out->corners : TD_NEW(context, td_quad_corners, out->quad_count);
    if (plan->ranges == NULL || plan->areas == NULL || plan->crown == NULL || plan->bounds == NULL ||
        plan->vertices == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < plan->range_count; ++i) {
        const td_layout_job *job = &layout->jobs.items[i];
        plan->ranges[i] = (td_block_range){job->start.blocks, job->start.blocks + job->counts.blocks};
    }
    return TD_OK;
}

static uint32_t td_blocks_of_jobs(const td_layout *layout) {
    uint32_t blocks = 0;
    for (size_t i = 0; i < layout->jobs.count; ++i) {
        blocks += layout->jobs.items[i].counts.blocks;
    }
    return blocks;
}

static td_result td_lay_out_planned(td_layout *layout, td_context *context) {
    TD_TRY(td_plan_blocks(&layout->collapse, context));
    TD_TRY(td_list_jobs(layout, context, 0));
    const uint32_t job_count = (uint32_t)layout->jobs.count;
    td_run_tasks(context, td_count_task, job_count, layout);
    td_layout_job *next = layout->jobs.items;
    const td_block_counts counts = td_place_jobs(layout, &next, (td_block_counts){0}, 0);
    TD_TRY(td_allocate_blocks(layout->out, counts, context));
    TD_TRY(td_allocate_plan(layout, counts.blocks - td_blocks_of_jobs(layout), context));
    layout->source = td_refit_source_of(layout->out, layout->mesh);
    const td_layout_job *first = layout->jobs.items;
    uint32_t *crown = layout->out->plan.crown;
    td_fill_crown(layout, &first, &crown, 0, 0);
    td_run_tasks(context, td_fill_task, job_count, layout);
    td_refit_crown(layout->out);
    return TD_OK;
}

td_result td_lay_out(td_blocked *out, td_tree_node *nodes, uint32_t leaf_size, td_tree_order order,
                     const td_trimesh *mesh) {
    td_context *context = mesh->context;
    const uint32_t count = nodes[0].count, share = count / TD_JOB_SHARE;
    td_layout layout = {.out = out,
                        .collapse = {nodes, leaf_size},
                        .order = order,
                        .mesh = mesh,
                        .small = share > TD_JOB_PRIMS ? share : TD_JOB_PRIMS};
    const td_result result = td_lay_out_planned(&layout, context);
    if (result != TD_OK) {
        td_blocked_destroy(out, context);
    }
    td_array_release(context, &layout.jobs);
    return result;
}
