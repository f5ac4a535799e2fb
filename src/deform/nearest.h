// The nearest points of many pairs of features, as many at a time as float64 has lanes: the operations of
// closest.h in the same order, so the same bits, but without its branches, which no processor foretells.
#ifndef TD_DEFORM_NEAREST_H
#define TD_DEFORM_NEAREST_H

#include "../math/vec3.h"

#include <tandem/base.h>

enum { TD_NEAREST_MOST = 64 }; // a multiple of all numbers of lanes

// Of each pair, by columns. Lanes behind the last pair are computed as well, and mean nothing.
typedef struct td_lanes3 {
    double x[TD_NEAREST_MOST], y[TD_NEAREST_MOST], z[TD_NEAREST_MOST];
} td_lanes3;

// What is asked: v f0 f1 f2 or a0 a1 b0 b1, and what is known of the beginning of the lap.
typedef struct td_nearest_asked {
    td_lanes3 point[4];
    td_lanes3 from_normal;        // from the second feature to the first
    double sign[TD_NEAREST_MOST]; // of a face: on whose side the vertex was
} td_nearest_asked;

typedef struct td_nearest_found {
    double weight[4][TD_NEAREST_MOST]; // as of td_closest
    double length[TD_NEAREST_MOST];    // of its `way`
    double gap[TD_NEAREST_MOST];       // along the normal: infinite where another contact has it
    td_lanes3 normal;
} td_nearest_found;

// Of pairs of one kind, in the registers of an instruction set.
typedef struct td_nearest {
    // How far the first feature is ahead of the second along `from_normal`: they are at least as far apart.
    void (*ahead)(double *ahead, const td_nearest_asked *asked, uint32_t count);
    // Nearest points. The gap is signed by the side of the face that the vertex began on; of two edges, by
    // the way they began to be apart.
    void (*find)(td_nearest_found *out, const td_nearest_asked *asked, uint32_t count);
} td_nearest;

// Two: of a vertex and a face, and of two edges.
const td_nearest *td_nearest_for(td_isa isa);

static inline void td_lanes3_put(td_lanes3 *to, uint32_t lane, td_vec3 v) {
    to->x[lane] = v.x;
    to->y[lane] = v.y;
    to->z[lane] = v.z;
}

static inline td_vec3 td_lanes3_at(const td_lanes3 *from, uint32_t lane) {
    return td_vec3_make(from->x[lane], from->y[lane], from->z[lane]);
}

#endif
