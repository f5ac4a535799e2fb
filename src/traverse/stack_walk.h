// The classic stack of node pairs (paper 000, Fig. 2), on two post-order hierarchies: visits the same pairs
// in the same order as the binary stack (binary_walk.h), and remembers every pair still to be visited. C17
// and OpenCL C.
//
// Self-collision: both hierarchies are one, and every pair of nodes is met in one order only. A node that
// meets itself opens both sides at once, children i <= j.
#ifndef TD_TRAVERSE_STACK_WALK_H
#define TD_TRAVERSE_STACK_WALK_H

#include "post_pair.h"

// All there is to know of a walk, but for the pairs on the stack. It can be put aside after any call and
// taken up again.
typedef struct td_stack_walk {
    td_u32 count;     // pairs on the stack
    td_u32 a, b;      // the current pair
    td_u32 deepest;   // the most pairs on the stack so far
    td_u32 box_tests; // counts up; may be set back
} td_stack_walk;

TD_INLINE void td_stack_begin(td_stack_walk *walk, td_u32 a, td_u32 b, TD_GLOBAL td_u32_pair *stack) {
    walk->a = a;
    walk->b = b;
    walk->count = 1;
    walk->deepest = 1;
    walk->box_tests = 0;
    stack[0].a = a;
    stack[0].b = b;
}

TD_INLINE td_u32 td_child_count(TD_GLOBAL const td_post_links *links, td_u32 node) {
    td_u32 count = 1;
    for (td_u32 child = links[node].child; links[child].counter == 0; child = links[child].escape) {
        ++count;
    }
    return count;
}

// Pairs go on the stack right to left, so that they are visited left to right.
TD_INLINE td_u32 td_push_children_of_a(td_u32 a, td_u32 b, TD_GLOBAL const td_post_links *links,
                                       TD_GLOBAL td_u32_pair *top) {
    const td_u32 count = td_child_count(links, a);
    td_u32 child = links[a].child;
    for (td_u32 i = count; i-- > 0; child = links[child].escape) {
        top[i].a = child;
        top[i].b = b;
    }
    return count;
}

TD_INLINE td_u32 td_push_children_of_b(td_u32 a, td_u32 b, TD_GLOBAL const td_post_links *links,
                                       TD_GLOBAL td_u32_pair *top) {
    const td_u32 count = td_child_count(links, b);
    td_u32 child = links[b].child;
    for (td_u32 i = count; i-- > 0; child = links[child].escape) {
        top[i].a = a;
        top[i].b = child;
    }
    return count;
}

// The pairs i <= j of children of one node.
TD_INLINE td_u32 td_push_children_with_themselves(td_u32 node, TD_GLOBAL const td_post_links *links,
                                                  TD_GLOBAL td_u32_pair *top) {
    const td_u32 children = td_child_count(links, node), count = children * (children + 1) / 2;
    td_u32 at = count, left = links[node].child;
    for (td_u32 i = 0; i < children; ++i) {
        td_u32 right = left;
        for (td_u32 j = i; j < children; ++j) {
            --at;
            top[at].a = left;
            top[at].b = right;
            right = links[right].escape;
        }
        left = links[left].escape;
    }
    return count;
}

TD_TEMPLATE td_u32 td_stack_next(td_stack_walk *walk, td_post_side a, td_post_side b, const td_placef *place,
                                 td_u32 rule, td_u32 volume, td_u32 self, TD_GLOBAL td_u32_pair *stack,
                                 td_u32 most_steps) {
    td_stack_walk w = *walk;
    td_u32 state = w.count == 0 ? TD_WALK_OVER : TD_WALK_GOING;
    for (td_u32 step = 0; state == TD_WALK_GOING && step < most_steps; ++step) {
        const td_u32_pair pair = stack[--w.count];
        const int same = self && pair.a == pair.b;
        w.a = pair.a;
        w.b = pair.b;
        w.box_tests++;
        if (same || td_post_overlap(a, b, w.a, w.b, place, volume)) {
            TD_GLOBAL td_u32_pair *top = stack + w.count;
            if (a.links[w.a].kind & b.links[w.b].kind & TD_POST_LEAF) {
                if (!same) { // a triangle does not meet itself
                    state = TD_WALK_LEAVES;
                    break;
                }
            } else if (same) {
                w.count += td_push_children_with_themselves(w.a, a.links, top);
            } else if (td_opens_a(a, b, w.a, w.b, place, rule, volume)) {
                w.count += td_push_children_of_a(w.a, w.b, a.links, top);
            } else {
                w.count += td_push_children_of_b(w.a, w.b, b.links, top);
            }
            w.deepest = w.count > w.deepest ? w.count : w.deepest;
        }
        state = w.count == 0 ? TD_WALK_OVER : TD_WALK_GOING;
    }
    *walk = w;
    return state;
}

