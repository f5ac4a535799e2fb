#include "split.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../core/tasks.h"
#include "../math/d4.h"

// ---------------------------------------------------------------------------------------------------------
// Links

typedef struct td_splitter {
    td_split_tree *out;
    const td_blocked *blocked;
    uint32_t next;
    uint32_t depth; // nodes that have begun and not ended
} td_splitter;

static uint32_t td_new_node(td_splitter *splitter, uint32_t parent, float size) {
    td_split_tree *out = splitter->out;
    out->height = splitter->depth > out->height ? splitter->depth : out->height;
    out->nodes[splitter->next] = (td_split_node){.parent = parent, .size = size};
    splitter->depth++;
    return splitter->next++;
}

static void td_end_node(td_splitter *splitter, uint32_t node) {
    splitter->out->nodes[node].end = splitter->next;
    splitter->depth--;
}

static void td_split_quad(td_splitter *splitter, uint32_t parent, uint32_t quad) {
    const uint32_t node = td_new_node(splitter, parent, TD_SPLIT_LEAF);
    splitter->out->nodes[node].right = quad;
    splitter->out->quad_nodes[quad] = node;
    td_end_node(splitter, node);
}

// Half the surface area of the box around nodes first ... first + count - 1 of a block.
static float td_area_around(const td_block *block, uint32_t first, uint32_t count) {
    float side[3];
    for (int k = 0; k < 3; ++k) {
        float lower = block->center[k][first] - block->half[k][first];
        float upper = block->center[k][first] + block->half[k][first];
        for (uint32_t i = first + 1; i < first + count; ++i) {
            const float low = block->center[k][i] - block->half[k][i];
            const float high = block->center[k][i] + block->half[k][i];
            lower = low < lower ? low : lower;
            upper = high > upper ? high : upper;
        }
        side[k] = upper - lower;
    }
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

// How many of the nodes go to the left: neighbours in a block were neighbours in the tree it was made of, so
// it is only a matter of where to cut.
static uint32_t td_find_cut(const td_block *block, uint32_t first, uint32_t count) {
    uint32_t best = 1;
    float least = 0;
    for (uint32_t left = 1; left < count; ++left) {
        const float cost = td_area_around(block, first, left) * (float)left +
                           td_area_around(block, first + left, count - left) * (float)(count - left);
        if (left == 1 || cost < least) {
            best = left;
            least = cost;
        }
    }
    return best;
}

// Nodes first ... first + count - 1 of a block. As deep as the blocked hierarchy, like its layout.
static void td_split_nodes(td_splitter *splitter, uint32_t parent, uint32_t index, uint32_t first,
                           uint32_t count) {
    const td_block *block = &splitter->blocked->blocks[index];
    if (count == 1 && block->leaf) {
        td_split_quad(splitter, parent, block->child[first]);
    } else if (count == 1) {
        const uint32_t child = block->child[first];
        td_split_nodes(splitter, parent, child, 0, splitter->blocked->blocks[child].node_count);
    } else {
        const uint32_t node = td_new_node(splitter, parent, 0), left = td_find_cut(block, first, count);
        td_split_nodes(splitter, node, index, first, left);
        splitter->out->nodes[node].right = splitter->next;
        td_split_nodes(splitter, node, index, first + left, count - left);
        td_end_node(splitter, node);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Boxes

enum { TD_QUADS_PER_TASK = 1024 };

typedef struct td_split_work {
    td_split_tree *split;
    const td_blocked *blocked;
} td_split_work;

// The boxes of the triangles of a quad, and the one around them. A corner is centre + origin + edge, each
// rounded once to float32 and added up with two roundings: off by less than 4 units of 2^-24 of the sizes
// involved, and no part is larger than |centre| + 4 size. 16 times that is still nothing beside a triangle.
// Empty lanes repeat a corner of the first triangle (refit_wide.c), and change nothing.
static void td_box_quad(td_split_box *out, td_quad_boxes *triangles, const td_quad *quad) {
    td_f4 lower[4], minus_upper[4];
    for (int k = 0; k < 3; ++k) {
        const td_f4 origin = td_f4_load(quad->origin[k]), center = td_f4_set1(quad->center[k]);
        const td_f4 second = td_f4_add(origin, td_f4_load(quad->edge0[k]));
        const td_f4 third = td_f4_add(origin, td_f4_load(quad->edge1[k]));
        const float reach = (quad->center[k] < 0 ? -quad->center[k] : quad->center[k]) + 4 * quad->size;
        const td_f4 slack = td_f4_set1(reach * 0x1p-20f + 0x1p-48f), middle = td_f4_set1(0.5f);
        const td_f4 low = td_f4_add(center, td_f4_min(origin, td_f4_min(second, third)));
        const td_f4 high = td_f4_add(center, td_f4_max(origin, td_f4_max(second, third)));
        td_f4_store(triangles->center[k], td_f4_mul(middle, td_f4_add(low, high)));
        td_f4_store(triangles->half[k], td_f4_add(td_f4_mul(middle, td_f4_sub(high, low)), slack));
        lower[k] = td_f4_sub(low, slack);
        minus_upper[k] = td_f4_sub(td_f4_set1(0), td_f4_add(high, slack));
    }
    lower[3] = minus_upper[3] = td_f4_set1(0);
    td_f4_store(out->lower, td_f4_least(lower));
    td_f4_store(out->minus_upper, td_f4_least(minus_upper));
}

static void td_refit_quads_task(uint32_t item, void *payload) {
    const td_split_work *work = payload;
    const td_split_tree *split = work->split;
    const uint32_t first = item * TD_QUADS_PER_TASK, last = first + TD_QUADS_PER_TASK;
    for (uint32_t q = first; q < last && q < split->quad_count; ++q) {
        td_box_quad(&split->boxes[split->quad_nodes[q]], &split->triangles[q], &work->blocked->quads[q]);
    }
}

static inline void td_join_boxes(td_split_box *out, const td_split_box *a, const td_split_box *b) {
    td_f4_store(out->lower, td_f4_min(td_f4_load(a->lower), td_f4_load(b->lower)));
    td_f4_store(out->minus_upper, td_f4_min(td_f4_load(a->minus_upper), td_f4_load(b->minus_upper)));
}

void td_split_refit(td_split_tree *split, const td_blocked *blocked, td_context *context) {
    td_split_work work = {split, blocked};
    td_run_tasks(context, td_refit_quads_task,
                 (split->quad_count + TD_QUADS_PER_TASK - 1) / TD_QUADS_PER_TASK, &work);
    for (uint32_t n = split->node_count; n-- > 0;) { // children stand behind their parents
        if (!td_split_is_leaf(split->nodes, n)) {
            td_join_boxes(&split->boxes[n], &split->boxes[n + 1], &split->boxes[split->nodes[n].right]);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

// Sizes never grow on the way down: a box holds those below it, and float32 sums keep the order.
static void td_freeze_sizes(td_split_tree *split) {
    for (uint32_t n = 0; n < split->node_count; ++n) {
        const td_split_box *box = &split->boxes[n];
        if (split->nodes[n].size >= 0) {
            split->nodes[n].size = -(box->lower[0] + box->minus_upper[0]) -
                                   (box->lower[1] + box->minus_upper[1]) -
                                   (box->lower[2] + box->minus_upper[2]);
        }
    }
}

uint64_t td_split_bytes(const td_split_tree *split) {
    const size_t node = sizeof *split->nodes + sizeof *split->boxes + (split->obbs ? sizeof *split->obbs : 0);
    const size_t quad = (split->quad_nodes ? sizeof *split->quad_nodes : 0) +
                        (split->triangles ? sizeof *split->triangles : 0);
    return split->node_count * (uint64_t)node + split->quad_count * (uint64_t)quad;
}

void td_split_destroy(td_split_tree *split, td_context *context) {
    TD_DELETE(context, td_split_node, split->nodes, split->node_count);
    TD_DELETE(context, td_split_box, split->boxes, split->node_count);
    TD_DELETE(context, td_quad_boxes, split->triangles, split->quad_count);
    TD_DELETE(context, uint32_t, split->quad_nodes, split->quad_count);
    *split = (td_split_tree){0};
}

td_result td_split_create(td_split_tree *out, const td_blocked *blocked, td_context *context) {
    *out = (td_split_tree){.node_count = 2 * blocked->quad_count - 1, .quad_count = blocked->quad_count};
    out->nodes = TD_NEW(context, td_split_node, out->node_count);
    out->boxes = TD_NEW(context, td_split_box, out->node_count);
    out->quad_nodes = TD_NEW(context, uint32_t, out->quad_count);
    out->triangles = TD_NEW(context, td_quad_boxes, out->quad_count);
    if (out->nodes == NULL || out->boxes == NULL || out->quad_nodes == NULL || out->triangles == NULL) {
        td_split_destroy(out, context);
        return TD_ERROR_MEMORY;
    }
    td_splitter splitter = {.out = out, .blocked = blocked};
    td_split_nodes(&splitter, TD_NONE, 0, 0, blocked->blocks[0].node_count);
    td_split_refit(out, blocked, context);
    td_freeze_sizes(out);
    return TD_OK;
}
