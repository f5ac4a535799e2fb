// Contacts that act in a sub-step (evaluate.c): some times over, one after the other, what parts them, and
// friction. Impulses of the sub-step are added up, and it is their sum that only pushes, within Coulomb's
// cone: so what was too much is taken back when others have their share.
#include "softs.h"

#include <math.h>

static td_obstacle *td_mover_of(const td_softs *softs, const td_acting *acting) {
    return acting->mover != TD_NONE ? &softs->obstacles[acting->mover] : NULL;
}

// What the point of contact is moved by if the mover is nudged; with its sign in the contact.
static td_vec3 td_nudged_by(const td_nudge *by, const td_acting *acting) {
    return td_scale(td_nudged_at(by, acting->arm), acting->sign);
}

// `sum` and what the soft points add to it: positions or velocities of vertices.
static inline td_vec3 td_add_weighed(td_vec3 sum, const td_vec3 *items, const td_acting *acting) {
    for (uint32_t i = 0; i < acting->points; ++i) {
        sum = td_add(sum, td_scale(items[acting->point[i]], acting->weight[i]));
    }
    return sum;
}

// `impulse` goes to the first feature, what is opposite to it to the second: to `items`, which are positions
// or velocities of vertices, and likewise to `to` of the mover. Points that nothing moves are not written, as
// contacts in several slabs may be of one.
static inline void td_push(td_vec3 *items, td_nudge *to, const td_softs *softs, const td_acting *acting,
                           const td_obstacle *mover, td_vec3 impulse) {
    for (uint32_t i = 0; i < acting->points; ++i) {
        const uint32_t v = acting->point[i];
        const double weight = softs->weight.items[v];
        if (weight > 0) {
            items[v] = td_add(items[v], td_scale(impulse, acting->weight[i] * weight));
        }
    }
    if (mover != NULL) {
        td_push_obstacle(to, mover, acting->arm, td_scale(impulse, acting->sign));
    }
}

// Of all that slid along the surfaces in this sub-step.
static inline td_vec3 td_friction_of(const td_softs *softs, const td_acting *acting,
                                     const td_obstacle *mover) {
    td_vec3 way = acting->slide;
    if (mover != NULL) {
        way = td_add(way, td_nudged_by(&mover->moved, acting));
    }
    for (uint32_t i = 0; i < acting->points; ++i) {
        const uint32_t v = acting->point[i];
        const td_vec3 own = td_sub(softs->x.items[v], softs->previous.items[v]);
        way = td_add(way, td_scale(own, acting->weight[i]));
    }
    const td_vec3 n = acting->normal, slip = td_sub(way, td_scale(n, td_dot(n, way)));
    double along = acting->yields;
    if (mover != NULL) {
        const double slid = td_length(slip);
        along = acting->lightness +
                td_obstacle_weight(mover, acting->arm, slid > 0 ? td_scale(slip, 1 / slid) : n);
    }
    return td_rub(acting->rubbed, slip, along, (double)acting->friction * acting->pushed);
}

// Returns whether it has to be looked at again in this sub-step: not what is apart by more than others may
// well push it together meanwhile. `change`: the most that anything was moved by, in parts of what is wanted.
static bool td_solve_contact(double *change, td_softs *softs, td_acting *acting, double spare) {
    td_obstacle *mover = td_mover_of(softs, acting);
    td_vec3 apart = acting->point_at;
    if (mover != NULL) {
        apart = td_add(apart, td_nudged_by(&mover->moved, acting));
    }
    apart = td_add_weighed(apart, softs->x.items, acting);
    const double missing = acting->wanted - td_dot(acting->normal, apart);
    if (!(acting->yields > 0) || !(missing > 0 || acting->pushed > 0)) {
        return acting->yields > 0 && missing > -spare * acting->wanted;
    }
    const double sum = acting->pushed + missing / acting->yields, pushed = sum > 0 ? sum : 0;
    const double moved = fabs(pushed - acting->pushed) * acting->yields / acting->wanted;
    *change = moved > *change ? moved : *change;
    td_vec3 impulse = td_scale(acting->normal, pushed - acting->pushed);
    acting->pushed = pushed;
    if (acting->friction > 0) {
        const td_vec3 rubbed = td_friction_of(softs, acting, mover);
        impulse = td_add(impulse, td_sub(rubbed, acting->rubbed));
        acting->rubbed = rubbed;
    }
    td_push(softs->x.items, mover != NULL ? &mover->moved : NULL, softs, acting, mover, impulse);
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
    td_obstacle *mover = td_mover_of(softs, acting);
    td_vec3 velocity = td_scale(acting->slide, rate);
    if (mover != NULL) {
        const td_vec3 way = td_add(acting->slide, td_nudged_by(&mover->moved, acting));
        velocity = td_add(td_scale(way, rate), td_nudged_by(&mover->slowed, acting));
    }
    velocity = td_add_weighed(velocity, softs->v.items, acting);
    const double parts = td_dot(acting->normal, velocity) - TD_PARTING_SPEED;
    if (parts > 0) {
        const double most = acting->pushed * rate;
        td_push(softs->v.items, mover != NULL ? &mover->slowed : NULL, softs, acting, mover,
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
