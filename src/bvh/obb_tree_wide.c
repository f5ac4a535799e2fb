// Oriented boxes of subtrees, from the leaves up: first moments, then the boxes of sixteen nodes at a time
// (obb_tile_wide.h).
#include "obb_tree.h"

#include "blocked_node.h"
#include "obb_tile_wide.h"

enum { TD_FIRST_TURNS = 4 }; // axes that start from nothing are turned so often

static int td_turns(const td_obb_tree *tree) {
    return tree->fitted ? 1 : TD_FIRST_TURNS;
}

// The leaf's triangles go to the corners from place `at` on; returns the corners.
static uint32_t td_sum_leaf(td_post_sum *sum, td_obb_scratch *scratch, uint32_t at,
                            const td_obb_fit_call *call, uint32_t node) {
    double triangles[TD_OBB_LEAF][3][3];
    const uint32_t count = call->corners(triangles, node, call->user);
    for (uint32_t t = 0; t < count; ++t) {
        td_post_sum one;
        td_sum_corners(&one, triangles[t]);
        one.moments = td_moments_of_triangle(triangles[t]);
        if (t == 0) {
            *sum = one;
        } else {
            td_add_sum(sum, &one, 1);
        }
        for (uint32_t i = 0; i < 9; ++i) {
            scratch->corners[i % 3][at + 3 * t + i / 3] = (float)triangles[t][i / 3][i % 3];
        }
    }
    return 3 * count;
}

static void td_sum_obb_job(const td_obb_fit_call *call, td_obb_scratch *scratch, td_obb_item job) {
    const uint32_t *second = call->tree->second;
    uint32_t corners = 0;
    for (uint32_t n = job.end; n-- > job.node;) { // children stand behind their parents
        const uint32_t i = n - job.node;
        if (second[n] == TD_NONE) {
            scratch->first[i] = corners;
            corners += td_sum_leaf(&scratch->sums[i], scratch, corners, call, n);
        } else {
            scratch->first[i] = scratch->first[second[n] - job.node];
            scratch->sums[i] = scratch->sums[i + 1];
            td_add_sum(&scratch->sums[i], &scratch->sums[second[n] - job.node], 1);
        }
        scratch->count[i] = corners - scratch->first[i];
    }
}

static void td_fit_obb_job(const td_obb_fit_call *call, td_obb_scratch *scratch, td_obb_item job) {
    const td_corner_rows rows = {{scratch->corners[0], scratch->corners[1], scratch->corners[2]}};
    const uint32_t nodes = job.end - job.node;
    td_sum_obb_job(call, scratch, job);
    for (uint32_t first = 0; first < nodes; first += TD_TILE) {
        const uint32_t count = nodes - first < TD_TILE ? nodes - first : TD_TILE;
        td_obb_tile tile;
        td_boxf boxes[TD_TILE];
        const td_post_sum *sums[TD_TILE];
        td_corner_range ranges[TD_TILE];
        for (uint32_t i = 0; i < TD_TILE; ++i) { // the first one stands in where there are fewer
            const uint32_t place = first + (i < count ? i : 0);
            sums[i] = &scratch->sums[place];
            ranges[i] = (td_corner_range){scratch->first[place], scratch->count[place]};
            td_set_box(&boxes[i], sums[i]);
            tile.boxes[i] = &boxes[i];
            tile.obbs[i] = &call->tree->obbs[job.node + place];
        }
        td_tile_fit(&tile, count, sums, td_turns(call->tree), &rows, ranges);
    }
}

void TD_WIDE(td_obb_fit_jobs)(const td_obb_fit_call *call, uint32_t task) {
    td_obb_tree *tree = call->tree;
    for (uint32_t i = task; i < tree->item_count; i += tree->task_count) {
        if (!tree->items[i].crown) {
            td_fit_obb_job(call, &tree->scratch[task], tree->items[i]);
            tree->sums[i] = tree->scratch[task].sums[0];
        }
    }
}

// Up to TD_COVER nodes that hold all that is below `node`: breadth first. The node itself is always opened.
static uint32_t td_cover_below(const td_obbf *cover[TD_COVER], const td_obb_tree *tree, uint32_t node) {
    uint32_t queue[2 * TD_COVER] = {node}, head = 0, tail = 1, taken = 0;
    while (head < tail) {
        const uint32_t next = queue[head++], waiting = tail - head;
        if (tree->second[next] == TD_NONE || taken + waiting + 2 > TD_COVER) {
            cover[taken++] = &tree->obbs[next];
            continue;
        }
        queue[tail++] = next + 1;
        queue[tail++] = tree->second[next];
    }
    return taken;
}

// From the end, where sums[top ...] are what still waits for its parent: the first child on top.
void TD_WIDE(td_obb_fit_crown)(const td_obb_fit_call *call, uint32_t task) {
    td_obb_tree *tree = call->tree;
    uint32_t top = tree->item_count;
    (void)task;
    for (uint32_t i = tree->item_count; i-- > 0;) {
        if (!tree->items[i].crown) {
            tree->sums[--top] = tree->sums[i];
            continue;
        }
        const uint32_t node = tree->items[i].node;
        const td_obbf *cover[TD_COVER];
        td_post_sum sum = tree->sums[top++];
        td_boxf box;
        td_add_sum(&sum, &tree->sums[top++], 1);
        td_set_box(&box, &sum);
        const uint32_t count = td_cover_below(cover, tree, node);
        td_fit_over_boxes(&tree->obbs[node], &box, &sum, td_turns(tree), cover, count);
        tree->sums[--top] = sum;
    }
}
