#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static test_mesh test_mesh_make(uint32_t vertex_count, uint32_t triangle_count) {
    test_mesh mesh = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    mesh.positions = calloc(3 * (size_t)vertex_count + 1, sizeof *mesh.positions);
    mesh.triangles = calloc(3 * (size_t)triangle_count + 1, sizeof *mesh.triangles);
    if (mesh.positions == NULL || mesh.triangles == NULL) {
        abort();
    }
    return mesh;
}

// `count` triangles with corners of their own, still all at the origin.
static test_mesh test_loose_triangles(uint32_t count) {
    test_mesh mesh = test_mesh_make(3 * count, count);
    for (uint32_t i = 0; i < 3 * count; ++i) {
        mesh.triangles[i] = i;
    }
    return mesh;
}

void test_mesh_free(test_mesh *mesh) {
    free(mesh->positions);
    free(mesh->triangles);
    *mesh = (test_mesh){0};
}

// ---------------------------------------------------------------------------------------------------------
// Soups

test_mesh test_soup(test_random *random, uint32_t count) {
    test_mesh mesh = test_loose_triangles(count);
    for (uint32_t t = 0; t < count; ++t) {
        double center[3];
        for (int k = 0; k < 3; ++k) {
            center[k] = test_random_range(random, -1, 1);
        }
        for (uint32_t i = 0; i < 9; ++i) {
            mesh.positions[9 * t + i] = center[i % 3] + test_random_range(random, -0.5, 0.5);
        }
    }
    return mesh;
}

test_mesh test_grid_soup(test_random *random, uint32_t count) {
    test_mesh mesh = test_loose_triangles(count);
    for (uint32_t i = 0; i < 9 * count; ++i) {
        mesh.positions[i] = test_random_int(random, -2, 2);
    }
    return mesh;
}

test_mesh test_flat_soup(test_random *random, uint32_t count) {
    test_mesh mesh = test_grid_soup(random, count);
    for (uint32_t v = 0; v < mesh.vertex_count; ++v) {
        mesh.positions[3 * v + 2] = 0;
    }
    return mesh;
}

// A third are points, a third segments: the third corner is the first, the second or their middle.
test_mesh test_thin_soup(test_random *random, uint32_t count) {
    test_mesh mesh = test_grid_soup(random, count);
    for (uint32_t t = 0; t < count; ++t) {
        double *p = mesh.positions + 9 * (size_t)t;
        const int kind = test_random_int(random, 0, 5);
        for (int k = 0; k < 3; ++k) {
            p[3 + k] = kind <= 1 ? p[k] : p[3 + k];
            p[6 + k] = kind <= 2 ? p[k] : kind == 3 ? (p[k] + p[3 + k]) / 2 : p[6 + k];
        }
    }
    return mesh;
}

test_mesh test_strip(test_random *random, uint32_t count) {
    test_mesh mesh = test_mesh_make(count + 2, count);
    for (uint32_t v = 0; v < mesh.vertex_count; ++v) {
        for (uint32_t k = 0; k < 3; ++k) {
            mesh.positions[3 * v + k] = test_random_range(random, -1.5, 1.5);
        }
    }
    for (uint32_t i = 0; i < 3 * count; ++i) {
        mesh.triangles[i] = i / 3 + i % 3;
    }
    return mesh;
}

// ---------------------------------------------------------------------------------------------------------
// Close calls

static td_vec3 test_random_vector(test_random *random) {
    const double x = test_random_range(random, -1, 1), y = test_random_range(random, -1, 1);
    return td_vec3_make(x, y, test_random_range(random, -1, 1));
}

static td_vec3 test_unit(td_vec3 v) {
    const double length = sqrt(td_dot(v, v));
    return length > 0 ? td_scale(v, 1 / length) : td_vec3_make(1, 0, 0);
}

static td_vec3 test_along(td_vec3 from, td_vec3 to, double part) {
    return td_add(from, td_scale(td_sub(to, from), part));
}

// A gap of either sign, from 1e-1 down to nothing; half of all lie where float32 ends.
static double test_random_gap(test_random *random) {
    const double exponent = test_random_int(random, 0, 1) == 0 ? test_random_range(random, -17, -1)
                                                               : test_random_range(random, -9, -6);
    return test_random_int(random, -1, 1) * pow(10, exponent);
}

