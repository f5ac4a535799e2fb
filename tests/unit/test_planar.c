// The physics of the planar simulator, natively: what is kept, what never overlaps, what is passed on.
#include "test_planar_support.h"

// ---------------------------------------------------------------------------------------------------------
// An oracle of overlap that shares nothing with the simulator: corners inside, or edges that cross.

typedef struct test_outline {
    double x[TD_PLANAR_CORNERS_MOST], y[TD_PLANAR_CORNERS_MOST];
    uint32_t count;
} test_outline;

static test_outline test_outline_of(const td_planar *planar, const td_planar_state *states, uint32_t i) {
    test_outline out;
    double corners[2 * TD_PLANAR_CORNERS_MOST];
    test_ok(td_get_planar_corners(corners, &out.count, planar, i));
    const double c = cos(states[i].angle), s = sin(states[i].angle);
    for (uint32_t k = 0; k < out.count; ++k) {
        out.x[k] = states[i].position[0] + c * corners[2 * k] - s * corners[2 * k + 1];
        out.y[k] = states[i].position[1] + s * corners[2 * k] + c * corners[2 * k + 1];
    }
    return out;
}

static double test_side(const test_outline *p, uint32_t k, double x, double y) {
    const uint32_t next = (k + 1) % p->count;
    return (p->x[next] - p->x[k]) * (y - p->y[k]) - (p->y[next] - p->y[k]) * (x - p->x[k]);
}

