// Colliding again what was collided a moment ago: a *near list* remembers which leaves of two hierarchies are
// within a margin of each other. As long as the two have moved relative to each other by less than the
// margin, every intersecting triangle pair lies in the list, and only the list has to be looked at; if the
// list is empty, nothing can intersect at all.
//
// The answers are those of td_collide_pairs, exactly; lists change the time they take.
#ifndef TD_QUERY_NEAR_H
#define TD_QUERY_NEAR_H

#include "../core/array.h"

#include <tandem/query.h>

typedef struct td_near_list {
    TD_ARRAY(td_pair) quads; // leaves of a's and of b's hierarchy
} td_near_list;

void td_near_release(td_near_list *list, td_context *context);

typedef struct td_near_pair {
    td_object_pair pair;
    td_near_list *list; // read if `listed`; else filled with all leaves within `margin`
    double margin;      // m, finite, >= 0
    bool listed;
} td_near_pair;

// As td_collide_pairs with TD_MODE_PAIRS natively, by the widest vectors: out[i] answers pairs[i]. After it
// every list holds the leaves of its pair. Allocates nothing once buffers are large enough.
td_result td_collide_near(td_collide_result *out, td_query *query, td_near_pair *pairs, size_t pair_count);

// Whether the two are proven to be farther apart than `margin` (m, >= 0): no point of one surface is within
// that of a point of the other. False: they may be nearer, or touch. Not exact, but never wrongly true; the
// same on every processor. May be called from any thread, from inside tasks, too.
bool td_is_clear(const td_object_pair *pair, double margin);

#endif
