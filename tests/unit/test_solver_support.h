// Small worlds whose contacts are found by hand: boxes on the faces of others, and balls.
#ifndef TD_TESTS_SOLVER_SUPPORT_H
#define TD_TESTS_SOLVER_SUPPORT_H

#include "support/cases.h"
#include "support/cmocka_all.h"
#include "support/random.h"

#include "dynamics/solver.h"

#include <math.h>
#include <string.h>

enum { TEST_BODIES = 64, TEST_CONSTRAINTS = 1024, TEST_POINTS = 4096 };

typedef struct test_scene {
    td_solver_body bodies[TEST_BODIES];
    double sizes[TEST_BODIES]; // half of the side of a box, or the radius of a ball
    uint32_t movers[TEST_BODIES];
    td_constraint constraints[TEST_CONSTRAINTS];
    td_contact_point points[TEST_POINTS], old_points[TEST_POINTS];
    uint32_t body_count, mover_count, constraint_count, point_count, old_count;
    double friction, restitution, slop;
    td_solver_settings settings;
    td_context *context;
    td_solver *solver;
    td_solution solution;
} test_scene;

static inline void test_scene_open(test_scene *scene, uint32_t threads) {
    memset(scene, 0, sizeof *scene);
    scene->friction = 0.5;
    scene->slop = 0.001;
    scene->settings = (td_solver_settings){.step = 1.0 / 60.0,
                                           .substeps = 4,
                                           .iterations = 1,
                                           .relaxations = 1,
                                           .push_speed = 3.0,
                                           .bounce_speed = 0.5};
    td_context_def def = td_default_context_def();
    def.thread_count = threads;
    assert_int_equal(td_create_context(&scene->context, &def), TD_OK);
    assert_int_equal(td_solver_create(&scene->solver, scene->context), TD_OK);
}

static inline void test_scene_close(test_scene *scene) {
    td_solver_destroy(scene->solver);
    td_destroy_context(scene->context);
}

// A cube or, as far as mass goes, a ball of half the size that has its inertia.
static inline uint32_t test_add_body(test_scene *scene, td_vec3 position, double size, double mass) {
    const uint32_t index = scene->body_count++;
    assert_true(index < TEST_BODIES);
    td_solver_body *body = &scene->bodies[index];
    *body = (td_solver_body){.position = position, .rotation = {0.0, 0.0, 0.0, 1.0}};
    if (mass > 0.0) {
        const double i = mass * size * size * (2.0 / 3.0);
        body->inverse_mass = 1.0 / mass;
        body->inertia = (td_sym3){i, i, i, 0.0, 0.0, 0.0};
        body->inverse_inertia = (td_sym3){1.0 / i, 1.0 / i, 1.0 / i, 0.0, 0.0, 0.0};
        body->acceleration = td_vec3_make(0.0, -9.81, 0.0);
        scene->movers[scene->mover_count++] = index;
    }
    scene->sizes[index] = size;
    return index;
}

static inline td_vec3 test_to_world(const td_solver_body *body, td_vec3 own) {
    return td_add(body->position, td_mat3_apply(td_quat_matrix(body->rotation), own));
}

static inline td_vec3 test_to_own(const td_solver_body *body, td_vec3 world) {
    return td_mat3_unapply(td_quat_matrix(body->rotation), td_sub(world, body->position));
}

static inline td_constraint *test_begin_constraint(test_scene *scene, uint32_t a, uint32_t b) {
    assert_true(scene->constraint_count < TEST_CONSTRAINTS);
    td_constraint *constraint = &scene->constraints[scene->constraint_count++];
    *constraint = (td_constraint){.a = a,
                                  .b = b,
                                  .first = scene->point_count,
                                  .friction = scene->friction,
                                  .restitution = scene->restitution,
                                  .slop = scene->slop};
    return constraint;
}

