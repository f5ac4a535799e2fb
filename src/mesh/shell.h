// Mass, centre and inertia of a thin shell: what an open mesh has instead of an inside.
#ifndef TD_MESH_SHELL_H
#define TD_MESH_SHELL_H

#include "trimesh.h"

// Per unit of mass per area, in the units and the frame of the mesh.
typedef struct td_shell {
    double area;          // which is the mass
    td_vec3 centre;       // of mass
    double inertia[3][3]; // about the centre, along the axes of the mesh; symmetric
} td_shell;

// TD_ERROR_MESH with a sentence that names the mesh if it has no area, or its triangles all lie on one line,
// so that it has no inertia about it, or a result is beyond float64.
td_result td_find_shell(td_shell *out, const td_trimesh *mesh);

#endif
