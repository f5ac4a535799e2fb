// The solver: physics that is known, a complementarity problem solved by trying everything, and the same bits
// for every number of threads.
#include "test_solver_support.h"

#include "support/heap.h"

#include "dynamics/colour.h"

#include <limits.h>

static test_scene scene;

// ---------------------------------------------------------------------------------------------------------
// Resting and sliding

static void test_run_on_floor(uint32_t box, int steps) {
    for (int i = 0; i < steps; ++i) {
        test_clear_contacts(&scene);
        test_touch_face(&scene, 0, 0.0, box);
        test_solve(&scene);
    }
}

static void test_box_rests(void **state) {
    (void)state;
    test_scene_open(&scene, 1);
    test_add_body(&scene, td_vec3_make(0.0, 0.0, 0.0), 0.0, 0.0);
    const uint32_t box = test_add_body(&scene, td_vec3_make(1.0, 0.5, 2.0), 0.5, 8.0);
    test_run_on_floor(box, 300);
    const td_solver_body *body = &scene.bodies[box];
    assert_int_equal(scene.point_count, 4);
    assert_int_equal(scene.solution.colours, 1);
    double impulse = 0.0;
    for (uint32_t i = 0; i < 4; ++i) {
        impulse += scene.points[i].total_impulse;
    }
    print_message("overlap %.6f m, speed %.1e m/s, spin %.1e, residual %.1e\n", 0.5 - body->position.y,
                  td_length(body->velocity), td_length(body->spin), scene.solution.residual);
    assert_true(fabs(impulse - 8.0 * 9.81 / 60.0) < 1e-6);
    assert_true(fabs(body->position.x - 1.0) < 1e-3 && fabs(body->position.z - 2.0) < 1e-3);
    assert_true(0.5 - body->position.y > 0.9 * scene.slop && 0.5 - body->position.y < 1.5 * scene.slop);
    assert_true(td_length(body->velocity) < 1e-9 && td_length(body->spin) < 1e-9);
    assert_true(scene.solution.residual < 1e-9);
    test_scene_close(&scene);
}

static const double test_degree = 3.14159265358979323846 / 180.0;

// How far a box has slid from the first to the second second down an incline: gravity is what is tilted.
static double test_slide(double degrees, double direction, double friction) {
    test_scene_open(&scene, 1);
    scene.friction = friction;
    test_add_body(&scene, td_vec3_make(0.0, 0.0, 0.0), 0.0, 0.0);
    const uint32_t box = test_add_body(&scene, td_vec3_make(0.0, 0.4995, 0.0), 0.5, 3.0);
    const double down = 9.81 * sin(degrees * test_degree);
    scene.bodies[box].acceleration =
        td_vec3_make(down * cos(direction * test_degree), -9.81 * cos(degrees * test_degree),
                     down * sin(direction * test_degree));
    test_run_on_floor(box, 60);
    const td_vec3 before = scene.bodies[box].position;
    test_run_on_floor(box, 60);
    const td_vec3 moved = td_sub(scene.bodies[box].position, before);
    const double along = moved.x * cos(direction * test_degree) + moved.z * sin(direction * test_degree);
    const double across = moved.x * sin(direction * test_degree) - moved.z * cos(direction * test_degree);
    assert_true(fabs(across) < 1e-6 + 1e-3 * fabs(along)); // straight down
    test_scene_close(&scene);
    return along;
}

static void test_incline(void **state) {
    (void)state;
    const double critical = atan(0.5) / test_degree;
    for (int turn = 0; turn < 6; ++turn) {
        const double direction = 31.0 * turn;
        assert_true(fabs(test_slide(critical - 0.5, direction, 0.5)) < 1e-4);
        assert_true(test_slide(critical + 0.5, direction, 0.5) > 0.01);
        // Free sliding: from 1 s to 2 s with a constant acceleration.
        const double expected = 1.5 * 9.81 * (sin(35.0 * test_degree) - 0.5 * cos(35.0 * test_degree));
        const double along = test_slide(35.0, direction, 0.5);
        if (fabs(along - expected) > 0.02 * expected) {
            fail_msg("direction %g: slid %g m, expected %g", direction, along, expected);
        }
    }
    assert_true(fabs(test_slide(20.0, 0.0, 0.0) - 1.5 * 9.81 * sin(20.0 * test_degree)) < 0.02);
}

