// Random starts: bodies at random places, one by one, each where its disc overlaps none before it.
#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "turn.h"

#include <tandem/planar.h>

#include <string.h>

enum { TD_SCATTER_TRIES = 2000, TD_SCATTER_MOST = 1000000 };

td_planar_scatter_def td_default_planar_scatter_def(void) {
    return (td_planar_scatter_def){.cookie = TD_COOKIE_SCATTER, .count = 1, .radius = 0.5, .room = {1, 1}};
}

// splitmix64: the same numbers everywhere.
static uint64_t td_scatter_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double td_scatter_unit(uint64_t *state) {
    return (double)(td_scatter_bits(state) >> 11) * 0x1p-53;
}

// Cells have a diameter's side, so each holds four bodies at most: the corners of a square.
enum { TD_SCATTER_PER_CELL = 4 };

typedef struct td_scatter {
    td_context *context;
    const td_planar_scatter_def *def;
    td_planar_body_def *bodies;
    uint64_t random;
    double distance; // m, from centre to centre at least
    uint32_t columns, rows;
    uint32_t *cells; // 1 + index of bodies; 0: none
    size_t cell_count;
} td_scatter;

static uint32_t td_scatter_line(double at, double cell, uint32_t count) {
    const double line = floor(at / cell);
    return line >= count ? count - 1 : (uint32_t)line;
}

