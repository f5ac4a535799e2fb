// Which points of a region become contacts, and how deep they are.
#ifndef TD_DYNAMICS_CHOICE_H
#define TD_DYNAMICS_CHOICE_H

#include "contacts.h"

// A region that is smaller than this part of the body gets one point: two so near each other cannot hold it
// any better.
#define TD_SMALL_REGION 0.04

enum {
    TD_SHORTLIST = 24,
    TD_DIRECTIONS = 8,
    TD_PROBES = 8 // candidates of a large region whose depth is looked at, wherever they are
};

typedef struct td_choice {
    td_contact_finder *finder;
    td_context *context;
    const td_meeting *meeting;
    const td_region *region;
    const double *given; // depths of the finder's candidates; null: they are measured
    uint32_t region_index;
    td_vec3 normal, across, along; // orthonormal
    // Of the candidates of the region, those among which contacts are chosen:
    td_view shortlist[TD_SHORTLIST];
    uint64_t features[TD_SHORTLIST];
    int shortlist_count;
    int deep_count; // the first of the shortlist: those that are likely to be deepest
} td_choice;

// How far a candidate has got into the other mesh, roughly: along the normal, from the curve.
static inline double td_height(const td_choice *choice, const td_candidate *candidate) {
    const double h = td_dot(choice->normal, td_sub(candidate->point, choice->region->centre));
    return candidate->side == 0 ? h : -h;
}

// A point as seen along the normal, from the middle of the region.
static inline td_vec3 td_flat(const td_choice *choice, td_vec3 p) {
    const td_vec3 d = td_sub(p, choice->region->centre);
    return td_vec3_make(td_dot(choice->across, d), td_dot(choice->along, d), 0);
}

// Appends the contacts of a region to the finder's. Of the choice, what tells the region is given; axes and
// shortlist are made here. `normal`: the way from a to b, unit. `candidates`: those of the region.
td_result td_choose_contacts(td_choice *choice, td_vec3 normal, const uint32_t *candidates, size_t count);

// The triangles of the region that face the other mesh along the normal, each once: against these depths are
// measured.
td_result td_collect_facing(td_choice *choice);

// How far a candidate is inside, along the normal (m); negative: not to be used. Once it is known not to
// exceed `enough`, anything up to that.
double td_depth(const td_choice *choice, const td_candidate *candidate, double enough);

// The distance of a candidate from the other surface, as far as the region knows it (m). Of one below `low`
// or above `high` it is only told that it is so.
double td_distance_out(const td_choice *choice, const td_candidate *candidate, double low, double high);

#endif
