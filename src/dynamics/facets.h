// The triangles of a pair of meshes that take part in contacts, each brought into a's frame once.
#ifndef TD_DYNAMICS_FACETS_H
#define TD_DYNAMICS_FACETS_H

#include "../core/array.h"
#include "crossing.h"
#include "surface.h"

// A pair of meshes in the frame of a.
typedef struct td_meeting {
    const td_surface *surfaces[2];
    td_rigid rigid;  // b's coordinates -> a's
    double size;     // m: radius of the smaller body
    bool flipped[2]; // a sheet that is met from behind: its normals point the other way
} td_meeting;

// Per triangle of a side: the number of its facet, if the mark is of this epoch.
typedef struct td_facet_mark {
    uint32_t epoch, facet;
} td_facet_mark;

typedef struct td_facets {
    TD_ARRAY(td_facet) items[2];
    TD_ARRAY(td_facet_mark) marks[2];
    uint32_t epoch;
} td_facets;

void td_facets_release(td_facets *facets, td_context *context);

// Empties both sides, for another pair.
td_result td_facets_start(td_facets *facets, td_context *context, const td_meeting *meeting);

// The number of the facet of a triangle, made if it is not there yet.
td_result td_facets_get(uint32_t *out, td_facets *facets, td_context *context, const td_meeting *meeting,
                        uint32_t side, uint32_t triangle);

// Whether a triangle has a facet.
static inline bool td_facets_has(const td_facets *facets, uint32_t side, uint32_t triangle) {
    return facets->marks[side].items[triangle].epoch == facets->epoch;
}

#endif
