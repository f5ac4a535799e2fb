// Point in solid: a segment from the point to somewhere outside crosses a closed surface an odd number of
// times exactly if the point is inside. Crossings are decided exactly; a segment that grazes an edge or a
// vertex is ambiguous, and another one is tried.
#include "inside.h"

#include "../predicates/tri_tri.h"

// A closed surface, possibly placed by a rigid motion.
typedef struct td_solid {
    const td_trimesh *mesh;
    const td_blocked *hierarchy;
    const td_rigid *rigid; // null: as it is
    double slack;          // in local units
} td_solid;

typedef struct td_probe {
    td_vec3 from, to;               // exact, in the coordinates of A
    td_vec3 center, half_direction; // the same segment in the solid's local coordinates, within `slack`
} td_probe;

static td_vec3 td_into_local(const td_solid *solid, td_vec3 x) {
    if (solid->rigid != NULL) {
        const td_rigid *m = solid->rigid;
        const td_vec3 d = td_sub(x, m->position);
        x = td_add(td_add(td_scale(m->row0, d.x), td_scale(m->row1, d.y)), td_scale(m->row2, d.z));
    }
    return td_to_local(solid->hierarchy, x);
}

// Segment against box by separating axes: the three of the box and its products with the segment.
static bool td_probe_meets(const td_probe *probe, const td_block *block, int lane, double slack) {
    const td_vec3 d = probe->half_direction;
    const double m[3] = {probe->center.x - (double)block->center[0][lane],
                         probe->center.y - (double)block->center[1][lane],
                         probe->center.z - (double)block->center[2][lane]};
    const double w[3] = {fabs(d.x), fabs(d.y), fabs(d.z)};
    const double v[3] = {d.x, d.y, d.z};
    double h[3];
    for (int k = 0; k < 3; ++k) {
        h[k] = (double)block->half[k][lane] + slack;
        if (fabs(m[k]) > h[k] + w[k]) {
            return false;
        }
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        if (fabs(m[i] * v[j] - m[j] * v[i]) > h[i] * w[j] + h[j] * w[i] + slack * (w[i] + w[j])) {
            return false;
        }
    }
    return true;
}

// Crossings with the triangles of a quad; -1: ambiguous.
static int td_count_in_quad(const td_solid *solid, const td_probe *probe, const td_quad *quad) {
    int crossings = 0;
    for (int lane = 0; lane < 4; ++lane) {
        if (quad->triangle[lane] == TD_NONE) {
            continue;
        }
        td_triangle t = td_trimesh_triangle(solid->mesh, quad->triangle[lane]);
        if (solid->rigid != NULL) {
            t = td_rigid_apply_triangle(*solid->rigid, t);
        }
        if (td_triangle_is_degenerate(t)) {
            continue; // its edges cancel: it bounds nothing
        }
        const int crossing = td_segment_crosses_triangle(probe->from, probe->to, t);
        if (crossing < 0) {
            return -1;
        }
        crossings += crossing;
    }
    return crossings;
}

static int td_count_crossings(const td_solid *solid, const td_probe *probe, uint32_t index) {
    const td_block *block = &solid->hierarchy->blocks[index];
    int crossings = 0;
    for (uint32_t i = 0; i < block->node_count; ++i) {
        if (!td_probe_meets(probe, block, (int)i, solid->slack)) {
            continue;
        }
        const int below = block->leaf
                              ? td_count_in_quad(solid, probe, &solid->hierarchy->quads[block->child[i]])
                              : td_count_crossings(solid, probe, block->child[i]);
        if (below < 0) {
            return -1;
        }
        crossings += below;
    }
    return crossings;
}

// SplitMix64: directions for the probes, the same on every machine.
static double td_next_unit(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static double td_largest(td_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

// The segment from `point` to `point` + `factor` `d`.
static td_probe td_make_probe(const td_solid *solid, td_vec3 point, td_vec3 d, double factor) {
    td_probe probe = {.from = point, .to = td_add(point, td_scale(d, factor))};
    const td_vec3 p = td_into_local(solid, probe.from), q = td_into_local(solid, probe.to);
    probe.center = td_scale(td_add(p, q), 0.5);
    probe.half_direction = td_scale(td_sub(q, p), 0.5);
    return probe;
}

static bool td_point_inside(const td_solid *solid, td_vec3 point) {
    const td_blocked *h = solid->hierarchy;
    const td_rigid *m = solid->rigid;
    const td_vec3 center = m == NULL ? h->origin : td_rigid_apply(*m, h->origin);
    const double unit = 1 / h->scale[0] / h->scale[1];
    // How far rounding may have moved a corner of the solid, as in frame.c; it is larger than the solid
    // itself if that stands where float64 is coarse.
    const double reached =
        2 * solid->mesh->largest + td_largest(point) + (m == NULL ? 0 : td_largest(m->position));
    const double error = 0x1p-48 * reached + 0x1p-1068;
    // No corner is farther from the centre than sqrt(3) units and that error.
    const double distance = td_largest(td_sub(point, center));
    if (distance > 2 * unit + error) {
        return false;
    }
    double reach = 4 * unit + 2 * distance + 2 * error; // leads out, whatever the direction
    const double longest_reach = fmin(reach * 0x1p20, 0x1p1000);
    uint64_t state = 1;
    for (;;) {
        // A generic direction is unambiguous; whatever lies on the first few, some direction soon is free.
        // Where float64 is coarse there are few directions to so near an end: the end moves away to make them
        // more.
        const td_vec3 d = td_vec3_make(td_next_unit(&state), td_next_unit(&state), td_next_unit(&state));
        const double longest = td_largest(d);
        if (longest < 0.5) {
            continue;
        }
        const td_probe probe = td_make_probe(solid, point, d, reach / longest);
        const int crossings = td_count_crossings(solid, &probe, 0);
        if (crossings >= 0) {
            return crossings % 2 == 1;
        }
        reach = fmax(reach, fmin(2 * reach, longest_reach));
    }
}

static bool td_all_inside(const td_trimesh *inner, const td_rigid *inner_rigid, const td_solid *outer) {
    if (!outer->mesh->closed) {
        return false;
    }
    for (uint32_t i = 0; i < inner->seed_count; ++i) {
        td_vec3 point = td_trimesh_vertex(inner, inner->seeds[i]);
        if (inner_rigid != NULL) {
            point = td_rigid_apply(*inner_rigid, point);
        }
        if (!td_point_inside(outer, point)) {
            return false;
        }
    }
    return true;
}

td_inside td_find_inside(const td_trimesh *mesh_a, const td_blocked *a, const td_trimesh *mesh_b,
                         const td_blocked *b, const td_frame *frame) {
    if (frame->apart) {
        return TD_INSIDE_NONE;
    }
    // Beyond what the frame can bound, every box is opened: slow, but right.
    const double slack_a = frame->usable ? (double)frame->slack : 1e300;
    const double slack_b = frame->usable ? (double)frame->slack / frame->ratio : 1e300;
    const td_solid solid_a = {mesh_a, a, NULL, slack_a};
    if (td_all_inside(mesh_b, &frame->rigid, &solid_a)) {
        return TD_INSIDE_B_IN_A;
    }
    const td_solid solid_b = {mesh_b, b, &frame->rigid, slack_b};
    if (td_all_inside(mesh_a, NULL, &solid_b)) {
        return TD_INSIDE_A_IN_B;
    }
    return TD_INSIDE_NONE;
}

const char *td_inside_name(td_inside inside) {
    static const char *const names[] = {"none", "a_in_b", "b_in_a"};
    return (unsigned)inside < 3 ? names[inside] : "none";
}
