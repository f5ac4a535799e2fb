// Ray-traced contacts: the steps of paper 003, section 3. Bodies are in src/rays/step.h; all of them in one
// kernel, to compare with, is kernels/traced_naive.cl.
//
// With TD_ALONE, for devices whose work-items do not go in step (processors), a work-item of the pipeline
// takes more than one ray: of the per-vertex kernel a whole chunk, of the kernel through hierarchies as many
// as a vector has lanes.
#include "../src/rays/kernel.h"

#ifdef TD_ALONE
#include "../src/rays/lanes.h"
#define TD_ITEM_RAYS TD_STEP_GROUP // of a chunk, per work-item
#else
#define TD_ITEM_RAYS 1u
#endif

// One work-item per pair: its class, and chunks of its rays.
__kernel void td_trace_pairs(TD_MESH_PARAMETERS, td_step_rules rules, __global const td_step_pair *pairs,
                             __global const td_step_record *records, __global td_step_side *sides,
                             __global uint *classes, __global td_step_ray *chunks, __global uint *counts) {
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
        side[s].fresh = pair.fresh;
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
    classes[item] = larger;
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

// Whether a ray is dropped for so little that the rest of it need not be made: most are. Of a side that has
// hardly moved, those without temporal data, by one word; of a solid that has, those that start far outside.
static int td_is_dropped(uint *way, td_step_meshes m, td_target target, td_step_side side,
                         td_step_memories of, uint number) {
    if (side.class_of == TD_CLASS_SMALL) {
        *way = TD_WAY_TEMPORAL;
        return of.of_rigid[side.slot + number].state == TD_MEMORY_FAR;
    }
    if (m.objects[side.source].around > 0) {
        return 0;
    }
    const td_vec3 start = td_rigid_apply(side.rigid, td_step_corner(m, side, number));
    if (td_within(start, target.lower, target.upper, side.margin)) {
        return 0;
    }
    if (side.class_of == TD_CLASS_HIGH && side.slot != TD_TRACE_NONE) {
        of.of_rigid[side.slot + number] = td_memory_make(TD_MEMORY_FAR, TD_TRACE_NONE, 0);
    }
    *way = TD_WAY_BOUNDS;
    return 1;
}

// The rays of a chunk that a work-item has found to belong to a list: bit i is that of `first + i stride`.
static void td_put_rays(__global td_step_ray *list, __global uint *count, uint room, ulong rays, uint side,
                        uint first, uint stride) {
    if (rays == 0) {
        return;
    }
    uint at = atomic_add(count, (uint)popcount(rays));
    for (; rays != 0 && at < room; rays &= rays - 1, ++at) {
        list[at].side = side;
        list[at].number = first + (uint)(63 - clz(rays & (0 - rays))) * stride;
    }
}

// One work-group per chunk: each of its rays is dropped, or appended to the list of its algorithm.
__kernel void td_trace_vertices(TD_MESH_PARAMETERS, td_step_rules rules, __global const td_step_side *sides,
                                __global const td_step_ray *chunks, __global td_memory *memories,
                                __global td_course *courses, __global td_step_ray *bvh,
                                __global td_step_ray *basic, __global td_step_ray *iterative,
                                __global uint *counts, __local uint *tallies) {
    const uint chunk = get_group_id(0);
    if (chunk >= counts[TD_SUM_CHUNKS] || chunk >= rules.room[0]) {
        return;
    }
    TD_MESHES;
    TD_MEMORIES;
    const uint index = chunks[chunk].side, first = chunks[chunk].number + get_local_id(0);
    const uint stride = get_local_size(0);
    const td_step_side side = sides[index];
    const td_target target = td_step_target(m, side);
    const uint count = td_step_rays(m, side.source);
    td_tally tally = {0, 0, 0, 0};
    ulong walks = 0, casts = 0;
    for (uint i = 0; i < TD_ITEM_RAYS; ++i) {
        const uint number = first + i * stride;
        if (number >= count) {
            break;
        }
        uint way;
        if (!td_is_dropped(&way, m, target, side, of, number)) {
            way = td_step_way(m, target, side, td_step_ray_of(m, side, number), of, number, rules.step);
        }
        td_count_way(&tally, way);
        walks |= (ulong)(way == TD_WAY_ITERATIVE) << i;
        casts |= (ulong)(way == TD_WAY_FULL || way == TD_WAY_OPEN) << i;
    }
    td_put_rays(iterative, &counts[TD_SUM_ITERATIVE], rules.room[3], walks, index, first, stride);
    if (shapes[objects[side.target].shape].flags & TD_SHAPE_BASIC) {
        td_put_rays(basic, &counts[TD_SUM_BASIC], rules.room[2], casts, index, first, stride);
    } else {
        td_put_rays(bvh, &counts[TD_SUM_BVH], rules.room[1], casts, index, first, stride);
    }
    td_add_tallies(tallies, counts, tally);
}

// One work-item per ray; a walk that came to no end goes to the list of a full algorithm, whose kernel comes
// after this one.
__kernel void td_trace_iterative(TD_MESH_PARAMETERS, td_step_rules rules, __global const td_step_side *sides,
                                 __global td_memory *memories, __global td_course *courses,
                                 __global td_step_ray *bvh, __global td_step_ray *basic,
                                 __global const td_step_ray *iterative, __global td_step_hit *hits,
                                 __global uint *counts) {
    const uint item = rules.first + get_global_id(0);
    if (item >= counts[TD_SUM_ITERATIVE] || item >= rules.end) {
        return;
    }
    TD_MESHES;
    TD_MEMORIES;
    const td_step_ray ray = iterative[item];
    const td_step_side side = sides[ray.side];
    const td_target target = td_step_target(m, side);
    __global td_memory *memory = td_step_memory(of, side, ray.number);
    const td_trace_hit hit = td_walk(target, td_step_ray_of(m, side, ray.number), *memory, side.margin);
    if (hit.state == TD_TRACE_LOST) {
        const uint basic_flag = shapes[objects[side.target].shape].flags & TD_SHAPE_BASIC;
        atomic_inc(&counts[TD_SUM_FALLBACKS + (basic_flag ? 1 : 0)]);
        if (basic_flag) {
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

// A ray that was cast in full: what it proves, and its hit.
static void td_end_cast(td_step_meshes m, td_target target, td_step_side side, td_step_ray name,
                        td_trace_ray ray, td_trace_hit hit, td_step_memories of, td_step_rules rules,
                        __global td_step_hit *hits, __global uint *counts) {
    td_step_remember(target, side, ray, hit, of, name.number, rules.step);
    td_put_hit(hits, counts, rules, hit, name.side, name.number, target.outward,
               m.objects[side.target].around, side.touch);
}

// One work-item per ray of a full algorithm.
#define TD_FULL_KERNEL(name, count, cast)                                                                    \
    __kernel void name(TD_MESH_PARAMETERS, td_step_rules rules, __global const td_step_side *sides,          \
                       __global td_memory *memories, __global td_course *courses,                            \
                       __global const td_step_ray *list, __global td_step_hit *hits,                         \
                       __global uint *counts) {                                                              \
        const uint item = rules.first + get_global_id(0);                                                    \
        if (item >= counts[count] || item >= rules.end) {                                                    \
            return;                                                                                          \
        }                                                                                                    \
        TD_MESHES;                                                                                           \
        TD_MEMORIES;                                                                                         \
        const td_step_side side = sides[list[item].side];                                                    \
        const td_target target = td_step_target(m, side);                                                    \
        const td_trace_ray ray = td_step_ray_of(m, side, list[item].number);                                 \
        td_end_cast(m, target, side, list[item], ray, cast(target, ray), of, rules, hits, counts);           \
    }

TD_FULL_KERNEL(td_trace_basic, TD_SUM_BASIC, td_cast_basic)

#ifndef TD_ALONE
TD_FULL_KERNEL(td_trace_bvh, TD_SUM_BVH, td_cast_stackless)
#else
// The rays of one side among those of a work-item: the bits of `lanes`.
static void td_cast_side(td_step_meshes m, td_step_side side, __global const td_step_ray *list, uint lanes,
                         td_step_memories of, td_step_rules rules, __global td_step_hit *hits,
                         __global uint *counts) {
    const td_target target = td_step_target(m, side);
    td_lane_rays all;
    for (uint i = 0; i < TD_RAY_LANES; ++i) {
        all.walks[i] = -(long)(lanes >> i & 1u);
        if (all.walks[i]) {
            all.rays[i] = td_step_ray_of(m, side, list[i].number);
        }
    }
    td_cast_lanes(&all, target);
    for (uint i = 0; i < TD_RAY_LANES; ++i) {
        if (lanes >> i & 1u) {
            td_end_cast(m, target, side, list[i], all.rays[i], all.hits[i], of, rules, hits, counts);
        }
    }
}

// One work-item per TD_RAY_LANES rays of the list: those of one side go together.
__kernel void td_trace_bvh(TD_MESH_PARAMETERS, td_step_rules rules, __global const td_step_side *sides,
                           __global td_memory *memories, __global td_course *courses,
                           __global const td_step_ray *list, __global td_step_hit *hits,
                           __global uint *counts) {
    const uint item = rules.first + TD_RAY_LANES * get_global_id(0), end = min(counts[TD_SUM_BVH], rules.end);
    TD_MESHES;
    TD_MEMORIES;
    uint rest = 0;
    for (uint i = 0; i < TD_RAY_LANES && item + i < end; ++i) {
        rest |= 1u << i;
    }
    while (rest != 0) {
        const uint index = list[item + (31u - clz(rest & (0 - rest)))].side;
        uint lanes = 0;
        for (uint i = 0; i < TD_RAY_LANES; ++i) {
            lanes |= (rest >> i & 1u) && list[item + i].side == index ? 1u << i : 0;
        }
        td_cast_side(m, sides[index], list + item, lanes, of, rules, hits, counts);
        rest &= ~lanes;
    }
}
#endif

// What the next step goes by.
__kernel void td_trace_commit(td_step_rules rules, __global const td_step_pair *pairs,
                              __global td_step_record *records, __global const td_step_side *sides) {
    const uint item = get_global_id(0);
    if (item >= rules.pair_count || sides[2 * item].class_of == TD_CLASS_STILL) {
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
