// Contacts of two meshes, found as a step finds them, and what must hold for any of them.
#ifndef TD_TESTS_CONTACTS_SUPPORT_H
#define TD_TESTS_CONTACTS_SUPPORT_H

#include "support/cmocka_all.h"
#include "support/random.h"
#include "support/stage.h"

#include "dynamics/contacts.h"
#include "query/pose.h"

#include <math.h>
#include <stdlib.h>

enum { TEST_MOST_CONTACTS = 1024 };

typedef struct test_found {
    td_found_contact contacts[TEST_MOST_CONTACTS];
    size_t count;
    uint32_t regions;
    double size;      // m, radius of the smaller body
    uint64_t pairs;   // of triangles
    td_inside inside; // one swallowed the other
} test_found;

static inline double test_apart(td_vec3 a, td_vec3 b) {
    return td_length(td_sub(a, b));
}

// A copy of a mesh whose vertices were moved.
static inline td_mesh *test_moved(test_stage *stage, const td_mesh *mesh, const td_pose *pose, double scale) {
    const uint32_t vertices = td_mesh_vertex_count(mesh), triangles = td_mesh_triangle_count(mesh);
    double *positions = calloc(3 * (size_t)vertices, sizeof *positions);
    uint32_t *corners = calloc(3 * (size_t)triangles, sizeof *corners);
    assert_true(positions != NULL && corners != NULL);
    for (uint32_t i = 0; i < vertices; ++i) {
        double p[3];
        td_mesh_vertex(p, mesh, i);
        for (int k = 0; k < 3; ++k) {
            p[k] *= scale;
        }
        td_pose_apply(&positions[3 * (size_t)i], pose, p);
    }
    for (uint32_t i = 0; i < triangles; ++i) {
        td_mesh_triangle(&corners[3 * (size_t)i], mesh, i);
    }
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = vertices;
    def.triangles = corners;
    def.triangle_count = triangles;
    def.name = td_mesh_name(mesh);
    td_mesh *moved;
    assert_int_equal(td_create_mesh(&moved, stage->context, &def), TD_OK);
    free(positions);
    free(corners);
    return test_stage_keep(stage, moved);
}

static inline td_mesh *test_scaled(test_stage *stage, const td_mesh *mesh, double scale) {
    const td_pose here = td_pose_identity();
    return test_moved(stage, mesh, &here, scale);
}

// Whether a point of a's frame is within the bounds of a mesh placed by `rigid`, grown by a margin.
static inline bool test_is_within(const td_mesh *mesh, td_rigid rigid, td_vec3 point, double margin) {
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, mesh);
    const td_vec3 d = td_sub(point, rigid.position);
    const td_vec3 own =
        td_add(td_add(td_scale(rigid.row0, d.x), td_scale(rigid.row1, d.y)), td_scale(rigid.row2, d.z));
    const double p[3] = {own.x, own.y, own.z};
    for (int k = 0; k < 3; ++k) {
        if (!(p[k] >= lower[k] - margin && p[k] <= upper[k] + margin)) {
            return false;
        }
    }
    return true;
}

static inline void test_check_contact(const td_found_contact *c, const td_mesh *a, const td_mesh *b,
                                      td_rigid rigid, double size) {
    if (!(fabs(td_length(c->normal) - 1) <= 1e-12)) {
        fail_msg("a normal of length %.17g", td_length(c->normal));
    }
    if (!(c->depth >= 0 && c->depth <= 2 * size)) {
        fail_msg("a depth of %g m, of bodies of %g m", c->depth, size);
    }
    const td_rigid here = td_rigid_make(td_vec3_make(0, 0, 0), 0, 0, 0, 1);
    const double margin = c->depth + 1e-9 * size;
    if (!test_is_within(a, here, c->point, margin) || !test_is_within(b, rigid, c->point, margin)) {
        fail_msg("a point at %g, %g, %g that is far from the bodies", c->point.x, c->point.y, c->point.z);
    }
}

