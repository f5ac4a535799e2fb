// Two swept hierarchies walked together, depth first: 16 boxes of blocks at a time, then 16 boxes of
// triangles. A leaf block is held whole while the other side is opened, so no pair of blocks is visited
// twice. A mesh against itself visits a block with itself: pairs of nodes i < j, and every node with itself.
#include "swept.h"
#include "swept_tiles_wide.h"

#define TD_ABOVE_DIAGONAL 0x7310u
#define TD_DIAGONAL_LANES 0x8421u
#define TD_ALL_LANES      0xffffu

static inline uint32_t td_lanes_of(uint32_t node_count) {
    const uint32_t lanes = (1u << node_count) - 1u;
    return lanes * 0x1111u & TD_DIAGONAL_LANES;
}

static uint32_t td_blocks_overlap(td_swept_worker *worker, const td_swept_question *question, td_pair pair) {
    const td_swept_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    worker->counters.box_tests += a->node_count * b->node_count;
    const uint32_t bits = td_swept_overlap(a->lower, a->upper, b->lower, b->upper);
    return question->self && pair.a == pair.b ? (bits & TD_ABOVE_DIAGONAL) | td_lanes_of(a->node_count)
                                              : bits;
}

static inline void td_visit_quads(td_swept_worker *worker, const td_swept_question *question, td_pair pair,
                                  uint32_t lanes) {
    const td_swept_quad *a = &question->a->quads[pair.a], *b = &question->b->quads[pair.b];
    uint32_t bits = td_swept_overlap(a->lower, a->upper, b->lower, b->upper) & lanes;
    worker->counters.box_tests += 16;
    worker->counters.triangle_tests += (uint64_t)__builtin_popcount(bits);
    if (bits != 0 && question->a->has_diagonals) {
        bits &=
            td_diagonals_overlap(&question->a->quad_diagonals[pair.a], &question->b->quad_diagonals[pair.b]);
    }
    td_test_tile(worker, question, pair, bits);
    if (worker->candidates.count >= TD_CANDIDATES_AT) {
        td_decide_candidates(worker, question);
    }
}

// Both are leaf blocks.
static void td_visit_leaves(td_swept_worker *worker, const td_swept_question *question, td_pair pair) {
    const td_swept_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    for (uint32_t bits = td_blocks_overlap(worker, question, pair); bits != 0; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const td_pair quads = {a->child[lane & 3], b->child[lane >> 2]};
        td_visit_quads(worker, question, quads,
                       question->self && quads.a == quads.b ? TD_ABOVE_DIAGONAL : TD_ALL_LANES);
    }
}

// Pairs that follow from one that is not of two leaf blocks, at most 16, go to `out`.
static inline uint32_t td_visit_swept_blocks(td_pair *out, td_swept_worker *worker,
                                             const td_swept_question *question, td_pair pair) {
    const td_swept_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    const uint32_t held_a[4] = {pair.a, pair.a, pair.a, pair.a}, held_b[4] = {pair.b, pair.b, pair.b, pair.b};
    uint32_t bits = td_blocks_overlap(worker, question, pair);
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

static inline uint32_t td_visit_pair(td_pair *out, td_swept_worker *worker, const td_swept_question *question,
                                     td_pair pair) {
    if (question->a->blocks[pair.a].leaf && question->b->blocks[pair.b].leaf) {
        td_visit_leaves(worker, question, pair);
        return 0;
    }
    return td_visit_swept_blocks(out, worker, question, pair);
}

uint32_t TD_WIDE(td_swept_unit)(td_pair *out, td_swept_worker *worker, const td_swept_question *question,
                                td_pair pair) {
    return td_visit_pair(out, worker, question, pair);
}

// ---------------------------------------------------------------------------------------------------------
// Pairs of quads that a front has come to

// Pairs of triangles that own features that share no vertex. A matter of the connectivity alone: so it is
// looked up once, and noted in the front.
static uint32_t td_lanes_of_quads(const td_swept_question *question, td_pair quads) {
    const td_swept_quad *a = &question->a->quads[quads.a], *b = &question->b->quads[quads.b];
    const td_swept_corners *corners_a = &question->a->corners[4 * (size_t)quads.a],
                           *corners_b = &question->b->corners[4 * (size_t)quads.b];
    uint32_t lanes = 0;
    for (int lane = 0; lane < 16; ++lane) {
        const int i = lane & 3, j = lane >> 2;
        if (a->triangle[i] != TD_NONE && b->triangle[j] != TD_NONE &&
            td_own_something(question, &corners_a[i], &corners_b[j])) {
            lanes |= 1u << lane;
        }
    }
    return question->self && quads.a == quads.b ? lanes & TD_ABOVE_DIAGONAL : lanes;
}

void TD_WIDE(td_swept_tiles)(td_swept_worker *worker, const td_swept_question *question, td_front_tile *tiles,
                             size_t count) {
    td_worker *walk = &worker->walk;
    for (size_t t = 0; t < count && worker->result == TD_OK; ++t) {
        const td_pair quads = {tiles[t].a, tiles[t].b};
        uint32_t lanes = tiles[t].lanes;
        if (lanes == TD_LANES_UNKNOWN) {
            lanes = td_lanes_of_quads(question, quads);
            if (walk->front_most > 0) {
                walk->front.items[tiles[t].entry].lanes = lanes;
            }
        }
        if (lanes != 0) {
            td_visit_quads(worker, question, quads, lanes);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

void TD_WIDE(td_swept_run)(td_swept_worker *worker, const td_swept_question *question, const td_pair *starts,
                           size_t start_count) {
    // A pair leaves at most 16 in its place, and those above it in the stack are of lower levels.
    const size_t room = 16 * ((size_t)question->a->height + question->b->height + 2);
    worker->stack.count = worker->candidates.count = 0;
    if (td_array_reserve(question->context, &worker->stack, room) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
    }
    if (!td_swept_ready(worker, question)) {
        return;
    }
    for (size_t s = 0; s < start_count; ++s) {
        worker->stack.items[worker->stack.count++] = starts[s];
        while (worker->stack.count > 0 && worker->result == TD_OK) {
            const td_pair pair = worker->stack.items[--worker->stack.count];
            worker->stack.count +=
                td_visit_pair(worker->stack.items + worker->stack.count, worker, question, pair);
        }
    }
    td_decide_candidates(worker, question);
}
