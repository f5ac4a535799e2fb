// Contacts between two meshes, from the triangles that intersect: a few points per region, each with a normal
// and a depth.
#ifndef TD_DYNAMICS_CONTACTS_H
#define TD_DYNAMICS_CONTACTS_H

#include "depth_rays.h"
#include "patch.h"

enum { TD_REGION_POINTS = 4 }; // at most, per region

// Frame of a.
typedef struct td_found_contact {
    td_vec3 point;  // half way between the surfaces
    td_vec3 normal; // unit, from a to b
    double depth;   // m, >= 0
    uint64_t feature;
    uint32_t region;
} td_found_contact;

// A candidate as seen along the normal of a region.
typedef struct td_view {
    double x, y;   // m: across and along, from the middle of the region
    double height; // m: how far it has got into the other mesh, roughly: from the curve
    uint32_t candidate;
    uint8_t side;
    bool reached;
} td_view;

// Buffers of one worker.
typedef struct td_contact_finder {
    td_facets facets;
    td_crossings crossings;
    td_region_scratch scratch;
    td_regions regions;
    td_patch patch;
    TD_ARRAY(uint32_t) order;            // candidates by region
    TD_ARRAY(td_view) views;             // candidates of the region
    TD_ARRAY(uint32_t) facing[2];        // facets of the region that face the other mesh
    td_rays rays[2];                     // into the facing facets of a side, from the other
    TD_ARRAY(td_found_contact) contacts; // the outcome
} td_contact_finder;

void td_contact_finder_release(td_contact_finder *finder, td_context *context);

// The curves in which the triangles of the pairs cross: into finder->crossings, not yet joined.
td_result td_collect_crossings(td_contact_finder *finder, td_context *context, const td_meeting *meeting,
                               const td_pair *pairs, size_t count);

// Appends to finder->contacts. `way` (unit, a's frame) is the direction from a to b where the surfaces do not
// tell one.
td_result td_find_contacts(td_contact_finder *finder, td_context *context, const td_meeting *given,
                           const td_pair *pairs, size_t pair_count, td_vec3 way);

#endif
