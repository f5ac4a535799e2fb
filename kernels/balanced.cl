// Strategy `balanced` (paper 001, sections 3.3 and 4.2): a work-group is a task with a queue of pairs of
// nodes in local memory. All its work-items take pairs from the end of the queue, and put there the pairs
// that follow; pairs of leaves whose boxes overlap become candidates for the triangle test. A task stops when
// its queue is empty, when it is too full for one more step, when there is no room for candidates, or when it
// sees that enough others are idle.
//
// Options: TD_WALK_OBB (else AABBs), TD_GROUP and TD_QUEUE (src/traverse/balanced_device.c).
#include "../src/traverse/device_boxes.h"
#include "../src/traverse/device_tally.h"

#define TD_GOES_ON 0u
#define TD_IS_TOLD 1u // others are idle, or candidates have no room

// What a pair leads to.
#define TD_APART     0u
#define TD_LEAVES    1u
#define TD_OPEN_A    2u
#define TD_OPEN_B    3u
#define TD_OPEN_SELF 4u // a node that meets itself

typedef struct td_task {
    uint count; // units in the queue
    uint found; // candidates of this step
    uint base;  // where they go
    uint state; // TD_GOES_ON ...
} td_task;

// Box tests of one object pair that have not been added to its tally yet.
typedef struct td_tests {
    uint pair, count;
} td_tests;

static void td_count_test(td_tests *tests, uint pair, volatile __global uint *tallies) {
    if (tests->pair != pair) {
        if (tests->count > 0) {
            td_tally_add(tallies, tests->pair, TD_TALLY_BOXES, tests->count);
        }
        tests->pair = pair;
        tests->count = 0;
    }
    tests->count++;
}

static void td_push(__local td_device_place *queue, __local uint *count, uint pair, uint a, uint b) {
    const uint at = atomic_inc(count);
    queue[at].pair = pair;
    queue[at].a = a;
    queue[at].b = b;
}

// The pairs i <= j of children of one node.
static void td_push_with_themselves(__local td_device_place *queue, __local uint *count, td_device_place unit,
                                    __global const td_post_links *links) {
    for (uint left = links[unit.a].child;; left = links[left].escape) {
        for (uint right = left;; right = links[right].escape) {
            td_push(queue, count, unit.pair, left, right);
            if (links[right].counter > 0) {
                break;
            }
        }
        if (links[left].counter > 0) {
            break;
        }
    }
}

static uint td_visit(td_device_place unit, td_post_side a, td_post_side b, const td_placef *place, uint rule,
                     uint self) {
    if (self && unit.a == unit.b) { // a triangle does not meet itself
        return a.links[unit.a].kind & TD_POST_LEAF ? TD_APART : TD_OPEN_SELF;
    }
    if (!td_post_overlap(a, b, unit.a, unit.b, place, TD_WALK_VOLUME)) {
        return TD_APART;
    }
    if (a.links[unit.a].kind & b.links[unit.b].kind & TD_POST_LEAF) {
        return TD_LEAVES;
    }
    return td_opens_a(a, b, unit.a, unit.b, place, rule, TD_WALK_VOLUME) ? TD_OPEN_A : TD_OPEN_B;
}