// A point half way between the surfaces, warm started from the last step's with the same feature.
static inline void test_add_point(test_scene *scene, td_constraint *constraint, td_vec3 where, td_vec3 normal,
                                  double separation, uint32_t name) {
    assert_true(scene->point_count < TEST_POINTS);
    td_contact_point *point = &scene->points[scene->point_count++];
    constraint->count++;
    *point =
        (td_contact_point){.anchor_a = test_to_own(&scene->bodies[constraint->a], where),
                           .anchor_b = test_to_own(&scene->bodies[constraint->b], where),
                           .normal = normal,
                           .separation = separation,
                           .feature = ((uint64_t)constraint->a * TEST_BODIES + constraint->b) * 64 + name};
    for (uint32_t i = 0; i < scene->old_count; ++i) {
        if (scene->old_points[i].feature == point->feature) {
            point->impulse = scene->old_points[i].impulse;
            point->friction = scene->old_points[i].friction;
        }
    }
}

static inline void test_clear_contacts(test_scene *scene) {
    memcpy(scene->old_points, scene->points, scene->point_count * sizeof *scene->points);
    scene->old_count = scene->point_count;
    scene->point_count = scene->constraint_count = 0;
}

// The corners of the cube b below the face of a that lies at `height` of its y axis.
static inline void test_touch_face(test_scene *scene, uint32_t a, double height, uint32_t b) {
    const td_solver_body *face = &scene->bodies[a];
    const td_vec3 normal = td_mat3_apply(td_quat_matrix(face->rotation), td_vec3_make(0.0, 1.0, 0.0));
    const double size = scene->sizes[b];
    td_constraint *constraint = test_begin_constraint(scene, a, b);
    for (uint32_t corner = 0; corner < 8; ++corner) {
        const td_vec3 own = {corner & 1 ? size : -size, corner & 2 ? size : -size, corner & 4 ? size : -size};
        const td_vec3 where = test_to_world(&scene->bodies[b], own);
        const double separation = test_to_own(face, where).y - height;
        if (separation < 0.0) {
            test_add_point(scene, constraint, td_sub(where, td_scale(normal, 0.5 * separation)), normal,
                           separation, corner);
        }
    }
}

static inline void test_touch_balls(test_scene *scene, uint32_t a, uint32_t b) {
    const td_vec3 apart = td_sub(scene->bodies[b].position, scene->bodies[a].position);
    const double distance = td_length(apart), separation = distance - scene->sizes[a] - scene->sizes[b];
    if (separation < 0.0) {
        const td_vec3 normal = td_scale(apart, 1.0 / distance);
        test_add_point(
            scene, test_begin_constraint(scene, a, b),
            td_add(scene->bodies[a].position, td_scale(normal, scene->sizes[a] + 0.5 * separation)), normal,
            separation, 0);
    }
}

static inline td_problem test_problem(test_scene *scene) {
    return (td_problem){.bodies = scene->bodies,
                        .body_count = scene->body_count,
                        .movers = scene->movers,
                        .mover_count = scene->mover_count,
                        .constraints = scene->constraints,
                        .constraint_count = scene->constraint_count,
                        .points = scene->points,
                        .settings = scene->settings};
}

static inline void test_solve(test_scene *scene) {
    const td_problem problem = test_problem(scene);
    assert_int_equal(td_solve(&scene->solution, scene->solver, &problem), TD_OK);
}

static inline td_vec3 test_spin_momentum(const td_solver_body *body) {
    const td_mat3 r = td_quat_matrix(body->rotation);
    return td_mat3_apply(r, td_sym3_apply(body->inertia, td_mat3_unapply(r, body->spin)));
}

// Of all bodies that contacts move. Potential energy by their accelerations.
typedef struct test_sums {
    td_vec3 momentum, angular_momentum;
    double kinetic, potential;
} test_sums;

static inline test_sums test_sum(const test_scene *scene) {
    test_sums sums = {0};
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        const td_solver_body *body = &scene->bodies[i];
        if (body->inverse_mass > 0.0) {
            const double mass = 1.0 / body->inverse_mass;
            const td_vec3 p = td_scale(body->velocity, mass), l = test_spin_momentum(body);
            sums.momentum = td_add(sums.momentum, p);
            sums.angular_momentum = td_add(sums.angular_momentum, td_add(td_cross(body->position, p), l));
            sums.kinetic += 0.5 * td_dot(p, body->velocity) + 0.5 * td_dot(l, body->spin);
            sums.potential -= mass * td_dot(body->acceleration, body->position);
        }
    }
    return sums;
}

#endif
