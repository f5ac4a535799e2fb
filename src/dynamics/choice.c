// At most four points per region: far apart, so that they hold a body, and the deepest.
#include "choice.h"

#include "../core/error.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------------------
// The shortlist

static void td_set_axes(td_choice *choice, td_vec3 normal) {
    const td_vec3 n = normal;
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const td_vec3 other = x <= y && x <= z ? td_vec3_make(1, 0, 0)
                          : y <= z         ? td_vec3_make(0, 1, 0)
                                           : td_vec3_make(0, 0, 1);
    const td_vec3 t = td_cross(n, other);
    choice->normal = n;
    choice->across = td_scale(t, 1 / td_length(t));
    choice->along = td_cross(n, choice->across);
}

static td_view td_view_of(const td_choice *choice, uint32_t index) {
    const td_candidate *candidate = &choice->finder->patch.candidates.items[index];
    const td_vec3 flat = td_flat(choice, candidate->point);
    return (td_view){.x = flat.x,
                     .y = flat.y,
                     .height = td_height(choice, candidate),
                     .candidate = index,
                     .side = (uint8_t)candidate->side,
                     .reached = candidate->reached};
}

static td_result td_view_candidates(td_choice *choice, const uint32_t *candidates, size_t count) {
    td_contact_finder *finder = choice->finder;
    finder->views.count = 0;
    TD_TRY(td_array_reserve(choice->context, &finder->views, count));
    for (size_t i = 0; i < count; ++i) {
        finder->views.items[i] = td_view_of(choice, candidates[i]);
    }
    finder->views.count = count;
    return TD_OK;
}

static const td_candidate *td_viewed(const td_choice *choice, const td_view *view) {
    return &choice->finder->patch.candidates.items[view->candidate];
}

static void td_shortlist(td_choice *choice, const td_view *view) {
    const uint64_t feature = td_viewed(choice, view)->feature;
    bool known = false;
    for (int i = 0; i < choice->shortlist_count; ++i) {
        known |= choice->features[i] == feature;
    }
    if (!known && choice->shortlist_count < TD_SHORTLIST) {
        choice->features[choice->shortlist_count] = feature;
        choice->shortlist[choice->shortlist_count++] = *view;
    }
}

static void td_shortlist_both(td_choice *choice, const td_view *const best[2]) {
    for (int side = 0; side < 2; ++side) {
        if (best[side] != NULL) {
            td_shortlist(choice, best[side]);
        }
    }
}

// The highest of each side.
static void td_shortlist_highest(td_choice *choice) {
    const td_view *best[2] = {NULL, NULL}, *views = choice->finder->views.items;
    double most[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < choice->finder->views.count; ++i) {
        const uint8_t side = views[i].side;
        if (views[i].height > most[side] + 1e-9 * choice->meeting->size) { // of equals the first
            best[side] = &views[i];
            most[side] = views[i].height;
        }
    }
    td_shortlist_both(choice, best);
}

// Of each side, the one nearest to the middle of the region among those that the patch was followed to.
static void td_shortlist_central(td_choice *choice) {
    const td_view *best[2] = {NULL, NULL}, *views = choice->finder->views.items;
    double least[2] = {INFINITY, INFINITY};
    for (size_t i = 0; i < choice->finder->views.count; ++i) {
        const double off = views[i].x * views[i].x + views[i].y * views[i].y;
        if (views[i].reached && off < least[views[i].side]) {
            best[views[i].side] = &views[i];
            least[views[i].side] = off;
        }
    }
    td_shortlist_both(choice, best);
}

// Numbers side by side; how many the processor does at once changes no bits.
typedef double td_lanes __attribute__((vector_size(16)));
typedef int64_t td_numbers __attribute__((vector_size(16)));

// Where `out` is beyond `most`, it and `number` take the place of what was there.
static inline void td_keep_outermost(td_lanes *most, td_numbers *best, td_lanes out, td_numbers number) {
    const td_numbers beyond = out > *most;
    *most = (td_lanes)((beyond & (td_numbers)out) | (~beyond & (td_numbers)*most));
    *best = (beyond & number) | (~beyond & *best);
}

