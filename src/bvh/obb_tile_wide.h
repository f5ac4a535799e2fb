// Sixteen oriented boxes at a time, a box per lane: read from memory, turned, measured, written back. For
// files that are compiled once per instruction set.
#ifndef TD_BVH_OBB_TILE_WIDE_H
#define TD_BVH_OBB_TILE_WIDE_H

#include "../predicates/box_box.h"
#include "obb_reach_wide.h"
#include "post_sum.h"

enum {
    TD_OBB_NUMBERS = 16, // of td_obbf, in their order in memory
    TD_OBB_AXES = 6      // ... of which the axes are the 7th to 15th
};

// Where there are fewer boxes than sixteen, others stand in for the rest, which is not written.
typedef struct td_obb_tile {
    td_obbf *obbs[TD_TILE];
    const td_boxf *boxes[TD_TILE]; // along the coordinate axes, around the same
    _Alignas(64) float numbers[TD_OBB_NUMBERS][TD_TILE];
    _Alignas(64) float low[3][TD_TILE], high[3][TD_TILE];
} td_obb_tile;

// Corners of triangles, three each, in the order of a job.
typedef struct td_corner_rows {
    const float *at[3]; // coordinate; readable for TD_TILE floats beyond the last
} td_corner_rows;

TD_OP td_f4 td_f4_at(const float *p) {
    td_f4 a;
    memcpy(&a, p, sizeof a);
    return a;
}

TD_OP void td_f4_put(float *p, td_f4 a) {
    memcpy(p, &a, sizeof a);
}

// What the boxes have in memory, from number `first` on, a multiple of four.
TD_OP void td_tile_read(td_obb_tile *tile, int first) {
    for (int part = first; part < TD_OBB_NUMBERS; part += 4) {
        for (int lane = 0; lane < TD_TILE; lane += 4) {
            td_f4 rows[4], columns[4];
            for (int i = 0; i < 4; ++i) {
                rows[i] = td_f4_load((const float *)tile->obbs[lane + i] + part);
            }
            td_f4_transposed(columns, rows);
            for (int k = 0; k < 4; ++k) {
                td_f4_store(&tile->numbers[part + k][lane], columns[k]);
            }
        }
    }
}

TD_OP void td_tile_load_axes(td_axes *axes, const td_obb_tile *tile, int lane) {
    for (int k = 0; k < 9; ++k) {
        axes->at[k / 3][k % 3] = td_wf_load(&tile->numbers[TD_OBB_AXES + k][lane]);
    }
}

