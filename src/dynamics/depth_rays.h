// Rays out of a mesh, all along one direction, against the facets that they may meet.
//
// based on: Moeller, Trumbore, Fast, minimum storage ray/triangle intersection (1997). What depends on the
// facet and the direction alone is found once.
#ifndef TD_DYNAMICS_DEPTH_RAYS_H
#define TD_DYNAMICS_DEPTH_RAYS_H

#include "../core/array.h"
#include "crossing.h"

enum { TD_RAY_FACETS = 8 };

// So many facets side by side. Lanes beyond the last facet are met by nothing.
typedef struct td_ray_facets {
    double corner[3][TD_RAY_FACETS];
    double edges[2][3][TD_RAY_FACETS];
    double across[3][TD_RAY_FACETS]; // direction x second edge
    double inverse[TD_RAY_FACETS];   // 1 / (first edge . across); NaN: along the direction
} td_ray_facets;

typedef struct td_rays {
    td_vec3 direction;
    TD_ARRAY(td_ray_facets) facets;
} td_rays;

// Makes rays->facets of the facets of these numbers, for rays->direction. There is room for them.
void td_rays_aim(td_rays *rays, td_isa isa, const td_facet *facets, const uint32_t *numbers, size_t count);

// How far from a place the first facet is met (m); infinity: none. Once it is known not to exceed `enough`,
// anything up to that. The same bits on every instruction set.
double td_rays_cast(const td_rays *rays, td_isa isa, td_vec3 from, double enough);

// One of each per instruction set (rays_wide.c).
typedef void td_rays_aim_fn(td_rays *rays, const td_facet *facets, const uint32_t *numbers, size_t count);
typedef double td_rays_cast_fn(const td_rays *rays, td_vec3 from, double enough);

td_rays_aim_fn td_rays_aim_scalar;
td_rays_cast_fn td_rays_cast_scalar;
#if defined(__x86_64__)
td_rays_aim_fn td_rays_aim_sse4, td_rays_aim_avx2, td_rays_aim_avx512;
td_rays_cast_fn td_rays_cast_sse4, td_rays_cast_avx2, td_rays_cast_avx512;
#elif defined(__aarch64__)
td_rays_aim_fn td_rays_aim_neon;
td_rays_cast_fn td_rays_cast_neon;
#endif

#endif
