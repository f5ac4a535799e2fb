// Boxes and oriented boxes of subtrees, from the leaves up: first boxes and moments, then the axes of four
// nodes at a time (obb_axes_wide.h), then the oriented boxes.
//
// A node of few triangles is measured over all their corners. One of many is measured over the oriented boxes
// of sixteen of its descendants: these are small beside it, so little is lost, and little can be lost twice.
#include "obb_axes_wide.h"
#include "obb_reach_wide.h"
#include "postorder_sum_wide.h"

enum {
    TD_TURNED = 4, // batches of four nodes that take turns: each waits for its last step
    TD_ROUND = 4 * TD_TURNED
};

// ---------------------------------------------------------------------------------------------------------
// Leaves, four at a time

static inline const double *td_corner_at(const td_post_refit *refit, uint32_t at, int corner) {
    const uint32_t vertex = refit->blocked->plan.vertices[at / 4].corner[corner][at % 4];
    return (const double *)(const void *)(refit->source.positions + vertex * refit->source.stride);
}

static void td_ask_for_corners(const td_post_refit *refit, const td_post_scratch *scratch, td_post_item job,
                               uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t at = refit->post->links[job.node + scratch->leaves[i]].child;
        for (int k = 0; k < 3; ++k) {
            __builtin_prefetch(td_corner_at(refit, at, k));
        }
    }
}

// The corners of leaves, a triangle per lane.
TD_OP void td_gather_leaves(td_corners *out, const td_post_refit *refit, const uint32_t at[4]) {
    for (int k = 0; k < 3; ++k) {
        td_d4_gather(out->at[k], td_corner_at(refit, at[0], k), td_corner_at(refit, at[1], k),
                     td_corner_at(refit, at[2], k), td_corner_at(refit, at[3], k));
        td_to_local4(out->at[k], &refit->source.frame);
    }
}

// For the nodes above, which are measured by their corners.
TD_OP void td_keep_corners(td_d4 (*out)[3], uint32_t count, const td_corners *corners) {
    for (int k = 0; k < 3; ++k) {
        td_d4 rows[4] = {corners->at[0][k], corners->at[1][k], corners->at[2][k], corners->at[0][k]};
        td_d4_transpose(rows);
        for (uint32_t i = 0; i < count; ++i) {
            out[i][k] = rows[i];
        }
    }
}

// Four leaves on their way.
typedef struct td_leaf_batch {
    td_node_sum *sums[4];
    uint32_t node[4], count;
    td_corners corners;
    td_axes4 axes;
} td_leaf_batch;

TD_OP void td_begin_leaves(td_leaf_batch *batch, const td_post_refit *refit, td_post_scratch *scratch,
                           td_post_item job, const uint32_t *leaves, uint32_t count) {
    uint32_t at[4];
    for (uint32_t i = 0; i < 4; ++i) { // the first one stands in where there are fewer
        const uint32_t place = leaves[i < count ? i : 0];
        batch->sums[i] = &scratch->sums[place];
        batch->node[i] = job.node + place;
        at[i] = refit->post->links[batch->node[i]].child;
    }
    batch->count = count;
    td_gather_leaves(&batch->corners, refit, at);
    td_hand_out_boxes(batch->sums, count, &batch->corners);
    for (uint32_t i = 0; i < count; ++i) {
        td_set_node_box(&refit->post->boxes[batch->node[i]], batch->sums[i]);
    }
}

TD_OP void td_end_leaves(td_leaf_batch *batch, const td_postorder *post) {
    td_obbf *const obbs[4] = {&post->obbs[batch->node[0]], &post->obbs[batch->node[1]],
                              &post->obbs[batch->node[2]], &post->obbs[batch->node[3]]};
    td_close_leaves(obbs, batch->count, &batch->axes, batch->corners.at);
}

