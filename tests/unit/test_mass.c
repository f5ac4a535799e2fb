// Mass properties against the formulas of solids, under motion and far away; and what has none.
#include "math/rigid.h"
#include "mesh/arrays.h"
#include "mesh/mass.h"
#include "mesh/shapes.h"
#include "support/random.h"
#include "test_mesh_support.h"

#include <math.h>
#include <string.h>

static const double test_pi = 3.141592653589793;

static td_result test_mass_of(td_mass *out, td_context *context, const td_mesh_arrays *arrays) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = arrays->positions;
    def.vertex_count = arrays->vertex_count;
    def.triangles = arrays->triangles;
    def.triangle_count = arrays->triangle_count;
    def.name = "body";
    td_trimesh mesh;
    td_result result = td_trimesh_create(&mesh, context, &def);
    if (result != TD_OK) {
        return result;
    }
    result = td_find_mass(out, context, &mesh);
    td_trimesh_destroy(&mesh);
    return result;
}

static td_mesh_arrays test_shape(td_context *context, const char *name, uint32_t subdivide) {
    td_mesh_arrays arrays;
    assert_int_equal(td_shape_arrays(&arrays, context, name, subdivide), TD_OK);
    return arrays;
}

// p -> scale * p along each axis, then turned and moved.
static void test_transform(td_mesh_arrays *arrays, td_vec3 scale, td_rigid motion) {
    for (uint32_t v = 0; v < arrays->vertex_count; ++v) {
        const td_vec3 p = td_arrays_vertex(arrays, v);
        td_arrays_set_vertex(
            arrays, v, td_rigid_apply(motion, td_vec3_make(scale.x * p.x, scale.y * p.y, scale.z * p.z)));
    }
}

static td_rigid test_at(double x, double y, double z) {
    return td_rigid_make(td_vec3_make(x, y, z), 0, 0, 0, 1);
}

static void test_near(double found, double wanted, double tolerance) {
    if (!(fabs(found - wanted) <= tolerance)) {
        fail_msg("%.17g is not within %g of %.17g", found, tolerance, wanted);
    }
}

// Inertia is what axes and moments say, the axes are a rotation, the moments in order.
static void test_check_axes(const td_mass *mass) {
    const double *q = mass->axes, *m = mass->moments;
    test_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-15);
    assert_true(q[3] >= 0);
    assert_true(0 < m[0] && m[0] <= m[1] && m[1] <= m[2]);
    const td_rigid r = td_rigid_make((td_vec3){0}, q[0], q[1], q[2], q[3]);
    const td_vec3 rows[3] = {r.row0, r.row1, r.row2};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double sum =
                rows[i].x * m[0] * rows[k].x + rows[i].y * m[1] * rows[k].y + rows[i].z * m[2] * rows[k].z;
            test_near(mass->inertia[i][k], sum, 4e-15 * m[2]);
            assert_true(mass->inertia[i][k] == mass->inertia[k][i]);
        }
    }
}

static void test_check_diagonal(const td_mass *mass, double x, double y, double z, double tolerance) {
    const double wanted[3] = {x, y, z};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            test_near(mass->inertia[i][k], i == k ? wanted[i] : 0, tolerance);
        }
    }
}

static void test_box_formula(void **state) {
    td_mesh_arrays box = test_shape(*state, "box", 0);
    td_mass unit = {0};
    assert_int_equal(test_mass_of(&unit, *state, &box), TD_OK);
    const double side = cbrt(unit.volume);
    test_transform(&box, td_vec3_make(2 / side, 3 / side, 5 / side), test_at(7, -8, 9));
    td_mass mass = {0};
    assert_int_equal(test_mass_of(&mass, *state, &box), TD_OK);
    test_near(mass.volume, 30, 1e-13);
    test_near(mass.centre.x, 7, 1e-14);
    test_near(mass.centre.y, -8, 1e-14);
    test_near(mass.centre.z, 9, 1e-14);
    test_check_diagonal(&mass, 30.0 / 12 * (9 + 25), 30.0 / 12 * (4 + 25), 30.0 / 12 * (4 + 9), 1e-12);
    test_near(mass.moments[0], 30.0 / 12 * 13, 1e-12);
    test_near(mass.moments[1], 30.0 / 12 * 29, 1e-12);
    test_near(mass.moments[2], 30.0 / 12 * 34, 1e-12);
    test_check_axes(&mass);
    td_arrays_release(&box, *state);
}