TD_OP void td_tile_store_axes(td_obb_tile *tile, const td_axes *axes, int lane) {
    for (int k = 0; k < 9; ++k) {
        td_wf_store(&tile->numbers[TD_OBB_AXES + k][lane], axes->at[k / 3][k % 3]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Axes

// From there towards the principal axes, `turns` times.
TD_OP void td_tile_turn(td_obb_tile *tile, const td_post_sum *const sums[TD_TILE], int turns) {
    _Alignas(64) double numbers[12][TD_TILE]; // of td_moments
    for (int part = 0; part < 12; part += 4) {
        for (int lane = 0; lane < TD_TILE; lane += 4) {
            td_d4 rows[4];
            for (int i = 0; i < 4; ++i) {
                rows[i] = td_d4_load((const double *)&sums[lane + i]->moments + part);
            }
            td_d4_transpose(rows);
            for (int k = 0; k < 4; ++k) {
                td_d4_store(&numbers[part + k][lane], rows[k]);
            }
        }
    }
    for (int lane = 0; lane < TD_TILE; lane += TD_LANES) {
        td_wf64 moments[10];
        td_axes axes;
        for (int k = 0; k < 10; ++k) {
            moments[k] = td_wf64_load(&numbers[k][lane]);
        }
        td_tile_load_axes(&axes, tile, lane);
        for (int turn = 0; turn < turns; ++turn) {
            td_find_axes(&axes, moments);
        }
        td_tile_store_axes(tile, &axes, lane);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Measures

// One box's axes in all lanes.
TD_OP void td_tile_spread_axes(td_axes *axes, const td_obb_tile *tile, int i) {
    for (int k = 0; k < 9; ++k) {
        axes->at[k / 3][k % 3] = td_wf_set1(tile->numbers[TD_OBB_AXES + k][i]);
    }
}

// What the lanes of one box's reach have seen: four of them are left, and wait for those of three more boxes.
typedef struct td_reach4 {
    td_f4 low[3][4], high[3][4];
} td_reach4;

TD_OP void td_reach4_put(td_reach4 *four, int i, const td_reach *reach) {
    for (int k = 0; k < 3; ++k) {
        four->low[k][i & 3] = td_wf_least4(reach->low[k]);
        four->high[k][i & 3] = td_wf_greatest4(reach->high[k]);
    }
}

// Those of boxes first ... first + 3.
TD_OP void td_reach4_take(td_obb_tile *tile, int first, const td_reach4 *four) {
    for (int k = 0; k < 3; ++k) {
        td_f4_store(&tile->low[k][first], td_f4_least(four->low[k]));
        td_f4_store(&tile->high[k][first], td_f4_greatest(four->high[k]));
    }
}

// Corners first ... first + count - 1.
TD_OP td_reach td_reach_corners(const td_axes *axes, const td_corner_rows *rows, uint32_t first,
                                uint32_t count) {
    static const float places[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    td_reach reach = td_reach_nothing();
    uint32_t i = 0;
    td_wf x[3];
    for (; i + TD_LANES <= count; i += TD_LANES) {
        for (int k = 0; k < 3; ++k) {
            x[k] = td_wf_load(rows->at[k] + first + i);
        }
        td_reach_point(&reach, axes, x);
    }
    if (i < count) { // the first one stands in where there are none
        const td_wf left = td_wf_set1((float)(count - i)), place = td_wf_load(places);
        for (int k = 0; k < 3; ++k) {
            const td_wf row = td_wf_load(rows->at[k] + first + i);
            x[k] = td_wf_pick(place, left, row, td_wf_set1(rows->at[k][first]));
        }
        td_reach_point(&reach, axes, x);
    }
    return reach;
}

// Up to TD_COVER boxes, a box per lane. All boxes of the tile are one and the same, measured by them.
TD_OP void td_tile_reach_boxes(td_obb_tile *tile, const td_obbf *const cover[TD_COVER], uint32_t count) {
    td_obb_tile others;
    td_axes axes;
    td_reach reach = td_reach_nothing();
    for (uint32_t i = 0; i < TD_TILE; ++i) { // the first one stands in where there are fewer
        others.obbs[i] = (td_obbf *)(uintptr_t)cover[i < count ? i : 0];
    }
    td_tile_read(&others, 0);
    td_tile_spread_axes(&axes, tile, 0);
    for (int lane = 0; lane < TD_TILE; lane += TD_LANES) {
        td_obb_lanes box;
        for (int k = 0; k < 3; ++k) {
            box.center[k] = td_wf_load(&others.numbers[k][lane]);
            box.half[k] = td_wf_load(&others.numbers[3 + k][lane]);
        }
        td_tile_load_axes(&box.axes, &others, lane);
        td_reach_box(&reach, &axes, &box);
    }
    td_reach4 four;
    for (int i = 0; i < 4; ++i) {
        td_reach4_put(&four, i, &reach);
    }
    for (int first = 0; first < TD_TILE; first += 4) {
        td_reach4_take(tile, first, &four);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Boxes

// The boxes along the coordinate axes as lanes: centre, half-sizes.
TD_OP void td_tile_read_boxes(float out[6][TD_TILE], const td_obb_tile *tile) {
    for (int lane = 0; lane < TD_TILE; lane += 4) {
        td_f4 front[4], back[4], columns[4];
        for (int i = 0; i < 4; ++i) {
            const float *numbers = tile->boxes[lane + i]->center;
            front[i] = td_f4_at(numbers);
            back[i] = td_f4_at(numbers + 2); // six numbers: two of them twice
        }
        td_f4_transposed(columns, front);
        for (int k = 0; k < 4; ++k) {
            td_f4_store(&out[k][lane], columns[k]);
        }
        td_f4_transposed(columns, back);
        td_f4_store(&out[4][lane], columns[2]);
        td_f4_store(&out[5][lane], columns[3]);
    }
}

TD_OP void td_tile_write(const td_obb_tile *tile, uint32_t count) {
    for (int lane = 0; lane < TD_TILE; lane += 4) {
        for (int part = 0; part < TD_OBB_NUMBERS; part += 4) {
            td_f4 rows[4], columns[4];
            for (int k = 0; k < 4; ++k) {
                columns[k] = td_f4_load(&tile->numbers[part + k][lane]);
            }
            td_f4_transposed(rows, columns);
            for (int i = 0; i < 4 && (uint32_t)(lane + i) < count; ++i) {
                td_f4_store((float *)tile->obbs[lane + i] + part, rows[i]);
            }
        }
    }
}

// The boxes with the axes of the tile and what has been measured along them, in memory.
TD_OP void td_tile_close(td_obb_tile *tile, uint32_t count) {
    _Alignas(64) float straight[6][TD_TILE];
    td_tile_read_boxes(straight, tile);
    for (int lane = 0; lane < TD_TILE; lane += TD_LANES) {
        td_obb_lanes box;
        td_reach reach;
        td_wf center[3], half[3];
        for (int k = 0; k < 3; ++k) {
            reach.low[k] = td_wf_load(&tile->low[k][lane]);
            reach.high[k] = td_wf_load(&tile->high[k][lane]);
            center[k] = td_wf_load(&straight[k][lane]);
            half[k] = td_wf_load(&straight[3 + k][lane]);
        }
        td_tile_load_axes(&box.axes, tile, lane);
        td_close_reach(&box, &reach);
        td_keep_smaller(&box, center, half);
        for (int k = 0; k < 3; ++k) {
            td_wf_store(&tile->numbers[k][lane], box.center[k]);
            td_wf_store(&tile->numbers[3 + k][lane], box.half[k]);
        }
        td_tile_store_axes(tile, &box.axes, lane);
        td_wf_store(&tile->numbers[15][lane], td_wf_set1(0));
    }
    td_tile_write(tile, count);
}

// ---------------------------------------------------------------------------------------------------------

// A node of a job: which corners lie below it.
typedef struct td_corner_range {
    uint32_t first, count;
} td_corner_range;

// All of it, for boxes that are measured by corners. Of `sums` and `ranges` as many as of the tile's boxes.
static inline void td_tile_fit(td_obb_tile *tile, uint32_t count, const td_post_sum *const sums[TD_TILE],
                               int turns, const td_corner_rows *rows, const td_corner_range ranges[TD_TILE]) {
    td_tile_read(tile, 4);
    td_tile_turn(tile, sums, turns);
    for (int first = 0; first < TD_TILE; first += 4) {
        td_reach4 four;
        for (int i = first; i < first + 4; ++i) {
            td_axes axes;
            td_tile_spread_axes(&axes, tile, i);
            const td_reach reach = td_reach_corners(&axes, rows, ranges[i].first, ranges[i].count);
            td_reach4_put(&four, i, &reach);
        }
        td_reach4_take(tile, first, &four);
    }
    td_tile_close(tile, count);
}

// ... and for one that is measured by the boxes of descendants.
static inline void td_fit_over_boxes(td_obbf *obb, const td_boxf *box, const td_post_sum *sum, int turns,
                                     const td_obbf *const cover[TD_COVER], uint32_t count) {
    td_obb_tile tile;
    const td_post_sum *sums[TD_TILE];
    for (int i = 0; i < TD_TILE; ++i) { // it is in all lanes
        tile.obbs[i] = obb;
        tile.boxes[i] = box;
        sums[i] = sum;
    }
    td_tile_read(&tile, 4);
    td_tile_turn(&tile, sums, turns);
    td_tile_reach_boxes(&tile, cover, count);
    td_tile_close(&tile, 1);
}

#endif
