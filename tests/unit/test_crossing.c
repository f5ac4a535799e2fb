// The segment in which two triangles cross: it lies in both, has the sides right, and is the same bits from
// whichever triangle at an edge it is seen, and with whichever instruction set it is found.
#include "support/cmocka_all.h"
#include "support/exact_oracle.h"
#include "support/random.h"

#include "dynamics/crossing.h"

#include <math.h>

static td_facet test_facet(td_vec3 p, td_vec3 q, td_vec3 r, uint32_t first, uint32_t triangle) {
    td_facet facet = {.x = {p.x, q.x, r.x, p.x},
                      .y = {p.y, q.y, r.y, p.y},
                      .z = {p.z, q.z, r.z, p.z},
                      .vertices = {first, first + 1, first + 2},
                      .triangle = triangle};
    const td_vec3 n = td_cross(td_sub(q, p), td_sub(r, p));
    const double length = td_length(n);
    facet.normal = length > 0 ? td_scale(n, 1 / length) : td_vec3_make(0, 0, 0);
    facet.offset = td_dot(facet.normal, p);
    return facet;
}

static td_vec3 test_point(test_random *random) {
    return td_vec3_make(test_random_range(random, -1, 1), test_random_range(random, -1, 1),
                        test_random_range(random, -1, 1));
}

static td_facet test_random_facet(test_random *random, uint32_t first, uint32_t triangle) {
    const td_vec3 p = test_point(random), q = test_point(random), r = test_point(random);
    return test_facet(p, q, r, first, triangle);
}

static td_triangle test_triangle(const td_facet *t) {
    return (td_triangle){td_facet_corner(t, 0), td_facet_corner(t, 1), td_facet_corner(t, 2)};
}

// How far a point is off a triangle's plane, or beyond one of its edges.
static double test_off(td_vec3 p, const td_facet *t) {
    double off = fabs(td_dot(t->normal, p) - t->offset);
    for (int k = 0; k < 3; ++k) {
        const td_vec3 a = td_facet_corner(t, k), edge = td_sub(td_facet_corner(t, (k + 1) % 3), a);
        const td_vec3 inward = td_cross(t->normal, edge);
        off = fmax(off, -td_dot(inward, td_sub(p, a)) / td_length(edge));
    }
    return off;
}

// What holds for each end: the edge of one goes through the face of the other there.
static void test_pierce_holds(const td_pierce *pierce, const td_facet *const facets[2]) {
    const td_facet *edge_of = facets[pierce->side], *face_of = facets[1 - pierce->side];
    assert_true(pierce->side < 2 && pierce->low < pierce->high && pierce->face == face_of->triangle);
    assert_true(pierce->along >= 0 && pierce->along <= 1);
    int low = -1, high = -1;
    for (int k = 0; k < 3; ++k) {
        low = edge_of->vertices[k] == pierce->low ? k : low;
        high = edge_of->vertices[k] == pierce->high ? k : high;
    }
    assert_true(low >= 0 && high >= 0);
    const td_vec3 way = td_sub(td_facet_corner(edge_of, high), td_facet_corner(edge_of, low));
    const td_vec3 at = td_add(td_facet_corner(edge_of, low), td_scale(way, pierce->along));
    assert_true(td_length(td_sub(at, pierce->point)) <= 1e-12);
    assert_true(pierce->enters == (td_dot(way, face_of->normal) < 0));
}

static bool test_same_pierce(const td_pierce *p, const td_pierce *q) {
    return td_same_point(p->point, q->point) && p->along == q->along && p->low == q->low &&
           p->high == q->high && p->face == q->face && p->side == q->side && p->enters == q->enters;
}

static void test_same_crossing(const td_crossing *one, const td_crossing *two) {
    assert_true(test_same_pierce(&one->ends[0], &two->ends[0]));
    assert_true(test_same_pierce(&one->ends[1], &two->ends[1]));
    assert_true(one->length == two->length);
    assert_int_equal(one->facets[0], two->facets[0]);
    assert_int_equal(one->facets[1], two->facets[1]);
}

