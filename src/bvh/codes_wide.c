#include "codes.h"
#include "corners_wide.h"

// The cells of the centres of four triangles along one axis.
TD_OP void td_find_cells(int32_t cells[4], const td_corners *corners, const td_morton *morton, int axis) {
    const td_d4 *a = corners->at[0], *b = corners->at[1], *c = corners->at[2];
    const td_d4 least = td_d4_min(a[axis], td_d4_min(b[axis], c[axis]));
    const td_d4 greatest = td_d4_max(a[axis], td_d4_max(b[axis], c[axis]));
    const td_f4 centre = td_d4_narrow(td_d4_mul(td_d4_add(least, greatest), td_d4_set1(0.5)));
    const td_f4 cell =
        td_f4_mul(td_f4_sub(centre, td_f4_set1(morton->offset[axis])), td_f4_set1(morton->scale[axis]));
    td_f4_to_int(cells, td_f4_min(td_f4_max(cell, td_f4_set1(0)), td_f4_set1(morton->last[axis])));
}

TD_OP uint32_t td_spread_cell(const uint32_t spread[3][256], uint32_t cell, bool short_cell) {
    const uint32_t code = spread[0][cell & 255] | spread[1][cell >> 8 & 255];
    return short_cell ? code : code | spread[2][cell >> 16 & 255];
}

TD_OP void td_code_four(td_coded *codes, const td_coding *coding, const td_refit_source *source,
                        const td_quad_corners *vertices, uint32_t first, uint32_t count, bool short_cells) {
    td_corners corners;
    td_gather_corners(&corners, vertices, source);
    _Alignas(16) int32_t cells[3][4];
    for (int axis = 0; axis < 3; ++axis) {
        td_find_cells(cells[axis], &corners, &coding->morton, axis);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t code = td_spread_cell(coding->spread[0], (uint32_t)cells[0][i], short_cells) |
                              td_spread_cell(coding->spread[1], (uint32_t)cells[1][i], short_cells) |
                              td_spread_cell(coding->spread[2], (uint32_t)cells[2][i], short_cells);
        codes[first + i] = (td_coded){code, first + i};
    }
}

TD_OP void td_code_all(td_coded *codes, const td_coding *coding, const td_refit_source *source,
                       const uint32_t *indices, uint32_t first, uint32_t end, bool short_cells) {
    for (uint32_t t = first; t < end; t += 4) {
        td_quad_corners vertices;
        const uint32_t count = end - t < 4 ? end - t : 4;
        for (uint32_t i = 0; i < 4; ++i) {
            const uint32_t *corner = indices + 3 * (size_t)(t + (i < count ? i : 0));
            for (int k = 0; k < 3; ++k) {
                vertices.corner[k][i] = corner[k];
            }
        }
        td_code_four(codes, coding, source, &vertices, t, count, short_cells);
    }
}

void TD_WIDE(td_fill_codes)(td_coded *codes, const td_coding *coding, const td_refit_source *source,
                            const uint32_t *indices, uint32_t first, uint32_t end) {
    if (coding->short_cells) {
        td_code_all(codes, coding, source, indices, first, end, true);
    } else {
        td_code_all(codes, coding, source, indices, first, end, false);
    }
}
