// Soft bodies: nothing passes through them, and they move as mechanics says. What is asked of positions is
// asked of the exact queries, on meshes that the tests make of them.
#include "support/cmocka_all.h"
#include "support/stage.h"

#include <tandem/query.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool test_is_quick(void) {
    return getenv("TD_TEST_QUICK") != NULL;
}

// ---------------------------------------------------------------------------------------------------------
// Helpers

// A sheet of cells x cells squares in the plane y = 0.
static td_mesh *test_sheet(test_stage *stage, uint32_t cells, double size) {
    const uint32_t row = cells + 1;
    double *positions = malloc(3 * (size_t)row * row * sizeof *positions);
    uint32_t *triangles = malloc(6 * (size_t)cells * cells * sizeof *triangles);
    assert_true(positions != NULL && triangles != NULL);
    for (uint32_t v = 0; v < row * row; ++v) {
        positions[3 * v] = size * ((double)(v % row) / cells - 0.5);
        positions[3 * v + 1] = 0;
        positions[3 * v + 2] = size * ((double)(v / row) / cells - 0.5);
    }
    size_t t = 0;
    for (uint32_t i = 0; i < cells * cells; ++i) {
        const uint32_t a = i / cells * row + i % cells,
                       corners[6] = {a, a + row, a + row + 1, a, a + row + 1, a + 1};
        memcpy(triangles + t, corners, sizeof corners);
        t += 6;
    }
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = row * row;
    def.triangles = triangles;
    def.triangle_count = 2 * cells * cells;
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_mesh(&mesh, stage->context, &def), TD_OK);
    free(positions);
    free(triangles);
    return test_stage_keep(stage, mesh);
}

// The soft body as it is, as a mesh of its own.
static td_mesh *test_mesh_now(const test_stage *stage, td_body_id id) {
    const double *positions;
    uint32_t count;
    assert_int_equal(td_get_positions(&positions, &count, stage->world, id), TD_OK);
    const td_mesh *rest = test_stage_body(stage, id).mesh;
    const uint32_t triangle_count = td_mesh_triangle_count(rest);
    assert_int_equal(count, td_mesh_vertex_count(rest));
    uint32_t *triangles = malloc(3 * (size_t)triangle_count * sizeof *triangles);
    assert_non_null(triangles);
    for (uint32_t t = 0; t < triangle_count; ++t) {
        td_mesh_triangle(triangles + 3 * (size_t)t, rest, t);
    }
    td_mesh_def def = td_default_mesh_def();
    def.positions = positions;
    def.vertex_count = count;
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    td_mesh *mesh = NULL;
    assert_int_equal(td_create_mesh(&mesh, stage->context, &def), TD_OK);
    free(triangles);
    return mesh;
}

// Pairs of triangles that intersect: of soft bodies with themselves, with each other and with rigid ones.
static uint64_t test_intersections(const test_stage *stage) {
    const uint32_t count = td_body_count(stage->world);
    td_mesh *meshes[64] = {NULL};
    assert_true(count <= 64);
    td_query *query = NULL;
    assert_int_equal(td_create_query(&query, stage->context), TD_OK);
    const td_collide_def def = td_default_collide_def();
    td_collide_result result;
    uint64_t found = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const td_body_id id = td_body_at(stage->world, i);
        if (test_stage_body(stage, id).kind == TD_BODY_SOFT) {
            meshes[i] = test_mesh_now(stage, id);
            assert_int_equal(td_self_collide(&result, query, meshes[i], &def), TD_OK);
            found += result.pair_count;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = 0; meshes[i] != NULL && j < count; ++j) {
            if (j == i || (meshes[j] != NULL && j < i)) {
                continue;
            }
            const td_body_state other = test_stage_body(stage, td_body_at(stage->world, j));
            const td_mesh *mesh = meshes[j] != NULL ? meshes[j] : other.mesh;
            assert_int_equal(td_collide(&result, query, meshes[i], mesh, &other.pose, &def), TD_OK);
            found += result.pair_count;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        td_destroy_mesh(meshes[i]);
    }
    td_destroy_query(query);
    return found;
}

static double test_lowest(const test_stage *stage, td_body_id id) {
    const double *positions;
    uint32_t count;
    assert_int_equal(td_get_positions(&positions, &count, stage->world, id), TD_OK);
    double lowest = INFINITY;
    for (uint32_t v = 0; v < count; ++v) {
        lowest = fmin(lowest, positions[3 * v + 1]);
    }
    return lowest;
}

