// Poses: what is accepted, what they mean, and that the meaning is the same to the last bit.
#include "math/rigid.h"
#include "query/pose.h"
#include "support/cases.h"
#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

// Row-major 3x4, as td_pose_apply has it.
static void test_matrix_of(double matrix[12], const td_pose *pose) {
    const td_rigid m = td_pose_rigid(pose);
    const td_vec3 rows[3] = {m.row0, m.row1, m.row2};
    const double position[3] = {m.position.x, m.position.y, m.position.z};
    for (int i = 0; i < 3; ++i) {
        matrix[4 * i] = rows[i].x;
        matrix[4 * i + 1] = rows[i].y;
        matrix[4 * i + 2] = rows[i].z;
        matrix[4 * i + 3] = position[i];
    }
}

static void test_expect_close(const double a[12], const double b[12]) {
    for (int k = 0; k < 12; ++k) {
        assert_true(fabs(a[k] - b[k]) <= 1e-14 * fmax(1, fabs(b[k])));
    }
}

static void test_matrix_round_trip(void **state) {
    (void)state;
    test_random random = {81};
    for (int i = 0; i < test_rounds(20000); ++i) {
        td_pose pose = test_random_pose(&random, 1e3);
        if (i % 4 == 0) { // near half turns, where the obvious formula divides by next to nothing
            pose.rotation[i / 4 % 4] *= 1e-9;
            const double *q = pose.rotation;
            const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
            for (int k = 0; k < 4; ++k) {
                pose.rotation[k] /= norm;
            }
        }
        assert_int_equal(td_check_pose(&pose), TD_OK);
        double matrix[12], again[12];
        test_matrix_of(matrix, &pose);
        td_pose back;
        assert_int_equal(td_pose_from_matrix(&back, matrix), TD_OK);
        assert_int_equal(td_check_pose(&back), TD_OK);
        test_matrix_of(again, &back);
        test_expect_close(again, matrix);
        assert_memory_equal(back.position, pose.position, sizeof pose.position);
    }
}

static void test_exact_turns(void **state) {
    (void)state;
    const double point[3] = {3, -5, 0x1p-60};
    for (int i = 0; i < TEST_EXACT_TURNS; ++i) {
        td_pose pose = test_exact_turn(i);
        double matrix[12], sum[3] = {0}, turned[3], there_and_back[3];
        test_matrix_of(matrix, &pose);
        for (int k = 0; k < 12; ++k) {
            assert_true(matrix[k] == 0 || matrix[k] == 1 || matrix[k] == -1);
            sum[k / 4] += fabs(matrix[k]);
        }
        assert_true(sum[0] == 1 && sum[1] == 1 && sum[2] == 1);
        pose.position[1] = 7;
        const td_pose inverse = test_inverse_exact(&pose);
        td_pose_apply(turned, &pose, point);
        td_pose_apply(there_and_back, &inverse, turned);
        assert_true(there_and_back[0] == point[0] && there_and_back[1] == point[1]);
    }
    const td_pose identity = td_pose_identity();
    double same[3];
    td_pose_apply(same, &identity, point);
    assert_memory_equal(same, point, sizeof point);
}

// The operations that queries promise, written out once more.
static void test_fixed_sequence(void **state) {
    (void)state;
    test_random random = {82};
    for (int i = 0; i < test_rounds(20000); ++i) {
        td_pose pose = test_random_pose(&random, 10);
        const double stretch = 1 + test_random_range(&random, -9e-7, 9e-7); // normalised before use
        for (int k = 0; k < 4; ++k) {
            pose.rotation[k] *= stretch;
        }
        assert_int_equal(td_check_pose(&pose), TD_OK);
        double p[3], out[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = test_random_range(&random, -10, 10);
        }
        volatile double q[4], square[4]; // volatile: each operation rounds on its own
        for (int k = 0; k < 4; ++k) {
            square[k] = pose.rotation[k] * pose.rotation[k];
        }
        volatile double sum = square[0] + square[1];
        sum = sum + square[2];
        sum = sum + square[3];
        const double norm = sqrt(sum);
        for (int k = 0; k < 4; ++k) {
            q[k] = pose.rotation[k] / norm;
        }
        volatile double yy = q[1] * q[1], zz = q[2] * q[2], xy = q[0] * q[1], wz = q[3] * q[2],
                        xz = q[0] * q[2], wy = q[3] * q[1];
        volatile double r00 = 1 - 2 * (yy + zz), r01 = 2 * (xy - wz), r02 = 2 * (xz + wy);
        volatile double t0 = r00 * p[0], t1 = r01 * p[1], t2 = r02 * p[2];
        volatile double dot = t0 + t1;
        dot = dot + t2;
        dot = dot + pose.position[0];
        td_pose_apply(out, &pose, p);
        assert_true(out[0] == dot);
    }
}

