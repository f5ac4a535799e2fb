// Certainty: between the beginning of a lap and its end nothing passes through anything.
//
// Every vertex, of soft bodies and of obstacles, goes straight from where it was to where it is. Whatever
// came to intersect would touch on the way, in a vertex and a face or in two edges, and the exact continuous
// tests miss none of these. What touches is held back: first it goes a part of its way, then, in later
// rounds, none. At the beginning nothing touched, so two that both stay touch no more; every round stops
// something more that moved, so there is a last one.
//
// Which pairs to test is known from the search, as long as everything is near its line (lines.c), at both
// ends of the lap. What is not gets another line, along its way, and is searched for. What is held back moves
// otherwise than it was tested: it is tested again.
#include "../core/context.h"
#include "../core/error.h"
#include "softs.h"

#include <math.h>
#include <string.h>

enum {
    TD_ROUNDS_OF_PUSHES = 8,  // in which what would pass is pushed apart, before anything is held back
    TD_ROUNDS_OF_PARTS = 2,   // in which a part of the way is allowed
    TD_ROUNDS_WITH_FORCE = 64 // ... if something takes part that cannot be halted: then it goes through
};

// ---------------------------------------------------------------------------------------------------------
// Tests

static td_moving_points td_points_of_pair(const td_softs *softs, const td_four_points *pair) {
    td_moving_points points;
    const td_obstacle *o = pair->obstacle != TD_NONE ? &softs->obstacles[pair->obstacle] : NULL;
    for (int i = 0; i < 4; ++i) {
        const uint32_t v = pair->point[i];
        if (pair->rigid >> i & 1) {
            points.at[0][i] = td_obstacle_point(o, o->lap[0].position, o->turn[0], v);
            points.at[1][i] = td_obstacle_point(o, o->at.position, o->turn[1], v);
        } else {
            points.at[0][i] = softs->start.items[v];
            points.at[1][i] = softs->x.items[v];
        }
    }
    return points;
}

// Whether a plane of this direction is between the two features all the time: a point of one is ahead of a
// point of the other at both ends, hence all the way, by more than roundings could make.
static bool td_stays_ahead(const td_moving_points *points, int kind, td_vec3 direction) {
    const int split = kind == TD_EDGE_EDGE ? 2 : 1;
    for (int t = 0; t < 2; ++t) {
        double least = INFINITY, most = -INFINITY, size = 0;
        const td_vec3 about = points->at[t][3];
        for (int i = 0; i < 4; ++i) {
            const td_vec3 d = td_sub(points->at[t][i], about);
            const double height = td_dot(direction, d);
            least = i < split && height < least ? height : least;
            most = i >= split && height > most ? height : most;
            size = fmax(size, fabs(points->at[t][i].x) + fabs(points->at[t][i].y) + fabs(points->at[t][i].z));
        }
        if (!(least - most > 0x1p-46 * size)) {
            return false;
        }
    }
    return true;
}

typedef struct td_testing {
    td_softs *softs;
    bool again; // only what moves otherwise than it did
    atomic_int result;
} td_testing;

enum { TD_TESTS_OF_TASK = 1024 };

static bool td_moves_otherwise(const td_softs *softs, const td_four_points *pair) {
    const td_obstacle *o = pair->obstacle != TD_NONE ? &softs->obstacles[pair->obstacle] : NULL;
    bool marked = o != NULL && (o->marked || o->moved_back);
    for (int i = 0; i < 4; ++i) {
        marked = marked || (!(pair->rigid >> i & 1) && softs->marks.items[pair->point[i]]);
    }
    return marked;
}

// What went less far than the two were apart at the beginning did not touch. In a heap that is most, and
// needs no more than these few numbers.
static bool td_is_out_of_reach(const td_softs *softs, const td_four_points *pair, double clear) {
    const int split = pair->kind == TD_EDGE_EDGE ? 2 : 1;
    const float rigid = pair->obstacle != TD_NONE ? softs->obstacles[pair->obstacle].gone : 0;
    float gone[2] = {0, 0};
    for (int i = 0; i < 4; ++i) {
        const float own = pair->rigid >> i & 1 ? rigid : softs->gone.items[pair->point[i]];
        gone[i >= split] = own > gone[i >= split] ? own : gone[i >= split];
    }
    return clear > (double)gone[0] + (double)gone[1];
}

