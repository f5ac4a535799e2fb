// Where B stands relative to A: the exact meaning in float64, and the float32 form that filters read.
//
// Filters work in A's local frame (src/bvh/blocked.h): a point with local coordinates y in B's frame has
// `rotation` y + `shift` there. Every number carries a bound on its error, so that a filter knows when it may
// decide.
#ifndef TD_TRAVERSE_FRAME_H
#define TD_TRAVERSE_FRAME_H

#include "../bvh/blocked.h"
#include "../math/rigid.h"

typedef struct td_frame {
    td_rigid rigid;     // B's vertices -> A's coordinates: what the exact predicate sees
    bool identity;      // B's vertices are taken as they are
    bool apart;         // the boxes of the meshes are so far apart that nothing can touch
    bool usable;        // the float32 form is good for something; if not, only the exact predicate decides
    double rotation[9]; // row-major, times `ratio`
    double shift[3];
    double ratio;        // B's local unit in A's local units, a power of two
    float rotation_f[9]; // float32 of `rotation`
    float shift_f[3];
    float reach[9];      // |rotation|: turns half-sizes of B's boxes into A's frame
    float unit[9];       // rotation / ratio
    float unit_reach[9]; // |unit|
    float slack;         // bound on the error of any box test, in A's local units
    float margin;        // boxes this near count as overlapping, in A's local units; 0 but for near lists
    float grain; // 2^24 times the float64 error of a local coordinate: what float32 bounds are measured in
} td_frame;

td_frame td_frame_make(const td_trimesh *mesh_a, const td_blocked *a, const td_trimesh *mesh_b,
                       const td_blocked *b, const td_rigid *rigid);

// The same for what comes within `margin` (m, >= 0): `apart` if nothing does. Its `margin` is rounded up and,
// if not 0, has room for the rounding of coordinates under other poses, too: triangles that intersect after B
// has been moved by less than `margin` come within the frame's margin now. Not usable also if `margin`
// exceeds the meshes so far that everything is within it.
td_frame td_frame_within(const td_trimesh *mesh_a, const td_blocked *a, const td_trimesh *mesh_b,
                         const td_blocked *b, const td_rigid *rigid, double margin);

// The same in place, for whoever asks often: numbers that only a usable frame has are left as they are in one
// that is not.
void td_frame_fill(td_frame *out, const td_trimesh *mesh_a, const td_blocked *a, const td_trimesh *mesh_b,
                   const td_blocked *b, const td_rigid *rigid, double margin);

// For self-collision: B is A itself.
td_frame td_frame_self(const td_trimesh *mesh, const td_blocked *blocked);

#endif
