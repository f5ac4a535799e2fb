// The blocked hierarchy: blocks of four nodes over quads of four triangles (paper 002, section 2).
//
// A *block* holds four boxes side by side, so that two blocks meet in 16 box tests at once. A block is either
// internal (its nodes point to blocks) or a leaf block (its nodes point to quads); none mixes the two, which
// is what lets a traversal hold one side at a leaf block while it descends the other without ever meeting a
// pair twice. Imaginary nodes fill a block up; their boxes are empty and overlap nothing.
//
// A *quad* holds four triangles in the order of the hierarchy, ready for 16 triangle tests against another
// quad.
//
// Coordinates are local: (x - origin) * 2^exponent, with the mesh within [-1, 1]. So float32 holds what
// matters of a building at map coordinates, and products of three coordinates neither overflow nor underflow.
#ifndef TD_BVH_BLOCKED_H
#define TD_BVH_BLOCKED_H

#include "../mesh/trimesh.h"
#include "blocked_node.h"

// Welded vertex ids of a quad's triangles: what tells neighbours apart from intruders in self-collision.
typedef struct td_quad_corners {
    uint32_t corner[3][4];
} td_quad_corners;

// The triangles of a quad, as td_quad.triangle has them.
typedef struct td_quad_names {
    uint32_t triangle[4];
} td_quad_names;

// Blocks first ... end - 1: a subtree.
typedef struct td_block_range {
    uint32_t first, end;
} td_block_range;

// What refitting goes by (refit.h). There while a hierarchy is built; kept if the mesh is deformable.
typedef struct td_refit_plan {
    td_block_range *ranges; // subtrees, one task each
    double *areas;          // per range: what its nodes add up to
    uint32_t *crown;        // the blocks above them, ascending
    uint32_t range_count, crown_count;
    td_block_bounds *bounds;   // per block: around its nodes
    td_quad_corners *vertices; // per quad: as the mesh has them; `corners` itself if no two vertices coincide
    td_quad_names *names;      // per quad: so that quads can be written without being read; null: not kept
} td_refit_plan;

typedef struct td_blocked {
    td_vec3 origin;
    int exponent;    // local = (x - origin) * 2^exponent
    double scale[2]; // whose product is 2^exponent: one double may not hold it, but mostly does: then {it, 1}
    double half[3];  // of the box around the mesh, whose centre is the origin; local units, at most 1
    td_block *blocks; // blocks[0] is the root; a parent stands before its children
    td_quad *quads;
    td_quad_corners *corners;
    td_slabs *slabs; // per leaf block
    uint32_t block_count, quad_count, slabs_count;
    uint32_t height; // blocks on the longest way down, leaf block included
    double build_ms, tree_ms;
    uint32_t rounds;   // on a device
    double area;       // half the surface areas of all nodes
    double built_cost; // td_blocked_cost when it was built
    td_refit_plan plan;
} td_blocked;

// How to build, beside the mesh.
typedef struct td_blocked_def {
    td_builder builder;
    bool keep_plan; // for refits
    td_progress_fn *progress;
    void *progress_user;
    td_device *device; // null: natively
    bool by_levels;    // on a device: TD_WORK_LEVELS (build_device.h)
} td_blocked_def;

td_result td_blocked_create(td_blocked *out, const td_trimesh *mesh, const td_blocked_def *def);
void td_blocked_destroy(td_blocked *blocked, td_context *context);
uint64_t td_blocked_bytes(const td_blocked *blocked);

// Nodes that a random line through the root meets: the surface area heuristic with every block of four for
// one test. Grows as refits let boxes overlap.
double td_blocked_cost(const td_blocked *blocked);

// x in local coordinates, as accurate as float64 gives it.
static inline td_vec3 td_to_local(const td_blocked *blocked, td_vec3 x) {
    return td_scale(td_scale(td_sub(x, blocked->origin), blocked->scale[0]), blocked->scale[1]);
}

// What td_inspect_hierarchy reports, and the check that tests run on every hierarchy they build: each
// triangle in exactly one lane, each box around what is below it, blocks unmixed, imaginary nodes last.
// TD_ERROR_MESH with the first violation, else TD_OK.
void td_blocked_statistics(td_hierarchy_report *out, const td_blocked *blocked);
td_result td_blocked_validate(const td_blocked *blocked, const td_trimesh *mesh);

#endif
