// A renderer of its own, for comparison: every ray against every triangle in plain long double arithmetic,
// without hierarchies, filters or anything else of the library's but the coordinates.
#ifndef TD_TESTS_UNIT_RENDER_SUPPORT_H
#define TD_TESTS_UNIT_RENDER_SUPPORT_H

#include "support/cases.h"
#include "support/random.h"
#include "support/variants.h"

#include <tandem/tandem.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEST_MOST_BODIES = 64 };

// Bodies and what they own.
typedef struct test_scenery {
    td_context *context;
    td_render_body bodies[TEST_MOST_BODIES];
    td_mesh *meshes[TEST_MOST_BODIES];
    td_render_mesh *models[TEST_MOST_BODIES];
    size_t count;
} test_scenery;

static inline td_render_body *test_scenery_add(test_scenery *s, const char *shape, uint32_t subdivide,
                                               td_pose pose) {
    const size_t i = s->count++;
    if (td_create_shape(&s->meshes[i], s->context, shape, subdivide) != TD_OK ||
        td_create_render_mesh(&s->models[i], s->context, s->meshes[i]) != TD_OK) {
        abort();
    }
    s->bodies[i] = (td_render_body){.mesh = s->models[i], .pose = pose};
    td_body_colour(s->bodies[i].colour, (uint32_t)i);
    return &s->bodies[i];
}

static inline void test_scenery_clear(test_scenery *s) {
    for (size_t i = 0; i < s->count; ++i) {
        td_destroy_render_mesh(s->models[i]);
        td_destroy_mesh(s->meshes[i]);
    }
    *s = (test_scenery){0};
}

static inline td_pose test_at(double x, double y, double z) {
    td_pose pose = td_pose_identity();
    pose.position[0] = x;
    pose.position[1] = y;
    pose.position[2] = z;
    return pose;
}

// ---------------------------------------------------------------------------------------------------------

typedef struct test_seen {
    bool hit;
    bool clear; // not so near to an edge, or to another hit, that roundings might decide otherwise
    size_t body;
    uint32_t triangle;
    long double t;
    long double normal[3]; // of the triangle, towards where the ray comes from; of length 1
} test_seen;

static inline long double test_dot(const long double a[3], const long double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void test_cross_product(long double out[3], const long double a[3], const long double b[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

static inline void test_unit(long double v[3]) {
    const long double length = sqrtl(test_dot(v, v));
    for (int k = 0; k < 3; ++k) {
        v[k] /= length;
    }
}

static inline void test_place(long double out[3], const td_render_body *body, const td_mesh *mesh,
                              uint32_t vertex) {
    double own[3], placed[3];
    td_mesh_vertex(own, mesh, vertex);
    td_pose_apply(placed, &body->pose, own);
    for (int k = 0; k < 3; ++k) {
        out[k] = (long double)placed[k];
    }
}

// Moeller and Trumbore. `near` becomes whether an edge is near.
static inline bool test_hits(long double *t, bool *near, long double normal[3], long double p[3][3],
                             const long double origin[3], const long double direction[3]) {
    long double u[3], v[3], s[3], q[3], r[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = p[1][k] - p[0][k];
        v[k] = p[2][k] - p[0][k];
        s[k] = origin[k] - p[0][k];
    }
    test_cross_product(normal, u, v);
    test_cross_product(q, direction, v);
    test_cross_product(r, s, u);
    const long double determinant = test_dot(u, q);
    if (determinant == 0) {
        return false;
    }
    const long double a = test_dot(s, q) / determinant, b = test_dot(direction, r) / determinant;
    const long double c = 1 - a - b, least = fminl(a, fminl(b, c));
    *t = test_dot(v, r) / determinant;
    *near = *near || (fabsl(least) < 1e-9L && *t > -1e-6L);
    return least >= 0 && *t > 0;
}

static inline test_seen test_trace(const test_scenery *s, const long double origin[3],
                                   const long double direction[3]) {
    test_seen best = {.clear = true, .t = INFINITY};
    long double second = INFINITY;
    bool near = false;
    for (size_t body = 0; body < s->count; ++body) {
        for (uint32_t i = 0; i < td_mesh_triangle_count(s->meshes[body]); ++i) {
            uint32_t corners[3];
            long double p[3][3], normal[3], t;
            td_mesh_triangle(corners, s->meshes[body], i);
            for (int k = 0; k < 3; ++k) {
                test_place(p[k], &s->bodies[body], s->meshes[body], corners[k]);
            }
            if (!test_hits(&t, &near, normal, p, origin, direction)) {
                continue;
            }
            second = fminl(second, fmaxl(t, best.t));
            if (t < best.t) {
                best = (test_seen){.hit = true, .body = body, .triangle = i, .t = t};
                test_unit(normal);
                const long double side = test_dot(normal, direction) > 0 ? -1 : 1;
                for (int k = 0; k < 3; ++k) {
                    best.normal[k] = side * normal[k];
                }
            }
        }
    }
    best.clear = !near && !(second - best.t < 1e-9L);
    return best;
}

// The ray through the middle of a pixel.
static inline void test_camera_ray(long double origin[3], long double direction[3], const td_render_def *def,
                                   uint32_t x, uint32_t y) {
    long double forward[3], right[3], up[3], given[3];
    for (int k = 0; k < 3; ++k) {
        origin[k] = (long double)def->camera.eye[k];
        forward[k] = (long double)def->camera.look_at[k] - origin[k];
        given[k] = (long double)def->camera.up[k];
    }
    test_unit(forward);
    test_cross_product(right, forward, given);
    test_unit(right);
    test_cross_product(up, right, forward);
    const long double slope = tanl((long double)def->camera.field_of_view / 2);
    const long double width = def->width, height = def->height;
    const long double across = (2 * (x + 0.5L) / width - 1) * slope * width / height;
    const long double upwards = (1 - 2 * (y + 0.5L) / height) * slope;
    for (int k = 0; k < 3; ++k) {
        direction[k] = forward[k] + across * right[k] + upwards * up[k];
    }
}

// For free().
static inline uint8_t *test_draw(const test_scenery *s, const td_render_def *def) {
    uint8_t *pixels = malloc(3 * (size_t)def->width * def->height);
    if (pixels == NULL || td_render_picture(pixels, NULL, s->context, s->bodies, s->count, def) != TD_OK) {
        fprintf(stderr, "test_draw: %s\n", td_error_message());
        abort();
    }
    return pixels;
}

static inline td_render_def test_small_def(uint32_t width, uint32_t height) {
    td_render_def def = td_default_render_def();
    def.width = width;
    def.height = height;
    def.samples = 1;
    def.sky_rays = 0;
    return def;
}

static inline td_context *test_context(void **state) {
    return ((test_variants *)*state)->items[0].context;
}

static inline td_render_def test_view_of(const test_scenery *s, uint32_t width, uint32_t height) {
    td_render_def def = test_small_def(width, height);
    assert_int_equal(
        td_frame_bodies(&def.camera, s->context, s->bodies, s->count, (double)width / height, NULL), TD_OK);
    return def;
}

#endif
