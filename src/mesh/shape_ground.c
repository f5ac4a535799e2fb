// Flat things: an open sheet, and a slab with an irregular top to fall on.
#include "../core/error.h"
#include "arrays.h"
#include "shape_makers.h"

// ---------------------------------------------------------------------------------------------------------
// The sheet: a square of edge 2 in the plane y = 0, facing up, of n x n cells.

td_result td_make_cells(td_mesh_arrays *out, td_context *context, uint32_t cells) {
    TD_TRY(td_arrays_create(out, context, (cells + 1) * (cells + 1), 2 * cells * cells));
    for (uint32_t k = 0; k <= cells; ++k) {
        for (uint32_t i = 0; i <= cells; ++i) {
            const double x = 2.0 * i / cells - 1, z = 2.0 * k / cells - 1;
            td_arrays_set_vertex(out, k * (cells + 1) + i, td_vec3_make(x, 0, z));
        }
    }
    uint32_t t = 0;
    for (uint32_t k = 0; k < cells; ++k) {
        for (uint32_t i = 0; i < cells; ++i) {
            const uint32_t a = k * (cells + 1) + i, b = a + 1, c = a + cells + 1, d = c + 1;
            // Diagonals in turn one way and the other: no direction is stiffer than its mirror image.
            if ((i + k) % 2 == 0) {
                td_arrays_set_triangle(out, t++, a, c, d);
                td_arrays_set_triangle(out, t++, a, d, b);
            } else {
                td_arrays_set_triangle(out, t++, a, c, b);
                td_arrays_set_triangle(out, t++, b, c, d);
            }
        }
    }
    return TD_OK;
}

td_result td_make_sheet(td_mesh_arrays *out, td_context *context) {
    return td_make_cells(out, context, 1);
}

// ---------------------------------------------------------------------------------------------------------
// The terrain: a slab of 2 x 2 whose top goes up and down and rises towards its rim.

enum { TD_TERRAIN_CELLS = 48 };

static double td_lattice_height(uint32_t x, uint32_t z) {
    uint64_t h = ((uint64_t)x << 32 | z) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    h ^= h >> 32;
    return (double)(h >> 11) * 0x1p-53;
}

static double td_smooth(double t) {
    return t * t * (3 - 2 * t);
}

// Random heights at the points of a lattice of `cells` squares, smooth between them.
static double td_bumps(double x, double z, uint32_t cells) {
    const double sx = 0.5 * (x + 1) * cells, sz = 0.5 * (z + 1) * cells;
    const uint32_t i = sx < cells ? (uint32_t)sx : cells - 1, k = sz < cells ? (uint32_t)sz : cells - 1;
    const double u = td_smooth(sx - i), v = td_smooth(sz - k);
    const double low = td_lattice_height(i, k) * (1 - u) + td_lattice_height(i + 1, k) * u;
    const double high = td_lattice_height(i, k + 1) * (1 - u) + td_lattice_height(i + 1, k + 1) * u;
    return low * (1 - v) + high * v;
}

static double td_terrain_height(double x, double z) {
    const double edge = fmax(fabs(x), fabs(z));
    const double rim = edge > 0.75 ? td_smooth((edge - 0.75) / 0.25) : 0;
    return 0.06 * td_bumps(x, z, 6) + 0.025 * td_bumps(x, z, 15) + 0.2 * rim;
}

// The grid of the top, seen from above, or that of the bottom.
static void td_fill_terrain_face(td_mesh_arrays *out, uint32_t first, uint32_t *t, bool top) {
    const uint32_t n = TD_TERRAIN_CELLS;
    for (uint32_t k = 0; k < n; ++k) {
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t a = first + k * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            td_arrays_set_triangle(out, (*t)++, a, top ? c : d, top ? d : c);
            td_arrays_set_triangle(out, (*t)++, a, top ? d : b, top ? b : d);
        }
    }
}

// Vertex s of the rim, once around, seen from above counter-clockwise about y.
static uint32_t td_rim_vertex(uint32_t s) {
    const uint32_t n = TD_TERRAIN_CELLS, side = s / n % 4, i = s % n;
    const uint32_t x = side == 0 ? i : side == 1 ? n : side == 2 ? n - i : 0;
    const uint32_t z = side == 0 ? n : side == 1 ? n - i : side == 2 ? 0 : i;
    return z * (n + 1) + x;
}

td_result td_make_terrain(td_mesh_arrays *out, td_context *context) {
    const uint32_t n = TD_TERRAIN_CELLS, count = (n + 1) * (n + 1);
    TD_TRY(td_arrays_create(out, context, 2 * count, 4 * n * n + 8 * n));
    for (uint32_t k = 0; k <= n; ++k) {
        for (uint32_t i = 0; i <= n; ++i) {
            const double x = 2.0 * i / n - 1, z = 2.0 * k / n - 1;
            td_arrays_set_vertex(out, k * (n + 1) + i, td_vec3_make(x, td_terrain_height(x, z), z));
            td_arrays_set_vertex(out, count + k * (n + 1) + i, td_vec3_make(x, -0.2, z));
        }
    }
    uint32_t t = 0;
    td_fill_terrain_face(out, 0, &t, true);
    td_fill_terrain_face(out, count, &t, false);
    for (uint32_t s = 0; s < 4 * n; ++s) {
        const uint32_t a = td_rim_vertex(s), b = td_rim_vertex((s + 1) % (4 * n));
        td_arrays_set_triangle(out, t++, a, count + a, count + b);
        td_arrays_set_triangle(out, t++, a, count + b, b);
    }
    return TD_OK;
}
