// Contacts within a sub-step: where two features are nearest (side by side), then, some times over, one after
// the other what parts them, and friction. Impulses of the sub-step are added up, and it is their sum that
// only pushes, within Coulomb's cone: so what was too much is taken back when others have their share.
#include "softs.h"

#include "../predicates/moving.h"
#include "closest.h"

#include <math.h>

// Sub-steps in which a pair that is nearest at the border of a feature need not be looked at again: there are
// others that have the contact meanwhile.
enum { TD_REST_ASIDE = 2 };

static td_vec3 td_point_now(const td_four_points *pair, const td_softs *softs, const td_obstacle *o, int i) {
    return pair->rigid >> i & 1 ? td_obstacle_point(o, o->at.position, o->turn[1], pair->point[i])
                                : softs->x.items[pair->point[i]];
}

// Where it was at the beginning of the lap.
static td_vec3 td_point_before(const td_four_points *pair, const td_softs *softs, const td_obstacle *o,
                               int i) {
    return pair->rigid >> i & 1 ? td_obstacle_point(o, o->lap[0].position, o->turn[0], pair->point[i])
                                : softs->start.items[pair->point[i]];
}

enum { TD_HALVINGS = 24 };

// Two that are on other sides of each other than they began on: whether they went through each other, and not
// around a border or, of a face, turned over. Everything goes straight from the beginning of the lap, as the
// exact tests (certain.c) will take it; when all four are in one plane, the two cross if they do in it.
static bool td_went_through(const td_four_points *pair, const td_softs *softs, const td_obstacle *o,
                            const td_vec3 p[4]) {
    td_path paths[4];
    for (int i = 0; i < 4; ++i) {
        paths[i] = (td_path){{td_point_before(pair, softs, o, i), p[i]}};
    }
    td_vec3 q[4] = {paths[0].at[0], paths[1].at[0], paths[2].at[0], paths[3].at[0]};
    const bool begins = td_spanned(q[1], q[2], q[3], q[0]) > 0;
    if (begins == (td_spanned(p[1], p[2], p[3], p[0]) > 0)) {
        return false;
    }
    double before = 0, after = 1;
    for (int k = 0; k < TD_HALVINGS; ++k) {
        const double middle = 0.5 * (before + after);
        for (int i = 0; i < 4; ++i) {
            q[i] = td_path_at(&paths[i], middle);
        }
        const bool same = begins == (td_spanned(q[1], q[2], q[3], q[0]) > 0);
        before = same ? middle : before;
        after = same ? after : middle;
    }
    return pair->kind == TD_EDGE_EDGE ? td_closest_edges(q[0], q[1], q[2], q[3]).within
                                      : td_closest_vertex_face(q[0], q[1], q[2], q[3]).within;
}

// Signed by the side of the face that the vertex began on; of two edges, by the way they began to be apart.
static double td_signed_gap(td_vec3 *normal, const td_closest *near, const td_four_points *pair,
                            const td_soft_contact *contact, const td_vec3 p[4]) {
    const double length = td_length(near->way);
    if (pair->kind == TD_VERTEX_FACE && near->within) {
        const td_vec3 up = td_cross(td_sub(p[2], p[1]), td_sub(p[3], p[1]));
        *normal = td_scale(up, contact->sign / td_length(up));
        return td_dot(*normal, near->way);
    }
    if (pair->kind == TD_EDGE_EDGE && !near->within) {
        return INFINITY; // a vertex is nearer to an edge then, and has a contact of its own
    }
    if (!(length > 0)) {
        *normal = contact->from_normal;
        return 0;
    }
    *normal = td_scale(near->way, 1 / length);
    if (td_dot(*normal, contact->from_normal) >= 0) {
        return length;
    }
    *normal = td_scale(*normal, -1);
    return pair->kind == TD_EDGE_EDGE ? -length : INFINITY;
}

// Who went around is apart on that side. Pushed back to the other one, it would be pushed through.
static double td_gap_of(td_vec3 *normal, const td_closest *near, const td_softs *softs, size_t place,
                        const td_obstacle *o, const td_vec3 p[4]) {
    const td_four_points *pair = &softs->near_pairs.items[place];
    const double gap = td_signed_gap(normal, near, pair, &softs->contacts.items[place], p);
    if (gap < 0 && !td_went_through(pair, softs, o, p)) {
        *normal = td_scale(*normal, -1);
        return -gap;
    }
    return gap;
}

// How far apart the two are to be at a part of the lap.
static double td_wanted(const td_soft_contact *contact, double part) {
    return contact->from < contact->distance ? contact->from + part * (contact->distance - contact->from)
                                             : contact->distance;
}

