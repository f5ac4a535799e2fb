// Ray-traced contacts from pairs on in one kernel, with a switch, a work-item per vertex: what paper 003,
// section 3, compares with.
#include "../src/rays/kernel.h"

__kernel void td_trace_naive(TD_MESH_PARAMETERS, td_step_rules rules, __global const td_step_side *sides,
                             __global const td_step_ray *chunks, __global td_memory *memories,
                             __global td_course *courses, __global td_step_hit *hits, __global uint *counts,
                             __local uint *tallies) {
    const uint chunk = get_group_id(0);
    if (chunk >= counts[TD_SUM_CHUNKS] || chunk >= rules.room[0]) {
        return;
    }
    TD_MESHES;
    TD_MEMORIES;
    const uint index = chunks[chunk].side, number = chunks[chunk].number + get_local_id(0);
    const td_step_side side = sides[index];
    td_tally tally = {0, 0, 0, 0};
    if (number < td_step_rays(m, side.source)) {
        const td_target target = td_step_target(m, side);
        const td_trace_ray ray = td_step_ray_of(m, side, number);
        const uint flags = shapes[objects[side.target].shape].flags;
        const uint way = td_step_way(m, target, side, ray, of, number, rules.step);
        int full = way == TD_WAY_FULL || way == TD_WAY_OPEN;
        td_trace_hit hit = td_no_trace_hit(TD_TRACE_LOST);
        if (full) {
            atomic_inc(&counts[flags & TD_SHAPE_BASIC ? TD_SUM_BASIC : TD_SUM_BVH]);
        } else if (way == TD_WAY_ITERATIVE) {
            __global td_memory *memory = td_step_memory(of, side, number);
            hit = td_walk(target, ray, *memory, side.margin);
            atomic_inc(&counts[TD_SUM_ITERATIVE]);
            full = hit.state == TD_TRACE_LOST;
            if (full) {
                atomic_inc(&counts[TD_SUM_FALLBACKS + (flags & TD_SHAPE_BASIC ? 1 : 0)]);
            } else {
                memory->triangle = hit.triangle;
            }
        }
        if (full) {
            hit = flags & TD_SHAPE_BASIC ? td_cast_basic(target, ray) : td_cast_stackless(target, ray);
            td_step_remember(target, side, ray, hit, of, number, rules.step);
        }
        td_put_hit(hits, counts, rules, hit, index, number, target.outward, objects[side.target].around,
                   side.touch);
        td_count_way(&tally, way);
    }
    td_add_tallies(tallies, counts, tally);
}
