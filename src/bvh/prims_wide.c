#include "corners_wide.h"
#include "prims.h"

#include <string.h>

typedef struct td_four_prims {
    td_f4 lower[4], upper[4]; // as in td_prim, with id and spare
} td_four_prims;

// Rounding to float32 keeps the order, so it may come before the comparisons.
TD_OP void td_box_triangles(td_four_prims *out, const td_corners *corners, const uint32_t ids[4]) {
    td_f4 lower[4], upper[4];
    for (int axis = 0; axis < 3; ++axis) {
        const td_f4 a = td_d4_narrow(corners->at[0][axis]), b = td_d4_narrow(corners->at[1][axis]),
                    c = td_d4_narrow(corners->at[2][axis]);
        const td_f4 least = td_f4_min(a, td_f4_min(b, c)), greatest = td_f4_max(a, td_f4_max(b, c));
        lower[axis] = td_f4_sub(least, td_slack(least));
        upper[axis] = td_f4_add(greatest, td_slack(greatest));
    }
    _Alignas(16) float bits[4];
    memcpy(bits, ids, sizeof bits);
    lower[3] = td_f4_load(bits);
    upper[3] = td_f4_set1(0);
    td_f4_transposed(out->lower, lower);
    td_f4_transposed(out->upper, upper);
}

void TD_WIDE(td_fill_prims)(td_prim *prims, const td_refit_source *source, const uint32_t *indices,
                            uint32_t first, uint32_t end) {
    for (uint32_t t = first; t < end; t += 4) {
        uint32_t ids[4];
        td_quad_corners vertices;
        const uint32_t count = end - t < 4 ? end - t : 4;
        for (uint32_t i = 0; i < 4; ++i) {
            ids[i] = t + (i < count ? i : 0);
            for (size_t k = 0; k < 3; ++k) {
                vertices.corner[k][i] = indices[3 * (size_t)ids[i] + k];
            }
        }
        td_corners corners;
        td_gather_corners(&corners, &vertices, source);
        td_four_prims four;
        td_box_triangles(&four, &corners, ids);
        for (uint32_t i = 0; i < count; ++i) {
            td_f4_store(prims[t + i].lower, four.lower[i]);
            td_f4_store(prims[t + i].upper, four.upper[i]);
        }
    }
}