// Errors must fall by about four with each subdivision, and be small at the end.
static void test_converges(td_context *context, const char *name, double volume, double x, double y,
                           double z) {
    double last = 0;
    for (uint32_t subdivide = 0; subdivide < 4; ++subdivide) {
        td_mesh_arrays mesh = test_shape(context, name, subdivide);
        td_mass mass = {0};
        assert_int_equal(test_mass_of(&mass, context, &mesh), TD_OK);
        test_check_axes(&mass);
        const double wrong = fabs(mass.volume / volume - 1) + fabs(mass.inertia[0][0] / x - 1) +
                             fabs(mass.inertia[1][1] / y - 1) + fabs(mass.inertia[2][2] / z - 1);
        if (subdivide > 0) {
            assert_true(wrong < last / 3.5 && wrong > last / 4.5);
        }
        test_near(td_dot(mass.centre, mass.centre), 0, 1e-28);
        test_near(fabs(mass.inertia[0][1]) + fabs(mass.inertia[1][2]) + fabs(mass.inertia[2][0]), 0, 1e-13);
        last = wrong;
        td_arrays_release(&mesh, context);
    }
    assert_true(last < 8e-3);
}

static void test_sphere_formula(void **state) {
    const double volume = 4 * test_pi / 3, moment = 0.4 * volume;
    test_converges(*state, "sphere", volume, moment, moment, moment);
}

static void test_torus_formula(void **state) {
    const double R = 0.7, r = 0.25, volume = 2 * test_pi * test_pi * R * r * r;
    const double across = volume * (R * R / 2 + 0.625 * r * r);
    test_converges(*state, "torus", volume, across, volume * (R * R + 0.75 * r * r), across);
}

// Fifty thousand triangles, and the last bits are right: plain sums would lose some.
static void test_many_triangles(void **state) {
    td_mesh_arrays box = test_shape(*state, "box", 0), fine = test_shape(*state, "box", 6);
    const td_vec3 scale = td_vec3_make(1.0 / 3, 0.7, 1.1);
    test_transform(&box, scale, test_at(0, 0, 0));
    test_transform(&fine, scale, test_at(0, 0, 0));
    td_mass wanted = {0}, found = {0};
    assert_int_equal(test_mass_of(&wanted, *state, &box), TD_OK);
    assert_int_equal(test_mass_of(&found, *state, &fine), TD_OK);
    test_near(found.volume, wanted.volume, 3e-16 * wanted.volume);
    for (int k = 0; k < 3; ++k) {
        test_near(found.moments[k], wanted.moments[k], 5e-16 * wanted.moments[k]);
    }
    td_arrays_release(&box, *state);
    td_arrays_release(&fine, *state);
}

// The corner of a box: all elements of the tensor are there.
static void test_tetrahedron_formula(void **state) {
    const double a = 2, b = 3, c = 7, m = a * b * c / 6;
    double positions[] = {0, 0, 0, a, 0, 0, 0, b, 0, 0, 0, c};
    uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const td_mesh_arrays mesh = {
        .positions = positions, .vertex_count = 4, .triangles = triangles, .triangle_count = 4};
    td_mass mass = {0};
    assert_int_equal(test_mass_of(&mass, *state, &mesh), TD_OK);
    test_near(mass.volume, m, 1e-14);
    test_near(mass.centre.x, a / 4, 1e-15);
    test_near(mass.centre.y, b / 4, 1e-15);
    test_near(mass.centre.z, c / 4, 1e-15);
    test_near(mass.inertia[0][0], 3 * m * (b * b + c * c) / 80, 1e-13);
    test_near(mass.inertia[1][1], 3 * m * (a * a + c * c) / 80, 1e-13);
    test_near(mass.inertia[2][2], 3 * m * (a * a + b * b) / 80, 1e-13);
    test_near(mass.inertia[0][1], m * a * b / 80, 1e-13);
    test_near(mass.inertia[1][2], m * b * c / 80, 1e-13);
    test_near(mass.inertia[0][2], m * a * c / 80, 1e-13);
    test_check_axes(&mass);
    td_mesh_arrays regular = test_shape(*state, "tetrahedron", 2);
    assert_int_equal(test_mass_of(&mass, *state, &regular), TD_OK);
    const double edge = cbrt(mass.volume * 6 * sqrt(2));
    const double moment = mass.volume * edge * edge / 20;
    test_check_diagonal(&mass, moment, moment, moment, 1e-14 * moment + 1e-15);
    td_arrays_release(&regular, *state);
}

