// Volume, centre of mass and inertia of the solid that a closed mesh bounds.
#ifndef TD_MESH_MASS_H
#define TD_MESH_MASS_H

#include "trimesh.h"

// At unit density, in the units and the frame of the mesh. For another density multiply volume, inertia and
// moments by it.
typedef struct td_mass {
    double volume;        // which is the mass
    td_vec3 centre;       // of mass
    double inertia[3][3]; // about the centre, along the axes of the mesh; symmetric
    // inertia = R diag(moments) R^T, where R is the rotation `axes`: x, y, z, w, of norm 1, w >= 0. It takes
    // the frame of the principal axes to that of the mesh. Moments are positive and ascending. Where two are
    // equal the axes are some of those that would do.
    double moments[3];
    double axes[4];
} td_mass;

// The edges must be used as often in one direction as in the other: then, and only then, the surface has an
// inside. (Edges where several parts of a closed surface meet are fine.) Parts that are inside out inside of
// others are cavities.
//
// TD_ERROR_MESH, with a sentence that names the mesh and what was found, if it is open, if triangles disagree
// about which side is the outer one, if it is inside out, if it is flat (no volume beyond what the rounding
// of its coordinates may amount to), if no solid has such moments of inertia (parts that are inside out where
// there is nothing to cut a cavity in), or if one of the results is beyond float64. TD_ERROR_MEMORY.
td_result td_find_mass(td_mass *out, td_context *context, const td_trimesh *mesh);

#endif
