// Oriented boxes: they hold what is below them, are tight where they should be, and two of them that share a
// point are never told apart.
#include "query/mesh.h"
#include "query/pose.h"
#include "support/cases.h"
#include "support/cmocka_all.h"
#include "traverse/nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_fitted {
    td_mesh *mesh;
    td_postorder post;
} test_fitted;

static td_context *test_context(void) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    return context;
}

static test_fitted test_fit(td_context *context, test_mesh mesh) {
    test_fitted fitted = {.mesh = test_mesh_build(context, &mesh)};
    test_mesh_free(&mesh);
    if (fitted.mesh == NULL) {
        fail_msg("%s", td_error_message());
        abort(); // not reached: fail_msg does not return
    }
    assert_int_equal(td_postorder_create(&fitted.post, &fitted.mesh->triangles, &fitted.mesh->hierarchy),
                     TD_OK);
    assert_int_equal(td_postorder_fit_obbs(&fitted.post, &fitted.mesh->triangles, &fitted.mesh->hierarchy),
                     TD_OK);
    return fitted;
}

static void test_unfit(test_fitted *fitted, td_context *context) {
    td_postorder_destroy(&fitted->post, context);
    td_destroy_mesh(fitted->mesh);
}

// Local coordinates in long double: 11 bits more than what the boxes were made from.
static void test_local(long double out[3], const td_blocked *blocked, td_vec3 p) {
    const double x[3] = {p.x, p.y, p.z},
                 origin[3] = {blocked->origin.x, blocked->origin.y, blocked->origin.z};
    for (int k = 0; k < 3; ++k) {
        out[k] = ldexpl((long double)x[k] - (long double)origin[k], blocked->exponent);
    }
}

static bool test_holds(const td_obbf *obb, const long double p[3]) {
    for (int k = 0; k < 3; ++k) {
        long double along = 0;
        for (int l = 0; l < 3; ++l) {
            along += (long double)obb->axes[3 * k + l] * (p[l] - (long double)obb->center[l]);
        }
        if (fabsl(along) > (long double)obb->half[k]) {
            return false;
        }
    }
    return true;
}

static uint32_t test_parent(const td_postorder *post, uint32_t n) {
    while (post->links[n].counter == 0) {
        n = post->links[n].escape;
    }
    return n - 1;
}

static void test_check_axes(const td_obbf *obb) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double dot = 0;
            for (int l = 0; l < 3; ++l) {
                dot += (double)obb->axes[3 * i + l] * (double)obb->axes[3 * j + l];
            }
            assert_true(fabs(dot - (i == j)) <= 0x3.8p-24); // what the bound in obb_obb.h counts on
        }
        assert_true((double)obb->half[i] < 1.7321);
        assert_true(fabs((double)obb->center[i]) < 3);
    }
}

static double test_area(const float h[3]) {
    return (double)h[0] * (double)h[1] + (double)h[1] * (double)h[2] + (double)h[2] * (double)h[0];
}

static void test_check_fit(td_context *context, test_mesh mesh, const char *name) {
    test_fitted fitted = test_fit(context, mesh);
    const td_postorder *post = &fitted.post;
    const td_blocked *blocked = &fitted.mesh->hierarchy;
    for (uint32_t n = 0; n < post->node_count; ++n) {
        test_check_axes(&post->obbs[n]);
        assert_true(test_area(post->obbs[n].half) <= test_area(post->boxes[n].half));
        if (!(post->links[n].kind & TD_POST_LEAF)) {
            continue;
        }
        const uint32_t at = post->links[n].child;
        const td_triangle t =
            td_trimesh_triangle(&fitted.mesh->triangles, blocked->quads[at / 4].triangle[at % 4]);
        const td_vec3 corners[3] = {t.p0, t.p1, t.p2};
        for (uint32_t up = n;; up = test_parent(post, up)) {
            for (int i = 0; i < 3; ++i) {
                long double p[3];
                test_local(p, blocked, corners[i]);
                if (!test_holds(&post->obbs[up], p)) {
                    fail_msg("%s: corner %d of leaf %u sticks out of node %u", name, i, n, up);
                }
            }
            if (up == 0) {
                break;
            }
        }
    }
    test_unfit(&fitted, context);
}

static test_mesh test_scaled(test_mesh mesh, double factor) {
    test_mesh_scale(&mesh, factor);
    return mesh;
}

static test_mesh test_shifted(test_mesh mesh, double by) {
    test_mesh_shift(&mesh, by, -2 * by, by / 3);
    return mesh;
}

// Corners on a line in space, so that all triangles are segments.
static test_mesh test_line(test_random *random, uint32_t count) {
    test_mesh mesh = test_soup(random, count);
    for (uint32_t v = 0; v < mesh.vertex_count; ++v) {
        const double t = test_random_range(random, -1, 1);
        mesh.positions[3 * (size_t)v] = t;
        mesh.positions[3 * (size_t)v + 1] = 2 * t;
        mesh.positions[3 * (size_t)v + 2] = -0.5 * t;
    }
    return mesh;
}

