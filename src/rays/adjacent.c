// Neighbours across edges, and whether a surface meets itself: what the walk from triangle to triangle and
// its proof (walk.h) stand on.
#include "shape.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "../predicates/ray_tri.h"

#include <stdlib.h>

// A side of a triangle, filed under its lower vertex.
typedef struct td_filed_side {
    uint32_t upper;
    uint32_t place; // 2 (3 triangle + side) + 1 if it runs down
} td_filed_side;

static int td_compare_sides(const void *x, const void *y) {
    const td_filed_side *a = x, *b = y;
    if (a->upper != b->upper) {
        return a->upper < b->upper ? -1 : 1;
    }
    return a->place < b->place ? -1 : 1;
}

// The sides of one edge.
static void td_join_sides(td_ray_shape *shape, const td_filed_side *sides, uint32_t count, bool *oriented) {
    uint32_t down = 0;
    for (uint32_t i = 0; i < count; ++i) {
        down += sides[i].place & 1;
    }
    *oriented = *oriented && 2 * down == count;
    if (count == 2 && down == 1) {
        const uint32_t a = sides[0].place >> 1, b = sides[1].place >> 1;
        shape->neighbours[a] = b / 3;
        shape->neighbours[b] = a / 3;
    }
}

static void td_join_all(td_ray_shape *shape, td_filed_side *sides, const uint32_t *first, bool *oriented) {
    for (uint32_t v = 0; v < shape->vertex_count; ++v) {
        const uint32_t count = first[v + 1] - first[v];
        td_filed_side *here = sides + first[v];
        if (count > 1) {
            qsort(here, count, sizeof *here, td_compare_sides);
        }
        for (uint32_t begin = 0, end; begin < count; begin = end) {
            for (end = begin; end < count && here[end].upper == here[begin].upper;) {
                ++end;
            }
            td_join_sides(shape, here + begin, end - begin, oriented);
        }
    }
}

static void td_file_sides(const td_ray_shape *shape, const td_trimesh *mesh, td_filed_side *sides,
                          uint32_t *first, bool count_only) {
    for (uint32_t i = 0; i < 3 * shape->triangle_count; ++i) {
        const uint32_t from = td_trimesh_welded(mesh, shape->indices[i]);
        const uint32_t to = td_trimesh_welded(mesh, shape->indices[i % 3 == 2 ? i - 2 : i + 1]);
        if (from == to) {
            continue;
        }
        const uint32_t lower = from < to ? from : to, upper = from < to ? to : from;
        if (count_only) {
            ++first[lower + 1];
        } else {
            sides[first[lower]++] = (td_filed_side){upper, 2 * i + (from > to)};
        }
    }
}

td_result td_find_adjacent(td_ray_shape *shape, const td_trimesh *mesh, bool *oriented) {
    td_context *context = shape->context;
    const size_t sides_count = 3 * (size_t)shape->triangle_count, firsts = (size_t)shape->vertex_count + 2;
    td_filed_side *sides = TD_NEW(context, td_filed_side, sides_count);
    uint32_t *first = TD_NEW(context, uint32_t, firsts);
    *oriented = true;
    const bool enough = sides != NULL && first != NULL;
    if (enough) {
        for (size_t i = 0; i < firsts; ++i) {
            first[i] = 0;
        }
        for (size_t i = 0; i < sides_count; ++i) {
            shape->neighbours[i] = TD_TRACE_NONE;
        }
        // first[v + 1] counts, then begins, then, once filled, ends vertex v: so first[v] begins it.
        td_file_sides(shape, mesh, sides, first + 1, true);
        for (uint32_t v = 0; v < shape->vertex_count; ++v) {
            first[v + 1] += first[v];
        }
        td_file_sides(shape, mesh, sides, first + 1, false);
        td_join_all(shape, sides, first, oriented);
    }
    TD_DELETE(context, td_filed_side, sides, sides_count);
    TD_DELETE(context, uint32_t, first, firsts);
    return enough ? TD_OK : TD_ERROR_MEMORY;
}

