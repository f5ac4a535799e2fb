// A uniform grid over the room: each body is in the cell of its box's centre. Those whose boxes may overlap a
// given one are in cells no farther from it than half the largest box.
#ifndef TD_PLANAR_GRID_H
#define TD_PLANAR_GRID_H

#include "../core/memory.h"
#include "box.h"

typedef struct td_planar_grid {
    double cell;             // m, its side
    double reach_x, reach_y; // m: half of the largest box
    double width, height;
    uint32_t columns, rows, cells;     // `cells` is how many there is memory for
    uint32_t *head;                    // of each cell; UINT32_MAX: nobody
    uint32_t *next, *previous, *place; // of each body; its cell
    uint32_t bodies;
} td_planar_grid;

td_result td_create_planar_grid(td_planar_grid *out, td_context *context, double width, double height,
                                uint32_t bodies);
void td_destroy_planar_grid(td_planar_grid *grid, td_context *context);

// Empties it; boxes up to these half-sizes are to come.
void td_begin_planar_grid(td_planar_grid *grid, double reach_x, double reach_y);
void td_grid_insert(td_planar_grid *grid, uint32_t body, td_planar_box box);
void td_grid_remove(td_planar_grid *grid, uint32_t body);

// Columns and rows of the cells that boxes which overlap `box` may be in, ends included.
typedef struct td_grid_range {
    uint32_t low_column, high_column, low_row, high_row;
} td_grid_range;

td_grid_range td_grid_range_of(const td_planar_grid *grid, td_planar_box box);

#endif