// Time of the first touch; 2: never.
static td_result td_test_contact(double *time, const td_softs *softs, size_t place) {
    const td_four_points *pair = &softs->near_pairs.items[place];
    const td_soft_contact *contact = &softs->contacts.items[place];
    *time = 2;
    if (td_is_out_of_reach(softs, pair, contact->clear)) {
        return TD_OK;
    }
    const td_moving_points points = td_points_of_pair(softs, pair);
    if (td_stays_ahead(&points, pair->kind, contact->from_normal)) {
        return TD_OK;
    }
    if (contact->active && td_stays_ahead(&points, pair->kind, contact->normal)) {
        return TD_OK;
    }
    const td_moving_def def = {.cookie = TD_COOKIE_MOVING};
    td_moving_contact found;
    TD_TRY(td_decide_moving(&found, softs->context, &points, pair->kind, &def));
    *time = found.touching ? found.time : 2;
    return TD_OK;
}

static void td_test_task(uint32_t number, void *payload) {
    td_testing *testing = payload;
    td_softs *softs = testing->softs;
    const size_t first = (size_t)number * TD_TESTS_OF_TASK, rest = softs->contacts.count - first;
    for (size_t i = first; i < first + (rest < TD_TESTS_OF_TASK ? rest : TD_TESTS_OF_TASK); ++i) {
        softs->times.items[i] = 2;
        if (softs->rests.items[i] == TD_DEAD ||
            (testing->again && !td_moves_otherwise(softs, &softs->near_pairs.items[i]))) {
            continue;
        }
        const td_result result = td_test_contact(&softs->times.items[i], softs, i);
        if (result != TD_OK) {
            atomic_store(&testing->result, (int)result);
            return;
        }
    }
}

static td_result td_test_contacts(td_softs *softs, bool again) {
    const size_t count = softs->contacts.count;
    softs->times.count = 0;
    TD_TRY(td_array_reserve(softs->context, &softs->times, count));
    td_testing testing = {.softs = softs, .again = again};
    atomic_init(&testing.result, (int)TD_OK);
    td_run_tasks(softs->context, td_test_task, (uint32_t)((count + TD_TESTS_OF_TASK - 1) / TD_TESTS_OF_TASK),
                 &testing);
    const td_result result = (td_result)atomic_load(&testing.result);
    if (result != TD_OK) {
        return td_fail(result, "out of memory in a continuous test");
    }
    for (size_t i = 0; i < count; ++i) {
        if (softs->times.items[i] <= 1) {
            TD_TRY(td_array_reserve(softs->context, &softs->hits, 1));
            const td_soft_contact *contact = &softs->contacts.items[i];
            softs->hits.items[softs->hits.count++] = (td_soft_hit){.pair = softs->near_pairs.items[i],
                                                                   .thickness = contact->thickness,
                                                                   .distance = contact->distance,
                                                                   .time = softs->times.items[i]};
        }
    }
    return TD_OK;
}

