// Open addressing over vertex indices. Should somebody have chosen the positions so that they collide, the
// work is bounded all the same: past a fixed number of steps per vertex, sorting takes over.
#include "weld.h"

#include "../core/memory.h"
#include "weld_hash.h"

#include <string.h>

typedef struct td_positions {
    const unsigned char *bytes;
    size_t stride;
    td_scalar scalar;
} td_positions;

typedef struct td_point {
    double x, y, z;
} td_point;

// memcpy: the caller's arrays may have any alignment.
static td_point td_load_point(const td_positions *positions, uint32_t vertex) {
    const unsigned char *at = positions->bytes + vertex * positions->stride;
    if (positions->scalar == TD_FLOAT64) {
        td_point point;
        memcpy(&point, at, sizeof point);
        return point;
    }
    float p[3];
    memcpy(p, at, sizeof p);
    return (td_point){(double)p[0], (double)p[1], (double)p[2]};
}

static bool td_equal_points(td_point a, td_point b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// ---------------------------------------------------------------------------------------------------------
// By sorting: the fallback.

// Orders by position, then by index, so that the first of each run of equals is the lowest.
static bool td_comes_before(const td_positions *positions, uint32_t a, uint32_t b) {
    const td_point p = td_load_point(positions, a), q = td_load_point(positions, b);
    if (p.x != q.x) {
        return p.x < q.x;
    }
    if (p.y != q.y) {
        return p.y < q.y;
    }
    return p.z != q.z ? p.z < q.z : a < b;
}

static void td_sift_down(uint32_t *heap, uint32_t root, uint32_t count, const td_positions *positions) {
    const uint32_t moving = heap[root];
    for (uint64_t child = 2 * (uint64_t)root + 1; child < count; child = 2 * (uint64_t)root + 1) {
        if (child + 1 < count && td_comes_before(positions, heap[child], heap[child + 1])) {
            ++child;
        }
        if (!td_comes_before(positions, moving, heap[child])) {
            break;
        }
        heap[root] = heap[child];
        root = (uint32_t)child;
    }
    heap[root] = moving;
}

static void td_heap_sort(uint32_t *order, uint32_t count, const td_positions *positions) {
    for (uint32_t root = count / 2; root-- > 0;) {
        td_sift_down(order, root, count, positions);
    }
    for (uint32_t last = count; last-- > 1;) {
        const uint32_t largest = order[0];
        order[0] = order[last];
        order[last] = largest;
        td_sift_down(order, 0, last, positions);
    }
}

static td_result td_weld_by_sorting(uint32_t *first, td_context *context, const td_positions *positions,
                                    uint32_t vertex_count) {
    uint32_t *order = TD_NEW(context, uint32_t, vertex_count);
    if (order == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        order[v] = v;
    }
    td_heap_sort(order, vertex_count, positions);
    for (uint32_t i = 0; i < vertex_count; ++i) {
        const bool same = i > 0 && td_equal_points(td_load_point(positions, order[i - 1]),
                                                   td_load_point(positions, order[i]));
        first[order[i]] = same ? first[order[i - 1]] : order[i];
    }
    TD_DELETE(context, uint32_t, order, vertex_count);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// By hashing.

#define TD_EMPTY UINT32_MAX

// False if it took too many steps: with a table at most two thirds full, chance needs about two per vertex.
static bool td_weld_by_hashing(uint32_t *first, uint32_t *table, int table_bits,
                               const td_positions *positions, uint32_t vertex_count) {
    const uint64_t mask = (UINT64_C(1) << table_bits) - 1;
    uint64_t steps_left = 16 * (uint64_t)vertex_count + 1024;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        const td_point point = td_load_point(positions, v);
        uint64_t slot = td_weld_slot(point.x, point.y, point.z, table_bits);
        while (table[slot] != TD_EMPTY && !td_equal_points(point, td_load_point(positions, table[slot]))) {
            slot = (slot + 1) & mask;
            if (--steps_left == 0) {
                return false;
            }
        }
        if (table[slot] == TD_EMPTY) {
            table[slot] = v;
        }
        first[v] = table[slot];
    }
    return true;
}

td_result td_weld(uint32_t *first, td_context *context, const unsigned char *positions, td_scalar scalar,
                  size_t stride, uint32_t vertex_count) {
    const td_positions all = {positions, stride, scalar};
    const int table_bits = td_weld_table_bits(vertex_count);
    const size_t table_size = (size_t)1 << table_bits;
    uint32_t *table = TD_NEW(context, uint32_t, table_size);
    if (table == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(table, 0xff, table_size * sizeof *table);
    const bool done = td_weld_by_hashing(first, table, table_bits, &all, vertex_count);
    TD_DELETE(context, uint32_t, table, table_size);
    return done ? TD_OK : td_weld_by_sorting(first, context, &all, vertex_count);
}
