// Colliding again what was collided a moment ago: a *near list* remembers which leaves of two hierarchies are
// within a margin of each other. As long as the two have moved relative to each other by less than the
// margin, every intersecting triangle pair lies in the list, and only the list has to be looked at; if the
// list is empty, nothing can intersect at all.
//
// The answers are those of td_collide_pairs, exactly; lists change the time they take.
#ifndef TD_QUERY_NEAR_H
#define TD_QUERY_NEAR_H

#include "../traverse/traversal.h"

#include <tandem/query.h>

// Starts as {0}, not listed. Belongs to one pair of meshes, in their order, until it is listed anew.
typedef struct td_near_list {
    td_pair_list quads;           // leaves of a's and of b's hierarchy, by class, then sorted by (a, b)
    size_t ends[TD_NEAR_CLASSES]; // of the classes in `quads`
    td_rigid rigid;               // where b stood when they were listed ...
    double margin;                // ... with this margin
    bool whole; // everything counts as near: leaves could not be told apart, or the margin holds them all
    // What is known about inside, for every pose within the margin at which no triangles intersect:
    bool inside_lasts; // it is the same at all of them ...
    bool inside_known; // ... and has been found out
    td_inside inside;
} td_near_list;

void td_near_release(td_near_list *list, td_context *context);

typedef struct td_near_pair {
    td_object_pair pair;
    td_near_list *list; // read if `listed`; else filled with all leaves within `margin`; null if that is 0
    double margin;      // m, finite, >= 0
    bool listed;     // the list was filled by a call that succeeded, and since then no point of b's mesh has
                     // moved by `margin` or more in the frame of a
    bool not_inside; // it is known that neither lies inside the other: inside is not looked for
    double clear; // m; if > 0, with `not_inside` and not `listed`, it is tried first to prove that nothing of
                  // a is within this of anything of b; the list is not filled then
    bool *cleared; // told here whether that was proven; not null if `clear` > 0
} td_near_pair;

// As td_collide_pairs with TD_MODE_PAIRS natively, by the widest vectors: out[i] answers pairs[i]. After it
// every list holds the leaves of its pair, but for those of pairs that were `cleared`. Allocates nothing once
// buffers are large enough. After an error the lists of pairs that were not `listed` may be of any length,
// but they can be released and listed anew.
//
// Each pair is one thread's, so two large meshes alone are not shared out.
td_result td_collide_near(td_collide_result *out, td_query *query, const td_near_pair *pairs,
                          size_t pair_count);

// For pairs without lists, of which less is asked: out[i].colliding is false only if it is proven
// that nothing of a is within pairs[i].margin of anything of b. May differ between instruction sets, never in
// being wrong. Much cheaper than td_is_clear, and shared out over the threads.
td_result td_prove_clear(td_collide_result *out, td_query *query, const td_near_pair *pairs,
                         size_t pair_count);

// Of pairs without lists: out[i].colliding tells whether anything intersects, or, unless pairs[i].not_inside,
// one lies inside the other. As td_collide_pairs with TD_MODE_FIRST has it.
td_result td_find_meetings(td_collide_result *out, td_query *query, const td_near_pair *pairs,
                           size_t pair_count);

// Whether the two are proven to be farther apart than `margin` (m, >= 0): no point of one surface is within
// that of a point of the other. False: they may be nearer, or touch. Not exact, but never wrongly true; the
// same on every processor. May be called from any thread, from inside tasks, too.
bool td_is_clear(const td_object_pair *pair, double margin);

#endif
