// What a step of the tracer should find: every ray at every triangle, one after the other, from the
// definitions of tandem/traced.h. Shares with the tracer only what defines a ray: the sequence of operations
// that takes it into the target's coordinates (src/rays/start.h), and the ray's meeting with a triangle
// (td_cast_rays by brute force).
#ifndef TD_TESTS_UNIT_TRACED_SUPPORT_H
#define TD_TESTS_UNIT_TRACED_SUPPORT_H

#include "query/mesh.h"
#include "query/pose.h"
#include "rays/start.h"
#include "support/cases.h"
#include "support/cmocka_all.h"
#include "support/heap.h"
#include "support/results.h"

#include <tandem/tandem.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_contacts {
    td_traced_contact *items;
    size_t count, capacity;
} test_contacts;

static inline void test_add_contact(test_contacts *contacts, td_traced_contact contact) {
    if (contacts->count == contacts->capacity) {
        contacts->capacity = contacts->capacity * 2 + 64;
        contacts->items = realloc(contacts->items, contacts->capacity * sizeof contact);
        assert_non_null(contacts->items);
    }
    contacts->items[contacts->count++] = contact;
}

static inline td_vec3 test_vertex(const td_mesh *mesh, uint32_t vertex) {
    double p[3];
    td_mesh_vertex(p, mesh, vertex);
    return td_vec3_make(p[0], p[1], p[2]);
}

static inline td_vec3 test_area_of(const td_mesh *mesh, uint32_t triangle) {
    uint32_t i[3];
    td_mesh_triangle(i, mesh, triangle);
    const td_vec3 p = test_vertex(mesh, i[0]);
    return td_cross(td_sub(test_vertex(mesh, i[1]), p), td_sub(test_vertex(mesh, i[2]), p));
}

// +1 or -1 by the volume.
static inline int test_outward(const td_mesh *mesh) {
    double sum = 0;
    for (uint32_t t = 0; t < td_mesh_triangle_count(mesh); ++t) {
        uint32_t i[3];
        td_mesh_triangle(i, mesh, t);
        double lower[3], upper[3];
        td_mesh_bounds(lower, upper, mesh);
        const td_vec3 middle =
            td_vec3_make((lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, (lower[2] + upper[2]) / 2);
        sum += td_dot(td_sub(test_vertex(mesh, i[0]), middle), test_area_of(mesh, t));
    }
    return sum < 0 ? -1 : 1;
}

// Per vertex: the way its ray goes, or 0; only the first of several at one position has one.
static inline td_vec3 *test_inward(const td_mesh *mesh, bool solid) {
    const uint32_t count = td_mesh_vertex_count(mesh);
    td_vec3 *sums = calloc(count, sizeof *sums);
    assert_non_null(sums);
    for (uint32_t t = 0; t < td_mesh_triangle_count(mesh); ++t) {
        uint32_t i[3];
        td_mesh_triangle(i, mesh, t);
        for (int k = 0; k < 3; ++k) {
            td_vec3 *sum = &sums[td_trimesh_welded(&mesh->triangles, i[k])];
            *sum = td_add(*sum, test_area_of(mesh, t));
        }
    }
    const int outward = solid ? test_outward(mesh) : 1;
    for (uint32_t v = 0; v < count; ++v) {
        const double length = sqrt(td_dot(sums[v], sums[v]));
        sums[v] = length > 0x1p-500 && length < 0x1p500 ? td_scale(sums[v], -outward / length)
                                                        : td_vec3_make(0, 0, 0);
    }
    return sums;
}

static inline td_ray_hit test_cast(const td_mesh *mesh, td_vec3 o, td_vec3 d, double t_min, double t_max) {
    td_ray_def def = td_default_ray_def();
    def.brute = true;
    const td_ray ray = {{o.x, o.y, o.z}, {d.x, d.y, d.z}, t_min, t_max};
    td_ray_hit hit;
    test_ok(td_cast_rays(&hit, mesh, NULL, &ray, 1, &def));
    return hit;
}

static inline bool test_is_zero(td_vec3 v) {
    return v.x == 0 && v.y == 0 && v.z == 0;
}

// The rays of one side.
static inline void test_trace_side(test_contacts *out, uint32_t pair, uint32_t side,
                                   const td_traced_object *source, const td_traced_object *target,
                                   bool source_solid, bool target_solid) {
    const td_mesh *mesh = source->mesh, *at = target->mesh;
    const td_rigid rigid = td_rigid_within(td_pose_rigid(&target->pose), td_pose_rigid(&source->pose));
    const double around = source_solid ? 0 : 0.5 * source->thickness;
    const double before = target_solid ? 0 : 0.5 * target->thickness;
    td_vec3 *inward = test_inward(mesh, source_solid);
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, at);
    const int outward = target_solid ? test_outward(at) : 1,
              own_outward = source_solid ? test_outward(mesh) : 1;
    for (uint32_t v = 0; v < td_mesh_vertex_count(mesh); ++v) {
        if (test_is_zero(inward[v])) {
            continue;
        }
        for (uint32_t face = 0; face < (source_solid ? 1u : 2u); ++face) {
            td_trace_ray ray = td_start_ray(rigid, test_vertex(mesh, v), inward[v], 0, around, face, before);
            if (!(ray.origin.x >= lower[0] - before && ray.origin.x <= upper[0] + before &&
                  ray.origin.y >= lower[1] - before && ray.origin.y <= upper[1] + before &&
                  ray.origin.z >= lower[2] - before && ray.origin.z <= upper[2] + before)) {
                continue;
            }
            double own = 2 * around;
            if (source_solid) {
                const td_ray_hit exit = test_cast(mesh, test_vertex(mesh, v), inward[v], 0x1p-1074, INFINITY);
                own = exit.hit && exit.side == -own_outward ? exit.t : 0;
                if (mesh->triangles
                        .deformable) { // there the first of its own triangles ends it, whatever its side
                    own = exit.hit ? exit.t : INFINITY;
                }
            }
            const td_ray_hit hit = test_cast(at, ray.origin, ray.direction, -before, own);
            if (hit.hit && (!target_solid || hit.side == -outward)) {
                test_add_contact(out, (td_traced_contact){.pair = pair,
                                                          .side = side,
                                                          .vertex = v,
                                                          .face = face,
                                                          .triangle = hit.triangle,
                                                          .depth = hit.t + before});
            }
        }
    }
    free(inward);
}

