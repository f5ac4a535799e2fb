// A link: two bodies whose boxes overlap, and what is remembered of them from step to step.
#ifndef TD_DYNAMICS_LINK_H
#define TD_DYNAMICS_LINK_H

#include "../query/near.h"
#include "body.h"
#include "solver.h"

// What a step asks about a link.
typedef enum td_inquiry {
    TD_INQUIRY_NOTHING,  // the two are apart
    TD_INQUIRY_KEEP,     // at rest, or hardly moved: contacts are those found before
    TD_INQUIRY_ANSWERED, // that none intersect is known without asking
    TD_INQUIRY_TRIANGLES // which triangles intersect
} td_inquiry;

typedef struct td_link {
    // What every step looks at, of every link: one line of the cache.
    _Alignas(64) uint32_t a, b; // bodies, a < b
    uint32_t generations[2];    // of the two: numbers are used again
    uint32_t first, count;      // contact points
    uint32_t past;              // where its td_link_past is
    td_inquiry inquiry;         // of this step
    bool known;          // was there in the step before, too: who is inside the other by now came in touching
    bool touching;       // has contact points
    bool was_touching;   // before this step
    bool active;         // takes part in this step: not both at rest
    bool listed;         // in this step the near list holds
    bool asked;          // `asked_at` and `faces` are known
    bool fresh;          // ... from the step before
    bool fast;           // moves so far in this step that it is followed continuously ...
    bool clear;          // ... and was found to be apart at the end if both go all the way
    bool cleared;        // the question of this step proved that they are clear of each other
    uint8_t clear_steps; // how many steps the next proof that the two are clear should last
    uint8_t clear_trials; // questions until it is tried again
    double margin;        // m, of the near list; negative: there is none
    double clear_by;      // m: how far apart they were at `clear_at`, at least; 0: never proven
    td_vec3 way;          // from a to b in the world, when last told by the surfaces; zero: never
    // Where its triangles were last asked for, and how many intersected.
    td_station asked_at;
    uint64_t faces;
} td_link;

// What else is remembered of a link, and seldom looked at. It stays where it is when links come and go.
typedef struct td_link_past {
    td_near_list list;
    td_station listed_at; // where the list was made
    td_station clear_at;  // where the two were last proven to be clear of each other
} td_link_past;

// Who is inside the other by now came in touching.
static inline bool td_is_not_inside(const td_link *link) {
    return link->known && !link->was_touching;
}

typedef TD_ARRAY(td_link) td_links;
typedef TD_ARRAY(td_link_past) td_link_pasts;
typedef TD_ARRAY(td_contact_point) td_contact_points;

#endif
