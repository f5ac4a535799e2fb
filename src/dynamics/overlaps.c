// Bodies that overlap as they stand: what a scene should not start with.
#include "../core/error.h"
#include "../query/pose.h"
#include "world.h"

#include <math.h>

// Of the smaller body's radius: what is less deep only touches.
static const double td_mere_touch = 0.001;

static td_result td_is_overlap(bool *out, td_world *world, td_pair bodies, size_t question) {
    const td_body *a = &world->bodies.items[bodies.a], *b = &world->bodies.items[bodies.b];
    const td_collide_result *answer = &world->answers.items[question];
    td_contact_finder *finder = &world->finders[0];
    *out = answer->inside != TD_INSIDE_NONE;
    if (!answer->colliding) {
        return TD_OK;
    }
    const td_meeting meeting = {.surfaces = {a->surface, b->surface},
                                .rigid = td_pose_rigid(&world->object_pairs.items[question].pose),
                                .size = fmin(a->surface->radius, b->surface->radius)};
    finder->contacts.count = 0;
    TD_TRY(td_find_contacts(finder, world->context, &meeting, answer->pairs, answer->pair_count,
                            td_vec3_make(0, 1, 0)));
    for (size_t i = 0; i < finder->contacts.count; ++i) {
        *out = *out || finder->contacts.items[i].depth > td_mere_touch * meeting.size;
    }
    return TD_OK;
}

static td_result td_list_bounding_pairs(td_world *world) {
    for (uint32_t i = 0; i < world->bodies.count; ++i) {
        const td_body *body = &world->bodies.items[i];
        if (body->alive && body->kind != TD_BODY_STATIC && !td_is_soft(body)) {
            TD_TRY(td_broad_move(world->broad, i, td_bounds_at(body, &body->at)));
        }
    }
    TD_TRY(td_broad_update(world->broad));
    const td_broad_pairs pairs = td_broad_last_report(world->broad).pairs;
    world->object_pairs.count = world->answers.count = world->overlaps.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->object_pairs, pairs.count));
    TD_TRY(td_array_reserve(world->context, &world->answers, pairs.count));
    TD_TRY(td_array_reserve(world->context, &world->overlaps, pairs.count));
    for (size_t i = 0; i < pairs.count; ++i) {
        const td_body *a = &world->bodies.items[pairs.items[i].a],
                      *b = &world->bodies.items[pairs.items[i].b];
        world->object_pairs.items[i] =
            (td_object_pair){a->surface->mesh, b->surface->mesh, td_relative_pose(a, &a->at, b, &b->at)};
    }
    return TD_OK;
}

td_result td_find_overlaps(const td_touch **out, size_t *count, td_world *world) {
    *out = NULL;
    *count = 0;
    TD_TRY(td_list_bounding_pairs(world));
    const td_broad_pairs pairs = td_broad_last_report(world->broad).pairs;
    if (pairs.count > 0) {
        const td_collide_def def = td_default_collide_def();
        TD_TRY(td_collide_pairs(world->answers.items, world->query, world->object_pairs.items, pairs.count,
                                &def));
    }
    for (size_t i = 0; i < pairs.count; ++i) {
        const td_pair p = pairs.items[i];
        bool overlap = td_is_dynamic(&world->bodies.items[p.a]) || td_is_dynamic(&world->bodies.items[p.b]);
        if (overlap) {
            TD_TRY(td_is_overlap(&overlap, world, p, i));
        }
        if (overlap) {
            world->overlaps.items[world->overlaps.count++] =
                (td_touch){td_id_of(world, p.a), td_id_of(world, p.b)};
        }
    }
    TD_TRY(td_find_soft_overlaps(world));
    *out = world->overlaps.items;
    *count = world->overlaps.count;
    return TD_OK;
}
