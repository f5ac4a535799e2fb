#include "questions.h"

#include <math.h>
#include <stdio.h>

typedef void test_meshes_fn(test_question *out, test_random *random);

// Around the sizes of a quad (4), a leaf block (16) and a block of leaf blocks (64).
static uint32_t test_some_size(const test_question *question, test_random *random) {
    static const uint32_t sizes[] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 33, 63, 64, 65};
    const uint32_t size = sizes[test_random_int(random, 0, (int)(sizeof sizes / sizeof *sizes) - 1)];
    return size < question->most ? size : question->most;
}

static void test_make_soups(test_question *out, test_random *random) {
    out->a = test_soup(random, test_some_size(out, random));
    out->b = test_soup(random, test_some_size(out, random));
}

static void test_make_grids(test_question *out, test_random *random) {
    out->a = test_grid_soup(random, test_some_size(out, random));
    out->b = test_grid_soup(random, test_some_size(out, random));
}

static void test_make_flat(test_question *out, test_random *random) {
    out->a = test_flat_soup(random, test_some_size(out, random));
    out->b = test_flat_soup(random, test_some_size(out, random));
}

static void test_make_thin(test_question *out, test_random *random) {
    out->a = test_thin_soup(random, test_some_size(out, random));
    out->b = test_thin_soup(random, test_some_size(out, random));
}

static void test_make_strips(test_question *out, test_random *random) {
    out->a = test_strip(random, test_some_size(out, random));
    out->b = test_duplicate(&out->a);
}

static void test_make_same_soup(test_question *out, test_random *random) {
    out->a = test_grid_soup(random, test_some_size(out, random));
    out->b = test_duplicate(&out->a);
}

static void test_make_boxes(test_question *out, test_random *random) {
    const double origin[3] = {0, 0, 0};
    for (int i = 0; i < 2; ++i) {
        double upper[3];
        for (int k = 0; k < 3; ++k) {
            upper[k] = test_random_int(random, 1, 2);
        }
        *(i == 0 ? &out->a : &out->b) = test_box(origin, upper);
    }
}

static void test_make_stacks(test_question *out, test_random *random) {
    const int most = (int)out->most / 12;
    out->a = test_stack((uint32_t)test_random_int(random, 1, most));
    out->b = test_stack((uint32_t)test_random_int(random, 1, most));
}

static void test_make_nested(test_question *out, test_random *random) {
    out->a = test_nested_shells((uint32_t)test_random_int(random, 1, (int)out->most / 12), 0.5);
    out->b = test_cube(0, test_random_range(random, 0.2, 0.3));
}

static void test_make_sheets(test_question *out, test_random *random) {
    const int most = (int)sqrt(out->most / 2.0);
    out->a = test_sheet((uint32_t)test_random_int(random, 1, most), 0);
    out->b = test_sheet((uint32_t)test_random_int(random, 1, most), test_random_int(random, 0, 1) * 0.01);
}

static void test_make_one_against_many(test_question *out, test_random *random) {
    out->a = test_strip(random, 1);
    out->b = test_soup(random, out->most);
    test_mesh_scale(&out->a, 2);
}

// test_make_question turns B so that one of the poses brings it here again.
static void test_make_near(test_question *out, test_random *random) {
    out->a = test_soup(random, test_some_size(out, random));
    out->b = test_near_soup(random, &out->a, test_some_size(out, random));
}

typedef struct test_kind {
    const char *name;
    test_meshes_fn *make;
} test_kind;

static const test_kind test_kinds[] = {
    {"soups", test_make_soups},
    {"grids", test_make_grids},
    {"flat", test_make_flat},
    {"thin", test_make_thin},
    {"strips", test_make_strips},
    {"same soup", test_make_same_soup},
    {"boxes", test_make_boxes},
    {"stacks", test_make_stacks},
    {"nested", test_make_nested},
    {"sheets", test_make_sheets},
    {"one, many", test_make_one_against_many},
    {"near", test_make_near},
};

// Where the meshes stand: coordinates times `scale`, plus `offset` on all axes. B's `scale_b` differs from
// A's where float32 has no common unit for the two.
typedef struct test_magnitude {
    const char *name;
    double scale_a, scale_b, offset;
} test_magnitude;

