// Contacts: pairs of features that are, or come, near each other in an outlook.
#include "../core/tasks.h"
#include "closest.h"
#include "softs.h"

#include <math.h>

enum { TD_CONTACTS_OF_TASK = 2048 };

static uint32_t td_contact_tasks(const td_softs *softs) {
    return (uint32_t)((softs->contacts.count + TD_CONTACTS_OF_TASK - 1) / TD_CONTACTS_OF_TASK);
}

static size_t td_end_of_task(const td_softs *softs, uint32_t number) {
    const size_t end = ((size_t)number + 1) * TD_CONTACTS_OF_TASK;
    return end < softs->contacts.count ? end : softs->contacts.count;
}

// ---------------------------------------------------------------------------------------------------------
// As of the beginning of a lap

static td_closest td_closest_of(int kind, const td_vec3 p[4]) {
    return kind == TD_EDGE_EDGE ? td_closest_edges(p[0], p[1], p[2], p[3])
                                : td_closest_vertex_face(p[0], p[1], p[2], p[3]);
}

// Parts of a body that are near each other at rest are not pushed apart.
static double td_rest_distance(const td_soft *soft, int kind, const uint32_t point[4]) {
    td_vec3 p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = td_trimesh_vertex(&soft->form->mesh->triangles, point[i] - soft->first);
    }
    return td_length(td_closest_of(kind, p).way);
}

// How fast the two may near each other, m per sub-step: twice as fast as they move, and as fast as things
// fall.
static double td_pace_of(const td_softs *softs, const td_four_points *pair, const td_obstacle *o,
                         double time) {
    td_vec3 other; // the way of whatever is not `first`
    double arc = 0, most = 0;
    if (o != NULL) {
        const td_quat turn = td_quat_mul(td_quat_conjugate(o->lap[0].rotation), o->lap[1].rotation);
        other = td_sub(o->lap[1].position, o->lap[0].position);
        arc = 2 * o->radius * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    } else {
        other = td_scale(softs->v.items[pair->point[3]], time);
    }
    for (int i = 0; i < 4; ++i) {
        if (!(pair->rigid >> i & 1)) {
            const td_vec3 d = td_sub(td_scale(softs->v.items[pair->point[i]], time), other);
            most = fmax(most, td_dot(d, d));
        }
    }
    const double fall = 0.5 * td_length(softs->settings.gravity) * time * time;
    return 2 * (2 * sqrt(most) + arc + fall) / softs->lap_substeps;
}

// The corner that has most of the nearest point of each feature.
static uint8_t td_main_corners(int kind, const double weight[4]) {
    int second = kind == TD_EDGE_EDGE ? 2 : 1;
    for (int i = second + 1; i < 4; ++i) {
        second = weight[i] < weight[second] ? i : second;
    }
    const int first = kind == TD_EDGE_EDGE && weight[1] > weight[0] ? 1 : 0;
    return (uint8_t)(first | second << 2);
}

// How far the first feature is ahead of the second along a direction of length 1, but for what roundings, of
// the direction, too, could make of it.
static double td_clear_along(int kind, const td_vec3 p[4], td_vec3 direction) {
    const int split = kind == TD_EDGE_EDGE ? 2 : 1;
    double least = INFINITY, most = -INFINITY, size = 0;
    for (int i = 0; i < 4; ++i) {
        const double height = td_dot(direction, td_sub(p[i], p[3]));
        least = i < split && height < least ? height : least;
        most = i >= split && height > most ? height : most;
        size += fabs(p[i].x) + fabs(p[i].y) + fabs(p[i].z);
    }
    return least - most - 0x1p-46 * size;
}

static void td_refresh_contact(const td_softs *softs, size_t place) {
    const td_four_points *pair = &softs->near_pairs.items[place];
    td_soft_contact *contact = &softs->contacts.items[place];
    const td_obstacle *o = pair->obstacle != TD_NONE ? &softs->obstacles[pair->obstacle] : NULL;
    const double time = (softs->lap_end - softs->lap_begin) * softs->settings.time;
    td_vec3 p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = pair->rigid >> i & 1 ? td_obstacle_point(o, o->lap[0].position, o->turn[0], pair->point[i])
                                    : softs->start.items[pair->point[i]];
    }
    const td_closest near = td_closest_of(pair->kind, p);
    contact->from = td_length(near.way);
    contact->from_normal = contact->from > 0 ? td_scale(near.way, 1 / contact->from) : td_vec3_make(0, 0, 0);
    contact->clear = td_clear_along(pair->kind, p, contact->from_normal);
    if (pair->kind == TD_VERTEX_FACE) {
        const td_vec3 up = td_cross(td_sub(p[2], p[1]), td_sub(p[3], p[1]));
        contact->sign = td_dot(up, td_sub(p[0], p[1])) < 0 ? -1 : 1;
    }
    if (!contact->settled && contact->from < contact->thickness) {
        contact->thickness = fmin(contact->thickness,
                                  td_rest_distance(softs->list.items[contact->a], pair->kind, pair->point));
        contact->settled = true;
    }
    contact->distance = fmin(contact->thickness, contact->from + TD_PARTING_SPEED * time);
    contact->pace = (float)(td_pace_of(softs, pair, o, time) + 1e-4 * contact->thickness);
    contact->within = near.within;
    contact->main = td_main_corners(pair->kind, near.weight);
    contact->active = false;
    softs->rests.items[place] =
        td_rest_of(contact->from - TD_SOFT_ACTIVE_WEIGHTY * contact->distance, contact->pace);
}

