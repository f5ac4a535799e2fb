// The wide traversal: two blocks meet in one tile of 16 box tests, two quads in one tile of 16 triangle tests.
//
//   internal x internal   every pair of nodes that overlaps: visit the pair of their blocks
//   leaf x internal       hold the leaf block, visit it with the block of every node that meets any of its quads
//   leaf x leaf           every pair of quads that overlaps: 16 triangle tests
//
// A leaf block is held whole, so no pair of blocks is visited twice (paper 002, Figs. 3 and 4).
//
// The three kinds of work wait in three lists: `stack` (pairs of blocks that are not both leaf blocks), `leaves` and
// `tiles` (pairs of quads). Each list is worked off in a tight loop that knows what comes next: no branch depends on
// what kind of pair it is, and the memory of the pairs ahead is on its way before they are reached. Measured on scans
// this is twice as fast as one loop that does what each pair needs.
//
// Self-collision visits a block with itself: pairs of nodes i < j as above, and every node with itself.
#include "wide.h"

#include "../math/f4.h"
#include "../predicates/box_box_wide.h"
#include "../predicates/tri_tri_wide.h"

enum {
    TD_BUNDLE = 16,      // pairs of blocks taken from the stack at once
    TD_LEAVES_AT = 256,  // lists are worked off when they have grown to this
    TD_TILES_AT = 512,
    TD_DECIDE_AT = 1024, // undecided pairs that may gather before the exact predicate sees them
    TD_AHEAD = 4,        // pairs between fetching and using
    TD_TURNED = 64       // quads of B that are kept turned; a power of two
};

// Lanes of a tile of a block, or a quad, with itself: i < j.
#define TD_UPPER_LANES 0x7310u
#define TD_DIAGONAL    0x8421u

_Static_assert(sizeof(td_wide_pair) == sizeof(td_pair), "lists of pairs are written by td_wide_pairs");

// A quad of B as tiles need it. The quads of B that a traversal meets are met again soon, with other quads of A, so the
// last ones are kept: slot = index mod TD_TURNED.
typedef struct td_turned_slot {
    _Alignas(64) td_turned_quad turned;
    double center[3]; // in A's frame
    float size;
    uint32_t lanes;   // spread over the tile
    uint32_t quad;    // TD_NONE: empty
} td_turned_slot;

typedef struct td_wide_visit {
    td_turned_slot turned[TD_TURNED];
    td_worker *worker;
    const td_traversal *traversal;
    const td_blocked *a, *b;
    td_wide_axes axes;
    td_wf grain;
    float ratio;
} td_wide_visit;

static void td_prepare(td_wide_visit *visit, td_worker *worker, const td_traversal *traversal) {
    const td_frame *frame = traversal->frame;
    visit->worker = worker;
    visit->traversal = traversal;
    visit->a = traversal->a;
    visit->b = traversal->b;
    for (int k = 0; k < 9; ++k) {
        visit->axes.unit[k] = td_wf_set1(frame->unit[k]);
        visit->axes.unit_reach[k] = td_wf_set1(frame->unit_reach[k]);
    }
    visit->grain = td_wf_set1(frame->grain);
    visit->ratio = (float)frame->ratio;
    for (int i = 0; i < TD_TURNED; ++i) {
        visit->turned[i].quad = TD_NONE;
    }
}

// One bit to four: lane j of B stands for lanes 4 j ... 4 j + 3 of the tile.
static inline uint32_t td_spread_bits(uint32_t four)
{
    const uint32_t apart = (four & 1u) | (four & 2u) << 3 | (four & 4u) << 6 | (four & 8u) << 9;
    return apart * 0xfu;
}

static inline uint32_t td_repeat_bits(uint32_t four)
{
    return four * 0x1111u;
}

// Lanes that hold a triangle.
static inline uint32_t td_quad_lanes(const td_quad *quad) {
    return td_f4_signs(td_f4_load(quad->scale)) ^ 0xfu;
}

static inline void td_fetch_block(const td_blocked *blocked, uint32_t index)
{
    const char *at = (const char *)&blocked->blocks[index];
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
}

static inline void td_fetch_quad(const td_blocked *blocked, uint32_t index)
{
    const char *at = (const char *)&blocked->quads[index];
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
    __builtin_prefetch(at + 128);
}

// ---------------------------------------------------------------------------------------------------------
// Tiles: 16 triangle tests.

