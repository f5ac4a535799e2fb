// One pair of nodes of two post-order hierarchies: do they overlap, and which of them is opened. What the
// walks (binary_walk.h, stack_walk.h) ask at every pair. C17 and OpenCL C.
//
// The walks are templates in the manner of C: a body that is always inlined, with the volume as a constant.
#ifndef TD_TRAVERSE_POST_PAIR_H
#define TD_TRAVERSE_POST_PAIR_H

#include "../bvh/postorder_node.h"
#include "u32_pair.h"

#ifdef __OPENCL_VERSION__
#define TD_TEMPLATE          TD_INLINE
#define TD_VOLUME_AABB       0 // as in tandem/query.h
#define TD_VOLUME_OBB        1
#define TD_DESCENT_AUTO      0
#define TD_DESCENT_LARGER    1
#define TD_DESCENT_A         2
#define TD_DESCENT_B         3
#define TD_DESCENT_ALTERNATE 4
#else
#define TD_TEMPLATE static inline __attribute__((always_inline))
_Static_assert(TD_VOLUME_AABB == 0 && TD_VOLUME_OBB == 1 && TD_DESCENT_AUTO == 0 && TD_DESCENT_LARGER == 1 &&
                   TD_DESCENT_A == 2 && TD_DESCENT_B == 3 && TD_DESCENT_ALTERNATE == 4,
               "kernels know the numbers above");
#endif

// Within the walks: axis-aligned boxes of two sides that are in one frame, which takes six comparisons. The
// answer is that of TD_VOLUME_AABB at the identity.
#define TD_VOLUME_STRAIGHT 2

// What td_binary_next and td_stack_next return.
#define TD_WALK_OVER   0u // everything has been visited
#define TD_WALK_LEAVES 1u // walk->a, walk->b are leaves that overlap
#define TD_WALK_GOING  2u // the steps allowed are used up

// What a walk reads of one hierarchy; of the volumes, only the one it asks for.
typedef struct td_post_side {
    TD_GLOBAL const td_post_links *links;
    TD_GLOBAL const td_boxf *boxes;
    TD_GLOBAL const td_obbf *obbs;
} td_post_side;

TD_INLINE td_post_side td_side_of_boxes(TD_GLOBAL const td_post_links *links,
                                        TD_GLOBAL const td_boxf *boxes) {
    td_post_side side;
    side.links = links;
    side.boxes = boxes;
    side.obbs = 0;
    return side;
}

TD_INLINE td_post_side td_side_of_obbs(TD_GLOBAL const td_post_links *links, TD_GLOBAL const td_obbf *obbs) {
    td_post_side side;
    side.links = links;
    side.boxes = 0;
    side.obbs = obbs;
    return side;
}

// What is not a number is nowhere, and overlaps.
TD_INLINE int td_straight_overlap(td_boxf a, td_boxf b, float slack) {
    TD_UNROLL
    for (int k = 0; k < 3; ++k) {
        const float apart = b.center[k] - a.center[k], reach = (a.half[k] + slack) + (b.half[k] + slack);
        if (TD_ABSF(apart) > reach) {
            return 0;
        }
    }
    return 1;
}

TD_TEMPLATE int td_post_overlap(td_post_side side_a, td_post_side side_b, td_u32 a, td_u32 b,
                                const td_placef *place, td_u32 volume) {
    if (volume == TD_VOLUME_OBB) {
        return td_obb_overlaps(side_a.obbs + a, side_b.obbs + b, place);
    }
    if (volume == TD_VOLUME_STRAIGHT) {
        return td_straight_overlap(side_a.boxes[a], side_b.boxes[b], place->slack);
    }
    return td_box_overlaps(side_a.boxes[a], side_b.boxes[b], *place);
}

// Sum of the half-sizes.
TD_TEMPLATE float td_post_size(td_post_side side, td_u32 node, td_u32 volume) {
    if (volume == TD_VOLUME_OBB) {
        return side.obbs[node].half[0] + side.obbs[node].half[1] + side.obbs[node].half[2];
    }
    return side.boxes[node].half[0] + side.boxes[node].half[1] + side.boxes[node].half[2];
}

// Which of a and b, not both of them leaves, is opened: 1 for a. A leaf never is.
//
// Every rule goes by the pair alone, not by the way there: so the pairs visited are the same for every walk,
// wherever it starts. By turns means by the depth of the pair in the bounding volume test tree, which is the
// sum of the depths of its nodes.
TD_TEMPLATE int td_opens_a(td_post_side side_a, td_post_side side_b, td_u32 a, td_u32 b,
                           const td_placef *place, td_u32 rule, td_u32 volume) {
    const td_u32 kind_a = side_a.links[a].kind, kind_b = side_b.links[b].kind;
    if ((kind_a | kind_b) & TD_POST_LEAF) {
        return (kind_b & TD_POST_LEAF) != 0;
    }
    if (rule == TD_DESCENT_A || rule == TD_DESCENT_B) {
        return rule == TD_DESCENT_A;
    }
    if (rule == TD_DESCENT_ALTERNATE) {
        return ((kind_a ^ kind_b) & TD_POST_ODD) == 0;
    }
    return td_post_size(side_a, a, volume) >= td_post_size(side_b, b, volume) * place->ratio;
}

#endif
