#include "shell.h"

#include "../core/error.h"

#include <math.h>

// Sums of area, first and second moments; coordinates relative to a point near by, so that nothing cancels.
typedef struct td_moments {
    double area;
    double first[3];
    double second[3][3];
} td_moments;

static void td_add_triangle(td_moments *sum, td_triangle t, td_vec3 origin) {
    const td_vec3 a = td_sub(t.p0, origin), b = td_sub(t.p1, origin), c = td_sub(t.p2, origin);
    const td_vec3 n = td_cross(td_sub(b, a), td_sub(c, a));
    const double area = 0.5 * sqrt(td_dot(n, n));
    const double p[3][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}};
    sum->area += area;
    for (int i = 0; i < 3; ++i) {
        const double si = p[0][i] + p[1][i] + p[2][i];
        sum->first[i] += area / 3 * si;
        for (int j = 0; j < 3; ++j) {
            const double sj = p[0][j] + p[1][j] + p[2][j];
            sum->second[i][j] +=
                area / 12 * (p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j] + si * sj);
        }
    }
}

static bool td_shell_is_sound(const td_shell *shell, double scale) {
    const double(*m)[3] = shell->inertia;
    const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    const double unit = shell->area * scale * scale;
    return isfinite(det) && unit > 0 && det > 1e-12 * unit * unit * unit;
}

td_result td_find_shell(td_shell *out, const td_trimesh *mesh) {
    const td_vec3 origin = td_add(td_scale(mesh->lower, 0.5), td_scale(mesh->upper, 0.5));
    td_moments sum = {0};
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        td_add_triangle(&sum, td_trimesh_triangle(mesh, i), origin);
    }
    if (!(sum.area > 0) || !isfinite(sum.area)) {
        return td_fail(TD_ERROR_MESH,
                       "mesh '%s': expected triangles with an area that float64 can hold, as a "
                       "shell has mass",
                       mesh->name);
    }
    double centre[3], trace = 0;
    for (int i = 0; i < 3; ++i) {
        centre[i] = sum.first[i] / sum.area;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            sum.second[i][j] -= sum.area * centre[i] * centre[j];
        }
        trace += sum.second[i][i];
    }
    *out =
        (td_shell){.area = sum.area, .centre = td_add(origin, td_vec3_make(centre[0], centre[1], centre[2]))};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out->inertia[i][j] = (i == j ? trace : 0) - sum.second[i][j];
        }
    }
    const td_vec3 size = td_sub(mesh->upper, mesh->lower);
    if (!td_shell_is_sound(out, fmax(size.x, fmax(size.y, size.z)))) {
        return td_fail(TD_ERROR_MESH,
                       "mesh '%s': its triangles lie (nearly) on one line: a shell of them has no "
                       "inertia about it",
                       mesh->name);
    }
    return TD_OK;
}
