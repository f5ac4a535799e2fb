// What comes near each other in a lap: the hierarchies of all pairs of bodies are walked, and pairs of
// features become contacts.
//
// The walk is cut into items that do not depend on the number of threads, and what an item finds is sorted:
// so contacts come in one order, whoever finds them.
#include "../core/context.h"
#include "../core/error.h"
#include "closest.h"
#include "softs.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------------------
// The walk

static uint64_t td_found_key(const td_near_found *found) {
    return (uint64_t)found->a << 32 | found->b;
}

static bool td_found_before(const td_near_found *a, const td_near_found *b) {
    return a->kind != b->kind ? a->kind < b->kind : td_found_key(a) < td_found_key(b);
}

// Shell's sort with the gaps of Ciura: lists are short, and their entries all different.
static void td_sort_found(td_near_found *items, size_t count) {
    static const size_t gaps[] = {20150, 8858, 3938, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g) {
        const size_t gap = gaps[g];
        for (size_t i = gap; i < count; ++i) {
            const td_near_found item = items[i];
            size_t j = i;
            for (; j >= gap && td_found_before(&item, &items[j - gap]); j -= gap) {
                items[j] = items[j - gap];
            }
            items[j] = item;
        }
    }
}

typedef struct td_walk {
    td_softs *softs;
    atomic_size_t next;
} td_walk;

static td_result td_take_found(td_walk_worker *worker, td_walk_item *item, td_context *context) {
    item->first = worker->found.count;
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        const td_contact_list *list = &worker->swept.found[kind];
        TD_TRY(td_array_reserve(context, &worker->found, list->count));
        for (size_t i = 0; i < list->count; ++i) {
            const td_feature_contact *c = &list->items[i];
            worker->found.items[worker->found.count++] = (td_near_found){(uint32_t)kind, c->a, c->b, c->time};
        }
    }
    item->count = worker->found.count - item->first;
    td_sort_found(worker->found.items + item->first, item->count);
    return TD_OK;
}

static void td_walk_task(uint32_t number, void *payload) {
    td_walk *walk = payload;
    td_softs *softs = walk->softs;
    td_walk_worker *worker = &softs->workers[number];
    worker->found.count = 0;
    worker->swept.result = TD_OK;
    for (;;) {
        const size_t next = atomic_fetch_add_explicit(&walk->next, 1, memory_order_relaxed);
        if (next >= softs->items.count) {
            return;
        }
        td_walk_item *item = &softs->items.items[next];
        td_swept_worker_begin(&worker->swept);
        td_ends_run(&worker->swept, &softs->pairs.items[item->pair].question, item->start);
        item->worker = number;
        td_result result = worker->swept.result;
        result = result == TD_OK ? td_take_found(worker, item, softs->context) : result;
        worker->swept.result = result;
        if (result != TD_OK) {
            return;
        }
    }
}

static td_result td_list_items(td_softs *softs) {
    softs->items.count = 0;
    for (uint32_t i = 0; i < softs->pairs.count; ++i) {
        const td_ends_question *question = &softs->pairs.items[i].question;
        const size_t wanted = 1 + question->a->quad_count / 128;
        TD_TRY(td_ends_starts(&softs->workers[0].starts, wanted < 256 ? wanted : 256, question));
        TD_TRY(td_array_reserve(softs->context, &softs->items, softs->workers[0].starts.count));
        for (size_t k = 0; k < softs->workers[0].starts.count; ++k) {
            softs->items.items[softs->items.count++] =
                (td_walk_item){.pair = i, .start = softs->workers[0].starts.items[k]};
        }
    }
    return TD_OK;
}

td_result td_softs_walk(td_softs *softs, td_decide_fn *decide) {
    for (size_t i = 0; i < softs->pairs.count; ++i) {
        softs->pairs.items[i].question.swept.decide = decide;
    }
    TD_TRY(td_list_items(softs));
    td_walk walk = {.softs = softs};
    const uint32_t tasks =
        softs->items.count < softs->worker_count ? (uint32_t)softs->items.count : softs->worker_count;
    td_run_tasks(softs->context, td_walk_task, tasks, &walk);
    for (uint32_t i = 0; i < tasks; ++i) {
        if (softs->workers[i].swept.result != TD_OK) {
            return td_fail(softs->workers[i].swept.result, "out of memory while collecting contacts");
        }
    }
    return TD_OK;
}

