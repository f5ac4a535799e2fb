// Damping of motion within a body, and what is known of its motion as a whole.
#include "../core/tasks.h"
#include "softs.h"

#include <math.h>

td_soft_sums td_softs_sum(const td_softs *softs, const td_soft *soft) {
    td_soft_sums sums = {0};
    const uint32_t first = soft->first, end = first + soft->form->vertex_count;
    td_vec3 weighted = td_vec3_make(0, 0, 0);
    for (uint32_t v = first; v < end; ++v) {
        const double m = softs->mass.items[v];
        weighted = td_add(weighted, td_scale(softs->x.items[v], m));
        sums.momentum = td_add(sums.momentum, td_scale(softs->v.items[v], m));
        sums.kinetic_energy += 0.5 * m * td_dot(softs->v.items[v], softs->v.items[v]);
    }
    sums.centre = td_scale(weighted, 1 / soft->mass);
    td_sym3 inertia = {0};
    double radius = 0;
    for (uint32_t v = first; v < end; ++v) {
        const double m = softs->mass.items[v];
        const td_vec3 r = td_sub(softs->x.items[v], sums.centre);
        sums.angular_momentum = td_add(sums.angular_momentum, td_scale(td_cross(r, softs->v.items[v]), m));
        inertia.xx += m * (r.y * r.y + r.z * r.z);
        inertia.yy += m * (r.x * r.x + r.z * r.z);
        inertia.zz += m * (r.x * r.x + r.y * r.y);
        inertia.xy -= m * r.x * r.y;
        inertia.xz -= m * r.x * r.z;
        inertia.yz -= m * r.y * r.z;
        radius = fmax(radius, td_dot(r, r));
    }
    sums.radius = sqrt(radius);
    const td_vec3 spin = td_sym3_apply(td_sym3_inverse(inertia), sums.angular_momentum);
    const bool turns = isfinite(spin.x) && isfinite(spin.y) && isfinite(spin.z); // not all on one line
    sums.spin = turns ? spin : td_vec3_make(0, 0, 0);
    return sums;
}

typedef struct td_calming {
    td_softs *softs;
    double time;
} td_calming;

// Velocities go towards those of a rigid body of the same momentum and angular momentum, which therefore stay
// (Mueller et al., Position Based Dynamics, 2007, section 3.5).
static void td_damp(td_softs *softs, td_soft *soft, const td_soft_sums *sums, double time) {
    const double part = soft->damping * time / (1 + soft->damping * time);
    for (uint32_t v = soft->first; v < soft->first + soft->form->vertex_count; ++v) {
        if (softs->weight.items[v] > 0) {
            const td_vec3 r = td_sub(softs->x.items[v], sums->centre);
            const td_vec3 whole = td_add(soft->velocity, td_cross(sums->spin, r));
            softs->v.items[v] = td_add(softs->v.items[v], td_scale(td_sub(whole, softs->v.items[v]), part));
        }
    }
}

static void td_calm_body(uint32_t number, void *payload) {
    const td_calming *job = payload;
    td_softs *softs = job->softs;
    td_soft *soft = softs->list.items[number];
    if (!soft->awake) {
        return;
    }
    const td_soft_sums sums = td_softs_sum(softs, soft);
    soft->velocity = td_scale(sums.momentum, 1 / soft->mass);
    if (soft->damping > 0 && job->time > 0) {
        td_damp(softs, soft, &sums, job->time);
    }
    double stray = 0, energy = 0;
    for (uint32_t v = soft->first; v < soft->first + soft->form->vertex_count; ++v) {
        const td_vec3 own = softs->v.items[v], off = td_sub(own, soft->velocity);
        stray = fmax(stray, td_dot(off, off));
        energy += softs->mass.items[v] * td_dot(own, own);
    }
    soft->stray = sqrt(stray);
    soft->rms = sqrt(energy / soft->mass);
}

void td_softs_calm(td_softs *softs, double time) {
    td_calming job = {softs, time};
    td_run_tasks(softs->context, td_calm_body, (uint32_t)softs->list.count, &job);
}
