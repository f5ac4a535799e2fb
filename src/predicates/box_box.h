// One box-box test: a box of A against a box of B that is turned and shifted. The scalar twin of
// box_box_wide.h is not needed for speed; it serves the strategies that go one pair at a time. C17 and OpenCL
// C.
//
// Separating axis test after Gottschalk, Lin and Manocha, OBBTree, 1996. `slack` bounds every rounding
// involved.
#ifndef TD_PREDICATES_BOX_BOX_H
#define TD_PREDICATES_BOX_BOX_H

#include "../math/shared.h"

typedef struct td_boxf {
    float center[3], half[3];
} td_boxf;

// B's place in A's frame: x -> ratio * unit x + shift.
typedef struct td_placef {
    float unit[9]; // rotation, row-major
    float shift[3];
    float ratio;
    float slack;
} td_placef;

TD_INLINE int td_box_overlaps(td_boxf a, td_boxf b, td_placef place) {
    float t[3], ha[3], hb[3];
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        float turned = 0;
        TD_UNROLL
        for (int l = 0; l < 3; ++l) {
            turned += place.unit[3 * k + l] * (b.center[l] * place.ratio);
        }
        t[k] = turned + place.shift[k] - a.center[k];
        ha[k] = a.half[k] + place.slack;
        hb[k] = b.half[k] * place.ratio + place.slack;
    }
    TD_UNROLL
    for (int k = 0; k < 3; ++k) { // axes of A, then of B
        float reach_a = ha[k], reach_b = hb[k], s = 0;
        TD_UNROLL
        for (int l = 0; l < 3; ++l) {
            reach_a += TD_ABSF(place.unit[3 * k + l]) * hb[l];
            reach_b += TD_ABSF(place.unit[3 * l + k]) * ha[l];
            s += place.unit[3 * l + k] * t[l];
        }
        if (TD_ABSF(t[k]) > reach_a || TD_ABSF(s) > reach_b) {
            return 0;
        }
    }
    TD_UNROLL
    for (int i = 0; i < 3; ++i) { // axis i of A x axis j of B
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        TD_UNROLL
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const float s = t[i2] * place.unit[3 * i1 + j] - t[i1] * place.unit[3 * i2 + j];
            const float reach =
                ha[i1] * TD_ABSF(place.unit[3 * i2 + j]) + ha[i2] * TD_ABSF(place.unit[3 * i1 + j]) +
                hb[j1] * TD_ABSF(place.unit[3 * i + j2]) + hb[j2] * TD_ABSF(place.unit[3 * i + j1]);
            if (TD_ABSF(s) > reach + place.slack) {
                return 0;
            }
        }
    }
    return 1;
}

#endif
