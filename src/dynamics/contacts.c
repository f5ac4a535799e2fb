#include "contacts.h"

#include "../core/context.h"
#include "../core/error.h"
#include "choice.h"

void td_contact_finder_release(td_contact_finder *finder, td_context *context) {
    td_array_release(context, &finder->crossings);
    td_facets_release(&finder->facets, context);
    td_region_scratch_release(&finder->scratch, context);
    td_array_release(context, &finder->regions);
    td_patch_release(&finder->patch, context);
    td_array_release(context, &finder->order);
    td_array_release(context, &finder->views);
    td_array_release(context, &finder->facing[0]);
    td_array_release(context, &finder->facing[1]);
    td_array_release(context, &finder->rays[0].facets);
    td_array_release(context, &finder->rays[1].facets);
    td_array_release(context, &finder->contacts);
}

td_result td_collect_crossings(td_contact_finder *finder, td_context *context, const td_meeting *meeting,
                               const td_pair *pairs, size_t count) {
    finder->crossings.count = 0;
    TD_TRY(td_array_reserve(context, &finder->crossings, count));
    TD_TRY(td_facets_collect(&finder->facets, context, meeting, pairs, count));
    finder->crossings.count =
        td_find_crossings(finder->crossings.items, context->isa, finder->facets.items[0].items,
                          finder->facets.items[1].items, finder->facets.numbers.items, count);
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
    TD_TRY(td_measure_regions(&finder->regions, &finder->crossings, &finder->scratch, context));
    TD_TRY(td_find_patch(&finder->patch, &finder->scratch, &finder->crossings, &finder->regions,
                         0.5 * TD_SMALL_REGION * meeting->size, &finder->facets, meeting, context));
    if (finder->scratch.united) {
        TD_TRY(td_measure_regions(&finder->regions, &finder->crossings, &finder->scratch, context));
    }
    td_find_region_normals(&finder->regions, &finder->crossings, &finder->facets, &finder->scratch);
    TD_TRY(td_order_candidates(finder, context));
    const uint32_t *first = finder->order.items + finder->patch.candidates.count;
    for (uint32_t r = 0; r < finder->regions.count; ++r) {
        const td_region *region = &finder->regions.items[r];
        td_choice choice;
        choice.finder = finder;
        choice.context = context;
        choice.meeting = meeting;
        choice.region = region;
        choice.given = NULL;
        choice.region_index = r;
        const bool told = td_dot(region->normal, region->normal) > 0;
        TD_TRY(td_choose_contacts(&choice, told ? region->normal : way, finder->order.items + first[r],
                                  first[r + 1] - first[r]));
    }
    return TD_OK;
}