// Of many candidates, those farthest out in eight directions: both ways across, along, and half way between.
// Without a branch that depends on one: which is farther is anyone's guess.
static void td_shortlist_extremes(td_choice *choice) {
    enum { TD_AXES = TD_DIRECTIONS / 2 };
    const td_view *views = choice->finder->views.items;
    td_lanes most[TD_AXES]; // one way and the other
    td_numbers best[TD_AXES];
    for (int d = 0; d < TD_AXES; ++d) {
        most[d] = (td_lanes){-INFINITY, -INFINITY};
        best[d] = (td_numbers){-1, -1};
    }
    for (size_t i = 0; i < choice->finder->views.count; ++i) {
        const double x = views[i].x, y = views[i].y;
        const td_numbers number = {(int64_t)i, (int64_t)i};
        const td_lanes across = {x, -x}, along = {y, -y};
        td_keep_outermost(&most[0], &best[0], across, number);
        td_keep_outermost(&most[1], &best[1], across + along, number);
        td_keep_outermost(&most[2], &best[2], along, number);
        td_keep_outermost(&most[3], &best[3], along - across, number);
    }
    for (int d = 0; d < TD_DIRECTIONS; ++d) {
        const int64_t number = best[d % TD_AXES][d / TD_AXES];
        if (number >= 0) {
            td_shortlist(choice, &views[number]);
        }
    }
}

static void td_make_shortlist(td_choice *choice) {
    const size_t count = choice->finder->views.count;
    choice->shortlist_count = choice->deep_count = 0;
    td_shortlist_highest(choice);
    if (choice->region->reach < 0.5 * TD_SMALL_REGION * choice->meeting->size) {
        return;
    }
    const bool few = count <= TD_SHORTLIST;
    const size_t stride = few ? 1 : count / TD_PROBES;
    td_shortlist_central(choice);
    for (size_t i = 0; i < count; i += stride) {
        td_shortlist(choice, &choice->finder->views.items[i]);
    }
    choice->deep_count = choice->shortlist_count;
    if (!few) {
        td_shortlist_extremes(choice);
    }
}

// ---------------------------------------------------------------------------------------------------------
// The choice

// Appends the contact at a candidate.
static void td_emit(const td_choice *choice, const td_candidate *candidate, double depth) {
    td_contact_finder *finder = choice->finder;
    const double half = candidate->side == 0 ? -0.5 * depth : 0.5 * depth;
    finder->contacts.items[finder->contacts.count++] =
        (td_found_contact){.point = td_add(candidate->point, td_scale(choice->normal, half)),
                           .normal = choice->normal,
                           .depth = depth,
                           .feature = candidate->feature,
                           .region = choice->region_index};
}

