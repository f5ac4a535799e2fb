// Contacts within a sub-step: where two features are nearest (side by side), then one after the other what
// parts them, and friction.
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

uint8_t td_evaluate_contact(const td_softs *softs, size_t place, double part) {
    const td_four_points *pair = &softs->near_pairs.items[place];
    td_soft_contact *contact = &softs->contacts.items[place];
    contact->push = 0;
    const td_obstacle *o = pair->obstacle != TD_NONE ? &softs->obstacles[pair->obstacle] : NULL;
    td_vec3 p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = td_point_now(pair, softs, o, i);
    }
    const td_closest near = pair->kind == TD_EDGE_EDGE ? td_closest_edges(p[0], p[1], p[2], p[3])
                                                       : td_closest_vertex_face(p[0], p[1], p[2], p[3]);
    const double gap = td_gap_of(&contact->normal, &near, softs, place, o, p);
    const double acts = TD_SOFT_ACTIVE * td_wanted(contact, part);
    contact->active = gap < acts;
    if (!contact->active) {
        const uint8_t rest = td_rest_of(td_length(near.way) - acts, contact->pace);
        return gap < INFINITY || rest > TD_REST_ASIDE ? rest : TD_REST_ASIDE;
    }
    td_vec3 at = td_vec3_make(0, 0, 0);
    for (int i = 0; i < 4; ++i) {
        contact->weight[i] = near.weight[i];
        at = pair->rigid >> i & 1 ? td_add(at, td_scale(p[i], near.weight[i])) : at;
    }
    if (o != NULL) { // `at` is the point of contact, or with the other sign
        const double sign = pair->rigid & 1 ? 1 : -1;
        contact->point_at = at;
        contact->arm = td_sub(td_scale(at, sign), o->at.position);
        const td_vec3 own = td_mat3_unapply(o->turn[1], contact->arm);
        contact->slide =
            td_scale(td_sub(td_scale(at, sign), td_add(o->before, td_mat3_apply(o->turn_before, own))), sign);
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------------------

// What the obstacle's point has been moved by in this pass, with its sign in the contact.
static td_vec3 td_obstacle_moved(const td_obstacle *o, const td_four_points *pair,
                                 const td_soft_contact *contact) {
    const td_vec3 moved = td_add(o->moved, td_cross(o->turned, contact->arm));
    return pair->rigid & 1 ? moved : td_scale(moved, -1);
}

static double td_obstacle_weight(const td_obstacle *o, const td_soft_contact *contact, td_vec3 direction) {
    if (!(o->inverse_mass > 0)) {
        return 0;
    }
    const td_vec3 turn = td_cross(contact->arm, direction);
    return o->inverse_mass + td_dot(turn, td_sym3_apply(o->inverse_inertia_now, turn));
}

// `impulse` times 1/h is what the first feature gets.
static void td_push(td_softs *softs, const td_four_points *pair, const td_soft_contact *contact,
                    td_obstacle *o, td_vec3 impulse) {
    for (int i = 0; i < 4; ++i) {
        if (!(pair->rigid >> i & 1)) {
            const uint32_t v = pair->point[i];
            softs->x.items[v] =
                td_add(softs->x.items[v], td_scale(impulse, contact->weight[i] * softs->weight.items[v]));
        }
    }
    if (o != NULL && o->inverse_mass > 0) {
        const td_vec3 on = pair->rigid & 1 ? impulse : td_scale(impulse, -1);
        o->moved = td_add(o->moved, td_scale(on, o->inverse_mass));
        o->turned = td_add(o->turned, td_sym3_apply(o->inverse_inertia_now, td_cross(contact->arm, on)));
    }
}

static void td_solve_contact(td_softs *softs, size_t place, double h, double part) {
    const td_four_points *pair = &softs->near_pairs.items[place];
    td_soft_contact *contact = &softs->contacts.items[place];
    td_obstacle *o = pair->obstacle != TD_NONE ? &softs->obstacles[pair->obstacle] : NULL;
    td_vec3 apart =
        o != NULL ? td_add(contact->point_at, td_obstacle_moved(o, pair, contact)) : td_vec3_make(0, 0, 0);
    td_vec3 way =
        o != NULL ? td_add(contact->slide, td_obstacle_moved(o, pair, contact)) : td_vec3_make(0, 0, 0);
    double weights = 0;
    for (int i = 0; i < 4; ++i) {
        if (!(pair->rigid >> i & 1)) {
            const uint32_t v = pair->point[i];
            const double k = contact->weight[i];
            apart = td_add(apart, td_scale(softs->x.items[v], k));
            way = td_add(way, td_scale(td_sub(softs->x.items[v], softs->previous.items[v]), k));
            weights += k * k * softs->weight.items[v];
        }
    }
    const td_vec3 n = contact->normal;
    const double missing = td_wanted(contact, part) - td_dot(n, apart);
    const double along_n = weights + (o != NULL ? td_obstacle_weight(o, contact, n) : 0);
    if (!(missing > 0) || !(along_n > 0)) {
        return;
    }
    const double push = missing / along_n;
    contact->push = (float)(push / h);
    td_vec3 impulse = td_scale(n, push);
    // Friction: what moved along the surfaces in this sub-step is taken back, within Coulomb's cone.
    const td_vec3 slip = td_sub(way, td_scale(n, td_dot(n, way)));
    const double slid = td_length(slip);
    if (slid > 0 && contact->friction > 0) {
        const td_vec3 t = td_scale(slip, 1 / slid);
        const double along_t = weights + (o != NULL ? td_obstacle_weight(o, contact, t) : 0);
        const double rub = fmin(slid / along_t, (double)contact->friction * push);
        impulse = td_sub(impulse, td_scale(t, rub));
    }
    td_push(softs, pair, contact, o, impulse);
}

void td_solve_soft_contacts(td_softs *softs, const uint32_t *acting, uint32_t count, double h, double part) {
    for (uint32_t i = 0; i < count; ++i) {
        td_solve_contact(softs, acting[i], h, part);
    }
}
