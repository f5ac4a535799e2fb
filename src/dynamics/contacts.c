#include "contacts.h"

#include "../core/error.h"

#include <math.h>

// A region that is smaller than this part of the body gets one point: two so near each other cannot hold it
// any better.
static const double td_small_region = 0.04;

enum {
    TD_SHORTLIST = 24,
    TD_DIRECTIONS = 8,
    TD_PROBES = 8 // candidates of a large region whose depth is looked at, wherever they are
};

void td_contact_finder_release(td_contact_finder *finder, td_context *context) {
    td_array_release(context, &finder->crossings);
    td_facets_release(&finder->facets, context);
    td_region_scratch_release(&finder->scratch, context);
    td_array_release(context, &finder->regions);
    td_patch_release(&finder->patch, context);
    td_array_release(context, &finder->order);
    td_array_release(context, &finder->facing[0]);
    td_array_release(context, &finder->facing[1]);
    td_array_release(context, &finder->contacts);
}

static td_result td_collect_crossings(td_contact_finder *finder, td_context *context,
                                      const td_meeting *meeting, const td_pair *pairs, size_t count) {
    finder->crossings.count = 0;
    TD_TRY(td_array_reserve(context, &finder->crossings, count));
    TD_TRY(td_facets_start(&finder->facets, context, meeting));
    for (size_t i = 0; i < count; ++i) {
        uint32_t a, b;
        TD_TRY(td_facets_get(&a, &finder->facets, context, meeting, 0, pairs[i].a));
        TD_TRY(td_facets_get(&b, &finder->facets, context, meeting, 1, pairs[i].b));
        td_crossing *crossing = &finder->crossings.items[finder->crossings.count];
        if (td_find_crossing(crossing, &finder->facets.items[0].items[a],
                             &finder->facets.items[1].items[b])) {
            crossing->facets[0] = a;
            crossing->facets[1] = b;
            ++finder->crossings.count;
        }
    }
    return TD_OK;
}

// A sheet has no inside. It is met from the side where the other body has its bulk: whether that is behind
// most of the triangles that intersect.
static bool td_is_met_from_behind(const td_meeting *meeting, uint32_t side, const td_pair *pairs,
                                  size_t count) {
    const td_surface *surface = meeting->surfaces[side], *other = meeting->surfaces[1 - side];
    const td_trimesh *mesh = &surface->mesh->triangles;
    if (mesh->closed) {
        return false;
    }
    const td_rigid *m = &meeting->rigid; // b -> a
    const td_vec3 d = td_sub(other->centre, m->position);
    const td_vec3 centre =
        side == 1 ? td_add(td_add(td_scale(m->row0, d.x), td_scale(m->row1, d.y)), td_scale(m->row2, d.z))
                  : td_rigid_apply(*m, other->centre);
    double height = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t triangle = side == 0 ? pairs[i].a : pairs[i].b;
        const td_vec3 corner = td_trimesh_vertex(mesh, mesh->indices[3 * (size_t)triangle]);
        height += td_dot(surface->normals[triangle], td_sub(centre, corner));
    }
    return height < 0;
}

