// Blocks as the box tests of one query need them: each with its boxes on its own axes and on those of the
// other mesh. Part of blocks_wide.h.
//
// A distance of two boxes along any axis is a difference of what belongs to one block and what belongs to the
// other, and their radii are a sum. So a block is turned once, four nodes at a time, rather than in each of
// its pairs, 16 at a time: what is left for a pair are differences and sums. A traversal meets a block again
// soon, with the neighbours of what it met before, so the last ones are kept: slot = index mod
// TD_TURNED_BLOCKS. The tests are those of box_box_wide.h, and so are their bounds (docs/exactness.md).
#ifndef TD_TRAVERSE_TURNED_BLOCKS_WIDE_H
#define TD_TRAVERSE_TURNED_BLOCKS_WIDE_H

#include "../math/f4.h"
#include "../math/wide.h"
#include "traversal.h"

#include <string.h>

enum { TD_TURNED_BLOCKS = 128 }; // of each mesh; a power of two

// A block of A.
typedef struct td_turned_a {
    _Alignas(64) float center[3][4]; // along A's axes
    float half[3][4];                // ... enlarged by the slack
    float along[3][4];               // the centre along B's axes
    float reach[3][4];               // the half-sizes, enlarged, along B's axes
    // Leaf block:
    float normal[3][4]; // of the slabs, along A's axes
    float tilt[3][4];   // ... |component| along B's axes
    float slab_middle[4];
    float slab_reach[4]; // enlarged
} td_turned_a;

// A block of B, in A's local units.
typedef struct td_turned_b {
    _Alignas(64) float center[3][4]; // along A's axes, shifted
    float reach[3][4];               // the half-sizes along A's axes
    float along[3][4];               // the centre along B's axes
    float half[3][4];                // along B's axes
    // Leaf block:
    float normal[3][4]; // of the slabs, along A's axes
    float slab_middle[4];
    float slab_reach[4]; // enlarged
} td_turned_b;

typedef struct td_turned_blocks {
    td_turned_a a[TD_TURNED_BLOCKS];
    td_turned_b b[TD_TURNED_BLOCKS];
    uint32_t index_a[TD_TURNED_BLOCKS], index_b[TD_TURNED_BLOCKS]; // which is in a slot; TD_NONE: none
    const td_traversal *traversal;
    float shift_along[3]; // of B's origin, along B's axes
    float slack, ratio;
} td_turned_blocks;

static void td_prepare_turned(td_turned_blocks *turned, const td_traversal *traversal) {
    const td_frame *frame = traversal->frame;
    const double *r = frame->rotation, *shift = frame->shift;
    turned->traversal = traversal;
    // A box of A enlarged by the margin along its axes holds every point within the margin of it. So all
    // tests add at least the margin: on an axis of B or across a slab, the sum of |components| of a unit
    // vector is at least 1. The roundings of this, a few 2^-24 of the margin, are what 2^-18 of it are for
    // (frame.c).
    turned->slack = frame->slack + frame->margin;
    turned->ratio = (float)frame->ratio;
    for (int k = 0; k < 3; ++k) {
        const double along = r[k] * shift[0] + r[3 + k] * shift[1] + r[6 + k] * shift[2];
        turned->shift_along[k] = (float)(along / frame->ratio);
    }
    memset(turned->index_a, 0xff, sizeof turned->index_a);
    memset(turned->index_b, 0xff, sizeof turned->index_b);
}

// ---------------------------------------------------------------------------------------------------------
// Turning

// Four vectors, by coordinates.
typedef struct td_vectors4 {
    td_f4 v[3];
} td_vectors4;

static inline td_vectors4 td_load_vectors(const float from[3][4]) {
    return (td_vectors4){{td_f4_load(from[0]), td_f4_load(from[1]), td_f4_load(from[2])}};
}

static inline void td_store_vectors(float to[3][4], td_vectors4 a) {
    for (int k = 0; k < 3; ++k) {
        td_f4_store(to[k], a.v[k]);
    }
}

static inline td_f4 td_weigh(const td_vectors4 *a, float x, float y, float z) {
    return td_f4_add(td_f4_mul(td_f4_set1(x), a->v[0]),
                     td_f4_add(td_f4_mul(td_f4_set1(y), a->v[1]), td_f4_mul(td_f4_set1(z), a->v[2])));
}