static td_body_id test_add_soft(test_stage *stage, const td_mesh *mesh, const td_soft_def *soft, double mass,
                                double x, double y, double z) {
    td_body_def def = test_body(mesh, x, y, z);
    def.kind = TD_BODY_SOFT;
    def.mass = mass;
    def.soft = soft;
    return test_stage_add(stage, &def);
}

// ---------------------------------------------------------------------------------------------------------
// Nothing passes through

static void test_drape(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    test_stage_add_static(&stage, test_stage_box(&stage, 20, 2, 20), 0, -1, 0);
    test_stage_add_static(&stage, test_stage_shape(&stage, "sphere", 0), 0, 1, 0);
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.04;
    const td_body_id sheet = test_add_soft(&stage, test_sheet(&stage, 20, 3), &soft, 2, 0.1, 2.2, 0.05);
    const int rounds = test_is_quick() ? 6 : 12;
    for (int i = 0; i < rounds; ++i) {
        test_stage_run(&stage, 10);
        assert_int_equal(test_intersections(&stage), 0);
        assert_int_equal(stage.report.soft_passed, 0);
    }
    assert_true(test_lowest(&stage, sheet) > 0);
    assert_true(test_stage_body(&stage, sheet).centre[1] > 0.8); // lies on the sphere, and did not slip off
    test_stage_clear(&stage);
}

// A ball at 30 m/s is thrown back by a sheet that is held at its border, and never passes.
static void test_trampoline(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    enum { cells = 16, row = cells + 1 };
    uint32_t pins[4 * cells], count = 0;
    for (uint32_t v = 0; v < row * row; ++v) {
        if (v % row == 0 || v % row == cells || v / row == 0 || v / row == cells) {
            pins[count++] = v;
        }
    }
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.04;
    soft.stretch = 60000;
    soft.shear = 5000;
    soft.pins = pins;
    soft.pin_count = count;
    const td_body_id sheet = test_add_soft(&stage, test_sheet(&stage, cells, 4), &soft, 8, 0, 0, 0);
    td_mesh *ball = test_stage_shape(&stage, "sphere", 0);
    td_body_def body = test_body(ball, 0.1, 3, 0.05);
    body.mass = 10;
    body.velocity[1] = -30;
    const td_body_id id = test_stage_add(&stage, &body);
    double lowest = INFINITY, fastest_up = 0;
    for (int i = 0; i < 40; ++i) {
        test_stage_run(&stage, 1);
        const td_body_state now = test_stage_body(&stage, id);
        lowest = fmin(lowest, now.centre[1]);
        fastest_up = fmax(fastest_up, now.velocity[1]);
        if (i % 4 == 0) {
            assert_int_equal(test_intersections(&stage), 0);
        }
    }
    assert_true(lowest < 1);      // the sheet gave way ...
    assert_true(fastest_up > 5);  // ... and threw the ball back,
    assert_true(fastest_up < 31); // with no more than it came with
    assert_true(test_stage_body(&stage, id).centre[1] > test_lowest(&stage, sheet));
    const double *positions;
    assert_int_equal(td_get_positions(&positions, NULL, stage.world, sheet), TD_OK);
    assert_true(positions[0] == -2 && positions[1] == 0 && positions[2] == -2); // pins stay where they are
    test_stage_clear(&stage);
}

static void test_curtain(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    enum { cells = 20 };
    const uint32_t pins[2] = {0, cells};
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.02;
    soft.pins = pins;
    soft.pin_count = 2;
    const td_body_id sheet = test_add_soft(&stage, test_sheet(&stage, cells, 2), &soft, 1, 0, 3, 0);
    for (int i = 0; i < (test_is_quick() ? 5 : 15); ++i) {
        test_stage_run(&stage, 10);
        assert_int_equal(test_intersections(&stage), 0);
    }
    const td_body_state now = test_stage_body(&stage, sheet);
    assert_true(now.centre[1] < 2.6); // hangs
    assert_true(test_lowest(&stage, sheet) > 0);
    test_stage_clear(&stage);
}