// Twice the area of a triangle, positive if c is to the left.
static double td_spanned(const td_view *a, const td_view *b, const td_view *c) {
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

// What is chosen among the shortlist.
typedef struct td_chosen {
    int items[TD_REGION_POINTS];
    int count;
} td_chosen;

// Instead of a height: not to be chosen.
static const double td_dropped = -INFINITY;

// The farthest from a place, of those that can be chosen.
static int td_farthest(const td_choice *choice, double x, double y) {
    int best = -1;
    double most = -1;
    for (int i = 0; i < choice->shortlist_count; ++i) {
        const td_view *view = &choice->shortlist[i];
        const double off = (view->x - x) * (view->x - x) + (view->y - y) * (view->y - y);
        if (view->height > td_dropped && off > most) {
            most = off;
            best = i;
        }
    }
    return best;
}

// Of points that are nearly above each other only the highest is of use; of those that are as high but for
// rounding the first, which is the vertex, or the deepest place of an edge.
static void td_drop_lower(td_choice *choice) {
    const double near = TD_SMALL_REGION * choice->meeting->size, same = 1e-9 * choice->meeting->size;
    td_view *list = choice->shortlist;
    for (int i = 0; i < choice->shortlist_count; ++i) {
        for (int k = i + 1; k < choice->shortlist_count && list[i].height > td_dropped; ++k) {
            const double x = list[i].x - list[k].x, y = list[i].y - list[k].y;
            if (x * x + y * y < near * near) {
                list[list[k].height > list[i].height + same ? i : k].height = td_dropped;
            }
        }
    }
}

// Two points far apart, and those that span the largest area with these on either side. Heights do not count:
// a body at rest would change its mind about them all the time.
static td_chosen td_choose_spread(const td_choice *choice) {
    const td_view *list = choice->shortlist;
    const int first = td_farthest(choice, 0, 0);
    const int second = td_farthest(choice, list[first].x, list[first].y);
    td_chosen chosen = {{first}, 1};
    const double x = list[second].x - list[first].x, y = list[second].y - list[first].y;
    const double extent = sqrt(x * x + y * y), least = TD_SMALL_REGION * choice->meeting->size;
    if (extent <= least) {
        return chosen;
    }
    chosen.items[chosen.count++] = second;
    double most_left = extent * least, most_right = extent * least;
    int left = -1, right = -1;
    for (int i = 0; i < choice->shortlist_count; ++i) {
        const double area =
            list[i].height > td_dropped ? td_spanned(&list[first], &list[second], &list[i]) : 0;
        if (area > most_left) {
            most_left = area;
            left = i;
        }
        if (-area > most_right) {
            most_right = -area;
            right = i;
        }
    }
    if (left >= 0) {
        chosen.items[chosen.count++] = left;
    }
    if (right >= 0) {
        chosen.items[chosen.count++] = right;
    }
    return chosen;
}

// A way out along the normal that is so many times as long as the shortest leads along the surface rather
// than out of it.
static const double td_detour = 2;

// How much deeper than those chosen another point must be to be chosen, too.
static const double td_much_deeper = 1.5;

static bool td_is_chosen(const td_chosen *chosen, int item) {
    for (int i = 0; i < chosen->count; ++i) {
        if (chosen->items[i] == item) {
            return true;
        }
    }
    return false;
}

// Where the middle of the region is deeper than its rim, a point there takes part: the place of the
// shallowest if there is no room.
static void td_include_deepest(td_chosen *chosen, const td_choice *choice, double depths[TD_SHORTLIST]) {
    int deepest = -1, shallowest = 0;
    double most = 0;
    for (int i = 0; i < chosen->count; ++i) {
        most = fmax(most, depths[chosen->items[i]]);
        shallowest = depths[chosen->items[i]] < depths[chosen->items[shallowest]] ? i : shallowest;
    }
    most *= td_much_deeper;
    for (int i = 0; i < choice->deep_count; ++i) {
        if (td_is_chosen(chosen, i)) {
            continue; // no deeper than the deepest of them
        }
        const td_candidate *candidate = td_viewed(choice, &choice->shortlist[i]);
        depths[i] = td_depth(choice, candidate, most);
        if (depths[i] > most) {
            const double out = td_distance_out(choice, candidate, most / td_detour, depths[i] / td_detour);
            depths[i] = fmin(depths[i], td_detour * out);
        }
        if (depths[i] > most) {
            most = depths[i];
            deepest = i;
        }
    }
    if (deepest >= 0 && chosen->count < TD_REGION_POINTS) {
        chosen->items[chosen->count++] = deepest;
    } else if (deepest >= 0) {
        chosen->items[shallowest] = deepest;
    }
}

// In the order of their features, so that the solver meets them in the same order in every step. False if
// none can be used.
static bool td_emit_chosen(const td_choice *choice, td_chosen *chosen, const double depths[TD_SHORTLIST]) {
    for (int i = 1; i < chosen->count; ++i) {
        const int item = chosen->items[i];
        int k = i;
        for (; k > 0 && choice->features[chosen->items[k - 1]] > choice->features[item]; --k) {
            chosen->items[k] = chosen->items[k - 1];
        }
        chosen->items[k] = item;
    }
    bool any = false;
    for (int i = 0; i < chosen->count; ++i) {
        const int item = chosen->items[i];
        if (depths[item] >= 0) {
            td_emit(choice, td_viewed(choice, &choice->shortlist[item]), depths[item]);
            any = true;
        }
    }
    return any;
}

// Chooses among the shortlist; false if nothing can be used.
static bool td_emit_from_shortlist(td_choice *choice) {
    if (choice->shortlist_count == 0) {
        return false;
    }
    td_drop_lower(choice);
    td_chosen chosen = td_choose_spread(choice);
    double depths[TD_SHORTLIST];
    for (int i = 0; i < chosen.count; ++i) {
        const int item = chosen.items[i];
        depths[item] = td_depth(choice, td_viewed(choice, &choice->shortlist[item]), -INFINITY);
    }
    td_include_deepest(&chosen, choice, depths);
    return td_emit_chosen(choice, &chosen, depths);
}

// Where no candidate is of use: the middle of the curve, as deep as the curve is high.
static void td_emit_centre(const td_choice *choice) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < choice->region->count; ++i) {
        const td_crossing *c =
            td_region_crossing(&choice->finder->crossings, &choice->finder->scratch, choice->region, i);
        const double h = td_dot(choice->normal, td_sub(c->ends[0].point, choice->region->centre));
        low = fmin(low, h);
        high = fmax(high, h);
    }
    td_contact_finder *finder = choice->finder;
    finder->contacts.items[finder->contacts.count++] = (td_found_contact){.point = choice->region->centre,
                                                                          .normal = choice->normal,
                                                                          .depth = high - low,
                                                                          .feature = 7ull << 60,
                                                                          .region = choice->region_index};
}

td_result td_choose_contacts(td_choice *choice, td_vec3 normal, const uint32_t *candidates, size_t count) {
    td_set_axes(choice, normal);
    TD_TRY(td_array_reserve(choice->context, &choice->finder->contacts, TD_REGION_POINTS));
    TD_TRY(td_view_candidates(choice, candidates, count));
    td_make_shortlist(choice);
    if (choice->given == NULL) {
        TD_TRY(td_collect_facing(choice));
    }
    if (!td_emit_from_shortlist(choice)) {
        td_emit_centre(choice);
    }
    return TD_OK;
}
