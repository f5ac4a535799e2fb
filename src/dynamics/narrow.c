// The narrow phase of a step: which links have triangles that intersect, at the sampled placements.
#include "../core/error.h"
#include "chunks.h"
#include "world.h"

#include <math.h>

// Of the smaller body's radius: margins of near lists, and how far a pair may move in a step and still be
// worth one.
static const double td_least_margin = 0.001, td_most_margin = 0.03, td_fast = 0.001;
// Steps that a list should last, and for how many more questions: to make one takes longer than a question
// without.
static const double td_list_steps = 4, td_least_readings = 3;

// Of pairs that do not touch it is tried to prove that they are clear of each other for some steps to come:
// more after each proof, fewer after each failure, after which so many questions go without a try. By this
// part of the smaller body's radius at least.
enum { TD_FIRST_CLEAR_STEPS = 4, TD_MOST_CLEAR_STEPS = 16, TD_LEAST_CLEAR_STEPS = 2, TD_CLEAR_PAUSE = 6 };
static const double td_least_clear = 0.004;

// Contacts are found anew when a pair has moved by so many times its slop since they were found: if there are
// none; if there are; and if they were found in the step before.
static const double td_same_apart = 4, td_same_contacts = 8, td_fresh_contacts = 64;

// How far two points may move relative to each other in a step, at most about.
static double td_step_motion(const td_world *world, const td_body *a, const td_body *b) {
    const double r = fmin(a->surface->radius, b->surface->radius);
    return world->pass_time *
           (td_length(td_sub(a->velocity, b->velocity)) + td_length(td_sub(a->spin, b->spin)) * r);
}

// What margin a list made now should have; 0: none is worth it, as the pair moves too fast, or because it is
// not asked about again before it has left most of the margin behind.
static double td_choose_margin(const td_world *world, const td_link *link, const td_body *a,
                               const td_body *b) {
    const double size = fmin(a->surface->radius, b->surface->radius);
    const double motion = td_step_motion(world, a, b);
    if (!world->def.keep_lists || motion > td_fast * size) {
        return 0;
    }
    const double margin = fmin(fmax(td_list_steps * motion, td_least_margin * size), td_most_margin * size);
    const double kept = (link->was_touching ? td_same_contacts : td_same_apart) * world->def.slop * size;
    return margin < td_least_readings * kept ? 0 : margin;
}

static bool td_uses_lists(const td_world *world) {
    return world->def.device == NULL && world->def.strategy == NULL && world->def.volume == TD_VOLUME_AABB;
}

// Whether the link's list, if it has one, still holds at the pose, and is not too long by now: the farther
// the two have come from where it was made, the more of it has to be looked at.
static bool td_list_holds(const td_link *link, const td_link_past *past, const td_body *a, const td_body *b,
                          const td_station *station, double margin) {
    return link->margin > 0 && margin > 0 &&
           td_motion_since(a, b, &past->listed_at, station) < fmin(link->margin, margin);
}

// Nothing can be found while the list holds, neither triangles nor one body inside the other.
static bool td_nothing_near(const td_link *link, const td_near_list *list) {
    const bool not_inside = list->inside_lasts && list->inside_known && list->inside == TD_INSIDE_NONE;
    return list->quads.count == 0 && !list->whole && (td_is_not_inside(link) || not_inside);
}

static td_result td_reserve_questions(td_world *world) {
    const size_t links = world->links.count;
    world->near_pairs.count = world->object_pairs.count = world->questions.count = world->answers.count = 0;
    TD_TRY(td_array_reserve(world->context, &world->near_pairs, links));
    TD_TRY(td_array_reserve(world->context, &world->object_pairs, links));
    TD_TRY(td_array_reserve(world->context, &world->questions, links));
    return td_array_reserve(world->context, &world->answers, links);
}

// The contacts of a pair that has hardly moved since they were found still hold: their anchors go with the
// bodies.
static bool td_contacts_hold(const td_world *world, const td_link *link, const td_body *a, const td_body *b,
                             const td_station *station) {
    const double slop = world->def.slop * fmin(a->surface->radius, b->surface->radius);
    const double most = !link->was_touching ? td_same_apart
                        : link->fresh       ? td_fresh_contacts
                                            : td_same_contacts;
    return link->asked && td_motion_since(a, b, &link->asked_at, station) < most * slop;
}