void td_softs_points(uint32_t point[4], uint8_t *rigid, const td_softs *softs, const td_soft_pair *pair,
                     const td_near_found *found) {
    const td_swept_question *question = &pair->question.swept;
    const td_contact_kind kind = (td_contact_kind)found->kind;
    if (kind == TD_CONTACT_EDGE_EDGE) {
        const td_pair a = question->features_a->edges[found->a], b = question->features_b->edges[found->b];
        point[0] = a.a;
        point[1] = a.b;
        point[2] = b.a;
        point[3] = b.b;
    } else {
        const bool turned = kind == TD_CONTACT_FACE_VERTEX;
        const td_features *faces = turned ? question->features_a : question->features_b;
        const uint32_t *corners = faces->triangles[turned ? found->a : found->b].vertex;
        point[0] = turned ? found->b : found->a;
        for (int k = 0; k < 3; ++k) {
            point[1 + k] = corners[k];
        }
    }
    *rigid = 0;
    const uint32_t first_a = softs->list.items[pair->a]->first;
    const uint32_t first_b = pair->b != TD_NONE ? softs->list.items[pair->b]->first : 0;
    for (int i = 0; i < 4; ++i) {
        const bool of_b = td_is_of_b(kind, i);
        *rigid |= (uint8_t)(of_b && pair->b == TD_NONE ? 1 << i : 0);
        point[i] += of_b ? first_b : first_a;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Contacts

static td_closest td_closest_of(int kind, const td_vec3 p[4]) {
    return kind == TD_EDGE_EDGE ? td_closest_edges(p[0], p[1], p[2], p[3])
                                : td_closest_vertex_face(p[0], p[1], p[2], p[3]);
}

static double td_longest(td_vec3 a, td_vec3 b) {
    const td_vec3 d = td_sub(a, b);
    return td_dot(d, d);
}

// How far the first feature is ahead of the second along a direction, times its length.
static inline double td_ahead(const td_vec3 p[4], bool edges, td_vec3 direction) {
    double height[4];
    for (int i = 0; i < 4; ++i) {
        height[i] = td_dot(direction, td_sub(p[i], p[3]));
    }
    const double least = edges && height[1] < height[0] ? height[1] : height[0];
    double most = edges || height[2] > height[1] ? height[2] : height[1];
    most = height[3] > most ? height[3] : most;
    return least - most;
}

static inline bool td_are_beyond(const td_vec3 p[4], const td_vec3 q[4], bool edges, td_vec3 direction,
                                 double reach) {
    const double ahead = td_ahead(p, edges, direction);
    if (!(ahead > 0)) {
        return false; // most of those that are near
    }
    const double within = reach * sqrt(td_dot(direction, direction));
    return ahead > within && td_ahead(q, edges, direction) > within;
}

// From middle to middle: enough for most, which are neighbours in the plane of a sheet. Then along the way
// between the nearest points at the beginning.
static inline bool td_stay_apart(const td_vec3 p[4], const td_vec3 q[4], bool edges, double reach) {
    const td_vec3 middles = edges ? td_sub(td_add(p[0], p[1]), td_add(p[2], p[3]))
                                  : td_sub(td_scale(p[0], 3), td_add(p[1], td_add(p[2], p[3])));
    if (td_are_beyond(p, q, edges, middles, reach)) {
        return true;
    }
    const td_vec3 way = edges ? td_closest_edges(p[0], p[1], p[2], p[3]).way
                              : td_closest_vertex_face(p[0], p[1], p[2], p[3]).way;
    return td_are_beyond(p, q, edges, way, reach);
}

// Whether the two may come within reach: not if along some direction they are farther apart than that at both
// ends, and so all the time.
static td_result td_decide_near(td_moving_contact *out, const td_swept_question *question,
                                const td_candidate *candidate) {
    const td_soft_pair *pair = question->user;
    const bool edges = candidate->kind == TD_CONTACT_EDGE_EDGE;
    td_vec3 p[4], q[4];
    for (int i = 0; i < 4; ++i) {
        const td_path *path = td_path_of(question, candidate, i);
        p[i] = path->at[0];
        q[i] = path->at[1];
    }
    // Each kind has code of its own.
    const bool far =
        edges ? td_stay_apart(p, q, true, pair->beyond) : td_stay_apart(p, q, false, pair->beyond);
    *out = (td_moving_contact){.touching = !far, .certain = true, .time = 0};
    return TD_OK;
}

// Parts of a body that are near each other at rest are not pushed apart.
static double td_rest_distance(const td_soft *soft, int kind, const uint32_t point[4]) {
    td_vec3 p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = td_trimesh_vertex(&soft->form->mesh->triangles, point[i] - soft->first);
    }
    return td_length(td_closest_of(kind, p).way);
}

// How fast the two may near each other, m per sub-step: twice as fast as predicted, and as fast as things
// fall.
static double td_pace_of(const td_softs *softs, const td_soft_contact *contact, const td_obstacle *o,
                         double time) {
    td_vec3 other = td_vec3_make(0, 0, 0); // the way of whatever is not `first`
    double arc = 0, most = 0;
    if (o != NULL) {
        const td_quat turn = td_quat_mul(td_quat_conjugate(o->lap[0].rotation), o->lap[1].rotation);
        other = td_sub(o->lap[1].position, o->lap[0].position);
        arc = 2 * o->radius * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    } else {
        const uint32_t v = contact->point[3];
        other = td_sub(softs->predicted.items[v], softs->start.items[v]);
    }
    for (int i = 0; i < 4; ++i) {
        if (!(contact->rigid >> i & 1)) {
            const uint32_t v = contact->point[i];
            most = fmax(most, td_longest(td_sub(softs->predicted.items[v], softs->start.items[v]), other));
        }
    }
    const double fall = 0.5 * td_length(softs->settings.gravity) * time * time;
    return 2 * (2 * sqrt(most) + arc + fall) / softs->lap_substeps;
}

// How fast what is too near at the beginning is parted, m/s: slowly, or it would fly.
static const double td_parting_speed = 0.02;

static td_soft_contact td_make_contact(const td_softs *softs, const td_soft_pair *pair,
                                       const td_near_found *found, double time) {
    td_soft_contact contact = {.a = pair->a,
                               .b = pair->b,
                               .obstacle = pair->obstacle,
                               .kind = found->kind == TD_CONTACT_EDGE_EDGE ? TD_EDGE_EDGE : TD_VERTEX_FACE,
                               .friction = (float)pair->friction};
    td_softs_points(contact.point, &contact.rigid, softs, pair, found);
    const td_obstacle *o = pair->b == TD_NONE ? &softs->obstacles[pair->obstacle] : NULL;
    td_vec3 p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = contact.rigid >> i & 1 ? td_obstacle_point(o, o->lap[0].position, o->turn[0], contact.point[i])
                                      : softs->start.items[contact.point[i]];
    }
    const td_closest near = td_closest_of(contact.kind, p);
    contact.from = td_length(near.way);
    contact.from_normal = contact.from > 0 ? td_scale(near.way, 1 / contact.from) : td_vec3_make(0, 0, 0);
    if (contact.kind == TD_VERTEX_FACE) {
        const td_vec3 up = td_cross(td_sub(p[2], p[1]), td_sub(p[3], p[1]));
        contact.sign = td_dot(up, td_sub(p[0], p[1])) < 0 ? -1 : 1;
    }
    double wanted = pair->thickness;
    if (pair->a == pair->b && contact.from < wanted) {
        wanted = fmin(wanted, td_rest_distance(softs->list.items[pair->a], contact.kind, contact.point));
    }
    contact.distance = fmin(wanted, contact.from + td_parting_speed * time);
    contact.pace = (float)(td_pace_of(softs, &contact, o, time) + 1e-4 * pair->thickness);
    return contact;
}

