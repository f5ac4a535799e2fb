// Pairs of objects, and the first of their collisions: the strictly lower triangle of a square matrix, kept
// row by row, and the three ways of reducing it to its least element (paper 004, section 2.2).
//
// A pass makes a matrix of half the size (rounded up): an element is the least of those below it. What is not
// in the triangle is TD_PLANAR_NEVER. Sizes that are no powers of two have a last row that stands alone.
#ifndef TD_PLANAR_TRIANGLE_H
#define TD_PLANAR_TRIANGLE_H

#include "hit.h"

#define TD_REDUCE_CLASSIC  0
#define TD_REDUCE_SIX      1
#define TD_REDUCE_FOUR_SIX 2

TD_INLINE td_u32 td_triangle_count(td_u32 size) {
    return size % 2 == 0 ? size / 2 * (size - 1) : (size - 1) / 2 * size;
}

TD_INLINE td_u32 td_triangle_at(td_u32 row, td_u32 column) {
    return td_triangle_count(row) + column;
}

typedef struct td_triangle_place {
    td_u32 row, column;
} td_triangle_place;

// The place of work-item `item` of td_triangle_count(size), with no root to take: the longest row and the
// shortest one together are as long as the second and the last but one, and so on.
TD_INLINE td_triangle_place td_triangle_place_of(td_u32 item, td_u32 size) {
    const td_u32 last = size - 1, length = size % 2 == 0 ? last : size; // of two rows together
    const td_u32 fold = item / length, at = item % length;
    td_triangle_place place;
    const td_u32 longer = last - fold; // a row, with as many elements
    place.row = at < longer ? longer : length - longer;
    place.column = at < longer ? at : at - longer;
    return place;
}

// The place of element `pair`, for those few of which it is asked. The root is good to one row.
TD_INLINE td_triangle_place td_triangle_place_at(td_u32 pair) {
    td_triangle_place place;
    place.row = (td_u32)(0.5 + sqrt(0.25 + 2.0 * (double)pair));
    if (td_triangle_at(place.row, 0) > pair) {
        place.row = place.row - 1;
    } else if (td_triangle_at(place.row + 1, 0) <= pair) {
        place.row = place.row + 1;
    }
    place.column = pair - td_triangle_at(place.row, 0);
    return place;
}

// The passes of the classic method reduce the whole matrix, its diagonal included, which the first of them
// makes up from the triangle: what is kept from then on is square, row by row.
TD_INLINE double td_square_read(TD_GLOBAL const double *times, td_u32 size, td_u32 row, td_u32 column) {
    return row < size && column < size ? times[row * size + column] : TD_PLANAR_NEVER;
}

TD_INLINE double td_reduce_classic(TD_GLOBAL const double *times, td_u32 size, td_u32 row, td_u32 column) {
    const double upper = td_planar_min(td_square_read(times, size, 2 * row, 2 * column),
                                       td_square_read(times, size, 2 * row, 2 * column + 1));
    const double lower = td_planar_min(td_square_read(times, size, 2 * row + 1, 2 * column),
                                       td_square_read(times, size, 2 * row + 1, 2 * column + 1));
    return td_planar_min(upper, lower);
}

// An element of the whole, symmetric matrix.
TD_INLINE double td_triangle_read(TD_GLOBAL const double *times, td_u32 size, td_u32 row, td_u32 column) {
    if (row >= size || column >= size || row == column) {
        return TD_PLANAR_NEVER;
    }
    return row > column ? times[td_triangle_at(row, column)] : times[td_triangle_at(column, row)];
}

TD_INLINE double td_reduce_square(TD_GLOBAL const double *times, td_u32 size, td_u32 row, td_u32 column) {
    const double upper = td_planar_min(td_triangle_read(times, size, 2 * row, 2 * column),
                                       td_triangle_read(times, size, 2 * row, 2 * column + 1));
    const double lower = td_planar_min(td_triangle_read(times, size, 2 * row + 1, 2 * column),
                                       td_triangle_read(times, size, 2 * row + 1, 2 * column + 1));
    return td_planar_min(upper, lower);
}

// The two beside the square that lie on the diagonal's blocks, if the square is next to them.
TD_INLINE double td_reduce_beside(TD_GLOBAL const double *times, td_u32 size, td_u32 row, td_u32 column) {
    return td_planar_min(td_triangle_read(times, size, 2 * row - 1, 2 * column),
                         td_triangle_read(times, size, 2 * row + 1, 2 * column + 2));
}

TD_INLINE double td_reduce_six(TD_GLOBAL const double *times, td_u32 size, td_u32 row, td_u32 column) {
    return td_planar_min(td_reduce_square(times, size, row, column),
                         td_reduce_beside(times, size, row, column));
}

#endif