// Sheets upon each other, with a box that falls on them: all of it on a ground.
static void test_layers(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    test_stage_add_static(&stage, test_stage_box(&stage, 20, 2, 20), 0, -1, 0);
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.03;
    const td_mesh *mesh = test_sheet(&stage, 14, 1.5);
    for (int i = 0; i < 3; ++i) {
        test_add_soft(&stage, mesh, &soft, 0.5, 0.05 * i, 0.1 + 0.1 * i, 0.03 * i);
    }
    td_body_def box = test_body(test_stage_box(&stage, 0.4, 0.4, 0.4), 0.1, 0.9, 0.05);
    box.mass = 5;
    test_turn(box.pose.rotation, 1, 0, 0, 20);
    const td_body_id id = test_stage_add(&stage, &box);
    for (int i = 0; i < (test_is_quick() ? 5 : 12); ++i) {
        test_stage_run(&stage, 10);
        assert_int_equal(test_intersections(&stage), 0);
    }
    assert_true(test_stage_body(&stage, id).centre[1] > 0.2);
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Mechanics

static void test_add_up(double momentum[3], double angular[3], const test_stage *stage) {
    memset(momentum, 0, 3 * sizeof *momentum);
    memset(angular, 0, 3 * sizeof *angular);
    for (uint32_t i = 0; i < td_body_count(stage->world); ++i) {
        const td_body_state s = test_stage_body(stage, td_body_at(stage->world, i));
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            momentum[k] += s.momentum[k];
            angular[k] += s.angular_momentum[k] + s.centre[a] * s.momentum[b] - s.centre[b] * s.momentum[a];
        }
    }
}

// A ball flies into a sheet that floats freely: what one loses the other gains.
static void test_momentum(void **state) {
    (void)state;
    td_world_def def = td_default_world_def();
    memset(def.gravity, 0, sizeof def.gravity);
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.05;
    const td_body_id sheet = test_add_soft(&stage, test_sheet(&stage, 12, 2), &soft, 3, 0, 0, 0);
    td_body_def body = test_body(test_stage_shape(&stage, "sphere", 0), 0.3, 1.3, 0.1);
    body.mass = 2;
    body.velocity[1] = -3;
    body.spin[0] = 1;
    const td_body_id ball = test_stage_add(&stage, &body);
    double momentum[2][3], angular[2][3];
    test_add_up(momentum[0], angular[0], &stage);
    uint64_t held = 0;
    for (int i = 0; i < 40; ++i) {
        test_stage_run(&stage, 1);
        held += stage.report.soft_held;
    }
    assert_int_equal(held, 0); // who is held back loses momentum to nobody
    test_add_up(momentum[1], angular[1], &stage);
    for (int k = 0; k < 3; ++k) {
        assert_true(fabs(momentum[1][k] - momentum[0][k]) < 1e-9 * 6);
        // Positions are corrected at the end of a sub-step, arms are those of its beginning.
        assert_true(fabs(angular[1][k] - angular[0][k]) < 0.02 * 6);
    }
    assert_true(test_stage_body(&stage, sheet).momentum[1] < -1); // it was pushed
    assert_true(test_stage_body(&stage, ball).velocity[1] > -2.7);
    test_stage_clear(&stage);
}

static double test_volume(const test_stage *stage, td_body_id id) {
    td_mesh *mesh = test_mesh_now(stage, id);
    td_mesh_report report;
    assert_int_equal(td_inspect_mesh(&report, stage->context, mesh), TD_OK);
    td_destroy_mesh(mesh);
    return report.volume;
}

// A soft cube falls on an edge, keeps its volume and comes to rest.
static void test_soft_cube(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 2, TD_ISA_AUTO);
    test_stage_add_static(&stage, test_stage_box(&stage, 20, 2, 20), 0, -1, 0);
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.03;
    soft.stretch = 5000;
    soft.bend = 2;
    soft.damping = 4;
    td_body_def body = test_body(test_stage_shape(&stage, "box", 3), 0, 0.9, 0);
    body.kind = TD_BODY_SOFT;
    body.mass = 20;
    body.soft = &soft;
    test_turn(body.pose.rotation, 1, 0, 0, 30);
    const td_body_id cube = test_stage_add(&stage, &body);
    const double volume = test_volume(&stage, cube);
    int steps = 0;
    for (; steps < 600 && test_stage_body(&stage, cube).awake; steps += 10) {
        test_stage_run(&stage, 10);
        assert_true(fabs(test_volume(&stage, cube) / volume - 1) < 0.05);
    }
    assert_int_equal(test_intersections(&stage), 0);
    assert_false(test_stage_body(&stage, cube).awake);
    assert_true(fabs(test_volume(&stage, cube) / volume - 1) < 0.02);
    assert_true(test_stage_body(&stage, cube).centre[1] > 0.35);
    // Pushed, it wakes.
    assert_int_equal(td_apply_impulse(stage.world, cube, (double[3]){0, 60, 0}, NULL), TD_OK);
    assert_true(test_stage_body(&stage, cube).awake);
    test_stage_run(&stage, 5);
    assert_true(test_stage_body(&stage, cube).velocity[1] > 1);
    test_stage_clear(&stage);
}

