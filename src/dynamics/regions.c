#include "regions.h"

#include "../core/error.h"
#include "sets.h"

#include <math.h>

void td_region_scratch_release(td_region_scratch *scratch, td_context *context) {
    td_pierced_release(&scratch->edges, context);
    td_array_release(context, &scratch->loose);
    td_array_release(context, &scratch->spare);
    td_array_release(context, &scratch->parents);
    td_array_release(context, &scratch->order);
}

// ---------------------------------------------------------------------------------------------------------
// Joining

void td_unite_curves(td_region_scratch *scratch, uint32_t crossing, uint32_t other) {
    scratch->united = td_unite(scratch->parents.items, crossing, other) || scratch->united;
}

// Keys in the order of the numbers.
static uint64_t td_ordered(double x) {
    union {
        double value;
        uint64_t bits;
    } u = {x + 0.0}; // -0 becomes 0
    return u.bits >> 63 ? ~u.bits : u.bits | 1ull << 63;
}

// Joins ends that are at the same place, though not by the same edge and face: a sweep along x.
static void td_join_by_place(const td_crossings *crossings, td_region_scratch *scratch, double tolerance) {
    td_keyed *loose = scratch->loose.items;
    const size_t count = scratch->loose.count;
    td_sort_keyed(loose, scratch->spare.items, count);
    for (size_t i = 0; i < count; ++i) {
        const td_vec3 p = td_pierce_at(crossings, loose[i].index)->point;
        for (size_t j = i + 1; j < count; ++j) {
            const td_vec3 d = td_sub(td_pierce_at(crossings, loose[j].index)->point, p);
            if (d.x > tolerance) {
                break;
            }
            if (fabs(d.y) <= tolerance && fabs(d.z) <= tolerance) {
                td_unite_curves(scratch, loose[i].index >> 1, loose[j].index >> 1);
            }
        }
    }
}

