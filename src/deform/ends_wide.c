// Two hierarchies over a lap walked together, depth first: 16 boxes of blocks at a time, 16 boxes of
// triangles, then the features that the triangles own. A leaf block is held whole while the other side is
// opened, so no pair of blocks is visited twice; a mesh against itself visits a block with itself: as in
// traverse/swept_wide.c, whose features and rules these are.
#include "ends_features_wide.h"

#define TD_ABOVE_DIAGONAL 0x7310u
#define TD_DIAGONAL_LANES 0x8421u
#define TD_ALL_LANES      0xffffu

// How far a is beyond b along an axis, at the end where it is least.
static inline td_wf td_least_beyond(const float lower[2][3][4], const float upper[2][3][4], int k, int group,
                                    bool turned) {
    const td_wf low0 = turned ? td_wf_spread(lower[0][k], group) : td_wf_repeat(lower[0][k], group);
    const td_wf low1 = turned ? td_wf_spread(lower[1][k], group) : td_wf_repeat(lower[1][k], group);
    const td_wf up0 = turned ? td_wf_repeat(upper[0][k], group) : td_wf_spread(upper[0][k], group);
    const td_wf up1 = turned ? td_wf_repeat(upper[1][k], group) : td_wf_spread(upper[1][k], group);
    return td_wf_min(td_wf_sub(low0, up0), td_wf_sub(low1, up1));
}

// Lane k: box k & 3 of one, box k >> 2 of the other. A difference of floats has the right sign, whatever it
// is rounded to.
static inline td_wf td_boxes_beyond(const td_ends_boxes *a, const td_ends_boxes *b, int group) {
    td_wf beyond = td_least_beyond(a->lower, b->upper, 0, group, false);
    beyond = td_wf_max(beyond, td_least_beyond(b->lower, a->upper, 0, group, true));
    for (int k = 1; k < 3; ++k) {
        beyond = td_wf_max(beyond, td_least_beyond(a->lower, b->upper, k, group, false));
        beyond = td_wf_max(beyond, td_least_beyond(b->lower, a->upper, k, group, true));
    }
    return beyond;
}

static inline uint32_t td_ends_overlap(const td_ends_boxes *a, const td_ends_boxes *b) {
    uint32_t bits = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        bits |= td_wm_bits(td_wf_le(td_boxes_beyond(a, b, group), td_wf_set1(0))) << (group * TD_LANES);
    }
    return bits;
}

// Lanes of which one side is marked.
static inline uint32_t td_marked_lanes(const td_ends_question *question, uint32_t marks_a, uint32_t marks_b) {
    const uint32_t a = marks_a & question->heeded_a, b = (marks_b & question->heeded_b) | question->all_b;
    const uint32_t spread = (b & 1u) | (b & 2u) << 3 | (b & 4u) << 6 | (b & 8u) << 9;
    return a * 0x1111u | spread * 0xfu;
}

// ---------------------------------------------------------------------------------------------------------
// Quads

static inline void td_visit_quads(td_swept_worker *worker, td_feature_batch *batch,
                                  const td_ends_question *question, td_pair pair, uint32_t lanes) {
    const td_ends_quad *a = &question->a->quads[pair.a], *b = &question->b->quads[pair.b];
    const float sharing = td_depth_of_neighbours(question->apart);
    uint32_t bits = 0, deep = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        const td_wf beyond = td_boxes_beyond(&a->boxes, &b->boxes, group);
        bits |= td_wm_bits(td_wf_le(beyond, td_wf_set1(0))) << (group * TD_LANES);
        deep |= td_wm_bits(td_wf_le(beyond, td_wf_set1(sharing))) << (group * TD_LANES);
    }
    bits &= lanes & (question->marked ? td_marked_lanes(question, a->marked, b->marked) : TD_ALL_LANES);
    td_collect_cells(worker, batch, question, pair, bits, question->swept.self ? deep : 0);
}

// ---------------------------------------------------------------------------------------------------------
// Blocks

static inline uint32_t td_lanes_of(uint32_t node_count) {
    const uint32_t lanes = (1u << node_count) - 1u;
    return lanes * 0x1111u & TD_DIAGONAL_LANES;
}

static inline uint32_t td_blocks_overlap(const td_ends_question *question, td_pair pair) {
    const td_ends_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    uint32_t bits = td_ends_overlap(&a->boxes, &b->boxes);
    if (question->swept.self && pair.a == pair.b) {
        bits = (bits & TD_ABOVE_DIAGONAL) | td_lanes_of(a->node_count);
    }
    return bits & (question->marked ? td_marked_lanes(question, a->marked, b->marked) : TD_ALL_LANES);
}

static void td_visit_leaves(td_swept_worker *worker, td_feature_batch *batch,
                            const td_ends_question *question, td_pair pair) {
    const td_ends_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    for (uint32_t bits = td_blocks_overlap(question, pair); bits != 0; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const td_pair quads = {a->child[lane & 3], b->child[lane >> 2]};
        td_visit_quads(worker, batch, question, quads,
                       question->swept.self && quads.a == quads.b ? TD_ABOVE_DIAGONAL : TD_ALL_LANES);
    }
}

// Pairs that follow from one that is not of two leaf blocks, at most 16, go to `out`.
static inline uint32_t td_open_pair(td_pair *out, const td_ends_question *question, td_pair pair) {
    const td_ends_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    const uint32_t held_a[4] = {pair.a, pair.a, pair.a, pair.a}, held_b[4] = {pair.b, pair.b, pair.b, pair.b};
    uint32_t bits = td_blocks_overlap(question, pair);
    if (a->leaf) { // lane 0 of a row stands for all of it
        bits |= bits >> 2;
        bits = (bits | bits >> 1) & 0x1111u;
    } else if (b->leaf) {
        bits |= bits >> 8;
        bits = (bits | bits >> 4) & 0xfu;
    }
    return td_wide_pairs((td_wide_pair *)(void *)out, a->leaf ? held_a : a->child,
                         b->leaf ? held_b : b->child, bits);
}

void TD_WIDE(td_ends_run)(td_swept_worker *worker, const td_ends_question *question, td_pair start) {
    // A pair leaves at most 16 in its place, and those above it in the stack are of lower levels.
    const size_t room = 16 * ((size_t)question->a->height + question->b->height + 2);
    worker->stack.count = worker->candidates.count = 0;
    if (td_array_reserve(question->swept.context, &worker->stack, room) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
    }
    if (!td_swept_ready(worker, &question->swept)) {
        return;
    }
    td_feature_batch batch;
    batch.strangers.count = batch.neighbours.count = 0;
    worker->stack.items[worker->stack.count++] = start;
    while (worker->stack.count > 0 && worker->result == TD_OK) {
        const td_pair pair = worker->stack.items[--worker->stack.count];
        if (question->a->blocks[pair.a].leaf && question->b->blocks[pair.b].leaf) {
            td_visit_leaves(worker, &batch, question, pair);
        } else {
            worker->stack.count += td_open_pair(worker->stack.items + worker->stack.count, question, pair);
        }
    }
    td_test_strangers(worker, &batch, question);
    td_test_neighbours(worker, &batch, question);
    td_decide_near(worker, question);
}
