// Boxes and oriented boxes of subtrees, from the leaves up: first boxes and moments, then the axes of four
// nodes at a time (obb_axes_wide.h), then the oriented boxes.
//
// A node of few triangles is measured over all their corners. One of many is measured over the oriented boxes
// of sixteen of its descendants: these are small beside it, so little is lost, and little can be lost twice.
#include "corners_wide.h"
#include "obb_axes_wide.h"
#include "obb_reach_wide.h"
#include "postorder_refit.h"

static inline void td_load_corners(double corner[3][3], const td_post_refit *refit, uint32_t at) {
    const td_refit_source *source = &refit->source;
    const td_local_frame *frame = &source->frame;
    const td_quad_corners *vertices = &refit->blocked->plan.vertices[at / 4];
    for (int i = 0; i < 3; ++i) {
        const double *p =
            (const double *)(const void *)(source->positions + vertices->corner[i][at % 4] * source->stride);
        for (int k = 0; k < 3; ++k) {
            corner[i][k] = ((p[k] - frame->origin[k]) * frame->scale[0]) * frame->scale[1];
        }
    }
}

static void td_refit_post_leaf(const td_post_refit *refit, td_post_sum *sum, td_d4 (*corners)[3],
                               uint32_t node) {
    const td_postorder *post = refit->post;
    double corner[3][3];
    td_load_corners(corner, refit, post->links[node].child);
    td_sum_corners(sum, corner);
    for (int k = 0; k < 3; ++k) {
        (*corners)[k] = td_d4_set(corner[0][k], corner[1][k], corner[2][k], corner[0][k]);
    }
    if (post->obbs != NULL) {
        sum->moments = td_moments_of_triangle(corner);
    }
}

// Boxes and moments.
static void td_sum_job(const td_post_refit *refit, td_post_scratch *scratch, td_post_item job) {
    const td_postorder *post = refit->post;
    const td_post_links *links = post->links;
    uint32_t leaves = 0;
    for (uint32_t n = job.end; n-- > job.node;) { // children stand behind their parents
        const uint32_t i = n - job.node;
        td_post_sum *sum = &scratch->sums[i];
        if (links[n].kind & TD_POST_LEAF) {
            scratch->first_leaf[i] = leaves;
            td_refit_post_leaf(refit, sum, &scratch->corners[leaves++], n);
        } else {
            uint32_t child = links[n].child;
            scratch->first_leaf[i] = scratch->first_leaf[child - job.node];
            *sum = scratch->sums[child - job.node];
            while (links[child].counter == 0) {
                child = links[child].escape;
                td_add_sum(sum, &scratch->sums[child - job.node], post->obbs != NULL);
            }
        }
        scratch->leaf_count[i] = leaves - scratch->first_leaf[i];
        td_set_box(&post->boxes[n], sum);
    }
}

// Four leaves, or four others, which wait to be given axes.
typedef struct td_axes_batch {
    uint32_t node[4], count; // within the job
} td_axes_batch;

// The nodes of a batch; the first one stands in where there are fewer.
static inline uint32_t td_batch_node(const td_axes_batch *batch, uint32_t i) {
    return batch->node[i < batch->count ? i : 0];
}

static void td_turn_batch(const td_post_refit *refit, const td_post_scratch *scratch, td_axes_batch *batch,
                          uint32_t first) {
    td_obbf *obbs[4];
    const td_moments *moments[4];
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t node = td_batch_node(batch, i);
        obbs[i] = &refit->post->obbs[first + node];
        moments[i] = &scratch->sums[node].moments;
    }
    td_axes4 axes;
    td_find_axes(&axes, (const td_obbf *const *)obbs, moments);
    td_store_axes(obbs, &axes, batch->count);
    batch->count = 0;
}

// Leaves are done with that.
static void td_refit_leaf_batch(const td_post_refit *refit, const td_post_scratch *scratch,
                                td_axes_batch *batch, uint32_t first) {
    const td_postorder *post = refit->post;
    td_obbf *obbs[4];
    td_d4 c[3][3];
    uint32_t leaf[4];
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t node = td_batch_node(batch, i);
        obbs[i] = &post->obbs[first + node];
        leaf[i] = scratch->first_leaf[node];
    }
    for (int k = 0; k < 3; ++k) {
        td_d4 rows[4] = {scratch->corners[leaf[0]][k], scratch->corners[leaf[1]][k],
                         scratch->corners[leaf[2]][k], scratch->corners[leaf[3]][k]};
        td_d4_transpose(rows);
        c[0][k] = rows[0];
        c[1][k] = rows[1];
        c[2][k] = rows[2];
    }
    td_axes4 axes;
    td_find_leaf_axes(&axes, c);
    td_close_leaves(obbs, batch->count, &axes, c);
    for (uint32_t i = 0; i < batch->count; ++i) {
        td_keep_smaller(obbs[i], &post->boxes[first + batch->node[i]]);
    }
    batch->count = 0;
}

static void td_turn_job(const td_post_refit *refit, const td_post_scratch *scratch, td_post_item job) {
    td_axes_batch inner = {.count = 0}, leaves = {.count = 0};
    for (uint32_t n = job.node; n < job.end; ++n) {
        td_axes_batch *batch = refit->post->links[n].kind & TD_POST_LEAF ? &leaves : &inner;
        batch->node[batch->count++] = n - job.node;
        if (inner.count == 4) {
            td_turn_batch(refit, scratch, &inner, job.node);
        }
        if (leaves.count == 4) {
            td_refit_leaf_batch(refit, scratch, &leaves, job.node);
        }
    }
    if (inner.count > 0) {
        td_turn_batch(refit, scratch, &inner, job.node);
    }
    if (leaves.count > 0) {
        td_refit_leaf_batch(refit, scratch, &leaves, job.node);
    }
}

// The box of a node with its axes; `corners` null: by descendants.
static inline void td_refit_obb(const td_postorder *post, uint32_t node, const td_post_sum *sum,
                                td_d4 (*corners)[3], uint32_t leaves) {
    td_obbf *obb = &post->obbs[node];
    td_reach reach;
    td_start_reach(&reach, obb, sum->moments.mean);
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
    td_sum_job(refit, scratch, job);
    if (refit->post->obbs == NULL) {
        return;
    }
    td_turn_job(refit, scratch, job);
    for (uint32_t n = job.end; n-- > job.node;) {
        const uint32_t i = n - job.node, leaves = scratch->leaf_count[i];
        if (refit->post->links[n].kind & TD_POST_LEAF) {
            continue;
        }
        td_d4(*corners)[3] = scratch->corners + scratch->first_leaf[i];
        td_refit_obb(refit->post, n, &scratch->sums[i], leaves <= TD_EXACT_LEAVES ? corners : NULL, leaves);
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

static void td_refit_crown_obb(const td_postorder *post, uint32_t node, const td_post_sum *sum) {
    td_obbf *obb = &post->obbs[node];
    td_obbf *const obbs[4] = {obb, obb, obb, obb};
    const td_moments *const moments[4] = {&sum->moments, &sum->moments, &sum->moments, &sum->moments};
    td_axes4 axes;
    td_find_axes(&axes, (const td_obbf *const *)obbs, moments);
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