// Counting sort of the candidates by region; `first` of region r ends up in order[candidates + r].
static td_result td_order_candidates(td_contact_finder *finder, td_context *context) {
    const size_t candidates = finder->patch.candidates.count, regions = finder->regions.count;
    finder->order.count = 0;
    TD_TRY(td_array_reserve(context, &finder->order, candidates + regions + 1));
    uint32_t *order = finder->order.items, *first = order + candidates;
    for (size_t r = 0; r <= regions; ++r) {
        first[r] = 0;
    }
    const td_candidate *items = finder->patch.candidates.items;
    for (size_t i = 0; i < candidates; ++i) {
        ++first[finder->crossings.items[items[i].crossing].region];
    }
    uint32_t sum = 0;
    for (size_t r = 0; r <= regions; ++r) {
        sum += first[r];
        first[r] = sum;
    }
    for (size_t i = candidates; i-- > 0;) {
        order[--first[finder->crossings.items[items[i].crossing].region]] = (uint32_t)i;
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// One region

typedef struct td_choice {
    td_contact_finder *finder;
    td_context *context;
    const td_meeting *meeting;
    const td_region *region;
    uint32_t region_index;
    td_vec3 normal, across, along; // orthonormal
    const uint32_t *order;         // candidates of the region
    size_t order_count;
    td_candidate shortlist[TD_SHORTLIST];
    int shortlist_count;
    int deep_count; // the first of the shortlist: those that are likely to be deepest
} td_choice;

// How far a candidate has got into the other mesh, roughly: along the normal, from the curve.
static double td_height(const td_choice *choice, const td_candidate *candidate) {
    const double h = td_dot(choice->normal, td_sub(candidate->point, choice->region->centre));
    return candidate->side == 0 ? h : -h;
}

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

static td_vec3 td_flat(const td_choice *choice, td_vec3 p) {
    const td_vec3 d = td_sub(p, choice->region->centre);
    return td_vec3_make(td_dot(choice->across, d), td_dot(choice->along, d), 0);
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
// Depth

// How far beside a triangle a ray may pass and still meet it, in parts of its sides: there is no gap between
// two.
static const double td_rim = 1e-6;

static td_shadow td_shadow_of(const td_choice *choice, const td_facet *facet, uint32_t index) {
    td_shadow shadow = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}, .facet = index};
    for (int k = 0; k < 3; ++k) {
        const td_vec3 p = td_flat(choice, td_facet_corner(facet, k));
        shadow.low[0] = fmin(shadow.low[0], p.x);
        shadow.low[1] = fmin(shadow.low[1], p.y);
        shadow.high[0] = fmax(shadow.high[0], p.x);
        shadow.high[1] = fmax(shadow.high[1], p.y);
    }
    for (int k = 0; k < 2; ++k) { // a ray meets a little more than the triangle
        const double rim = 4 * td_rim * (shadow.high[k] - shadow.low[k]) + 1e-12 * choice->meeting->size;
        shadow.low[k] -= rim;
        shadow.high[k] += rim;
    }
    return shadow;
}

static td_result td_add_facing(td_choice *choice, uint32_t side, uint32_t index) {
    td_facet *facet = &choice->finder->facets.items[side].items[index];
    const double facing = td_dot(facet->normal, choice->normal);
    if (facet->listed == choice->region_index + 1 || (side == 0 ? facing < 0.02 : facing > -0.02)) {
        return TD_OK;
    }
    facet->listed = choice->region_index + 1;
    TD_TRY(td_array_reserve(choice->context, &choice->finder->facing[side], 1));
    choice->finder->facing[side].items[choice->finder->facing[side].count++] =
        td_shadow_of(choice, facet, index);
    return TD_OK;
}

// The triangles of the region that face the other mesh along the normal, each once.
static td_result td_collect_facing(td_choice *choice) {
    td_contact_finder *finder = choice->finder;
    finder->facing[0].count = finder->facing[1].count = 0;
    for (uint32_t i = 0; i < choice->region->count; ++i) {
        const td_crossing *c = td_region_crossing(&finder->crossings, &finder->scratch, choice->region, i);
        TD_TRY(td_add_facing(choice, 0, c->facets[0]));
        TD_TRY(td_add_facing(choice, 1, c->facets[1]));
    }
    for (size_t i = 0; i < finder->patch.triangles.count; ++i) {
        const td_patch_triangle *t = &finder->patch.triangles.items[i];
        if (finder->crossings.items[t->crossing].region == choice->region_index) {
            uint32_t index;
            TD_TRY(td_facets_get(&index, &finder->facets, choice->context, choice->meeting, t->side,
                                 t->triangle));
            TD_TRY(td_add_facing(choice, t->side, index));
        }
    }
    return TD_OK;
}

// Where a ray meets a triangle; negative if it does not.
static double td_ray_meets(td_vec3 from, td_vec3 direction, const td_facet *t) {
    const double rim = td_rim;
    const td_vec3 corner = td_facet_corner(t, 0);
    const td_vec3 e1 = td_sub(td_facet_corner(t, 1), corner), e2 = td_sub(td_facet_corner(t, 2), corner);
    const td_vec3 p = td_cross(direction, e2);
    const double det = td_dot(e1, p);
    if (det == 0) {
        return -1;
    }
    const double inverse = 1 / det;
    const td_vec3 s = td_sub(from, corner);
    const double u = td_dot(s, p) * inverse;
    if (u < -rim || u > 1 + rim) {
        return -1;
    }
    const td_vec3 q = td_cross(s, e1);
    const double v = td_dot(direction, q) * inverse;
    return v < -rim || u + v > 1 + rim ? -1 : td_dot(e2, q) * inverse;
}

// How far a candidate is inside, along the normal; negative: not to be used.
static double td_depth(const td_choice *choice, const td_candidate *candidate) {
    const uint32_t other = 1 - candidate->side;
    const td_vec3 out = td_scale(choice->normal, candidate->side == 0 ? -1 : 1);
    const td_vec3 flat = td_flat(choice, candidate->point);
    double depth = INFINITY;
    for (size_t i = 0; i < choice->finder->facing[other].count; ++i) {
        const td_shadow *shadow = &choice->finder->facing[other].items[i];
        if (flat.x < shadow->low[0] || flat.x > shadow->high[0] || flat.y < shadow->low[1] ||
            flat.y > shadow->high[1]) {
            continue;
        }
        const double at =
            td_ray_meets(candidate->point, out, &choice->finder->facets.items[other].items[shadow->facet]);
        if (at >= 0 && at < depth) {
            depth = at;
        }
    }
    if (depth < INFINITY) {
        return depth;
    }
    // The way out leads past the patch: the height above the curve is what there is to say, of points beside
    // the curve.
    const double height = td_height(choice, candidate);
    return candidate->reached || height < 0 ? -1 : fmin(height, choice->region->length);
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
    const double near = td_small_region * choice->meeting->size, same = 1e-9 * choice->meeting->size;
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
    const double extent = td_length(d), least = td_small_region * choice->meeting->size;
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

static double td_clamp(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// The square of the distance between a point and a segment from `from` along `way`.
static double td_square_to_segment(td_vec3 p, td_vec3 from, td_vec3 way) {
    const double length = td_dot(way, way);
    const double t = length > 0 ? td_clamp(td_dot(td_sub(p, from), way) / length) : 0;
    const td_vec3 d = td_sub(p, td_add(from, td_scale(way, t)));
    return td_dot(d, d);
}

// The square of the distance between a point and a triangle, if it is below `least`; else that.
static double td_square_to_facet(td_vec3 p, const td_facet *t, double least) {
    const double height = td_dot(t->normal, p) - t->offset;
    if (height * height >= least) {
        return least; // no point of the plane is nearer
    }
    bool above = true; // the face, rather than beside it
    double rim = least;
    for (int k = 0; k < 3; ++k) {
        const td_vec3 from = td_facet_corner(t, k), way = td_sub(td_facet_corner(t, k + 1), from);
        above = above && td_dot(td_cross(way, td_sub(p, from)), t->normal) >= 0;
        rim = fmin(rim, td_square_to_segment(p, from, way));
    }
    return above ? height * height : rim;
}

// The distance of a candidate from the other surface, as far as the region knows it (m).
static double td_distance_out(const td_choice *choice, const td_candidate *candidate) {
    td_contact_finder *finder = choice->finder;
    const uint32_t other = 1 - candidate->side;
    const td_facet *facets = finder->facets.items[other].items;
    double least = INFINITY;
    for (uint32_t i = 0; i < choice->region->count; ++i) {
        const td_crossing *c = td_region_crossing(&finder->crossings, &finder->scratch, choice->region, i);
        least = td_square_to_facet(candidate->point, &facets[c->facets[other]], least);
    }
    for (size_t i = 0; i < finder->facing[other].count; ++i) {
        least = td_square_to_facet(candidate->point, &facets[finder->facing[other].items[i].facet], least);
    }
    return sqrt(least);
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

static td_result td_choose(td_choice *choice) {
    TD_TRY(td_array_reserve(choice->context, &choice->finder->contacts, TD_REGION_POINTS));
    td_shortlist_highest(choice);
    if (choice->region->reach >= 0.5 * td_small_region * choice->meeting->size) {
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

td_result td_find_contacts(td_contact_finder *finder, td_context *context, const td_meeting *given,
                           const td_pair *pairs, size_t pair_count, td_vec3 way) {
    td_meeting sided = *given;
    sided.flipped[0] = td_is_met_from_behind(given, 0, pairs, pair_count);
    sided.flipped[1] = td_is_met_from_behind(given, 1, pairs, pair_count);
    const td_meeting *meeting = &sided;
    TD_TRY(td_collect_crossings(finder, context, meeting, pairs, pair_count));
    if (finder->crossings.count == 0) {
        return TD_OK;
    }
    TD_TRY(td_join_crossings(&finder->crossings, &finder->scratch, context, 1e-7 * meeting->size));
    TD_TRY(
        td_measure_regions(&finder->regions, &finder->crossings, &finder->facets, &finder->scratch, context));
    TD_TRY(td_find_patch(&finder->patch, &finder->scratch, &finder->crossings, &finder->regions,
                         0.5 * td_small_region * meeting->size, &finder->facets, meeting, context));
    if (finder->scratch.united) {
        TD_TRY(td_measure_regions(&finder->regions, &finder->crossings, &finder->facets, &finder->scratch,
                                  context));
    }
    TD_TRY(td_order_candidates(finder, context));
    const uint32_t *first = finder->order.items + finder->patch.candidates.count;
    for (uint32_t r = 0; r < finder->regions.count; ++r) {
        const td_region *region = &finder->regions.items[r];
        td_choice choice = {.finder = finder,
                            .context = context,
                            .meeting = meeting,
                            .region = region,
                            .region_index = r,
                            .order = finder->order.items + first[r],
                            .order_count = first[r + 1] - first[r]};
        td_set_axes(&choice, td_dot(region->normal, region->normal) > 0 ? region->normal : way);
        TD_TRY(td_choose(&choice));
    }
    return TD_OK;
}
