// How far many pairs of features are apart in a sub-step, as many at a time as float64 has lanes: by the
// nearest points of closest_wide.h, so the same bits in every instruction set.
#ifndef TD_DEFORM_GAPS_H
#define TD_DEFORM_GAPS_H

#include "../math/vec3.h"

#include <tandem/base.h>

enum { TD_GAPS_MOST = 64 }; // a multiple of all numbers of lanes

// Of each pair, by columns. Lanes behind the last pair are computed as well, and mean nothing.
typedef struct td_lanes3 {
    double x[TD_GAPS_MOST], y[TD_GAPS_MOST], z[TD_GAPS_MOST];
} td_lanes3;

// What is asked: v f0 f1 f2 or a0 a1 b0 b1, and what is known of the beginning of the lap.
typedef struct td_gaps_asked {
    td_lanes3 point[4];
    td_lanes3 from_normal;     // from the second feature to the first
    double sign[TD_GAPS_MOST]; // of a face: on whose side the vertex was
} td_gaps_asked;

typedef struct td_gaps_found {
    double weight[4][TD_GAPS_MOST]; // as of td_closest
    double length[TD_GAPS_MOST];    // of its `way`
    double gap[TD_GAPS_MOST];       // along the normal: infinite where another contact has it
    td_lanes3 normal;
} td_gaps_found;

// Of pairs of one kind, in the registers of an instruction set.
typedef struct td_gap_finder {
    // How far the first feature is ahead of the second along `from_normal`: they are at least as far apart.
    void (*ahead)(double *ahead, const td_gaps_asked *asked, uint32_t count);
    // Nearest points. The gap is signed by the side of the face that the vertex began on; of two edges, by
    // the way they began to be apart.
    void (*find)(td_gaps_found *out, const td_gaps_asked *asked, uint32_t count);
} td_gap_finder;

// Two: of a vertex and a face, and of two edges.
const td_gap_finder *td_gap_finder_for(td_isa isa);

static inline void td_lanes3_put(td_lanes3 *to, uint32_t lane, td_vec3 v) {
    to->x[lane] = v.x;
    to->y[lane] = v.y;
    to->z[lane] = v.z;
}

static inline td_vec3 td_lanes3_at(const td_lanes3 *from, uint32_t lane) {
    return td_vec3_make(from->x[lane], from->y[lane], from->z[lane]);
}

#endif
