// Contacts: pairs of features that are, or come, near each other in an outlook.
#include "../core/context.h"
#include "../core/tasks.h"
#include "closest.h"
#include "nearest.h"
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

td_find_nearest_fn *td_find_nearest_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_find_nearest_sse4;
    case TD_ISA_AVX2:
        return td_find_nearest_avx2;
    case TD_ISA_AVX512:
        return td_find_nearest_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_find_nearest_neon;
#endif
    default:
        return td_find_nearest_scalar;
    }
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

// Of a lap.
typedef struct td_refreshing {
    const td_softs *softs;
    td_find_nearest_fn *find;
    double time, fall; // s; m: how far things fall in it
} td_refreshing;

// Contacts of one kind that are done side by side.
typedef struct td_refresh_lanes {
    size_t place[TD_NEAREST_LANES];
    double arc[TD_NEAREST_LANES]; // m: that the turning of an obstacle adds to the way
    td_vec3 rigid[4][TD_NEAREST_LANES];
    td_nearest_points points;
    uint32_t count;
} td_refresh_lanes;

static td_refreshing td_begin_refreshing(const td_softs *softs) {
    const double time = (softs->lap_end - softs->lap_begin) * softs->settings.time;
    return (td_refreshing){.softs = softs,
                           .find = td_find_nearest_for(softs->context->isa),
                           .time = time,
                           .fall = 0.5 * td_length(softs->settings.gravity) * time * time};
}

static void td_put_points(td_refresh_lanes *lanes, const td_softs *softs, const td_four_points *pair,
                          const td_obstacle *o) {
    const uint32_t l = lanes->count;
    for (int i = 0; i < 4; ++i) {
        const bool rigid = pair->rigid >> i & 1;
        if (rigid) {
            lanes->rigid[i][l] = td_obstacle_point(o, o->lap[0].position, o->turn[0], pair->point[i]);
        }
        const td_vec3 *at = rigid ? &lanes->rigid[i][l] : &softs->start.items[pair->point[i]];
        lanes->points.at[i][l] = &at->x;
        lanes->points.velocity[i][l] = rigid ? &at->x : &softs->v.items[pair->point[i]].x; // of no meaning
        lanes->points.soft[i][l] = rigid ? 0 : 1;
    }
}

// The way of whatever is not `first`.
static void td_put_other(td_refresh_lanes *lanes, const td_refreshing *refreshing, const td_four_points *pair,
                         const td_obstacle *o) {
    const uint32_t l = lanes->count;
    td_vec3 other;
    lanes->arc[l] = 0;
    if (o != NULL) {
        const td_quat turn = td_quat_mul(td_quat_conjugate(o->lap[0].rotation), o->lap[1].rotation);
        other = td_sub(o->lap[1].position, o->lap[0].position);
        lanes->arc[l] = 2 * o->radius * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    } else {
        other = td_scale(refreshing->softs->v.items[pair->point[3]], refreshing->time);
    }
    lanes->points.other[0][l] = other.x;
    lanes->points.other[1][l] = other.y;
    lanes->points.other[2][l] = other.z;
}

static void td_take_nearest(const td_refreshing *refreshing, size_t place, const td_nearest *near, uint32_t l,
                            double arc) {
    const td_softs *softs = refreshing->softs;
    const td_four_points *pair = &softs->near_pairs.items[place];
    td_soft_contact *contact = &softs->contacts.items[place];
    contact->from = near->from[l];
    contact->from_normal = td_vec3_make(near->normal[0][l], near->normal[1][l], near->normal[2][l]);
    contact->clear = near->clear[l];
    if (pair->kind == TD_VERTEX_FACE) {
        contact->sign = near->side[l] < 0 ? -1 : 1;
    }
    if (!contact->settled && contact->from < contact->thickness) {
        contact->thickness = fmin(contact->thickness,
                                  td_rest_distance(softs->list.items[contact->a], pair->kind, pair->point));
        contact->settled = true;
    }
    contact->distance = fmin(contact->thickness, contact->from + TD_PARTING_SPEED * refreshing->time);
    // How fast the two may near each other: twice as fast as they move, and as fast as things fall.
    const double pace = 2 * (2 * near->way[l] + arc + refreshing->fall) / softs->lap_substeps;
    contact->pace = (float)(pace + 1e-4 * contact->thickness);
    contact->within = near->within[l] > 0;
    contact->main = (uint8_t)near->main[l];
    contact->active = false;
    softs->rests.items[place] =
        td_rest_of(contact->from - TD_SOFT_ACTIVE_WEIGHTY * contact->distance, contact->pace);
}

static void td_refresh_lanes_of(const td_refreshing *refreshing, td_refresh_lanes *lanes, bool edges) {
    td_nearest_points *points = &lanes->points;
    if (lanes->count == 0) {
        return;
    }
    points->time = refreshing->time;
    for (uint32_t l = lanes->count; l < TD_NEAREST_LANES; ++l) { // the others repeat the first
        for (int i = 0; i < 4; ++i) {
            points->at[i][l] = points->at[i][0];
            points->velocity[i][l] = points->velocity[i][0];
            points->soft[i][l] = points->soft[i][0];
        }
        for (int k = 0; k < 3; ++k) {
            points->other[k][l] = points->other[k][0];
        }
    }
    td_nearest near;
    refreshing->find(&near, points, edges);
    for (uint32_t l = 0; l < lanes->count; ++l) {
        td_take_nearest(refreshing, lanes->place[l], &near, l, lanes->arc[l]);
    }
    lanes->count = 0;
}

// `lanes`: of both kinds.
static void td_refresh_contact(td_refresh_lanes lanes[2], const td_refreshing *refreshing, size_t place) {
    const td_softs *softs = refreshing->softs;
    const td_four_points *pair = &softs->near_pairs.items[place];
    const td_obstacle *o = pair->obstacle != TD_NONE ? &softs->obstacles[pair->obstacle] : NULL;
    const bool edges = pair->kind == TD_EDGE_EDGE;
    td_refresh_lanes *of = &lanes[edges];
    td_put_points(of, softs, pair, o);
    td_put_other(of, refreshing, pair, o);
    of->place[of->count++] = place;
    if (of->count == TD_NEAREST_LANES) {
        td_refresh_lanes_of(refreshing, of, edges);
    }
}

static void td_end_refreshing(td_refresh_lanes lanes[2], const td_refreshing *refreshing) {
    td_refresh_lanes_of(refreshing, &lanes[0], false);
    td_refresh_lanes_of(refreshing, &lanes[1], true);
}

static void td_refresh_task(uint32_t number, void *payload) {
    const td_softs *softs = payload;
    const td_refreshing refreshing = td_begin_refreshing(softs);
    td_refresh_lanes lanes[2];
    lanes[0].count = lanes[1].count = 0;
    const size_t end = td_end_of_task(softs, number);
    for (size_t i = (size_t)number * TD_CONTACTS_OF_TASK; i < end; ++i) {
        if (softs->rests.items[i] != TD_DEAD) {
            td_refresh_contact(lanes, &refreshing, i);
        }
    }
    td_end_refreshing(lanes, &refreshing);
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
    const td_refreshing refreshing = td_begin_refreshing(softs);
    td_refresh_lanes lanes[2];
    lanes[0].count = lanes[1].count = 0;
    for (size_t i = 0; i < item->count; ++i) {
        const size_t place = td_place_of(softs, item->place + i, adding->before);
        td_make_contact(softs, &softs->pairs.items[item->pair], &found[i], place);
        td_refresh_contact(lanes, &refreshing, place);
    }
    td_end_refreshing(lanes, &refreshing);
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
