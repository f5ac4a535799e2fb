// The float32 filter on candidates (src/traverse/lane.h): what certainly intersects becomes a hit, what it
// cannot tell is left undecided. Both lists are counted beyond their room: the host makes room and asks
// again.
#include "../src/traverse/device_tally.h"
#include "../src/traverse/device_welded.h"

static void td_put(volatile __global uint *count, __global td_device_place *list, uint room, uint pair,
                   uint a, uint b) {
    const uint at = atomic_inc(count);
    if (at < room) {
        list[at].pair = pair;
        list[at].a = a;
        list[at].b = b;
    }
}

static void td_test_lane(__global const td_quad *quad_a, uint lane_a, __global const td_quad *quad_b,
                         uint lane_b, __global const td_device_pair *pair, uint number,
                         __global td_device_place *hits, uint hit_room, __global td_device_place *undecided,
                         uint undecided_room, volatile __global uint *counts) {
    const td_lane_frame frame = pair->frame;
    const uint verdict = td_lane_triangles(quad_a, lane_a, quad_b, lane_b, &frame);
    if (verdict == TD_LANE_SURE) {
        td_put(counts + TD_COUNT_HITS, hits, hit_room, number, quad_a->triangle[lane_a],
               quad_b->triangle[lane_b]);
    } else if (verdict == TD_LANE_UNDECIDED) {
        td_put(counts + TD_COUNT_UNDECIDED, undecided, undecided_room, number, quad_a->triangle[lane_a],
               quad_b->triangle[lane_b]);
    }
}

// Candidates are single lanes of quads: one work-item each.
__kernel void td_test_candidates(__global const td_quad *quads, __global const uint *welded,
                                 __global const td_device_pair *pairs,
                                 __global const td_device_place *candidates, uint first, uint count,
                                 __global td_device_place *hits, uint hit_room,
                                 __global td_device_place *undecided, uint undecided_room,
                                 volatile __global uint *counts) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    const td_device_place candidate = candidates[first + item];
    __global const td_device_pair *pair = pairs + candidate.pair;
    if (pair->self) { // pairs of leaves are met once, and none with itself
        __global const uint *own = welded + 12 * (size_t)pair->first_a[TD_ARENA_WELDED];
        if (td_share_a_corner(own + 12 * (size_t)(candidate.a / 4), candidate.a % 4,
                              own + 12 * (size_t)(candidate.b / 4), candidate.b % 4)) {
            return;
        }
    }
    td_test_lane(quads + pair->first_a[TD_ARENA_QUADS] + candidate.a / 4, candidate.a % 4,
                 quads + pair->first_b[TD_ARENA_QUADS] + candidate.b / 4, candidate.b % 4, pair,
                 candidate.pair, hits, hit_room, undecided, undecided_room, counts);
}

// Tiles are pairs of quads: 16 work-items each.
__kernel void td_test_tiles(__global const td_quad *quads, __global const uint *welded,
                            __global const td_device_pair *pairs, __global const td_device_place *tiles,
                            uint first, uint count, __global td_device_place *hits, uint hit_room,
                            __global td_device_place *undecided, uint undecided_room,
                            volatile __global uint *counts) {
    const uint item = get_global_id(0), lane = item % 16;
    if (item / 16 >= count) {
        return;
    }
    const td_device_place tile = tiles[first + item / 16];
    __global const td_device_pair *pair = pairs + tile.pair;
    if (pair->self) {
        __global const uint *own = welded + 12 * (size_t)pair->first_a[TD_ARENA_WELDED];
        if ((tile.a == tile.b && lane % 4 >= lane / 4) ||
            td_share_a_corner(own + 12 * (size_t)tile.a, lane % 4, own + 12 * (size_t)tile.b, lane / 4)) {
            return;
        }
    }
    td_test_lane(quads + pair->first_a[TD_ARENA_QUADS] + tile.a, lane % 4,
                 quads + pair->first_b[TD_ARENA_QUADS] + tile.b, lane / 4, pair, tile.pair, hits, hit_room,
                 undecided, undecided_room, counts);
}