// ---------------------------------------------------------------------------------------------------------

// A turned and moved mesh has the moments it had, and its inertia turns with it.
static void test_motion(void **state) {
    static const char *const names[] = {"cow", "knot", "cone", "tetrahedron"};
    test_random random = {5};
    for (int i = 0; i < 20; ++i) {
        td_mesh_arrays mesh = test_shape(*state, names[i % 4], 0);
        test_transform(&mesh, td_vec3_make(1, 1.5, 0.7), test_at(0, 0, 0));
        td_mass before = {0}, after = {0};
        assert_int_equal(test_mass_of(&before, *state, &mesh), TD_OK);
        const td_pose pose = test_random_pose(&random, i < 10 ? 3 : 300);
        const td_rigid motion =
            td_rigid_make(td_vec3_make(pose.position[0], pose.position[1], pose.position[2]),
                          pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]);
        test_transform(&mesh, td_vec3_make(1, 1, 1), motion);
        assert_int_equal(test_mass_of(&after, *state, &mesh), TD_OK);
        test_check_axes(&before);
        test_check_axes(&after);
        test_near(after.volume, before.volume, 1e-12 * before.volume);
        const td_vec3 off = td_sub(after.centre, td_rigid_apply(motion, before.centre));
        test_near(sqrt(td_dot(off, off)), 0, 1e-12);
        const td_vec3 rows[3] = {motion.row0, motion.row1, motion.row2};
        for (int k = 0; k < 3; ++k) {
            test_near(after.moments[k], before.moments[k], 1e-12 * before.moments[2]);
            for (int l = 0; l < 3; ++l) {
                const double(*m)[3] = (const double(*)[3])before.inertia;
                const td_vec3 turned = td_vec3_make(td_dot(td_vec3_make(m[0][0], m[0][1], m[0][2]), rows[l]),
                                                    td_dot(td_vec3_make(m[1][0], m[1][1], m[1][2]), rows[l]),
                                                    td_dot(td_vec3_make(m[2][0], m[2][1], m[2][2]), rows[l]));
                test_near(after.inertia[k][l], td_dot(rows[k], turned), 1e-12 * before.moments[2]);
            }
        }
        td_arrays_release(&mesh, *state);
    }
}

// At map coordinates, on a grid that float64 has there: the very same mesh, hence nearly the same bits.
static void test_far_away(void **state) {
    static const char *const names[] = {"cow", "torus"};
    for (int i = 0; i < 2; ++i) {
        td_mesh_arrays mesh = test_shape(*state, names[i], 1);
        for (size_t k = 0; k < 3 * (size_t)mesh.vertex_count; ++k) {
            mesh.positions[k] = nearbyint(mesh.positions[k] * 0x1p20) * 0x1p-20;
        }
        td_mass near = {0}, far = {0};
        assert_int_equal(test_mass_of(&near, *state, &mesh), TD_OK);
        const td_vec3 map = td_vec3_make(2.6e6, 1.2e6 + 0.5, -5.3e9);
        test_transform(&mesh, td_vec3_make(1, 1, 1), test_at(map.x, map.y, map.z));
        assert_int_equal(test_mass_of(&far, *state, &mesh), TD_OK);
        test_near(far.volume, near.volume, 1e-14 * near.volume);
        test_near(far.centre.x - map.x, near.centre.x, 1e-9);
        test_near(far.centre.y - map.y, near.centre.y, 1e-9);
        test_near(far.centre.z - map.z, near.centre.z, 1e-6);
        for (int k = 0; k < 3; ++k) {
            test_near(far.moments[k], near.moments[k], 1e-13 * near.moments[2]);
        }
        td_arrays_release(&mesh, *state);
    }
}

