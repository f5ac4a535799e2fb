// The triangles are scaled to integers. b is written as an intersection of closed half-spaces, whatever its
// dimension; a is a list of points in homogeneous integer coordinates, clipped by one half-space after the
// other. The triangles meet exactly if a point is left.
//
// based on: Sutherland, Hodgman, Reentrant Polygon Clipping, 1974. Its result on a convex polygon spans
// exactly the polygon's part in the half-space, also if the polygon is a segment or a point gone round.
#include "exact_oracle.h"

#include <gmp.h>
#include <stdlib.h>

enum { TEST_MOST_HALFSPACES = 8, TEST_MOST_POINTS = 3 + TEST_MOST_HALFSPACES };

typedef struct test_point {
    mpz_t x[4]; // x y z w; w > 0
} test_point;

// The points with n . x >= offset w.
typedef struct test_halfspace {
    mpz_t n[3];
    mpz_t offset;
} test_halfspace;

struct test_oracle {
    mpz_t corner[6][3]; // of up to two triangles, as integers
    mpz_t e[4][3];      // vectors between them
    mpz_t t[4];
    test_halfspace halfspace[TEST_MOST_HALFSPACES];
    int halfspace_count;
    test_point polygon[2][TEST_MOST_POINTS];
    int point_count;
    mpz_t value[TEST_MOST_POINTS];
};

static void test_each_number(test_oracle *o, void (*apply)(mpz_ptr)) {
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 6; ++i) {
            apply(o->corner[i][k]);
        }
        for (int i = 0; i < 4; ++i) {
            apply(o->e[i][k]);
        }
        for (int i = 0; i < TEST_MOST_HALFSPACES; ++i) {
            apply(o->halfspace[i].n[k]);
        }
    }
    for (int i = 0; i < TEST_MOST_HALFSPACES; ++i) {
        apply(o->halfspace[i].offset);
    }
    for (int i = 0; i < TEST_MOST_POINTS; ++i) {
        apply(o->value[i]);
        for (int k = 0; k < 4; ++k) {
            apply(o->polygon[0][i].x[k]);
            apply(o->polygon[1][i].x[k]);
        }
    }
    for (int k = 0; k < 4; ++k) {
        apply(o->t[k]);
    }
}

static void test_init(mpz_ptr x) {
    mpz_init(x);
}

static void test_clear(mpz_ptr x) {
    mpz_clear(x);
}

test_oracle *test_oracle_create(void) {
    test_oracle *o = calloc(1, sizeof *o);
    if (o == NULL) {
        abort();
    }
    test_each_number(o, test_init);
    return o;
}

