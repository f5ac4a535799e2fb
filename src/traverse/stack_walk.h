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

// Advances to the next pair of overlapping leaves (TD_WALK_LEAVES; walk->a and walk->b name them) or to the
// end (TD_WALK_OVER), but by no more than `most_steps` box tests (TD_WALK_GOING: call again). `stack` has
// room for (arity - 1) (height A + height B) + 1 pairs, with `self` for arity (arity + 1) / 2 more per level;
// `rule` is a TD_DESCENT_x, `volume` a TD_VOLUME_x that the sides have.
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

#endif