// What was hit is tested again as it moves now, even if it could not be held back.
static void td_mark_hits(td_softs *softs) {
    td_softs_unmark(softs);
    for (size_t i = 0; i < softs->hits.count; ++i) {
        const td_soft_hit *hit = &softs->hits.items[i];
        for (int k = 0; k < 4; ++k) {
            if (!(hit->pair.rigid >> k & 1)) {
                softs->marks.items[hit->pair.point[k]] = TD_MARK_MOVED;
            }
        }
        if (hit->pair.obstacle != TD_NONE && !softs->obstacles[hit->pair.obstacle].stubborn) {
            softs->obstacles[hit->pair.obstacle].moved_back = true;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Holding back

static void td_hold_vertex(td_softs *softs, uint32_t v, double part) {
    if (softs->weight.items[v] > 0 && part < softs->held.items[v]) {
        softs->report.held += softs->held.items[v] == 1;
        softs->held.items[v] = part;
    }
}

// Who moves with something that cannot be halted is carried by it.
static uint32_t td_carrier_of(const td_softs *softs, const td_soft_hit *hit) {
    if (hit->pair.obstacle != TD_NONE && softs->obstacles[hit->pair.obstacle].stubborn) {
        return hit->pair.obstacle;
    }
    for (int i = 0; i < 4; ++i) {
        if (!(hit->pair.rigid >> i & 1) && softs->carrier.items[hit->pair.point[i]] != TD_NONE) {
            return softs->carrier.items[hit->pair.point[i]];
        }
    }
    return TD_NONE;
}

static void td_hold_hit(td_softs *softs, const td_soft_hit *hit, uint32_t round) {
    td_obstacle *o = hit->pair.obstacle != TD_NONE ? &softs->obstacles[hit->pair.obstacle] : NULL;
    const bool parts = round < TD_ROUNDS_OF_PARTS;
    const uint32_t carrier = parts ? TD_NONE : td_carrier_of(softs, hit);
    for (int i = 0; i < 4; ++i) {
        const uint32_t v = hit->pair.point[i];
        if (hit->pair.rigid >> i & 1) {
            continue;
        }
        if (carrier != TD_NONE && softs->weight.items[v] > 0) {
            softs->carrier.items[v] = carrier;
        }
        td_hold_vertex(softs, v, parts ? 0.7 * hit->time * softs->tested.items[v] : 0);
    }
    if (o != NULL && !o->stubborn) {
        const double part = parts ? 0.7 * hit->time * o->tested : 0;
        softs->report.held += part < o->held && o->held == 1;
        o->held = fmin(o->held, part);
    }
}

static td_vec3 td_carried_to(const td_softs *softs, uint32_t v) {
    const td_obstacle *o = &softs->obstacles[softs->carrier.items[v]];
    const td_vec3 own = td_mat3_unapply(o->turn[0], td_sub(softs->start.items[v], o->lap[0].position));
    return td_add(o->at.position, td_mat3_apply(o->turn[1], own));
}

// `previous` holds where the sub-steps and pushes brought the vertices.
static void td_put_back(td_softs *softs) {
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        const double part = softs->held.items[v];
        if (softs->carrier.items[v] != TD_NONE) {
            softs->x.items[v] = td_carried_to(softs, v);
        } else if (part < 1) {
            const td_vec3 start = softs->start.items[v];
            softs->x.items[v] =
                part > 0 ? td_add(start, td_scale(td_sub(softs->previous.items[v], start), part)) : start;
        }
    }
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        td_obstacle *o = &softs->obstacles[i];
        if (o->there && o->held < 1) {
            const td_obstacle way = {.start = o->lap[0], .end = o->reached};
            o->at = o->held > 0 ? td_obstacle_stand(&way, o->held) : o->lap[0];
            o->turn[1] = td_quat_matrix(o->at.rotation);
        }
    }
}

static bool td_is_forced(const td_softs *softs) {
    for (size_t i = 0; i < softs->hits.count; ++i) {
        if (td_carrier_of(softs, &softs->hits.items[i]) != TD_NONE) {
            return true;
        }
    }
    return false;
}

// The part of its velocity that is left to a rigid body that was held back to a part of its way. Half at
// least: what is stopped again and again must be able to gather the speed that frees it. Vertices keep no
// more than their part: a sheet in folds that kept half would never come to rest.
static double td_kept(double held) {
    return fmax(held, 0.5);
}

// What was held back has less speed; what was carried has that of its carrier.
static void td_settle_velocities(td_softs *softs, double time) {
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        if (softs->carrier.items[v] != TD_NONE) {
            softs->v.items[v] = td_scale(td_sub(softs->x.items[v], softs->start.items[v]), 1 / time);
        } else if (softs->held.items[v] < 1) {
            softs->v.items[v] = td_scale(softs->v.items[v], softs->held.items[v]);
        }
    }
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        td_obstacle *o = &softs->obstacles[i];
        if (o->there && o->held < 1) {
            o->touched = true;
            o->kept *= td_kept(o->held);
            td_obstacle free_one = *o;
            free_one.touched = false;
            const td_stand base = td_obstacle_stand(&free_one, softs->lap_end);
            o->shift = td_sub(o->at.position, base.position);
            o->twist = td_quat_mul(o->at.rotation, td_quat_conjugate(base.rotation));
        }
    }
}

static void td_begin_certainty(td_softs *softs) {
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        softs->held.items[v] = softs->tested.items[v] = 1;
        softs->carrier.items[v] = TD_NONE;
    }
    for (uint32_t i = 0; i < softs->obstacle_count; ++i) {
        softs->obstacles[i].held = softs->obstacles[i].tested = 1;
        softs->obstacles[i].reached = softs->obstacles[i].at;
    }
}

