// Boxes and oriented boxes of subtrees, from the leaves up: boxes, moments (post_sums_wide.h) and axes
// (obb_axes_wide.h) of four nodes at a time, then the oriented boxes.
//
// A node of few triangles is measured over all their corners. One of many is measured over the oriented boxes
// of sixteen of its descendants: these are small beside it, so little is lost, and little can be lost twice.
#include "corners_wide.h"
#include "obb_axes_wide.h"
#include "obb_reach_wide.h"
#include "post_sums_wide.h"
#include "postorder_refit.h"

enum { TD_EXACT_LEAVES = 64 }; // nodes up to here are measured by their corners

// ---------------------------------------------------------------------------------------------------------
// The plan of a job: its leaves, and its other nodes by height, so that four of a height can be done at once

static uint32_t td_list_leaves(td_post_scratch *scratch, const td_post_links *links, td_post_item job,
                               uint32_t inner_of[TD_POST_JOB]) {
    uint32_t leaves = 0;
    for (uint32_t n = job.end; n-- > job.node;) { // children stand behind their parents
        const uint32_t i = n - job.node;
        uint32_t height = 0;
        if (links[n].kind & TD_POST_LEAF) {
            scratch->leaf_node[leaves] = i;
            scratch->first_leaf[i] = leaves++;
        } else {
            uint32_t child = links[n].child;
            scratch->first_leaf[i] = scratch->first_leaf[child - job.node];
            height = scratch->height[child - job.node] + 1;
            while (links[child].counter == 0) {
                child = links[child].escape;
                const uint32_t other = scratch->height[child - job.node] + 1;
                height = other > height ? other : height;
            }
            ++inner_of[height];
        }
        scratch->height[i] = height;
        scratch->leaf_count[i] = leaves - scratch->first_leaf[i];
    }
    return leaves;
}

// Returns the number of leaves.
static uint32_t td_plan_job(td_post_scratch *scratch, const td_post_links *links, td_post_item job) {
    uint32_t place[TD_POST_JOB] = {0}; // by height
    const uint32_t leaves = td_list_leaves(scratch, links, job, place);
    uint32_t before = 0;
    for (uint32_t height = 1; height <= scratch->height[0]; ++height) {
        const uint32_t count = place[height];
        place[height] = before;
        before += count;
    }
    for (uint32_t i = 0; i < job.end - job.node; ++i) {
        if (scratch->height[i] > 0) {
            scratch->inner[place[scratch->height[i]]++] = i;
        }
    }
    return leaves;
}

// Up to four nodes of a job, one per lane; the first one stands in where there are fewer.
typedef struct td_lane_nodes {
    uint32_t count, node[4]; // within the job
} td_lane_nodes;

static inline td_lane_nodes td_take_four(const uint32_t *nodes, uint32_t left) {
    td_lane_nodes four = {.count = left < 4 ? left : 4};
    for (uint32_t i = 0; i < 4; ++i) {
        four.node[i] = nodes[i < four.count ? i : 0];
    }
    return four;
}

