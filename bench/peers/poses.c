#include "poses.h"

#include "math/rigid.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Distances at which the way in is sampled before the first contact is bisected. Coarser steps could leap
// over a thin limb: the contact found is then a later one, still a contact of two surfaces coming together.
#define TD_APPROACH_STEPS 64
#define TD_BISECTIONS     40
#define TD_TOUCHING_TRIES 100
#define TD_TOUCHING_DEPTH 0.01

typedef struct td_extent {
    td_vec3 centroid; // of the vertices
    double mean_radius;
    double largest_radius;
} td_extent;

typedef struct td_approach {
    td_vec3 centroid_a, centroid_b;
    td_vec3 direction;  // from A to B, unit
    double rotation[4]; // of B
} td_approach;

const char *td_pose_set_name(td_pose_set set) {
    static const char *const names[] = {"near", "far", "touching"};
    return names[set];
}

bool td_pose_set_from_name(td_pose_set *out, const char *set_name) {
    for (int i = TD_POSES_NEAR; i <= TD_POSES_TOUCHING; ++i) {
        if (strcmp(set_name, td_pose_set_name((td_pose_set)i)) == 0) {
            *out = (td_pose_set)i;
            return true;
        }
    }
    return false;
}

// splitmix64 (Steele, Lea, Flood 2014): any state is a good one, so that pose i may start from seed + i.
static uint64_t td_random_bits(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double td_random_range(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(td_random_bits(state) >> 11) * 0x1p-53);
}

// A point of the unit ball of `dimensions` other than its centre, scaled to norm 1. By rejection: sin and cos
// would differ between math libraries.
static void td_random_direction(double *out, int dimensions, uint64_t *state) {
    double squared;
    do {
        squared = 0.0;
        for (int i = 0; i < dimensions; ++i) {
            out[i] = td_random_range(state, -1.0, 1.0);
            squared += out[i] * out[i];
        }
    } while (squared > 1.0 || squared < 1e-4);
    const double norm = sqrt(squared);
    for (int i = 0; i < dimensions; ++i) {
        out[i] /= norm;
    }
}

static td_extent td_measure_extent(const double *positions, uint32_t count) {
    td_vec3 sum = td_vec3_make(0.0, 0.0, 0.0);
    for (size_t i = 0; i < count; ++i) {
        sum = td_add(sum, td_vec3_make(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]));
    }
    td_extent extent = {.centroid = td_scale(sum, 1.0 / (double)count)};
    for (size_t i = 0; i < count; ++i) {
        const td_vec3 p = td_vec3_make(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
        const td_vec3 offset = td_sub(p, extent.centroid);
        const double radius = sqrt(td_dot(offset, offset));
        extent.mean_radius += radius / (double)count;
        extent.largest_radius = radius > extent.largest_radius ? radius : extent.largest_radius;
    }
    return extent;
}

static td_pose td_pose_at_distance(const td_approach *approach, double distance) {
    const double *q = approach->rotation;
    const td_rigid turn = td_rigid_make(td_vec3_make(0.0, 0.0, 0.0), q[0], q[1], q[2], q[3]);
    const td_vec3 target = td_add(approach->centroid_a, td_scale(approach->direction, distance));
    const td_vec3 p = td_sub(target, td_rigid_apply(turn, approach->centroid_b));
    return (td_pose){{p.x, p.y, p.z}, {q[0], q[1], q[2], q[3]}};
}

// The distance of the first contact on the way in from `outer`, where the meshes are apart; negative if there
// is none down to distance 0 (say, A is a cage and B passes between its bars).
static double td_first_contact(const td_approach *approach, double outer, const td_pose_source *source) {
    double apart = outer;
    double touching = -1.0;
    for (int i = 1; i <= TD_APPROACH_STEPS && touching < 0.0; ++i) {
        const double distance = outer * (double)(TD_APPROACH_STEPS - i) / TD_APPROACH_STEPS;
        const td_pose pose = td_pose_at_distance(approach, distance);
        if (source->collides(&pose, source->collides_user)) {
            touching = distance;
        } else {
            apart = distance;
        }
    }
    for (int i = 0; i < TD_BISECTIONS && touching >= 0.0; ++i) {
        const double middle = 0.5 * (apart + touching);
        const td_pose pose = td_pose_at_distance(approach, middle);
        if (source->collides(&pose, source->collides_user)) {
            touching = middle;
        } else {
            apart = middle;
        }
    }
    return touching;
}

static void td_random_approach(td_approach *approach, uint64_t *state) {
    double direction[3];
    td_random_direction(approach->rotation, 4, state);
    td_random_direction(direction, 3, state);
    approach->direction = td_vec3_make(direction[0], direction[1], direction[2]);
}

static bool td_make_touching_pose(td_pose *out, td_approach *approach, uint64_t *state, const td_extent *a,
                                  const td_extent *b, const td_pose_source *source) {
    const double outer = 1.001 * (a->largest_radius + b->largest_radius);
    for (int tries = 0; tries < TD_TOUCHING_TRIES; ++tries) {
        td_random_approach(approach, state);
        const double contact = td_first_contact(approach, outer, source);
        if (contact >= 0.0) {
            const double depth = TD_TOUCHING_DEPTH * 0.5 * (a->mean_radius + b->mean_radius);
            *out = td_pose_at_distance(approach, contact - depth);
            return true;
        }
    }
    return false;
}

bool td_make_poses(td_pose *out, uint32_t count, td_pose_set set, const td_pose_source *source) {
    const td_extent a = td_measure_extent(source->positions_a, source->vertex_count_a);
    const td_extent b = td_measure_extent(source->positions_b, source->vertex_count_b);
    td_approach approach = {.centroid_a = a.centroid, .centroid_b = b.centroid};
    const double low = set == TD_POSES_FAR ? 1.1 : 0.3;
    const double high = set == TD_POSES_FAR ? 2.0 : 1.1;
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t state = source->seed + i;
        state = td_random_bits(&state);
        if (set == TD_POSES_TOUCHING) {
            if (!td_make_touching_pose(&out[i], &approach, &state, &a, &b, source)) {
                return false;
            }
        } else {
            td_random_approach(&approach, &state);
            const double factor = td_random_range(&state, low, high);
            out[i] = td_pose_at_distance(&approach, factor * (a.mean_radius + b.mean_radius));
        }
    }
    return true;
}

bool td_write_poses(const char *path, const td_pose *poses, uint32_t count) {
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; ++i) {
        const double *p = poses[i].position;
        const double *q = poses[i].rotation;
        ok = fprintf(file, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", p[0], p[1], p[2], q[0], q[1], q[2],
                     q[3]) > 0;
    }
    ok = fclose(file) == 0 && ok;
    if (!ok) {
        const int reason = errno;
        remove(path);
        errno = reason;
    }
    return ok;
}
