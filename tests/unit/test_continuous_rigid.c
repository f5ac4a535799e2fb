// Rigid bodies in motion: translations against the same question about vertices; turns against discrete
// queries at many times, and against the distance of what is told; courses and deviations against their
// definition.
#include "predicates/moving_separation.h"
#include "query/continuous_motion.h"
#include "query/mesh.h"
#include "support/cmocka_all.h"
#include "support/variants.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_bodies {
    test_mesh arrays[2];
    td_rigid_motion motions[2];
} test_bodies;

static test_bodies test_make_bodies(test_random *random, bool turning) {
    test_bodies bodies = {
        .arrays = {test_soup(random, (uint32_t)test_random_int(random, 1, 12)), test_cube(0, 0.7)}};
    for (int i = 0; i < 2; ++i) {
        td_rigid_motion *motion = &bodies.motions[i];
        motion->start = test_random_pose(random, 3.0);
        motion->end = test_random_pose(random, 3.0);
        motion->course = test_random_int(random, 0, 1) ? TD_COURSE_SCREW : TD_COURSE_LINEAR;
        if (!turning || (i == 0 && test_random_int(random, 0, 2) == 0)) {
            memcpy(motion->end.rotation, motion->start.rotation, sizeof motion->end.rotation);
        }
    }
    return bodies;
}

static void test_bodies_free(test_bodies *bodies) {
    test_mesh_free(&bodies->arrays[0]);
    test_mesh_free(&bodies->arrays[1]);
}

static td_vec3 test_vertex(const test_mesh *mesh, uint32_t v) {
    const double *p = mesh->positions + 3 * (size_t)v;
    return td_vec3_make(p[0], p[1], p[2]);
}

// The piece that begins at numerator / 2^depth.
static td_motion_piece test_piece_at(const td_body_motion *motion, uint32_t numerator, int depth) {
    td_motion_piece piece = td_whole_motion(motion);
    for (int level = depth - 1; level >= 0; --level) {
        piece = td_half_of_piece(&piece, (int)(numerator >> level & 1u));
    }
    return piece;
}

// ---------------------------------------------------------------------------------------------------------

// By sines and cosines, about the axis of the turn: what the courses are said to be.
static td_vec3 test_on_course(const td_rigid_motion *motion, td_vec3 v, double t) {
    const double *p = motion->start.rotation, *q = motion->end.rotation;
    double dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    const double sign = dot < 0 ? -1 : 1;
    const double angle = acos(fmin(1.0, dot * sign));
    td_pose pose = motion->start;
    for (int k = 0; k < 4; ++k) {
        pose.rotation[k] =
            angle < 1e-9 ? p[k] : (sin((1 - t) * angle) * p[k] + sign * sin(t * angle) * q[k]) / sin(angle);
    }
    double out[3];
    const double in[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; ++k) {
        pose.position[k] =
            motion->start.position[k] + t * (motion->end.position[k] - motion->start.position[k]);
    }
    td_pose_apply(out, &pose, in);
    return td_vec3_make(out[0], out[1], out[2]);
}

static void test_courses(void **state) {
    (void)state;
    test_random random = {81};
    const int rounds = test_rounds(200);
    for (int round = 0; round < rounds; ++round) {
        test_bodies bodies = test_make_bodies(&random, true);
        td_rigid_motion *motion = &bodies.motions[1];
        const td_trimesh mesh = {.scalar = TD_FLOAT64,
                                 .positions = (const unsigned char *)bodies.arrays[1].positions,
                                 .stride = 3 * sizeof(double),
                                 .vertex_count = bodies.arrays[1].vertex_count};
        const td_body_motion body = td_body_motion_of(motion, &mesh);
        const uint32_t numerator = (uint32_t)test_random_int(&random, 0, 63);
        const td_motion_piece piece = test_piece_at(&body, numerator, 6);
        assert_true(piece.time[0] == numerator / 64.0 && piece.time[1] == (numerator + 1) / 64.0);
        const td_placement from = td_placement_at(&body, &piece, 0), to = td_placement_at(&body, &piece, 1);
        const td_motion_piece whole = td_whole_motion(&body);
        const td_placement first = td_placement_at(&body, &whole, 0),
                           last = td_placement_at(&body, &whole, 1);
        for (uint32_t v = 0; v < mesh.vertex_count; ++v) {
            const td_vec3 x = test_vertex(&bodies.arrays[1], v);
            // Both courses begin and end at the poses.
            assert_true(td_length(td_sub(td_place_vertex(&first, x), test_on_course(motion, x, 0))) <=
                        16 * body.rounding);
            assert_true(td_length(td_sub(td_place_vertex(&last, x), test_on_course(motion, x, 1))) <=
                        16 * body.rounding);
            if (motion->course == TD_COURSE_LINEAR) {
                const td_vec3 there = test_on_course(motion, x, piece.time[1]);
                assert_true(td_length(td_sub(td_place_vertex(&to, x), there)) < 1e-7);
            } else { // a screw keeps its way along the axis, and the distance from it
                const td_vec3 r0 = td_sub(td_place_vertex(&first, x), body.centre);
                const td_vec3 r1 =
                    td_sub(td_place_vertex(&to, x), td_add(body.centre, td_scale(body.way, piece.time[1])));
                assert_true(fabs(td_length(r0) - td_length(r1)) < 1e-9 * (1 + body.radius));
            }
            // Within a piece, paths are as near to straight ones as is said.
            const td_motion_piece inner =
                test_piece_at(&body, numerator * 64 + (uint32_t)test_random_int(&random, 1, 63), 12);
            const td_placement between = td_placement_at(&body, &inner, 0);
            const double u = (inner.time[0] - piece.time[0]) * 64.0;
            const td_vec3 straight =
                td_add(td_scale(td_place_vertex(&from, x), 1 - u), td_scale(td_place_vertex(&to, x), u));
            assert_true(td_length(td_sub(straight, td_place_vertex(&between, x))) <=
                        td_piece_deviation(&body, &piece) + 2 * body.rounding);
        }
        test_bodies_free(&bodies);
    }
}