TD_OP void td_store_sums(const td_post_refit *refit, td_post_scratch *scratch, const td_lane_nodes *four,
                         const td_sums4 *sums, uint32_t first) {
    td_post_sum *to[4];
    td_boxf *boxes[4];
    for (uint32_t i = 0; i < 4; ++i) {
        to[i] = &scratch->sums[four->node[i]];
        boxes[i] = &refit->post->boxes[first + four->node[i]];
    }
    td_store_boxes4(to, sums);
    td_store_query_boxes4(boxes, four->count, sums);
    if (refit->post->obbs != NULL) {
        td_store_moments4(to, sums);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Leaves

static inline void td_leaf_vertices(td_quad_corners *out, const td_post_refit *refit,
                                    const td_lane_nodes *four, uint32_t first) {
    for (int lane = 0; lane < 4; ++lane) {
        const uint32_t at = refit->post->links[first + four->node[lane]].child;
        for (int k = 0; k < 3; ++k) {
            out->corner[k][lane] = refit->blocked->plan.vertices[at / 4].corner[k][at % 4];
        }
    }
}

// For td_reach_corners.
TD_OP void td_keep_corners(td_d4 (*to)[3], uint32_t count, td_d4 c[3][3]) {
    for (int k = 0; k < 3; ++k) {
        td_d4 rows[4] = {c[0][k], c[1][k], c[2][k], c[0][k]};
        td_d4_transpose(rows);
        for (uint32_t i = 0; i < count; ++i) {
            to[i][k] = rows[i];
        }
    }
}

TD_OP void td_orient_leaves(const td_postorder *post, const td_lane_nodes *four, uint32_t first,
                            td_d4 c[3][3]) {
    td_obbf *obbs[4];
    for (uint32_t i = 0; i < 4; ++i) {
        obbs[i] = &post->obbs[first + four->node[i]];
    }
    td_axes4 axes;
    td_find_leaf_axes(&axes, c);
    td_close_leaves(obbs, four->count, &axes, c);
    for (uint32_t i = 0; i < four->count; ++i) {
        td_keep_smaller(obbs[i], &post->boxes[first + four->node[i]]);
    }
}

static void td_refit_leaves(const td_post_refit *refit, td_post_scratch *scratch, uint32_t leaves,
                            uint32_t first) {
    for (uint32_t l = 0; l < leaves; l += 4) {
        const td_lane_nodes four = td_take_four(scratch->leaf_node + l, leaves - l);
        td_quad_corners vertices;
        td_corners corners;
        td_sums4 sums = {0};
        td_leaf_vertices(&vertices, refit, &four, first);
        td_gather_corners(&corners, &vertices, &refit->source);
        td_box_triangles4(&sums, corners.at);
        if (refit->post->obbs != NULL) {
            td_weigh_triangles4(&sums, corners.at);
        }
        td_store_sums(refit, scratch, &four, &sums, first);
        if (refit->post->obbs != NULL) {
            td_keep_corners(scratch->corners + l, four.count, corners.at);
            td_orient_leaves(refit->post, &four, first, corners.at);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Other nodes: boxes, moments and axes

// Children of four nodes side by side: the next one of each, or, where there is none, the last one again.
typedef struct td_child_lanes {
    uint32_t child[4];
    double fresh[4]; // 0: again
} td_child_lanes;

static inline bool td_next_children(td_child_lanes *lanes, const td_post_links *links) {
    bool any = false;
    for (int i = 0; i < 4; ++i) {
        const td_post_links *last = &links[lanes->child[i]];
        lanes->fresh[i] = last->counter == 0 ? 1 : 0;
        any |= last->counter == 0;
        lanes->child[i] = last->counter == 0 ? last->escape : lanes->child[i];
    }
    return any;
}

TD_OP void td_load_children(td_sums4 *out, const td_post_scratch *scratch, const td_child_lanes *lanes,
                            uint32_t first, bool moments) {
    const td_post_sum *from[4];
    for (int i = 0; i < 4; ++i) {
        from[i] = &scratch->sums[lanes->child[i] - first];
    }
    td_load_boxes4(out, from);
    if (moments) {
        td_load_moments4(out, from);
    }
}

TD_OP void td_turn_nodes(const td_postorder *post, const td_lane_nodes *four, uint32_t first,
                         const td_d4 spread[6]) {
    td_obbf *obbs[4];
    for (uint32_t i = 0; i < 4; ++i) {
        obbs[i] = &post->obbs[first + four->node[i]];
    }
    td_axes4 axes;
    td_find_axes(&axes, (const td_obbf *const *)obbs, spread);
    td_store_axes(obbs, &axes, four->count);
}

static void td_sum_nodes(const td_post_refit *refit, td_post_scratch *scratch, const td_lane_nodes *four,
                         uint32_t first) {
    const td_post_links *links = refit->post->links;
    const bool moments = refit->post->obbs != NULL;
    td_child_lanes lanes;
    td_sums4 sums = {0}, more = {0};
    for (int i = 0; i < 4; ++i) {
        lanes.child[i] = links[first + four->node[i]].child;
    }
    td_load_children(&sums, scratch, &lanes, first, moments);
    while (td_next_children(&lanes, links)) {
        td_load_children(&more, scratch, &lanes, first, moments);
        td_join_boxes4(&sums, &more);
        if (moments) {
            td_join_moments4(&sums, &more, td_d4_load(lanes.fresh));
        }
    }
    td_store_sums(refit, scratch, four, &sums, first);
    if (moments) {
        td_turn_nodes(refit->post, four, first, sums.spread);
    }
}

// Height by height: who is in one batch does not wait for another of it.
static void td_sum_job(const td_post_refit *refit, td_post_scratch *scratch, uint32_t inner, uint32_t first) {
    for (uint32_t i = 0; i < inner;) {
        uint32_t end = i + 1;
        while (end < inner && end < i + 4 &&
               scratch->height[scratch->inner[end]] == scratch->height[scratch->inner[i]]) {
            ++end;
        }
        const td_lane_nodes four = td_take_four(scratch->inner + i, end - i);
        td_sum_nodes(refit, scratch, &four, first);
        i = end;
    }
}

// The box of a node with its axes; `corners` null: by descendants.
static inline void td_refit_obb(const td_postorder *post, uint32_t node, const td_post_sum *sum,
                                td_d4 (*corners)[3], uint32_t leaves) {
    td_obbf *obb = &post->obbs[node];
    td_reach reach;
    td_start_reach(&reach, obb, sum->moments.mean);
    if (corners != NULL) {
        td_reach_corners(&reach, corners, leaves);
    } else {
        td_reach_cover(&reach, post, node);
    }
    td_close_reach(obb, &reach);
    td_keep_smaller(obb, &post->boxes[node]);
}

static void td_refit_job(const td_post_refit *refit, td_post_scratch *scratch, td_post_item job) {
    const uint32_t leaves = td_plan_job(scratch, refit->post->links, job);
    td_refit_leaves(refit, scratch, leaves, job.node);
    td_sum_job(refit, scratch, job.end - job.node - leaves, job.node);
    if (refit->post->obbs == NULL) {
        return;
    }
    for (uint32_t n = job.end; n-- > job.node;) {
        const uint32_t i = n - job.node, below = scratch->leaf_count[i];
        if (refit->post->links[n].kind & TD_POST_LEAF) {
            continue;
        }
        td_d4(*corners)[3] = scratch->corners + scratch->first_leaf[i];
        td_refit_obb(refit->post, n, &scratch->sums[i], below <= TD_EXACT_LEAVES ? corners : NULL, below);
    }
}

void TD_WIDE(td_refit_post_jobs)(const td_post_refit *refit, uint32_t task) {
    for (uint32_t i = task; i < refit->item_count; i += refit->task_count) {
        if (!refit->items[i].crown) {
            td_refit_job(refit, &refit->scratch[task], refit->items[i]);
            refit->sums[i] = refit->scratch[task].sums[0];
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// The crown, one node after the other

static inline void td_set_box(td_boxf *box, const td_post_sum *sum) {
    for (int k = 0; k < 3; ++k) {
        const float center = 0.5f * sum->lower[k] + 0.5f * sum->upper[k];
        const float above = sum->upper[k] - center, below = center - sum->lower[k];
        const float half = above > below ? above : below;
        box->center[k] = center;
        box->half[k] = half + half * 0x1p-22f; // covers the rounding of the subtraction
    }
}

static inline void td_add_sum(td_post_sum *sum, const td_post_sum *other, bool moments) {
    for (int k = 0; k < 3; ++k) {
        sum->lower[k] = other->lower[k] < sum->lower[k] ? other->lower[k] : sum->lower[k];
        sum->upper[k] = other->upper[k] > sum->upper[k] ? other->upper[k] : sum->upper[k];
    }
    if (moments) {
        sum->moments = td_join_moments(sum->moments, other->moments);
    }
}

static void td_refit_crown_obb(const td_postorder *post, uint32_t node, const td_post_sum *sum) {
    td_obbf *obb = &post->obbs[node];
    td_obbf *const obbs[4] = {obb, obb, obb, obb};
    td_d4 spread[6];
    for (int k = 0; k < 6; ++k) {
        spread[k] = td_d4_set1(sum->moments.spread[k]);
    }
    td_axes4 axes;
    td_find_axes(&axes, (const td_obbf *const *)obbs, spread);
    td_store_axes(obbs, &axes, 1);
    td_refit_obb(post, node, sum, NULL, 0);
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
