// Edges are found by sorting the sides of all triangles by their upper vertex, then by their lower one: two
// counting sorts, linear whatever the valences are.
#include "swept_features.h"

#include "../core/memory.h"

#include <string.h>

static inline uint32_t td_lower_end(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static inline uint32_t td_upper_end(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

// Sides are numbered 3 * triangle + corner.
typedef struct td_side_sort {
    const uint32_t *indices;
    uint32_t vertex_count;
    uint32_t *sides, *spare;
    uint32_t *place; // vertex_count + 1
} td_side_sort;

static inline td_pair td_ends_of_side(const uint32_t *indices, uint32_t side) {
    const uint32_t corner = side % 3;
    const uint32_t a = indices[side], b = indices[side - corner + (corner == 2 ? 0 : corner + 1)];
    return (td_pair){td_lower_end(a, b), td_upper_end(a, b)};
}

static inline uint32_t td_key_of_side(const td_side_sort *sort, uint32_t side, bool by_upper) {
    const td_pair ends = td_ends_of_side(sort->indices, side);
    return by_upper ? ends.b : ends.a;
}

// Stable.
static void td_sort_sides(td_side_sort *sort, size_t count, bool by_upper) {
    memset(sort->place, 0, ((size_t)sort->vertex_count + 1) * sizeof *sort->place);
    for (size_t i = 0; i < count; ++i) {
        sort->place[(size_t)td_key_of_side(sort, sort->sides[i], by_upper) + 1]++;
    }
    for (size_t v = 1; v <= sort->vertex_count; ++v) {
        sort->place[v] += sort->place[v - 1];
    }
    for (size_t i = 0; i < count; ++i) {
        sort->spare[sort->place[td_key_of_side(sort, sort->sides[i], by_upper)]++] = sort->sides[i];
    }
    uint32_t *swap = sort->sides;
    sort->sides = sort->spare;
    sort->spare = swap;
}

// The first of equal sides, which is of the first triangle that has it, owns the edge.
static void td_number_edges(td_features *features, const td_side_sort *sort, size_t count) {
    uint32_t edge = 0;
    td_pair last = {UINT32_MAX, UINT32_MAX};
    for (size_t i = 0; i < count; ++i) {
        const uint32_t side = sort->sides[i];
        const td_pair ends = td_ends_of_side(sort->indices, side);
        td_swept_triangle *triangle = &features->triangles[side / 3];
        if (ends.a != last.a || ends.b != last.b) {
            features->edges[edge++] = last = ends;
            triangle->owns |= 1u << side % 3;
        }
        triangle->edge[side % 3] = edge - 1;
    }
    features->edge_count = edge;
}

// Marks used vertices in `place`, which is free by now.
static void td_give_vertices(td_features *features, const td_side_sort *sort) {
    memset(sort->place, 0, ((size_t)sort->vertex_count + 1) * sizeof *sort->place);
    for (uint32_t t = 0; t < features->triangle_count; ++t) {
        td_swept_triangle *triangle = &features->triangles[t];
        for (int k = 0; k < 3; ++k) {
            uint32_t *taken = &sort->place[triangle->vertex[k]];
            triangle->owns |= *taken ? 0 : 16u << k;
            *taken = 1;
        }
    }
}

static void td_find_features(td_features *features, td_side_sort *sort) {
    size_t count = 0;
    for (uint32_t t = 0; t < features->triangle_count; ++t) {
        const uint32_t *corner = sort->indices + 3 * (size_t)t;
        features->triangles[t] = (td_swept_triangle){.vertex = {corner[0], corner[1], corner[2]}};
        for (uint32_t k = 0; k < 3; ++k) {
            sort->sides[count] = 3 * t + k;
            count += corner[k] != corner[(k + 1) % 3];
        }
    }
    td_sort_sides(sort, count, false);
    td_sort_sides(sort, count, true);
    td_number_edges(features, sort, count);
    td_give_vertices(features, sort);
}

td_result td_features_create(td_features *out, td_context *context, const uint32_t *indices,
                             uint32_t triangle_count, uint32_t vertex_count) {
    const size_t sides = 3 * (size_t)triangle_count;
    td_features features = {.triangle_count = triangle_count, .edge_room = (uint32_t)sides};
    features.triangles = TD_NEW(context, td_swept_triangle, triangle_count);
    features.edges = TD_NEW(context, td_pair, sides);
    td_side_sort sort = {.indices = indices,
                         .vertex_count = vertex_count,
                         .sides = TD_NEW(context, uint32_t, sides + 1), // one may be written and not kept
                         .spare = TD_NEW(context, uint32_t, sides + 1),
                         .place = TD_NEW(context, uint32_t, (size_t)vertex_count + 1)};
    const bool enough = features.triangles != NULL && features.edges != NULL && sort.sides != NULL &&
                        sort.spare != NULL && sort.place != NULL;
    if (enough) {
        td_find_features(&features, &sort);
    }
    TD_DELETE(context, uint32_t, sort.sides, sides + 1);
    TD_DELETE(context, uint32_t, sort.spare, sides + 1);
    TD_DELETE(context, uint32_t, sort.place, (size_t)vertex_count + 1);
    if (!enough) {
        td_features_release(&features, context);
        return TD_ERROR_MEMORY;
    }
    *out = features;
    return TD_OK;
}

void td_features_release(td_features *features, td_context *context) {
    TD_DELETE(context, td_swept_triangle, features->triangles, features->triangle_count);
    TD_DELETE(context, td_pair, features->edges, features->edge_room);
    *features = (td_features){0};
}

uint64_t td_features_bytes(const td_features *features) {
    return features->triangle_count * sizeof(td_swept_triangle) + features->edge_room * sizeof(td_pair);
}