// What solving needs of the obstacle; `at` is the point of contact, with its sign.
static void td_add_obstacle(td_acting *out, const td_obstacle *o, td_vec3 at) {
    const double sign = out->pair.rigid & 1 ? 1 : -1;
    out->point_at = at;
    out->arm = td_sub(td_scale(at, sign), o->at.position);
    const td_vec3 own = td_mat3_unapply(o->turn[1], out->arm);
    out->slide =
        td_scale(td_sub(td_scale(at, sign), td_add(o->before, td_mat3_apply(o->turn_before, own))), sign);
    out->yields += td_obstacle_weight(o, out->arm, out->normal);
}

// How far the first feature is ahead of the second along the direction in which they were nearest to each
// other at the beginning of the lap: they are at least as far apart.
static double td_still_ahead(const td_four_points *pair, td_vec3 direction, const td_vec3 p[4]) {
    const td_vec3 from = p[3];
    const double h0 = td_dot(direction, td_sub(p[0], from)), h1 = td_dot(direction, td_sub(p[1], from)),
                 h2 = td_dot(direction, td_sub(p[2], from));
    const double most = h2 > 0 ? h2 : 0, next = h1 > most ? h1 : most, least = h1 < h0 ? h1 : h0;
    return pair->kind == TD_EDGE_EDGE ? least - most : h0 - next;
}

uint8_t td_evaluate_contact(td_acting *out, const td_softs *softs, size_t place, double part) {
    const td_four_points *pair = &softs->near_pairs.items[place];
    td_soft_contact *contact = &softs->contacts.items[place];
    const td_obstacle *o = pair->obstacle != TD_NONE ? &softs->obstacles[pair->obstacle] : NULL;
    td_vec3 p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = td_point_now(pair, softs, o, i);
    }
    const double wanted = td_wanted(contact, part),
                 acts = (softs->turns.weighty ? TD_SOFT_ACTIVE_WEIGHTY : TD_SOFT_ACTIVE) * wanted;
    // Most of those that do not act are told so by this, without the branches of looking for nearest points.
    const double ahead = td_still_ahead(pair, contact->from_normal, p);
    if (ahead > acts) {
        contact->active = false;
        return td_rest_of(ahead - acts, contact->pace);
    }
    const td_closest near = pair->kind == TD_EDGE_EDGE ? td_closest_edges(p[0], p[1], p[2], p[3])
                                                       : td_closest_vertex_face(p[0], p[1], p[2], p[3]);
    const double gap = td_gap_of(&contact->normal, &near, softs, place, o, p);
    contact->active = gap < acts;
    if (!contact->active) {
        const uint8_t rest = td_rest_of(td_length(near.way) - acts, contact->pace);
        return gap < INFINITY || rest > TD_REST_ASIDE ? rest : TD_REST_ASIDE;
    }
    out->pair = *pair;
    out->place = (uint32_t)place;
    out->friction = contact->friction;
    out->normal = contact->normal;
    out->wanted = wanted;
    out->pushed = out->lightness = 0;
    out->rubbed = td_vec3_make(0, 0, 0);
    td_vec3 at = out->rubbed;
    for (int i = 0; i < 4; ++i) {
        const double k = out->weight[i] = near.weight[i];
        if (pair->rigid >> i & 1) {
            at = td_add(at, td_scale(p[i], k));
        } else {
            out->lightness += k * k * softs->weight.items[pair->point[i]];
        }
    }
    out->yields = out->lightness;
    if (o != NULL) {
        td_add_obstacle(out, o, at);
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------------------

// With its sign in the contact: what is of the obstacle.
static td_vec3 td_signed(const td_acting *acting, td_vec3 v) {
    return acting->pair.rigid & 1 ? v : td_scale(v, -1);
}

// What the obstacle's point has been moved by in this sub-step.
static td_vec3 td_obstacle_moved(const td_obstacle *o, const td_acting *acting) {
    return td_signed(acting, td_nudged_at(&o->moved, acting->arm));
}

// `impulse` goes to the first feature, what is opposite to it to the second: to `items`, which are positions
// or velocities of vertices, and likewise to `to` of the obstacle. Points that nothing moves are not written,
// as contacts in several slabs may be of one.
static void td_push(td_vec3 *items, td_nudge *to, const td_softs *softs, const td_acting *acting,
                    const td_obstacle *o, td_vec3 impulse) {
    for (int i = 0; i < 4; ++i) {
        const uint32_t v = acting->pair.point[i];
        if (!(acting->pair.rigid >> i & 1) && softs->weight.items[v] > 0) {
            items[v] = td_add(items[v], td_scale(impulse, acting->weight[i] * softs->weight.items[v]));
        }
    }
    if (o != NULL) {
        td_push_obstacle(to, o, acting->arm, td_signed(acting, impulse));
    }
}

// Of all that slid along the surfaces in this sub-step.
static td_vec3 td_friction_of(const td_softs *softs, const td_acting *acting, const td_obstacle *o) {
    td_vec3 way = o != NULL ? td_add(acting->slide, td_obstacle_moved(o, acting)) : td_vec3_make(0, 0, 0);
    for (int i = 0; i < 4; ++i) {
        if (!(acting->pair.rigid >> i & 1)) {
            const uint32_t v = acting->pair.point[i];
            const td_vec3 own = td_sub(softs->x.items[v], softs->previous.items[v]);
            way = td_add(way, td_scale(own, acting->weight[i]));
        }
    }
    const td_vec3 n = acting->normal, slip = td_sub(way, td_scale(n, td_dot(n, way)));
    double along = acting->lightness;
    if (o != NULL && o->inverse_mass > 0) {
        const double slid = td_length(slip);
        along += td_obstacle_weight(o, acting->arm, slid > 0 ? td_scale(slip, 1 / slid) : n);
    }
    return td_rub(acting->rubbed, slip, along, (double)acting->friction * acting->pushed);
}

// Returns whether it has to be looked at again in this sub-step: not what is apart by more than others may
// well push it together meanwhile. `change`: the most that anything was moved by, in parts of what is wanted.
static bool td_solve_contact(double *change, td_softs *softs, td_acting *acting, double spare) {
    td_obstacle *o = acting->pair.obstacle != TD_NONE ? &softs->obstacles[acting->pair.obstacle] : NULL;
    td_vec3 apart =
        o != NULL ? td_add(acting->point_at, td_obstacle_moved(o, acting)) : td_vec3_make(0, 0, 0);
    for (int i = 0; i < 4; ++i) {
        if (!(acting->pair.rigid >> i & 1)) {
            apart = td_add(apart, td_scale(softs->x.items[acting->pair.point[i]], acting->weight[i]));
        }
    }
    const double missing = acting->wanted - td_dot(acting->normal, apart);
    if (!(acting->yields > 0) || !(missing > 0 || acting->pushed > 0)) {
        return acting->yields > 0 && missing > -spare * acting->wanted;
    }
    const double pushed = fmax(0, acting->pushed + missing / acting->yields);
    *change = fmax(*change, fabs(pushed - acting->pushed) * acting->yields / acting->wanted);
    td_vec3 impulse = td_scale(acting->normal, pushed - acting->pushed);
    acting->pushed = pushed;
    if (acting->friction > 0) {
        const td_vec3 rubbed = td_friction_of(softs, acting, o);
        impulse = td_add(impulse, td_sub(rubbed, acting->rubbed));
        acting->rubbed = rubbed;
    }
    td_push(softs->x.items, o != NULL ? &o->moved : NULL, softs, acting, o, impulse);
    return true;
}

uint32_t td_solve_soft_contacts(double *change, uint32_t *again, td_softs *softs, const uint32_t *places,
                                uint32_t count, double spare) {
    uint32_t left = 0;
    *change = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (td_solve_contact(change, softs, &softs->turns.acting.items[places[i]], spare)) {
            again[left++] = places[i];
        }
    }
    return left;
}