static void test_no_creep(void **state) {
    (void)state;
    test_scene_open(&scene, 1);
    test_add_body(&scene, td_vec3_make(0.0, 0.0, 0.0), 0.0, 0.0);
    const uint32_t box = test_add_body(&scene, td_vec3_make(0.0, 0.4995, 0.0), 0.5, 3.0);
    scene.bodies[box].acceleration =
        td_vec3_make(9.81 * sin(20.0 * test_degree), -9.81 * cos(20.0 * test_degree), 0.0);
    const td_vec3 start = scene.bodies[box].position;
    test_run_on_floor(box, 30); // it comes to rest
    const td_vec3 before = scene.bodies[box].position;
    test_run_on_floor(box, 600);
    const double creep = td_length(td_sub(scene.bodies[box].position, before));
    print_message("until rest %.1e m, then in 10 s %.1e m\n", td_length(td_sub(before, start)), creep);
    assert_true(creep < 1e-6);
    assert_true(td_length(td_sub(before, start)) < 3e-3);
    test_scene_close(&scene);
}

// A tower of boxes, slightly askew, for 20 s: how far any has moved after the first second.
static double test_run_tower(uint32_t count, uint32_t substeps) {
    test_scene_open(&scene, 1);
    scene.settings.substeps = substeps;
    test_add_body(&scene, td_vec3_make(0.0, 0.0, 0.0), 0.0, 0.0);
    for (uint32_t i = 0; i < count; ++i) {
        test_add_body(&scene, td_vec3_make(0.01 * (i % 3), 0.5 + i, -0.01 * (i % 2)), 0.5, 1000.0);
    }
    td_vec3 after_second[TEST_BODIES] = {{0.0, 0.0, 0.0}};
    double drift = 0.0, speed = 0.0;
    for (int step = 0; step < 1200; ++step) {
        test_clear_contacts(&scene);
        test_touch_face(&scene, 0, 0.0, 1);
        for (uint32_t i = 2; i <= count; ++i) {
            test_touch_face(&scene, i - 1, 0.5, i);
        }
        test_solve(&scene);
        speed = 0.0;
        for (uint32_t i = 1; i <= count; ++i) {
            speed = fmax(speed, td_length(scene.bodies[i].velocity));
            if (step == 60) {
                after_second[i] = scene.bodies[i].position;
            } else if (step > 60) {
                drift = fmax(drift, td_length(td_sub(scene.bodies[i].position, after_second[i])));
            }
        }
    }
    print_message(
        "a tower of %u, %u sub-steps: drift %.1e m, speed %.1e m/s, residual %.1e m/s, sunk by %.4f m\n",
        count, substeps, drift, speed, scene.solution.residual, count - 0.5 - scene.bodies[count].position.y);
    assert_true(speed < 1e-3);
    assert_true(scene.bodies[count].position.y > count - 0.5 - 0.004 * count);
    test_scene_close(&scene);
    return drift;
}

static void test_tower(void **state) {
    (void)state;
    assert_true(test_run_tower(3, 4) < 1e-4);
    assert_true(test_run_tower(10, 4) < 0.02);
    assert_true(test_run_tower(10, 8) < 0.002);
}

// A box on a moving, turning floor goes with it; the floor minds nothing.
static void test_kinematic(void **state) {
    (void)state;
    test_scene_open(&scene, 1);
    const uint32_t floor = test_add_body(&scene, td_vec3_make(0.0, 0.0, 0.0), 0.0, 0.0);
    scene.movers[scene.mover_count++] = floor;
    scene.bodies[floor].velocity = td_vec3_make(0.5, 0.2, 0.0);
    scene.bodies[floor].spin = td_vec3_make(0.0, 0.3, 0.0);
    scene.bodies[floor].acceleration = td_vec3_make(0.0, -9.81, 0.0); // not for such bodies
    const uint32_t box = test_add_body(&scene, td_vec3_make(0.0, 0.4995, 0.0), 0.5, 2.0);
    test_run_on_floor(box, 120);
    const td_solver_body *mover = &scene.bodies[floor], *body = &scene.bodies[box];
    assert_true(fabs(mover->position.x - 1.0) < 1e-12 && fabs(mover->position.y - 0.4) < 1e-12);
    assert_true(fabs(mover->rotation.y - sin(0.3)) < 1e-9 && fabs(mover->rotation.w - cos(0.3)) < 1e-9);
    assert_true(mover->velocity.x == 0.5 && mover->velocity.y == 0.2 && mover->spin.y == 0.3);
    assert_true(fabs(body->velocity.x - 0.5) < 1e-2 && fabs(body->velocity.y - 0.2) < 1e-3);
    assert_true(fabs(body->spin.y - 0.3) < 1e-2);
    assert_true(fabs(body->position.x - 1.0) < 0.02 && fabs(body->position.y - 0.9) < 0.01);
    test_scene_close(&scene);
}