// Leaves first ... first + count - 1 of the job: boxes, moments and oriented boxes. By turns, as below.
static void td_refit_leaves(const td_post_refit *refit, td_post_scratch *scratch, td_post_item job,
                            uint32_t first, uint32_t count) {
    td_leaf_batch batches[TD_TURNED];
    const uint32_t batch_count = (count + 3) / 4;
    for (uint32_t b = 0; b < batch_count; ++b) {
        const uint32_t left = count - 4 * b;
        td_begin_leaves(&batches[b], refit, scratch, job, scratch->leaves + first + 4 * b,
                        left < 4 ? left : 4);
    }
    if (refit->post->obbs == NULL) {
        return;
    }
    for (uint32_t b = 0; b < batch_count; ++b) {
        td_moments4 moments;
        td_find_moments(&moments, &batches[b].corners);
        td_hand_out_moments(batches[b].sums, batches[b].count, &moments);
        td_keep_corners(scratch->corners + first + 4 * b, batches[b].count, &batches[b].corners);
    }
    for (uint32_t b = 0; b < batch_count; ++b) {
        td_find_leaf_axes(&batches[b].axes, batches[b].corners.at);
    }
    for (uint32_t b = 0; b < batch_count; ++b) {
        td_end_leaves(&batches[b], refit->post);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t node = batches[i / 4].node[i % 4];
        td_keep_smaller(&refit->post->obbs[node], &refit->post->boxes[node]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Boxes and moments of all nodes

// Lists leaves and others, from the end of the job: children stand behind their parents. Returns the leaves.
// Oriented boxes are asked for: what they were is read, and there is too little to do between them to wait.
static uint32_t td_list_nodes(const td_post_refit *refit, td_post_scratch *scratch, td_post_item job) {
    uint32_t leaves = 0, others = 0;
    for (uint32_t n = job.end; n-- > job.node;) {
        const uint32_t i = n - job.node;
        if (refit->post->obbs != NULL) {
            __builtin_prefetch(&refit->post->obbs[n], 1);
        }
        if (refit->post->links[n].kind & TD_POST_LEAF) {
            scratch->first_leaf[i] = leaves;
            scratch->leaves[leaves++] = i;
        } else {
            scratch->first_leaf[i] = scratch->first_leaf[refit->post->links[n].child - job.node];
            scratch->others[others++] = i;
        }
        scratch->leaf_count[i] = leaves - scratch->first_leaf[i];
    }
    return leaves;
}

static void td_sum_job(const td_post_refit *refit, td_post_scratch *scratch, td_post_item job,
                       uint32_t leaves) {
    const td_postorder *post = refit->post;
    const td_post_links *links = post->links;
    td_ask_for_corners(refit, scratch, job, 0, leaves < TD_ROUND ? leaves : TD_ROUND);
    for (uint32_t first = 0; first < leaves; first += TD_ROUND) {
        const uint32_t left = leaves - first, next = first + TD_ROUND;
        td_ask_for_corners(refit, scratch, job, next < leaves ? next : leaves,
                           next + TD_ROUND < leaves ? next + TD_ROUND : leaves);
        td_refit_leaves(refit, scratch, job, first, left < TD_ROUND ? left : TD_ROUND);
    }
    for (uint32_t k = 0; k < job.end - job.node - leaves; ++k) {
        const uint32_t i = scratch->others[k];
        td_node_sum *sum = &scratch->sums[i];
        uint32_t child = links[job.node + i].child;
        const td_node_sum *before = &scratch->sums[child - job.node];
        while (links[child].counter == 0) { // there are two children at least
            child = links[child].escape;
            td_sum_two(sum, before, &scratch->sums[child - job.node], post->obbs != NULL);
            before = sum;
        }
        td_set_node_box(&post->boxes[job.node + i], sum);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Axes of all nodes but the leaves

// Four nodes on their way.
typedef struct td_turned_batch {
    td_obbf *obbs[4];
    td_axes4 axes;
    td_d4 m[3][3];
    uint32_t count;
} td_turned_batch;

TD_OP void td_begin_turning(td_turned_batch *batch, const td_post_refit *refit,
                            const td_post_scratch *scratch, td_post_item job, const uint32_t *nodes,
                            uint32_t count) {
    const td_node_sum *sums[4];
    td_d4 spread[6];
    for (uint32_t i = 0; i < 4; ++i) { // the first one stands in where there are fewer
        const uint32_t node = nodes[i < count ? i : 0];
        batch->obbs[i] = &refit->post->obbs[job.node + node];
        sums[i] = &scratch->sums[node];
    }
    batch->count = count;
    td_load_axes(&batch->axes, batch->obbs);
    td_load_spread(spread, sums);
    td_spread_along(batch->m, &batch->axes, spread);
}

// A rotation waits for the one before it, with square roots and divisions: so some batches take turns.
static void td_turn_nodes(const td_post_refit *refit, const td_post_scratch *scratch, td_post_item job,
                          const uint32_t *nodes, uint32_t count) {
    td_turned_batch batches[TD_TURNED];
    const uint32_t batch_count = (count + 3) / 4;
    for (uint32_t b = 0; b < batch_count; ++b) {
        const uint32_t left = count - 4 * b;
        td_begin_turning(&batches[b], refit, scratch, job, nodes + 4 * b, left < 4 ? left : 4);
    }
    for (int sweep = 0; sweep < TD_SWEEPS; ++sweep) {
        for (uint32_t b = 0; b < batch_count; ++b) {
            td_turn_axes(&batches[b].axes, batches[b].m, 0, 1);
        }
        for (uint32_t b = 0; b < batch_count; ++b) {
            td_turn_axes(&batches[b].axes, batches[b].m, 1, 2);
        }
        for (uint32_t b = 0; b < batch_count; ++b) {
            td_turn_axes(&batches[b].axes, batches[b].m, 0, 2);
        }
    }
    for (uint32_t b = 0; b < batch_count; ++b) {
        td_straighten(&batches[b].axes);
        td_hand_out_axes(batches[b].obbs, batches[b].count, &batches[b].axes);
    }
}

static void td_turn_job(const td_post_refit *refit, const td_post_scratch *scratch, td_post_item job,
                        uint32_t others) {
    for (uint32_t first = 0; first < others; first += TD_ROUND) {
        const uint32_t left = others - first;
        td_turn_nodes(refit, scratch, job, scratch->others + first, left < TD_ROUND ? left : TD_ROUND);
    }
}

// ---------------------------------------------------------------------------------------------------------

// The box of a node with its axes; `corners` null: by descendants.
static inline void td_refit_obb(const td_postorder *post, uint32_t node, const double about[3],
                                td_d4 (*corners)[3], uint32_t leaves) {
    td_obbf *obb = &post->obbs[node];
    td_reach reach;
    td_start_reach(&reach, obb, about);
    if (corners != NULL) {
        td_reach_lanes lanes;
        td_begin_corners(&lanes, &reach);
        for (uint32_t i = 0; i < leaves; ++i) {
            td_reach_leaf(&lanes, corners[i]);
        }
        td_end_corners(&reach, &lanes);
    } else {
        td_reach_cover(&reach, post->links, post->obbs, node);
    }
    td_close_reach(obb, &reach);
    td_keep_smaller(obb, &post->boxes[node]);
}

static void td_refit_job(const td_post_refit *refit, td_post_scratch *scratch, td_post_item job) {
    const uint32_t leaves = td_list_nodes(refit, scratch, job), others = job.end - job.node - leaves;
    td_sum_job(refit, scratch, job, leaves);
    if (refit->post->obbs == NULL) {
        return;
    }
    td_turn_job(refit, scratch, job, others);
    for (uint32_t k = 0; k < others; ++k) {
        const uint32_t i = scratch->others[k], below = scratch->leaf_count[i];
        td_d4(*corners)[3] = below <= TD_EXACT_LEAVES ? scratch->corners + scratch->first_leaf[i] : NULL;
        td_refit_obb(refit->post, job.node + i, scratch->sums[i].mean, corners, below);
    }
}

void TD_WIDE(td_refit_post_jobs)(const td_post_refit *refit, uint32_t task) {
    for (uint32_t i = task; i < refit->item_count; i += refit->task_count) {
        if (!refit->items[i].crown) {
            td_refit_job(refit, &refit->scratch[task], refit->items[i]);
            td_pass_on(&refit->sums[i], &refit->scratch[task].sums[0]);
        }
    }
}

static void td_refit_crown_obb(const td_postorder *post, uint32_t node, const td_post_sum *sum) {
    td_obbf *obb = &post->obbs[node];
    td_obbf *const obbs[4] = {obb, obb, obb, obb};
    const td_moments *const moments[4] = {&sum->moments, &sum->moments, &sum->moments, &sum->moments};
    td_axes4 axes;
    td_find_axes(&axes, (const td_obbf *const *)obbs, moments);
    td_store_axes(obbs, &axes, 1);
    td_refit_obb(post, node, sum->moments.mean, NULL, 0);
}

// From the end, where sums[top ...] are what still waits for its parent: the right-most child first.
void TD_WIDE(td_refit_post_crown)(const td_post_refit *refit, uint32_t task) {
    const td_postorder *post = refit->post;
    uint32_t top = refit->item_count;
    (void)task;
    for (uint32_t i = refit->item_count; i-- > 0;) {
        if (!refit->items[i].crown) {
            refit->sums[--top] = refit->sums[i];
            continue;
        }
        const uint32_t node = refit->items[i].node;
        td_post_sum sum = refit->sums[top++];
        for (uint32_t c = post->links[node].child; post->links[c].counter == 0; c = post->links[c].escape) {
            td_add_sum(&sum, &refit->sums[top++], post->obbs != NULL);
        }
        td_set_box(&post->boxes[node], &sum);
        if (post->obbs != NULL) {
            td_refit_crown_obb(post, node, &sum);
        }
        refit->sums[--top] = sum;
    }
}