// Whether the near list answers for the link; if it is to be made anew, with what margin. False: nothing can
// be found.
static bool td_consult_list(const td_world *world, td_link *link, td_link_past *past,
                            const td_station *station) {
    const td_body *a = &world->bodies.items[link->a], *b = &world->bodies.items[link->b];
    const double margin = td_choose_margin(world, link, a, b);
    link->listed = td_list_holds(link, past, a, b, station, margin);
    if (!link->listed) {
        link->margin = margin;
        if (margin > 0) {
            past->listed_at = *station;
        }
    }
    return !(link->listed && td_nothing_near(link, &past->list));
}

// Whether the two were so clear of each other, not long ago, that they are apart at the pose.
static bool td_is_known_clear(const td_link *link, const td_link_past *past, const td_body *a,
                              const td_body *b, const td_station *station) {
    return link->clear_by > 0 && td_is_not_inside(link) &&
           td_motion_since(a, b, &past->clear_at, station) < link->clear_by;
}

// By how much it should be tried to prove that the two are clear of each other; 0: not now.
static double td_choose_clear(const td_world *world, td_link *link) {
    const td_body *a = &world->bodies.items[link->a], *b = &world->bodies.items[link->b];
    if (!world->def.keep_lists || !td_is_not_inside(link) || link->listed) {
        return 0;
    }
    if (link->clear_trials > 0) {
        --link->clear_trials;
        return 0;
    }
    const double steps = link->clear_steps > 0 ? link->clear_steps : TD_FIRST_CLEAR_STEPS;
    return fmax(steps * td_step_motion(world, a, b),
                td_least_clear * fmin(a->surface->radius, b->surface->radius));
}

// What came of it.
static void td_learn_clear(td_link *link, td_link_past *past, double tried) {
    const uint8_t steps = link->clear_steps > 0 ? link->clear_steps : TD_FIRST_CLEAR_STEPS;
    if (link->cleared) {
        past->clear_at = link->asked_at;
        link->clear_by = tried;
        link->clear_steps = steps < TD_MOST_CLEAR_STEPS ? (uint8_t)(2 * steps) : steps;
        link->margin = -1; // it has no list
    } else {
        link->clear_by = 0;
        link->clear_steps = steps > TD_LEAST_CLEAR_STEPS ? steps / 2 : steps;
        link->clear_trials = TD_CLEAR_PAUSE;
    }
}

// Whether the two have been followed to where they are sampled, and met nothing. Those that get a list are
// asked all the same: it may be of use in the next step.
static bool td_is_answered(const td_world *world, const td_link *link) {
    return td_uses_lists(world) && link->clear && link->margin == 0 &&
           world->bodies.items[link->a].fraction >= 1 && world->bodies.items[link->b].fraction >= 1;
}

// Whether what is remembered of the link tells that no triangles intersect.
static bool td_is_remembered_apart(const td_world *world, td_link *link, const td_station *station) {
    const td_body *a = &world->bodies.items[link->a], *b = &world->bodies.items[link->b];
    td_link_past *past = &world->pasts.items[link->past];
    return td_is_known_clear(link, past, a, b, station) || !td_consult_list(world, link, past, station);
}

// What there is to ask about a link in this step. Changes the link, and what is remembered of it, alone.
static td_inquiry td_inquire(const td_world *world, td_link *link) {
    const td_body *a = &world->bodies.items[link->a], *b = &world->bodies.items[link->b];
    if (!link->active) {
        return TD_INQUIRY_KEEP;
    }
    if (!td_boxes_overlap(&a->bounds, &b->bounds)) {
        link->asked = false;
        return TD_INQUIRY_NOTHING;
    }
    const td_pose pose = td_sampled_pose(a, b);
    const td_station station = td_station_at(a, b, &pose);
    const bool hold = td_contacts_hold(world, link, a, b, &station);
    link->fresh = !hold;
    if (hold) {
        return TD_INQUIRY_KEEP;
    }
    // Whatever tells that none intersect, the two are remembered as asked about: what is kept from here on is
    // the same with lists and without.
    link->asked = true;
    link->asked_at = station;
    link->faces = 0;
    if (td_uses_lists(world) && td_is_remembered_apart(world, link, &station)) {
        return TD_INQUIRY_NOTHING;
    }
    return td_is_answered(world, link) ? TD_INQUIRY_ANSWERED : TD_INQUIRY_TRIANGLES;
}

// Links lie in a row, what else is remembered of them does not: it is on its way before it is needed.
enum { TD_LINKS_AHEAD = 6 };