static bool td_scatter_is_free(const td_scatter *scatter, double x, double y) {
    const uint32_t column = td_scatter_line(x, scatter->distance, scatter->columns);
    const uint32_t row = td_scatter_line(y, scatter->distance, scatter->rows);
    for (uint32_t r = row > 0 ? row - 1 : 0; r <= row + 1 && r < scatter->rows; ++r) {
        for (uint32_t c = column > 0 ? column - 1 : 0; c <= column + 1 && c < scatter->columns; ++c) {
            const uint32_t *cell = scatter->cells + ((size_t)r * scatter->columns + c) * TD_SCATTER_PER_CELL;
            for (int k = 0; k < TD_SCATTER_PER_CELL && cell[k] != 0; ++k) {
                const double *p = scatter->bodies[cell[k] - 1].position;
                const double dx = p[0] - x, dy = p[1] - y;
                if (dx * dx + dy * dy < scatter->distance * scatter->distance) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool td_scatter_keep(td_scatter *scatter, uint32_t i, double x, double y) {
    const uint32_t column = td_scatter_line(x, scatter->distance, scatter->columns);
    const uint32_t row = td_scatter_line(y, scatter->distance, scatter->rows);
    uint32_t *cell = scatter->cells + ((size_t)row * scatter->columns + column) * TD_SCATTER_PER_CELL;
    for (int k = 0; k < TD_SCATTER_PER_CELL; ++k) {
        if (cell[k] == 0) {
            cell[k] = i + 1;
            return true;
        }
    }
    return false; // the last, cut-off cells of a row are larger: then another place is tried
}

static td_result td_scatter_place(td_scatter *scatter, uint32_t i) {
    const td_planar_scatter_def *def = scatter->def;
    const double edge = 1.001 * def->radius; // from the walls
    for (int attempt = 0; attempt < TD_SCATTER_TRIES; ++attempt) {
        const double x = edge + td_scatter_unit(&scatter->random) * (def->room[0] - 2 * edge);
        const double y = edge + td_scatter_unit(&scatter->random) * (def->room[1] - 2 * edge);
        if (td_scatter_is_free(scatter, x, y) && td_scatter_keep(scatter, i, x, y)) {
            scatter->bodies[i].position[0] = x;
            scatter->bodies[i].position[1] = y;
            return TD_OK;
        }
    }
    return td_fail(
        TD_ERROR_ARGUMENT,
        "object %u of %u: no free place of radius %g was found in a room of %g x %g m: expected fewer "
        "or smaller objects, or a larger room",
        i, def->count, def->radius, def->room[0], def->room[1]);
}

static void td_scatter_move(td_scatter *scatter, td_planar_body_def *body) {
    const td_planar_scatter_def *def = scatter->def;
    const td_planar_turn turn = td_planar_turn_of((2 * td_scatter_unit(&scatter->random) - 1) * TD_PLANAR_PI);
    body->velocity[0] = def->speed * turn.c;
    body->velocity[1] = def->speed * turn.s;
    if (def->corners > 0) {
        body->angle = (2 * td_scatter_unit(&scatter->random) - 1) * TD_PLANAR_PI;
        body->spin = (2 * td_scatter_unit(&scatter->random) - 1) * def->spin;
    }
}

static td_result td_check_scatter(const td_planar_scatter_def *def) {
    if (def->count == 0 || def->count > TD_SCATTER_MOST) {
        return td_fail(TD_ERROR_ARGUMENT, "%u objects: expected 1 to %d", def->count, TD_SCATTER_MOST);
    }
    if (!(def->radius > 0) || !(def->room[0] > 2.002 * def->radius) ||
        !(def->room[1] > 2.002 * def->radius) || !isfinite(def->room[0]) || !isfinite(def->room[1])) {
        return td_fail(TD_ERROR_ARGUMENT, "object 0: a radius of %g does not fit a room of %g x %g m",
                       def->radius, def->room[0], def->room[1]);
    }
    if (!isfinite(def->speed) || !isfinite(def->spin) || def->speed < 0 || def->spin < 0) {
        return td_fail(TD_ERROR_ARGUMENT, "a speed of %g m/s and a spin of %g rad/s: expected numbers >= 0",
                       def->speed, def->spin);
    }
    // Discs fill at most pi / sqrt(12) of the plane.
    const double area = def->count * TD_PLANAR_PI * def->radius * def->radius;
    if (area > 0.9069 * def->room[0] * def->room[1]) {
        return td_fail(
            TD_ERROR_ARGUMENT,
            "object %.0f of %u does not fit: discs of radius %g fill the room of %g x %g m before it",
            floor(0.9069 * def->room[0] * def->room[1] / (TD_PLANAR_PI * def->radius * def->radius)),
            def->count, def->radius, def->room[0], def->room[1]);
    }
    return TD_OK;
}

td_result td_scatter_planar(td_planar_body_def *out, td_context *context, const td_planar_scatter_def *def) {
    if (out == NULL || context == NULL || def == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_scatter_planar needs an output, a context and a definition");
    }
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_SCATTER, "td_default_planar_scatter_def"));
    TD_TRY(td_check_scatter(def));
    td_scatter scatter = {.context = context, .def = def, .bodies = out, .random = def->seed};
    // Cells are not smaller than the distance, and not many more than bodies.
    scatter.distance = 2.002 * def->radius;
    const double columns = floor(def->room[0] / scatter.distance),
                 rows = floor(def->room[1] / scatter.distance);
    if (columns * rows > 1e8) {
        return td_fail(TD_ERROR_ARGUMENT, "objects of radius %g are too small for a room of %g x %g m",
                       def->radius, def->room[0], def->room[1]);
    }
    scatter.columns = (uint32_t)fmax(columns, 1);
    scatter.rows = (uint32_t)fmax(rows, 1);
    scatter.cell_count = (size_t)scatter.columns * scatter.rows * TD_SCATTER_PER_CELL;
    scatter.cells = TD_NEW(context, uint32_t, scatter.cell_count);
    if (scatter.cells == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(scatter.cells, 0, scatter.cell_count * sizeof *scatter.cells);
    td_result result = TD_OK;
    for (uint32_t i = 0; i < def->count && result == TD_OK; ++i) {
        out[i] = td_default_planar_body_def();
        out[i].kind = def->corners > 0 ? TD_PLANAR_REGULAR : TD_PLANAR_CIRCLE;
        out[i].radius = def->radius;
        out[i].corner_count = def->corners;
        result = td_scatter_place(&scatter, i);
        td_scatter_move(&scatter, &out[i]);
    }
    TD_DELETE(context, uint32_t, scatter.cells, scatter.cell_count);
    return result;
}
