// The hierarchy over a step: the blocks and quads of a mesh's blocked hierarchy (blocked.h), with boxes that
// hold everything from the beginning of the step to its end.
//
// Every vertex moves along a straight line, so the box around its two ends holds all of its path, and a box
// around the boxes of some vertices holds all that lies between these vertices at any time: edges, triangles,
// blocks. Nothing that touches during the step is therefore ever apart by boxes. The tree is that of the mesh
// as it was built; only boxes are made anew for a step, leaves in parallel, then blocks from the last to the
// first (parents stand before children).
//
// Boxes are in local coordinates, (x - origin) * 2^exponent, of one frame for all meshes of the question. All
// that moves stays within [-1, 1].
#ifndef TD_BVH_SWEPT_H
#define TD_BVH_SWEPT_H

#include "blocked.h"
#include "swept_features.h"
#include "swept_node.h"

typedef struct td_swept_frame {
    td_vec3 origin;
    double scale[2]; // whose product is 2^exponent
    float margin;    // by which every box is enlarged on every side, in local units
} td_swept_frame;

// One lane of a quad: what its triangle needs to be tested against another. Four cache lines.
typedef struct td_swept_corners {
    _Alignas(64) float lower[3][4]; // of its three vertices, then of the triangle
    float upper[3][4];
    float edge_lower[3][4]; // of its three edges; the fourth is unused
    float edge_upper[3][4];
    uint32_t vertex[4]; // the fourth is TD_NONE
    uint32_t edge[3];   // as in td_swept_triangle
    uint32_t owns;
} td_swept_corners;

// Bounds along the six diagonals x + y, x - y, x + z, x - z, y + z, y - z: of a path, and of the lanes of a
// quad. With the box they are an 18-DOP (Klosowski et al., 1998), which holds slanted triangles much tighter
// than the box does. The last two of a path are unused; of empty lanes: empty.
enum { TD_DIAGONALS = 6 };

typedef struct td_swept_diagonal {
    _Alignas(32) float lower[8];
    float upper[8];
} td_swept_diagonal;

typedef struct td_swept_diagonals {
    float lower[TD_DIAGONALS][4], upper[TD_DIAGONALS][4];
} td_swept_diagonals;

typedef struct td_swept {
    const td_path *paths; // per vertex; not owned
    uint32_t vertex_count;
    td_swept_box *boxes; // per vertex
    td_swept_block *blocks;
    td_swept_quad *quads;
    td_swept_corners *corners; // four per quad; of empty lanes undefined
    bool has_diagonals;        // the two that follow are of this step
    td_swept_diagonal *vertex_diagonals;
    td_swept_diagonals *quad_diagonals;
    uint32_t block_count, quad_count, height;
} td_swept;

// A point in local coordinates; off by 2^-53 at most.
static inline td_vec3 td_swept_local(const td_swept_frame *frame, td_vec3 x) {
    return td_scale(td_scale(td_sub(x, frame->origin), frame->scale[0]), frame->scale[1]);
}

// What lies between the two bounds at any time, `separation` included; both are finite and so is their
// difference.
td_swept_frame td_swept_frame_around(td_vec3 lower, td_vec3 upper, double separation);

// Makes room for the boxes of a mesh with this hierarchy, keeping what is there if it fits. TD_ERROR_MEMORY:
// nothing is lost. `out` is zeroed before its first use.
td_result td_swept_reserve(td_swept *out, td_context *context, const td_blocked *blocked,
                           uint32_t vertex_count);

// Boxes of all paths, quads and blocks, and, if wanted, diagonals, which know no margin. Parallel. The paths
// must stay as long as the boxes are used.
void td_swept_fit(td_swept *swept, td_context *context, const td_features *features,
                  const td_blocked *blocked, const td_path *paths, const td_swept_frame *frame,
                  bool diagonals);

void td_swept_release(td_swept *swept, td_context *context);
uint64_t td_swept_bytes(const td_swept *swept);

#endif