// ---------------------------------------------------------------------------------------------------------
// Conservation

static td_vec3 test_random_vector(test_random *random, double size) {
    const double x = test_random_range(random, -size, size), y = test_random_range(random, -size, size);
    return td_vec3_make(x, y, test_random_range(random, -size, size));
}

// Balls with all kinds of mass and inertia that fly into each other.
static void test_make_swarm(test_random *random, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const td_vec3 place = {0.9 * (i % 4) + test_random_range(random, -0.1, 0.1),
                               0.9 * (i / 4 % 4) + test_random_range(random, -0.1, 0.1),
                               0.9 * (i / 16) + test_random_range(random, -0.1, 0.1)};
        const double mass = test_random_range(random, 0.5, 5.0);
        const uint32_t index = test_add_body(&scene, place, test_random_range(random, 0.3, 0.4), mass);
        td_solver_body *body = &scene.bodies[index];
        const td_pose pose = test_random_pose(random, 1.0);
        body->rotation = td_quat_normalise(
            (td_quat){pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]});
        body->inertia.xx *= test_random_range(random, 0.7, 1.3);
        body->inertia.yy *= test_random_range(random, 0.7, 1.3);
        body->inverse_inertia = td_sym3_inverse(body->inertia);
        body->acceleration = td_vec3_make(0.0, 0.0, 0.0);
        const td_vec3 inwards = td_sub(td_vec3_make(1.4, 1.4, 1.0), place);
        body->velocity = td_add(td_scale(inwards, 1.5), td_vec3_make(0.3, -0.2, 0.1));
        body->spin = test_random_vector(random, 5.0);
    }
}

static void test_touch_swarm(void) {
    test_clear_contacts(&scene);
    for (uint32_t a = 0; a < scene.body_count; ++a) {
        for (uint32_t b = a + 1; b < scene.body_count; ++b) {
            test_touch_balls(&scene, a, b);
        }
    }
}

static void test_conservation(void **state) {
    (void)state;
    for (int round = 0; round < 6; ++round) {
        test_random random = {(uint64_t)round + 11};
        test_scene_open(&scene, 1);
        scene.friction = round % 2 == 0 ? 0.0 : 0.5;
        scene.restitution = round / 2 * 0.5;
        scene.settings.relaxations = round == 5 ? 0 : 1;
        scene.settings.iterations = 1 + (uint32_t)round / 3;
        test_make_swarm(&random, 40);
        const test_sums start = test_sum(&scene);
        double momentum = 0.0, angular = 0.0, energy = start.kinetic;
        size_t contacts = 0;
        for (int step = 0; step < 1000; ++step) {
            test_touch_swarm();
            contacts += scene.point_count;
            test_solve(&scene);
            const test_sums now = test_sum(&scene);
            momentum = fmax(momentum, td_length(td_sub(now.momentum, start.momentum)));
            angular = fmax(angular, td_length(td_sub(now.angular_momentum, start.angular_momentum)));
            energy = fmax(energy, now.kinetic);
        }
        const test_sums end = test_sum(&scene);
        momentum /= td_length(start.momentum);
        angular /= td_length(start.angular_momentum);
        print_message("restitution %.1f friction %.1f: %zu contacts, momentum off by %.1e, angular %.1e, "
                      "energy %.3f of the start's, at most %.4f\n",
                      scene.restitution, scene.friction, contacts, momentum, angular,
                      end.kinetic / start.kinetic, energy / start.kinetic);
        assert_true(contacts > 100);
        assert_true(momentum < 1e-11 && angular < 1e-11);
        assert_true(energy < 1.01 * start.kinetic || scene.settings.relaxations == 0);
        if (scene.restitution == 1.0 && scene.friction == 0.0) {
            assert_true(end.kinetic > 0.97 * start.kinetic);
        }
        test_scene_close(&scene);
    }
}