typedef struct td_making {
    td_softs *softs;
    double time;
} td_making;

static void td_make_contacts_task(uint32_t number, void *payload) {
    const td_making *making = payload;
    td_softs *softs = making->softs;
    const td_walk_item *item = &softs->items.items[number];
    const td_near_found *found = softs->workers[item->worker].found.items + item->first;
    for (size_t i = 0; i < item->count; ++i) {
        const td_soft_contact contact =
            td_make_contact(softs, &softs->pairs.items[item->pair], &found[i], making->time);
        softs->contacts.items[item->place + i] = contact;
        softs->rests.items[item->place + i] =
            td_rest_of(contact.from - TD_SOFT_ACTIVE * contact.distance, contact.pace);
    }
}

td_result td_softs_search(td_softs *softs, double time) {
    TD_TRY(td_softs_walk(softs, td_decide_near));
    size_t count = 0;
    for (size_t i = 0; i < softs->items.count; ++i) {
        td_walk_item *item = &softs->items.items[i];
        item->place = count;
        count += item->count;
    }
    softs->contacts.count = softs->rests.count = 0;
    TD_TRY(td_array_reserve(softs->context, &softs->contacts, count));
    TD_TRY(td_array_reserve(softs->context, &softs->rests, count));
    softs->contacts.count = softs->rests.count = count;
    td_making making = {softs, time};
    td_run_tasks(softs->context, td_make_contacts_task, (uint32_t)softs->items.count, &making);
    softs->report.pairs = softs->pairs.count;
    softs->report.candidates = count;
    return TD_OK;
}