static void td_fetch_past(const td_world *world, const td_link *link) {
    if (link->clear_by > 0) {
        const char *at = (const char *)&world->pasts.items[link->past].clear_at;
        __builtin_prefetch(at);
        __builtin_prefetch(at + 64);
    }
}

static void td_inquire_links(size_t first, size_t end, void *user) {
    td_world *world = user;
    for (size_t i = first; i < end; ++i) {
        td_link *link = &world->links.items[i];
        if (i + TD_LINKS_AHEAD < end) {
            td_fetch_past(world, link + TD_LINKS_AHEAD);
        }
        link->inquiry = td_inquire(world, link);
    }
}

static void td_put_question(td_world *world, uint32_t index) {
    td_link *link = &world->links.items[index];
    const td_body *a = &world->bodies.items[link->a], *b = &world->bodies.items[link->b];
    const td_pose pose = td_is_b_followed(a, b) ? link->asked_at.pose : td_sampled_pose(a, b);
    const td_object_pair pair = {a->surface->mesh, b->surface->mesh, pose};
    world->object_pairs.items[world->object_pairs.count++] = pair;
    world->questions.items[world->questions.count++] = (td_question_place){.link = index};
    if (td_uses_lists(world)) {
        const bool has_list = link->listed || link->margin > 0;
        world->near_pairs.items[world->near_pairs.count++] =
            (td_near_pair){.pair = pair,
                           .list = has_list ? &world->pasts.items[link->past].list : NULL,
                           .margin = link->margin,
                           .clear = td_choose_clear(world, link),
                           .cleared = &link->cleared,
                           .listed = link->listed,
                           .not_inside = td_is_not_inside(link)};
    }
}

td_collide_def td_narrow_def(const td_world *world) {
    td_collide_def def = td_default_collide_def();
    def.strategy = world->def.strategy;
    def.volume = world->def.volume;
    def.descent = world->def.descent;
    def.device = world->def.device;
    return def;
}

static td_result td_answer_questions(td_world *world) {
    const size_t count = world->questions.count;
    world->answers.count = count;
    if (count == 0) {
        return TD_OK;
    }
    if (td_uses_lists(world)) {
        return td_collide_near(world->answers.items, world->query, world->near_pairs.items, count);
    }
    const td_collide_def def = td_narrow_def(world);
    TD_TRY(td_collide_pairs(world->answers.items, world->query, world->object_pairs.items, count, &def));
    if (def.device != NULL) {
        const td_query_times times = td_last_times(world->query);
        world->report.copy_ms = times.copy_in_ms + times.copy_out_ms;
        world->report.kernel_ms = times.boxes_ms + times.collect_ms + times.triangles_ms + times.exact_ms;
    }
    return TD_OK;
}

td_result td_ask_triangles(td_world *world) {
    TD_TRY(td_reserve_questions(world));
    td_run_chunks(world->context, td_inquire_links, world->links.count, world);
    uint64_t answered = 0;
    for (uint32_t i = 0; i < world->links.count; ++i) {
        const td_link *link = &world->links.items[i];
        answered += link->inquiry == TD_INQUIRY_ANSWERED;
        if (link->inquiry == TD_INQUIRY_TRIANGLES) {
            td_put_question(world, i);
        } else if (link->inquiry == TD_INQUIRY_KEEP && link->active) {
            world->report.faces += link->faces;
            world->report.colliding_pairs += link->faces > 0;
        }
    }
    const td_result result = td_answer_questions(world);
    if (result != TD_OK) { // nothing is known of those that were asked about, and their lists are not made
        for (size_t i = 0; i < world->questions.count; ++i) {
            td_link *link = &world->links.items[world->questions.items[i].link];
            link->margin = -1;
            link->asked = false;
        }
        return result;
    }
    world->report.tested_pairs = world->questions.count + answered;
    for (size_t i = 0; i < world->answers.count; ++i) {
        const td_collide_result *answer = &world->answers.items[i];
        td_link *link = &world->links.items[world->questions.items[i].link];
        link->faces = answer->pair_count;
        if (td_uses_lists(world) && world->near_pairs.items[i].clear > 0) {
            td_learn_clear(link, &world->pasts.items[link->past], world->near_pairs.items[i].clear);
        }
        world->report.faces += answer->pair_count;
        world->report.colliding_pairs += answer->colliding;
    }
    return TD_OK;
}