// By every instruction set there is.
static bool test_find_crossing(td_crossing *out, const td_facet *a, const td_facet *b) {
    const td_pair pair = {0, 0};
    const size_t found = td_find_crossings(out, TD_ISA_SCALAR, a, b, &pair, 1);
    for (int isa = TD_ISA_SCALAR; isa < TD_ISA_COUNT; ++isa) {
        td_crossing other;
        if (td_isa_available((td_isa)isa)) {
            assert_int_equal(td_find_crossings(&other, (td_isa)isa, a, b, &pair, 1), found);
            if (found > 0) {
                test_same_crossing(out, &other);
            }
        }
    }
    return found > 0;
}

// Many at once are found in their order, as each alone, whatever their number.
static void test_many_pairs(void **state) {
    (void)state;
    enum { TEST_FACETS = 20, TEST_PAIRS = 37 };
    test_random random = {33};
    td_facet a[TEST_FACETS], b[TEST_FACETS];
    td_pair pairs[TEST_PAIRS];
    for (uint32_t i = 0; i < TEST_FACETS; ++i) {
        a[i] = test_random_facet(&random, 3 * i, i);
        b[i] = test_random_facet(&random, 3 * i, 100 + i);
    }
    for (uint32_t i = 0; i < TEST_PAIRS; ++i) {
        pairs[i] = (td_pair){7 * i % TEST_FACETS, 3 * i % TEST_FACETS};
    }
    size_t most = 0;
    for (size_t count = 0; count <= TEST_PAIRS; ++count) {
        for (int isa = TD_ISA_SCALAR; isa < TD_ISA_COUNT; ++isa) {
            td_crossing crossings[TEST_PAIRS], alone;
            if (!td_isa_available((td_isa)isa)) {
                continue;
            }
            const size_t found = td_find_crossings(crossings, (td_isa)isa, a, b, pairs, count);
            size_t expected = 0;
            for (size_t i = 0; i < count; ++i) {
                if (test_find_crossing(&alone, &a[pairs[i].a], &b[pairs[i].b])) {
                    alone.facets[0] = pairs[i].a;
                    alone.facets[1] = pairs[i].b;
                    assert_true(expected < found);
                    test_same_crossing(&crossings[expected++], &alone);
                }
            }
            assert_int_equal(found, expected);
            most = found > most ? found : most;
        }
    }
    assert_true(most > 3);
}

static void test_random_pairs(void **state) {
    (void)state;
    test_random random = {31};
    test_oracle *oracle = test_oracle_create();
    int crossing_pairs = 0;
    for (int i = 0; i < 20000; ++i) {
        const td_facet a = test_random_facet(&random, 10, 1), b = test_random_facet(&random, 20, 2);
        const td_facet *const facets[2] = {&a, &b}, *const swapped[2] = {&b, &a};
        td_crossing found, other;
        const bool crosses = test_find_crossing(&found, &a, &b);
        const td_triangle ta = test_triangle(&a), tb = test_triangle(&b);
        assert_true(crosses == test_oracle_intersect(oracle, ta, tb)); // at random they never merely touch
        assert_true(crosses == test_find_crossing(&other, &b, &a));
        if (!crosses) {
            continue;
        }
        ++crossing_pairs;
        const double flat = td_length(td_cross(a.normal, b.normal)); // the flatter, the less is certain
        for (int k = 0; k < 2; ++k) {
            test_pierce_holds(&found.ends[k], facets);
            test_pierce_holds(&other.ends[k], swapped);
            assert_true(test_off(found.ends[k].point, &a) <= 1e-13 / flat);
            assert_true(test_off(found.ends[k].point, &b) <= 1e-13 / flat);
            // Seen from b the segment runs the other way round.
            assert_true(td_length(td_sub(found.ends[k].point, other.ends[1 - k].point)) <= 1e-13 / flat);
        }
        const td_vec3 along = td_sub(found.ends[1].point, found.ends[0].point);
        assert_true(fabs(found.length - td_length(along)) <= 1e-15);
        // To the left, seen from outside of a, is what lies behind b's face.
        assert_true(found.length < 1e-12 / flat || td_dot(td_cross(a.normal, along), b.normal) < 0);
    }
    test_oracle_destroy(oracle);
    print_message("%d of 20000 pairs cross\n", crossing_pairs);
    assert_true(crossing_pairs > 2000);
}

