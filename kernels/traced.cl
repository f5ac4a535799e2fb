// Ray-traced contacts: the steps of paper 003, section 3, and, to compare with, all of them in one kernel.
// Bodies are in src/rays/step.h.
#include "../src/rays/step.h"

#define TD_MESH_PARAMETERS                                                                                   \
    __global const td_step_shape *shapes, __global const double *corners, __global const double *inward,     \
        __global const double *own, __global const uint *indices, __global const uint *neighbours,           \
        __global const uint *starts, __global const td_skip_node *nodes,                                     \
        __global const td_step_object *objects

#define TD_MESHES                                                                                            \
    td_step_meshes m;                                                                                        \
    m.shapes = shapes;                                                                                       \
    m.corners = corners;                                                                                     \
    m.inward = inward;                                                                                       \
    m.own = own;                                                                                             \
    m.indices = indices;                                                                                     \
    m.neighbours = neighbours;                                                                               \
    m.starts = starts;                                                                                       \
    m.nodes = nodes;                                                                                         \
    m.objects = objects

// One work-item per pair: its class, and chunks of its rays.
__kernel void td_trace_pairs(TD_MESH_PARAMETERS, __global const td_step_pair *pairs,
                             __global const td_step_record *records, td_step_rules rules,
                             __global td_step_side *sides, __global td_step_ray *chunks,
                             __global uint *counts) {
    const uint item = get_global_id(0);
    if (item >= rules.pair_count) {
        return;
    }
    TD_MESHES;
    const td_step_pair pair = pairs[item];
    td_step_side side[2];
    for (uint s = 0; s < 2; ++s) {
        side[s].source = pair.object[s];
        side[s].target = pair.object[1 - s];
        side[s].margin = pair.margin;
        side[s].touch = pair.touch[s];
        side[s].reach = pair.reach[s];
        side[s].slot = pair.slot[s];
        side[s].walkable = pair.walkable[s];
        side[s].spare = 0;
        side[s].rigid = td_rigid_within(objects[side[s].target].rigid, objects[side[s].source].rigid);
        side[s].class_of =
            td_step_class(m, side[s], records[pair.record].reference[s], records[pair.record].last[s],
                          pair.fresh, records[pair.record].tracked, rules);
    }
    const int slow = td_step_is_slow(m, side[0], records[pair.record].last[0], pair.fresh) &&
                     td_step_is_slow(m, side[1], records[pair.record].last[1], pair.fresh);
    const uint larger = max(side[0].class_of, side[1].class_of);
    uint total = 0;
    for (uint s = 0; s < 2; ++s) {
        side[s].class_of = larger;
        if (larger == TD_CLASS_HIGH && !slow) {
            side[s].slot = TD_TRACE_NONE;
        }
        sides[2 * item + s] = side[s];
        total += (td_step_rays(m, side[s].source) + TD_STEP_GROUP - 1) / TD_STEP_GROUP;
    }
    if (larger == TD_CLASS_STILL) {
        return;
    }
    uint at = atomic_add(&counts[TD_SUM_CHUNKS], total);
    for (uint s = 0; s < 2; ++s) {
        const uint rays = td_step_rays(m, side[s].source);
        for (uint first = 0; first < rays; first += TD_STEP_GROUP) {
            if (at < rules.room[0]) {
                chunks[at].side = 2 * item + s;
                chunks[at].number = first;
            }
            ++at;
        }
    }
}

static void td_put_ray(__global td_step_ray *list, __global uint *count, uint room, uint side, uint number) {
    const uint at = atomic_inc(count);
    if (at < room) {
        list[at].side = side;
        list[at].number = number;
    }
}

static void td_put_hit(__global td_step_hit *hits, __global uint *counts, td_step_rules rules,
                       td_trace_hit hit, uint side, uint number, int outward, double around, double touch) {
    if (!td_step_counts(hit, outward, around, touch)) {
        return;
    }
    const uint at = atomic_inc(&counts[TD_SUM_HITS]);
    if (at < rules.room[4]) {
        td_step_hit out;
        out.t = hit.t;
        out.side = side;
        out.number = number;
        out.triangle = hit.triangle;
        out.state = hit.state;
        out.met = hit.side;
        out.spare = 0;
        hits[at] = out;
    }
}

