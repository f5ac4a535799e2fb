// Exact integration of polynomials over the tetrahedra between a point and each triangle, whose parts outside
// of the solid cancel.
//
// based on: Lien, Kajiya, A symbolic method for calculating the integral properties of arbitrary nonconvex
// polyhedra (1984); Tonon, Explicit exact formulas for the 3-D tetrahedron inertia tensor (2004). Different
// from there: coordinates are taken relative to the middle of the mesh and scaled by a power of two, both of
// which lose nothing; second moments are integrated about the centre of mass rather than moved there; all
// sums are compensated. So a small mesh far from the origin has the inertia that it has at the origin.
#include "mass.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "edges.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *td_name_of(const td_trimesh *mesh) {
    return mesh->name[0] != '\0' ? mesh->name : "mesh";
}

// ---------------------------------------------------------------------------------------------------------
// Whether there is an inside

// The uses of one edge, by direction.
typedef struct td_edge_balance {
    uint32_t up, down;
} td_edge_balance;

typedef struct td_edge_faults {
    uint32_t open, misoriented; // edges
    uint32_t lower, upper;      // the first of the open ones, else of the misoriented ones
    td_edge_balance uses;       // its uses
} td_edge_faults;

static void td_judge_edge(td_edge_faults *faults, uint32_t lower, uint32_t upper, td_edge_balance uses) {
    if (uses.up == uses.down) {
        return;
    }
    const bool open = (uses.up + uses.down) % 2 == 1;
    if (faults->open == 0 && (open || faults->misoriented == 0)) {
        faults->lower = lower;
        faults->upper = upper;
        faults->uses = uses;
    }
    faults->open += open;
    faults->misoriented += !open;
}

// `balance` has an entry per vertex, all zero before and after.
static void td_judge_group(td_edge_faults *faults, const td_edge_table *edges, uint32_t lower,
                           td_edge_balance *balance) {
    const uint32_t start = edges->first[lower], end = edges->first[(size_t)lower + 1];
    for (uint32_t i = start; i < end; ++i) {
        td_edge_balance *uses = &balance[edges->uses[i] / 2];
        uses->down += edges->uses[i] & 1;
        uses->up += !(edges->uses[i] & 1);
    }
    for (uint32_t i = start; i < end; ++i) {
        const uint32_t upper = edges->uses[i] / 2;
        td_judge_edge(faults, lower, upper, balance[upper]); // zero from an edge's second use on
        balance[upper] = (td_edge_balance){0, 0};
    }
}

static td_result td_find_faults(td_edge_faults *out, td_context *context, const td_trimesh *mesh) {
    td_edge_table edges;
    TD_TRY(td_edge_table_create(&edges, context, mesh->indices, mesh->triangle_count, mesh->weld,
                                mesh->vertex_count));
    td_edge_balance *balance = TD_NEW(context, td_edge_balance, mesh->vertex_count);
    *out = (td_edge_faults){0};
    if (balance != NULL) {
        memset(balance, 0, mesh->vertex_count * sizeof *balance);
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            td_judge_group(out, &edges, v, balance);
        }
    }
    TD_DELETE(context, td_edge_balance, balance, mesh->vertex_count);
    td_edge_table_destroy(&edges, context);
    return balance != NULL ? TD_OK : TD_ERROR_MEMORY;
}

static td_result td_check_surface(td_context *context, const td_trimesh *mesh) {
    td_edge_faults faults;
    TD_TRY(td_find_faults(&faults, context, mesh));
    if (faults.open == 0 && faults.misoriented == 0) {
        return TD_OK;
    }
    const td_vec3 a = td_trimesh_vertex(mesh, faults.lower), b = td_trimesh_vertex(mesh, faults.upper);
    if (faults.open > 0) {
        return td_fail(
            TD_ERROR_MESH,
            "%s: it is open, so that it has no volume: %u edges have an odd number of triangles; the "
            "first, from vertex %u (%g, %g, %g) to vertex %u (%g, %g, %g), has %u",
            td_name_of(mesh), faults.open, faults.lower, a.x, a.y, a.z, faults.upper, b.x, b.y, b.z,
            faults.uses.up + faults.uses.down);
    }
    return td_fail(
        TD_ERROR_MESH,
        "%s: its triangles disagree about which side is the outer one: at %u edges; at the first, from "
        "vertex %u (%g, %g, %g) to vertex %u (%g, %g, %g), %u run one way and %u the other",
        td_name_of(mesh), faults.misoriented, faults.lower, a.x, a.y, a.z, faults.upper, b.x, b.y, b.z,
        faults.uses.up, faults.uses.down);
}

