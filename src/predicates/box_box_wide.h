// 16 box-box tests at once: the four boxes of one block against the four of another that is turned and shifted.
//
// Separating axis test after Gottschalk, Lin and Manocha, OBBTree, 1996, on the three axes of A and the three of B. The
// nine products of axes are left out: they would keep a tenth of the pairs from being followed, and cost more than
// following them. All radii are enlarged by a slack that bounds every rounding involved (src/traverse/frame.h), so boxes
// that truly overlap are never told apart.
#ifndef TD_PREDICATES_BOX_BOX_WIDE_H
#define TD_PREDICATES_BOX_BOX_WIDE_H

#include "../math/wide.h"

// The axes of B in A's frame and their absolute values, the same for all tests of a query. Row-major.
typedef struct td_wide_axes {
    td_wf unit[9], unit_reach[9];
} td_wide_axes;

// Four boxes of B as A sees them.
typedef struct td_turned_boxes {
    float center[3][4]; // in A's frame
    float reach[3][4];  // half-sizes along A's axes, with slack
    float half[3][4];   // half-sizes along B's own axes in A's units, with slack
} td_turned_boxes;

// Bit k of the result: box k & 3 of A meets box k >> 2 of B.
TD_OP uint32_t td_boxes_overlap(const float center_a[3][4], const float half_a[3][4], const td_turned_boxes *b,
                                const td_wide_axes *axes)
{
    uint32_t bits = 0;
    for (int g = 0; g < TD_GROUPS; ++g) {
        td_wf h[3], t[3];
        td_wm overlap = td_wf_le(td_wf_set1(0.0f), td_wf_set1(0.0f));
        for (int k = 0; k < 3; ++k) {
            h[k] = td_wf_repeat(half_a[k], g);
            t[k] = td_wf_sub(td_wf_spread(b->center[k], g), td_wf_repeat(center_a[k], g));
            overlap = td_wf_le_and(overlap, td_wf_abs(t[k]), td_wf_add(td_wf_spread(b->reach[k], g), h[k]));
        }
        for (int k = 0; k < 3; ++k) {
            const td_wf *r = axes->unit + k, *q = axes->unit_reach + k;
            const td_wf s = td_wf_fma(r[0], t[0], td_wf_fma(r[3], t[1], td_wf_mul(r[6], t[2])));
            const td_wf half_b = td_wf_spread(b->half[k], g);
            const td_wf reach = td_wf_fma(q[0], h[0], td_wf_fma(q[3], h[1], td_wf_fma(q[6], h[2], half_b)));
            overlap = td_wf_le_and(overlap, td_wf_abs(s), reach);
        }
        bits |= td_wm_bits(overlap) << (g * TD_LANES);
    }
    return bits;
}

#endif