// Two equal balls head on exchange their velocities; unequal ones do as the textbook says.
static void test_head_on(void **state) {
    (void)state;
    for (int k = 0; k < 3; ++k) {
        const double masses[3] = {2.0, 6.0, 0.5}, restitutions[3] = {1.0, 1.0, 0.5};
        const double m1 = 2.0, m2 = masses[k], e = restitutions[k];
        test_scene_open(&scene, 1);
        scene.restitution = e;
        const uint32_t a = test_add_body(&scene, td_vec3_make(-0.7, 0.0, 0.0), 0.5, m1);
        const uint32_t b = test_add_body(&scene, td_vec3_make(0.7, 0.0, 0.0), 0.5, m2);
        scene.bodies[a].acceleration = scene.bodies[b].acceleration = td_vec3_make(0.0, 0.0, 0.0);
        scene.bodies[a].velocity.x = 3.0;
        scene.bodies[b].velocity.x = -1.0;
        for (int step = 0; step < 60; ++step) {
            test_touch_swarm();
            test_solve(&scene);
        }
        const double centre = (m1 * 3.0 - m2 * 1.0) / (m1 + m2);
        assert_true(fabs(scene.bodies[a].velocity.x - (centre - e * m2 * 4.0 / (m1 + m2))) < 1e-9);
        assert_true(fabs(scene.bodies[b].velocity.x - (centre + e * m1 * 4.0 / (m1 + m2))) < 1e-9);
        test_scene_close(&scene);
    }
}

// A box that is dropped on a face, an edge, a corner or askew: energy does not grow, and is kept where
// nothing takes it.
static void test_drop_energy(void **state) {
    (void)state;
    const td_quat turns[] = {{0.0, 0.0, 0.0, 1.0},
                             {0.38268343236508977, 0.0, 0.0, 0.9238795325112867},
                             {0.27984814233312133, 0.0, -0.36470519963100095, 0.8880738339771153},
                             {0.1, 0.2, 0.05, 0.9734}};
    for (int k = 0; k < 16; ++k) {
        test_scene_open(&scene, 1);
        scene.restitution = k & 4 ? 1.0 : 0.0;
        scene.friction = k & 8 ? 0.5 : 0.0;
        test_add_body(&scene, td_vec3_make(0.0, 0.0, 0.0), 0.0, 0.0);
        const uint32_t box = test_add_body(&scene, td_vec3_make(0.0, 2.5, 0.0), 0.5, 1.0);
        scene.bodies[box].rotation = td_quat_normalise(turns[k & 3]);
        test_sums start = test_sum(&scene);
        const double unit = start.potential; // above the floor
        double most = 0.0, end = 0.0;
        for (int step = 0; step < 600; ++step) {
            test_run_on_floor(box, 1);
            const test_sums now = test_sum(&scene);
            end = now.kinetic + now.potential;
            most = fmax(most, end);
        }
        print_message("drop %d, restitution %g, friction %g: energy at most %.4f, at the end %.4f\n", k & 3,
                      scene.restitution, scene.friction, most / unit, end / unit);
        assert_true(most < unit * (scene.restitution > 0.0 ? 1.03 : 1.01));
        if (scene.restitution > 0.0 && scene.friction == 0.0) {
            assert_true(end > unit * 0.97);
        }
        test_scene_close(&scene);
    }
}

// Deep overlap comes apart slowly, and leaves no velocity behind.
static void test_deep_overlap(void **state) {
    (void)state;
    test_scene_open(&scene, 1);
    const uint32_t a = test_add_body(&scene, td_vec3_make(-0.1, 0.0, 0.0), 0.5, 1.0);
    const uint32_t b = test_add_body(&scene, td_vec3_make(0.1, 0.0, 0.0), 0.5, 1.0);
    scene.bodies[a].acceleration = scene.bodies[b].acceleration = td_vec3_make(0.0, 0.0, 0.0);
    for (int step = 0; step < 240; ++step) {
        const double before = scene.bodies[b].position.x - scene.bodies[a].position.x;
        test_touch_swarm();
        test_solve(&scene);
        const double moved = scene.bodies[b].position.x - scene.bodies[a].position.x - before;
        assert_true(moved >= -1e-12 && moved <= scene.settings.push_speed * scene.settings.step + 1e-12);
        assert_true(td_length(scene.bodies[a].velocity) < 1e-9);
    }
    const double apart = scene.bodies[b].position.x - scene.bodies[a].position.x;
    assert_true(fabs(apart - (1.0 - scene.slop)) < 1e-3);
    test_scene_close(&scene);
}

// ---------------------------------------------------------------------------------------------------------
// The complementarity problem, by trying all sets of contacts that may be active

enum { TEST_MOST_CONTACTS = 4 };

typedef struct test_lcp {
    int count;
    double matrix[TEST_MOST_CONTACTS][TEST_MOST_CONTACTS]; // velocity along i by an impulse along j
    double speed[TEST_MOST_CONTACTS];                      // without impulses
    double impulse[TEST_MOST_CONTACTS];
} test_lcp;

