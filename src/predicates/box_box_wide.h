// 16 box-box tests at once: the four boxes of one block against the four of another that is turned and
// shifted. C17 and, one lane per work-item, OpenCL C.
//
// Separating axis test after Gottschalk, Lin and Manocha, OBBTree, 1996, on the three axes of A and the three
// of B. The nine products of axes are left out: they would keep a tenth of the pairs from being followed, and
// cost more than following them. All radii are enlarged by a slack that bounds every rounding involved
// (src/traverse/frame.h), so boxes that truly overlap are never told apart.
#ifndef TD_PREDICATES_BOX_BOX_WIDE_H
#define TD_PREDICATES_BOX_BOX_WIDE_H

#include "../math/wide.h"

// Where B stands, in all lanes: the same for all tests of a query. As in td_frame.
typedef struct td_wide_frame {
    td_wf rotation[9], reach[9];
    td_wf unit[9], unit_reach[9];
    td_wf shift[3], slack, ratio;
} td_wide_frame;

// The centres and half-sizes of a block, [3][4], and the slabs of a leaf block; as in src/bvh/blocked_node.h.
typedef struct td_wide_boxes {
    TD_GLOBAL const float (*center)[4];
    TD_GLOBAL const float (*half)[4];
    TD_GLOBAL const float (*normal)[4];
    TD_GLOBAL const float *slab_middle;
    TD_GLOBAL const float *slab_half;
} td_wide_boxes;

// What a tile of boxes has in common, one group of it.
typedef struct td_wide_boxes_terms {
    td_wf t[3];         // from a centre of A to a centre of B
    td_wf ha[3], hb[3]; // half-sizes along the own axes, in A's units; those of A with slack
} td_wide_boxes_terms;

TD_OP td_wm td_wide_axes_overlap(td_wide_boxes_terms *terms, const td_wide_boxes *a, const td_wide_boxes *b,
                                 const td_wide_frame *frame, int g) {
    td_wf cb[3], hb[3], *ha = terms->ha, *t = terms->t;
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        cb[k] = td_wf_spread(b->center[k], g);
        hb[k] = td_wf_spread(b->half[k], g);
        ha[k] = td_wf_add(td_wf_repeat(a->half[k], g), frame->slack);
    }
    td_wm overlap = td_wf_le(ha[0], ha[0]);
    TD_UNROLL
    for (int k = 0; k < 3; ++k) { // axes of A
        const td_wf *r = frame->rotation + 3 * k, *q = frame->reach + 3 * k;
        const td_wf c = td_wf_sub(frame->shift[k], td_wf_repeat(a->center[k], g));
        t[k] = td_wf_fma(r[0], cb[0], td_wf_fma(r[1], cb[1], td_wf_fma(r[2], cb[2], c)));
        const td_wf reach = td_wf_fma(q[0], hb[0], td_wf_fma(q[1], hb[1], td_wf_fma(q[2], hb[2], ha[k])));
        overlap = td_wf_le_and(overlap, td_wf_abs(t[k]), reach);
    }
    TD_UNROLL
    for (int k = 0; k < 3; ++k) { // axes of B
        const td_wf *r = frame->unit + k, *q = frame->unit_reach + k;
        const td_wf s = td_wf_fma(r[0], t[0], td_wf_fma(r[3], t[1], td_wf_mul(r[6], t[2])));
        terms->hb[k] = td_wf_mul(hb[k], frame->ratio);
        const td_wf reach =
            td_wf_fma(q[0], ha[0], td_wf_fma(q[3], ha[1], td_wf_fma(q[6], ha[2], terms->hb[k])));
        overlap = td_wf_le_and(overlap, td_wf_abs(s), reach);
    }
    return overlap;
}

// The slab of A's quad against the box of B's, and the other way round.
TD_OP td_wm td_wide_slabs_overlap(td_wm overlap, const td_wide_boxes_terms *terms, const td_wide_boxes *a,
                                  const td_wide_boxes *b, const td_wide_frame *frame, int g) {
    const td_wf *r = frame->unit, *t = terms->t;
    td_wf n[3], m[3], turned[3];
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        n[k] = td_wf_repeat(a->normal[k], g);
        m[k] = td_wf_spread(b->normal[k], g);
    }
    td_wf height =
        td_wf_fma(n[0], t[0], td_wf_fma(n[1], t[1], td_wf_fms(n[2], t[2], td_wf_repeat(a->slab_middle, g))));
    td_wf reach = td_wf_add(td_wf_repeat(a->slab_half, g), frame->slack);
    TD_UNROLL
    for (int k = 0; k < 3; ++k) { // the normal along B's axes
        const td_wf along = td_wf_fma(n[0], r[k], td_wf_fma(n[1], r[3 + k], td_wf_mul(n[2], r[6 + k])));
        reach = td_wf_fma(td_wf_abs(along), terms->hb[k], reach);
    }
    overlap = td_wf_le_and(overlap, td_wf_abs(height), reach);
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        turned[k] = td_wf_fma(m[0], r[3 * k], td_wf_fma(m[1], r[3 * k + 1], td_wf_mul(m[2], r[3 * k + 2])));
    }
    height = td_wf_mul(td_wf_spread(b->slab_middle, g), frame->ratio);
    reach = td_wf_fma(td_wf_spread(b->slab_half, g), frame->ratio, frame->slack);
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        height = td_wf_fma(turned[k], t[k], height);
        reach = td_wf_fma(td_wf_abs(turned[k]), terms->ha[k], reach);
    }
    return td_wf_le_and(overlap, td_wf_abs(height), reach);
}

// One group of the tile: lanes whose boxes meet. With `slabs`, both are leaf blocks, and slabs count.
TD_OP td_u32 td_boxes_overlap_group(const td_wide_boxes *a, const td_wide_boxes *b,
                                    const td_wide_frame *frame, int slabs, int g) {
    td_wide_boxes_terms terms;
    td_wm overlap = td_wide_axes_overlap(&terms, a, b, frame, g);
    if (slabs) {
        overlap = td_wide_slabs_overlap(overlap, &terms, a, b, frame, g);
    }
    return td_wm_bits(overlap);
}

// Bit k of the result: box k & 3 of A meets box k >> 2 of B.
TD_OP td_u32 td_boxes_overlap(const td_wide_boxes *a, const td_wide_boxes *b, const td_wide_frame *frame,
                              int slabs) {
    td_u32 bits = 0;
    TD_UNROLL
    for (int g = 0; g < TD_GROUPS; ++g) {
        bits |= td_boxes_overlap_group(a, b, frame, slabs, g) << (g * TD_LANES);
    }
    return bits;
}

#endif