// ---------------------------------------------------------------------------------------------------------
// Sums

// Neumaier's: what each addition rounds away is kept.
typedef struct td_sum {
    double value, rest;
} td_sum;

static void td_sum_add(td_sum *sum, double term) {
    const double next = sum->value + term;
    sum->rest += fabs(sum->value) >= fabs(term) ? (sum->value - next) + term : (term - next) + sum->value;
    sum->value = next;
}

static double td_sum_total(td_sum sum) {
    return sum.value + sum.rest;
}

// ---------------------------------------------------------------------------------------------------------
// Integrals

// The mesh about the middle of its box, scaled by 2^-exponent so that it reaches about 1: then no power of a
// length overflows or vanishes. Differences of neighbours in float64 are exact, and so is the scaling.
typedef struct td_unit_frame {
    td_vec3 origin;
    int exponent;
} td_unit_frame;

static td_unit_frame td_unit_frame_of(const td_trimesh *mesh) {
    const td_vec3 lower = td_scale(mesh->lower, 0.5), upper = td_scale(mesh->upper, 0.5);
    const td_vec3 half = td_sub(upper, lower);
    td_unit_frame frame = {.origin = td_add(lower, upper)};
    frexp(fmax(half.x, fmax(half.y, half.z)), &frame.exponent);
    return frame;
}

static td_vec3 td_to_unit(td_unit_frame frame, td_vec3 p) {
    const td_vec3 d = td_sub(p, frame.origin);
    return td_vec3_make(ldexp(d.x, -frame.exponent), ldexp(d.y, -frame.exponent),
                        ldexp(d.z, -frame.exponent));
}

static td_triangle td_unit_triangle(const td_trimesh *mesh, td_unit_frame frame, uint32_t t) {
    const td_triangle p = td_trimesh_triangle(mesh, t);
    return (td_triangle){td_to_unit(frame, p.p0), td_to_unit(frame, p.p1), td_to_unit(frame, p.p2)};
}

// Twice the area along the outer normal.
static td_vec3 td_double_area(td_triangle t) {
    return td_cross(td_sub(t.p1, t.p0), td_sub(t.p2, t.p0));
}

typedef struct td_first_integrals {
    double volume;
    td_vec3 centre;
    // What the volume may be by rounding alone: coordinates that are off by some units in their last place,
    // as they are after a rotation, make a sheet that thick of the surface; the terms of the sum add as much.
    double noise;
} td_first_integrals;

// Six times the volume of the tetrahedron below a triangle is that of a spar: normal times height.
static td_first_integrals td_integrate_first(const td_trimesh *mesh, td_unit_frame frame) {
    td_sum volume = {0}, x = {0}, y = {0}, z = {0};
    double area = 0; // twice
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const td_triangle p = td_unit_triangle(mesh, frame, t);
        const td_vec3 normal = td_double_area(p);
        const double spar = td_dot(normal, p.p0);
        const td_vec3 corners = td_add(td_add(p.p0, p.p1), p.p2);
        td_sum_add(&volume, spar);
        td_sum_add(&x, spar * corners.x);
        td_sum_add(&y, spar * corners.y);
        td_sum_add(&z, spar * corners.z);
        area += sqrt(td_dot(normal, normal));
    }
    const double reach = ldexp(mesh->largest, -frame.exponent);
    const double six = td_sum_total(volume);
    td_first_integrals result = {.volume = six / 6, .noise = 4 * DBL_EPSILON * (1 + reach) * area / 6};
    const double share =
        1 / (4 * six); // a tetrahedron's centre is the mean of four corners, one of them zero
    result.centre = td_vec3_make(td_sum_total(x) * share, td_sum_total(y) * share, td_sum_total(z) * share);
    return result;
}

// xx, yy, zz, xy, yz, zx integrated over the solid, about `centre`.
typedef struct td_second_integrals {
    double xx, yy, zz, xy, yz, zx;
} td_second_integrals;

// Of a tetrahedron with one corner at zero: 1/20 of its volume times the sum over its corners of u v, and
// (sum of u) (sum of v) once more.
static double td_second_moment(double u0, double u1, double u2, double v0, double v1, double v2) {
    return u0 * v0 + u1 * v1 + u2 * v2 + (u0 + u1 + u2) * (v0 + v1 + v2);
}