// A triangle of about `size` that meets t, or misses it by `gap`, in the way of `kind`.
static td_triangle test_near_triangle(test_random *random, td_triangle t, int kind, double size, double gap) {
    const td_vec3 normal = test_unit(td_cross(td_sub(t.p1, t.p0), td_sub(t.p2, t.p0)));
    const td_vec3 on_edge = test_along(t.p0, t.p1, test_random_range(random, -0.1, 1.1));
    const td_vec3 on_face = test_along(on_edge, t.p2, test_random_range(random, -0.1, 1));
    const td_vec3 outward = test_unit(td_cross(td_sub(t.p1, t.p0), normal));
    td_vec3 q = test_random_vector(random), r = test_random_vector(random);
    if (kind == 0) { // a corner above the face
        q = td_add(q, td_scale(normal, 2));
        r = td_add(r, td_scale(normal, 2));
        const td_vec3 p = td_add(on_face, td_scale(normal, gap));
        return (td_triangle){p, td_add(p, td_scale(q, size)), td_add(p, td_scale(r, size))};
    }
    if (kind == 1) { // an edge beside an edge, the rest farther out
        const td_vec3 p = td_add(on_edge, td_scale(outward, gap));
        q = test_unit(td_cross(outward, q));
        r = td_add(td_scale(r, 0.5), td_scale(outward, 2));
        return (td_triangle){td_sub(p, td_scale(q, size)), td_add(p, td_scale(q, size)),
                             td_add(p, td_scale(r, size))};
    }
    // In the plane, or just above, or just through it.
    const td_vec3 p = td_add(on_face, td_scale(normal, gap));
    q = td_cross(normal, q);
    r = td_cross(normal, r);
    const double tilt = test_random_int(random, 0, 1) * test_random_gap(random);
    return (td_triangle){p, td_add(p, td_scale(q, size)),
                         td_add(td_add(p, td_scale(r, size)), td_scale(normal, tilt))};
}

test_mesh test_near_soup(test_random *random, const test_mesh *a, uint32_t count) {
    test_mesh mesh = test_loose_triangles(count);
    for (uint32_t t = 0; t < count; ++t) {
        const uint32_t neighbour = (uint32_t)test_random_int(random, 0, (int)a->triangle_count - 1);
        const int kind = test_random_int(random, 0, 2);
        const double size = pow(10, test_random_range(random, -3, 0));
        const td_triangle near =
            test_near_triangle(random, test_mesh_triangle(a, neighbour), kind, size, test_random_gap(random));
        const double corners[9] = {near.p0.x, near.p0.y, near.p0.z, near.p1.x, near.p1.y,
                                   near.p1.z, near.p2.x, near.p2.y, near.p2.z};
        memcpy(mesh.positions + 9 * (size_t)t, corners, sizeof corners);
    }
    return mesh;
}

// ---------------------------------------------------------------------------------------------------------
// Regular meshes

test_mesh test_sheet(uint32_t side, double height) {
    test_mesh mesh = test_mesh_make((side + 1) * (side + 1), 2 * side * side);
    for (uint32_t i = 0; i <= side; ++i) {
        for (uint32_t j = 0; j <= side; ++j) {
            double *p = mesh.positions + 3 * (size_t)(i * (side + 1) + j);
            p[0] = (double)i / side;
            p[1] = (double)j / side;
            p[2] = height * (sin(7 * p[0]) * cos(5 * p[1]));
        }
    }
    for (uint32_t i = 0; i < side; ++i) {
        for (uint32_t j = 0; j < side; ++j) {
            const uint32_t v = i * (side + 1) + j;
            const uint32_t corners[6] = {v, v + side + 1, v + side + 2, v, v + side + 2, v + 1};
            memcpy(mesh.triangles + 6 * (size_t)(i * side + j), corners, sizeof corners);
        }
    }
    return mesh;
}

test_mesh test_box(const double lower[3], const double upper[3]) {
    // Vertex v has the upper coordinate on axis k if bit k of v is set.
    static const uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    test_mesh mesh = test_mesh_make(8, 12);
    for (uint32_t v = 0; v < 8; ++v) {
        for (uint32_t k = 0; k < 3; ++k) {
            mesh.positions[3 * v + k] = (v >> k & 1u) != 0 ? upper[k] : lower[k];
        }
    }
    memcpy(mesh.triangles, triangles, sizeof triangles);
    return mesh;
}

test_mesh test_cube(double center, double half) {
    const double lower[3] = {center - half, center - half, center - half};
    const double upper[3] = {center + half, center + half, center + half};
    return test_box(lower, upper);
}

