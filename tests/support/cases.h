// Meshes and poses that tests collide, from plain to nasty: what scenes are to a simulation.
//
// Coordinates are made of small integers or of random numbers in [-2, 2]; test_mesh_scale and test_mesh_shift
// take them to where float64 ends.
#ifndef TD_TESTS_CASES_H
#define TD_TESTS_CASES_H

#include "math/vec3.h"
#include "random.h"

#include <tandem/mesh.h>

#include <stdbool.h>

// Plain arrays from malloc, to be freed with test_mesh_free.
typedef struct test_mesh {
    double *positions; // x y z per vertex
    uint32_t *triangles;
    uint32_t vertex_count, triangle_count;
} test_mesh;

void test_mesh_free(test_mesh *mesh);

// ---------------------------------------------------------------------------------------------------------
// Meshes

test_mesh test_soup(test_random *random, uint32_t count);      // triangles of size up to 1 within [-1.5, 1.5]
test_mesh test_grid_soup(test_random *random, uint32_t count); // corners on the integers -2 ... 2
test_mesh test_flat_soup(test_random *random, uint32_t count); // the same, all in the plane z = 0
test_mesh test_thin_soup(test_random *random, uint32_t count); // the same, with many segments and points
test_mesh test_strip(test_random *random, uint32_t count);     // neighbours share edges and vertices
// Each triangle all but touches one of `a`, or just does, or barely cuts it: face to vertex, edge to edge,
// face to face, of sizes from 1 to 1e-3 of it, at distances down to the last place of float64. What filters
// must not decide.
test_mesh test_near_soup(test_random *random, const test_mesh *a, uint32_t count);
test_mesh test_sheet(uint32_t side, double height); // side x side squares in [0, 1]^2, bumps of `height`
test_mesh test_box(const double lower[3], const double upper[3]); // closed, outward
test_mesh test_cube(double center, double half);                  // the box about (c, c, c)
test_mesh test_stack(uint32_t count);                             // unit cubes face to face along z
test_mesh test_hollow_cube(double half, double void_half);        // a cube with a cube cut out
test_mesh test_nested_shells(uint32_t count, double ratio); // cubes in cubes, each `ratio` of the one around
test_mesh test_progression(uint32_t count, double ratio);   // triangle i is ratio^i large and lies at ratio^i
test_mesh test_repeated_triangle(uint32_t count);           // one triangle again and again
test_mesh test_one_point(uint32_t count);                   // every corner in one place
test_mesh test_copy_of(const td_mesh *mesh);                // e.g. of a built-in shape
test_mesh test_join(const test_mesh *a, const test_mesh *b);
test_mesh test_duplicate(const test_mesh *mesh);

// In place:
void test_mesh_scale(test_mesh *mesh, double factor);
void test_mesh_shift(test_mesh *mesh, double x, double y, double z);
void test_mesh_invert(test_mesh *mesh);                         // turns every triangle inside out
void test_mesh_drop_triangles(test_mesh *mesh, uint32_t count); // the last ones
void test_mesh_unplace(test_mesh *mesh, const td_pose *pose);   // so that `pose` takes it where it was, about
// Turns the corners of each triangle round or over.
void test_mesh_turn_corners(test_mesh *mesh, test_random *random);
// Puts the triangles into random order: triangle i goes to place[i].
void test_mesh_shuffle(test_mesh *mesh, uint32_t *place, test_random *random);

// Null with td_error_message() on failure.
td_mesh *test_mesh_build(td_context *context, const test_mesh *mesh);

td_triangle test_mesh_triangle(const test_mesh *mesh, uint32_t index);

// ---------------------------------------------------------------------------------------------------------
// Poses

enum { TEST_EXACT_TURNS = 12 };

// The rotations that take axes to axes by quaternions without rounding: the identity, the three half turns
// and the eight turns by a third. On integers their matrices are exact.
td_pose test_exact_turn(int index);
td_pose test_inverse_exact(const td_pose *pose); // of an exact turn with an integer position
td_pose test_quarter_turn(int axis);             // its quaternion is rounded, so it is not exact

td_triangle test_placed(const td_pose *pose, td_triangle triangle); // by td_pose_apply

// ---------------------------------------------------------------------------------------------------------

// How many rounds of a random test to run: `normal`, a part of it if TD_TEST_QUICK is set, a multiple if
// TD_TEST_LONG is.
int test_rounds(int normal);

#endif
