// Thin shells: their mass, centre and inertia, against formulas.
#include "support/cmocka_all.h"
#include "support/random.h"
#include "support/stage.h"

#include "mesh/shell.h"
#include "query/mesh.h"

#include <math.h>
#include <string.h>

static void test_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.15g, expected %.15g within %g", value, expected, tolerance);
    }
}

static td_mesh *test_make(test_stage *stage, const double *positions, uint32_t vertices,
                          const uint32_t *triangles, uint32_t count) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = vertices;
    def.triangles = triangles;
    def.triangle_count = count;
    def.name = "leaf";
    td_mesh *mesh;
    assert_int_equal(td_create_mesh(&mesh, stage->context, &def), TD_OK);
    return test_stage_keep(stage, mesh);
}

// A triangle, wherever it is: a twelfth of its mass at each corner and three quarters at the middle have the
// same moments.
static void test_triangle(void **state) {
    (void)state;
    static const uint32_t corners[3] = {0, 1, 2};
    test_random random = {21};
    for (int round = 0; round < 10; ++round) {
        test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
        double p[12] = {0}, moments[3][3] = {{0}};
        for (int i = 0; i < 9; ++i) {
            p[i] = test_random_range(&random, -2, 2) + (round < 5 ? 0 : 1000);
        }
        td_shell shell;
        assert_int_equal(td_find_shell(&shell, &test_make(&stage, p, 3, corners, 1)->triangles), TD_OK);
        double u[3], v[3];
        for (int k = 0; k < 3; ++k) {
            p[9 + k] = (p[k] + p[3 + k] + p[6 + k]) / 3;
            u[k] = p[3 + k] - p[k];
            v[k] = p[6 + k] - p[k];
        }
        const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        const double area = 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int c = 0; c < 3; ++c) { // about the middle, where the three quarters add nothing
            const double d[3] = {p[3 * c] - p[9], p[3 * c + 1] - p[10], p[3 * c + 2] - p[11]};
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                    moments[i][j] += area / 12 * ((i == j ? square : 0) - d[i] * d[j]);
                }
            }
        }
        test_near(shell.area, area, 1e-9 * area);
        test_near(shell.centre.x, p[9], 1e-9);
        test_near(shell.centre.y, p[10], 1e-9);
        test_near(shell.centre.z, p[11], 1e-9);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                test_near(shell.inertia[i][j], moments[i][j], 1e-8 * area);
                test_near(shell.inertia[i][j], shell.inertia[j][i], 1e-14 * area);
            }
        }
        test_stage_clear(&stage);
    }
}

static void test_box_of_sheets(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    td_shell shell;
    const double box[1][6] = {{5, -3, 2, 1, 2, 3}};
    assert_int_equal(td_find_shell(&shell, &test_stage_boxes(&stage, box, 1)->triangles), TD_OK);
    test_near(shell.area, 2 * (2 + 3 + 6), 1e-12);
    test_near(shell.centre.x, 5, 1e-12);
    test_near(shell.centre.y, -3, 1e-12);
    test_near(shell.centre.z, 2, 1e-12);
    // Sums over the faces of x^2, y^2, z^2: those across an axis are at half its length, on the others they
    // are spread evenly.
    const double xx = 2 * 6 * 0.25 + 2 * (2 + 3) / 12.0, yy = 2 * 3 * 1 + 2 * (2 + 6) * 4 / 12.0,
                 zz = 2 * 2 * 2.25 + 2 * (3 + 6) * 9 / 12.0;
    test_near(shell.inertia[0][0], yy + zz, 1e-11);
    test_near(shell.inertia[1][1], xx + zz, 1e-11);
    test_near(shell.inertia[2][2], xx + yy, 1e-11);
    test_near(shell.inertia[0][1], 0, 1e-11);
    test_near(shell.inertia[1][2], 0, 1e-11);
    test_stage_clear(&stage);
}

static void test_hollow_ball(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    td_shell shell;
    assert_int_equal(td_find_shell(&shell, &test_stage_shape(&stage, "sphere", 2)->triangles), TD_OK);
    const double area = 4 * 3.141592653589793;
    test_near(shell.area, area, 0.005 * area);
    for (int k = 0; k < 3; ++k) {
        test_near(shell.inertia[k][k], 2.0 / 3 * area, 0.01 * area);
    }
    test_stage_clear(&stage);
}

static void test_refuses(test_stage *stage, const double *positions, uint32_t vertices,
                         const uint32_t *triangles, uint32_t count) {
    td_shell shell;
    const td_mesh *mesh = test_make(stage, positions, vertices, triangles, count);
    assert_int_equal(td_find_shell(&shell, &mesh->triangles), TD_ERROR_MESH);
    assert_non_null(strstr(td_error_message(), "leaf"));
}

static void test_no_shell(void **state) {
    (void)state;
    test_stage stage = test_stage_make(NULL, 1, TD_ISA_AUTO);
    static const double line[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    static const double point[9] = {3, 3, 3, 3, 3, 3, 3, 3, 3};
    static const double thin[9] = {0, 0, 0, 1e6, 0, 0, 1e6, 1e-6, 0};
    static const double huge[9] = {0, 0, 0, 1e200, 0, 0, 0, 1e200, 0};
    static const double tiny[9] = {0, 0, 0, 1e-200, 0, 0, 0, 1e-200, 0};
    static const uint32_t corners[3] = {0, 1, 2};
    test_refuses(&stage, line, 3, corners, 1);
    test_refuses(&stage, point, 3, corners, 1);
    test_refuses(&stage, thin, 3, corners, 1);
    test_refuses(&stage, huge, 3, corners, 1);
    test_refuses(&stage, tiny, 3, corners, 1);
    test_stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_box_of_sheets),
        cmocka_unit_test(test_hollow_ball),
        cmocka_unit_test(test_no_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
