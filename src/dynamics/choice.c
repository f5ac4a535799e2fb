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

static const td_candidate *td_candidate_at(const td_choice *choice, size_t i) {
    return &choice->finder->patch.candidates.items[choice->order[i]];
}

static void td_shortlist(td_choice *choice, const td_candidate *candidate) {
    for (int i = 0; i < choice->shortlist_count; ++i) {
        if (choice->shortlist[i].feature == candidate->feature) {
            return;
        }
    }
    if (choice->shortlist_count < TD_SHORTLIST) {
        choice->shortlist[choice->shortlist_count++] = *candidate;
    }
}

// The highest of each side.
static void td_shortlist_highest(td_choice *choice) {
    const td_candidate *best[2] = {NULL, NULL};
    double most[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < choice->order_count; ++i) {
        const td_candidate *candidate = td_candidate_at(choice, i);
        const double height = td_height(choice, candidate);
        if (height > most[candidate->side] + 1e-9 * choice->meeting->size) { // of equals the first
            best[candidate->side] = candidate;
            most[candidate->side] = height;
        }
    }
    for (int side = 0; side < 2; ++side) {
        if (best[side] != NULL) {
            td_shortlist(choice, best[side]);
        }
    }
}

// Of each side, the one nearest to the middle of the region among those that the patch was followed to.
static void td_shortlist_central(td_choice *choice) {
    const td_candidate *best[2] = {NULL, NULL};
    double least[2] = {INFINITY, INFINITY};
    for (size_t i = 0; i < choice->order_count; ++i) {
        const td_candidate *candidate = td_candidate_at(choice, i);
        const td_vec3 d = td_flat(choice, candidate->point);
        const double off = d.x * d.x + d.y * d.y;
        if (candidate->reached && off < least[candidate->side]) {
            best[candidate->side] = candidate;
            least[candidate->side] = off;
        }
    }
    for (int side = 0; side < 2; ++side) {
        if (best[side] != NULL) {
            td_shortlist(choice, best[side]);
        }
    }
}

