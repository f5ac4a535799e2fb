// Oriented boxes of subtrees, from the leaves up: first moments, then the axes of four nodes at a time
// (obb_axes_wide.h), then the boxes.
#include "blocked_node.h"
#include "obb_axes_wide.h"
#include "obb_reach_wide.h"
#include "obb_tree.h"

enum { TD_FIRST_TURNS = 4 }; // axes that start from nothing are turned so often

static void td_put_triangle(td_d4 (*corners)[3], double (*triangle)[3]) {
    for (int k = 0; k < 3; ++k) {
        (*corners)[k] = td_d4_set(triangle[0][k], triangle[1][k], triangle[2][k], triangle[0][k]);
    }
}

static uint32_t td_sum_leaf(td_post_sum *sum, td_d4 (*corners)[3], const td_obb_fit_call *call,
                            uint32_t node) {
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
        td_put_triangle(&corners[t], triangles[t]);
    }
    return count;
}

static void td_sum_obb_job(const td_obb_fit_call *call, td_obb_scratch *scratch, td_obb_item job) {
    const uint32_t *second = call->tree->second;
    uint32_t corners = 0;
    for (uint32_t n = job.end; n-- > job.node;) { // children stand behind their parents
        const uint32_t i = n - job.node;
        if (second[n] == TD_NONE) {
            scratch->first[i] = corners;
            corners += td_sum_leaf(&scratch->sums[i], &scratch->corners[corners], call, n);
        } else {
            scratch->first[i] = scratch->first[second[n] - job.node];
            scratch->sums[i] = scratch->sums[i + 1];
            td_add_sum(&scratch->sums[i], &scratch->sums[second[n] - job.node], 1);
        }
        scratch->count[i] = corners - scratch->first[i];
    }
}

static void td_turn_four(td_obbf *const obbs[4], const td_moments *const moments[4], uint32_t count,
                         bool fitted) {
    for (int turn = fitted ? TD_FIRST_TURNS - 1 : 0; turn < TD_FIRST_TURNS; ++turn) {
        td_axes4 axes;
        td_find_axes(&axes, (const td_obbf *const *)obbs, moments);
        td_store_axes(obbs, &axes, count);
    }
}

static void td_turn_obb_job(const td_obb_fit_call *call, const td_obb_scratch *scratch, td_obb_item job) {
    td_obb_tree *tree = call->tree;
    for (uint32_t n = job.node; n < job.end; n += 4) {
        const uint32_t count = job.end - n < 4 ? job.end - n : 4;
        td_obbf *obbs[4];
        const td_moments *moments[4];
        for (uint32_t i = 0; i < 4; ++i) { // the first one stands in where there are fewer
            const uint32_t node = i < count ? n + i : n;
            obbs[i] = &tree->obbs[node];
            moments[i] = &scratch->sums[node - job.node].moments;
        }
        td_turn_four(obbs, moments, count, tree->fitted);
    }
}

// Up to TD_COVER nodes that hold all that is below `node`: breadth first. The node itself is always opened.
static void td_reach_below(td_reach *reach, const td_obb_tree *tree, uint32_t node) {
    uint32_t queue[2 * TD_COVER] = {node}, head = 0, tail = 1, taken = 0;
    td_reach_axes lanes = td_begin_boxes(reach);
    while (head < tail) {
        const uint32_t next = queue[head++], waiting = tail - head;
        if (tree->second[next] == TD_NONE || taken + waiting + 2 > TD_COVER) {
            td_reach_box(&lanes, reach->about, &tree->obbs[next]);
            ++taken;
            continue;
        }
        queue[tail++] = next + 1;
        queue[tail++] = tree->second[next];
    }
    td_end_boxes(reach, &lanes);
}

// The box of a node with its axes; `corners` null: by descendants.
static void td_close_node(td_obb_tree *tree, uint32_t node, const td_post_sum *sum, td_d4 (*corners)[3],
                          uint32_t count) {
    td_obbf *obb = &tree->obbs[node];
    td_reach reach;
    td_boxf box;
    td_start_reach(&reach, obb, sum->moments.mean);
    if (corners != NULL) {
        td_reach_lanes lanes;
        td_begin_corners(&lanes, &reach);
        for (uint32_t i = 0; i < count; ++i) {
            td_reach_leaf(&lanes, corners[i]);
        }
        td_end_corners(&reach, &lanes);
    } else {
        td_reach_below(&reach, tree, node);
    }
    td_close_reach(obb, &reach);
    td_set_box(&box, sum);
    td_keep_smaller(obb, &box);
}

static void td_fit_obb_job(const td_obb_fit_call *call, td_obb_scratch *scratch, td_obb_item job) {
    td_sum_obb_job(call, scratch, job);
    td_turn_obb_job(call, scratch, job);
    for (uint32_t n = job.end; n-- > job.node;) {
        const uint32_t i = n - job.node, count = scratch->count[i];
        const bool few = count <= TD_EXACT_LEAVES || call->tree->second[n] == TD_NONE;
        td_close_node(call->tree, n, &scratch->sums[i], few ? scratch->corners + scratch->first[i] : NULL,
                      count);
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
        td_post_sum sum = tree->sums[top++];
        td_add_sum(&sum, &tree->sums[top++], 1);
        td_obbf *obb = &tree->obbs[node];
        td_obbf *const obbs[4] = {obb, obb, obb, obb};
        const td_moments *const moments[4] = {&sum.moments, &sum.moments, &sum.moments, &sum.moments};
        td_turn_four(obbs, moments, 1, tree->fitted);
        td_close_node(tree, node, &sum, NULL, 0);
        tree->sums[--top] = sum;
    }
}