// In free fall nothing within a body moves, and it falls as all things do.
static void test_free_fall(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    const td_body_id sheet = test_add_soft(&stage, test_sheet(&stage, 6, 1), NULL, 1, 0, 10, 0);
    test_stage_run(&stage, 60);
    const td_body_state now = test_stage_body(&stage, sheet);
    assert_true(fabs(now.velocity[1] + 9.81) < 1e-9);
    assert_true(fabs(now.centre[1] - (10 - 0.5 * 9.81)) < 0.02);
    assert_true(fabs(now.kinetic_energy - 0.5 * 9.81 * 9.81) < 1e-6);
    test_stage_clear(&stage);
}

// Slowed down as a rigid body is: v' = g - 2 v, from rest, after a second.
static void test_linear_damping(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    td_body_def body = test_body(test_sheet(&stage, 6, 1), 0, 10, 0);
    body.kind = TD_BODY_SOFT;
    body.mass = 1;
    body.linear_damping = 2;
    td_body_id sheet;
    assert_int_equal(td_add_body(&sheet, stage.world, &body), TD_OK);
    test_stage_run(&stage, 60);
    const double expected = 9.81 / 2 * (1 - exp(-2.0));
    assert_true(fabs(test_stage_body(&stage, sheet).velocity[1] + expected) < 0.02);
    test_stage_clear(&stage);
}

// Three leaves along one spine: an edge of three triangles is held together as others are.
static void test_edge_of_three(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    test_stage_add_static(&stage, test_stage_box(&stage, 20, 2, 20), 0, -1, 0);
    const double positions[5][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0.5}, {-1, 0.1, 0.5}, {0, 1, 0.5}};
    const uint32_t triangles[3][3] = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};
    td_mesh_def mesh_def = td_default_mesh_def();
    mesh_def.positions = positions;
    mesh_def.vertex_count = 5;
    mesh_def.triangles = triangles[0];
    mesh_def.triangle_count = 3;
    td_mesh *mesh;
    assert_int_equal(td_create_mesh(&mesh, stage.context, &mesh_def), TD_OK);
    td_body_def body = test_body(test_stage_keep(&stage, mesh), 0, 0.5, 0);
    body.kind = TD_BODY_SOFT;
    body.mass = 1;
    td_body_id book;
    assert_int_equal(td_add_body(&book, stage.world, &body), TD_OK);
    test_stage_run(&stage, 60);
    const double *x;
    assert_int_equal(td_get_positions(&x, NULL, stage.world, book), TD_OK);
    for (int v = 0; v < 5; ++v) {
        assert_true(x[3 * v + 1] > 0);
    }
    const double spine =
        sqrt((x[3] - x[0]) * (x[3] - x[0]) + (x[4] - x[1]) * (x[4] - x[1]) + (x[5] - x[2]) * (x[5] - x[2]));
    assert_true(fabs(spine - 1) < 0.05);
    test_stage_clear(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Being a body of the world

static uint64_t test_hash_of(uint32_t threads, td_isa isa) {
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, threads, isa);
    test_stage_add_static(&stage, test_stage_box(&stage, 20, 2, 20), 0, -1, 0);
    test_stage_add_static(&stage, test_stage_shape(&stage, "torus", 0), 0, 0.8, 0);
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.04;
    test_add_soft(&stage, test_sheet(&stage, 60, 3), &soft, 2, 0, 1.2, 0); // large: shared out by colours
    const td_mesh *small = test_sheet(&stage, 8, 1);
    for (int i = 0; i < 3; ++i) {
        test_add_soft(&stage, small, &soft, 1, 0.2 * i, 1.4 + 0.1 * i, 0);
    }
    td_body_def body = test_body(test_stage_shape(&stage, "sphere", 0), 0.1, 3, 0);
    body.velocity[1] = -6;
    body.mass = 5;
    test_stage_add(&stage, &body);
    test_stage_run(&stage, test_is_quick() ? 6 : 12);
    const uint64_t hash = td_hash_world(stage.world);
    test_stage_clear(&stage);
    return hash;
}

static void test_same_bits(void **state) {
    (void)state;
    const uint64_t hash = test_hash_of(1, TD_ISA_SCALAR);
    assert_true(test_hash_of(2, TD_ISA_AUTO) == hash);
    assert_true(test_hash_of(8, TD_ISA_AUTO) == hash);
}

