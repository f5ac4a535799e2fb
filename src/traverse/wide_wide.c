// The wide traversal: two blocks meet in one tile of 16 box tests, two quads in one tile of 16 triangle
// tests.
//
//   internal x internal   every pair of nodes that overlaps: visit the pair of their blocks
//   leaf x internal       hold the leaf block, visit it with every block whose node meets any of its quads
//   leaf x leaf           every pair of quads that overlaps: 16 triangle tests
//
// A leaf block is held whole, so no pair of blocks is visited twice (paper 002, Figs. 3 and 4).
//
// The three kinds of work wait in three lists: `stack` (pairs of blocks that are not both leaf blocks),
// `leaves` and `tiles` (pairs of quads). Each list is worked off in a tight loop that knows what comes next:
// no branch depends on what kind of pair it is, and the memory of the pairs ahead is on its way before they
// are reached.
//
// Self-collision visits a block with itself: pairs of nodes i < j as above, and every node with itself.
#include "wide.h"

#include "../predicates/box_box_wide.h"
#include "tiles_wide.h"

enum {
    TD_BUNDLE = 16,     // pairs of blocks taken from the stack at once
    TD_LEAVES_AT = 256, // lists are worked off when they have grown to this
    TD_TILES_AT = 512,
    TD_LEAVES_AHEAD = 4 // pairs between fetching and using
};

#define TD_DIAGONAL 0x8421u

typedef struct td_wide_visit {
    td_tile_visit tiles;
    td_wide_frame frame;
    td_worker *worker;
    const td_traversal *traversal;
    const td_blocked *a, *b;
} td_wide_visit;

static void td_prepare(td_wide_visit *visit, td_worker *worker, const td_traversal *traversal) {
    const td_frame *frame = traversal->frame;
    td_prepare_tiles(&visit->tiles, worker, traversal);
    visit->worker = worker;
    visit->traversal = traversal;
    visit->a = traversal->a;
    visit->b = traversal->b;
    for (int k = 0; k < 9; ++k) {
        visit->frame.rotation[k] = td_wf_set1(frame->rotation_f[k]);
        visit->frame.reach[k] = td_wf_set1(frame->reach[k]);
        visit->frame.unit[k] = td_wf_set1(frame->unit[k]);
        visit->frame.unit_reach[k] = td_wf_set1(frame->unit_reach[k]);
    }
    for (int k = 0; k < 3; ++k) {
        visit->frame.shift[k] = td_wf_set1(frame->shift_f[k]);
    }
    visit->frame.slack = td_wf_set1(frame->slack);
    visit->frame.ratio = td_wf_set1((float)frame->ratio);
}

static inline void td_fetch_block(const td_blocked *blocked, uint32_t index) {
    const char *at = (const char *)&blocked->blocks[index];
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
}

static inline td_wide_boxes td_boxes_of(const td_blocked *blocked, const td_block *block, bool slabs) {
    td_wide_boxes boxes = {.center = block->center, .half = block->half};
    if (slabs) {
        const td_slabs *s = &blocked->slabs[block->slabs];
        boxes.normal = s->normal;
        boxes.slab_middle = s->middle;
        boxes.slab_half = s->half;
    }
    return boxes;
}

// The pairs of nodes that are to be followed, as tile bits. `leaves`: both are leaf blocks.
static inline uint32_t td_test_blocks(const td_wide_visit *visit, td_pair pair, bool leaves) {
    const td_block *a = &visit->a->blocks[pair.a], *b = &visit->b->blocks[pair.b];
    const td_wide_boxes boxes_a = td_boxes_of(visit->a, a, leaves),
                        boxes_b = td_boxes_of(visit->b, b, leaves);
    visit->worker->counters.box_tests += a->node_count * b->node_count;
    const uint32_t overlap = td_boxes_overlap(&boxes_a, &boxes_b, &visit->frame, leaves);
    if (visit->traversal->self && pair.a == pair.b) {
        // Each node meets itself without a test; imaginary nodes do not.
        return (overlap & TD_UPPER_LANES) | (TD_DIAGONAL & td_spread_bits((1u << a->node_count) - 1u));
    }
    return overlap;
}

static inline void td_push(td_pair_list *list, const uint32_t a[4], const uint32_t b[4], uint32_t bits) {
    list->count += td_wide_pairs((td_wide_pair *)(void *)(list->items + list->count), a, b, bits);
}

static void td_work_off_leaves(td_wide_visit *visit) {
    td_worker *worker = visit->worker;
    const td_pair *leaves = worker->leaves.items;
    const size_t count = worker->leaves.count;
    worker->leaves.count = 0;
    for (size_t l = 0; l < count; ++l) {
        if (l + TD_LEAVES_AHEAD < count) {
            td_fetch_block(visit->a, leaves[l + TD_LEAVES_AHEAD].a);
            td_fetch_block(visit->b, leaves[l + TD_LEAVES_AHEAD].b);
        }
        const td_pair pair = leaves[l];
        const uint32_t overlap = td_test_blocks(visit, pair, true);
        td_push(&worker->tiles, visit->a->blocks[pair.a].child, visit->b->blocks[pair.b].child, overlap);
        if (worker->tiles.count >= TD_TILES_AT) {
            td_work_off_tiles(&visit->tiles);
            if (td_worker_done(worker, visit->traversal)) {
                return;
            }
        }
    }
}