__kernel __attribute__((reqd_work_group_size(TD_GROUP, 1, 1))) void
td_walk_balanced(__global const td_post_links *links, __global const td_walk_box *boxes,
                 __global const td_device_pair *pairs, __global td_device_place *queues,
                 __global uint *queue_counts, __global uint *queue_starts, volatile __global uint *idle,
                 uint threshold, __global td_device_place *candidates, uint capacity,
                 volatile __global uint *counts, volatile __global uint *tallies, uint rule, uint most_new) {
    __local td_device_place queue[TD_QUEUE];
    __local td_task task;
    const uint item = (uint)get_local_id(0), number = (uint)get_group_id(0);
    __global td_device_place *own = queues + (size_t)number * TD_QUEUE;
    const uint given = queue_counts[number];
    for (uint i = item; i < given; i += TD_GROUP) {
        queue[i] = own[i];
    }
    if (item == 0) {
        task.count = given;
        task.found = 0;
        task.state = TD_GOES_ON;
    }
    td_tests tests = {0, 0};
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // what was read is written in the end, by others
    for (;;) {
        const uint count = task.count, step = count < TD_GROUP ? count : TD_GROUP;
        const bool full = count + step * (most_new - 1) > TD_QUEUE;
        td_device_place unit = {0, 0, 0};
        if (item < step) {
            unit = queue[count - step + item];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // all have read the count and the units
        if (count == 0 || full || task.state != TD_GOES_ON) {
            break; // all of them
        }
        if (item == 0) {
            task.count = count - step;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint leads_to = TD_APART, at = 0;
        if (item < step) {
            __global const td_device_pair *pair = pairs + unit.pair;
            const td_placef place = pair->place;
            const td_post_side a =
                td_walk_side(links + pair->first_a[TD_ARENA_LINKS], boxes + pair->first_a[TD_WALK_ARENA]);
            const td_post_side b =
                td_walk_side(links + pair->first_b[TD_ARENA_LINKS], boxes + pair->first_b[TD_WALK_ARENA]);
            leads_to = td_visit(unit, a, b, &place, rule, pair->self);
            if (leads_to == TD_LEAVES) {
                at = atomic_inc(&task.found);
            } else if (leads_to == TD_OPEN_SELF) {
                td_push_with_themselves(queue, &task.count, unit, a.links);
            } else if (leads_to != TD_APART) {
                const td_post_side side = leads_to == TD_OPEN_A ? a : b;
                uint child = side.links[leads_to == TD_OPEN_A ? unit.a : unit.b].child;
                for (;;) {
                    td_push(queue, &task.count, unit.pair, leads_to == TD_OPEN_A ? child : unit.a,
                            leads_to == TD_OPEN_A ? unit.b : child);
                    if (side.links[child].counter > 0) {
                        break;
                    }
                    child = side.links[child].escape;
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item == 0) {
            if (task.found > 0) {
                task.base = atomic_add(counts + TD_COUNT_CANDIDATES, task.found);
                if (task.base >= capacity || task.found > capacity - task.base) {
                    atomic_min(counts + TD_COUNT_KEPT, task.base); // nobody after this finds room either
                    task.state = TD_IS_TOLD;
                    task.base = 0xffffffffu;
                }
            }
            task.found = 0;
            if (atomic_add(idle, 0) >= threshold) {
                task.state = TD_IS_TOLD;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const bool waits = leads_to == TD_LEAVES && task.base == 0xffffffffu;
        if (waits) { // to be tested once more, when there is room; it has just left the queue
            td_push(queue, &task.count, unit.pair, unit.a, unit.b);
        } else if (item < step) {
            td_count_test(&tests, unit.pair, tallies);
        }
        if (leads_to == TD_LEAVES && !waits) {
            __global const td_device_pair *pair = pairs + unit.pair;
            __global td_device_place *candidate = candidates + task.base + at;
            candidate->pair = unit.pair;
            candidate->a = links[pair->first_a[TD_ARENA_LINKS] + unit.a].child;
            candidate->b = links[pair->first_b[TD_ARENA_LINKS] + unit.b].child;
            td_tally_add(tallies, unit.pair, TD_TALLY_TRIANGLES, 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tests.count > 0) {
        td_tally_add(tallies, tests.pair, TD_TALLY_BOXES, tests.count);
    }
    const uint left = task.count;
    for (uint i = item; i < left; i += TD_GROUP) {
        own[i] = queue[i];
    }
    if (item == 0) {
        queue_counts[number] = left;
        queue_starts[number] = left;
        if (task.state == TD_GOES_ON) { // empty or full
            atomic_inc(idle);
        }
    }
}