// ---------------------------------------------------------------------------------------------------------
// Embedded

static td_triangle td_corners_of(const td_ray_shape *shape, uint32_t triangle) {
    return td_target_triangle(td_shape_target(shape, 0), triangle);
}

static td_vec3 td_corner_of(td_triangle t, int k) {
    return k == 0 ? t.p0 : k == 1 ? t.p1 : t.p2;
}

static bool td_edge_meets(td_vec3 p, td_vec3 q, const td_triangle *triangle, double grain) {
    const td_vec3 d = td_sub(q, p);
    if (d.x == 0 && d.y == 0 && d.z == 0) {
        return true;
    }
    // The end of the line may be off by rounding: a little farther is asked.
    const td_line line = td_line_make(p, d, grain);
    td_meeting meeting;
    return td_line_meets_triangle(&meeting, &line, triangle) &&
           (meeting.side == 0 || (meeting.t >= -0x1p-20 && meeting.t <= 1 + 0x1p-20));
}

// Two triangles that share the vertex `a`. If they share no other, then what they have in common beyond it
// ends at the edge opposite to it in one of them. If they share an edge, they must not be folded onto each
// other.
static bool td_neighbours_part(const td_ray_shape *shape, const td_trimesh *mesh, uint32_t s, uint32_t t) {
    const uint32_t *is = shape->indices + 3 * (size_t)s, *it = shape->indices + 3 * (size_t)t;
    int shared = 0, at_s = 0, at_t = 0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (td_trimesh_welded(mesh, is[i]) == td_trimesh_welded(mesh, it[k])) {
                ++shared;
                at_s = i;
                at_t = k;
            }
        }
    }
    const td_triangle a = td_corners_of(shape, s), b = td_corners_of(shape, t);
    if (shared == 1) {
        return !td_edge_meets(td_corner_of(a, (at_s + 1) % 3), td_corner_of(a, (at_s + 2) % 3), &b,
                              shape->grain) &&
               !td_edge_meets(td_corner_of(b, (at_t + 1) % 3), td_corner_of(b, (at_t + 2) % 3), &a,
                              shape->grain);
    }
    const td_vec3 m = td_cross(td_sub(a.p1, a.p0), td_sub(a.p2, a.p0)),
                  n = td_cross(td_sub(b.p1, b.p0), td_sub(b.p2, b.p0));
    const double along = td_dot(m, n), size = sqrt(td_dot(m, m)) * sqrt(td_dot(n, n));
    return shared == 2 && along > -0.999999 * size;
}

static bool td_vertices_part(const td_ray_shape *shape, const td_trimesh *mesh) {
    for (uint32_t v = 0; v < shape->vertex_count; ++v) {
        const uint32_t first = shape->incident_first[v], end = shape->incident_first[v + 1];
        if (end - first > 64) {
            return false; // not worth looking at: rays are then cast in full
        }
        for (uint32_t i = first; i < end; ++i) {
            for (uint32_t k = i + 1; k < end; ++k) {
                if (!td_neighbours_part(shape, mesh, shape->incident[i], shape->incident[k])) {
                    return false;
                }
            }
        }
    }
    return true;
}

td_result td_is_embedded(bool *out, const td_ray_shape *shape, const td_mesh *mesh, td_query *query) {
    *out = false;
    for (size_t i = 0; i < 3 * (size_t)shape->triangle_count; ++i) {
        if (shape->neighbours[i] == TD_TRACE_NONE) {
            return TD_OK;
        }
    }
    td_collide_def def = td_default_collide_def();
    def.mode = TD_MODE_FIRST;
    def.keep_degenerate = true;
    td_collide_result answer;
    TD_TRY(td_self_collide(&answer, query, mesh, &def));
    *out = !answer.colliding && td_vertices_part(shape, &mesh->triangles);
    return TD_OK;
}