// Sizes whose fifth power is near the ends of float64, and beyond.
static void test_sizes(void **state) {
    for (int exponent = -300; exponent <= 300; exponent += 50) {
        td_mesh_arrays mesh = test_shape(*state, "cone", 0);
        td_mass unit = {0}, mass = {0};
        assert_int_equal(test_mass_of(&unit, *state, &mesh), TD_OK);
        const double scale = ldexp(1, exponent);
        test_transform(&mesh, td_vec3_make(scale, scale, scale), test_at(0, 0, 0));
        const td_result result = test_mass_of(&mass, *state, &mesh);
        if (abs(exponent) <= 200) {
            assert_int_equal(result, TD_OK);
            assert_true(mass.volume == ldexp(unit.volume, 3 * exponent)); // not a bit is lost
            assert_true(mass.moments[1] == ldexp(unit.moments[1], 5 * exponent));
            assert_memory_equal(mass.axes, unit.axes, sizeof unit.axes);
        } else {
            assert_int_equal(result, TD_ERROR_MESH);
            assert_non_null(
                strstr(td_error_message(), exponent < 0 ? "body: it is too small" : "body: it is too large"));
        }
        td_arrays_release(&mesh, *state);
    }
}

// A box with a box inside, inside out: a shell. The same one outside: no solid.
static void test_cavity(void **state) {
    td_mesh_arrays outer = test_shape(*state, "box", 0), both;
    const uint32_t n = outer.vertex_count, t = outer.triangle_count;
    td_mass solid = {0}, mass = {0};
    assert_int_equal(test_mass_of(&solid, *state, &outer), TD_OK);
    assert_int_equal(td_arrays_create(&both, *state, 2 * n, 2 * t), TD_OK);
    for (int outside = 0; outside < 2; ++outside) {
        for (uint32_t v = 0; v < n; ++v) {
            const td_vec3 p = td_arrays_vertex(&outer, v);
            td_arrays_set_vertex(&both, v, p);
            td_arrays_set_vertex(&both, n + v, td_add(td_scale(p, 0.5), td_vec3_make(outside * 10, 0, 0)));
        }
        for (uint32_t k = 0; k < t; ++k) {
            const uint32_t *i = outer.triangles + 3 * (size_t)k;
            td_arrays_set_triangle(&both, k, i[0], i[1], i[2]);
            td_arrays_set_triangle(&both, t + k, n + i[0], n + i[2], n + i[1]);
        }
        if (outside) {
            assert_int_equal(test_mass_of(&mass, *state, &both), TD_ERROR_MESH);
            assert_non_null(strstr(td_error_message(), "body: its moments of inertia"));
        } else {
            assert_int_equal(test_mass_of(&mass, *state, &both), TD_OK);
            test_near(mass.volume, solid.volume * (1 - 0x1p-3), 1e-14);
            test_near(mass.moments[0], solid.moments[0] * (1 - 0x1p-5), 1e-14);
        }
    }
    td_arrays_release(&both, *state);
    td_arrays_release(&outer, *state);
}

// ---------------------------------------------------------------------------------------------------------
// What has no mass

static void test_refused(td_context *context, const td_mesh_arrays *mesh, const char *why) {
    td_mass mass = {0}, before = {0};
    memset(&mass, 0x5a, sizeof mass);
    memcpy(&before, &mass, sizeof mass);
    assert_int_equal(test_mass_of(&mass, context, mesh), TD_ERROR_MESH);
    if (strstr(td_error_message(), why) == NULL) {
        fail_msg("'%s' does not say '%s'", td_error_message(), why);
    }
    assert_memory_equal(&mass, &before, sizeof mass);
}

static void test_swap_corners(td_mesh_arrays *mesh, uint32_t triangle) {
    uint32_t *t = mesh->triangles + 3 * (size_t)triangle;
    td_arrays_set_triangle(mesh, triangle, t[0], t[2], t[1]);
}