static td_second_integrals td_integrate_second(const td_trimesh *mesh, td_unit_frame frame, td_vec3 centre) {
    td_sum xx = {0}, yy = {0}, zz = {0}, xy = {0}, yz = {0}, zx = {0};
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const td_triangle p = td_unit_triangle(mesh, frame, t);
        const td_vec3 a = td_sub(p.p0, centre), b = td_sub(p.p1, centre), c = td_sub(p.p2, centre);
        const double spar = td_dot(td_double_area(p), a);
        td_sum_add(&xx, spar * td_second_moment(a.x, b.x, c.x, a.x, b.x, c.x));
        td_sum_add(&yy, spar * td_second_moment(a.y, b.y, c.y, a.y, b.y, c.y));
        td_sum_add(&zz, spar * td_second_moment(a.z, b.z, c.z, a.z, b.z, c.z));
        td_sum_add(&xy, spar * td_second_moment(a.x, b.x, c.x, a.y, b.y, c.y));
        td_sum_add(&yz, spar * td_second_moment(a.y, b.y, c.y, a.z, b.z, c.z));
        td_sum_add(&zx, spar * td_second_moment(a.z, b.z, c.z, a.x, b.x, c.x));
    }
    const double all = 6 * 20;
    return (td_second_integrals){td_sum_total(xx) / all, td_sum_total(yy) / all, td_sum_total(zz) / all,
                                 td_sum_total(xy) / all, td_sum_total(yz) / all, td_sum_total(zx) / all};
}

static void td_fill_inertia(double out[3][3], td_second_integrals s) {
    out[0][0] = s.yy + s.zz;
    out[1][1] = s.zz + s.xx;
    out[2][2] = s.xx + s.yy;
    out[0][1] = out[1][0] = -s.xy;
    out[1][2] = out[2][1] = -s.yz;
    out[2][0] = out[0][2] = -s.zx;
}

// ---------------------------------------------------------------------------------------------------------
// Principal axes

// Jacobi's rotation in the plane of axes p and q, which makes m[p][q] zero; the columns of `axes` turn along.
static void td_jacobi_turn(double m[3][3], double axes[3][3], int p, int q) {
    if (m[p][q] == 0) {
        return;
    }
    const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)); // 0 if theta is infinite
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    const int r = 3 - p - q;
    const double rp = m[r][p], rq = m[r][q];
    m[p][p] -= t * m[p][q];
    m[q][q] += t * m[p][q];
    m[p][q] = m[q][p] = 0;
    m[r][p] = m[p][r] = c * rp - s * rq;
    m[r][q] = m[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; ++k) {
        const double kp = axes[k][p], kq = axes[k][q];
        axes[k][p] = c * kp - s * kq;
        axes[k][q] = s * kp + c * kq;
    }
}

static void td_swap_axes(double moments[3], double axes[3][3], int p, int q) {
    if (moments[p] <= moments[q]) {
        return;
    }
    const double moment = moments[p];
    moments[p] = moments[q];
    moments[q] = moment;
    for (int k = 0; k < 3; ++k) { // one column negated: the rotation stays one
        const double x = axes[k][p];
        axes[k][p] = axes[k][q];
        axes[k][q] = -x;
    }
}

// Of a rotation matrix, by the largest of the four components, which is at least 1/2 (Shepperd, 1978).
static void td_quaternion_of(double out[4], double r[3][3]) {
    const double trace = r[0][0] + r[1][1] + r[2][2];
    int largest = 3;
    double most = trace;
    for (int k = 0; k < 3; ++k) {
        if (r[k][k] > most) {
            most = r[k][k];
            largest = k;
        }
    }
    if (largest == 3) {
        out[0] = r[2][1] - r[1][2];
        out[1] = r[0][2] - r[2][0];
        out[2] = r[1][0] - r[0][1];
        out[3] = 1 + trace;
    } else {
        const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = 1 + r[i][i] - r[j][j] - r[k][k];
        out[j] = r[j][i] + r[i][j];
        out[k] = r[k][i] + r[i][k];
        out[3] = r[k][j] - r[j][k];
    }
    const double norm = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    const double scale = (out[3] < 0 ? -1 : 1) / norm;
    for (int k = 0; k < 4; ++k) {
        out[k] *= scale;
    }
}