// ---------------------------------------------------------------------------------------------------------

typedef struct test_scene {
    td_context *context;
    td_continuous *query;
    td_query *discrete;
    td_mesh *meshes[2];
} test_scene;

static test_scene test_scene_make(const test_variant *variant, const test_bodies *bodies) {
    test_scene scene = {.context = variant->context, .discrete = variant->query};
    assert_int_equal(td_create_continuous(&scene.query, scene.context), TD_OK);
    for (int i = 0; i < 2; ++i) {
        scene.meshes[i] = test_mesh_build(scene.context, &bodies->arrays[i]);
        assert_non_null(scene.meshes[i]);
    }
    return scene;
}

static void test_scene_clear(test_scene *scene) {
    td_destroy_mesh(scene->meshes[0]);
    td_destroy_mesh(scene->meshes[1]);
    td_destroy_continuous(scene->query);
}

static td_continuous_result test_ask(const test_scene *scene, const test_bodies *bodies,
                                     const td_continuous_def *def) {
    td_continuous_result found;
    if (td_continuous_rigid(&found, scene->query, scene->meshes[0], &bodies->motions[0], scene->meshes[1],
                            &bodies->motions[1], def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return found;
}

// The bodies where they are at numerator / 2^depth, colliding or not: A's frame is the world's.
static bool test_collides_at(const test_scene *scene, const test_bodies *bodies, uint32_t numerator,
                             int depth) {
    td_mesh *placed[2];
    for (int i = 0; i < 2; ++i) {
        const td_body_motion motion = td_body_motion_of(&bodies->motions[i], &scene->meshes[i]->triangles);
        const td_motion_piece piece = test_piece_at(&motion, numerator, depth);
        const td_placement placement = td_placement_at(&motion, &piece, 0);
        test_mesh copy = bodies->arrays[i];
        copy.positions = malloc(3 * (size_t)copy.vertex_count * sizeof(double));
        assert_non_null(copy.positions);
        for (uint32_t v = 0; v < copy.vertex_count; ++v) {
            const td_vec3 p = td_place_vertex(&placement, test_vertex(&bodies->arrays[i], v));
            memcpy(copy.positions + 3 * (size_t)v, &p, sizeof p);
        }
        placed[i] = test_mesh_build(scene->context, &copy);
        assert_non_null(placed[i]);
        free(copy.positions);
    }
    td_collide_result answer;
    td_collide_def def = td_default_collide_def();
    def.mode = TD_MODE_COUNT;
    assert_int_equal(td_collide(&answer, scene->discrete, placed[0], placed[1], NULL, &def), TD_OK);
    td_destroy_mesh(placed[0]);
    td_destroy_mesh(placed[1]);
    return answer.pair_count > 0;
}

// How far the features of a contact are from each other at its time, which is a little before a time at which
// they are near.
static double test_distance(const test_scene *scene, const test_bodies *bodies,
                            const td_continuous_result *found, td_contact_kind kind,
                            td_feature_contact contact) {
    uint32_t vertex[4];
    bool of_b[4] = {false, false, true, true};
    if (kind == TD_CONTACT_EDGE_EDGE) {
        const td_pair a = found->edges_a[contact.a], b = found->edges_b[contact.b];
        memcpy(vertex, (uint32_t[4]){a.a, a.b, b.a, b.b}, sizeof vertex);
    } else {
        const bool turned = kind == TD_CONTACT_FACE_VERTEX;
        vertex[0] = turned ? contact.b : contact.a;
        td_mesh_triangle(vertex + 1, scene->meshes[!turned], turned ? contact.a : contact.b);
        for (int i = 0; i < 4; ++i) {
            of_b[i] = (i == 0) == turned;
        }
    }
    td_moving_points points;
    for (int i = 0; i < 4; ++i) {
        const td_rigid_motion *motion = &bodies->motions[of_b[i]];
        const td_body_motion body = td_body_motion_of(motion, &scene->meshes[of_b[i]]->triangles);
        const uint32_t numerator = (uint32_t)(contact.time * 0x1p30);
        const td_motion_piece piece =
            test_piece_at(&body, numerator < 1u << 30 ? numerator : (1u << 30) - 1, 30);
        const td_placement placement = td_placement_at(&body, &piece, 0);
        points.at[0][i] = points.at[1][i] =
            td_place_vertex(&placement, test_vertex(&bodies->arrays[of_b[i]], vertex[i]));
    }
    const td_separation_problem problem =
        td_pose_separation(&points, kind == TD_CONTACT_EDGE_EDGE ? TD_EDGE_EDGE : TD_VERTEX_FACE, 1e-3);
    return ldexp(td_moving_distance(&problem, 0.0).lower, problem.unit_exponent);
}

static void test_turns(void **state) {
    (void)state;
    test_variants variants;
    test_variants_create_widest(&variants);
    test_random random = {82};
    int met = 0, apart = 0;
    const int rounds = test_rounds(60);
    for (int round = 0; round < rounds; ++round) {
        test_bodies bodies = test_make_bodies(&random, true);
        test_scene scene = test_scene_make(&variants.items[0], &bodies);
        td_continuous_def def = td_default_continuous_def();
        def.tolerance = 1e-6;
        const td_continuous_result found = test_ask(&scene, &bodies, &def);
        // Nothing is missed, nothing is late: what is apart at first and intersects later has touched before.
        const bool begins_apart = !test_collides_at(&scene, &bodies, 0, 6);
        for (uint32_t i = 1; begins_apart && i < 64; ++i) {
            if (test_collides_at(&scene, &bodies, i, 6)) {
                assert_true(found.touching && found.earliest <= i / 64.0);
                ++met;
                break;
            }
        }
        double least = 1.0;
        for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) { // what is told is near, once
            for (uint64_t i = 0; i < found.count[kind]; ++i) {
                const td_feature_contact contact = found.contacts[kind][i];
                assert_true(i == 0 || found.contacts[kind][i - 1].a < contact.a ||
                            (found.contacts[kind][i - 1].a == contact.a &&
                             found.contacts[kind][i - 1].b < contact.b));
                assert_true(test_distance(&scene, &bodies, &found, (td_contact_kind)kind, contact) < 1e-5);
                assert_false(contact.certain);
                least = fmin(least, contact.time);
            }
        }
        assert_true(found.earliest == least);
        apart += !found.touching;
        test_scene_clear(&scene);
        test_bodies_free(&bodies);
    }
    assert_true(met > 0 && apart > 0);
    test_variants_destroy(&variants);
}

static void test_turns_every_way(void **state) {
    (void)state;
    test_variants variants;
    test_variants_create(&variants);
    test_random random = {83};
    const int rounds = test_rounds(4);
    for (int round = 0; round < rounds; ++round) {
        test_bodies bodies = test_make_bodies(&random, true);
        uint64_t counts[TD_CONTACT_KINDS] = {0};
        double earliest = -1, sum = 0;
        for (int v = 0; v < variants.count; ++v) {
            test_scene scene = test_scene_make(&variants.items[v], &bodies);
            for (int way = 0; way < 3; ++way) {
                td_continuous_def def = td_default_continuous_def();
                def.strategy = way == 1 ? "brute" : NULL;
                def.mode = way == 2 ? TD_CONTINUOUS_EARLIEST : TD_CONTINUOUS_ALL;
                def.tolerance = 1e-5;
                const td_continuous_result found = test_ask(&scene, &bodies, &def);
                assert_true(earliest < 0 || found.earliest == earliest);
                earliest = found.earliest;
                double times = 0;
                for (int kind = 0; way < 2 && kind < TD_CONTACT_KINDS; ++kind) {
                    assert_true((v == 0 && way == 0) || counts[kind] == found.count[kind]);
                    counts[kind] = found.count[kind];
                    for (uint64_t i = 0; i < found.count[kind]; ++i) {
                        times += found.contacts[kind][i].time * (double)(i + 1);
                    }
                }
                assert_true(way == 2 || (v == 0 && way == 0) || times == sum);
                sum = way == 2 ? sum : times;
            }
            test_scene_clear(&scene);
        }
        test_bodies_free(&bodies);
    }
    test_variants_destroy(&variants);
}

// ---------------------------------------------------------------------------------------------------------

static double *test_placed_by(const test_mesh *mesh, const td_pose *pose) {
    double *out = malloc(3 * (size_t)mesh->vertex_count * sizeof(double));
    assert_non_null(out);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        td_pose_apply(out + 3 * (size_t)v, pose, mesh->positions + 3 * (size_t)v);
    }
    return out;
}