// Lanes whose triangles share a corner.
static uint32_t td_sharing_lanes(const td_quad_corners *a, const td_quad_corners *b)
{
    uint32_t bits = 0;
    for (int g = 0; g < TD_GROUPS; ++g) {
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                bits |= td_wm_bits(td_wu_equal(a->corner[k], b->corner[l], g)) << (g * TD_LANES);
            }
        }
    }
    return bits;
}

static void td_keep_first(const td_wide_visit *visit, const td_quad *a, const td_quad *b, td_wide_verdict verdict)
{
    for (uint32_t rest = verdict.maybe; rest != 0; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint32_t ta = a->triangle[lane & 3], tb = b->triangle[lane >> 2];
        const bool sure = (verdict.sure >> lane & 1u) != 0;
        visit->worker->counters.exact_tests += !sure;
        if (sure || td_exactly_intersects(visit->traversal, ta, tb)) {
            td_found(visit->worker, visit->traversal, ta, tb);
            return;
        }
    }
}

// Writes the pairs of the lanes `bits` behind `list`.
static void td_keep_pairs(td_worker *worker, td_context *context, td_pair_list *list, const td_quad *a,
                          const td_quad *b, uint32_t bits)
{
    if (td_array_reserve(context, list, TD_TILE) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
        return;
    }
    list->count += td_wide_pairs((td_wide_pair *)(void *)(list->items + list->count), a->triangle, b->triangle, bits);
}

static void td_keep(const td_wide_visit *visit, const td_quad *a, const td_quad *b, td_wide_verdict verdict)
{
    td_worker *worker = visit->worker;
    const td_traversal *traversal = visit->traversal;
    if (traversal->mode == TD_MODE_FIRST) {
        td_keep_first(visit, a, b, verdict);
        return;
    }
    const uint32_t undecided = verdict.maybe & ~verdict.sure;
    worker->count += (uint32_t)__builtin_popcount(verdict.sure);
    if (traversal->mode == TD_MODE_PAIRS && verdict.sure != 0) {
        const size_t first = worker->pairs.count;
        td_keep_pairs(worker, traversal->context, &worker->pairs, a, b, verdict.sure);
        for (size_t i = first; traversal->self && i < worker->pairs.count; ++i) {
            const td_pair pair = worker->pairs.items[i];
            worker->pairs.items[i] = pair.a < pair.b ? pair : (td_pair){pair.b, pair.a};
        }
    }
    if (undecided != 0) {
        td_keep_pairs(worker, traversal->context, &worker->undecided, a, b, undecided);
        if (worker->undecided.count >= TD_DECIDE_AT) {
            td_decide(worker, traversal);
        }
    }
}

static void td_turn(float out[3][4], const float v[3][4], const float rotation[9])
{
    const td_f4 x = td_f4_load(v[0]), y = td_f4_load(v[1]), z = td_f4_load(v[2]);
    for (int k = 0; k < 3; ++k) {
        const td_f4 sum = td_f4_add(td_f4_mul(td_f4_set1(rotation[3 * k]), x),
                                    td_f4_mul(td_f4_set1(rotation[3 * k + 1]), y));
        td_f4_store(out[k], td_f4_add(sum, td_f4_mul(td_f4_set1(rotation[3 * k + 2]), z)));
    }
}

static void td_cross4(float out[3][4], const float a[3][4], const float b[3][4])
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        td_f4_store(out[k], td_f4_sub(td_f4_mul(td_f4_load(a[i]), td_f4_load(b[j])),
                                      td_f4_mul(td_f4_load(a[j]), td_f4_load(b[i]))));
    }
}

static __attribute__((noinline)) void td_turn_quad(td_turned_slot *slot, const td_wide_visit *visit, uint32_t index)
{
    const td_frame *frame = visit->traversal->frame;
    const td_quad *quad = &visit->b->quads[index];
    td_turn(slot->turned.b0, quad->origin, frame->rotation_f);
    td_turn(slot->turned.f0, quad->edge0, frame->rotation_f);
    td_turn(slot->turned.f1, quad->edge1, frame->rotation_f);
    td_cross4(slot->turned.n, (const float(*)[4])slot->turned.f0, (const float(*)[4])slot->turned.f1);
    td_f4_store(slot->turned.scale, td_f4_add(td_f4_mul(td_f4_load(quad->scale), td_f4_set1(visit->ratio)),
                                              td_f4_set1(frame->grain)));
    const double *r = frame->rotation;
    const double x = (double)quad->center[0], y = (double)quad->center[1], z = (double)quad->center[2];
    for (int k = 0; k < 3; ++k) {
        slot->center[k] = r[3 * k] * x + r[3 * k + 1] * y + r[3 * k + 2] * z + frame->shift[k];
    }
    slot->size = quad->size * visit->ratio + frame->grain;
    slot->lanes = td_spread_bits(td_quad_lanes(quad));
    slot->quad = index;
}

