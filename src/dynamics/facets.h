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
    TD_ARRAY(td_pair) numbers; // the pairs of triangles as numbers of facets
    TD_ARRAY(uint32_t) met;    // scratch: triangles by the number of their facet
} td_facets;

void td_facets_release(td_facets *facets, td_context *context);

// The facets of all triangles of the pairs, and of no others.
td_result td_facets_collect(td_facets *facets, td_context *context, const td_meeting *meeting,
                            const td_pair *pairs, size_t count);

// Makes the facet of a triangle that has none.
td_result td_facets_add(td_facets *facets, td_context *context, const td_meeting *meeting, uint32_t side,
                        uint32_t triangle);

// Whether a triangle has a facet.
static inline bool td_facets_has(const td_facets *facets, uint32_t side, uint32_t triangle) {
    return facets->marks[side].items[triangle].epoch == facets->epoch;
}

// The number of the facet of a triangle, made if it is not there yet.
static inline td_result td_facets_get(uint32_t *out, td_facets *facets, td_context *context,
                                      const td_meeting *meeting, uint32_t side, uint32_t triangle) {
    if (!td_facets_has(facets, side, triangle)) {
        const td_result result = td_facets_add(facets, context, meeting, side, triangle);
        if (result != TD_OK) {
            return result;
        }
    }
    *out = facets->marks[side].items[triangle].facet;
    return TD_OK;
}

#endif
