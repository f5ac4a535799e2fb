// Regions of contact: the connected curves in which two surfaces cross, and for each the way it pushes.
//
// Each closed curve bounds a patch of a inside b, and a patch of b inside a. The vector area of the former
// (Stokes: half the sum of x cross dx along the curve; what lies inside cannot change it) points from a to b
// and is how fast the volume of the overlap grows when b moves towards a: the region's normal. Where faces in
// one plane make up the curve, the normal is theirs.
#ifndef TD_DYNAMICS_REGIONS_H
#define TD_DYNAMICS_REGIONS_H

#include "facets.h"
#include "keyed.h"
#include "pierced.h"

typedef struct td_region {
    uint32_t first, count; // crossings, in the scratch's order
    td_vec3 centre;        // mean of the curve
    td_vec3 normal;        // unit, from a to b; zero if the curve does not tell
    double length;         // m, of the curve
    double reach;          // m: the farthest of it from the centre
} td_region;

typedef TD_ARRAY(td_region) td_regions;

typedef struct td_region_scratch {
    td_pierced_edges edges;
    td_keyed_list loose, spare; // ends that nothing was joined to
    TD_ARRAY(uint32_t) parents; // union-find over crossings
    TD_ARRAY(uint32_t) order;   // crossings by region
    bool united;                // curves were united since they were measured
} td_region_scratch;

void td_region_scratch_release(td_region_scratch *scratch, td_context *context);

// Finds which crossings are parts of one curve, and which edges they pierce. `tolerance`, m: ends so near
// each other are the same where what pierces what does not tell (edges through edges).
td_result td_join_crossings(const td_crossings *crossings, td_region_scratch *scratch, td_context *context,
                            double tolerance);

// Two curves, by any of their crossings, are of one region.
void td_unite_curves(td_region_scratch *scratch, uint32_t crossing, uint32_t other);

// May be called again after curves were united. Numbers the regions from 0, in each crossing's `region`,
// lists their crossings and measures them, but for their normals.
td_result td_measure_regions(td_regions *regions, td_crossings *crossings, td_region_scratch *scratch,
                             td_context *context);

// The normals of regions that have been measured.
void td_find_region_normals(td_regions *regions, const td_crossings *crossings, const td_facets *facets,
                            const td_region_scratch *scratch);

// The i-th crossing of a region.
static inline const td_crossing *td_region_crossing(const td_crossings *crossings,
                                                    const td_region_scratch *scratch, const td_region *region,
                                                    uint32_t i) {
    return &crossings->items[scratch->order.items[region->first + i]];
}

#endif