static const test_magnitude test_magnitudes[] = {
    {"plain", 1, 1, 0},
    {"thirds", 1.0 / 3, 1.0 / 3, 0},
    {"huge", 1e300, 1e300, 0},
    {"tiny", 1e-300, 1e-300, 0},
    {"denormal", 0x1p-1074, 0x1p-1074, 0},
    {"nearly denormal", 0x1p-1022, 0x1p-1022, 0},
    {"far away", 1, 1, 1e15},
    {"farther away than float64 resolves", 0x1p-3, 0x1p-3, 0x1p52},
    {"on a map", 1e-3, 1e-3, 5e6},
    {"mixed 1e12", 1e-12, 1e12, 0},
    {"mixed 1e-12", 1e12, 1e-12, 0},
    {"mixed 2^30", 1, 0x1p30, 0},
    {"mixed 2^31", 0x1p31, 1, 0},
    {"mixed 1e3", 1e3, 1, 0},
    {"mixed 1e-6", 1e-6, 1, 0},
};

_Static_assert(sizeof test_kinds / sizeof *test_kinds == TEST_KINDS, "one entry per kind");
_Static_assert(sizeof test_magnitudes / sizeof *test_magnitudes == TEST_MAGNITUDES,
               "one entry per magnitude");

static void test_shift_pose(td_pose *pose, double unit, double x, double y, double z) {
    pose->position[0] = unit * x;
    pose->position[1] = unit * y;
    pose->position[2] = unit * z;
}

// Poses on the scale of the meshes: `unit` stands for 1. Meshes that stand at `offset` turn about the origin
// all the same, so those poses take B far away; the others, which only shift, keep it near.
static void test_make_poses(td_pose poses[TEST_QUESTION_POSES], test_random *random, double unit) {
    for (int i = 0; i < 2; ++i) { // exact: integers stay integers
        poses[i] = test_exact_turn(i == 0 ? 0 : test_random_int(random, 0, TEST_EXACT_TURNS - 1));
        test_shift_pose(&poses[i], unit, test_random_int(random, -1, 1), test_random_int(random, -1, 1),
                        test_random_int(random, -2, 2));
    }
    poses[2] = td_pose_identity();
    poses[3] = test_exact_turn(test_random_int(random, 1, 3));
    poses[4] = test_quarter_turn(test_random_int(random, 0, 2));
    for (int i = 5; i < 7; ++i) {
        poses[i] = test_random_pose(random, i == 5 ? 0.5 : 2);
        test_shift_pose(&poses[i], unit, poses[i].position[0], poses[i].position[1], poses[i].position[2]);
    }
    poses[7] = td_pose_identity(); // as far away as it is large, or much farther
    test_shift_pose(&poses[7], unit, test_random_int(random, 0, 1) * 1e6, 4, 0);
}

test_question test_make_question(int kind_index, int magnitude_index, uint64_t seed) {
    const test_kind *kind = &test_kinds[kind_index];
    const test_magnitude *magnitude = &test_magnitudes[magnitude_index];
    test_random state = {seed}, *random = &state;
    // Where neither float32 nor expansions reach, every pair costs long numbers.
    const bool plain = magnitude->scale_a == 1 && magnitude->scale_b == 1 && magnitude->offset == 0;
    test_question question = {.most = plain ? 65 : 17};
    kind->make(&question, random);
    test_mesh_scale(&question.a, magnitude->scale_a);
    test_mesh_scale(&question.b, magnitude->scale_b);
    const double offset = magnitude->offset;
    test_mesh_shift(&question.a, offset, offset, offset);
    test_mesh_shift(&question.b, offset, offset, offset);
    test_make_poses(question.poses, random, fmin(magnitude->scale_a, magnitude->scale_b));
    if (kind->make == test_make_near && test_random_int(random, 0, 3) != 0) {
        test_mesh_unplace(&question.b, &question.poses[5]);
    } else if (offset != 0 && test_random_int(random, 0, 1) != 0) {
        // The same places by another way: B stands at the origin, the pose takes it out.
        test_mesh_shift(&question.b, -offset, -offset, -offset);
        for (int i = 0; i < TEST_QUESTION_POSES; ++i) {
            for (int k = 0; k < 3; ++k) {
                question.poses[i].position[k] += offset;
            }
        }
    }
    snprintf(question.name, sizeof question.name, "%s, %s, seed %llu (%u and %u triangles)", kind->name,
             magnitude->name, (unsigned long long)seed, question.a.triangle_count, question.b.triangle_count);
    return question;
}

const char *test_kind_name(int kind) {
    return test_kinds[kind].name;
}

void test_question_free(test_question *question) {
    test_mesh_free(&question->a);
    test_mesh_free(&question->b);
}