static void test_expect_bad(td_result result, const char *part) {
    if (result != TD_ERROR_POSE || strstr(td_error_message(), part) == NULL) {
        fail_msg("expected a pose error with '%s', found %s: %s", part, td_result_name(result),
                 td_error_message());
    }
}

static void test_bad_matrices(void **state) {
    (void)state;
    const double good[12] = {1, 0, 0, 4, 0, 1, 0, 5, 0, 0, 1, 6};
    double m[12];
    td_pose pose;
    assert_int_equal(td_pose_from_matrix(&pose, good), TD_OK);
    assert_true(pose.position[0] == 4 && pose.position[2] == 6 && pose.rotation[3] == 1);
    for (int k = 0; k < 12; ++k) {
        const double bad[3] = {NAN, INFINITY, -INFINITY};
        for (int b = 0; b < 3; ++b) {
            memcpy(m, good, sizeof m);
            m[k] = bad[b];
            test_expect_bad(td_pose_from_matrix(&pose, m), "not finite");
        }
    }
    memcpy(m, good, sizeof m);
    m[5] = 1 + 1e-5;
    test_expect_bad(td_pose_from_matrix(&pose, m), "scales");
    m[5] = 1 + 1e-7;
    assert_int_equal(td_pose_from_matrix(&pose, m), TD_OK);
    memcpy(m, good, sizeof m);
    m[1] = 1e-4; // row 1 is a little longer, but within the tolerance
    test_expect_bad(td_pose_from_matrix(&pose, m), "shears");
    memcpy(m, good, sizeof m);
    m[10] = -1;
    test_expect_bad(td_pose_from_matrix(&pose, m), "mirrors");
    memset(m, 0, sizeof m);
    test_expect_bad(td_pose_from_matrix(&pose, m), "scales");
    memcpy(m, good, sizeof m);
    m[0] = 1e300;
    test_expect_bad(td_pose_from_matrix(&pose, m), "scales");
}

static void test_bad_poses(void **state) {
    (void)state;
    for (int k = 0; k < 7; ++k) {
        for (int b = 0; b < 3; ++b) {
            td_pose pose = td_pose_identity();
            *(k < 3 ? &pose.position[k] : &pose.rotation[k - 3]) = b == 0   ? NAN
                                                                   : b == 1 ? INFINITY
                                                                            : -INFINITY;
            test_expect_bad(td_check_pose(&pose), k < 3 ? "not finite" : "norm");
        }
    }
    td_pose pose = td_pose_identity();
    pose.rotation[3] = 1 + 2e-6;
    test_expect_bad(td_check_pose(&pose), "expected 1 within 1e-6");
    pose.rotation[3] = 1 - 5e-7;
    assert_int_equal(td_check_pose(&pose), TD_OK);
    pose.rotation[3] = -1; // the same rotation
    assert_int_equal(td_check_pose(&pose), TD_OK);
    pose.rotation[3] = 0;
    test_expect_bad(td_check_pose(&pose), "norm 0");
    pose.rotation[3] = 1e200; // its square overflows
    test_expect_bad(td_check_pose(&pose), "norm inf");
    pose = td_pose_identity();
    pose.position[2] = 1.7e308; // a number, if an extreme one: whether it is too far depends on the mesh
    assert_int_equal(td_check_pose(&pose), TD_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix_round_trip), cmocka_unit_test(test_exact_turns),
        cmocka_unit_test(test_fixed_sequence),    cmocka_unit_test(test_bad_matrices),
        cmocka_unit_test(test_bad_poses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