static void test_open_and_misoriented(void **state) {
    td_mesh_arrays mesh = test_shape(*state, "cow", 0);
    mesh.triangle_count--;
    test_refused(*state, &mesh, "body: it is open, so that it has no volume: 3 edges have an odd number");
    mesh.triangle_count++;
    test_swap_corners(&mesh, 100);
    test_refused(*state, &mesh, "body: its triangles disagree about which side is the outer one: at 3 edges");
    test_swap_corners(&mesh, 100);
    td_mass mass = {0};
    assert_int_equal(test_mass_of(&mass, *state, &mesh), TD_OK);
    td_arrays_release(&mesh, *state);
}

static void test_inside_out(void **state) {
    td_mesh_arrays mesh = test_shape(*state, "cow", 0);
    test_transform(&mesh, td_vec3_make(1, 1, -1), test_at(0, 0, 0)); // mirrored
    test_refused(*state, &mesh, "body: it is inside out: its volume is -");
    for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
        test_swap_corners(&mesh, t);
    }
    td_mass mass = {0};
    assert_int_equal(test_mass_of(&mass, *state, &mesh), TD_OK);
    test_check_axes(&mass);
    td_arrays_release(&mesh, *state);
}

// Closed, but flat, a line, or a point; also tilted and far away, where rounding gives it some thickness.
static void test_flat(void **state) {
    // Of the first two the sides of the sheet cancel triangle by triangle, of the last one they do not.
    static const char *const names[] = {"box", "sphere", "tetrahedron"};
    test_random random = {8};
    for (int i = 0; i < 30; ++i) {
        td_mesh_arrays mesh = test_shape(*state, names[i % 3], 2);
        if (i % 3 == 2) {
            test_transform(&mesh, td_vec3_make(1, 1, 1), td_rigid_make((td_vec3){0}, 0.3, 0.5, 0.1, 0.8));
        }
        const td_vec3 scale = td_vec3_make(i == 29 ? 0 : 1, i < 27 ? 1 : 0, 0);
        const double spread = i < 10 ? 0 : i < 20 ? 10 : 1e7;
        const td_pose pose = test_random_pose(&random, spread);
        test_transform(
            &mesh, scale,
            i == 0 ? test_at(0, 0, 0)
                   : td_rigid_make(td_vec3_make(pose.position[0], pose.position[1], pose.position[2]),
                                   pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]));
        test_refused(*state, &mesh, "body: it is flat");
        td_arrays_release(&mesh, *state);
    }
    // Sheets down to a millionth of a millimetre are not flat, nor is one of a millimetre at map coordinates.
    td_mesh_arrays sheet = {0};
    td_mass mass = {0};
    for (int power = 3; power < 10; ++power) {
        const double thickness = pow(10, -power);
        sheet = test_shape(*state, "box", 0);
        test_transform(&sheet, td_vec3_make(1, 1, thickness),
                       td_rigid_make((td_vec3){0}, 0.5, 0.1, -0.3, 0.8));
        assert_int_equal(test_mass_of(&mass, *state, &sheet), TD_OK);
        test_check_axes(&mass);
        td_arrays_release(&sheet, *state);
    }
    sheet = test_shape(*state, "box", 0);
    test_transform(&sheet, td_vec3_make(1, 1, 1e-3),
                   td_rigid_make(td_vec3_make(3e6, 5e6, 400), 0.5, 0.1, -0.3, 0.8));
    assert_int_equal(test_mass_of(&mass, *state, &sheet), TD_OK);
    td_arrays_release(&sheet, *state);
}

static td_result test_allocating(td_context *context) {
    td_mesh_arrays mesh;
    td_result result = td_shape_arrays(&mesh, context, "torus", 0);
    if (result != TD_OK) {
        return result;
    }
    td_mass mass = {0};
    result = test_mass_of(&mass, context, &mesh);
    td_arrays_release(&mesh, context);
    return result;
}

static void test_memory(void **state) {
    (void)state;
    test_run_out_of_memory(test_allocating);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_formula),    cmocka_unit_test(test_sphere_formula),
        cmocka_unit_test(test_torus_formula),  cmocka_unit_test(test_tetrahedron_formula),
        cmocka_unit_test(test_many_triangles), cmocka_unit_test(test_motion),
        cmocka_unit_test(test_far_away),       cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_cavity),         cmocka_unit_test(test_open_and_misoriented),
        cmocka_unit_test(test_inside_out),     cmocka_unit_test(test_flat),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
