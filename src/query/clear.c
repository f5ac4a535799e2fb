// Clearance: two blocked hierarchies descended together, nearest first, until something is too near or
// nothing is left. Everything in float64 and one way of rounding, so that every processor says the same.
//
// Boxes are 16 pairs at a time on the axes of either mesh, quads by their slabs, triangles by a certificate
// (clear_triangles.h). Coordinates are A's local ones. Error bounds: all numbers are below 3 (1 + r) +
// margin, with r the radius of B; a distance is a sum of a dozen products and terms of these, each good
// within a few 2^-53, and coordinates are good within eta >= 2^-48 (1 + r) (frame.c): `limit` has 16 eta and
// 2^-30 of the margin on top of it.
#include "../traverse/frame.h"
#include "clear_triangles.h"
#include "mesh.h"
#include "near.h"
#include "pose.h"

typedef struct td_clearance {
    const td_mesh *a, *b;
    td_frame frame;
    double unit[9]; // rotation without ratio
    double limit;   // A's local units
} td_clearance;

// A node of B in A's frame.
typedef struct td_turned_node {
    double center[3];
    double half[3];  // along B's axes, in A's units
    double reach[3]; // along A's axes
} td_turned_node;

// Two nodes, or two blocks, that may be too near.
typedef struct td_suspects {
    td_pair pair;
    double square; // a lower bound on their distance, squared
} td_suspects;

// ---------------------------------------------------------------------------------------------------------
// Boxes

static void td_turn_nodes(td_turned_node out[4], const td_clearance *c, const td_block *b) {
    const double *r = c->unit, ratio = c->frame.ratio;
    for (uint32_t j = 0; j < b->node_count; ++j) {
        const double x[3] = {(double)b->center[0][j] * ratio, (double)b->center[1][j] * ratio,
                             (double)b->center[2][j] * ratio};
        for (int k = 0; k < 3; ++k) {
            out[j].half[k] = (double)b->half[k][j] * ratio;
        }
        for (int k = 0; k < 3; ++k) {
            const double *row = r + 3 * k, *h = out[j].half;
            out[j].center[k] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + c->frame.shift[k];
            out[j].reach[k] = fabs(row[0]) * h[0] + fabs(row[1]) * h[1] + fabs(row[2]) * h[2];
        }
    }
}

// The square of a gap, if there is one.
static double td_gap_square(double distance, double radii) {
    const double gap = fabs(distance) - radii;
    return gap > 0 ? gap * gap : 0;
}

// A lower bound on the distance of node i of A's block and a node of B, squared. Gaps on axes at right angles
// add up as the sides of a box do.
static double td_nodes_square(const td_clearance *c, const td_block *a, uint32_t i, const td_turned_node *b) {
    const double h[3] = {(double)a->half[0][i], (double)a->half[1][i], (double)a->half[2][i]};
    double t[3], square_a = 0, square_b = 0;
    for (int k = 0; k < 3; ++k) {
        t[k] = b->center[k] - (double)a->center[k][i];
        square_a += td_gap_square(t[k], h[k] + b->reach[k]);
    }
    for (int k = 0; k < 3; ++k) {
        const double *column = c->unit + k;
        const double along = column[0] * t[0] + column[3] * t[1] + column[6] * t[2];
        const double reach = fabs(column[0]) * h[0] + fabs(column[3]) * h[1] + fabs(column[6]) * h[2];
        square_b += td_gap_square(along, reach + b->half[k]);
    }
    return fmax(square_a, square_b);
}

// ---------------------------------------------------------------------------------------------------------
// Quads

// Whether the slab of node i of A's block clears B's node, or the other way round. Normals are of length 1
// within float32, so gaps along them are, too.
static bool td_slabs_clear(const td_clearance *c, const td_block *a, uint32_t i, const td_block *b,
                           uint32_t j, const td_turned_node *turned) {
    const td_slabs *sa = &c->a->hierarchy.slabs[a->slabs], *sb = &c->b->hierarchy.slabs[b->slabs];
    const double *r = c->unit, limit = c->limit * (1 + 0x1p-20);
    double n[3], m[3], t[3];
    for (int k = 0; k < 3; ++k) {
        n[k] = (double)sa->normal[k][i];
        m[k] = (double)sb->normal[k][j];
        t[k] = turned->center[k] - (double)a->center[k][i];
    }
    double height_a = -(double)sa->middle[i], reach_a = (double)sa->half[i];
    double height_b = (double)sb->middle[j] * c->frame.ratio, reach_b = (double)sb->half[j] * c->frame.ratio;
    for (int k = 0; k < 3; ++k) {
        const double along = n[0] * r[k] + n[1] * r[3 + k] + n[2] * r[6 + k];
        const double turned_m = m[0] * r[3 * k] + m[1] * r[3 * k + 1] + m[2] * r[3 * k + 2];
        height_a += n[k] * t[k];
        reach_a += fabs(along) * turned->half[k];
        height_b += turned_m * t[k];
        reach_b += fabs(turned_m) * (double)a->half[k][i];
    }
    return fabs(height_a) - reach_a > limit || fabs(height_b) - reach_b > limit;
}

// The triangles of a quad in A's local coordinates; returns how many. `rigid` places B; null: A.
static uint32_t td_local_triangles(td_triangle out[4], const td_mesh *mesh, uint32_t quad,
                                   const td_rigid *rigid, const td_blocked *frame) {
    const td_quad *source = &mesh->hierarchy.quads[quad];
    uint32_t count = 0;
    for (int i = 0; i < 4; ++i) {
        if (source->triangle[i] == TD_NONE) {
            continue;
        }
        td_triangle t = td_trimesh_triangle(&mesh->triangles, source->triangle[i]);
        t = rigid == NULL ? t : td_rigid_apply_triangle(*rigid, t);
        out[count++] =
            (td_triangle){td_to_local(frame, t.p0), td_to_local(frame, t.p1), td_to_local(frame, t.p2)};
    }
    return count;
}