// Two triangles at one edge, which goes through a face: both tell the same place, to the last bit.
static void test_shared_edge(void **state) {
    (void)state;
    test_random random = {32};
    int seen = 0;
    for (int i = 0; i < 20000; ++i) {
        const td_vec3 p = test_point(&random), q = test_point(&random), r = test_point(&random),
                      s = test_point(&random);
        td_facet left = test_facet(p, q, r, 0, 1), right = test_facet(q, p, s, 0, 2);
        right.vertices[0] = 1;
        right.vertices[1] = 0;
        right.vertices[2] = 3;
        const td_facet face = test_random_facet(&random, 10, 5);
        td_crossing from_left, from_right;
        if (!test_find_crossing(&from_left, &left, &face) ||
            !test_find_crossing(&from_right, &right, &face)) {
            continue;
        }
        const td_pierce *one = NULL, *two = NULL;
        for (int k = 0; k < 2; ++k) {
            const td_pierce *l = &from_left.ends[k], *m = &from_right.ends[k];
            one = l->side == 0 && l->low == 0 && l->high == 1 ? l : one;
            two = m->side == 0 && m->low == 0 && m->high == 1 ? m : two;
        }
        if (one != NULL && two != NULL) {
            ++seen;
            assert_true(one->point.x == two->point.x && one->point.y == two->point.y &&
                        one->point.z == two->point.z);
            assert_true(one->along == two->along && one->enters == two->enters && one->face == two->face);
        }
    }
    assert_true(seen > 200);
}

// What only touches, or lies in one plane, crosses nowhere.
static void test_touching(void **state) {
    (void)state;
    td_crossing crossing;
    const td_vec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0};
    const td_facet floor_facet = test_facet(o, x, y, 0, 0);
    const td_facet shifted =
        test_facet(td_vec3_make(0.1, 0.1, 0), td_vec3_make(2, 0.1, 0), td_vec3_make(0.1, 2, 0), 10, 1);
    assert_false(test_find_crossing(&crossing, &floor_facet, &shifted));
    // A corner, or an edge, from above.
    const td_facet tip =
        test_facet(td_vec3_make(0.2, 0.2, 0), td_vec3_make(0.2, 0.2, 1), td_vec3_make(0.4, 0.2, 1), 10, 1);
    assert_false(test_find_crossing(&crossing, &floor_facet, &tip));
    const td_facet blade =
        test_facet(td_vec3_make(0.2, 0.2, 0), td_vec3_make(0.4, 0.2, 0), td_vec3_make(0.4, 0.2, 1), 10, 1);
    assert_false(test_find_crossing(&crossing, &floor_facet, &blade));
    // Without area.
    const td_facet line =
        test_facet(td_vec3_make(0.2, 0.2, -1), td_vec3_make(0.2, 0.2, 0), td_vec3_make(0.2, 0.2, 1), 10, 1);
    assert_false(test_find_crossing(&crossing, &floor_facet, &line));
    assert_false(test_find_crossing(&crossing, &line, &floor_facet));
    // Apart, but each across the other's plane.
    const td_facet beside =
        test_facet(td_vec3_make(5, 0.2, -1), td_vec3_make(5, 0.3, 1), td_vec3_make(5.5, 0.2, 1), 10, 1);
    assert_false(test_find_crossing(&crossing, &floor_facet, &beside));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pairs),
        cmocka_unit_test(test_many_pairs),
        cmocka_unit_test(test_shared_edge),
        cmocka_unit_test(test_touching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