// Of many candidates, those farthest out in eight directions: both ways across, along, and half way between.
static void td_shortlist_extremes(td_choice *choice) {
    const td_candidate *best[TD_DIRECTIONS] = {NULL};
    double most[TD_DIRECTIONS];
    for (int d = 0; d < TD_DIRECTIONS; ++d) {
        most[d] = -INFINITY;
    }
    for (size_t i = 0; i < choice->order_count; ++i) {
        const td_candidate *candidate = td_candidate_at(choice, i);
        const td_vec3 p = td_flat(choice, candidate->point);
        const double out[TD_DIRECTIONS] = {p.x, p.x + p.y, p.y, p.y - p.x, -p.x, -p.x - p.y, -p.y, p.x - p.y};
        for (int d = 0; d < TD_DIRECTIONS; ++d) {
            if (out[d] > most[d]) {
                most[d] = out[d];
                best[d] = candidate;
            }
        }
    }
    for (int d = 0; d < TD_DIRECTIONS; ++d) {
        if (best[d] != NULL) {
            td_shortlist(choice, best[d]);
        }
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

static double td_spanned(td_vec3 a, td_vec3 b, td_vec3 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// What is chosen among the shortlist.
typedef struct td_chosen {
    int items[TD_REGION_POINTS];
    int count;
} td_chosen;

// Instead of a height: not to be chosen.
static const double td_dropped = -INFINITY;

// The farthest from a place, of those that can be chosen.
static int td_farthest(const td_vec3 *flat, const double *heights, int count, td_vec3 from) {
    int best = -1;
    double most = -1;
    for (int i = 0; i < count; ++i) {
        const td_vec3 d = td_sub(flat[i], from);
        if (heights[i] > td_dropped && td_dot(d, d) > most) {
            most = td_dot(d, d);
            best = i;
        }
    }
    return best;
}

// Of points that are nearly above each other only the highest is of use; of those that are as high but for
// rounding the first, which is the vertex, or the deepest place of an edge.
static void td_drop_lower(const td_choice *choice, const td_vec3 *flat, double heights[TD_SHORTLIST]) {
    const double near = TD_SMALL_REGION * choice->meeting->size, same = 1e-9 * choice->meeting->size;
    for (int i = 0; i < choice->shortlist_count; ++i) {
        for (int k = i + 1; k < choice->shortlist_count; ++k) {
            const double x = flat[i].x - flat[k].x, y = flat[i].y - flat[k].y;
            if (x * x + y * y < near * near) {
                heights[heights[k] > heights[i] + same ? i : k] = td_dropped;
            }
        }
    }
}

// Two points far apart, and those that span the largest area with these on either side. Heights do not count:
// a body at rest would change its mind about them all the time.
static td_chosen td_choose_spread(const td_choice *choice, const td_vec3 *flat,
                                  const double heights[TD_SHORTLIST]) {
    const int n = choice->shortlist_count;
    const int first = td_farthest(flat, heights, n, td_vec3_make(0, 0, 0));
    const int second = td_farthest(flat, heights, n, flat[first]);
    td_chosen chosen = {{first}, 1};
    const td_vec3 d = td_sub(flat[second], flat[first]);
    const double extent = td_length(d), least = TD_SMALL_REGION * choice->meeting->size;
    if (extent <= least) {
        return chosen;
    }
    chosen.items[chosen.count++] = second;
    double most_left = extent * least, most_right = extent * least;
    int left = -1, right = -1;
    for (int i = 0; i < n; ++i) {
        const double area = heights[i] > td_dropped ? td_spanned(flat[first], flat[second], flat[i]) : 0;
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
        depths[i] = td_depth(choice, &choice->shortlist[i]);
        if (depths[i] > most) {
            depths[i] = fmin(depths[i], td_detour * td_distance_out(choice, &choice->shortlist[i]));
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
        for (; k > 0 && choice->shortlist[chosen->items[k - 1]].feature > choice->shortlist[item].feature;
             --k) {
            chosen->items[k] = chosen->items[k - 1];
        }
        chosen->items[k] = item;
    }
    bool any = false;
    for (int i = 0; i < chosen->count; ++i) {
        const int item = chosen->items[i];
        if (depths[item] >= 0) {
            td_emit(choice, &choice->shortlist[item], depths[item]);
            any = true;
        }
    }
    return any;
}

// Chooses among the shortlist; false if nothing can be used.
static bool td_emit_from_shortlist(const td_choice *choice) {
    td_vec3 flat[TD_SHORTLIST];
    double heights[TD_SHORTLIST];
    if (choice->shortlist_count == 0) {
        return false;
    }
    for (int i = 0; i < choice->shortlist_count; ++i) {
        flat[i] = td_flat(choice, choice->shortlist[i].point);
        heights[i] = td_height(choice, &choice->shortlist[i]);
    }
    td_drop_lower(choice, flat, heights);
    td_chosen chosen = td_choose_spread(choice, flat, heights);
    double depths[TD_SHORTLIST];
    for (int i = 0; i < chosen.count; ++i) {
        depths[chosen.items[i]] = td_depth(choice, &choice->shortlist[chosen.items[i]]);
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

td_result td_choose_contacts(td_choice *choice, td_vec3 normal) {
    td_set_axes(choice, normal);
    TD_TRY(td_array_reserve(choice->context, &choice->finder->contacts, TD_REGION_POINTS));
    td_shortlist_highest(choice);
    if (choice->region->reach >= 0.5 * TD_SMALL_REGION * choice->meeting->size) {
        const bool few = choice->order_count <= TD_SHORTLIST;
        const size_t stride = few ? 1 : choice->order_count / TD_PROBES;
        td_shortlist_central(choice);
        for (size_t i = 0; i < choice->order_count; i += stride) {
            td_shortlist(choice, td_candidate_at(choice, i));
        }
        choice->deep_count = choice->shortlist_count;
        if (!few) {
            td_shortlist_extremes(choice);
        }
    }
    TD_TRY(td_collect_facing(choice));
    if (!td_emit_from_shortlist(choice)) {
        td_emit_centre(choice);
    }
    return TD_OK;
}