static void test_translations(void **state) {
    (void)state;
    test_variants variants;
    test_variants_create_widest(&variants);
    td_context *context = variants.items[0].context;
    test_random random = {84};
    uint64_t contacts = 0;
    const int rounds = test_rounds(60);
    for (int round = 0; round < rounds; ++round) {
        test_bodies bodies = test_make_bodies(&random, false);
        test_scene scene = test_scene_make(&variants.items[0], &bodies);
        const td_continuous_def def = td_default_continuous_def();
        const td_continuous_result found = test_ask(&scene, &bodies, &def);
        td_moving_mesh moving[2];
        td_mesh *start[2];
        double *ends[2];
        for (int i = 0; i < 2; ++i) {
            test_mesh placed = bodies.arrays[i];
            placed.positions = test_placed_by(&bodies.arrays[i], &bodies.motions[i].start);
            ends[i] = test_placed_by(&bodies.arrays[i], &bodies.motions[i].end);
            start[i] = test_mesh_build(context, &placed);
            assert_non_null(start[i]);
            moving[i] =
                (td_moving_mesh){.mesh = start[i], .positions = ends[i], .vertex_count = placed.vertex_count};
            free(placed.positions);
        }
        td_continuous *other;
        td_continuous_result expected;
        assert_int_equal(td_create_continuous(&other, context), TD_OK);
        assert_int_equal(td_continuous_pair(&expected, other, &moving[0], &moving[1], &def), TD_OK);
        for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
            assert_int_equal(found.count[kind], expected.count[kind]);
            contacts += found.count[kind];
            for (uint64_t i = 0; i < found.count[kind]; ++i) {
                const td_feature_contact a = found.contacts[kind][i], b = expected.contacts[kind][i];
                assert_true(a.a == b.a && a.b == b.b && a.time == b.time && a.certain);
            }
        }
        td_destroy_continuous(other);
        for (int i = 0; i < 2; ++i) {
            td_destroy_mesh(start[i]);
            free(ends[i]);
        }
        test_scene_clear(&scene);
        test_bodies_free(&bodies);
    }
    assert_true(contacts > 0);
    test_variants_destroy(&variants);
}

