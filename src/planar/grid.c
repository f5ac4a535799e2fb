#include "grid.h"

#include "../core/error.h"

#include <string.h>

#define TD_NOBODY UINT32_MAX

td_result td_create_planar_grid(td_planar_grid *out, td_context *context, double width, double height,
                                uint32_t bodies) {
    *out = (td_planar_grid){.width = width, .height = height, .bodies = bodies};
    out->cells = 2 * bodies + 64;
    out->head = TD_NEW(context, uint32_t, out->cells);
    out->next = TD_NEW(context, uint32_t, bodies);
    out->previous = TD_NEW(context, uint32_t, bodies);
    out->place = TD_NEW(context, uint32_t, bodies);
    return out->head != NULL && out->next != NULL && out->previous != NULL && out->place != NULL
               ? TD_OK
               : TD_ERROR_MEMORY;
}

void td_destroy_planar_grid(td_planar_grid *grid, td_context *context) {
    TD_DELETE(context, uint32_t, grid->head, grid->cells);
    TD_DELETE(context, uint32_t, grid->next, grid->bodies);
    TD_DELETE(context, uint32_t, grid->previous, grid->bodies);
    TD_DELETE(context, uint32_t, grid->place, grid->bodies);
    *grid = (td_planar_grid){0};
}

void td_begin_planar_grid(td_planar_grid *grid, double reach_x, double reach_y) {
    const double largest = reach_x > reach_y ? reach_x : reach_y;
    // No more cells than there is memory for: along either side their number is cut off.
    const double most = sqrt((double)grid->cells / (grid->width * grid->height));
    grid->cell = fmax(2 * largest, 1 / most);
    const double columns = floor(grid->width / grid->cell), rows = floor(grid->height / grid->cell);
    grid->columns = columns < 1 ? 1 : columns > grid->cells ? grid->cells : (uint32_t)columns;
    grid->rows = rows < 1 ? 1 : (uint32_t)fmin(rows, grid->cells / grid->columns);
    grid->reach_x = reach_x;
    grid->reach_y = reach_y;
    memset(grid->head, 0xff, sizeof *grid->head * grid->columns * grid->rows);
}

static uint32_t td_grid_line(double at, double cell, uint32_t count) {
    const double line = floor(at / cell);
    return line < 0 ? 0 : line >= count ? count - 1 : (uint32_t)line;
}

void td_grid_insert(td_planar_grid *grid, uint32_t body, td_planar_box box) {
    const double x = 0.5 * (box.low_x + box.high_x), y = 0.5 * (box.low_y + box.high_y);
    grid->reach_x = fmax(grid->reach_x, 0.5 * (box.high_x - box.low_x));
    grid->reach_y = fmax(grid->reach_y, 0.5 * (box.high_y - box.low_y));
    const uint32_t place =
        td_grid_line(y, grid->cell, grid->rows) * grid->columns + td_grid_line(x, grid->cell, grid->columns);
    const uint32_t next = grid->head[place];
    grid->place[body] = place;
    grid->next[body] = next;
    grid->previous[body] = TD_NOBODY;
    if (next != TD_NOBODY) {
        grid->previous[next] = body;
    }
    grid->head[place] = body;
}

void td_grid_remove(td_planar_grid *grid, uint32_t body) {
    const uint32_t next = grid->next[body], previous = grid->previous[body];
    if (next != TD_NOBODY) {
        grid->previous[next] = previous;
    }
    if (previous != TD_NOBODY) {
        grid->next[previous] = next;
    } else {
        grid->head[grid->place[body]] = next;
    }
}

td_grid_range td_grid_range_of(const td_planar_grid *grid, td_planar_box box) {
    // A box's centre is rounded, as is its half: a millionth of the cell is far more than that.
    const double more = 1e-6 * grid->cell;
    return (td_grid_range){
        .low_column = td_grid_line(box.low_x - grid->reach_x - more, grid->cell, grid->columns),
        .high_column = td_grid_line(box.high_x + grid->reach_x + more, grid->cell, grid->columns),
        .low_row = td_grid_line(box.low_y - grid->reach_y - more, grid->cell, grid->rows),
        .high_row = td_grid_line(box.high_y + grid->reach_y + more, grid->cell, grid->rows)};
}