// Contacts of `a` and of `b` placed at `pose`, in a's frame; fails the test if one of them cannot be.
static inline test_found test_find(test_stage *stage, const td_mesh *a, const td_mesh *b,
                                   const td_pose *pose) {
    test_found found = {.count = 0};
    td_query *query;
    td_surface *surfaces[2];
    td_contact_finder finder = {0};
    td_collide_result answer;
    const td_collide_def def = td_default_collide_def();
    assert_int_equal(td_create_query(&query, stage->context), TD_OK);
    assert_int_equal(td_surface_create(&surfaces[0], stage->context, a), TD_OK);
    assert_int_equal(td_surface_create(&surfaces[1], stage->context, b), TD_OK);
    assert_int_equal(td_collide(&answer, query, a, b, pose, &def), TD_OK);
    const td_meeting meeting = {.surfaces = {surfaces[0], surfaces[1]},
                                .rigid = td_pose_rigid(pose),
                                .size = fmin(surfaces[0]->radius, surfaces[1]->radius)};
    const td_vec3 apart = td_sub(td_rigid_apply(meeting.rigid, surfaces[1]->centre), surfaces[0]->centre);
    const td_vec3 way = td_length(apart) > 0 ? td_scale(apart, 1 / td_length(apart)) : td_vec3_make(0, 1, 0);
    assert_int_equal(
        td_find_contacts(&finder, stage->context, &meeting, answer.pairs, answer.pair_count, way), TD_OK);
    found.size = meeting.size;
    found.pairs = answer.pair_count;
    found.inside = answer.inside;
    assert_true(finder.contacts.count <= TEST_MOST_CONTACTS);
    for (size_t i = 0; i < finder.contacts.count; ++i) {
        const td_found_contact *c = &finder.contacts.items[i];
        test_check_contact(c, a, b, meeting.rigid, meeting.size);
        found.contacts[found.count++] = *c;
        found.regions += i == 0 || c->region != finder.contacts.items[i - 1].region;
    }
    td_contact_finder_release(&finder, stage->context);
    td_surface_destroy(surfaces[0]);
    td_surface_destroy(surfaces[1]);
    td_destroy_query(query);
    return found;
}

// The contacts of a region; their number.
static inline size_t test_of_region(const td_found_contact **out, const test_found *found, uint32_t region) {
    size_t count = 0;
    for (size_t i = 0; i < found->count; ++i) {
        if (found->contacts[i].region == region) {
            out[count++] = &found->contacts[i];
        }
    }
    return count;
}

static inline double test_deepest(const test_found *found) {
    double most = 0;
    for (size_t i = 0; i < found->count; ++i) {
        most = fmax(most, found->contacts[i].depth);
    }
    return most;
}

// How far the nearest contact is from a place.
static inline double test_nearest(const test_found *found, td_vec3 place) {
    double least = INFINITY;
    for (size_t i = 0; i < found->count; ++i) {
        least = fmin(least, test_apart(found->contacts[i].point, place));
    }
    return least;
}

static inline void test_normals_are(const test_found *found, td_vec3 normal, double tolerance) {
    for (size_t i = 0; i < found->count; ++i) {
        const td_vec3 n = found->contacts[i].normal;
        if (!(test_apart(n, normal) <= tolerance)) {
            fail_msg("contact %zu of %zu: normal %.15g %.15g %.15g, expected %.15g %.15g %.15g", i,
                     found->count, n.x, n.y, n.z, normal.x, normal.y, normal.z);
        }
    }
}

static inline void test_depth_is(double depth, double expected, double tolerance) {
    if (!(fabs(depth - expected) <= tolerance)) {
        fail_msg("a depth of %.15g, expected %.15g", depth, expected);
    }
}

// Each of the places has a contact.
static inline void test_points_at(const test_found *found, const td_vec3 *places, size_t count,
                                  double tolerance) {
    for (size_t i = 0; i < count; ++i) {
        const double off = test_nearest(found, places[i]);
        if (!(off <= tolerance)) {
            fail_msg("no contact at %.12g %.12g %.12g: the nearest of %zu is %g away", places[i].x,
                     places[i].y, places[i].z, found->count, off);
        }
    }
}

static inline td_pose test_place(double x, double y, double z) {
    td_pose pose = td_pose_identity();
    pose.position[0] = x;
    pose.position[1] = y;
    pose.position[2] = z;
    return pose;
}

// A pose after a turn: of x -> turn(pose(x)).
static inline td_pose test_turned(const td_pose *turn, const td_pose *pose) {
    td_pose out;
    td_pose_apply(out.position, turn, pose->position);
    const td_quat q =
        td_quat_mul(td_quat_make(turn->rotation[0], turn->rotation[1], turn->rotation[2], turn->rotation[3]),
                    td_quat_make(pose->rotation[0], pose->rotation[1], pose->rotation[2], pose->rotation[3]));
    const td_quat n = td_quat_normalise(q);
    out.rotation[0] = n.x;
    out.rotation[1] = n.y;
    out.rotation[2] = n.z;
    out.rotation[3] = n.w;
    return out;
}

#endif
