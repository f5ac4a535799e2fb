#include "prims.h"

#include "../core/tasks.h"

enum { TD_CHUNK = 4096 }; // triangles per task

// float32 below (above) every value that float64 may mean: local coordinates carry an error of at most 2^-52,
// the conversion and the subtraction here 2^-24 of the value each.
static float td_round_down(double x) {
    const float f = (float)x;
    return f - (fabsf(f) * 0x3p-24f + 0x1p-49f);
}

static float td_round_up(double x) {
    return -td_round_down(-x);
}

// fmin and fmax are calls, for the sake of NaN, which there is none of here.
static double td_least(double a, double b, double c) {
    const double least = a < b ? a : b;
    return least < c ? least : c;
}

static double td_most(double a, double b, double c) {
    return -td_least(-a, -b, -c);
}

typedef struct td_prim_fill {
    td_prim *prims;
    const td_blocked *blocked;
    const td_trimesh *mesh;
} td_prim_fill;

static void td_prim_task(uint32_t item, void *payload) {
    const td_prim_fill *fill = payload;
    const uint32_t first = item * TD_CHUNK;
    const uint32_t count = fill->mesh->triangle_count;
    const uint32_t end = count - first < TD_CHUNK ? count : first + TD_CHUNK;
    for (uint32_t i = first; i < end; ++i) {
        const td_triangle t = td_trimesh_triangle(fill->mesh, i);
        const td_vec3 p = td_to_local(fill->blocked, t.p0);
        const td_vec3 q = td_to_local(fill->blocked, t.p1);
        const td_vec3 r = td_to_local(fill->blocked, t.p2);
        td_prim *prim = &fill->prims[i];
        prim->lower[0] = td_round_down(td_least(p.x, q.x, r.x));
        prim->lower[1] = td_round_down(td_least(p.y, q.y, r.y));
        prim->lower[2] = td_round_down(td_least(p.z, q.z, r.z));
        prim->upper[0] = td_round_up(td_most(p.x, q.x, r.x));
        prim->upper[1] = td_round_up(td_most(p.y, q.y, r.y));
        prim->upper[2] = td_round_up(td_most(p.z, q.z, r.z));
        prim->id = i;
        prim->spare = 0;
    }
}

void td_fill_prims(td_prim *prims, const td_blocked *blocked, const td_trimesh *mesh) {
    td_prim_fill fill = {prims, blocked, mesh};
    td_run_tasks(mesh->context, td_prim_task, (mesh->triangle_count + TD_CHUNK - 1) / TD_CHUNK, &fill);
}