// M a, and the transpose of M times a.
static inline td_vectors4 td_by_rows(const float m[9], const td_vectors4 *a) {
    return (td_vectors4){
        {td_weigh(a, m[0], m[1], m[2]), td_weigh(a, m[3], m[4], m[5]), td_weigh(a, m[6], m[7], m[8])}};
}

static inline td_vectors4 td_by_columns(const float m[9], const td_vectors4 *a) {
    return (td_vectors4){
        {td_weigh(a, m[0], m[3], m[6]), td_weigh(a, m[1], m[4], m[7]), td_weigh(a, m[2], m[5], m[8])}};
}

static inline td_f4 td_abs4(td_f4 a) {
    return td_f4_max(a, td_f4_sub(td_f4_set1(0), a));
}

static __attribute__((noinline)) void td_turn_block_a(td_turned_blocks *turned, uint32_t index) {
    const td_frame *frame = turned->traversal->frame;
    const td_blocked *blocked = turned->traversal->a;
    const td_block *block = &blocked->blocks[index];
    td_turned_a *out = &turned->a[index % TD_TURNED_BLOCKS];
    const td_f4 slack = td_f4_set1(turned->slack);
    const td_vectors4 center = td_load_vectors(block->center);
    td_vectors4 half = td_load_vectors(block->half);
    for (int k = 0; k < 3; ++k) {
        half.v[k] = td_f4_add(half.v[k], slack);
    }
    td_store_vectors(out->center, center);
    td_store_vectors(out->half, half);
    td_store_vectors(out->along, td_by_columns(frame->unit, &center));
    td_store_vectors(out->reach, td_by_columns(frame->unit_reach, &half));
    if (block->leaf) {
        const td_slabs *slabs = &blocked->slabs[block->slabs];
        const td_vectors4 normal = td_load_vectors(slabs->normal);
        td_vectors4 tilt = td_by_columns(frame->unit, &normal);
        for (int k = 0; k < 3; ++k) {
            tilt.v[k] = td_abs4(tilt.v[k]);
        }
        td_store_vectors(out->normal, normal);
        td_store_vectors(out->tilt, tilt);
        td_f4_store(out->slab_middle, td_f4_load(slabs->middle));
        td_f4_store(out->slab_reach, td_f4_add(td_f4_load(slabs->half), slack));
    }
    turned->index_a[index % TD_TURNED_BLOCKS] = index;
}

static __attribute__((noinline)) void td_turn_block_b(td_turned_blocks *turned, uint32_t index) {
    const td_frame *frame = turned->traversal->frame;
    const td_blocked *blocked = turned->traversal->b;
    const td_block *block = &blocked->blocks[index];
    td_turned_b *out = &turned->b[index % TD_TURNED_BLOCKS];
    const td_f4 ratio = td_f4_set1(turned->ratio), slack = td_f4_set1(turned->slack);
    const td_vectors4 own_center = td_load_vectors(block->center), own_half = td_load_vectors(block->half);
    const td_vectors4 center = td_by_rows(frame->rotation_f, &own_center);
    td_store_vectors(out->reach, td_by_rows(frame->reach, &own_half));
    for (int k = 0; k < 3; ++k) {
        // Turned to A's axes and back, a centre is where it was.
        const td_f4 shift_along = td_f4_set1(turned->shift_along[k]);
        td_f4_store(out->center[k], td_f4_add(center.v[k], td_f4_set1(frame->shift_f[k])));
        td_f4_store(out->along[k], td_f4_add(td_f4_mul(own_center.v[k], ratio), shift_along));
        td_f4_store(out->half[k], td_f4_mul(own_half.v[k], ratio));
    }
    if (block->leaf) {
        const td_slabs *slabs = &blocked->slabs[block->slabs];
        const td_vectors4 normal = td_load_vectors(slabs->normal);
        td_store_vectors(out->normal, td_by_rows(frame->unit, &normal));
        td_f4_store(out->slab_middle, td_f4_mul(td_f4_load(slabs->middle), ratio));
        td_f4_store(out->slab_reach, td_f4_add(td_f4_mul(td_f4_load(slabs->half), ratio), slack));
    }
    turned->index_b[index % TD_TURNED_BLOCKS] = index;
}