static inline td_wide_verdict td_test_tile(const td_wide_visit *visit, const td_quad *a, const td_turned_slot *b,
                                           uint32_t lanes)
{
    // The way from centre to centre in float64: what remains of it in float32 is as accurate as the quads are small.
    td_wf offset[3];
    float size = a->size + b->size;
    for (int k = 0; k < 3; ++k) {
        const float o = (float)(b->center[k] - (double)a->center[k]);
        offset[k] = td_wf_set1(o);
        size += fabsf(o);
    }
    const td_wf wide_size = td_wf_set1(size * TD_TRIANGLE_ERROR);
    td_wide_verdict all = {0, 0};
    for (int g = 0; g < TD_GROUPS; ++g) {
        const uint32_t group_lanes = lanes >> (g * TD_LANES) & ((1u << TD_LANES) - 1u);
        const td_wide_verdict verdict = td_wide_triangles(a->origin, a->edge0, a->edge1, a->scale, &b->turned, offset,
                                                          wide_size, visit->grain, group_lanes, g);
        all.maybe |= verdict.maybe << (g * TD_LANES);
        all.sure |= verdict.sure << (g * TD_LANES);
    }
    return all;
}

static void td_work_off_tiles(td_wide_visit *visit)
{
    td_worker *worker = visit->worker;
    const td_pair *tiles = worker->tiles.items;
    const size_t count = worker->tiles.count;
    const bool self = visit->traversal->self;
    worker->tiles.count = 0;
    for (size_t t = 0; t < count; ++t) {
        if (t + TD_AHEAD < count) {
            td_fetch_quad(visit->a, tiles[t + TD_AHEAD].a);
            td_fetch_quad(visit->b, tiles[t + TD_AHEAD].b);
        }
        const td_pair pair = tiles[t];
        const td_quad *a = &visit->a->quads[pair.a], *b = &visit->b->quads[pair.b];
        td_turned_slot *slot = &visit->turned[pair.b % TD_TURNED];
        if (slot->quad != pair.b) {
            td_turn_quad(slot, visit, pair.b);
        }
        uint32_t lanes = td_repeat_bits(td_quad_lanes(a)) & slot->lanes;
        if (self && pair.a == pair.b) {
            lanes &= TD_UPPER_LANES;
        }
        worker->counters.triangle_tests += (uint32_t)__builtin_popcount(lanes);
        td_wide_verdict verdict = td_test_tile(visit, a, slot, lanes);
        if (verdict.maybe == 0) {
            continue;
        }
        if (self) {
            const uint32_t apart = ~td_sharing_lanes(&visit->a->corners[pair.a], &visit->b->corners[pair.b]);
            verdict.maybe &= apart;
            verdict.sure &= apart;
        }
        td_keep(visit, a, b, verdict);
        if (td_worker_done(worker, visit->traversal)) {
            return;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Blocks: 16 box tests.

static inline void td_turn_boxes(td_turned_boxes *boxes, const td_wide_visit *visit, const td_block *block) {
    const td_frame *frame = visit->traversal->frame;
    td_turn(boxes->center, block->center, frame->rotation_f);
    td_turn(boxes->reach, block->half, frame->reach);
    const td_f4 slack = td_f4_set1(frame->slack), ratio = td_f4_set1(visit->ratio);
    for (int k = 0; k < 3; ++k) {
        td_f4_store(boxes->center[k], td_f4_add(td_f4_load(boxes->center[k]), td_f4_set1(frame->shift_f[k])));
        td_f4_store(boxes->reach[k], td_f4_add(td_f4_load(boxes->reach[k]), slack));
        td_f4_store(boxes->half[k], td_f4_add(td_f4_mul(td_f4_load(block->half[k]), ratio), slack));
    }
}

// The pairs of nodes that are to be followed, as tile bits.
static inline uint32_t td_test_blocks(td_wide_visit *visit, td_pair pair) {
    const td_block *a = &visit->a->blocks[pair.a], *b = &visit->b->blocks[pair.b];
    td_turned_boxes turned;
    td_turn_boxes(&turned, visit, b);
    visit->worker->counters.box_tests += a->node_count * b->node_count;
    const uint32_t overlap = td_boxes_overlap(a->center, a->half, &turned, &visit->axes);
    if (visit->traversal->self && pair.a == pair.b) {
        // Each node meets itself without a test; imaginary nodes do not.
        return (overlap & TD_UPPER_LANES) | (TD_DIAGONAL & td_spread_bits((1u << a->node_count) - 1u));
    }
    return overlap;
}

static inline void td_push(td_pair_list *list, const uint32_t a[4], const uint32_t b[4], uint32_t bits)
{
    list->count += td_wide_pairs((td_wide_pair *)(void *)(list->items + list->count), a, b, bits);
}

static void td_work_off_leaves(td_wide_visit *visit)
{
    td_worker *worker = visit->worker;
    const td_pair *leaves = worker->leaves.items;
    const size_t count = worker->leaves.count;
    worker->leaves.count = 0;
    for (size_t l = 0; l < count; ++l) {
        if (l + TD_AHEAD < count) {
            td_fetch_block(visit->a, leaves[l + TD_AHEAD].a);
            td_fetch_block(visit->b, leaves[l + TD_AHEAD].b);
        }
        const td_pair pair = leaves[l];
        const uint32_t overlap = td_test_blocks(visit, pair);
        td_push(&worker->tiles, visit->a->blocks[pair.a].child, visit->b->blocks[pair.b].child, overlap);
        if (worker->tiles.count >= TD_TILES_AT) {
            td_work_off_tiles(visit);
            if (td_worker_done(worker, visit->traversal)) {
                return;
            }
        }
    }
}

// Bit i: bit i of any of the four groups of four.
static inline uint32_t td_any_in_columns(uint32_t bits)
{
    bits |= bits >> 8;
    return (bits | bits >> 4) & 0xfu;
}

// Bit j: any bit of group j.
static inline uint32_t td_any_in_rows(uint32_t bits)
{
    bits |= bits >> 2;
    bits = (bits | bits >> 1) & 0x1111u;
    return (bits | bits >> 3 | bits >> 6 | bits >> 9) & 0xfu;
}

// Visits a pair of blocks that are not both leaf blocks.
static inline void td_visit_blocks(td_wide_visit *visit, td_pair pair)
{
    td_worker *worker = visit->worker;
    const td_block *a = &visit->a->blocks[pair.a], *b = &visit->b->blocks[pair.b];
    const uint32_t overlap = td_test_blocks(visit, pair);
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

static void td_work_off_stack(td_wide_visit *visit)
{
    td_worker *worker = visit->worker;
    // To find the first pair soon, nothing is put off. The order of visits is then fixed by the hierarchies alone
    // (overlap decides whether a pair is visited, never when), so every instruction set finds the same first pair.
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
            td_visit_blocks(visit, bundle[i]);
            if (worker->leaves.count < leaves_at) {
                continue;
            }
            td_work_off_leaves(visit);
            if (first) {
                td_work_off_tiles(visit);
            }
            if (td_worker_done(worker, visit->traversal)) {
                return;
            }
        }
    }
}

static td_result td_reserve_lists(td_worker *worker, const td_traversal *traversal)
{
    td_context *context = traversal->context;
    worker->stack.count = worker->leaves.count = worker->tiles.count = 0;
    // A bundle leaves at most 16 pairs per pair it takes. Pairs higher up in the stack are of lower levels than those
    // a bundle below them left, so there are at most as many leavings as levels. Lists are written 16 at a time.
    const size_t levels = (size_t)traversal->a->height + traversal->b->height + 1;
    if (td_array_reserve(context, &worker->stack, 16 * TD_BUNDLE * levels + 16) != TD_OK ||
        td_array_reserve(context, &worker->leaves, TD_LEAVES_AT + 32) != TD_OK ||
        td_array_reserve(context, &worker->tiles, TD_TILES_AT + 32) != TD_OK) {
        return TD_ERROR_MEMORY;
    }
    return TD_OK;
}

void TD_WIDE(td_wide_run)(td_worker *worker, const td_traversal *traversal, const td_pair *starts, size_t start_count);

void TD_WIDE(td_wide_run)(td_worker *worker, const td_traversal *traversal, const td_pair *starts, size_t start_count)
{
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
            td_work_off_tiles(&visit);
        }
    }
    if (!td_worker_done(worker, traversal)) {
        td_decide(worker, traversal);
    }
}