// Advances to the next pair of overlapping leaves (TD_WALK_LEAVES; walk->a and walk->b name them) or to the
// end (TD_WALK_OVER), but by no more than `most_steps` box tests (TD_WALK_GOING: call again). `stack` has
// room for (arity - 1) (height A + height B) + 1 pairs; `rule` is a TD_DESCENT_x.
TD_INLINE td_u32 td_stack_steps_aabb(td_stack_walk *walk, TD_GLOBAL const td_post_links *links_a,
                                     TD_GLOBAL const td_boxf *boxes_a, TD_GLOBAL const td_post_links *links_b,
                                     TD_GLOBAL const td_boxf *boxes_b, const td_placef *place, td_u32 rule,
                                     TD_GLOBAL td_u32_pair *stack, td_u32 most_steps) {
    return td_stack_next(walk, td_side_of_boxes(links_a, boxes_a), td_side_of_boxes(links_b, boxes_b), place,
                         rule, TD_VOLUME_AABB, 0, stack, most_steps);
}

TD_INLINE td_u32 td_stack_steps_obb(td_stack_walk *walk, TD_GLOBAL const td_post_links *links_a,
                                    TD_GLOBAL const td_obbf *obbs_a, TD_GLOBAL const td_post_links *links_b,
                                    TD_GLOBAL const td_obbf *obbs_b, const td_placef *place, td_u32 rule,
                                    TD_GLOBAL td_u32_pair *stack, td_u32 most_steps) {
    return td_stack_next(walk, td_side_of_obbs(links_a, obbs_a), td_side_of_obbs(links_b, obbs_b), place,
                         rule, TD_VOLUME_OBB, 0, stack, most_steps);
}

// The same without a limit: never TD_WALK_GOING.
TD_INLINE td_u32 td_stack_next_aabb(td_stack_walk *walk, TD_GLOBAL const td_post_links *links_a,
                                    TD_GLOBAL const td_boxf *boxes_a, TD_GLOBAL const td_post_links *links_b,
                                    TD_GLOBAL const td_boxf *boxes_b, const td_placef *place, td_u32 rule,
                                    TD_GLOBAL td_u32_pair *stack) {
    td_u32 state;
    do {
        state = td_stack_steps_aabb(walk, links_a, boxes_a, links_b, boxes_b, place, rule, stack, ~0u);
    } while (state == TD_WALK_GOING);
    return state;
}

TD_INLINE td_u32 td_stack_next_obb(td_stack_walk *walk, TD_GLOBAL const td_post_links *links_a,
                                   TD_GLOBAL const td_obbf *obbs_a, TD_GLOBAL const td_post_links *links_b,
                                   TD_GLOBAL const td_obbf *obbs_b, const td_placef *place, td_u32 rule,
                                   TD_GLOBAL td_u32_pair *stack) {
    td_u32 state;
    do {
        state = td_stack_steps_obb(walk, links_a, obbs_a, links_b, obbs_b, place, rule, stack, ~0u);
    } while (state == TD_WALK_GOING);
    return state;
}

// A mesh against itself: the boxes of both sides are in one frame. `stack` has room for arity (arity + 1) / 2
// more pairs per level.
TD_INLINE td_u32 td_stack_self_aabb(td_stack_walk *walk, TD_GLOBAL const td_post_links *links_a,
                                    TD_GLOBAL const td_boxf *boxes_a, TD_GLOBAL const td_post_links *links_b,
                                    TD_GLOBAL const td_boxf *boxes_b, const td_placef *place, td_u32 rule,
                                    TD_GLOBAL td_u32_pair *stack) {
    td_u32 state;
    do {
        state = td_stack_next(walk, td_side_of_boxes(links_a, boxes_a), td_side_of_boxes(links_b, boxes_b),
                              place, rule, TD_VOLUME_STRAIGHT, 1, stack, ~0u);
    } while (state == TD_WALK_GOING);
    return state;
}

TD_INLINE td_u32 td_stack_self_obb(td_stack_walk *walk, TD_GLOBAL const td_post_links *links_a,
                                   TD_GLOBAL const td_obbf *obbs_a, TD_GLOBAL const td_post_links *links_b,
                                   TD_GLOBAL const td_obbf *obbs_b, const td_placef *place, td_u32 rule,
                                   TD_GLOBAL td_u32_pair *stack) {
    td_u32 state;
    do {
        state = td_stack_next(walk, td_side_of_obbs(links_a, obbs_a), td_side_of_obbs(links_b, obbs_b), place,
                              rule, TD_VOLUME_OBB, 1, stack, ~0u);
    } while (state == TD_WALK_GOING);
    return state;
}

#endif
