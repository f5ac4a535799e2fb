// Contacts of a step: found from the triangles of each link, matched with those of the step before, so that
// the solver can begin where it ended.
#include "../core/context.h"
#include "../core/error.h"
#include "../query/pose.h"
#include "world.h"

#include <math.h>
#include <stdatomic.h>

enum { TD_LINKS_PER_CHUNK = 8 };

// Of the smaller body's radius: a contact that moved less on the surface is the same one.
static const double td_same_place = 0.02;

typedef struct td_contact_job {
    td_world *world;
    atomic_size_t next;
    _Atomic(td_result) result;
} td_contact_job;

// From a to b in a's frame, where the surfaces do not tell.
static td_vec3 td_way_of(const td_body *a, const td_body *b, const td_link *link) {
    td_vec3 way = link->way;
    if (td_dot(way, way) == 0) {
        way = td_sub(b->sampled.position, a->sampled.position);
    }
    const double length = td_length(way);
    way = length > 0 ? td_scale(way, 1 / length) : td_vec3_make(0, 1, 0);
    return td_mat3_unapply(a->turn, way);
}

// One body lies inside the other: a contact at its centre that pushes it out.
static td_result td_add_swallowed(td_contact_finder *finder, td_context *context, const td_meeting *meeting,
                                  td_inside inside, td_vec3 way) {
    TD_TRY(td_array_reserve(context, &finder->contacts, 1));
    const td_vec3 centre = inside == TD_INSIDE_A_IN_B
                               ? meeting->surfaces[0]->centre
                               : td_rigid_apply(meeting->rigid, meeting->surfaces[1]->centre);
    finder->contacts.items[finder->contacts.count++] =
        (td_found_contact){.point = centre, .normal = way, .depth = meeting->size, .feature = 6ull << 60};
    return TD_OK;
}

static td_result td_answer_to_contacts(td_world *world, size_t question, uint32_t worker) {
    td_question_place *place = &world->questions.items[question];
    const td_collide_result *answer = &world->answers.items[question];
    const td_link *link = &world->links.items[place->link];
    const td_body *a = &world->bodies.items[link->a], *b = &world->bodies.items[link->b];
    td_contact_finder *finder = &world->finders[worker];
    place->worker = worker;
    place->first = finder->contacts.count;
    place->count = 0;
    if (!answer->colliding && answer->inside == TD_INSIDE_NONE) {
        return TD_OK;
    }
    const td_meeting meeting = {.surfaces = {a->surface, b->surface},
                                .rigid = td_pose_rigid(&world->object_pairs.items[question].pose),
                                .size = fmin(a->surface->radius, b->surface->radius)};
    const td_vec3 way = td_way_of(a, b, link);
    if (answer->colliding && world->rays != NULL) {
        TD_TRY(td_find_contacts_by_rays(world->rays, question, worker, finder, world->context, &meeting,
                                        answer->pairs, answer->pair_count, way));
    } else if (answer->colliding) {
        TD_TRY(td_find_contacts(finder, world->context, &meeting, answer->pairs, answer->pair_count, way));
    } else {
        TD_TRY(td_add_swallowed(finder, world->context, &meeting, answer->inside, way));
    }
    place->count = finder->contacts.count - place->first;
    return TD_OK;
}

static void td_contact_task(uint32_t worker, void *payload) {
    td_contact_job *job = payload;
    const size_t count = job->world->questions.count;
    for (;;) {
        const size_t first = atomic_fetch_add(&job->next, TD_LINKS_PER_CHUNK);
        for (size_t i = first; i < first + TD_LINKS_PER_CHUNK; ++i) {
            if (i >= count) {
                return;
            }
            const td_result result = td_answer_to_contacts(job->world, i, worker);
            if (result != TD_OK) {
                atomic_store(&job->result, result);
                return;
            }
        }
    }
}

static td_result td_find_all_contacts(td_world *world) {
    td_contact_job job = {.world = world};
    for (uint32_t i = 0; i < world->finder_count; ++i) {
        world->finders[i].contacts.count = 0;
    }
    const size_t chunks = (world->questions.count + TD_LINKS_PER_CHUNK - 1) / TD_LINKS_PER_CHUNK;
    if (chunks > 0) {
        td_run_tasks(world->context, td_contact_task,
                     chunks < world->finder_count ? (uint32_t)chunks : world->finder_count, &job);
    }
    return job.result == TD_OK ? TD_OK : td_fail(job.result, "out of memory while finding contacts");
}

// ---------------------------------------------------------------------------------------------------------
// Matching

typedef struct td_matcher {
    td_world *world;
    const td_contact_point *old; // of the link
    uint32_t old_count;
    uint64_t used; // bits: old points that went over; beyond 64 they are not matched
    double reach;  // m
} td_matcher;