static void test_holds_everything(void **state) {
    (void)state;
    td_context *context = test_context();
    test_random random = {3};
    test_check_fit(context, test_soup(&random, 1), "one triangle");
    test_check_fit(context, test_soup(&random, 700), "soup");
    test_check_fit(context, test_flat_soup(&random, 200), "flat");
    test_check_fit(context, test_thin_soup(&random, 200), "thin");
    test_check_fit(context, test_line(&random, 200), "line");
    test_check_fit(context, test_one_point(20), "point");
    test_check_fit(context, test_repeated_triangle(20), "repeated");
    test_check_fit(context, test_sheet(20, 0.05), "sheet");
    test_check_fit(context, test_progression(150, 0.6), "progression");
    test_check_fit(context, test_scaled(test_soup(&random, 200), 1e306), "huge");
    test_check_fit(context, test_scaled(test_soup(&random, 200), 1e-306), "tiny");
    test_check_fit(context, test_shifted(test_soup(&random, 200), 1e9), "far");
    td_destroy_context(context);
}

// A long box that stands askew: its own axes are found, its sizes met.
static void test_tight(void **state) {
    (void)state;
    td_context *context = test_context();
    test_random random = {5};
    for (int round = 0; round < test_rounds(50); ++round) {
        const double half[3] = {2, 0.5, 0.125}; // so that eigenvalues are apart
        test_mesh box = test_box((const double[3]){-half[0], -half[1], -half[2]}, half);
        const td_pose pose = test_random_pose(&random, 0);
        for (uint32_t v = 0; v < box.vertex_count; ++v) {
            double placed[3];
            td_pose_apply(placed, &pose, box.positions + 3 * (size_t)v);
            memcpy(box.positions + 3 * (size_t)v, placed, sizeof placed);
        }
        test_fitted fitted = test_fit(context, box);
        const td_obbf *obb = &fitted.post.obbs[0];
        const double unit = ldexp(1, fitted.mesh->hierarchy.exponent);
        double product = 1;
        for (int k = 0; k < 3; ++k) {
            product *= (double)obb->half[k] / unit;
        }
        // Volumes agree up to float32 axes: an error of 1e-7 of the long side adds to the short one.
        assert_true(product >= half[0] * half[1] * half[2] * (1 - 1e-6));
        assert_true(product <= half[0] * half[1] * half[2] * (1 + 1e-4));
        assert_true(test_area(obb->half) <= test_area(fitted.post.boxes[0].half));
        test_unfit(&fitted, context);
    }
    td_destroy_context(context);
}

// ---------------------------------------------------------------------------------------------------------
// Overlap

// The point of the box with coordinates `along` (axis by axis, within its half-sizes), in local coordinates:
// solves axes (x - center) = along.
static void test_point_of_box(double out[3], const td_obbf *obb, const double along[3]) {
    long double m[3][3];
    for (int k = 0; k < 9; ++k) {
        m[k / 3][k % 3] = (long double)obb->axes[k];
    }
    long double cofactor[3][3], det = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactor[i][j] = m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
        }
    }
    for (int j = 0; j < 3; ++j) {
        det += m[0][j] * cofactor[0][j];
    }
    for (int j = 0; j < 3; ++j) {
        long double x = 0;
        for (int i = 0; i < 3; ++i) {
            x += cofactor[i][j] * (long double)along[i];
        }
        out[j] = (double)(x / det + (long double)obb->center[j]);
    }
}

static td_vec3 test_from_local(const td_blocked *blocked, const double p[3]) {
    return td_vec3_make(ldexp(p[0], -blocked->exponent) + blocked->origin.x,
                        ldexp(p[1], -blocked->exponent) + blocked->origin.y,
                        ldexp(p[2], -blocked->exponent) + blocked->origin.z);
}

// The pose with this rotation that takes y (of B) to x (of A).
static td_pose test_pose_taking(td_pose pose, td_vec3 y, td_vec3 x) {
    const double from[3] = {y.x, y.y, y.z}, to[3] = {x.x, x.y, x.z};
    double turned[3];
    for (int k = 0; k < 3; ++k) {
        pose.position[k] = 0;
    }
    td_pose_apply(turned, &pose, from);
    for (int k = 0; k < 3; ++k) {
        pose.position[k] = to[k] - turned[k];
    }
    return pose;
}

// 1 or 0 as td_obb_overlaps has it; -1: the frame does not allow for float32 at all.
static int test_overlap(const test_fitted *a, const test_fitted *b, uint32_t node_a, uint32_t node_b,
                        const td_pose *pose) {
    const td_rigid rigid = td_pose_rigid(pose);
    const td_frame frame = td_frame_make(&a->mesh->triangles, &a->mesh->hierarchy, &b->mesh->triangles,
                                         &b->mesh->hierarchy, &rigid);
    if (!frame.usable) {
        return -1;
    }
    const td_placef place = td_place_of(&frame);
    return td_obb_overlaps(&a->post.obbs[node_a], &b->post.obbs[node_b], &place);
}