// The impulses that bring the speeds of the contacts in `set` to zero; false if there are none.
static bool test_solve_set(test_lcp *lcp, unsigned set) {
    double m[TEST_MOST_CONTACTS][TEST_MOST_CONTACTS + 1];
    int rows[TEST_MOST_CONTACTS], count = 0;
    for (int i = 0; i < lcp->count; ++i) {
        lcp->impulse[i] = 0.0;
        if (set >> i & 1) {
            rows[count++] = i;
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < count; ++k) {
            m[i][k] = lcp->matrix[rows[i]][rows[k]];
        }
        m[i][count] = -lcp->speed[rows[i]];
    }
    for (int i = 0; i < count; ++i) { // the matrix is positive definite, unless contacts depend on each other
        if (m[i][i] < 1e-9) {
            return false;
        }
        for (int r = 0; r < count; ++r) {
            if (r != i) {
                const double f = m[r][i] / m[i][i];
                for (int k = i; k <= count; ++k) {
                    m[r][k] -= f * m[i][k];
                }
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        lcp->impulse[rows[i]] = m[i][count] / m[i][i];
    }
    return true;
}

static bool test_solve_lcp(test_lcp *lcp) {
    for (unsigned set = 0; set < 1u << lcp->count; ++set) {
        if (!test_solve_set(lcp, set)) {
            continue;
        }
        bool good = true;
        for (int i = 0; i < lcp->count; ++i) {
            double speed = lcp->speed[i];
            for (int k = 0; k < lcp->count; ++k) {
                speed += lcp->matrix[i][k] * lcp->impulse[k];
            }
            good = good && speed > -1e-9 && lcp->impulse[i] >= 0.0;
        }
        if (good) {
            return true;
        }
    }
    return false;
}

typedef struct test_lever {
    uint32_t a, b;
    td_vec3 normal, arm_a, arm_b;
} test_lever;

// What an impulse along a contact does to a body: velocity, and spin.
static void test_push_body(const td_solver_body *body, td_vec3 arm, td_vec3 impulse, td_vec3 *velocity,
                           td_vec3 *spin) {
    const td_mat3 r = td_quat_matrix(body->rotation);
    const td_vec3 torque = td_cross(arm, impulse);
    *velocity = td_add(*velocity, td_scale(impulse, body->inverse_mass));
    *spin = td_add(*spin, td_mat3_apply(r, td_sym3_apply(body->inverse_inertia, td_mat3_unapply(r, torque))));
}

static double test_lever_speed(const test_lever *lever, const td_vec3 *velocities, const td_vec3 *spins) {
    const td_vec3 at_a = td_add(velocities[lever->a], td_cross(spins[lever->a], lever->arm_a));
    const td_vec3 at_b = td_add(velocities[lever->b], td_cross(spins[lever->b], lever->arm_b));
    return td_dot(lever->normal, td_sub(at_b, at_a));
}

static test_lcp test_make_lcp(const test_lever *levers, int count) {
    test_lcp lcp = {.count = count};
    for (int k = 0; k < count; ++k) {
        td_vec3 velocities[TEST_BODIES] = {{0.0, 0.0, 0.0}}, spins[TEST_BODIES] = {{0.0, 0.0, 0.0}};
        const test_lever *lever = &levers[k];
        test_push_body(&scene.bodies[lever->a], lever->arm_a, td_scale(lever->normal, -1.0),
                       &velocities[lever->a], &spins[lever->a]);
        test_push_body(&scene.bodies[lever->b], lever->arm_b, lever->normal, &velocities[lever->b],
                       &spins[lever->b]);
        for (int i = 0; i < count; ++i) {
            lcp.matrix[i][k] = test_lever_speed(&levers[i], velocities, spins);
        }
        for (uint32_t i = 0; i < scene.body_count; ++i) {
            velocities[i] = scene.bodies[i].velocity;
            spins[i] = scene.bodies[i].spin;
        }
        lcp.speed[k] = test_lever_speed(lever, velocities, spins);
    }
    return lcp;
}

static void test_complementarity(void **state) {
    (void)state;
    int active = 0;
    const int rounds = test_rounds(300);
    for (int round = 0; round < rounds; ++round) {
        test_random random = {(uint64_t)round + 1};
        test_scene_open(&scene, 1);
        // A gap that closes at once makes a hard contact; one long sub-step, nothing but iterations.
        scene.friction = scene.slop = 0.0;
        scene.settings = (td_solver_settings){.step = 1.0, .substeps = 1, .iterations = 20000};
        test_make_swarm(&random, 3);
        scene.bodies[0].inverse_mass *= round % 3 == 0 ? 0.0 : 1.0; // now and then one that does not give way
        if (scene.bodies[0].inverse_mass == 0.0) {
            scene.bodies[0].inverse_inertia = (td_sym3){0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        }
        test_lever levers[TEST_MOST_CONTACTS];
        const int count = test_random_int(&random, 2, TEST_MOST_CONTACTS);
        for (int i = 0; i < count; ++i) {
            const uint32_t a = (uint32_t)i % 2, b = 1 + (uint32_t)test_random_int(&random, (int)a, 1);
            const td_vec3 where =
                td_add(td_scale(td_add(scene.bodies[a].position, scene.bodies[b].position), 0.5),
                       test_random_vector(&random, 0.3));
            const td_vec3 along = test_random_vector(&random, 1.0);
            levers[i] = (test_lever){a, b, td_scale(along, 1.0 / td_length(along)),
                                     td_sub(where, scene.bodies[a].position),
                                     td_sub(where, scene.bodies[b].position)};
            test_add_point(&scene, test_begin_constraint(&scene, a, b), where, levers[i].normal, 1e-13,
                           (uint32_t)i);
        }
        test_lcp lcp = test_make_lcp(levers, count);
        assert_true(test_solve_lcp(&lcp));
        test_solve(&scene);
        for (int i = 0; i < count; ++i) {
            if (fabs(scene.points[i].impulse - lcp.impulse[i]) > 1e-6) {
                fail_msg("round %d, contact %d of %d: impulse %g, expected %g", round, i, count,
                         scene.points[i].impulse, lcp.impulse[i]);
            }
            active += lcp.impulse[i] > 0.0;
            assert_true(scene.points[i].total_impulse == scene.points[i].impulse);
        }
        assert_true(scene.solution.residual < 1e-6);
        test_scene_close(&scene);
    }
    assert_true(active > rounds / 2);
}

// ---------------------------------------------------------------------------------------------------------
// Colours, threads, memory, nothing

static void test_colours(void **state) {
    (void)state;
    for (int round = 0; round < test_rounds(100); ++round) {
        test_random random = {(uint64_t)round + 1};
        memset(&scene, 0, sizeof scene);
        scene.body_count = (uint32_t)test_random_int(&random, 2, TEST_BODIES);
        for (uint32_t i = 0; i < scene.body_count; ++i) {
            scene.bodies[i].inverse_mass = test_random_int(&random, 0, 4) == 0 ? 0.0 : 1.0;
        }
        scene.constraint_count = (uint32_t)test_random_int(&random, 0, TEST_CONSTRAINTS);
        for (uint32_t i = 0; i < scene.constraint_count; ++i) {
            const uint32_t a = (uint32_t)test_random_int(&random, 0, (int)scene.body_count - 1);
            const uint32_t b =
                (a + (uint32_t)test_random_int(&random, 1, (int)scene.body_count - 1)) % scene.body_count;
            scene.constraints[i] =
                (td_constraint){.a = a, .b = b, .count = test_random_int(&random, 0, 9) == 0 ? 0 : 1};
        }
        const td_problem problem = test_problem(&scene);
        uint32_t masks[TEST_BODIES], order[TEST_CONSTRAINTS], starts[TEST_BODIES + 1];
        static uint32_t edges[2 * TEST_CONSTRAINTS];
        uint8_t groups[TEST_CONSTRAINTS];
        const td_colouring colouring = td_colour_constraints(&problem, masks, groups, order);
        assert_int_equal(colouring.starts[0], 0);
        assert_int_equal(colouring.starts[TD_COLOUR_GROUPS], scene.constraint_count);
        uint8_t seen[TEST_CONSTRAINTS] = {0};
        for (uint32_t group = 0; group < TD_COLOUR_GROUPS; ++group) {
            uint64_t used = 0;
            for (uint32_t i = colouring.starts[group]; i < colouring.starts[group + 1]; ++i) {
                const td_constraint *constraint = &scene.constraints[order[i]];
                assert_int_equal(seen[order[i]]++, 0);
                assert_int_equal(groups[order[i]], group);
                assert_true(i == colouring.starts[group] || order[i - 1] < order[i]);
                const bool moves_a = scene.bodies[constraint->a].inverse_mass > 0.0;
                const bool moves_b = scene.bodies[constraint->b].inverse_mass > 0.0;
                assert_int_equal(group == TD_COLOUR_IDLE, constraint->count == 0 || !(moves_a || moves_b));
                const uint64_t bits =
                    (moves_a ? 1ull << constraint->a : 0) | (moves_b ? 1ull << constraint->b : 0);
                assert_true(group >= TD_COLOURS || (used & bits) == 0);
                used |= bits;
            }
            assert_int_equal(group < colouring.colours && group < TD_COLOURS,
                             colouring.starts[group] < colouring.starts[group + 1] && group < TD_COLOURS);
        }
        const uint32_t active = colouring.starts[TD_COLOUR_IDLE];
        td_list_edges(&problem, order, active, starts, edges);
        assert_int_equal(starts[0], 0);
        uint32_t ends = 0;
        for (uint32_t body = 0; body < scene.body_count; ++body) {
            for (uint32_t i = starts[body]; i < starts[body + 1]; ++i) {
                const td_constraint *constraint = &scene.constraints[order[edges[i] / 2]];
                assert_true(edges[i] / 2 < active && scene.bodies[body].inverse_mass > 0.0);
                assert_int_equal(edges[i] % 2 == 0 ? constraint->a : constraint->b, body);
                assert_true(i == starts[body] || edges[i - 1] < edges[i]);
            }
        }
        for (uint32_t i = 0; i < active; ++i) {
            ends += scene.bodies[scene.constraints[order[i]].a].inverse_mass > 0.0;
            ends += scene.bodies[scene.constraints[order[i]].b].inverse_mass > 0.0;
        }
        assert_int_equal(starts[scene.body_count], ends);
    }
}

// A problem with several points per constraint, too many constraints of one body for the colours, and bodies
// that contacts do not move.
static void test_make_tangle(test_random *random) {
    test_make_swarm(random, 60);
    for (uint32_t i = 0; i < 60; i += 13) {
        scene.bodies[i].inverse_mass = 0.0;
        scene.bodies[i].inverse_inertia = (td_sym3){0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    }
    for (uint32_t i = 0; i < 500; ++i) {
        const uint32_t a = i % 5 == 0 ? 7 : (uint32_t)test_random_int(random, 0, 59);
        const uint32_t b = (a + (uint32_t)test_random_int(random, 1, 59)) % 60;
        td_constraint *constraint = test_begin_constraint(&scene, a, b);
        const int count = test_random_int(random, 0, 7);
        for (int k = 0; k < count; ++k) {
            const td_vec3 along = test_random_vector(random, 1.0);
            const td_vec3 where =
                td_add(td_scale(td_add(scene.bodies[a].position, scene.bodies[b].position), 0.5),
                       test_random_vector(random, 0.3));
            test_add_point(&scene, constraint, where, td_scale(along, 1.0 / td_length(along)),
                           test_random_range(random, -0.01, 0.0), (uint32_t)k);
            scene.points[scene.point_count - 1].impulse = test_random_range(random, 0.0, 0.01);
        }
    }
}

static void test_same_bits(void **state) {
    (void)state;
    static td_solver_body expected_bodies[TEST_BODIES];
    static td_contact_point expected_points[TEST_POINTS];
    for (int round = 0; round < test_rounds(8); ++round) {
        td_solution expected = {0};
        const uint32_t threads[] = {1, 2, 3, 8};
        for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
            test_random random = {(uint64_t)round + 101};
            test_scene_open(&scene, threads[k]);
            scene.restitution = round % 2 * 0.4;
            scene.settings.relaxations = (uint32_t)round % 3;
            scene.settings.iterations = 1 + (uint32_t)round % 2;
            test_make_tangle(&random);
            for (int step = 0; step < 5; ++step) {
                test_solve(&scene);
            }
            if (k == 0) {
                expected = scene.solution;
                memcpy(expected_bodies, scene.bodies, sizeof scene.bodies);
                memcpy(expected_points, scene.points, sizeof scene.points);
                assert_int_equal(expected.colours, TD_COLOURS);
                for (uint32_t i = 0; i < scene.body_count; ++i) {
                    assert_true(isfinite(td_length(scene.bodies[i].velocity)));
                }
            }
            assert_memory_equal(&expected.residual, &scene.solution.residual, sizeof expected.residual);
            assert_int_equal(expected.colours, scene.solution.colours);
            assert_memory_equal(expected_bodies, scene.bodies, sizeof scene.bodies);
            assert_memory_equal(expected_points, scene.points, sizeof scene.points);
            test_scene_close(&scene);
        }
    }
}

static void test_nothing(void **state) {
    (void)state;
    test_scene_open(&scene, 2);
    test_solve(&scene); // no bodies
    assert_true(scene.solution.residual == 0.0);
    assert_int_equal(scene.solution.colours, 0);
    const uint32_t wall = test_add_body(&scene, td_vec3_make(0.0, 0.0, 0.0), 1.0, 0.0);
    const uint32_t other = test_add_body(&scene, td_vec3_make(0.5, 0.0, 0.0), 1.0, 0.0);
    const uint32_t ball = test_add_body(&scene, td_vec3_make(9.0, 0.0, 0.0), 1.0, 1.0);
    test_touch_balls(&scene, wall, other); // two walls, which nothing can push apart
    scene.points[0].impulse = 3.0;
    test_begin_constraint(&scene, wall, ball); // no points
    test_solve(&scene);
    assert_int_equal(scene.solution.colours, 0);
    assert_true(scene.points[0].impulse == 0.0 && scene.points[0].total_impulse == 0.0);
    assert_true(scene.bodies[wall].position.x == 0.0 && scene.bodies[other].position.x == 0.5);
    assert_true(fabs(scene.bodies[ball].velocity.y + 9.81 / 60.0) < 1e-12); // it fell
    td_solver_destroy(NULL);
    test_scene_close(&scene);
}

// Forces, torques and damping act as the formulas say.
static void test_forces(void **state) {
    (void)state;
    test_scene_open(&scene, 1);
    const uint32_t ball = test_add_body(&scene, td_vec3_make(0.0, 0.0, 0.0), 1.0, 3.0);
    td_solver_body *body = &scene.bodies[ball];
    body->acceleration = td_vec3_make(1.0, 2.0, 3.0);
    body->torque = td_vec3_make(4.0, 0.0, -2.0);
    body->linear_damping = 0.5;
    body->angular_damping = 0.25;
    double v = 0.0, w = 0.0;
    const double h = scene.settings.step / 4.0;
    for (int step = 0; step < 10; ++step) {
        test_solve(&scene);
        for (int i = 0; i < 4; ++i) {
            v = (v + h) / (1.0 + 0.5 * h);
            w = (w + h * 4.0 / body->inertia.xx) / (1.0 + 0.25 * h);
        }
    }
    assert_true(td_length(td_sub(body->velocity, td_vec3_make(v, 2.0 * v, 3.0 * v))) < 1e-12);
    assert_true(td_length(td_sub(body->spin, td_vec3_make(w, 0.0, -0.5 * w))) < 1e-12);
    test_scene_close(&scene);
}

// Memory runs out at each allocation: nothing was changed, nothing is lost, and it works when asked again.
static void test_memory(void **state) {
    (void)state;
    static test_heap heap;
    static test_scene before;
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    def.allocator = test_heap_allocator(&heap);
    long fail_at = 0;
    for (bool failed = true; failed; ++fail_at) {
        test_random random = {3};
        memset(&scene, 0, sizeof scene);
        scene.settings = (td_solver_settings){1.0 / 60.0, 2, 1, 1, 1.0, 1.0};
        test_make_tangle(&random);
        assert_int_equal(td_create_context(&scene.context, &def), TD_OK);
        test_heap_fail(&heap, fail_at, fail_at + 1);
        scene.solver = (td_solver *)&scene;
        td_result result = td_solver_create(&scene.solver, scene.context);
        assert_true((result == TD_OK) == (scene.solver != NULL));
        if (result == TD_OK) {
            const td_problem problem = test_problem(&scene);
            before = scene;
            result = td_solve(&scene.solution, scene.solver, &problem);
            if (result != TD_OK) {
                assert_memory_equal(&before, &scene, sizeof scene);
                assert_int_equal(td_solve(&scene.solution, scene.solver, &problem), TD_OK);
            }
        }
        failed = atomic_load(&heap.failures) > 0;
        assert_int_equal(result, failed ? TD_ERROR_MEMORY : TD_OK);
        test_heap_recover(&heap);
        test_scene_close(&scene);
        assert_int_equal(atomic_load(&heap.blocks), 0);
        assert_int_equal(atomic_load(&heap.mistakes), 0);
    }
    print_message("%ld allocations\n", fail_at - 1);
    assert_true(fail_at > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_rests),    cmocka_unit_test(test_incline),
        cmocka_unit_test(test_no_creep),     cmocka_unit_test(test_tower),
        cmocka_unit_test(test_kinematic),    cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_head_on),      cmocka_unit_test(test_drop_energy),
        cmocka_unit_test(test_deep_overlap), cmocka_unit_test(test_complementarity),
        cmocka_unit_test(test_colours),      cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_nothing),      cmocka_unit_test(test_forces),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
