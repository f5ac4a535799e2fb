// The bounds of the boxes of a surface, several boxes at once.
#include "../math/wide64.h"
#include "surface.h"

#include <math.h>

_Static_assert(TD_SURFACE_BOXES % TD_LANES64 == 0, "boxes are read by the register");

static void td_bound_axis(double *lower, double *upper, const td_surface_boxes *boxes, const double row[3]) {
    double lows[TD_LANES64], highs[TD_LANES64];
    for (int l = 0; l < TD_LANES64; ++l) {
        lows[l] = INFINITY;
        highs[l] = -INFINITY;
    }
    td_wd least = td_wd_load(lows), most = td_wd_load(highs);
    for (uint32_t i = 0; i < boxes->count; i += TD_LANES64) {
        td_wd ends[3][2];
        for (int k = 0; k < 3; ++k) {
            const td_wd p = row[k] * td_wd_load(boxes->lower[k] + i);
            const td_wd q = row[k] * td_wd_load(boxes->upper[k] + i);
            ends[k][0] = td_wd_min(p, q);
            ends[k][1] = td_wd_max(p, q);
        }
        least = td_wd_min(ends[0][0] + ends[1][0] + ends[2][0], least);
        most = td_wd_max(ends[0][1] + ends[1][1] + ends[2][1], most);
    }
    td_wd_store(lows, least);
    td_wd_store(highs, most);
    *lower = lows[0];
    *upper = highs[0];
    for (int l = 1; l < TD_LANES64; ++l) {
        *lower = lows[l] < *lower ? lows[l] : *lower;
        *upper = highs[l] > *upper ? highs[l] : *upper;
    }
}

void TD_WIDE(td_bound_boxes)(double lower[3], double upper[3], const td_surface_boxes *boxes,
                             td_mat3 rotation) {
    const td_vec3 rows[3] = {rotation.row0, rotation.row1, rotation.row2};
    for (int k = 0; k < 3; ++k) {
        const double row[3] = {rows[k].x, rows[k].y, rows[k].z};
        td_bound_axis(&lower[k], &upper[k], boxes, row);
    }
}
