// Positions as a caller gives them, and how a deformable mesh takes new ones.
#ifndef TD_MESH_POSITIONS_H
#define TD_MESH_POSITIONS_H

#include "trimesh.h"

#include <math.h>

typedef struct td_new_positions {
    const void *positions;
    size_t stride; // bytes
    td_scalar scalar;
} td_new_positions;

static inline size_t td_scalar_size(td_scalar scalar) {
    return scalar == TD_FLOAT64 ? sizeof(double) : sizeof(float);
}

static inline td_vec3 td_load_position(const td_new_positions *given, uint32_t vertex) {
    const unsigned char *at = (const unsigned char *)given->positions + vertex * given->stride;
    if (given->scalar == TD_FLOAT64) {
        const double *p = (const double *)(const void *)at;
        return td_vec3_make(p[0], p[1], p[2]);
    }
    const float *p = (const float *)(const void *)at;
    return td_vec3_make((double)p[0], (double)p[1], (double)p[2]);
}

// x - x is 0 for a finite x and NaN for every other.
static inline bool td_is_finite_point(td_vec3 p) {
    return (p.x - p.x) + (p.y - p.y) + (p.z - p.z) == 0;
}

typedef struct td_bounds3 {
    td_vec3 lower, upper;
} td_bounds3;

static inline td_bounds3 td_bounds3_empty(void) {
    return (td_bounds3){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

// By comparison, not fmin and fmax: those are calls where the processor treats NaN otherwise.
static inline td_bounds3 td_bounds3_with(td_bounds3 b, td_vec3 p) {
    return (td_bounds3){{p.x < b.lower.x ? p.x : b.lower.x, p.y < b.lower.y ? p.y : b.lower.y,
                         p.z < b.lower.z ? p.z : b.lower.z},
                        {p.x > b.upper.x ? p.x : b.upper.x, p.y > b.upper.y ? p.y : b.upper.y,
                         p.z > b.upper.z ? p.z : b.upper.z}};
}

static inline td_bounds3 td_bounds3_join(td_bounds3 a, td_bounds3 b) {
    return (td_bounds3){td_bounds3_with(a, b.lower).lower, td_bounds3_with(a, b.upper).upper};
}

void td_trimesh_set_bounds(td_trimesh *mesh, td_bounds3 bounds);

// The layout: scalar, stride (0: packed), alignment; null only if there are no vertices.
td_result td_check_positions(const td_new_positions *given, uint32_t vertex_count, const char *name);

// TD_ERROR_MESH with the first vertex that is not finite.
td_result td_check_coordinates(const td_new_positions *given, uint32_t vertex_count, const char *name);

// Checks new positions of a deformable mesh and takes them over, in parallel. Those it had become the spare
// ones: a copy of *mesh from before brings them back. On failure nothing has changed.
td_result td_trimesh_set_positions(td_trimesh *mesh, const td_new_positions *given);

#endif