// Joins `part` to `whole` and frees both.
static test_mesh test_absorb(test_mesh *whole, test_mesh *part) {
    const test_mesh joined = test_join(whole, part);
    test_mesh_free(whole);
    test_mesh_free(part);
    return joined;
}

test_mesh test_stack(uint32_t count) {
    test_mesh mesh = test_cube(0.5, 0.5);
    for (uint32_t i = 1; i < count; ++i) {
        test_mesh next = test_cube(0.5, 0.5);
        test_mesh_shift(&next, 0, 0, i);
        mesh = test_absorb(&mesh, &next);
    }
    return mesh;
}

test_mesh test_hollow_cube(double half, double void_half) {
    test_mesh outer = test_cube(0, half);
    test_mesh inner = test_cube(0, void_half);
    test_mesh_invert(&inner);
    return test_absorb(&outer, &inner);
}

test_mesh test_nested_shells(uint32_t count, double ratio) {
    test_mesh mesh = test_cube(0, 1);
    double half = 1;
    for (uint32_t i = 1; i < count; ++i) {
        half *= ratio;
        test_mesh next = test_cube(0, half);
        mesh = test_absorb(&mesh, &next);
    }
    return mesh;
}

// ---------------------------------------------------------------------------------------------------------
// What builders find hard

test_mesh test_progression(uint32_t count, double ratio) {
    test_mesh mesh = test_loose_triangles(count);
    for (uint32_t t = 0; t < count; ++t) {
        const double size = pow(ratio, t);
        const double corners[9] = {size, 0, 0, 2 * size, size, 0, 2 * size, 0, size};
        memcpy(mesh.positions + 9 * (size_t)t, corners, sizeof corners);
    }
    return mesh;
}

test_mesh test_repeated_triangle(uint32_t count) {
    test_mesh mesh = test_mesh_make(3, count);
    mesh.positions[3] = 1;
    mesh.positions[7] = 1;
    for (uint32_t i = 0; i < 3 * count; ++i) {
        mesh.triangles[i] = i % 3;
    }
    return mesh;
}

test_mesh test_one_point(uint32_t count) {
    test_mesh mesh = test_loose_triangles(count);
    for (uint32_t v = 0; v < mesh.vertex_count; ++v) {
        mesh.positions[3 * v] = 1;
        mesh.positions[3 * v + 1] = 2;
        mesh.positions[3 * v + 2] = 3;
    }
    return mesh;
}

// ---------------------------------------------------------------------------------------------------------
// Meshes from meshes

test_mesh test_copy_of(const td_mesh *mesh) {
    test_mesh copy = test_mesh_make(td_mesh_vertex_count(mesh), td_mesh_triangle_count(mesh));
    for (uint32_t v = 0; v < copy.vertex_count; ++v) {
        td_mesh_vertex(copy.positions + 3 * (size_t)v, mesh, v);
    }
    for (uint32_t t = 0; t < copy.triangle_count; ++t) {
        td_mesh_triangle(copy.triangles + 3 * (size_t)t, mesh, t);
    }
    return copy;
}

test_mesh test_duplicate(const test_mesh *mesh) {
    test_mesh copy = test_mesh_make(mesh->vertex_count, mesh->triangle_count);
    memcpy(copy.positions, mesh->positions, 3 * mesh->vertex_count * sizeof *copy.positions);
    memcpy(copy.triangles, mesh->triangles, 3 * mesh->triangle_count * sizeof *copy.triangles);
    return copy;
}

test_mesh test_join(const test_mesh *a, const test_mesh *b) {
    test_mesh mesh = test_mesh_make(a->vertex_count + b->vertex_count, a->triangle_count + b->triangle_count);
    memcpy(mesh.positions, a->positions, 3 * a->vertex_count * sizeof *mesh.positions);
    memcpy(mesh.positions + 3 * (size_t)a->vertex_count, b->positions,
           3 * b->vertex_count * sizeof *mesh.positions);
    memcpy(mesh.triangles, a->triangles, 3 * a->triangle_count * sizeof *mesh.triangles);
    for (size_t i = 0; i < 3 * (size_t)b->triangle_count; ++i) {
        mesh.triangles[3 * (size_t)a->triangle_count + i] = a->vertex_count + b->triangles[i];
    }
    return mesh;
}

void test_mesh_scale(test_mesh *mesh, double factor) {
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i) {
        mesh->positions[i] *= factor;
    }
}

void test_mesh_shift(test_mesh *mesh, double x, double y, double z) {
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[3 * v] += x;
        mesh->positions[3 * v + 1] += y;
        mesh->positions[3 * v + 2] += z;
    }
}