// From here on vertices are between where they were at the beginning of the lap and where they are now.
static void td_begin_holding(td_softs *softs) {
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        softs->previous.items[v] = softs->x.items[v];
    }
}

// What was held back is, from now on, what is tested.
static void td_hold_all(td_softs *softs, uint32_t round) {
    for (size_t i = 0; i < softs->hits.count; ++i) {
        td_hold_hit(softs, &softs->hits.items[i], round);
    }
    td_put_back(softs);
    td_mark_hits(softs);
    for (size_t i = 0; i < softs->hits.count; ++i) {
        const td_soft_hit *hit = &softs->hits.items[i];
        for (int k = 0; k < 4; ++k) {
            if (!(hit->pair.rigid >> k & 1)) {
                softs->tested.items[hit->pair.point[k]] = softs->held.items[hit->pair.point[k]];
            }
        }
        if (hit->pair.obstacle != TD_NONE) {
            softs->obstacles[hit->pair.obstacle].tested = softs->obstacles[hit->pair.obstacle].held;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

// Not less, whatever is rounded.
static float td_rounded_up(double way) {
    return (float)(way * (1 + 0x1p-20)) + 1e-30f;
}

static float td_obstacle_gone(const td_obstacle *o) {
    const td_vec3 d[3] = {td_sub(o->turn[1].row0, o->turn[0].row0), td_sub(o->turn[1].row1, o->turn[0].row1),
                          td_sub(o->turn[1].row2, o->turn[0].row2)};
    const double turned = sqrt(td_dot(d[0], d[0]) + td_dot(d[1], d[1]) + td_dot(d[2], d[2]));
    const td_vec3 a = o->lap[0].position, b = o->at.position;
    const double size = fabs(a.x) + fabs(a.y) + fabs(a.z) + fabs(b.x) + fabs(b.y) + fabs(b.z) + o->radius;
    return td_rounded_up(td_length(td_sub(b, a)) + o->radius * turned + 0x1p-46 * size);
}

// How far everything went; `again`: what has been moved since.
static void td_measure_ways(td_softs *softs, bool again) {
    for (uint32_t v = 0; v < softs->vertex_count; ++v) {
        if (!again || softs->marks.items[v]) {
            softs->gone.items[v] = td_rounded_up(td_length(td_sub(softs->x.items[v], softs->start.items[v])));
        }
    }
    for (size_t i = 0; i < softs->near.count; ++i) {
        td_obstacle *o = &softs->obstacles[softs->near.items[i]];
        o->gone = td_obstacle_gone(o);
    }
}

// What touches by now; `again`: of what moves otherwise than it was tested. What is off its line is found
// first.
static td_result td_test(td_softs *softs, bool again) {
    softs->hits.count = 0;
    TD_TRY(td_softs_redraw_behind(softs) ? td_softs_search_marked(softs) : TD_OK);
    td_measure_ways(softs, again);
    return td_test_contacts(softs, again);
}

// What touches is pushed apart, while that helps; returns with hits that are left.
static td_result td_push_apart(td_softs *softs, double time) {
    for (uint32_t round = 0; round < TD_ROUNDS_OF_PUSHES; ++round) {
        if (softs->hits.count == 0 || td_push_hits(softs, time) == 0) {
            return TD_OK;
        }
        td_mark_hits(softs);
        TD_TRY(td_test(softs, true));
    }
    return TD_OK;
}

td_result td_softs_make_certain(td_softs *softs, double time) {
    td_begin_certainty(softs);
    td_softs_unmark(softs);
    TD_TRY(td_test(softs, false));
    const size_t first = softs->hits.count;
    TD_TRY(td_push_apart(softs, time));
    softs->report.pushed += first > softs->hits.count ? first - softs->hits.count : 0;
    td_begin_holding(softs);
    for (uint32_t round = 0; softs->hits.count > 0; ++round) {
        softs->report.rounds = round + 1 > softs->report.rounds ? round + 1 : softs->report.rounds;
        if (round >= TD_ROUNDS_WITH_FORCE && td_is_forced(softs)) {
            softs->report.passed += softs->hits.count;
            break;
        }
        td_hold_all(softs, round);
        TD_TRY(td_test(softs, true));
    }
    td_settle_velocities(softs, time);
    return TD_OK;
}