// Sums of a work-group, so that there is one atomic operation per group and counter.
static void td_add_tallies(__local uint *tallies, __global uint *counts, uint way, int lives) {
    const uint item = get_local_id(0);
    if (item < 4) {
        tallies[item] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lives) {
        atomic_inc(&tallies[3]);
        if (way == TD_WAY_BOUNDS) {
            atomic_inc(&tallies[0]);
        } else if (way == TD_WAY_TEMPORAL) {
            atomic_inc(&tallies[1]);
        } else if (way == TD_WAY_OPEN) {
            atomic_inc(&tallies[2]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        atomic_add(&counts[TD_SUM_BOUNDS], tallies[0]);
        atomic_add(&counts[TD_SUM_TEMPORAL], tallies[1]);
        atomic_add(&counts[TD_SUM_OPEN], tallies[2]);
        atomic_add(&counts[TD_SUM_VERTICES], tallies[3]);
    }
}

// One work-group per chunk, one work-item per ray: dropped, or appended to the list of its algorithm.
__kernel void td_trace_vertices(TD_MESH_PARAMETERS, td_step_rules rules, __global const td_step_side *sides,
                                __global const td_step_ray *chunks, __global td_memory *memories,
                                __global td_step_ray *bvh, __global td_step_ray *basic,
                                __global td_step_ray *iterative, __global uint *counts,
                                __local uint *tallies) {
    const uint chunk = get_group_id(0);
    if (chunk >= counts[TD_SUM_CHUNKS] || chunk >= rules.room[0]) {
        return;
    }
    TD_MESHES;
    const uint index = chunks[chunk].side, number = chunks[chunk].number + get_local_id(0);
    const td_step_side side = sides[index];
    const int lives = number < td_step_rays(m, side.source);
    uint way = TD_WAY_BOUNDS;
    if (lives) {
        const uint slot = side.slot == TD_TRACE_NONE ? 0 : side.slot + number;
        // Most rays of a side that has hardly moved end here, with one word read.
        if (side.class_of == TD_CLASS_SMALL && memories[slot].state == TD_MEMORY_FAR) {
            way = TD_WAY_TEMPORAL;
        } else {
            way =
                td_step_way(td_step_target(m, side), side, td_step_ray_of(m, side, number), &memories[slot]);
        }
        if (way == TD_WAY_ITERATIVE) {
            td_put_ray(iterative, &counts[TD_SUM_ITERATIVE], rules.room[3], index, number);
        } else if (way == TD_WAY_FULL || way == TD_WAY_OPEN) {
            if (shapes[objects[side.target].shape].flags & TD_SHAPE_BASIC) {
                td_put_ray(basic, &counts[TD_SUM_BASIC], rules.room[2], index, number);
            } else {
                td_put_ray(bvh, &counts[TD_SUM_BVH], rules.room[1], index, number);
            }
        }
    }
    td_add_tallies(tallies, counts, way, lives);
}

// One work-item per ray; a walk that came to no end goes to the list of a full algorithm, whose kernel comes
// after this one.
__kernel void td_trace_iterative(TD_MESH_PARAMETERS, td_step_rules rules, __global const td_step_side *sides,
                                 __global td_memory *memories, __global td_step_ray *bvh,
                                 __global td_step_ray *basic, __global const td_step_ray *iterative,
                                 __global td_step_hit *hits, __global uint *counts) {
    const uint item = rules.first + get_global_id(0);
    if (item >= counts[TD_SUM_ITERATIVE] || item >= rules.end) {
        return;
    }
    TD_MESHES;
    const td_step_ray ray = iterative[item];
    const td_step_side side = sides[ray.side];
    const td_target target = td_step_target(m, side);
    __global td_memory *memory = &memories[side.slot + ray.number];
    const td_trace_hit hit = td_walk(target, td_step_ray_of(m, side, ray.number), *memory, side.margin);
    if (hit.state == TD_TRACE_LOST) {
        atomic_inc(&counts[TD_SUM_FALLBACKS]);
        if (shapes[objects[side.target].shape].flags & TD_SHAPE_BASIC) {
            td_put_ray(basic, &counts[TD_SUM_BASIC], rules.room[2], ray.side, ray.number);
        } else {
            td_put_ray(bvh, &counts[TD_SUM_BVH], rules.room[1], ray.side, ray.number);
        }
        return;
    }
    memory->triangle = hit.triangle;
    td_put_hit(hits, counts, rules, hit, ray.side, ray.number, target.outward, objects[side.target].around,
               side.touch);
}

// One work-item per ray of a full algorithm.
#define TD_FULL_KERNEL(name, count, basic_flag)                                                              \
    __kernel void name(TD_MESH_PARAMETERS, td_step_rules rules, __global const td_step_side *sides,          \
                       __global td_memory *memories, __global const td_step_ray *list,                       \
                       __global td_step_hit *hits, __global uint *counts) {                                  \
        const uint item = rules.first + get_global_id(0);                                                    \
        if (item >= counts[count] || item >= rules.end) {                                                    \
            return;                                                                                          \
        }                                                                                                    \
        TD_MESHES;                                                                                           \
        const td_step_ray ray = list[item];                                                                  \
        const td_step_side side = sides[ray.side];                                                           \
        const td_target target = td_step_target(m, side);                                                    \
        const uint flags = (shapes[objects[side.target].shape].flags & ~TD_SHAPE_BASIC) | basic_flag;        \
        const uint slot = side.slot == TD_TRACE_NONE ? 0 : side.slot + ray.number;                           \
        const td_trace_hit hit =                                                                             \
            td_step_cast(target, side, td_step_ray_of(m, side, ray.number), flags, &memories[slot]);         \
        td_put_hit(hits, counts, rules, hit, ray.side, ray.number, target.outward,                           \
                   objects[side.target].around, side.touch);                                                 \
    }

TD_FULL_KERNEL(td_trace_bvh, TD_SUM_BVH, 0u)
TD_FULL_KERNEL(td_trace_basic, TD_SUM_BASIC, TD_SHAPE_BASIC)

// All in one, with a switch: what the paper compares with.
__kernel void td_trace_naive(TD_MESH_PARAMETERS, td_step_rules rules, __global const td_step_side *sides,
                             __global const td_step_ray *chunks, __global td_memory *memories,
                             __global td_step_hit *hits, __global uint *counts, __local uint *tallies) {
    const uint chunk = get_group_id(0);
    if (chunk >= counts[TD_SUM_CHUNKS] || chunk >= rules.room[0]) {
        return;
    }
    TD_MESHES;
    const uint index = chunks[chunk].side, number = chunks[chunk].number + get_local_id(0);
    const td_step_side side = sides[index];
    const int lives = number < td_step_rays(m, side.source);
    uint way = TD_WAY_BOUNDS;
    if (lives) {
        const td_target target = td_step_target(m, side);
        const td_trace_ray ray = td_step_ray_of(m, side, number);
        const uint slot = side.slot == TD_TRACE_NONE ? 0 : side.slot + number;
        const uint flags = shapes[objects[side.target].shape].flags;
        way = td_step_way(target, side, ray, &memories[slot]);
        td_trace_hit hit = td_no_trace_hit(TD_TRACE_LOST);
        if (way == TD_WAY_ITERATIVE) {
            hit = td_walk(target, ray, memories[slot], side.margin);
            atomic_inc(&counts[TD_SUM_ITERATIVE]);
            if (hit.state == TD_TRACE_LOST) {
                atomic_inc(&counts[TD_SUM_FALLBACKS]);
                hit = td_step_cast(target, side, ray, flags, &memories[slot]);
            } else {
                memories[slot].triangle = hit.triangle;
            }
        } else if (way == TD_WAY_FULL || way == TD_WAY_OPEN) {
            atomic_inc(&counts[flags & TD_SHAPE_BASIC ? TD_SUM_BASIC : TD_SUM_BVH]);
            hit = td_step_cast(target, side, ray, flags, &memories[slot]);
        }
        td_put_hit(hits, counts, rules, hit, index, number, target.outward, objects[side.target].around,
                   side.touch);
    }
    td_add_tallies(tallies, counts, way, lives);
}

// What the next step goes by.
__kernel void td_trace_commit(__global const td_step_pair *pairs, __global td_step_record *records,
                              __global const td_step_side *sides, uint pair_count) {
    const uint item = get_global_id(0);
    if (item >= pair_count || sides[2 * item].class_of == TD_CLASS_STILL) {
        return;
    }
    for (uint s = 0; s < 2; ++s) {
        const td_step_side side = sides[2 * item + s];
        records[pairs[item].record].last[s] = side.rigid;
        if (side.class_of == TD_CLASS_HIGH) {
            records[pairs[item].record].reference[s] = side.rigid;
            records[pairs[item].record].tracked = side.slot != TD_TRACE_NONE;
        }
    }
}
