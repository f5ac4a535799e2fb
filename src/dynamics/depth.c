// How deep a point of one mesh is inside the other: by a ray along the normal of its region, out of the other
// mesh.
#include "../core/context.h"
#include "../core/error.h"
#include "choice.h"

#include <math.h>

static double td_least(double a, double b) {
    return a < b ? a : b;
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
    choice->finder->facing[side].items[choice->finder->facing[side].count++] = index;
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
    for (uint32_t side = 0; side < 2; ++side) {
        const size_t count = finder->facing[side].count;
        td_rays *rays = &finder->rays[side];
        rays->direction = td_scale(choice->normal, side == 1 ? -1 : 1);
        rays->facets.count = 0;
        TD_TRY(td_array_reserve(choice->context, &rays->facets, count / TD_RAY_FACETS + 1));
        td_rays_aim(rays, choice->context->isa, finder->facets.items[side].items, finder->facing[side].items,
                    count);
    }
    return TD_OK;
}

static double td_given(const td_choice *choice, const td_candidate *candidate) {
    return choice->given[candidate - choice->finder->patch.candidates.items];
}

double td_depth(const td_choice *choice, const td_candidate *candidate, double enough) {
    if (choice->given != NULL) {
        return td_given(choice, candidate);
    }
    const double depth = td_rays_cast(&choice->finder->rays[1 - candidate->side], choice->context->isa,
                                      candidate->point, enough);
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
    if (choice->given != NULL) {
        return td_given(choice, candidate);
    }
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
        least = td_square_to_facet(candidate->point, &facets[finder->facing[other].items[i]], least);
    }
    return sqrt(least);
}
