#include "polygonise.h"

#include "../core/array.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "arrays.h"

#include <string.h>

// Within a cube, corner m is the one at the offsets (m & 1, m >> 1 & 1, m >> 2 & 1). The edges of the
// tetrahedra run from a corner to one whose bits include its own: each belongs to the lower corner's grid
// point and has one of seven directions.
enum { TD_DIRECTIONS = 7 };

#define TD_NO_VERTEX UINT32_MAX

typedef struct td_polygoniser {
    td_context *context;
    const td_grid *grid;
    double *values;     // per grid point
    uint32_t *vertices; // per grid point and direction: the vertex on that edge
    size_t point_count;
    TD_ARRAY(td_vec3) positions;
    TD_ARRAY(uint32_t) corners;
} td_polygoniser;

static size_t td_point_index(const td_grid *grid, uint32_t x, uint32_t y, uint32_t z) {
    return x + grid->count[0] * (y + (size_t)grid->count[1] * z);
}

static td_vec3 td_grid_point(const td_grid *grid, uint32_t x, uint32_t y, uint32_t z) {
    return td_vec3_make(grid->lower.x + grid->spacing * x, grid->lower.y + grid->spacing * y,
                        grid->lower.z + grid->spacing * z);
}

static void td_sample_field(td_polygoniser *p, td_field_fn *field, const void *payload) {
    const td_grid *grid = p->grid;
    for (uint32_t z = 0; z < grid->count[2]; ++z) {
        for (uint32_t y = 0; y < grid->count[1]; ++y) {
            for (uint32_t x = 0; x < grid->count[0]; ++x) {
                p->values[td_point_index(grid, x, y, z)] = field(td_grid_point(grid, x, y, z), payload);
            }
        }
    }
}

// One cube: where it is, and the grid points at its corners.
typedef struct td_cube {
    uint32_t x, y, z;
    size_t points[8];
    uint32_t inside; // a bit per corner
} td_cube;

static td_cube td_cube_at(const td_polygoniser *p, uint32_t x, uint32_t y, uint32_t z) {
    td_cube cube = {.x = x, .y = y, .z = z};
    for (uint32_t m = 0; m < 8; ++m) {
        cube.points[m] = td_point_index(p->grid, x + (m & 1), y + (m >> 1 & 1), z + (m >> 2 & 1));
        cube.inside |= (uint32_t)(p->values[cube.points[m]] < 0) << m;
    }
    return cube;
}

static td_vec3 td_cube_corner(const td_polygoniser *p, const td_cube *cube, uint32_t m) {
    return td_grid_point(p->grid, cube->x + (m & 1), cube->y + (m >> 1 & 1), cube->z + (m >> 2 & 1));
}

// Where the field, taken as linear along the edge, is zero. Kept off the ends, so that the vertices of
// different edges never coincide.
static td_vec3 td_crossing(const td_polygoniser *p, const td_cube *cube, uint32_t low, uint32_t high) {
    const double f0 = p->values[cube->points[low]];
    const double f1 = p->values[cube->points[high]];
    const double exact = f0 / (f0 - f1);
    const double t = exact < 0.05 ? 0.05 : exact > 0.95 ? 0.95 : exact;
    return td_add(td_scale(td_cube_corner(p, cube, low), 1 - t), td_scale(td_cube_corner(p, cube, high), t));
}

// The vertex on the edge between two corners; room for it has been reserved.
static uint32_t td_vertex_on(td_polygoniser *p, const td_cube *cube, uint32_t corner0, uint32_t corner1) {
    const uint32_t low = corner0 < corner1 ? corner0 : corner1;
    const uint32_t high = corner0 < corner1 ? corner1 : corner0;
    uint32_t *vertex = &p->vertices[TD_DIRECTIONS * cube->points[low] + (high - low) - 1];
    if (*vertex == TD_NO_VERTEX) {
        *vertex = (uint32_t)p->positions.count;
        p->positions.items[p->positions.count++] = td_crossing(p, cube, low, high);
    }
    return *vertex;
}

static void td_emit(td_polygoniser *p, uint32_t a, uint32_t b, uint32_t c, bool reverse) {
    uint32_t *corner = p->corners.items + p->corners.count;
    corner[0] = a;
    corner[1] = reverse ? c : b;
    corner[2] = reverse ? b : c;
    p->corners.count += 3;
}

// Corner o[0] is on one side, the others on the other.
static void td_emit_triangle(td_polygoniser *p, const td_cube *cube, const uint32_t corner[4],
                             const uint8_t o[4], bool first_is_outside) {
    const uint32_t a = td_vertex_on(p, cube, corner[o[0]], corner[o[1]]);
    const uint32_t b = td_vertex_on(p, cube, corner[o[0]], corner[o[2]]);
    const uint32_t c = td_vertex_on(p, cube, corner[o[0]], corner[o[3]]);
    td_emit(p, a, b, c, first_is_outside);
}

