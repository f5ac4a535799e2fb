// Contacts that act in a sub-step (evaluate.c): some times over, one after the other, what parts them, and
// friction. Impulses of the sub-step are added up, and it is their sum that
// only pushes, within Coulomb's cone: so what was too much is taken back when others have their share.
#include "softs.h"

#include <math.h>

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
