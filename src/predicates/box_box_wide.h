// 16 box-box tests at once: the four boxes of one block against the four of another that is turned and
// shifted.
//
// Separating axis test after Gottschalk, Lin and Manocha, OBBTree, 1996: three axes of A, three of B, nine
// cross products. All radii are enlarged by `slack`, which bounds every rounding involved (frame.h), so boxes
// that truly overlap are never told apart. The rotation is the same for all tests of a query.
#ifndef TD_PREDICATES_BOX_BOX_WIDE_H
#define TD_PREDICATES_BOX_BOX_WIDE_H

#include "../math/wide.h"

// What a query broadcasts once.
typedef struct td_wide_frame {
    td_wf rotation[9], reach[9]; // B's local units
    td_wf unit[9], unit_reach[9];
    td_wf shift[3], slack, ratio;
} td_wide_frame;

// Bit k of the result: box k & 3 of A meets box k >> 2 of B. `center` and `half` are [3][4], as in td_block.
TD_OP uint32_t td_boxes_overlap(const float center_a[3][4], const float half_a[3][4],
                                const float center_b[3][4], const float half_b[3][4],
                                const td_wide_frame *frame) {
    uint32_t bits = 0;
    for (int g = 0; g < TD_GROUPS; ++g) {
        td_wf cb[3], hb[3], ha[3], t[3];
        for (int k = 0; k < 3; ++k) {
            cb[k] = td_wf_spread(center_b[k], g);
            hb[k] = td_wf_spread(half_b[k], g);
            ha[k] = td_wf_add(td_wf_repeat(half_a[k], g), frame->slack);
        }
        td_wm overlap;
        for (int k = 0; k < 3; ++k) {
            const td_wf *r = frame->rotation + 3 * k, *q = frame->reach + 3 * k;
            const td_wf c = td_wf_sub(frame->shift[k], td_wf_repeat(center_a[k], g));
            t[k] = td_wf_fma(r[0], cb[0], td_wf_fma(r[1], cb[1], td_wf_fma(r[2], cb[2], c)));
            const td_wf reach = td_wf_fma(q[0], hb[0], td_wf_fma(q[1], hb[1], td_wf_fma(q[2], hb[2], ha[k])));
            overlap =
                k == 0 ? td_wf_le(td_wf_abs(t[0]), reach) : td_wf_le_and(overlap, td_wf_abs(t[k]), reach);
        }
        for (int k = 0; k < 3; ++k) {
            hb[k] = td_wf_fma(hb[k], frame->ratio, frame->slack);
        }
        for (int k = 0; k < 3; ++k) {
            const td_wf *r = frame->unit + k, *q = frame->unit_reach + k;
            const td_wf s = td_wf_fma(r[0], t[0], td_wf_fma(r[3], t[1], td_wf_mul(r[6], t[2])));
            const td_wf reach = td_wf_fma(q[0], ha[0], td_wf_fma(q[3], ha[1], td_wf_fma(q[6], ha[2], hb[k])));
            overlap = td_wf_le_and(overlap, td_wf_abs(s), reach);
        }
#ifndef NOEDGE
        for (int i = 0; i < 3; ++i) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            for (int j = 0; j < 3; ++j) {
                const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                const td_wf *r = frame->unit, *q = frame->unit_reach;
                const td_wf s = td_wf_fms(t[i2], r[3 * i1 + j], td_wf_mul(t[i1], r[3 * i2 + j]));
                const td_wf reach =
                    td_wf_fma(ha[i1], q[3 * i2 + j],
                              td_wf_fma(ha[i2], q[3 * i1 + j],
                                        td_wf_fma(hb[j1], q[3 * i + j2],
                                                  td_wf_fma(hb[j2], q[3 * i + j1], frame->slack))));
                overlap = td_wf_le_and(overlap, td_wf_abs(s), reach);
            }
        }
#endif
        bits |= td_wm_bits(overlap) << (g * TD_LANES);
    }
    return bits;
}

#endif