static void td_find_principal_axes(td_mass *mass) {
    const int sweeps = 12; // the elements beside the diagonal vanish quadratically: five are enough
    double m[3][3], axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(m, mass->inertia, sizeof m);
    for (int i = 0; i < sweeps && (m[0][1] != 0 || m[0][2] != 0 || m[1][2] != 0); ++i) {
        td_jacobi_turn(m, axes, 0, 1);
        td_jacobi_turn(m, axes, 0, 2);
        td_jacobi_turn(m, axes, 1, 2);
    }
    for (int k = 0; k < 3; ++k) {
        mass->moments[k] = m[k][k];
    }
    td_swap_axes(mass->moments, axes, 0, 1);
    td_swap_axes(mass->moments, axes, 1, 2);
    td_swap_axes(mass->moments, axes, 0, 1);
    td_quaternion_of(mass->axes, axes);
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_check_volume(const td_trimesh *mesh, td_unit_frame frame, td_first_integrals first) {
    const double volume = ldexp(first.volume, 3 * frame.exponent);
    if (fabs(first.volume) <= first.noise) {
        return td_fail(
            TD_ERROR_MESH,
            "%s: it is flat: its volume, %g, is no more than the rounding of its coordinates may be",
            td_name_of(mesh), volume);
    }
    if (first.volume < 0) {
        return td_fail(TD_ERROR_MESH,
                       "%s: it is inside out: its volume is %g; the corners of its triangles should run "
                       "counter-clockwise as seen from outside",
                       td_name_of(mesh), volume);
    }
    return TD_OK;
}

// Second moments of a solid are positive about every axis, which is to say that no principal moment of
// inertia is as large as the other two together; of a thin sheet it is, up to rounding.
static td_result td_check_moments(const td_trimesh *mesh, const td_mass *mass) {
    const double rounding = 1e-9;
    const double *m = mass->moments;
    if (m[0] > 0 && m[2] <= (1 + rounding) * (m[0] + m[1])) {
        return TD_OK;
    }
    return td_fail(
        TD_ERROR_MESH,
        "%s: its moments of inertia, in the ratio %g : %g : %g, are those of no solid: parts of it "
        "are inside out, but not inside of others, or it is thinner than float64 can tell",
        td_name_of(mesh), m[0], m[1], m[2]);
}

// From the unit frame to that of the mesh.
static td_result td_scale_back(td_mass *mass, const td_trimesh *mesh, td_unit_frame frame) {
    const int e = frame.exponent;
    mass->volume = ldexp(mass->volume, 3 * e);
    const td_vec3 c = mass->centre;
    mass->centre = td_add(frame.origin, td_vec3_make(ldexp(c.x, e), ldexp(c.y, e), ldexp(c.z, e)));
    for (int i = 0; i < 3; ++i) {
        mass->moments[i] = ldexp(mass->moments[i], 5 * e);
        for (int k = 0; k < 3; ++k) {
            mass->inertia[i][k] = ldexp(mass->inertia[i][k], 5 * e);
        }
    }
    const double least = fmin(mass->volume, mass->moments[0]), most = fmax(mass->volume, mass->moments[2]);
    if (least >= DBL_MIN && most <= DBL_MAX) {
        return TD_OK;
    }
    return td_fail(TD_ERROR_MESH,
                   "%s: it is too %s: its volume, %g, or its moments of inertia, %g to %g, are "
                   "beyond float64",
                   td_name_of(mesh), least < DBL_MIN ? "small" : "large", mass->volume, mass->moments[0],
                   mass->moments[2]);
}

td_result td_find_mass(td_mass *out, td_context *context, const td_trimesh *mesh) {
    TD_TRY(td_check_surface(context, mesh));
    const td_unit_frame frame = td_unit_frame_of(mesh);
    const td_first_integrals first = td_integrate_first(mesh, frame);
    TD_TRY(td_check_volume(mesh, frame, first));
    td_mass mass = {.volume = first.volume, .centre = first.centre};
    td_fill_inertia(mass.inertia, td_integrate_second(mesh, frame, first.centre));
    td_find_principal_axes(&mass);
    TD_TRY(td_check_moments(mesh, &mass));
    TD_TRY(td_scale_back(&mass, mesh, frame));
    *out = mass;
    return TD_OK;
}