// Contacts have no restitution. What one moves at once that others had left too near, or that came near
// unseen, would fly off at the way over the sub-step; vertices between layers would tremble for good.
static void td_slow_contact(td_softs *softs, const td_acting *acting, double rate) {
    td_obstacle *o = acting->pair.obstacle != TD_NONE ? &softs->obstacles[acting->pair.obstacle] : NULL;
    td_vec3 velocity = td_vec3_make(0, 0, 0);
    if (o != NULL) {
        const td_vec3 way = td_add(acting->slide, td_obstacle_moved(o, acting));
        velocity = td_add(td_scale(way, rate), td_signed(acting, td_nudged_at(&o->slowed, acting->arm)));
    }
    for (int i = 0; i < 4; ++i) {
        if (!(acting->pair.rigid >> i & 1)) {
            velocity = td_add(velocity, td_scale(softs->v.items[acting->pair.point[i]], acting->weight[i]));
        }
    }
    const double parts = td_dot(acting->normal, velocity) - TD_PARTING_SPEED;
    if (parts > 0) {
        const double most = acting->pushed * rate;
        td_push(softs->v.items, o != NULL ? &o->slowed : NULL, softs, acting, o,
                td_scale(acting->normal, -fmin(parts / acting->yields, most)));
    }
}

void td_slow_soft_contacts(td_softs *softs, const uint32_t *places, uint32_t count, double rate) {
    for (uint32_t i = 0; i < count; ++i) {
        const td_acting *acting = &softs->turns.acting.items[places[i]];
        if (acting->pushed > 0) {
            td_slow_contact(softs, acting, rate);
        }
    }
}