// Corners o[0] and o[1] are on one side, the others on the other.
static void td_emit_quad(td_polygoniser *p, const td_cube *cube, const uint32_t corner[4], const uint8_t o[4],
                         bool first_is_outside) {
    const uint32_t a = td_vertex_on(p, cube, corner[o[0]], corner[o[2]]);
    const uint32_t b = td_vertex_on(p, cube, corner[o[0]], corner[o[3]]);
    const uint32_t c = td_vertex_on(p, cube, corner[o[1]], corner[o[3]]);
    const uint32_t d = td_vertex_on(p, cube, corner[o[1]], corner[o[2]]);
    td_emit(p, a, b, c, first_is_outside);
    td_emit(p, a, c, d, first_is_outside);
}

// The part of the surface in one tetrahedron, which is positively oriented: seen from corner 0, the corners
// 1, 2, 3 run clockwise. Even arrangements of the corners, which keep that, turn each case into "the first is
// alone" or "the first two are".
static void td_march(td_polygoniser *p, const td_cube *cube, const uint32_t corner[4]) {
    static const uint8_t alone[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 2, 1}};
    static const uint8_t with_first[4][4] = {{0}, {0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}};
    bool inside[4];
    int inside_count = 0;
    for (int k = 0; k < 4; ++k) {
        inside[k] = (cube->inside >> corner[k] & 1) != 0;
        inside_count += inside[k];
    }
    if (inside_count == 1 || inside_count == 3) {
        const bool odd_one = inside_count == 1;
        int k = 0;
        while (inside[k] != odd_one) {
            ++k;
        }
        td_emit_triangle(p, cube, corner, alone[k], !odd_one);
    } else if (inside_count == 2) {
        int k = 1;
        while (inside[k] != inside[0]) {
            ++k;
        }
        td_emit_quad(p, cube, corner, with_first[k], !inside[0]);
    }
}

// Six tetrahedra, each a path along the cube's edges from corner 0 to corner 7. In three of them the second
// and the third corner are swapped, so that all are oriented alike.
static void td_march_cube(td_polygoniser *p, const td_cube *cube) {
    static const uint32_t tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7},
                                              {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};
    for (int i = 0; i < 6; ++i) {
        td_march(p, cube, tetrahedra[i]);
    }
}

static td_result td_march_grid(td_polygoniser *p) {
    const td_grid *grid = p->grid;
    for (uint32_t z = 0; z + 1 < grid->count[2]; ++z) {
        for (uint32_t y = 0; y + 1 < grid->count[1]; ++y) {
            for (uint32_t x = 0; x + 1 < grid->count[0]; ++x) {
                const td_cube cube = td_cube_at(p, x, y, z);
                if (cube.inside == 0 || cube.inside == 255) {
                    continue;
                }
                TD_TRY(td_array_reserve(p->context, &p->positions, 19)); // the edges of a cut cube
                TD_TRY(td_array_reserve(p->context, &p->corners, 6 * 2 * 3));
                td_march_cube(p, &cube);
            }
        }
    }
    return TD_OK;
}

static td_result td_run_polygoniser(td_mesh_arrays *out, td_polygoniser *p, td_field_fn *field,
                                    const void *payload) {
    p->values = TD_NEW(p->context, double, p->point_count);
    p->vertices = TD_NEW(p->context, uint32_t, TD_DIRECTIONS * p->point_count);
    if (p->values == NULL || p->vertices == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(p->vertices, 0xff, TD_DIRECTIONS * p->point_count * sizeof *p->vertices);
    td_sample_field(p, field, payload);
    TD_TRY(td_march_grid(p));
    TD_TRY(td_arrays_create(out, p->context, (uint32_t)p->positions.count, (uint32_t)p->corners.count / 3));
    for (size_t v = 0; v < p->positions.count; ++v) {
        td_arrays_set_vertex(out, (uint32_t)v, p->positions.items[v]);
    }
    for (size_t i = 0; i < p->corners.count; ++i) {
        out->triangles[i] = p->corners.items[i];
    }
    return TD_OK;
}

td_result td_polygonise(td_mesh_arrays *out, td_context *context, const td_grid *grid, td_field_fn *field,
                        const void *payload) {
    td_polygoniser p = {.context = context, .grid = grid};
    p.point_count = (size_t)grid->count[0] * grid->count[1] * grid->count[2];
    const td_result result = td_run_polygoniser(out, &p, field, payload);
    TD_DELETE(context, double, p.values, p.point_count);
    TD_DELETE(context, uint32_t, p.vertices, TD_DIRECTIONS * p.point_count);
    td_array_release(context, &p.positions);
    td_array_release(context, &p.corners);
    return result;
}
