// Whose boxes overlap that of a body: by the grid, or by asking all.
#include "planar.h"

td_planar_box td_planar_box_in(const td_planar *planar, uint32_t i) {
    const uint32_t size = planar->size;
    const double *boxes = planar->boxes;
    return (td_planar_box){boxes[i], boxes[size + i], boxes[2 * (size_t)size + i],
                           boxes[3 * (size_t)size + i]};
}

void td_set_planar_box(td_planar *planar, uint32_t i, td_planar_box box) {
    const size_t size = planar->size;
    planar->boxes[i] = box.low_x;
    planar->boxes[size + i] = box.low_y;
    planar->boxes[2 * size + i] = box.high_x;
    planar->boxes[3 * size + i] = box.high_y;
}

static td_result td_add_cell(td_planar *planar, uint32_t i, bool before, td_planar_box box, uint32_t first) {
    for (uint32_t k = first; k != UINT32_MAX; k = planar->grid.next[k]) {
        if (k != i && (!before || k < i) && td_planar_boxes_overlap(box, td_planar_box_in(planar, k))) {
            TD_TRY(td_array_reserve(planar->context, &planar->found, 1));
            planar->found.items[planar->found.count++] = k;
        }
    }
    return TD_OK;
}

static td_result td_add_range(td_planar *planar, uint32_t i, bool before, td_planar_box box, uint32_t from,
                              uint32_t to) {
    for (uint32_t k = from; k < to; ++k) {
        if (k != i && (!before || k < i) && td_planar_boxes_overlap(box, td_planar_box_in(planar, k))) {
            TD_TRY(td_array_reserve(planar->context, &planar->found, 1));
            planar->found.items[planar->found.count++] = k;
        }
    }
    return TD_OK;
}

td_result td_find_neighbours(td_planar *planar, uint32_t i, bool before) {
    const td_planar_box box = td_planar_box_in(planar, i);
    planar->found.count = 0;
    if (planar->def.broad == TD_PLANAR_ALL_PAIRS) {
        TD_TRY(td_add_range(planar, i, before, box, 0, planar->count));
    } else {
        const td_planar_grid *grid = &planar->grid;
        const td_grid_range range = td_grid_range_of(grid, box);
        for (uint32_t row = range.low_row; row <= range.high_row; ++row) {
            for (uint32_t column = range.low_column; column <= range.high_column; ++column) {
                TD_TRY(td_add_cell(planar, i, before, box, grid->head[row * grid->columns + column]));
            }
        }
    }
    return td_add_range(planar, i, false, box, planar->count, planar->size);
}