static void test_swap(uint32_t *a, uint32_t *b) {
    const uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

void test_mesh_invert(test_mesh *mesh) {
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        test_swap(mesh->triangles + 3 * t + 1, mesh->triangles + 3 * t + 2);
    }
}

void test_mesh_drop_triangles(test_mesh *mesh, uint32_t count) {
    mesh->triangle_count -= count;
}

void test_mesh_unplace(test_mesh *mesh, const td_pose *pose) {
    td_pose back = td_pose_identity();
    for (int k = 0; k < 4; ++k) {
        back.rotation[k] = k < 3 ? -pose->rotation[k] : pose->rotation[k];
    }
    test_mesh_shift(mesh, -pose->position[0], -pose->position[1], -pose->position[2]);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        td_pose_apply(mesh->positions + 3 * v, &back, mesh->positions + 3 * v);
    }
}

void test_mesh_turn_corners(test_mesh *mesh, test_random *random) {
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        uint32_t *corners = mesh->triangles + 3 * t;
        test_swap(corners, corners + test_random_int(random, 0, 2));
        test_swap(corners + 1, corners + test_random_int(random, 1, 2));
    }
}

void test_mesh_shuffle(test_mesh *mesh, uint32_t *place, test_random *random) {
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        place[t] = t;
    }
    for (uint32_t t = mesh->triangle_count; t-- > 1;) {
        test_swap(&place[t], &place[test_random_int(random, 0, (int)t)]);
    }
    const test_mesh before = test_duplicate(mesh);
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        memcpy(mesh->triangles + 3 * (size_t)place[t], before.triangles + 3 * t, 3 * sizeof *mesh->triangles);
    }
    free(before.positions);
    free(before.triangles);
}

td_mesh *test_mesh_build(td_context *context, const test_mesh *mesh) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = mesh->positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    td_mesh *built = NULL;
    return td_create_mesh(&built, context, &def) == TD_OK ? built : NULL;
}

static td_vec3 test_vertex(const test_mesh *mesh, uint32_t vertex) {
    const double *p = mesh->positions + 3 * (size_t)vertex;
    return td_vec3_make(p[0], p[1], p[2]);
}

td_triangle test_mesh_triangle(const test_mesh *mesh, uint32_t index) {
    const uint32_t *i = mesh->triangles + 3 * (size_t)index;
    return (td_triangle){test_vertex(mesh, i[0]), test_vertex(mesh, i[1]), test_vertex(mesh, i[2])};
}

// ---------------------------------------------------------------------------------------------------------
// Poses

td_pose test_exact_turn(int index) {
    td_pose pose = td_pose_identity();
    if (index < 4) {
        pose.rotation[3] = 0;
        pose.rotation[(index + 3) % 4] = 1;
        return pose;
    }
    for (int k = 0; k < 3; ++k) {
        pose.rotation[k] = ((index - 4) >> k & 1) != 0 ? -0.5 : 0.5;
    }
    pose.rotation[3] = 0.5;
    return pose;
}

td_pose test_inverse_exact(const td_pose *pose) {
    td_pose inverse = td_pose_identity();
    for (int k = 0; k < 3; ++k) {
        inverse.rotation[k] = -pose->rotation[k];
    }
    inverse.rotation[3] = pose->rotation[3];
    double back[3];
    td_pose_apply(back, &inverse, pose->position);
    for (int k = 0; k < 3; ++k) {
        inverse.position[k] = -back[k];
    }
    return inverse;
}

td_pose test_quarter_turn(int axis) {
    td_pose pose = td_pose_identity();
    pose.rotation[axis] = pose.rotation[3] = sqrt(0.5);
    return pose;
}

static td_vec3 test_place_point(const td_pose *pose, td_vec3 point) {
    const double x[3] = {point.x, point.y, point.z};
    double placed[3];
    td_pose_apply(placed, pose, x);
    return td_vec3_make(placed[0], placed[1], placed[2]);
}

td_triangle test_placed(const td_pose *pose, td_triangle triangle) {
    return (td_triangle){test_place_point(pose, triangle.p0), test_place_point(pose, triangle.p1),
                         test_place_point(pose, triangle.p2)};
}

// ---------------------------------------------------------------------------------------------------------

int test_rounds(int normal) {
    if (getenv("TD_TEST_LONG") != NULL) {
        return 20 * normal;
    }
    return getenv("TD_TEST_QUICK") != NULL ? (normal + 7) / 8 : normal;
}
