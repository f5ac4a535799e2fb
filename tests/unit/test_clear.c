// Clearance against the distances of all pairs of triangles, computed in long double by another algorithm:
// never clear where it is not, and nearly always where it is. Quick proofs of it are never wrong either, and
// succeed where there is room.
#include "query/near.h"
#include "support/cmocka_all.h"
#include "support/questions.h"
#include "support/variants.h"

#include <math.h>
#include <stdio.h>

typedef struct test_point {
    long double x, y, z;
} test_point;

static test_point test_minus(test_point a, test_point b) {
    return (test_point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static test_point test_along(test_point a, test_point b, long double t) {
    return (test_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static long double test_dot(test_point a, test_point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static long double test_length(test_point a) {
    return sqrtl(test_dot(a, a));
}

static long double test_point_to_segment(test_point p, test_point a, test_point b) {
    const test_point d = test_minus(b, a);
    const long double dd = test_dot(d, d);
    const long double t = dd > 0 ? test_dot(test_minus(p, a), d) / dd : 0;
    return test_length(test_minus(p, test_along(a, b, fminl(fmaxl(t, 0), 1))));
}

// The distance from a segment to a convex set is convex along the segment: thirds are cut off.
typedef long double test_distance_fn(test_point p, const test_point *set);

static long double test_least_along(test_point a, test_point b, test_distance_fn *distance,
                                    const test_point *set) {
    long double low = 0, high = 1;
    for (int i = 0; i < 90; ++i) {
        const long double t = low + (high - low) / 3, u = high - (high - low) / 3;
        if (distance(test_along(a, b, t), set) < distance(test_along(a, b, u), set)) {
            high = u;
        } else {
            low = t;
        }
    }
    return distance(test_along(a, b, (low + high) / 2), set);
}

static long double test_to_segment(test_point p, const test_point *set) {
    return test_point_to_segment(p, set[0], set[1]);
}

// To a triangle: over all segments from its first corner to the opposite edge.
static long double test_to_triangle(test_point p, const test_point *set) {
    long double best =
        fminl(test_point_to_segment(p, set[1], set[2]), test_point_to_segment(p, set[0], set[1]));
    best = fminl(best, test_point_to_segment(p, set[0], set[2]));
    // The foot on the plane, by barycentric coordinates from the normal equations.
    const test_point e = test_minus(set[1], set[0]), f = test_minus(set[2], set[0]),
                     d = test_minus(p, set[0]);
    const long double ee = test_dot(e, e), ef = test_dot(e, f), ff = test_dot(f, f),
                      determinant = ee * ff - ef * ef;
    if (determinant > 0) {
        const long double u = (ff * test_dot(e, d) - ef * test_dot(f, d)) / determinant;
        const long double v = (ee * test_dot(f, d) - ef * test_dot(e, d)) / determinant;
        if (u >= 0 && v >= 0 && u + v <= 1) {
            const test_point foot = {set[0].x + u * e.x + v * f.x, set[0].y + u * e.y + v * f.y,
                                     set[0].z + u * e.z + v * f.z};
            best = fminl(best, test_length(test_minus(p, foot)));
        }
    }
    return best;
}

// Of triangles that do not intersect: from the edges of one to the edges of the other, and corners to faces.
static long double test_triangle_distance(const test_point a[3], const test_point b[3]) {
    long double best = INFINITY;
    for (int i = 0; i < 3; ++i) {
        best = fminl(best, fminl(test_to_triangle(a[i], b), test_to_triangle(b[i], a)));
        for (int j = 0; j < 3; ++j) {
            const test_point edge[2] = {b[j], b[(j + 1) % 3]};
            best = fminl(best, test_least_along(a[i], a[(i + 1) % 3], test_to_segment, edge));
        }
    }
    return best;
}

static void test_corners(test_point out[3], td_triangle t) {
    out[0] = (test_point){t.p0.x, t.p0.y, t.p0.z};
    out[1] = (test_point){t.p1.x, t.p1.y, t.p1.z};
    out[2] = (test_point){t.p2.x, t.p2.y, t.p2.z};
}

static double test_distance(const test_question *question, const td_pose *pose) {
    long double best = INFINITY;
    for (uint32_t i = 0; i < question->a.triangle_count; ++i) {
        test_point a[3], b[3];
        test_corners(a, test_mesh_triangle(&question->a, i));
        for (uint32_t j = 0; j < question->b.triangle_count; ++j) {
            test_corners(b, test_placed(pose, test_mesh_triangle(&question->b, j)));
            best = fminl(best, test_triangle_distance(a, b));
        }
    }
    return (double)best;
}

// What float64 leaves of the coordinates.
static double test_grain(const test_question *question, const td_pose *pose) {
    double largest = 0;
    for (int k = 0; k < 3; ++k) {
        largest = fmax(largest, fabs(pose->position[k]));
    }
    for (size_t i = 0; i < 3 * (size_t)question->a.vertex_count; ++i) {
        largest = fmax(largest, fabs(question->a.positions[i]));
    }
    for (size_t i = 0; i < 3 * (size_t)question->b.vertex_count; ++i) {
        largest = fmax(largest, fabs(question->b.positions[i]));
    }
    return largest * 0x1p-50;
}

typedef struct test_tally {
    int apart, clear, missed;
    int roomy, proven; // margins far below the distance; of these, by quick proofs of all variants
} test_tally;

// Whether quick proofs succeed on each variant; on none if they are wrong.
static bool test_is_proven(const test_variants *variants, const td_object_pair *pair, double margin,
                           bool wrong) {
    const td_near_pair near_pair = {.pair = *pair, .margin = margin};
    bool all = true;
    for (int i = 0; i < variants->count; ++i) {
        td_collide_result answer;
        assert_int_equal(td_prove_clear(&answer, variants->items[i].query, &near_pair, 1), TD_OK);
        assert_true(answer.colliding || !wrong);
        all = all && !answer.colliding;
        // The same on the way to the pairs.
        bool cleared = false;
        const td_near_pair tried = {.pair = *pair, .not_inside = true, .clear = margin, .cleared = &cleared};
        td_collide_result asked;
        assert_int_equal(td_collide_near(&asked, variants->items[i].query, &tried, 1), TD_OK);
        assert_true(cleared == (margin > 0 && !answer.colliding));
        assert_false(cleared && asked.colliding);
    }
    return all;
}

static void test_clear_pose(test_tally *tally, const test_variants *variants, const td_object_pair *pair,
                            const test_question *question, bool colliding) {
    static const double factors[] = {0, 0.001, 0.3, 0.5, 0.9, 0.99, 0.9999, 1.0001, 1.01, 2, 100};
    const double distance = colliding ? 0 : test_distance(question, &pair->pose);
    const double grain = test_grain(question, &pair->pose);
    for (size_t i = 0; i < sizeof factors / sizeof *factors; ++i) {
        const double margin = factors[i] * distance;
        const bool clear = td_is_clear(pair, margin);
        const bool wrong = colliding || margin > distance * (1 + 1e-12) + grain;
        const bool proven = isfinite(margin) && test_is_proven(variants, pair, margin, wrong);
        if (!colliding && factors[i] > 0 && factors[i] < 0.01 && distance > 1e6 * grain) {
            tally->roomy++;
            tally->proven += proven;
        }
        if (clear && wrong) {
            fail_msg("%s: clear by %g, but the distance is %g", question->name, margin, distance);
        }
        if (!colliding && distance > margin * 1.00005 + 1000 * grain) {
            tally->apart++;
            tally->missed += !clear;
        }
        tally->clear += clear;
    }
    assert_false(colliding && td_is_clear(pair, 0));
}

static void test_questions(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[0];
    test_tally plain = {0}, other = {0};
    for (int round = 0; round < 2 + test_rounds(4); ++round) {
        for (int kind = 0; kind < TEST_KINDS; ++kind) {
            const int magnitude = round % 3 == 0 ? 0 : (round * 5 + kind) % TEST_MAGNITUDES;
            test_question question =
                test_make_question(kind, magnitude, 77 * (uint64_t)round + (uint64_t)kind);
            td_mesh *a = test_mesh_build(variant->context, &question.a);
            td_mesh *b = test_mesh_build(variant->context, &question.b);
            for (int i = 0; i < TEST_QUESTION_POSES; ++i) {
                td_object_pair pair = {a, b, question.poses[i]};
                for (int k = 0; k < 3; ++k) { // farther out, so that more are apart
                    pair.pose.position[k] *= i % 2 == 0 ? 1 : 2;
                }
                td_collide_result answer;
                const td_collide_def def = td_default_collide_def();
                assert_int_equal(td_collide(&answer, variant->query, a, b, &pair.pose, &def), TD_OK);
                test_clear_pose(magnitude == 0 ? &plain : &other, variants, &pair, &question,
                                answer.colliding);
            }
            td_destroy_mesh(a);
            td_destroy_mesh(b);
            test_question_free(&question);
        }
    }
    print_message("plain: %d of %d missed; other magnitudes: %d of %d\n", plain.missed, plain.apart,
                  other.missed, other.apart);
    print_message("quick proofs: %d of %d\n", plain.proven, plain.roomy);
    assert_true(plain.apart > 100 && plain.missed * 200 <= plain.apart);
    assert_true(plain.roomy > 10 && plain.proven * 2 >= plain.roomy);
    assert_true(other.apart > 100 && other.missed * 2 <= other.apart);
}

// Single triangles, all but in contact: what the margins of a simulation are down to.
static void test_near_triangles(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[0];
    test_random random = {9};
    test_tally tally = {0};
    const int rounds = test_rounds(300);
    for (int round = 0; round < rounds; ++round) {
        test_question question = {.name = "near triangles"};
        question.a = test_soup(&random, 1);
        question.b = test_near_soup(&random, &question.a, 1);
        td_mesh *a = test_mesh_build(variant->context, &question.a);
        td_mesh *b = test_mesh_build(variant->context, &question.b);
        td_object_pair pair = {a, b, td_pose_identity()};
        for (int k = 0; k < 3; ++k) {
            pair.pose.position[k] = pow(10, test_random_range(&random, -9, 0)) * (k - 1);
        }
        td_collide_result answer;
        const td_collide_def def = td_default_collide_def();
        assert_int_equal(td_collide(&answer, variant->query, a, b, &pair.pose, &def), TD_OK);
        test_clear_pose(&tally, variants, &pair, &question, answer.colliding);
        td_destroy_mesh(a);
        td_destroy_mesh(b);
        test_question_free(&question);
    }
    print_message("%d of %d missed\n", tally.missed, tally.apart);
    assert_true(tally.apart > 2 * rounds && tally.missed * 100 <= tally.apart);
}

// Meshes of some thousand triangles: clear up to where they collide when they come nearer by the margin.
static void test_shapes(void **state) {
    const test_variants *variants = *state;
    const test_variant *variant = &variants->items[0];
    td_mesh *cow = NULL, *torus = NULL;
    assert_int_equal(td_create_shape(&cow, variant->context, "cow", 1), TD_OK);
    assert_int_equal(td_create_shape(&torus, variant->context, "torus", 0), TD_OK);
    test_random random = {31};
    const int rounds = test_rounds(200);
    int clear = 0, colliding = 0;
    for (int round = 0; round < rounds; ++round) {
        const td_object_pair pair = {cow, torus, test_random_pose(&random, 1.5)};
        double margin = 1;
        while (margin > 1e-7 && !td_is_clear(&pair, margin)) {
            margin *= 0.8;
        }
        td_collide_result answer;
        const td_collide_def def = td_default_collide_def();
        assert_int_equal(td_collide(&answer, variant->query, cow, torus, &pair.pose, &def), TD_OK);
        assert_true(answer.colliding == (margin <= 1e-7));
        colliding += answer.colliding;
        clear += !answer.colliding;
        for (int i = 0; i < 20 && !answer.colliding; ++i) { // nothing collides within the margin
            td_pose moved = pair.pose;
            test_point d = {test_random_range(&random, -1, 1), test_random_range(&random, -1, 1),
                            test_random_range(&random, -1, 1)};
            const double factor = 0.999999 * margin / (double)test_length(d);
            moved.position[0] += factor * (double)d.x;
            moved.position[1] += factor * (double)d.y;
            moved.position[2] += factor * (double)d.z;
            td_collide_result there;
            assert_int_equal(td_collide(&there, variant->query, cow, torus, &moved, &def), TD_OK);
            assert_false(there.colliding);
        }
    }
    assert_true(clear > rounds / 10 && colliding > rounds / 10);
    td_destroy_mesh(cow);
    td_destroy_mesh(torus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_near_triangles),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, test_setup_native, test_teardown_variants);
}