static bool test_holds_corner(const test_outline *a, const test_outline *b) {
    for (uint32_t i = 0; i < b->count; ++i) {
        bool inside = true;
        for (uint32_t k = 0; k < a->count && inside; ++k) {
            inside = test_side(a, k, b->x[i], b->y[i]) > 0;
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

static bool test_edges_cross(const test_outline *a, const test_outline *b) {
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t k = 0; k < b->count; ++k) {
            const uint32_t j = (i + 1) % a->count, l = (k + 1) % b->count;
            if (test_side(a, i, b->x[k], b->y[k]) * test_side(a, i, b->x[l], b->y[l]) < 0 &&
                test_side(b, k, a->x[i], a->y[i]) * test_side(b, k, a->x[j], a->y[j]) < 0) {
                return true;
            }
        }
    }
    return false;
}

static bool test_overlap(const td_planar *planar, const td_planar_state *states, uint32_t i, uint32_t k) {
    const double dx = states[i].position[0] - states[k].position[0];
    const double dy = states[i].position[1] - states[k].position[1];
    const double reach = td_planar_body_radius(planar, i) + td_planar_body_radius(planar, k);
    if (dx * dx + dy * dy >= reach * reach) {
        return false;
    }
    const test_outline a = test_outline_of(planar, states, i), b = test_outline_of(planar, states, k);
    if (a.count == 0 || b.count == 0) {
        assert_true(a.count == 0 && b.count == 0); // of these tests' scenes
        return true;
    }
    return test_holds_corner(&a, &b) || test_holds_corner(&b, &a) || test_edges_cross(&a, &b);
}

static bool test_is_outside(const td_planar *planar, const td_planar_state *states, uint32_t i, double side) {
    const test_outline a = test_outline_of(planar, states, i);
    const double radius = td_planar_body_radius(planar, i), *p = states[i].position;
    bool outside =
        a.count == 0 && (p[0] < radius || p[1] < radius || p[0] > side - radius || p[1] > side - radius);
    for (uint32_t k = 0; k < a.count; ++k) {
        outside |= a.x[k] < 0 || a.y[k] < 0 || a.x[k] > side || a.y[k] > side;
    }
    return outside;
}

static void test_nothing_overlaps(test_plane *plane, uint64_t step) {
    td_planar_state *states = malloc(plane->count * sizeof *states);
    assert_non_null(states);
    test_ok(td_get_planar_states(states, plane->planar));
    for (uint32_t i = 0; i < plane->count; ++i) {
        if (test_is_outside(plane->planar, states, i, plane->side)) {
            fail_msg("step %llu: object %u is outside", (unsigned long long)step, i);
        }
        for (uint32_t k = 0; k < i; ++k) {
            if (test_overlap(plane->planar, states, i, k)) {
                fail_msg("step %llu: %u and %u overlap", (unsigned long long)step, i, k);
            }
        }
    }
    free(states);
}

// ---------------------------------------------------------------------------------------------------------
// What is kept

static void test_run_conserved(uint32_t corners, td_planar_stepping stepping, td_planar_broad broad,
                               td_planar_hit_times times) {
    test_plane plane = test_scatter(64, corners, 7 + corners);
    plane.def.stepping = stepping;
    plane.def.broad = broad;
    plane.def.hit_times = times;
    test_begin(&plane);
    for (int step = 0; step < 1000; ++step) {
        test_ok(td_step_planar(plane.planar, 1));
        test_nothing_overlaps(&plane, (uint64_t)step);
    }
    const td_planar_report report = test_report(&plane);
    test_is_conserved(&plane, &report);
    assert_true(report.collisions > 400);
    assert_int_equal(report.steps, 1000);
    assert_true(stepping == TD_PLANAR_FIRST_COLLISION || report.truncated == 0);
    print_message("%u corners, stepping %d: %g s, %g collisions, energy %+.1e\n", corners, (int)stepping,
                  report.time, report.collisions, report.kinetic_energy / plane.start.kinetic_energy - 1);
    test_end(&plane);
}

static void test_conserved(void **state) {
    (void)state;
    for (uint32_t corners = 0; corners <= 5; corners += corners == 0 ? 3 : 1) {
        test_run_conserved(corners, TD_PLANAR_ORDERED, TD_PLANAR_GRID, TD_PLANAR_ALGEBRAIC);
        test_run_conserved(corners, TD_PLANAR_FIRST_COLLISION, TD_PLANAR_ALL_PAIRS, TD_PLANAR_BISECTION);
    }
    test_run_conserved(0, TD_PLANAR_FIRST_COLLISION, TD_PLANAR_ALL_PAIRS, TD_PLANAR_ALGEBRAIC);
}

// Fast bodies, long steps: nothing is jumped over.
static void test_long_steps(void **state) {
    (void)state;
    for (uint32_t corners = 0; corners <= 3; corners += 3) {
        test_plane plane = test_scatter(64, corners, 11);
        plane.def.step = 1;
        for (uint32_t i = 0; i < plane.count; ++i) {
            plane.bodies[i].velocity[0] *= 20;
            plane.bodies[i].velocity[1] *= 20;
            plane.bodies[i].spin *= 10;
        }
        test_begin(&plane);
        for (int step = 0; step < 20; ++step) {
            test_ok(td_step_planar(plane.planar, 1));
            test_nothing_overlaps(&plane, (uint64_t)step);
        }
        const td_planar_report report = test_report(&plane);
        test_is_conserved(&plane, &report);
        test_end(&plane);
    }
}

static void test_restitution(void **state) {
    (void)state;
    for (uint32_t corners = 0; corners <= 3; corners += 3) {
        test_plane plane = test_scatter(64, corners, 3);
        plane.def.restitution = 0.5;
        test_begin(&plane);
        test_ok(td_step_planar(plane.planar, 200));
        const td_planar_report report = test_report(&plane);
        assert_true(report.kinetic_energy < 0.9 * plane.start.kinetic_energy && report.kinetic_energy > 0);
        for (int k = 0; k < 2; ++k) {
            assert_true(fabs(report.momentum[k] - plane.start.momentum[k] - report.wall_momentum[k]) < 1e-9);
        }
        test_nothing_overlaps(&plane, 200);
        print_message("%u corners: %g collisions, %llu steps cut short\n", corners, report.collisions,
                      (unsigned long long)report.truncated);
        test_end(&plane);
    }
}

// Bodies of many kinds, some of them fixed.
static void test_mixed(void **state) {
    (void)state;
    static const double slab[] = {0, 0, 6, 0, 6, 0.5, 0, 0.5};
    for (int stepping = 0; stepping < 2; ++stepping) {
        test_plane plane = test_scatter(60, 3, 5);
        plane.def.stepping = (td_planar_stepping)stepping;
        plane.def.broad = (td_planar_broad)stepping;
        for (uint32_t i = 0; i < plane.count; i += 2) {
            plane.bodies[i].kind = TD_PLANAR_CIRCLE;
            plane.bodies[i].spin = 0;
            plane.bodies[i].mass = 0.25 + i;
            plane.bodies[i].is_static = i % 10 == 0;
            if (plane.bodies[i].is_static) {
                plane.bodies[i].velocity[0] = plane.bodies[i].velocity[1] = 0;
            }
        }
        plane.bodies = realloc(plane.bodies, 61 * sizeof *plane.bodies);
        plane.bodies[60] = td_default_planar_body_def();
        plane.bodies[60].kind = TD_PLANAR_POLYGON;
        plane.bodies[60].corners = slab;
        plane.bodies[60].corner_count = 4;
        plane.bodies[60].is_static = true;
        plane.bodies[60].position[1] = plane.side;
        plane.def.room[1] = plane.side + 1;
        plane.count = 61;
        test_begin(&plane);
        for (int step = 0; step < 500; ++step) {
            double gap;
            test_ok(td_step_planar(plane.planar, 1));
            test_ok(td_measure_planar_gap(&gap, NULL, NULL, plane.planar));
            assert_true(gap >= 0);
        }
        const td_planar_report report = test_report(&plane);
        test_is_conserved(&plane, &report);
        assert_true(report.collisions > 100);
        test_end(&plane);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Known outcomes

static td_planar_body_def test_ball(double x, double y, double vx) {
    td_planar_body_def ball = td_default_planar_body_def();
    ball.radius = 0.5;
    ball.position[0] = x;
    ball.position[1] = y;
    ball.velocity[0] = vx;
    return ball;
}

// Balls that touch: what the first brings, the last takes away.
static void test_cradle(void **state) {
    (void)state;
    for (int stepping = 0; stepping < 2; ++stepping) {
        td_context *context = test_plane_context(1);
        td_planar_body_def balls[6];
        for (int i = 0; i < 6; ++i) {
            balls[i] = test_ball(i == 0 ? 1 : 3 + i, 2, i == 0 ? 3 : 0);
        }
        td_planar_def def = td_default_planar_def();
        def.room[0] = 20;
        def.room[1] = 4;
        def.step = 0.25;
        def.stepping = (td_planar_stepping)stepping;
        td_planar *planar;
        test_ok(td_create_planar(&planar, context, &def, balls, 6));
        test_ok(td_step_planar(planar, stepping == 0 ? 8 : 13));
        td_planar_state states[6];
        test_ok(td_get_planar_states(states, planar));
        for (int i = 0; i < 6; ++i) {
            assert_true(fabs(states[i].velocity[0] - (i == 5 ? 3 : 0)) < 1e-12);
            assert_true(fabs(states[i].velocity[1]) < 1e-12);
        }
        assert_true(states[5].position[0] > 9);
        td_destroy_planar(planar);
        td_destroy_context(context);
    }
}

// Two equal balls, one at rest, leave at right angles to each other.
static void test_oblique(void **state) {
    (void)state;
    td_context *context = test_plane_context(1);
    const td_planar_body_def balls[] = {test_ball(2, 2, 1), test_ball(4, 2.5, 0)};
    td_planar_def def = td_default_planar_def();
    def.room[0] = def.room[1] = 10;
    td_planar *planar;
    test_ok(td_create_planar(&planar, context, &def, balls, 2));
    test_ok(td_step_planar(planar, 180));
    td_planar_state states[2];
    test_ok(td_get_planar_states(states, planar));
    const double *u = states[0].velocity, *v = states[1].velocity;
    assert_true(fabs(u[0] * v[0] + u[1] * v[1]) < 1e-12);
    // The normal of their contact is 30 degrees off: sin = 0.5 / 1.
    assert_true(fabs(v[0] - 0.75) < 1e-5 && fabs(v[1] - 0.25 * sqrt(3.0)) < 1e-5);
    td_destroy_planar(planar);
    td_destroy_context(context);
}

// A box that lands flat has two contact points at one instant, and leaves with the energy that it came with.
static void test_flat(void **state) {
    (void)state;
    td_context *context = test_plane_context(1);
    static const double square[] = {-1, -1, 1, -1, 1, 1, -1, 1};
    td_planar_body_def box = td_default_planar_body_def();
    box.kind = TD_PLANAR_POLYGON;
    box.corners = square;
    box.corner_count = 4;
    box.position[0] = box.position[1] = 5;
    box.velocity[1] = -1;
    td_planar_def def = td_default_planar_def();
    def.room[0] = def.room[1] = 10;
    for (int stepping = 0; stepping < 2; ++stepping) {
        def.stepping = (td_planar_stepping)stepping;
        td_planar *planar;
        td_planar_report report;
        test_ok(td_create_planar(&planar, context, &def, &box, 1));
        test_ok(td_step_planar(planar, 300));
        test_ok(td_report_planar(&report, planar));
        assert_true(report.collisions >= 1);
        assert_true(fabs(report.kinetic_energy - 2) < 1e-12); // 4 kg at 1 m/s
        assert_true(report.momentum[1] > 0);
        td_destroy_planar(planar);
    }
    td_destroy_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conserved),   cmocka_unit_test(test_long_steps),
        cmocka_unit_test(test_restitution), cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_cradle),      cmocka_unit_test(test_oblique),
        cmocka_unit_test(test_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