void test_oracle_destroy(test_oracle *oracle) {
    if (oracle != NULL) {
        test_each_number(oracle, test_clear);
        free(oracle);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Integers and vectors

// corner[i] = points[i] 2^shift, with one shift that makes all of them integers.
static void test_load(test_oracle *o, const td_vec3 *points, int count) {
    int least = 2000;
    int exponent = 0;
    for (int i = 0; i < 3 * count; ++i) {
        const td_vec3 p = points[i / 3];
        const double x = i % 3 == 0 ? p.x : i % 3 == 1 ? p.y : p.z;
        frexp(x, &exponent);
        if (x != 0 && exponent < least) {
            least = exponent;
        }
    }
    for (int i = 0; i < 3 * count; ++i) {
        const td_vec3 p = points[i / 3];
        const double x = i % 3 == 0 ? p.x : i % 3 == 1 ? p.y : p.z;
        const double mantissa = frexp(x, &exponent);
        mpz_set_d(o->corner[i / 3][i % 3], ldexp(mantissa, 53));
        if (x != 0) {
            mpz_mul_2exp(o->corner[i / 3][i % 3], o->corner[i / 3][i % 3], (mp_bitcnt_t)(exponent - least));
        }
    }
}

static void test_subtract(mpz_t r[3], mpz_t a[3], mpz_t b[3]) {
    for (int k = 0; k < 3; ++k) {
        mpz_sub(r[k], a[k], b[k]);
    }
}

// r must be neither a nor b.
static void test_cross(mpz_t r[3], mpz_t a[3], mpz_t b[3]) {
    for (int k = 0; k < 3; ++k) {
        mpz_mul(r[k], a[(k + 1) % 3], b[(k + 2) % 3]);
        mpz_submul(r[k], a[(k + 2) % 3], b[(k + 1) % 3]);
    }
}

static void test_dot(mpz_t r, mpz_t a[3], mpz_t b[3]) {
    mpz_mul(r, a[0], b[0]);
    mpz_addmul(r, a[1], b[1]);
    mpz_addmul(r, a[2], b[2]);
}

static bool test_is_zero(mpz_t a[3]) {
    return mpz_sgn(a[0]) == 0 && mpz_sgn(a[1]) == 0 && mpz_sgn(a[2]) == 0;
}

// ---------------------------------------------------------------------------------------------------------
// Orientation

int test_oracle_orient2d(test_oracle *oracle, const double a[2], const double b[2], const double c[2]) {
    const td_vec3 points[3] = {{a[0], a[1], 0}, {b[0], b[1], 0}, {c[0], c[1], 0}};
    test_load(oracle, points, 3);
    test_subtract(oracle->e[0], oracle->corner[1], oracle->corner[0]);
    test_subtract(oracle->e[1], oracle->corner[2], oracle->corner[0]);
    test_cross(oracle->e[2], oracle->e[0], oracle->e[1]);
    return mpz_sgn(oracle->e[2][2]);
}

int test_oracle_orient3d(test_oracle *oracle, td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d) {
    const td_vec3 points[4] = {a, b, c, d};
    test_load(oracle, points, 4);
    test_subtract(oracle->e[0], oracle->corner[1], oracle->corner[0]);
    test_subtract(oracle->e[1], oracle->corner[2], oracle->corner[0]);
    test_subtract(oracle->e[2], oracle->corner[3], oracle->corner[0]);
    test_cross(oracle->e[3], oracle->e[0], oracle->e[1]);
    test_dot(oracle->t[0], oracle->e[3], oracle->e[2]);
    return mpz_sgn(oracle->t[0]);
}

bool test_oracle_degenerate(test_oracle *oracle, td_triangle t) {
    const td_vec3 points[3] = {t.p0, t.p1, t.p2};
    test_load(oracle, points, 3);
    test_subtract(oracle->e[0], oracle->corner[1], oracle->corner[0]);
    test_subtract(oracle->e[1], oracle->corner[2], oracle->corner[0]);
    test_cross(oracle->e[2], oracle->e[0], oracle->e[1]);
    return test_is_zero(oracle->e[2]);
}

// ---------------------------------------------------------------------------------------------------------
// A triangle as half-spaces

// The points x with sign n . (x - through) >= 0.
static void test_add_halfspace(test_oracle *o, mpz_t n[3], mpz_t through[3], int sign) {
    test_halfspace *h = &o->halfspace[o->halfspace_count++];
    for (int k = 0; k < 3; ++k) {
        mpz_mul_si(h->n[k], n[k], sign);
    }
    test_dot(h->offset, h->n, through);
}

static void test_triangle_halfspaces(test_oracle *o, mpz_t normal[3], mpz_t corner[3][3]) {
    test_add_halfspace(o, normal, corner[0], 1);
    test_add_halfspace(o, normal, corner[0], -1);
    for (int i = 0; i < 3; ++i) {
        test_subtract(o->e[0], corner[(i + 1) % 3], corner[i]);
        test_cross(o->e[1], normal, o->e[0]);
        test_add_halfspace(o, o->e[1], corner[i], 1);
    }
}

// The segment p q, or, if they are one, the point; around it the line as an intersection of planes.
static void test_segment_halfspaces(test_oracle *o, mpz_t p[3], mpz_t q[3]) {
    test_subtract(o->e[0], q, p);
    const bool point = test_is_zero(o->e[0]);
    if (!point) {
        test_add_halfspace(o, o->e[0], p, 1);
        test_add_halfspace(o, o->e[0], q, -1);
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 3; ++k) {
            mpz_set_si(o->e[1][k], k == axis);
        }
        test_cross(o->e[2], o->e[0], o->e[1]);
        test_add_halfspace(o, point ? o->e[1] : o->e[2], p, 1);
        test_add_halfspace(o, point ? o->e[1] : o->e[2], p, -1);
    }
}

static void test_make_halfspaces(test_oracle *o, mpz_t corner[3][3]) {
    o->halfspace_count = 0;
    test_subtract(o->e[0], corner[1], corner[0]);
    test_subtract(o->e[1], corner[2], corner[0]);
    test_cross(o->e[3], o->e[0], o->e[1]);
    if (!test_is_zero(o->e[3])) {
        test_triangle_halfspaces(o, o->e[3], corner);
        return;
    }
    int longest = 0;
    for (int i = 0; i < 3; ++i) {
        test_subtract(o->e[0], corner[(i + 1) % 3], corner[i]);
        test_dot(o->t[i], o->e[0], o->e[0]);
        longest = mpz_cmp(o->t[i], o->t[longest]) > 0 ? i : longest;
    }
    test_segment_halfspaces(o, corner[longest], corner[(longest + 1) % 3]);
}

// ---------------------------------------------------------------------------------------------------------
// Clipping

static void test_evaluate(test_oracle *o, test_halfspace *h, test_point *p, mpz_t value) {
    test_dot(value, h->n, p->x);
    mpz_mul(o->t[0], h->offset, p->x[3]);
    mpz_sub(value, value, o->t[0]);
}

// Divides by what the coordinates have in common, lest they double in length with every cut. Only long ones:
// on short ones it costs more than it saves.
static void test_shorten(test_oracle *o, test_point *p) {
    if (mpz_size(p->x[3]) < 16) {
        return;
    }
    mpz_gcd(o->t[0], p->x[0], p->x[1]);
    mpz_gcd(o->t[0], o->t[0], p->x[2]);
    mpz_gcd(o->t[0], o->t[0], p->x[3]);
    for (int k = 0; k < 4; ++k) {
        mpz_divexact(p->x[k], p->x[k], o->t[0]);
    }
}

// Where the edge from p to q passes the boundary: a sum of p and q with positive weights.
static void test_cut(test_point *r, test_point *p, mpz_t value_p, test_point *q, mpz_t value_q) {
    const int sign = mpz_sgn(value_p);
    for (int k = 0; k < 4; ++k) {
        mpz_mul(r->x[k], q->x[k], value_p);
        mpz_submul(r->x[k], p->x[k], value_q);
        mpz_mul_si(r->x[k], r->x[k], sign);
    }
}

// polygon[to] = the part of polygon[from] in the half-space.
static void test_clip(test_oracle *o, test_halfspace *h, int from, int to) {
    const int count = o->point_count;
    for (int i = 0; i < count; ++i) {
        test_evaluate(o, h, &o->polygon[from][i], o->value[i]);
    }
    o->point_count = 0;
    for (int i = 0; i < count; ++i) {
        const int next = (i + 1) % count;
        const int side = mpz_sgn(o->value[i]);
        if (side >= 0) {
            for (int k = 0; k < 4; ++k) {
                mpz_set(o->polygon[to][o->point_count].x[k], o->polygon[from][i].x[k]);
            }
            ++o->point_count;
        }
        if (side * mpz_sgn(o->value[next]) < 0) {
            test_cut(&o->polygon[to][o->point_count], &o->polygon[from][i], o->value[i],
                     &o->polygon[from][next], o->value[next]);
            test_shorten(o, &o->polygon[to][o->point_count]);
            ++o->point_count;
        }
    }
}

bool test_oracle_intersect(test_oracle *oracle, td_triangle a, td_triangle b) {
    const td_vec3 points[6] = {a.p0, a.p1, a.p2, b.p0, b.p1, b.p2};
    test_load(oracle, points, 6);
    test_make_halfspaces(oracle, oracle->corner + 3);
    oracle->point_count = 3;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            mpz_set(oracle->polygon[0][i].x[k], oracle->corner[i][k]);
        }
        mpz_set_ui(oracle->polygon[0][i].x[3], 1);
    }
    for (int i = 0; i < oracle->halfspace_count && oracle->point_count > 0; ++i) {
        test_clip(oracle, &oracle->halfspace[i], i % 2, (i + 1) % 2);
    }
    return oracle->point_count > 0;
}