// Bit i: bit i of any of the four groups of four.
static inline uint32_t td_any_in_columns(uint32_t bits) {
    bits |= bits >> 8;
    return (bits | bits >> 4) & 0xfu;
}

// Bit j: any bit of group j.
static inline uint32_t td_any_in_rows(uint32_t bits) {
    bits |= bits >> 2;
    bits = (bits | bits >> 1) & 0x1111u;
    return (bits | bits >> 3 | bits >> 6 | bits >> 9) & 0xfu;
}

// Visits a pair of blocks that are not both leaf blocks.
static inline void td_visit_blocks(const td_wide_visit *visit, td_pair pair) {
    td_worker *worker = visit->worker;
    const td_block *a = &visit->a->blocks[pair.a], *b = &visit->b->blocks[pair.b];
    const uint32_t overlap = td_test_blocks(visit, pair, false);
    if (!a->leaf && !b->leaf) {
        const uint32_t leaves = td_repeat_bits(a->leaf_children) & td_spread_bits(b->leaf_children);
        td_push(&worker->leaves, a->child, b->child, overlap & leaves);
        td_push(&worker->stack, a->child, b->child, overlap & ~leaves);
    } else if (a->leaf) {
        const uint32_t held[4] = {pair.a, pair.a, pair.a, pair.a};
        const uint32_t open = td_any_in_rows(overlap);
        td_push(&worker->leaves, held, b->child, td_spread_bits(open & b->leaf_children) & 0x1111u);
        td_push(&worker->stack, held, b->child, td_spread_bits(open & ~b->leaf_children) & 0x1111u);
    } else {
        const uint32_t held[4] = {pair.b, pair.b, pair.b, pair.b};
        const uint32_t open = td_any_in_columns(overlap);
        td_push(&worker->leaves, a->child, held, open & a->leaf_children);
        td_push(&worker->stack, a->child, held, open & ~a->leaf_children);
    }
}

static void td_work_off_stack(td_wide_visit *visit) {
    td_worker *worker = visit->worker;
    // To find the first pair soon, nothing is put off. The order of visits is then fixed by the hierarchies
    // alone (overlap decides whether a pair is visited, never when), so every instruction set finds the same
    // first pair.
    const bool first = visit->traversal->mode == TD_MODE_FIRST;
    const size_t bundle_size = first ? 1 : TD_BUNDLE, leaves_at = first ? 1 : TD_LEAVES_AT;
    while (worker->stack.count > 0) {
        td_pair bundle[TD_BUNDLE];
        const size_t count = worker->stack.count < bundle_size ? worker->stack.count : bundle_size;
        worker->stack.count -= count;
        for (size_t i = 0; i < count; ++i) {
            bundle[i] = worker->stack.items[worker->stack.count + i];
            td_fetch_block(visit->a, bundle[i].a);
            td_fetch_block(visit->b, bundle[i].b);
        }
        for (size_t i = 0; i < count; ++i) {
            const size_t before = worker->stack.count;
            td_visit_blocks(visit, bundle[i]);
            for (size_t k = before; first && k < worker->stack.count; ++k) { // no bundle that fetches ahead
                td_fetch_block(visit->a, worker->stack.items[k].a);
                td_fetch_block(visit->b, worker->stack.items[k].b);
            }
            if (worker->leaves.count < leaves_at) {
                continue;
            }
            td_work_off_leaves(visit);
            if (first) {
                td_work_off_tiles(&visit->tiles);
            }
            if (td_worker_done(worker, visit->traversal)) {
                return;
            }
        }
    }
}

static td_result td_reserve_lists(td_worker *worker, const td_traversal *traversal) {
    td_context *context = traversal->context;
    worker->stack.count = worker->leaves.count = worker->tiles.count = 0;
    // A bundle leaves at most 16 pairs per pair it takes. Pairs higher up in the stack are of lower levels
    // than those a bundle below them left, so there are at most as many leavings as levels. Lists are written
    // 16 at a time.
    const size_t levels = (size_t)traversal->a->height + traversal->b->height + 1;
    if (td_array_reserve(context, &worker->stack, 16 * TD_BUNDLE * levels + 16) != TD_OK ||
        td_array_reserve(context, &worker->leaves, TD_LEAVES_AT + 32) != TD_OK ||
        td_array_reserve(context, &worker->tiles, TD_TILES_AT + 32) != TD_OK) {
        return TD_ERROR_MEMORY;
    }
    return TD_OK;
}

void TD_WIDE(td_wide_run)(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                          size_t start_count);

void TD_WIDE(td_wide_run)(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                          size_t start_count) {
    td_wide_visit visit;
    td_prepare(&visit, worker, traversal);
    worker->result = td_reserve_lists(worker, traversal);
    for (size_t s = 0; s < start_count && !td_worker_done(worker, traversal); ++s) {
        const bool leaf = traversal->a->blocks[starts[s].a].leaf && traversal->b->blocks[starts[s].b].leaf;
        td_pair_list *list = leaf ? &worker->leaves : &worker->stack;
        list->items[list->count++] = starts[s];
        td_work_off_stack(&visit);
        if (!td_worker_done(worker, traversal)) {
            td_work_off_leaves(&visit);
            td_work_off_tiles(&visit.tiles);
        }
    }
    if (!td_worker_done(worker, traversal)) {
        td_decide(worker, traversal);
    }
}
