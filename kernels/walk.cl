// Strategies `binary` and `stack` on a device (paper 000). A work-item walks one pair of hierarchies, or the
// part of it below a start; leaf pairs whose boxes overlap become candidates for the triangle test. When the
// buffer of candidates is full the walk is put aside, in its slot, and taken up again by the next launch: a
// walk is small enough to be kept, so nothing needs room for all results at once.
//
// Options: TD_WALK_STACK (else the binary stack), TD_WALK_OBB (else AABBs), TD_WALK_SELF (a mesh
// against itself).
#include "../src/traverse/device_boxes.h"
#include "../src/traverse/device_tally.h"

#ifdef TD_WALK_STACK
#include "../src/traverse/stack_walk.h"
typedef td_stack_walk td_walk;
typedef td_u32_pair td_walk_item;
#define TD_WALK_BEGIN(walk, a, b, stack) td_stack_begin(walk, a, b, stack)
#define TD_WALK_NEXT                     td_stack_next
#define TD_WALK_BITS(pairs)              (64 * (pairs))
#else
#include "../src/traverse/binary_walk.h"
typedef td_binary_walk td_walk;
typedef td_u32 td_walk_item;
#define TD_WALK_BEGIN(walk, a, b, words) td_binary_begin(walk, a, b)
#define TD_WALK_NEXT                     td_binary_next
#define TD_WALK_BITS(labels)             (64 + (labels)) // two node indices and a bit per label
#endif

// A mesh against itself: boxes along the axes are in one frame.
#ifdef TD_WALK_SELF
#define TD_SELF   1
#define TD_VOLUME (TD_WALK_VOLUME == TD_VOLUME_AABB ? TD_VOLUME_STRAIGHT : TD_WALK_VOLUME)
#else
#define TD_SELF   0
#define TD_VOLUME TD_WALK_VOLUME
#endif

// Goes on to the next pair of leaves, or to the end.
static uint td_walk_next(td_walk *walk, td_post_side a, td_post_side b, const td_placef *place, uint rule,
                         __global td_walk_item *own) {
    uint state;
    do {
        state = TD_WALK_NEXT(walk, a, b, place, rule, TD_VOLUME, TD_SELF, own, ~0u);
    } while (state == TD_WALK_GOING);
    return state;
}

// What a work-item was doing when it had to stop. As in src/traverse/walk_device.c.
typedef struct td_slot {
    td_u32 start; // the place it started from, or TD_DEVICE_IDLE
    td_u32 held;  // TD_SLOT_x
    td_walk walk;
} td_slot;

// With `pool`, idle work-items draw starts until there are none left; else every one has the start of its
// own number.
__kernel void td_walk_pairs(__global const td_post_links *links, __global const td_walk_box *boxes,
                            __global const td_device_pair *pairs, __global const td_device_place *starts,
                            uint start_count, __global td_slot *slots, uint slot_count,
                            __global td_walk_item *memory, uint memory_per_slot,
                            __global td_device_place *candidates, uint capacity,
                            volatile __global uint *counts, volatile __global uint *tallies, uint rule,
                            uint pool) {
    const uint item = get_global_id(0);
    if (item >= slot_count) {
        return;
    }
    td_slot slot = slots[item];
    __global td_walk_item *own = memory + (size_t)item * memory_per_slot;
    for (;;) {
        if (slot.start == TD_DEVICE_IDLE) {
            if (!pool || atomic_or(counts + TD_COUNT_CANDIDATES, 0) >= capacity) {
                break;
            }
            const uint drawn = atomic_inc(counts + TD_COUNT_DRAWN);
            if (drawn >= start_count) {
                break;
            }
            slot.start = drawn;
            slot.held = TD_SLOT_FRESH;
        }
        const td_device_place start = starts[slot.start];
        if (slot.held == TD_SLOT_FRESH) {
            TD_WALK_BEGIN(&slot.walk, start.a, start.b, own);
            slot.held = TD_SLOT_EMPTY;
        }
        __global const td_device_pair *pair = pairs + start.pair;
        const td_placef place = pair->place;
        const td_post_side a =
            td_walk_side(links + pair->first_a[TD_ARENA_LINKS], boxes + pair->first_a[TD_WALK_ARENA]);
        const td_post_side b =
            td_walk_side(links + pair->first_b[TD_ARENA_LINKS], boxes + pair->first_b[TD_WALK_ARENA]);
        uint found = 0;
        while (slot.held || td_walk_next(&slot.walk, a, b, &place, rule, own)) {
            const uint at = atomic_inc(counts + TD_COUNT_CANDIDATES);
            slot.held = at >= capacity ? TD_SLOT_HELD : TD_SLOT_EMPTY;
            if (slot.held) {
                break;
            }
            candidates[at].pair = start.pair;
            candidates[at].a = a.links[slot.walk.a].child;
            candidates[at].b = b.links[slot.walk.b].child;
            ++found;
            if (slot.walk.box_tests > 0x7fffffffu) { // before it wraps
                td_tally_add(tallies, start.pair, TD_TALLY_BOXES, slot.walk.box_tests);
                slot.walk.box_tests = 0;
            }
        }
        td_tally_add(tallies, start.pair, TD_TALLY_BOXES, slot.walk.box_tests);
        td_tally_add(tallies, start.pair, TD_TALLY_TRIANGLES, found);
        td_tally_max(tallies, start.pair, TD_TALLY_STATE, TD_WALK_BITS(slot.walk.deepest));
        slot.walk.box_tests = 0;
        if (slot.held) {
            break;
        }
        slot.start = TD_DEVICE_IDLE;
    }
    slots[item] = slot;
}