static inline const td_turned_a *td_turned_block_a(td_turned_blocks *turned, uint32_t index) {
    if (turned->index_a[index % TD_TURNED_BLOCKS] != index) {
        td_turn_block_a(turned, index);
    }
    return &turned->a[index % TD_TURNED_BLOCKS];
}

static inline const td_turned_b *td_turned_block_b(td_turned_blocks *turned, uint32_t index) {
    if (turned->index_b[index % TD_TURNED_BLOCKS] != index) {
        td_turn_block_b(turned, index);
    }
    return &turned->b[index % TD_TURNED_BLOCKS];
}

// ---------------------------------------------------------------------------------------------------------
// Testing

// One group: lanes whose slabs meet the other's boxes. `t`: from a centre of A to a centre of B.
TD_OP td_wm td_turned_slabs_overlap(td_wm overlap, const td_turned_a *a, const td_turned_b *b,
                                    const td_wf t[3], int g) {
    td_wf n[3], m[3];
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        n[k] = td_wf_repeat(a->normal[k], g);
        m[k] = td_wf_spread(b->normal[k], g);
    }
    td_wf height = td_wf_fms(n[2], t[2], td_wf_repeat(a->slab_middle, g));
    td_wf reach = td_wf_repeat(a->slab_reach, g);
    height = td_wf_fma(n[0], t[0], td_wf_fma(n[1], t[1], height));
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        reach = td_wf_fma(td_wf_repeat(a->tilt[k], g), td_wf_spread(b->half[k], g), reach);
    }
    overlap = td_wf_le_and(overlap, td_wf_abs(height), reach);
    height = td_wf_spread(b->slab_middle, g);
    reach = td_wf_spread(b->slab_reach, g);
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        height = td_wf_fma(m[k], t[k], height);
        reach = td_wf_fma(td_wf_abs(m[k]), td_wf_repeat(a->half[k], g), reach);
    }
    return td_wf_le_and(overlap, td_wf_abs(height), reach);
}

// One group of the tile: lanes whose boxes meet. With `slabs`, both are leaf blocks, and slabs count.
TD_OP uint32_t td_turned_group(const td_turned_a *a, const td_turned_b *b, bool slabs, int g) {
    td_wf t[3];
    td_wm overlap = td_wf_le(td_wf_set1(0), td_wf_set1(0));
    TD_UNROLL
    for (int k = 0; k < 3; ++k) { // axes of A
        t[k] = td_wf_sub(td_wf_spread(b->center[k], g), td_wf_repeat(a->center[k], g));
        const td_wf reach = td_wf_add(td_wf_spread(b->reach[k], g), td_wf_repeat(a->half[k], g));
        overlap = td_wf_le_and(overlap, td_wf_abs(t[k]), reach);
    }
    TD_UNROLL
    for (int k = 0; k < 3; ++k) { // axes of B
        const td_wf s = td_wf_sub(td_wf_spread(b->along[k], g), td_wf_repeat(a->along[k], g));
        const td_wf reach = td_wf_add(td_wf_spread(b->half[k], g), td_wf_repeat(a->reach[k], g));
        overlap = td_wf_le_and(overlap, td_wf_abs(s), reach);
    }
    if (slabs) {
        overlap = td_turned_slabs_overlap(overlap, a, b, t, g);
    }
    return td_wm_bits(overlap);
}

// Bit k of the result: box k & 3 of A's block meets box k >> 2 of B's.
TD_OP uint32_t td_turned_overlap(td_turned_blocks *turned, td_pair pair, bool leaves) {
    const td_turned_a *a = td_turned_block_a(turned, pair.a);
    const td_turned_b *b = td_turned_block_b(turned, pair.b);
    uint32_t bits = 0;
    TD_UNROLL
    for (int g = 0; g < TD_GROUPS; ++g) {
        bits |= td_turned_group(a, b, leaves, g) << (g * TD_LANES);
    }
    return bits;
}

#endif
