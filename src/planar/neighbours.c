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

// ---------------------------------------------------------------------------------------------------------
// The grid

enum {
    TD_LARGE_BY = 8
}; // times as large as the mean: such bodies would make the cells too large for all others

static double td_half_size(td_planar_box box) {
    return 0.5 * fmax(box.high_x - box.low_x, box.high_y - box.low_y);
}

td_result td_fill_planar_grid(td_planar *planar) {
    double sum = 0, reach_x = 0, reach_y = 0;
    for (uint32_t i = 0; i < planar->count; ++i) {
        sum += td_half_size(td_planar_box_in(planar, i));
    }
    planar->large.count = 0;
    for (uint32_t i = 0; i < planar->count; ++i) {
        const td_planar_box box = td_planar_box_in(planar, i);
        planar->is_large[i] = td_half_size(box) > TD_LARGE_BY * sum / planar->count;
        if (planar->is_large[i]) {
            TD_TRY(td_array_reserve(planar->context, &planar->large, 1));
            planar->large.items[planar->large.count++] = i;
        } else {
            reach_x = fmax(reach_x, 0.5 * (box.high_x - box.low_x));
            reach_y = fmax(reach_y, 0.5 * (box.high_y - box.low_y));
        }
    }
    td_begin_planar_grid(&planar->grid, reach_x, reach_y);
    for (uint32_t i = planar->count; i-- > 0;) { // each goes before those that are there
        if (!planar->is_large[i]) {
            td_grid_insert(&planar->grid, i, td_planar_box_in(planar, i));
        }
    }
    return TD_OK;
}

void td_move_in_planar_grid(td_planar *planar, uint32_t i) {
    if (!planar->is_large[i]) {
        td_grid_remove(&planar->grid, i);
        td_grid_insert(&planar->grid, i, td_planar_box_in(planar, i));
    }
}

// ---------------------------------------------------------------------------------------------------------

// What is looked for.
typedef struct td_search_box {
    uint32_t body;
    bool before;
    td_planar_box box;
} td_search_box;

static td_result td_offer_neighbour(td_planar *planar, const td_search_box *search, uint32_t k) {
    if (k == search->body || (search->before && k > search->body) ||
        !td_planar_boxes_overlap(search->box, td_planar_box_in(planar, k))) {
        return TD_OK;
    }
    TD_TRY(td_array_reserve(planar->context, &planar->found, 1));
    planar->found.items[planar->found.count++] = k;
    return TD_OK;
}

static td_result td_look_in_cells(td_planar *planar, const td_search_box *search) {
    const td_planar_grid *grid = &planar->grid;
    const td_grid_range range = td_grid_range_of(grid, search->box);
    for (uint32_t row = range.low_row; row <= range.high_row; ++row) {
        for (uint32_t column = range.low_column; column <= range.high_column; ++column) {
            uint32_t k = grid->head[row * grid->columns + column];
            for (; k != UINT32_MAX; k = grid->next[k]) {
                TD_TRY(td_offer_neighbour(planar, search, k));
            }
        }
    }
    return TD_OK;
}

td_result td_find_neighbours(td_planar *planar, uint32_t i, bool before) {
    td_search_box search = {i, before, td_planar_box_in(planar, i)};
    planar->found.count = 0;
    if (planar->def.broad == TD_PLANAR_ALL_PAIRS || planar->is_large[i]) {
        for (uint32_t k = 0; k < planar->count; ++k) {
            TD_TRY(td_offer_neighbour(planar, &search, k));
        }
    } else {
        TD_TRY(td_look_in_cells(planar, &search));
        for (size_t n = 0; n < planar->large.count; ++n) {
            TD_TRY(td_offer_neighbour(planar, &search, planar->large.items[n]));
        }
    }
    search.before = false;
    for (uint32_t wall = planar->count; wall < planar->size; ++wall) {
        TD_TRY(td_offer_neighbour(planar, &search, wall));
    }
    return TD_OK;
}