static bool td_quads_clear(const td_clearance *c, td_pair quads) {
    td_triangle a[4], b[4];
    const uint32_t count_a = td_local_triangles(a, c->a, quads.a, NULL, &c->a->hierarchy);
    const uint32_t count_b = td_local_triangles(b, c->b, quads.b, &c->frame.rigid, &c->a->hierarchy);
    for (uint32_t i = 0; i < count_a; ++i) {
        for (uint32_t j = 0; j < count_b; ++j) {
            if (!td_triangles_clear(&a[i], &b[j], c->limit)) {
                return false;
            }
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Descent

// Puts `item` into the first `count` of the list, which are sorted, nearest first.
static void td_insert_suspects(td_suspects *list, uint32_t count, td_suspects item) {
    uint32_t k = count;
    while (k > 0 && list[k - 1].square > item.square) {
        list[k] = list[k - 1];
        --k;
    }
    list[k] = item;
}

// What two blocks lead to: pairs of quads if both are leaf blocks, else pairs of blocks, a leaf block being
// held whole (src/traverse/blocks_wide.h). Nearest first; returns how many. Not inlined: the recursion keeps
// no more than the list.
static __attribute__((noinline)) uint32_t td_find_suspects(td_suspects out[16], const td_clearance *c,
                                                           td_pair blocks) {
    const td_block *a = &c->a->hierarchy.blocks[blocks.a], *b = &c->b->hierarchy.blocks[blocks.b];
    const bool leaves = a->leaf && b->leaf;
    td_turned_node turned[4];
    double held[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    uint32_t count = 0;
    td_turn_nodes(turned, c, b);
    for (uint32_t j = 0; j < b->node_count; ++j) {
        for (uint32_t i = 0; i < a->node_count; ++i) {
            const double square = td_nodes_square(c, a, i, &turned[j]);
            if (square > c->limit * c->limit || (leaves && td_slabs_clear(c, a, i, b, j, &turned[j]))) {
                continue;
            }
            if (leaves || (!a->leaf && !b->leaf)) {
                const td_suspects found = {{a->child[i], b->child[j]}, square};
                td_insert_suspects(out, count++, found);
            } else {
                const uint32_t opened = a->leaf ? j : i;
                held[opened] = fmin(held[opened], square);
            }
        }
    }
    for (uint32_t k = 0; k < 4; ++k) {
        if (held[k] < INFINITY) {
            const td_pair pair =
                a->leaf ? (td_pair){blocks.a, b->child[k]} : (td_pair){a->child[k], blocks.b};
            td_insert_suspects(out, count++, (td_suspects){pair, held[k]});
        }
    }
    return count;
}

static bool td_blocks_clear(const td_clearance *c, td_pair blocks) {
    const bool leaves = c->a->hierarchy.blocks[blocks.a].leaf && c->b->hierarchy.blocks[blocks.b].leaf;
    td_suspects suspects[16];
    const uint32_t count = td_find_suspects(suspects, c, blocks);
    for (uint32_t k = 0; k < count; ++k) {
        if (!(leaves ? td_quads_clear(c, suspects[k].pair) : td_blocks_clear(c, suspects[k].pair))) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------

// For meshes that differ in size too much, or stand where float64 is too coarse, to have a common frame: by
// the cubes around them. A lies within `unit_a` of its origin on every axis, B within sqrt(3) `unit_b` of its
// own.
static bool td_cubes_clear(const td_mesh *a, const td_mesh *b, const td_rigid *rigid, double margin) {
    const td_blocked *ha = &a->hierarchy, *hb = &b->hierarchy;
    const double unit_a = 1 / ha->scale[0] / ha->scale[1], unit_b = 1 / hb->scale[0] / hb->scale[1];
    const td_vec3 way = td_sub(td_rigid_apply(*rigid, hb->origin), ha->origin), p = rigid->position;
    const double distance = fmax(fabs(way.x), fmax(fabs(way.y), fabs(way.z)));
    const double error =
        0x1p-45 * (2 * b->triangles.largest + a->triangles.largest + fabs(p.x) + fabs(p.y) + fabs(p.z));
    return distance > (unit_a + 1.7320509 * unit_b + margin) * (1 + 0x1p-40) + error + 0x1p-1060;
}

bool td_is_clear(const td_object_pair *pair, double margin) {
    const td_rigid rigid = td_pose_rigid(&pair->pose);
    const td_mesh *a = pair->a, *b = pair->b;
    td_clearance c = {.a = a, .b = b};
    c.frame = td_frame_within(&a->triangles, &a->hierarchy, &b->triangles, &b->hierarchy, &rigid, margin);
    if (!c.frame.usable) {
        return c.frame.apart || td_cubes_clear(a, b, &rigid, margin);
    }
    for (int k = 0; k < 9; ++k) {
        c.unit[k] = c.frame.rotation[k] / c.frame.ratio;
    }
    const double local = margin * a->hierarchy.scale[0] * a->hierarchy.scale[1];
    const double eta = (double)c.frame.grain * 0x1p-24 * (1 + 0x1p-20);
    c.limit = local * (1 + 0x1p-30) + 16 * eta;
    return td_blocks_clear(&c, (td_pair){0, 0});
}
