#include "inspect.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../mesh/edges.h"
#include "../predicates/tri_tri.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// Vertices

static uint32_t td_count_distinct_positions(const td_trimesh *mesh) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        count += td_trimesh_welded(mesh, v) == v;
    }
    return count;
}

static td_result td_count_unreferenced(uint32_t *out, td_context *context, const td_trimesh *mesh) {
    uint8_t *referenced = TD_NEW(context, uint8_t, mesh->vertex_count);
    if (referenced == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(referenced, 0, mesh->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i) {
        referenced[mesh->indices[i]] = 1;
    }
    *out = mesh->vertex_count;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        *out -= referenced[v];
    }
    TD_DELETE(context, uint8_t, referenced, mesh->vertex_count);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Edges

// The uses of one edge, by direction.
typedef struct td_edge_count {
    uint32_t up, down;
} td_edge_count;

static void td_classify_edge(td_mesh_report *report, td_edge_count count) {
    const uint64_t uses = (uint64_t)count.up + count.down;
    report->boundary_edges += uses == 1;
    report->nonmanifold_edges += uses > 2;
    report->misoriented_edges += uses == 2 && count.up != count.down;
}

// `counts` has an entry per vertex, all zero before and after.
static void td_classify_group(td_mesh_report *report, const uint32_t *uses, uint32_t count,
                              td_edge_count *counts) {
    for (uint32_t i = 0; i < count; ++i) {
        td_edge_count *edge = &counts[uses[i] / 2];
        edge->down += uses[i] & 1;
        edge->up += !(uses[i] & 1);
    }
    for (uint32_t i = 0; i < count; ++i) {
        td_edge_count *edge = &counts[uses[i] / 2];
        td_classify_edge(report, *edge); // zero, and hence nothing, from an edge's second use on
        *edge = (td_edge_count){0, 0};
    }
}

static td_result td_count_edges(td_mesh_report *report, td_context *context, const td_trimesh *mesh) {
    td_edge_table edges;
    TD_TRY(td_edge_table_create(&edges, context, mesh->indices, mesh->triangle_count, mesh->weld,
                                mesh->vertex_count));
    td_edge_count *counts = TD_NEW(context, td_edge_count, mesh->vertex_count);
    if (counts != NULL) {
        memset(counts, 0, mesh->vertex_count * sizeof *counts);
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            const uint32_t start = edges.first[v];
            td_classify_group(report, edges.uses + start, edges.first[v + 1] - start, counts);
        }
    }
    TD_DELETE(context, td_edge_count, counts, mesh->vertex_count);
    td_edge_table_destroy(&edges, context);
    return counts != NULL ? TD_OK : TD_ERROR_MEMORY;
}

// ---------------------------------------------------------------------------------------------------------
// Triangles

// The three positions of a triangle, ascending.
typedef struct td_position_set {
    uint32_t low, middle, high;
} td_position_set;

static td_position_set td_positions_of(const td_trimesh *mesh, uint32_t triangle) {
    const uint32_t *i = mesh->indices + 3 * (size_t)triangle;
    uint32_t a = td_trimesh_welded(mesh, i[0]);
    uint32_t b = td_trimesh_welded(mesh, i[1]);
    const uint32_t c = td_trimesh_welded(mesh, i[2]);
    if (a > b) {
        const uint32_t swap = a;
        a = b;
        b = swap;
    }
    if (c <= a) {
        return (td_position_set){c, a, b};
    }
    return c <= b ? (td_position_set){a, c, b} : (td_position_set){a, b, c};
}

static void td_count_degenerate(td_mesh_report *report, const td_trimesh *mesh) {
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const td_position_set p = td_positions_of(mesh, t);
        if (p.low == p.middle || p.middle == p.high) {
            ++report->repeated_vertex;
        } else {
            report->zero_area += td_triangle_is_degenerate(td_trimesh_triangle(mesh, t)) != 0;
        }
    }
}

static bool td_same_positions(td_position_set a, td_position_set b) {
    return a.low == b.low && a.middle == b.middle && a.high == b.high;
}

static uint64_t td_hash_positions(td_position_set p) {
    uint64_t h = p.low * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 32) ^ p.middle) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 32) ^ p.high) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

#define TD_EMPTY UINT32_MAX

// Enters the triangle into the open-addressed table of `mask` + 1 slots; false if an equal one is there.
static bool td_enter_triangle(uint32_t *slots, size_t mask, const td_trimesh *mesh, uint32_t triangle) {
    const td_position_set positions = td_positions_of(mesh, triangle);
    size_t slot = (size_t)td_hash_positions(positions) & mask;
    while (slots[slot] != TD_EMPTY) {
        if (td_same_positions(td_positions_of(mesh, slots[slot]), positions)) {
            return false;
        }
        slot = (slot + 1) & mask;
    }
    slots[slot] = triangle;
    return true;
}

static td_result td_count_duplicates(uint32_t *out, td_context *context, const td_trimesh *mesh) {
    size_t slot_count = 4;
    while (slot_count < 2 * (size_t)mesh->triangle_count) {
        slot_count *= 2;
    }
    uint32_t *slots = TD_NEW(context, uint32_t, slot_count);
    if (slots == NULL) {
        return TD_ERROR_MEMORY;
    }
    memset(slots, 0xff, slot_count * sizeof *slots);
    *out = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        *out += !td_enter_triangle(slots, slot_count - 1, mesh, t);
    }
    TD_DELETE(context, uint32_t, slots, slot_count);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

// Area, and volume as the sum of signed tetrahedra. Their apex is the middle of the bounds, not the origin:
// far away from the origin the sum would cancel away.
static void td_measure_surface(td_mesh_report *report, const td_trimesh *mesh) {
    const td_vec3 middle = td_add(td_scale(mesh->lower, 0.5), td_scale(mesh->upper, 0.5));
    double area = 0;
    double volume = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const td_triangle triangle = td_trimesh_triangle(mesh, t);
        const td_vec3 normal = td_cross(td_sub(triangle.p1, triangle.p0), td_sub(triangle.p2, triangle.p0));
        area += sqrt(td_dot(normal, normal)) / 2;
        volume += td_dot(normal, td_sub(triangle.p0, middle)) / 6;
    }
    report->area = area;
    report->volume = volume;
}

static void td_copy_point(double out[3], td_vec3 point) {
    out[0] = point.x;
    out[1] = point.y;
    out[2] = point.z;
}

td_result td_inspect_trimesh(td_mesh_report *out, td_context *context, const td_trimesh *mesh) {
    td_mesh_report report = {
        .vertices = mesh->vertex_count,
        .distinct_positions = td_count_distinct_positions(mesh),
        .triangles = mesh->triangle_count,
        .components = mesh->seed_count,
        .closed = mesh->closed,
    };
    td_copy_point(report.lower, mesh->lower);
    td_copy_point(report.upper, mesh->upper);
    TD_TRY(td_count_unreferenced(&report.unreferenced_vertices, context, mesh));
    TD_TRY(td_count_edges(&report, context, mesh));
    TD_TRY(td_count_duplicates(&report.duplicate_triangles, context, mesh));
    td_count_degenerate(&report, mesh);
    td_measure_surface(&report, mesh);
    *out = report;
    return TD_OK;
}
