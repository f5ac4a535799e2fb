// From bodies to links: where everything is going, and the broad phase.
#include "../core/error.h"
#include "chunks.h"
#include "world.h"

#include <math.h>

static td_box td_grow(td_box box, double by) {
    const td_vec3 d = td_vec3_make(by, by, by);
    return (td_box){td_sub(box.lower, d), td_add(box.upper, d)};
}

static td_box td_box_around(td_box a, td_box b) {
    return (td_box){
        td_vec3_make(fmin(a.lower.x, b.lower.x), fmin(a.lower.y, b.lower.y), fmin(a.lower.z, b.lower.z)),
        td_vec3_make(fmax(a.upper.x, b.upper.x), fmax(a.upper.y, b.upper.y), fmax(a.upper.z, b.upper.z))};
}

// Soft bodies go their own way.
static bool td_moves(const td_body *body) {
    return body->alive && body->kind != TD_BODY_STATIC && !td_is_soft(body) && body->awake;
}

static void td_predict_bodies(size_t first, size_t end, void *user) {
    td_world *world = user;
    for (size_t i = first; i < end; ++i) {
        td_body *body = &world->bodies.items[i];
        if (td_moves(body)) {
            td_sample(body, td_placement_after(body, world->pass_time));
            body->bounds = td_sampled_bounds(body);
        }
    }
}

// Holds the body all the way from where it is to where it is sampled: a point is off its path without the
// turn by no more than the arc of the turn.
static td_box td_swept_bounds(const td_body *body, double step) {
    const td_vec3 back = td_scale(body->velocity, -step);
    const td_box began = {td_add(body->bounds.lower, back), td_add(body->bounds.upper, back)};
    const double arc = td_length(body->spin) * body->surface->radius * step;
    return td_grow(td_box_around(body->bounds, began), arc);
}

// Bodies are sampled where their velocity takes them, without what the coming forces may add: at rest that is
// where they are, in flight nearly where they will be. What would overlap there is held back before it does.
td_result td_predict(td_world *world) {
    td_run_chunks(world->context, td_predict_bodies, world->bodies.count, world);
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        const td_body *body = &world->bodies.items[i];
        if (td_moves(body)) {
            const td_box bounds = td_swept_bounds(body, world->pass_time);
            const td_vec3 sum = td_add(bounds.lower, bounds.upper); // of NaN or infinite bounds: neither
            TD_TRY(isfinite(sum.x + sum.y + sum.z) ? TD_OK : td_fail_numbers(world, i));
            TD_TRY(td_broad_move(world->broad, i, bounds));
        }
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

// Whether a step can change anything between the two.
static bool td_is_active(const td_body *a, const td_body *b) {
    if (!td_is_dynamic(a) && !td_is_dynamic(b)) {
        return false;
    }
    return td_moves(a) || td_moves(b) || a->placed || b->placed;
}

static bool td_same_bodies(const td_world *world, const td_link *link) {
    return world->bodies.items[link->a].generation == link->generations[0] &&
           world->bodies.items[link->b].generation == link->generations[1];
}

static int td_compare_links(const td_link *link, td_pair pair) {
    return link->a != pair.a   ? (link->a < pair.a ? -1 : 1)
           : link->b != pair.b ? (link->b < pair.b ? -1 : 1)
                               : 0;
}

static void td_end_link(td_world *world, td_link *link) {
    if (link->touching) {
        world->ended.items[world->ended.count++] =
            (td_touch){{link->a + 1, link->generations[0]}, {link->b + 1, link->generations[1]}};
    }
    td_near_release(&world->pasts.items[link->past].list, world->context);
    world->free_pasts.items[world->free_pasts.count++] = link->past;
}

static uint32_t td_new_past(td_world *world) {
    const uint32_t past = world->free_pasts.count > 0 ? world->free_pasts.items[--world->free_pasts.count]
                                                      : (uint32_t)world->pasts.count++;
    world->pasts.items[past] = (td_link_past){0};
    return past;
}

static td_link td_new_link(td_world *world, td_pair pair) {
    return (td_link){
        .a = pair.a,
        .b = pair.b,
        .generations = {world->bodies.items[pair.a].generation, world->bodies.items[pair.b].generation},
        .past = td_new_past(world),
        .margin = -1};
}

static void td_begin_link(const td_world *world, td_link *link, bool known) {
    link->known = known;
    link->was_touching = link->touching;
    link->active = td_is_active(&world->bodies.items[link->a], &world->bodies.items[link->b]);
}

// Whether the links there are are those of the pairs.
static bool td_are_followed(const td_world *world, td_broad_pairs pairs) {
    bool same = pairs.count == world->links.count;
    for (size_t i = 0; same && i < pairs.count; ++i) {
        const td_link *link = &world->links.items[i];
        same = td_compare_links(link, pairs.items[i]) == 0 && td_same_bodies(world, link);
    }
    return same;
}

// The new links in the order of the pairs; what is known of a pair that was there before goes over.
static void td_follow_pairs(td_world *world, td_broad_pairs pairs) {
    size_t old = 0;
    for (size_t i = 0; i < pairs.count; ++i) {
        const td_pair pair = pairs.items[i];
        td_link *before = NULL;
        for (; old < world->old_links.count; ++old) {
            td_link *link = &world->old_links.items[old];
            const int order = td_compare_links(link, pair);
            if (order > 0) {
                break;
            }
            if (order == 0 && td_same_bodies(world, link)) {
                before = link;
                ++old;
                break;
            }
            td_end_link(world, link);
        }
        td_link *link = &world->links.items[world->links.count++];
        if (before != NULL) {
            *link = *before;
        } else {
            *link = td_new_link(world, pair);
        }
        td_begin_link(world, link, before != NULL);
    }
    for (; old < world->old_links.count; ++old) {
        td_end_link(world, &world->old_links.items[old]);
    }
    world->old_links.count = 0;
}

td_result td_update_links(td_world *world) {
    TD_TRY(td_broad_update(world->broad));
    const td_broad_pairs pairs = td_broad_last_report(world->broad).pairs;
    world->report.broad_pairs = pairs.count;
    // All memory first: from here on nothing can fail, and nothing is lost.
    world->old_links.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->old_links, pairs.count));
    TD_TRY(td_array_reserve(world->context, &world->pasts, pairs.count)); // at most so many are new
    TD_TRY(td_array_reserve(world->context, &world->free_pasts, world->pasts.count + pairs.count));
    TD_TRY(td_array_reserve(world->context, &world->ended, world->links.count + pairs.count));
    TD_TRY(td_array_reserve(world->context, &world->began, pairs.count));
    const td_contact_points points = world->old_points;
    world->old_points = world->points;
    world->points = points;
    world->points.count = 0;
    if (td_are_followed(world, pairs)) { // most often, once things have come to rest
        for (size_t i = 0; i < world->links.count; ++i) {
            td_begin_link(world, &world->links.items[i], true);
        }
        return TD_OK;
    }
    const td_links spare = world->old_links;
    world->old_links = world->links;
    world->links = spare;
    td_follow_pairs(world, pairs);
    return TD_OK;
}
