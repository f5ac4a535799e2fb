// Points that are pushed the same way make up a manifold, of which a few become contacts: those that the
// choice of regions (choice.c) would take.
#include "choice.h"
#include "narrow_rays.h"

#include "../core/error.h"

#include <math.h>

// The cosine between the normals of a manifold's points and that of its deepest one, at least.
static const double td_same_way = 0.9;

enum { TD_MOST_MANIFOLDS = 16 }; // of a pair; deepest first

static td_result td_reserve_manifolds(td_ray_bench *bench, td_contact_finder *finder, td_context *context) {
    const size_t count = bench->points.count;
    bench->depths.count = bench->order.count = bench->taken.count = 0;
    finder->patch.candidates.count = 0;
    TD_TRY(td_array_reserve(context, &bench->depths, count));
    TD_TRY(td_array_reserve(context, &bench->order, count));
    TD_TRY(td_array_reserve(context, &bench->taken, count));
    TD_TRY(td_array_reserve(context, &finder->patch.candidates, count));
    for (size_t i = 0; i < count; ++i) {
        const td_traced_point *p = &bench->points.items[i];
        bench->taken.items[i] = 0;
        bench->depths.items[i] = p->depth;
        finder->patch.candidates.items[i] =
            (td_candidate){.point = p->point, .feature = p->feature, .side = p->side, .reached = p->vertex};
    }
    finder->patch.candidates.count = count;
    return TD_OK;
}

// The deepest point that is in no manifold yet; the first of equals. The count of points: there is none.
static size_t td_deepest_left(const td_ray_bench *bench) {
    size_t best = bench->points.count;
    for (size_t i = 0; i < bench->points.count; ++i) {
        if (!bench->taken.items[i] &&
            (best == bench->points.count || bench->points.items[i].depth > bench->points.items[best].depth)) {
            best = i;
        }
    }
    return best;
}

// Takes the points that go with the seed; the region that they make up.
static td_region td_gather_manifold(td_ray_bench *bench, size_t seed) {
    const td_traced_point *points = bench->points.items;
    td_region region = {0};
    td_vec3 normal = td_vec3_make(0, 0, 0), centre = normal;
    bench->order.count = 0;
    for (size_t i = 0; i < bench->points.count; ++i) {
        if (!bench->taken.items[i] && td_dot(points[i].normal, points[seed].normal) >= td_same_way) {
            bench->taken.items[i] = 1;
            bench->order.items[bench->order.count++] = (uint32_t)i;
            normal = td_add(normal, points[i].normal);
            centre = td_add(centre, points[i].point);
        }
    }
    region.normal = td_scale(normal, 1 / td_length(normal));
    region.centre = td_scale(centre, 1 / (double)bench->order.count);
    for (size_t i = 0; i < bench->order.count; ++i) {
        const td_vec3 d = td_sub(points[bench->order.items[i]].point, region.centre);
        region.reach = fmax(region.reach, td_length(d));
    }
    return region;
}

td_result td_make_manifolds(td_ray_bench *bench, td_contact_finder *finder, td_context *context,
                            const td_meeting *meeting) {
    TD_TRY(td_reserve_manifolds(bench, finder, context));
    for (uint32_t r = 0; r < TD_MOST_MANIFOLDS; ++r) {
        const size_t seed = td_deepest_left(bench);
        if (seed == bench->points.count) {
            return TD_OK;
        }
        const td_region region = td_gather_manifold(bench, seed);
        td_choice choice;
        choice.finder = finder;
        choice.context = context;
        choice.meeting = meeting;
        choice.region = &region;
        choice.given = bench->depths.items;
        choice.region_index = r;
        TD_TRY(td_choose_contacts(&choice, region.normal, bench->order.items, bench->order.count));
    }
    return TD_OK;
}