static void td_refresh_task(uint32_t number, void *payload) {
    td_softs *softs = payload;
    const size_t end = td_end_of_task(softs, number);
    for (size_t i = (size_t)number * TD_CONTACTS_OF_TASK; i < end; ++i) {
        if (softs->rests.items[i] != TD_DEAD) {
            td_refresh_contact(softs, i);
        }
    }
}

void td_softs_refresh_contacts(td_softs *softs) {
    td_run_tasks(softs->context, td_refresh_task, td_contact_tasks(softs), softs);
}

// ---------------------------------------------------------------------------------------------------------
// Adding

static void td_make_contact(const td_softs *softs, const td_soft_pair *bodies, const td_near_found *found,
                            size_t place) {
    td_four_points pair = {.obstacle = bodies->obstacle,
                           .kind = found->kind == TD_CONTACT_EDGE_EDGE ? TD_EDGE_EDGE : TD_VERTEX_FACE};
    td_softs_points(pair.point, &pair.rigid, softs, bodies, found);
    softs->near_pairs.items[place] = pair;
    softs->contacts.items[place] = (td_soft_contact){.a = bodies->a,
                                                     .b = bodies->b,
                                                     .settled = bodies->a != bodies->b,
                                                     .thickness = bodies->thickness,
                                                     .friction = (float)bodies->friction};
}

// Where the nth contact of a walk goes.
static size_t td_place_of(const td_softs *softs, size_t n, size_t before) {
    return n < softs->dead.count ? softs->dead.items[n] : before + n - softs->dead.count;
}

typedef struct td_adding {
    td_softs *softs;
    size_t before; // contacts there are
} td_adding;

static void td_add_task(uint32_t number, void *payload) {
    const td_adding *adding = payload;
    td_softs *softs = adding->softs;
    const td_walk_item *item = &softs->items.items[number];
    const td_near_found *found = softs->workers[item->worker].found.items + item->first;
    for (size_t i = 0; i < item->count; ++i) {
        const size_t place = td_place_of(softs, item->place + i, adding->before);
        td_make_contact(softs, &softs->pairs.items[item->pair], &found[i], place);
        td_refresh_contact(softs, place);
    }
}

td_result td_softs_add_contacts(td_softs *softs) {
    size_t count = 0;
    for (size_t i = 0; i < softs->items.count; ++i) {
        softs->items.items[i].place = count;
        count += softs->items.items[i].count;
    }
    const size_t dead = softs->dead.count, more = count > dead ? count - dead : 0;
    TD_TRY(td_array_reserve(softs->context, &softs->near_pairs, more));
    TD_TRY(td_array_reserve(softs->context, &softs->contacts, more));
    TD_TRY(td_array_reserve(softs->context, &softs->rests, more));
    td_adding adding = {softs, softs->contacts.count};
    td_run_tasks(softs->context, td_add_task, (uint32_t)softs->items.count, &adding);
    softs->near_pairs.count = softs->contacts.count = softs->rests.count = adding.before + more;
    const size_t used = count < dead ? count : dead;
    for (size_t i = used; i < dead; ++i) {
        softs->dead.items[i - used] = softs->dead.items[i];
    }
    softs->dead.count = dead - used;
    softs->report.candidates = softs->contacts.count - softs->dead.count;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Dropping

static bool td_is_outdated(const td_softs *softs, const td_four_points *pair) {
    bool marked = pair->obstacle != TD_NONE && softs->obstacles[pair->obstacle].marked;
    for (int i = 0; i < 4; ++i) {
        marked = marked || (!(pair->rigid >> i & 1) && (softs->marks.items[pair->point[i]] & TD_MARK_LINE));
    }
    return marked;
}

static void td_drop_task(uint32_t number, void *payload) {
    td_softs *softs = payload;
    const size_t end = td_end_of_task(softs, number);
    for (size_t i = (size_t)number * TD_CONTACTS_OF_TASK; i < end; ++i) {
        if (softs->rests.items[i] != TD_DEAD && td_is_outdated(softs, &softs->near_pairs.items[i])) {
            softs->rests.items[i] = TD_DEAD;
            softs->contacts.items[i].active = false;
        }
    }
}

td_result td_softs_drop_contacts(td_softs *softs) {
    td_run_tasks(softs->context, td_drop_task, td_contact_tasks(softs), softs);
    softs->dead.count = 0;
    for (size_t i = 0; i < softs->rests.count; ++i) {
        if (softs->rests.items[i] == TD_DEAD) {
            TD_TRY(td_array_reserve(softs->context, &softs->dead, 1));
            softs->dead.items[softs->dead.count++] = (uint32_t)i;
        }
    }
    return TD_OK;
}