// The rotation that takes the axes of B's box to those of A's, permuted: faces lie on faces.
static td_pose test_aligned(const td_obbf *a, const td_obbf *b, int turn) {
    double matrix[12] = {0}, handed[2];
    const float *axes[2] = {a->axes, b->axes};
    for (int i = 0; i < 2; ++i) { // right-handed or left-handed
        const float *m = axes[i];
        handed[i] = (double)(m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                             m[2] * (m[3] * m[7] - m[4] * m[6]));
    }
    for (int k = 0; k < 3; ++k) {
        const double sign = k == 2 && handed[0] * handed[1] < 0 ? -1 : 1;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                matrix[4 * i + j] +=
                    sign * (double)a->axes[3 * ((k + turn) % 3) + i] * (double)b->axes[3 * k + j];
            }
        }
    }
    td_pose pose;
    if (td_pose_from_matrix(&pose, matrix) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return pose;
}

typedef struct test_tally {
    int touching, apart, skipped;
} test_tally;

// Corner on corner, edge on edge, face on face of two boxes: always overlapping.
static void test_touch_boxes(const test_fitted *a, const test_fitted *b, test_random *random,
                             test_tally *tally) {
    const uint32_t node_a = (uint32_t)test_random_int(random, 0, (int)a->post.node_count - 1);
    const uint32_t node_b = (uint32_t)test_random_int(random, 0, (int)b->post.node_count - 1);
    const td_obbf *box_a = &a->post.obbs[node_a], *box_b = &b->post.obbs[node_b];
    double along_a[3], along_b[3], x[3], y[3];
    for (int k = 0; k < 3; ++k) {
        const double sides[3] = {-1, 1, test_random_range(random, -1, 1)};
        along_a[k] = sides[test_random_int(random, 0, 2)] * (double)box_a->half[k];
        along_b[k] = sides[test_random_int(random, 0, 2)] * (double)box_b->half[k];
    }
    test_point_of_box(x, box_a, along_a);
    test_point_of_box(y, box_b, along_b);
    const bool aligned = test_random_int(random, 0, 1) == 0;
    const td_pose turn =
        aligned ? test_aligned(box_a, box_b, test_random_int(random, 0, 2)) : test_random_pose(random, 0);
    const td_pose pose = test_pose_taking(turn, test_from_local(&b->mesh->hierarchy, y),
                                          test_from_local(&a->mesh->hierarchy, x));
    const int overlap = test_overlap(a, b, node_a, node_b, &pose);
    if (overlap == 0) {
        fail_msg("boxes %u and %u share a point and are told apart", node_a, node_b);
    }
    tally->touching += overlap == 1;
    tally->skipped += overlap < 0;
}

// Faces a hundredth of a unit apart are apart.
static void test_part_boxes(const test_fitted *a, const test_fitted *b, test_random *random,
                            test_tally *tally) {
    const uint32_t node_a = (uint32_t)test_random_int(random, 0, (int)a->post.node_count - 1);
    const td_obbf *box_a = &a->post.obbs[node_a], *box_b = &b->post.obbs[0];
    const td_pose turn = test_aligned(box_a, box_b, 0);
    double x[3], y[3];
    test_point_of_box(x, box_a, (const double[3]){(double)box_a->half[0] + 0.01, 0, 0});
    test_point_of_box(y, box_b, (const double[3]){-(double)box_b->half[0], 0, 0});
    const td_pose pose = test_pose_taking(turn, test_from_local(&b->mesh->hierarchy, y),
                                          test_from_local(&a->mesh->hierarchy, x));
    const int overlap = test_overlap(a, b, node_a, 0, &pose);
    assert_int_not_equal(overlap, 1);
    tally->apart += overlap == 0;
    tally->skipped += overlap < 0;
}

static test_mesh test_some_mesh(test_random *random, int kind) {
    switch (kind) {
    case 0:
        return test_soup(random, 60);
    case 1:
        return test_flat_soup(random, 40);
    case 2:
        return test_line(random, 40);
    case 3:
        return test_scaled(test_soup(random, 60), ldexp(1, test_random_int(random, -20, 20)));
    case 4:
        return test_shifted(test_soup(random, 60), 1e6);
    case 5:
        return test_one_point(5);
    default:
        return test_progression(60, 0.6);
    }
}

static void test_shared_points_overlap(void **state) {
    (void)state;
    td_context *context = test_context();
    test_random random = {7};
    test_tally tally = {0};
    for (int round = 0; round < test_rounds(400); ++round) {
        test_fitted a = test_fit(context, test_some_mesh(&random, round % 7));
        test_fitted b = test_fit(context, test_some_mesh(&random, test_random_int(&random, 0, 6)));
        for (int i = 0; i < 300; ++i) {
            test_touch_boxes(&a, &b, &random, &tally);
        }
        if (round % 7 == 0) {
            test_part_boxes(&a, &a, &random, &tally);
        }
        test_unfit(&a, context);
        test_unfit(&b, context);
    }
    print_message("%d touching, %d apart, %d of frames that need the exact predicate\n", tally.touching,
                  tally.apart, tally.skipped);
    assert_true(tally.touching > 10 * tally.skipped && tally.apart > 0);
    td_destroy_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_everything),
        cmocka_unit_test(test_tight),
        cmocka_unit_test(test_shared_points_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
