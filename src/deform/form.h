// The rest shape of a soft body and what holds it together: everything that bodies of one mesh and one
// material share.
//
// An element is an edge with the triangles on both sides of it (a hinge). It resists three things at once,
// which saves reading its four vertices three times:
//   stretch  the edge has its length;
//   shear    the corners across the edge are not farther apart than at rest (folding brings them nearer, and
//            is no business of this one);
//   bend     the edge keeps its fold, by the quadratic energy of Bergou et al., A Quadratic Bending Model for
//            Inextensible Surfaces, 2006: B 3 / (2 (A0 + A1)) |K x|^2, with K made of cotangents at rest.
// Stiffnesses are the material's; what an element gets of them depends on the areas beside it, so that a
// finer mesh of the same thing moves alike.
//
// Elements are coloured: no two of one colour have a vertex in common, so they can be solved side by side,
// and the outcome does not depend on who solves which.
#ifndef TD_DEFORM_FORM_H
#define TD_DEFORM_FORM_H

#include "../bvh/swept_features.h"
#include "../math/quat.h"
#include "../query/mesh.h"

#include <tandem/world.h>

enum { TD_FORM_COLOURS = 64 };

// In float32, which is as exact as a material is known, and half as much to read in every sub-step.
typedef struct td_hinge {
    uint32_t vertex[4];    // the edge, then the corners across it; TD_NONE: there is no triangle beside it
    float length, stretch; // m at rest, compliance in m/N; compliance < 0: not resisted, here and below
    float across, shear;   // between the corners, likewise
    float weight[3];       // K, of which the fourth makes the sum zero: nothing is moved as a whole
    float fold, bend;      // |K x| at rest, compliance
} td_hinge;

typedef struct td_form {
    td_context *context;
    const td_mesh *mesh;
    uint32_t users;
    double stretch, shear, bend; // as defined: tells forms of one mesh apart
    td_features features;
    uint32_t vertex_count;
    td_hinge *hinges; // by colour; of one, those with two triangles first
    uint32_t hinge_count;
    uint32_t colour_count;
    uint32_t
        colours[TD_FORM_COLOURS + 2]; // where each begins; behind the last: those to be solved one by one
    double *share;                    // per vertex: of the area, summing to 1
    double area, volume;              // m^2, m^3; the volume 0 unless closed
    bool closed;
    double edge; // m: mean length
} td_form;

// TD_ERROR_MESH if the mesh is nothing that can be soft (a triangle without area, a vertex of no triangle,
// two vertices at one place): the message names it.
td_result td_form_create(td_form **out, td_context *context, const td_mesh *mesh, const td_soft_def *def);
void td_form_destroy(td_form *form); // null is fine

// Six times the volume that a triangle spans with `about`.
static inline double td_spanned(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 about) {
    return td_dot(td_sub(a, about), td_cross(td_sub(b, about), td_sub(c, about)));
}

#endif