static inline bool test_is_solid(const td_traced_object *object) {
    return object->thickness == 0;
}

// All contacts of a step. Objects with a thickness are sheets, the others solids.
static inline test_contacts test_trace(const td_traced_object *objects, const td_traced_pair *pairs,
                                       size_t pair_count) {
    test_contacts out = {0};
    for (size_t i = 0; i < pair_count; ++i) {
        const td_traced_object *a = &objects[pairs[i].a], *b = &objects[pairs[i].b];
        test_trace_side(&out, (uint32_t)i, 0, a, b, test_is_solid(a), test_is_solid(b));
        test_trace_side(&out, (uint32_t)i, 1, b, a, test_is_solid(b), test_is_solid(a));
    }
    return out;
}

static inline bool test_same_contact(const td_traced_contact *a, const td_traced_contact *b) {
    return a->pair == b->pair && a->side == b->side && a->vertex == b->vertex && a->face == b->face &&
           a->triangle == b->triangle && memcmp(&a->depth, &b->depth, sizeof a->depth) == 0;
}

// Fails the running test unless the tracer found just these.
static inline void test_expect_contacts(const td_traced_result *found, const test_contacts *expected,
                                        const char *what) {
    const size_t least = found->contact_count < expected->count ? found->contact_count : expected->count;
    for (size_t i = 0; i < least; ++i) {
        const td_traced_contact *a = &found->contacts[i], *b = &expected->items[i];
        if (!test_same_contact(a, b)) {
            fail_msg(
                "%s: contact %zu: found pair %u side %u vertex %u face %u triangle %u depth %.17g, expected "
                "%u %u %u %u %u %.17g",
                what, i, a->pair, a->side, a->vertex, a->face, a->triangle, a->depth, b->pair, b->side,
                b->vertex, b->face, b->triangle, b->depth);
        }
    }
    if (found->contact_count != expected->count) {
        fail_msg("%s: found %zu contacts, expected %zu", what, found->contact_count, expected->count);
    }
}

#endif
