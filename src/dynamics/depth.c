// How deep a point of one mesh is inside the other: by a ray along the normal of its region, out of the other
// mesh.
#include "../core/error.h"
#include "choice.h"

#include <math.h>

// How far beside a triangle a ray may pass and still meet it, in parts of its sides: there is no gap between
// two.
static const double td_rim = 1e-6;

static double td_least(double a, double b) {
    return a < b ? a : b;
}

static double td_most(double a, double b) {
    return a > b ? a : b;
}

static td_shadow td_shadow_of(const td_choice *choice, const td_facet *facet, uint32_t index) {
    const td_vec3 p = td_flat(choice, td_facet_corner(facet, 0)),
                  q = td_flat(choice, td_facet_corner(facet, 1)),
                  r = td_flat(choice, td_facet_corner(facet, 2));
    td_shadow shadow = {.low = {td_least(td_least(p.x, q.x), r.x), td_least(td_least(p.y, q.y), r.y)},
                        .high = {td_most(td_most(p.x, q.x), r.x), td_most(td_most(p.y, q.y), r.y)},
                        .facet = index};
    for (int k = 0; k < 2; ++k) { // a ray meets a little more than the triangle
        const double rim = 4 * td_rim * (shadow.high[k] - shadow.low[k]) + 1e-12 * choice->meeting->size;
        shadow.low[k] -= rim;
        shadow.high[k] += rim;
    }
    return shadow;
}

static td_result td_add_facing(td_choice *choice, uint32_t side, uint32_t index) {
    td_facet *facet = &choice->finder->facets.items[side].items[index];
    if (facet->listed == choice->region_index + 1) {
        return TD_OK;
    }
    facet->listed = choice->region_index + 1;
    const double facing = td_dot(facet->normal, choice->normal);
    if (side == 0 ? facing < 0.02 : facing > -0.02) {
        return TD_OK;
    }
    TD_TRY(td_array_reserve(choice->context, &choice->finder->facing[side], 1));
    choice->finder->facing[side].items[choice->finder->facing[side].count++] =
        td_shadow_of(choice, facet, index);
    return TD_OK;
}

td_result td_collect_facing(td_choice *choice) {
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

double td_depth(const td_choice *choice, const td_candidate *candidate, double enough) {
    const uint32_t other = 1 - candidate->side;
    const td_vec3 out = td_scale(choice->normal, candidate->side == 0 ? -1 : 1);
    const td_vec3 flat = td_flat(choice, candidate->point);
    double depth = INFINITY;
    for (size_t i = 0; i < choice->finder->facing[other].count; ++i) {
        const td_shadow *shadow = &choice->finder->facing[other].items[i];
        // Not one by one: most are missed, on any side.
        if ((flat.x < shadow->low[0]) | (flat.x > shadow->high[0]) | (flat.y < shadow->low[1]) |
            (flat.y > shadow->high[1])) {
            continue;
        }
        const double at =
            td_ray_meets(candidate->point, out, &choice->finder->facets.items[other].items[shadow->facet]);
        if (at >= 0 && at < depth) {
            depth = at;
            if (depth <= enough) {
                break;
            }
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
// Distance

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
        rim = td_least(rim, td_square_to_segment(p, from, way));
    }
    return above ? height * height : rim;
}

double td_distance_out(const td_choice *choice, const td_candidate *candidate, double low, double high) {
    td_contact_finder *finder = choice->finder;
    const uint32_t other = 1 - candidate->side;
    const td_facet *facets = finder->facets.items[other].items;
    const double enough = (1 - 1e-9) * low * low;
    double least = (1 + 1e-9) * high * high;
    for (uint32_t i = 0; i < choice->region->count && least >= enough; ++i) {
        const td_crossing *c = td_region_crossing(&finder->crossings, &finder->scratch, choice->region, i);
        least = td_square_to_facet(candidate->point, &facets[c->facets[other]], least);
    }
    for (size_t i = 0; i < finder->facing[other].count && least >= enough; ++i) {
        least = td_square_to_facet(candidate->point, &facets[finder->facing[other].items[i].facet], least);
    }
    return sqrt(least);
}
