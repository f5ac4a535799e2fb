#include "ray_sets.h"

#include "math/vec3.h"

#include <math.h>

static td_vec3 td_unit(td_vec3 v) {
    return td_scale(v, 1 / sqrt(td_dot(v, v)));
}

static void td_put_float32(double out[3], td_vec3 v) {
    out[0] = (double)(float)v.x;
    out[1] = (double)(float)v.y;
    out[2] = (double)(float)v.z;
}

static td_vec3 td_get(const double v[3]) {
    return td_vec3_make(v[0], v[1], v[2]);
}

void td_camera_rays(td_ray *out, uint32_t side, const td_mesh *mesh) {
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, mesh);
    const td_vec3 middle = td_scale(td_add(td_get(lower), td_get(upper)), 0.5);
    const td_vec3 half = td_scale(td_sub(td_get(upper), td_get(lower)), 0.5);
    const td_vec3 towards = td_unit(td_vec3_make(-0.62, -0.34, -0.71));
    const td_vec3 right = td_unit(td_cross(towards, td_vec3_make(0, 1, 0))), up = td_cross(right, towards);
    const td_vec3 eye = td_sub(middle, td_scale(towards, 2.2 * sqrt(td_dot(half, half))));
    for (uint32_t y = 0; y < side; ++y) {
        for (uint32_t x = 0; x < side; ++x) {
            const double a = 0.4 * (2 * (x + 0.5) / side - 1), b = 0.4 * (1 - 2 * (y + 0.5) / side);
            td_ray *ray = &out[(size_t)y * side + x];
            td_put_float32(ray->origin, eye);
            td_put_float32(ray->direction,
                           td_unit(td_add(towards, td_add(td_scale(right, a), td_scale(up, b)))));
            ray->t_min = 0;
            ray->t_max = INFINITY;
        }
    }
}

// SplitMix64, [0, 1).
static double td_next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static td_vec3 td_normal_towards(const td_mesh *mesh, const td_ray_hit *hit) {
    uint32_t corners[3];
    double p[3][3];
    td_mesh_triangle(corners, mesh, hit->triangle);
    for (int i = 0; i < 3; ++i) {
        td_mesh_vertex(p[i], mesh, corners[i]);
    }
    const td_vec3 normal = td_cross(td_sub(td_get(p[1]), td_get(p[0])), td_sub(td_get(p[2]), td_get(p[0])));
    return td_scale(td_unit(normal), hit->side);
}

// A point on the unit sphere about the tip of the normal.
static td_vec3 td_diffuse_direction(td_vec3 normal, uint64_t *state) {
    const double z = 2 * td_next_random(state) - 1, angle = 2 * 3.14159265358979 * td_next_random(state);
    const double ring = sqrt(1 - z * z);
    const td_vec3 sum = td_add(normal, td_vec3_make(ring * cos(angle), ring * sin(angle), z));
    return td_dot(sum, sum) > 1e-6 ? td_unit(sum) : normal;
}

size_t td_diffuse_rays(td_ray *out, const td_ray *rays, const td_ray_hit *hits, size_t count,
                       const td_mesh *mesh) {
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, mesh);
    const td_vec3 size = td_sub(td_get(upper), td_get(lower));
    const double lift = 1e-5 * sqrt(td_dot(size, size));
    uint64_t state = 1;
    size_t made = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!hits[i].hit || hits[i].side == 0) {
            continue;
        }
        const td_vec3 normal = td_normal_towards(mesh, &hits[i]);
        const td_vec3 at = td_add(td_get(rays[i].origin), td_scale(td_get(rays[i].direction), hits[i].t));
        td_ray *ray = &out[made++];
        td_put_float32(ray->origin, td_add(at, td_scale(normal, lift)));
        td_put_float32(ray->direction, td_diffuse_direction(normal, &state));
        ray->t_min = 0;
        ray->t_max = INFINITY;
    }
    return made;
}

void td_shuffle_rays(td_ray *rays, size_t count) {
    uint64_t state = 2;
    for (size_t i = count; i > 1; --i) {
        const size_t other = (size_t)(td_next_random(&state) * (double)i);
        const td_ray ray = rays[i - 1];
        rays[i - 1] = rays[other];
        rays[other] = ray;
    }
}
