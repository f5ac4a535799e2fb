// What a planar simulation tells of itself: what it keeps, what it has spent, its smallest gap.
#include "planar.h"

static uint64_t td_hash_doubles(uint64_t hash, const double *values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits;
        const double value = values[i] == 0 ? 0 : values[i]; // -0.0 is 0.0
        __builtin_memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t td_hash_planar(const td_planar *planar) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < planar->count; ++i) {
        const td_planar_motion *m = &planar->motions[i];
        const double values[] = {m->x, m->y, m->vx, m->vy, m->angle, m->spin};
        hash = td_hash_doubles(hash, values, sizeof values / sizeof *values);
    }
    return td_hash_doubles(hash, &planar->clock.time, 1);
}

static void td_sum_bodies(td_planar_report *out, const td_planar *planar) {
    for (uint32_t i = 0; i < planar->count; ++i) {
        const td_planar_shape *shape = &planar->shapes[i];
        const td_planar_motion *m = &planar->motions[i];
        if (!td_planar_is_movable(*shape)) {
            continue;
        }
        const double mass = 1 / shape->inverse_mass;
        const double inertia = shape->inverse_inertia > 0 ? 1 / shape->inverse_inertia : 0;
        out->kinetic_energy +=
            0.5 * mass * (m->vx * m->vx + m->vy * m->vy) + 0.5 * inertia * m->spin * m->spin;
        out->momentum[0] += mass * m->vx;
        out->momentum[1] += mass * m->vy;
        out->angular_momentum += mass * (m->x * m->vy - m->y * m->vx) + inertia * m->spin;
        out->wall_momentum[0] += planar->tallies[i].wall_x;
        out->wall_momentum[1] += planar->tallies[i].wall_y;
        out->collisions += planar->tallies[i].hits;
    }
}

td_result td_report_planar(td_planar_report *out, td_planar *planar) {
    if (out == NULL || planar == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_report_planar needs an output and a planar simulation");
    }
    if (planar->device != NULL) {
        TD_TRY(td_begin_planar_read(planar));
        TD_TRY(td_end_planar_read(planar));
    }
    *out = (td_planar_report){.steps = (uint64_t)planar->clock.steps,
                              .time = planar->clock.time,
                              .truncated = (uint64_t)planar->clock.truncated,
                              .hash = td_hash_planar(planar),
                              .update_ms = planar->ms[TD_PHASE_UPDATE],
                              .overlap_ms = planar->ms[TD_PHASE_OVERLAP],
                              .hits_ms = planar->ms[TD_PHASE_HITS],
                              .reduction_ms = planar->ms[TD_PHASE_REDUCTION],
                              .impulse_ms = planar->ms[TD_PHASE_IMPULSE],
                              .forward_ms = planar->ms[TD_PHASE_FORWARD]};
    td_sum_bodies(out, planar);
    td_count_planar_device(out, planar);
    return TD_OK;
}

td_result td_measure_planar_gap(double *out, uint32_t *a, uint32_t *b, td_planar *planar) {
    if (out == NULL || planar == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_measure_planar_gap needs an output and a planar simulation");
    }
    if (planar->device != NULL) {
        TD_TRY(td_begin_planar_read(planar));
        TD_TRY(td_end_planar_read(planar));
    }
    uint32_t least_a = 0, least_b = 0;
    double least = TD_PLANAR_FAR;
    for (uint32_t i = 0; i < planar->size; ++i) {
        for (uint32_t k = 0; k < i && k < planar->count; ++k) {
            const td_planar_body first = td_planar_body_in(planar, k), second = td_planar_body_in(planar, i);
            const double gap = td_planar_gap_between(first, second, planar->corners).separation;
            if (gap < least) {
                least = gap;
                least_a = k;
                least_b = i;
            }
        }
    }
    *out = least;
    if (a != NULL) {
        *a = least_a;
    }
    if (b != NULL) {
        *b = least_b;
    }
    return TD_OK;
}
