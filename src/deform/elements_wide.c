// Elements of one colour, as many at a time as float64 has lanes: the operations of elements.c in the same
// order, so the same bits. No two of them have a vertex in common.
#include "../math/wide64.h"
#include "softs.h"

typedef struct td_wide3 {
    td_wd x, y, z;
} td_wide3;

// A field of so many elements that follow each other.
#if TD_LANES64 == 8
#define TD_OF_HINGES(h, field)                                                                               \
    ((td_wd){(double)(h)[0].field, (double)(h)[1].field, (double)(h)[2].field, (double)(h)[3].field,         \
             (double)(h)[4].field, (double)(h)[5].field, (double)(h)[6].field, (double)(h)[7].field})
#elif TD_LANES64 == 4
#define TD_OF_HINGES(h, field)                                                                               \
    ((td_wd){(double)(h)[0].field, (double)(h)[1].field, (double)(h)[2].field, (double)(h)[3].field})
#else
#define TD_OF_HINGES(h, field) ((td_wd){(double)(h)[0].field, (double)(h)[1].field})
#endif

// The four points of each element.
typedef struct td_wide_hinges {
    td_wide3 p[4];
    td_wd w[4];
} td_wide_hinges;

TD_OP void td_load_hinges(td_wide_hinges *out, const td_vec3 *x, const double *weight,
                          const td_hinge *hinges) {
    for (int i = 0; i < 4; ++i) {
        const double *at[TD_LANES64], *weight_at[TD_LANES64];
        for (int l = 0; l < TD_LANES64; ++l) {
            at[l] = &x[hinges[l].vertex[i]].x;
            weight_at[l] = &weight[hinges[l].vertex[i]];
        }
        td_wd p[3];
        td_wd_gather3(p, at);
        out->p[i] = (td_wide3){p[0], p[1], p[2]};
        out->w[i] = td_wd_gather(weight_at, 0);
    }
}

TD_OP void td_store_hinges(td_vec3 *x, const td_wide_hinges *wide, const td_hinge *hinges) {
    for (int i = 0; i < 4; ++i) {
        double *at[TD_LANES64];
        for (int l = 0; l < TD_LANES64; ++l) {
            at[l] = &x[hinges[l].vertex[i]].x;
        }
        const td_wd p[3] = {wide->p[i].x, wide->p[i].y, wide->p[i].z};
        td_wd_scatter3(at, p);
    }
}

TD_OP td_wd td_wide_dot(const td_wide3 *a) {
    return a->x * a->x + a->y * a->y + a->z * a->z;
}

// p + d k, of the lanes that take part.
TD_OP void td_wide_move(td_wide3 *p, const td_wide3 *d, td_wd k, td_wdm who) {
    p->x = td_wd_pick(who, p->x + d->x * k, p->x);
    p->y = td_wd_pick(who, p->y + d->y * k, p->y);
    p->z = td_wd_pick(who, p->z + d->z * k, p->z);
}

// As td_solve_distance. `who`: whom it is about.
TD_OP void td_solve_distances(td_wide3 *a, td_wide3 *b, td_wd wa, td_wd wb, td_wd rest, td_wd compliance,
                              bool one_way, td_wdm who) {
    const td_wd zero = {0};
    const td_wide3 d = {a->x - b->x, a->y - b->y, a->z - b->z};
    const td_wd square = td_wide_dot(&d);
    who = td_wdm_and(who, td_wdm_and(td_wd_lt(zero, square), td_wd_lt(zero, wa + wb)));
    if (one_way) {
        who = td_wdm_and(who, td_wd_lt(rest * rest, square));
        if (td_wdm_bits(who) == 0) {
            return;
        }
    }
    const td_wd length = td_wd_sqrt(square);
    const td_wd k = (rest - length) / ((wa + wb + compliance) * length);
    const td_wide3 correction = {d.x * k, d.y * k, d.z * k};
    td_wide_move(a, &correction, wa, who);
    td_wide_move(b, &correction, -wb, who); // p - d k and p + d (-k) are the same
}

// As td_solve_bend.
TD_OP void td_solve_bends(td_wide_hinges *wide, const td_hinge *hinges, td_wd compliance, td_wdm who) {
    const td_wd zero = {0}, k0 = TD_OF_HINGES(hinges, weight[0]), k1 = TD_OF_HINGES(hinges, weight[1]),
                k2 = TD_OF_HINGES(hinges, weight[2]), fold = TD_OF_HINGES(hinges, fold);
    const td_wd k[4] = {k0, k1, k2, -(k0 + k1 + k2)};
    const td_wide3 *p = wide->p;
    td_wide3 sum = {p[0].x * k[0], p[0].y * k[0], p[0].z * k[0]};
    td_wd weights = compliance + wide->w[0] * k[0] * k[0];
    for (int i = 1; i < 4; ++i) {
        sum = (td_wide3){sum.x + p[i].x * k[i], sum.y + p[i].y * k[i], sum.z + p[i].z * k[i]};
        weights = weights + wide->w[i] * k[i] * k[i];
    }
    td_wd part = td_wd_set1(1);
    const td_wdm folded = td_wd_lt(zero, fold);
    if (td_wdm_bits(folded) != 0) {
        const td_wd length = td_wd_sqrt(td_wide_dot(&sum));
        const td_wd open = td_wd_pick(td_wd_lt(zero, length), (length - fold) / length, zero);
        part = td_wd_pick(folded, open, part);
    }
    const td_wd scale = -part / weights;
    const td_wide3 correction = {sum.x * scale, sum.y * scale, sum.z * scale};
    for (int i = 0; i < 4; ++i) {
        td_wide_move(&wide->p[i], &correction, wide->w[i] * k[i], who);
    }
}

// Those with two triangles come first: what is at the border, and what is too few, is left to
// td_solve_hinges.
void TD_WIDE(td_solve_colour)(td_vec3 *x, const double *weight, const td_hinge *hinges, uint32_t count,
                              double h) {
    const td_wd zero = {0}, per_time = td_wd_set1(1 / (h * h));
    uint32_t done = 0;
    for (; done + TD_LANES64 <= count && hinges[done + TD_LANES64 - 1].vertex[3] != TD_NONE;
         done += TD_LANES64) {
        const td_hinge *group = hinges + done;
        td_wide_hinges wide;
        td_load_hinges(&wide, x, weight, group);
        const td_wd stretch = TD_OF_HINGES(group, stretch), shear = TD_OF_HINGES(group, shear),
                    bend = TD_OF_HINGES(group, bend);
        td_solve_distances(&wide.p[0], &wide.p[1], wide.w[0], wide.w[1], TD_OF_HINGES(group, length),
                           stretch * per_time, false, td_wd_le(zero, stretch));
        td_solve_distances(&wide.p[2], &wide.p[3], wide.w[2], wide.w[3], TD_OF_HINGES(group, across),
                           shear * per_time, true, td_wd_le(zero, shear));
        td_solve_bends(&wide, group, bend * per_time, td_wd_le(zero, bend));
        td_store_hinges(x, &wide, group);
    }
    td_solve_hinges(x, weight, hinges + done, count - done, h);
}