static void test_removal(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    const td_body_id ground = test_stage_add_static(&stage, test_stage_box(&stage, 20, 2, 20), 0, -1, 0);
    td_soft_def soft = td_default_soft_def();
    soft.thickness = 0.03;
    soft.damping = 5;
    const td_mesh *mesh = test_sheet(&stage, 6, 1);
    const td_body_id first = test_add_soft(&stage, mesh, &soft, 1, -2, 0.05, 0);
    const td_body_id second = test_add_soft(&stage, mesh, &soft, 1, 2, 0.05, 0);
    for (int i = 0; i < 300 && test_stage_body(&stage, second).awake; ++i) {
        test_stage_run(&stage, 1);
    }
    assert_false(test_stage_body(&stage, second).awake);
    assert_int_equal(td_remove_body(stage.world, first), TD_OK);
    const double before = test_stage_body(&stage, second).centre[1];
    test_stage_run(&stage, 2);
    assert_true(fabs(test_stage_body(&stage, second).centre[0] - 2) < 0.01);
    assert_true(fabs(test_stage_body(&stage, second).centre[1] - before) < 1e-3);
    assert_int_equal(td_remove_body(stage.world, ground), TD_OK); // what lay on it falls
    test_stage_run(&stage, 30);
    assert_true(test_stage_body(&stage, second).centre[1] < before - 0.5);
    test_stage_clear(&stage);
}

static void test_errors(void **state) {
    (void)state;
    const td_world_def def = td_default_world_def();
    test_stage stage = test_stage_make(&def, 1, TD_ISA_AUTO);
    const td_body_id box = test_stage_add_static(&stage, test_stage_box(&stage, 1, 1, 1), 0, -5, 0);
    const td_mesh *mesh = test_sheet(&stage, 2, 1);
    const double *positions;
    assert_int_equal(td_get_positions(&positions, NULL, stage.world, box), TD_ERROR_ARGUMENT);
    td_body_def body = test_body(mesh, 0, 0, 0);
    body.kind = TD_BODY_SOFT;
    body.mass = 1;
    body.name = "rag";
    td_body_id id;
    const struct {
        double thickness, stretch, bend, damping;
        const char *says;
    } wrong[] = {{0, 1, 1, 1, "thickness"},
                 {0.1, -1, 1, 1, "stretch"},
                 {0.1, 1, -1, 1, "bend"},
                 {0.1, 1, 1, NAN, "damping"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        td_soft_def soft = td_default_soft_def();
        soft.thickness = wrong[i].thickness;
        soft.stretch = wrong[i].stretch;
        soft.bend = wrong[i].bend;
        soft.damping = wrong[i].damping;
        body.soft = &soft;
        assert_int_equal(td_add_body(&id, stage.world, &body), TD_ERROR_ARGUMENT);
        assert_non_null(strstr(td_error_message(), "rag"));
        assert_non_null(strstr(td_error_message(), wrong[i].says));
    }
    body.soft = NULL;
    body.angular_damping = 1;
    assert_int_equal(td_add_body(&id, stage.world, &body), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "angular_damping"));
    body.angular_damping = 0;
    const uint32_t pins[2] = {3, 9};
    td_soft_def soft = td_default_soft_def();
    soft.pins = pins;
    soft.pin_count = 2;
    body.soft = &soft;
    assert_int_equal(td_add_body(&id, stage.world, &body), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "pins[1]"));
    const td_soft_def blank = {0};
    body.soft = &blank;
    assert_int_equal(td_add_body(&id, stage.world, &body), TD_ERROR_ARGUMENT);
    body.soft = NULL;
    assert_int_equal(td_add_body(&id, stage.world, &body), TD_OK);
    assert_int_equal(td_apply_torque(stage.world, id, (double[3]){1, 0, 0}), TD_ERROR_ARGUMENT);
    assert_int_equal(td_body_count(stage.world), 2);
    // Two triangles that touch without a common vertex number would come apart.
    const double split[] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1};
    const uint32_t apart[] = {0, 1, 2, 3, 4, 5};
    td_mesh_def mesh_def = td_default_mesh_def();
    mesh_def.positions = split;
    mesh_def.vertex_count = 6;
    mesh_def.triangles = apart;
    mesh_def.triangle_count = 2;
    td_mesh *unwelded = NULL;
    assert_int_equal(td_create_mesh(&unwelded, stage.context, &mesh_def), TD_OK);
    body.mesh = test_stage_keep(&stage, unwelded);
    assert_int_equal(td_add_body(&id, stage.world, &body), TD_ERROR_MESH);
    assert_non_null(strstr(td_error_message(), "vertices 1 and 3"));
    test_stage_run(&stage, 2);
    test_stage_clear(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),     cmocka_unit_test(test_linear_damping),
        cmocka_unit_test(test_edge_of_three), cmocka_unit_test(test_drape),
        cmocka_unit_test(test_trampoline),    cmocka_unit_test(test_curtain),
        cmocka_unit_test(test_layers),        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_soft_cube),     cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_removal),       cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