static int td_find_old(const td_matcher *matcher, const td_contact_point *point) {
    int best = -1;
    double nearest = matcher->reach * matcher->reach;
    const uint32_t count = matcher->old_count < 64 ? matcher->old_count : 64;
    for (uint32_t i = 0; i < count; ++i) {
        if (matcher->used >> i & 1) {
            continue;
        }
        if (matcher->old[i].feature == point->feature) {
            return (int)i;
        }
        const td_vec3 d = td_sub(matcher->old[i].anchor_a, point->anchor_a);
        if (td_dot(d, d) < nearest) {
            nearest = td_dot(d, d);
            best = (int)i;
        }
    }
    return best;
}

static void td_take_over(td_matcher *matcher, td_contact_point *point) {
    const int match = td_find_old(matcher, point);
    if (match < 0 || matcher->old == NULL) {
        point->id = matcher->world->next_contact_id++;
        return;
    }
    matcher->used |= 1ull << match;
    const td_contact_point *old = &matcher->old[match];
    point->id = old->id;
    point->impulse = old->impulse;
    point->friction = old->friction;
}

static void td_make_points(td_world *world, const td_question_place *place, td_link *link) {
    if (place->count == 0) {
        link->first = (uint32_t)world->points.count;
        link->count = 0;
        return;
    }
    const td_body *a = &world->bodies.items[link->a], *b = &world->bodies.items[link->b];
    const td_found_contact *found = world->finders[place->worker].contacts.items + place->first;
    const td_pose *pose = &world->object_pairs.items[place - world->questions.items].pose;
    const td_rigid rigid = td_pose_rigid(pose);
    const td_mat3 relative = {rigid.row0, rigid.row1, rigid.row2};
    td_matcher matcher = {.world = world,
                          .old = link->count > 0 ? world->old_points.items + link->first : NULL,
                          .old_count = link->count,
                          .reach = td_same_place * fmin(a->surface->radius, b->surface->radius)};
    td_vec3 way = td_vec3_make(0, 0, 0);
    link->first = (uint32_t)world->points.count;
    link->count = (uint32_t)place->count;
    for (size_t i = 0; i < place->count; ++i) {
        td_contact_point point = {
            .anchor_a = td_sub(found[i].point, a->surface->centre),
            .anchor_b =
                td_sub(td_mat3_unapply(relative, td_sub(found[i].point, rigid.position)), b->surface->centre),
            .normal = td_mat3_apply(a->turn, found[i].normal),
            .separation = -found[i].depth,
            .feature = found[i].feature,
            .region = found[i].region,
        };
        td_take_over(&matcher, &point);
        world->points.items[world->points.count++] = point;
        way = td_add(way, point.normal);
        world->report.regions += i == 0 || found[i].region != found[i - 1].region;
        world->report.penetration = fmax(world->report.penetration, found[i].depth);
    }
    if (td_length(way) > 0.5 * (double)place->count) {
        link->way = way;
    }
}

// Links that take no part, or have hardly moved, keep the points they had.
static void td_keep_points(td_world *world, td_link *link) {
    const td_contact_point *old = world->old_points.items;
    const uint32_t first = link->first;
    link->first = (uint32_t)world->points.count;
    for (uint32_t i = first; i < first + link->count; ++i) {
        world->points.items[world->points.count++] = old[i];
        world->report.regions += i == first || old[i].region != old[i - 1].region;
        world->report.penetration = fmax(world->report.penetration, -old[i].separation);
    }
}

static td_result td_reserve_points(td_world *world) {
    size_t count = world->old_points.count;
    for (size_t i = 0; i < world->questions.count; ++i) {
        count += world->questions.items[i].count;
    }
    if (count > UINT32_MAX) {
        return td_fail(TD_ERROR_MEMORY, "more than %u contact points", UINT32_MAX);
    }
    return td_array_reserve(world->context, &world->points, count);
}

td_result td_make_contacts(td_world *world) {
    if (world->rays != NULL) {
        TD_TRY(td_trace_questions(world));
    }
    TD_TRY(td_find_all_contacts(world));
    if (world->rays != NULL) {
        td_report_rays(world);
    }
    TD_TRY(td_reserve_points(world));
    size_t question = 0;
    for (uint32_t i = 0; i < world->links.count; ++i) {
        td_link *link = &world->links.items[i];
        if (question < world->questions.count && world->questions.items[question].link == i) {
            td_make_points(world, &world->questions.items[question], link);
            ++question;
        } else if (link->inquiry == TD_INQUIRY_KEEP) {
            td_keep_points(world, link);
        } else {
            link->first = (uint32_t)world->points.count;
            link->count = 0;
        }
        link->touching = link->count > 0;
        const td_touch touch = {td_id_of(world, link->a), td_id_of(world, link->b)};
        if (link->touching && !link->was_touching) {
            world->began.items[world->began.count++] = touch;
        } else if (!link->touching && link->was_touching) {
            world->ended.items[world->ended.count++] = touch;
        }
    }
    world->report.contacts = world->points.count;
    return TD_OK;
}