td_result td_join_crossings(const td_crossings *crossings, td_region_scratch *scratch, td_context *context,
                            double tolerance) {
    const size_t n = crossings->count;
    scratch->parents.count = scratch->loose.count = scratch->spare.count = 0;
    TD_TRY(td_array_reserve(context, &scratch->parents, n));
    TD_TRY(td_array_reserve(context, &scratch->loose, 2 * n));
    TD_TRY(td_array_reserve(context, &scratch->spare, 2 * n));
    TD_TRY(td_pierced_start(&scratch->edges, context, n));
    for (uint32_t i = 0; i < n; ++i) {
        scratch->parents.items[i] = i;
        for (uint32_t end = 2 * i; end < 2 * i + 2; ++end) {
            const uint32_t other = td_pierced_enter(&scratch->edges, crossings, end);
            if (other != TD_NO_PIERCE) {
                td_unite_curves(scratch, other >> 1, i);
            }
        }
    }
    for (uint32_t end = 0; end < 2 * n; ++end) {
        if (!scratch->edges.met.items[end]) {
            scratch->loose.items[scratch->loose.count++] =
                (td_keyed){td_ordered(td_pierce_at(crossings, end)->point.x), end};
        }
    }
    if (scratch->loose.count > 1) {
        td_join_by_place(crossings, scratch, tolerance);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Measuring

// Faces in one plane that make up at least this part of the curve give the normal.
static const double td_flat_share = 0.45;
// Cosines: two faces are in one plane; a face is a candidate for the normal that the area gives.
static const double td_same_plane = 0.99999, td_near_normal = 0.95;
// A curve whose area is below this part of its squared length tells nothing by it.
static const double td_least_area = 1e-4;
// ... nor by its faces, if their normals cancel each other beyond this.
static const double td_least_facing = 0.3;

enum { TD_PLANES = 6 }; // a curve over more planes is not flat

typedef struct td_planes {
    td_vec3 normals[TD_PLANES];
    double lengths[TD_PLANES];
    int count;
} td_planes;

static void td_add_plane(td_planes *planes, td_vec3 normal, double length) {
    int k = 0;
    while (k < planes->count && td_dot(planes->normals[k], normal) < td_same_plane) {
        ++k;
    }
    if (k == TD_PLANES) {
        return;
    }
    if (k == planes->count) {
        planes->normals[planes->count++] = normal;
        planes->lengths[k] = 0;
    }
    planes->lengths[k] += length;
}

typedef struct td_measure {
    const td_crossings *crossings;
    const td_facets *facets;
    const td_region_scratch *scratch;
} td_measure;

// The normals of a crossing's triangles, both the way from a to b.
static void td_crossing_normals(td_vec3 out[2], const td_measure *measure, const td_crossing *c) {
    out[0] = measure->facets->items[0].items[c->facets[0]].normal;
    out[1] = td_scale(measure->facets->items[1].items[c->facets[1]].normal, -1);
}

// The normal of the plane that most of the curve lies in, if there is one near the guess.
static td_vec3 td_snap_normal(const td_measure *measure, const td_region *region, td_vec3 guess) {
    td_planes planes = {.count = 0};
    for (uint32_t i = 0; i < region->count && planes.count < TD_PLANES; ++i) {
        const td_crossing *c = td_region_crossing(measure->crossings, measure->scratch, region, i);
        td_vec3 normals[2];
        td_crossing_normals(normals, measure, c);
        for (int k = 0; k < 2; ++k) {
            if (td_dot(normals[k], guess) > td_near_normal) {
                td_add_plane(&planes, normals[k], c->length);
            }
        }
    }
    int best = -1;
    for (int k = 0; k < planes.count && planes.count < TD_PLANES; ++k) {
        if (planes.lengths[k] >= td_flat_share * region->length &&
            (best < 0 || planes.lengths[k] > planes.lengths[best])) {
            best = k;
        }
    }
    return best < 0 ? guess : planes.normals[best];
}

static void td_measure_region(td_region *region, const td_crossings *crossings,
                              const td_region_scratch *scratch) {
    td_vec3 sum = td_vec3_make(0, 0, 0);
    for (uint32_t i = 0; i < region->count; ++i) {
        const td_crossing *c = td_region_crossing(crossings, scratch, region, i);
        sum = td_add(sum, td_scale(td_add(c->ends[0].point, c->ends[1].point), 0.5 * c->length));
        region->length += c->length;
    }
    const td_crossing *first = td_region_crossing(crossings, scratch, region, 0);
    region->centre = region->length > 0 ? td_scale(sum, 1 / region->length) : first->ends[0].point;
    for (uint32_t i = 0; i < region->count; ++i) {
        const td_crossing *c = td_region_crossing(crossings, scratch, region, i);
        const td_vec3 p = td_sub(c->ends[0].point, region->centre);
        const double square = td_dot(p, p);
        region->reach = square > region->reach ? square : region->reach;
    }
    region->reach = sqrt(region->reach);
}

static void td_find_normal(td_region *region, const td_measure *measure) {
    td_vec3 facing = td_vec3_make(0, 0, 0), area = facing;
    for (uint32_t i = 0; i < region->count; ++i) {
        const td_crossing *c = td_region_crossing(measure->crossings, measure->scratch, region, i);
        const td_vec3 p = td_sub(c->ends[0].point, region->centre);
        const td_vec3 q = td_sub(c->ends[1].point, region->centre);
        td_vec3 normals[2];
        td_crossing_normals(normals, measure, c);
        area = td_add(area, td_cross(p, q));
        facing = td_add(facing, td_scale(td_add(normals[0], normals[1]), c->length));
    }
    const double area_size = 0.5 * td_length(area), facing_size = td_length(facing);
    if (area_size > td_least_area * region->length * region->length) {
        region->normal = td_snap_normal(measure, region, td_scale(area, 0.5 / area_size));
    } else if (facing_size > td_least_facing * region->length) {
        region->normal = td_snap_normal(measure, region, td_scale(facing, 1 / facing_size));
    } else {
        region->normal = td_vec3_make(0, 0, 0);
    }
}

void td_find_region_normals(td_regions *regions, const td_crossings *crossings, const td_facets *facets,
                            const td_region_scratch *scratch) {
    const td_measure measure = {crossings, facets, scratch};
    for (size_t r = 0; r < regions->count; ++r) {
        td_find_normal(&regions->items[r], &measure);
    }
}

td_result td_measure_regions(td_regions *regions, td_crossings *crossings, td_region_scratch *scratch,
                             td_context *context) {
    const size_t n = crossings->count;
    scratch->united = false;
    regions->count = scratch->order.count = 0;
    TD_TRY(td_array_reserve(context, &scratch->order, n));
    TD_TRY(td_array_reserve(context, regions, n));
    uint32_t *parents = scratch->parents.items;
    // A root comes before all that have it: its number is known when they ask for it.
    for (size_t i = 0; i < n; ++i) {
        const uint32_t root = td_lowest(parents, (uint32_t)i);
        if (root == i) {
            crossings->items[i].region = (uint32_t)regions->count;
            regions->items[regions->count++] = (td_region){.first = 0};
        } else {
            crossings->items[i].region = crossings->items[root].region;
        }
        ++regions->items[crossings->items[i].region].count;
    }
    uint32_t first = 0;
    for (size_t r = 0; r < regions->count; ++r) {
        regions->items[r].first = first;
        first += regions->items[r].count;
        regions->items[r].count = 0;
    }
    for (uint32_t i = 0; i < n; ++i) {
        td_region *region = &regions->items[crossings->items[i].region];
        scratch->order.items[region->first + region->count++] = i;
    }
    for (size_t r = 0; r < regions->count; ++r) {
        td_measure_region(&regions->items[r], crossings, scratch);
    }
    return TD_OK;
}