static void test_refusals(void **state) {
    (void)state;
    test_variants variants;
    test_variants_create_widest(&variants);
    test_random random = {85};
    test_bodies bodies = test_make_bodies(&random, true);
    test_scene scene = test_scene_make(&variants.items[0], &bodies);
    td_continuous_result found;
    td_continuous_def def = td_default_continuous_def();
    td_rigid_motion *motion = &bodies.motions[1];
    const td_rigid_motion kept = *motion;
#define TEST_REFUSED(wanted, word)                                                                           \
    assert_int_equal(td_continuous_rigid(&found, scene.query, scene.meshes[0], &bodies.motions[0],           \
                                         scene.meshes[1], motion, &def),                                     \
                     wanted);                                                                                \
    assert_non_null(strstr(td_error_message(), word))
    motion->end.rotation[0] = 2;
    TEST_REFUSED(TD_ERROR_POSE, "body B: end");
    *motion = kept;
    motion->start.position[2] = NAN;
    TEST_REFUSED(TD_ERROR_POSE, "body B: start");
    *motion = kept;
    motion->end.position[0] = DBL_MAX;
    motion->start.position[0] = -DBL_MAX;
    TEST_REFUSED(TD_ERROR_POSE, "overflow");
    *motion = kept;
    motion->course = (td_course_kind)7;
    TEST_REFUSED(TD_ERROR_ARGUMENT, "course");
    *motion = kept;
    def.tolerance = -1;
    TEST_REFUSED(TD_ERROR_ARGUMENT, "tolerance");
#undef TEST_REFUSED
    test_scene_clear(&scene);
    test_bodies_free(&bodies);
    test_variants_destroy(&variants);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_courses),         cmocka_unit_test(test_turns),
        cmocka_unit_test(test_turns_every_way), cmocka_unit_test(test_translations),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
