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
    // Which side of a box is the lower one along the row is the same for all of them.
    const double *low_sides[3], *high_sides[3];
    for (int k = 0; k < 3; ++k) {
        low_sides[k] = row[k] < 0 ? boxes->upper[k] : boxes->lower[k];
        high_sides[k] = row[k] < 0 ? boxes->lower[k] : boxes->upper[k];
    }
    for (uint32_t i = 0; i < boxes->count; i += TD_LANES64) {
        td_wd low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            low[k] = row[k] * td_wd_load(low_sides[k] + i);
            high[k] = row[k] * td_wd_load(high_sides[k] + i);
        }
        least = td_wd_min(low[0] + low[1] + low[2], least);
        most = td_wd_max(high[0] + high[1] + high[2], most);
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
