// What kernels are told about the object pairs of a batch, and what they leave behind. C17 and OpenCL C.
#ifndef TD_TRAVERSE_DEVICE_PAIR_H
#define TD_TRAVERSE_DEVICE_PAIR_H

#include "../predicates/box_box.h"
#include "lane.h"

// The arrays of all meshes lie one behind the other, one buffer per kind.
#define TD_ARENA_BLOCKS    0  // td_block
#define TD_ARENA_SLABS     1  // td_slabs
#define TD_ARENA_QUADS     2  // td_quad
#define TD_ARENA_LINKS     3  // td_post_links
#define TD_ARENA_BOXES     4  // td_boxf
#define TD_ARENA_OBBS      5  // td_obbf
#define TD_ARENA_CORNERS   6  // three double per vertex
#define TD_ARENA_TRIANGLES 7  // three td_u32 per triangle
#define TD_ARENA_LEVELS    8  // td_u32: blocks by level (src/bvh/levels.h); deformable meshes
#define TD_ARENA_RANKS     9  // td_u32: likewise nodes of the post-order hierarchy
#define TD_ARENA_WELDED    10 // twelve td_u32 per quad: the welded vertices of its triangles; self-collision
#define TD_ARENA_SPLIT     11 // td_split_node; front
#define TD_ARENA_SPLITS    12 // td_split_box: of these nodes
#define TD_ARENA_TURNED    13 // td_obbf: likewise
#define TD_ARENA_KINDS     14

// Bits of td_device_pair.self: B is A itself; triangles without area take part.
#define TD_PAIR_SELF       1u
#define TD_PAIR_DEGENERATE 2u

// One object pair.
typedef struct td_device_pair {
    td_lane_frame frame;
    td_placef place;
    td_u32 first_a[TD_ARENA_KINDS]; // where A's items of each kind begin, in items
    td_u32 first_b[TD_ARENA_KINDS];
    td_u32 self; // bits TD_PAIR_x; 0: two meshes
} td_device_pair;

// Places of one object pair still to be visited: blocks or nodes of the post-order hierarchy; tiles: quads;
// candidates: single lanes of quads (4 quad + lane); hits: triangles.
typedef struct td_device_place {
    td_u32 pair, a, b;
} td_device_place;

// The start of a slot (kernels/walk.cl) that has none.
#define TD_DEVICE_IDLE 0xffffffffu

// What a slot holds beside its start.
#define TD_SLOT_EMPTY 0u // nothing is left over
#define TD_SLOT_HELD  1u // the walk stands at a pair that has found no room yet
#define TD_SLOT_FRESH 2u // the walk has not begun

// Words of the buffer of counters.
#define TD_COUNT_DRAWN      0 // starts that have been drawn
#define TD_COUNT_CANDIDATES 1 // front: tiles
#define TD_COUNT_HITS       2
#define TD_COUNT_UNDECIDED  3 // left by the float32 filter
#define TD_COUNT_HANDED     4 // left to the host by the exact predicate
#define TD_COUNT_KEPT       5 // balanced: candidates before the first that found no room
#define TD_COUNT_TESTS      6 // front: box tests beside one per entry
#define TD_COUNT_ASCENDED   7 // front: entries that ascended
#define TD_COUNTS           8

// Tallies of one object pair, 64 bits in two words each: OpenCL 1.2 adds up 32 bits at once.
#define TD_TALLY_BOXES     0
#define TD_TALLY_TRIANGLES 2
#define TD_TALLY_EXACT     4
#define TD_TALLY_STATE     6 // one word: the most bits a traversal had to remember
#define TD_TALLIES         8

#endif
