// Boxes and oriented boxes of subtrees, from the leaves up: first boxes and moments, then the oriented boxes
// of sixteen nodes at a time (obb_tile_wide.h).
//
// A node of a job is measured over the corners of all its triangles. What lies above is measured over the
// oriented boxes of sixteen of its descendants: these are small beside it, so little is lost, and little can
// be lost twice.
#include "obb_tile_wide.h"
#include "postorder_sum_wide.h"

_Static_assert((int)TD_POST_JOB == (int)TD_EXACT_NODES, "what devices measure by corners is a job here");

// ---------------------------------------------------------------------------------------------------------
// Leaves, four at a time, then sixteen

static inline const double *td_corner_at(const td_post_refit *refit, uint32_t at, int corner) {
    const uint32_t vertex = refit->blocked->plan.vertices[at / 4].corner[corner][at % 4];
    return (const double *)(const void *)(refit->source.positions + vertex * refit->source.stride);
}

// Inlined by force: compilers take a function that only asks for one without effect, and drop the call.
TD_OP void td_ask_for_corners(const td_post_refit *refit, const td_post_scratch *scratch, td_post_item job,
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

// Three corners after three corners, for the nodes above, which are measured by them. Each leaf writes one
// number too many, which the next one overwrites.
TD_OP void td_keep_corners(td_post_scratch *scratch, uint32_t first, uint32_t count, td_f4 c[3][3]) {
    for (int k = 0; k < 3; ++k) {
        const td_f4 columns[4] = {c[0][k], c[1][k], c[2][k], c[2][k]};
        td_f4 rows[4];
        td_f4_transposed(rows, columns);
        for (uint32_t i = 0; i < count; ++i) {
            td_f4_put(scratch->corners[k] + 3 * (first + i), rows[i]);
        }
    }
}

// Corners of sixteen leaves in float32: corner, coordinate, leaf.
typedef struct td_leaf_tile {
    _Alignas(64) float corners[3][3][TD_TILE];
} td_leaf_tile;

// Leaves first ... first + count - 1 of the job, at most four: boxes, moments, corners.
TD_OP void td_sum_leaves(td_leaf_tile *tile, const td_post_refit *refit, td_post_scratch *scratch,
                         td_post_item job, uint32_t first, uint32_t count) {
    td_post_sum *sums[4];
    uint32_t node[4], at[4];
    td_corners corners;
    td_f4 c[3][3];
    for (uint32_t i = 0; i < 4; ++i) { // the first one stands in where there are fewer
        const uint32_t place = scratch->leaves[first + (i < count ? i : 0)];
        sums[i] = &scratch->sums[place];
        node[i] = job.node + place;
        at[i] = refit->post->links[node[i]].child;
    }
    td_gather_leaves(&corners, refit, at);
    for (int k = 0; k < 9; ++k) {
        c[k / 3][k % 3] = td_d4_narrow(corners.at[k / 3][k % 3]);
    }
    td_hand_out_boxes(sums, count, c);
    for (uint32_t i = 0; i < count; ++i) {
        td_set_node_box(&refit->post->boxes[node[i]], sums[i]);
    }
    if (refit->post->obbs != NULL) {
        td_d4 moments[12];
        td_find_moments(moments, &corners);
        td_hand_out_moments(sums, count, moments);
        td_keep_corners(scratch, first, count, c);
        for (int k = 0; k < 9; ++k) {
            td_f4_store(&tile->corners[k / 3][k % 3][first % TD_TILE], c[k / 3][k % 3]);
        }
    }
}

// Their oriented boxes.
static void td_orient_leaves(const td_leaf_tile *leaves, const td_post_refit *refit,
                             const td_post_scratch *scratch, td_post_item job, uint32_t first,
                             uint32_t count) {
    td_obb_tile tile;
    for (uint32_t i = 0; i < TD_TILE; ++i) { // as above
        const uint32_t node = job.node + scratch->leaves[first + (i < count ? i : 0)];
        tile.obbs[i] = &refit->post->obbs[node];
        tile.boxes[i] = &refit->post->boxes[node];
    }
    for (int lane = 0; lane < TD_TILE; lane += TD_LANES) {
        td_wf c[3][3];
        td_axes axes;
        td_reach reach = td_reach_nothing();
        for (int k = 0; k < 9; ++k) {
            c[k / 3][k % 3] = td_wf_load(&leaves->corners[k / 3][k % 3][lane]);
        }
        td_find_leaf_axes(&axes, c);
        for (int i = 0; i < 3; ++i) {
            td_reach_point(&reach, &axes, c[i]);
        }
        td_tile_store_axes(&tile, &axes, lane);
        for (int k = 0; k < 3; ++k) {
            td_wf_store(&tile.low[k][lane], reach.low[k]);
            td_wf_store(&tile.high[k][lane], reach.high[k]);
        }
    }
    td_tile_close(&tile, count);
}

static void td_refit_leaves(const td_post_refit *refit, td_post_scratch *scratch, td_post_item job,
                            uint32_t leaves) {
    td_leaf_tile tile = {0}; // where there are fewer than sixteen, nothing
    td_ask_for_corners(refit, scratch, job, 0, leaves < TD_TILE ? leaves : TD_TILE);
    for (uint32_t first = 0; first < leaves; first += TD_TILE) {
        const uint32_t left = leaves - first, count = left < TD_TILE ? left : TD_TILE;
        const uint32_t next = first + TD_TILE;
        td_ask_for_corners(refit, scratch, job, next < leaves ? next : leaves,
                           next + TD_TILE < leaves ? next + TD_TILE : leaves);
        for (uint32_t i = 0; i < count; i += 4) {
            td_sum_leaves(&tile, refit, scratch, job, first + i, count - i < 4 ? count - i : 4);
        }
        if (refit->post->obbs != NULL) {
            td_orient_leaves(&tile, refit, scratch, job, first, count);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Jobs

// Lists leaves and others, from the end of the job: children stand behind their parents. Returns the leaves.
// Without branches: which node is a leaf, no processor can guess. Oriented boxes are asked for: what they
// were is read, and there is too little to do between them to wait.
static uint32_t td_list_nodes(const td_post_refit *refit, td_post_scratch *scratch, td_post_item job) {
    const td_post_links *links = refit->post->links;
    const bool oriented = refit->post->obbs != NULL;
    uint32_t leaves = 0, others = 0;
    for (uint32_t n = job.end; n-- > job.node;) {
        const uint32_t i = n - job.node, leaf = links[n].kind & TD_POST_LEAF;
        if (oriented) {
            __builtin_prefetch(&refit->post->obbs[n], 1);
        }
        scratch->leaves[leaves] = i; // stays if it is one
        scratch->others[others] = i; // likewise
        scratch->first_leaf[i] = leaves;
        const uint32_t first = scratch->first_leaf[leaf ? i : links[n].child - job.node];
        scratch->first_leaf[i] = first;
        leaves += leaf;
        others += leaf ^ 1;
        scratch->leaf_count[i] = leaves - first;
    }
    return leaves;
}

static void td_sum_others(const td_post_refit *refit, td_post_scratch *scratch, td_post_item job,
                          uint32_t others) {
    const td_postorder *post = refit->post;
    const td_post_links *links = post->links;
    for (uint32_t k = 0; k < others; ++k) {
        const uint32_t i = scratch->others[k];
        td_post_sum *sum = &scratch->sums[i];
        uint32_t child = links[job.node + i].child;
        const td_post_sum *before = &scratch->sums[child - job.node];
        while (links[child].counter == 0) { // there are two children at least
            child = links[child].escape;
            td_sum_two(sum, before, &scratch->sums[child - job.node], post->obbs != NULL);
            before = sum;
        }
        td_set_node_box(&post->boxes[job.node + i], sum);
    }
}

static void td_orient_others(const td_post_refit *refit, const td_post_scratch *scratch, td_post_item job,
                             uint32_t others) {
    const td_corner_rows rows = {{scratch->corners[0], scratch->corners[1], scratch->corners[2]}};
    for (uint32_t first = 0; first < others; first += TD_TILE) {
        const uint32_t left = others - first, count = left < TD_TILE ? left : TD_TILE;
        td_obb_tile tile;
        const td_post_sum *sums[TD_TILE];
        td_corner_range ranges[TD_TILE];
        for (uint32_t i = 0; i < TD_TILE; ++i) { // the first one stands in where there are fewer
            const uint32_t place = scratch->others[first + (i < count ? i : 0)];
            tile.obbs[i] = &refit->post->obbs[job.node + place];
            tile.boxes[i] = &refit->post->boxes[job.node + place];
            sums[i] = &scratch->sums[place];
            ranges[i] = (td_corner_range){3 * scratch->first_leaf[place], 3 * scratch->leaf_count[place]};
        }
        td_tile_fit(&tile, count, sums, 1, &rows, ranges);
    }
}

static void td_refit_job(const td_post_refit *refit, td_post_scratch *scratch, td_post_item job) {
    const uint32_t leaves = td_list_nodes(refit, scratch, job), others = job.end - job.node - leaves;
    td_refit_leaves(refit, scratch, job, leaves);
    td_sum_others(refit, scratch, job, others);
    if (refit->post->obbs != NULL) {
        td_orient_others(refit, scratch, job, others);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Above them

static void td_orient_inner(const td_postorder *post, uint32_t node, const td_post_sum *sum) {
    const td_obbf *boxes[TD_COVER];
    uint32_t cover[TD_COVER];
    const uint32_t count = td_find_cover(cover, post->links, node);
    for (uint32_t i = 0; i < count; ++i) {
        boxes[i] = &post->obbs[cover[i]];
    }
    td_fit_over_boxes(&post->obbs[node], &post->boxes[node], sum, 1, boxes, count);
}

// A node above jobs, from the sums of its children, which lie on top of the stack; its own takes their place.
static uint32_t td_refit_inner_node(const td_post_refit *refit, uint32_t node, uint32_t top) {
    const td_postorder *post = refit->post;
    td_post_sum sum = refit->sums[top++];
    for (uint32_t c = post->links[node].child; post->links[c].counter == 0; c = post->links[c].escape) {
        td_add_sum(&sum, &refit->sums[top++], post->obbs != NULL);
    }
    td_set_box(&post->boxes[node], &sum);
    if (post->obbs != NULL) {
        td_orient_inner(post, node, &sum);
    }
    refit->sums[--top] = sum;
    return top;
}

// From the end, where sums[top ...] are what still waits for its parent: the right-most child first. What the
// limb passes on is left where its first item stands.
static void td_refit_limb(const td_post_refit *refit, td_post_scratch *scratch, td_post_limb limb) {
    uint32_t top = limb.end;
    for (uint32_t i = limb.end; i-- > limb.first;) {
        const td_post_item item = refit->items[i];
        if (item.inner) {
            top = td_refit_inner_node(refit, item.node, top);
        } else {
            td_refit_job(refit, scratch, item);
            refit->sums[--top] = scratch->sums[0];
        }
    }
    refit->sums[limb.first] = refit->sums[top];
}

void TD_WIDE(td_refit_post_limbs)(td_post_refit *refit, uint32_t task) {
    for (;;) {
        const uint32_t next = atomic_fetch_add_explicit(&refit->next_limb, 1, memory_order_relaxed);
        if (next >= refit->limb_count) {
            return;
        }
        if (!refit->limbs[next].crown) {
            td_refit_limb(refit, &refit->scratch[task], refit->limbs[next]);
        }
    }
}

// Likewise.
void TD_WIDE(td_refit_post_crown)(td_post_refit *refit, uint32_t task) {
    uint32_t top = refit->item_count;
    (void)task;
    for (uint32_t i = refit->limb_count; i-- > 0;) {
        const td_post_limb limb = refit->limbs[i];
        if (limb.crown) {
            top = td_refit_inner_node(refit, refit->items[limb.first].node, top);
        } else {
            refit->sums[--top] = refit->sums[limb.first];
        }
    }
}
