// The binary stack (paper 000): a walk through the bounding volume test tree of two post-order hierarchies
// that remembers the current pair and one bit per descent. C17 and OpenCL C.
//
//   descent   to the left-most child of one side; the label of the side goes on the stack
//   ascent    while the node of the top label's side is a right-most child, its label is popped; then its
//             right sibling is next
//
// How many labels to pop follows from the ancestor counters of the current pair and the labels (Fig. 8). In
// the post-order array the ancestor after k ascents is k places before, and its escape index is the same:
// no ascended node is read (Eqs. 3 to 7).
//
// A walk may start at any pair of nodes. It is over when the stack is empty and nothing is left to do,
// whatever lies to the right of the start.
//
// Self-collision (ours; the paper has two hierarchies): both are one. A node that meets itself opens A, and
// what that leaves, a child beside its parent, opens B: so every child meets every child. Of two nodes that
// meet twice, once as (left, right) and once as (right, left), the second is passed over: in this array what
// is to the right of a node has a lower index. Nothing but labels is remembered here, either.
//
// Deviations from Fig. 9: there, `continue` after "find contacts" would visit the same pair of leaves for
// ever; here the walk ascends. And the walk ends by its empty stack instead of by the escape index of the
// roots, so that it can start anywhere.
#ifndef TD_TRAVERSE_BINARY_WALK_H
#define TD_TRAVERSE_BINARY_WALK_H

#include "post_pair.h"

// All there is to know of a walk, but for the labels that did not fit into `word`: they are in `words`, 32 to
// a word. It can be put aside after any call and taken up again.
typedef struct td_binary_walk {
    td_u32 a, b;      // the current pair
    td_u32 depth;     // labels on the stack
    td_u32 word;      // the topmost 1 to 32 of them, the newest in bit 0; a set bit is a descent in B
    td_u32 state;     // TD_WALK_x: what the current pair is
    td_u32 deepest;   // the most labels so far
    td_u32 box_tests; // counts up; may be set back
} td_binary_walk;

// Words that hold the labels of walks below nodes of these heights.
TD_INLINE td_u32 td_binary_words(td_u32 height_a, td_u32 height_b) {
    return (height_a + height_b + 31u) / 32u;
}

TD_INLINE void td_binary_begin(td_binary_walk *walk, td_u32 a, td_u32 b) {
    walk->a = a;
    walk->b = b;
    walk->depth = 0;
    walk->word = 0;
    walk->state = TD_WALK_GOING;
    walk->deepest = 0;
    walk->box_tests = 0;
}

TD_INLINE void td_push_label(td_binary_walk *walk, td_u32 label, TD_GLOBAL td_u32 *words) {
    if (walk->depth % 32 == 0 && walk->depth > 0) {
        words[walk->depth / 32 - 1] = walk->word;
    }
    walk->word = walk->word << 1 | label;
    walk->depth++;
    walk->deepest = walk->depth > walk->deepest ? walk->depth : walk->deepest;
}

TD_INLINE void td_pop_label(td_binary_walk *walk, TD_GLOBAL const td_u32 *words) {
    walk->word >>= 1;
    walk->depth--;
    if (walk->depth % 32 == 0 && walk->depth > 0) {
        walk->word = words[walk->depth / 32 - 1];
    }
}

// From the current pair, below which nothing is left to do, to the next one.
TD_INLINE td_u32 td_binary_ascend(td_binary_walk *walk, td_post_links a, td_post_links b,
                                  TD_GLOBAL const td_u32 *words) {
    td_u32 ascents_a = 0, ascents_b = 0;
    while (walk->depth > 0) {
        if (walk->word & 1u) {
            if (ascents_b == b.counter) {
                walk->a -= ascents_a;
                walk->b = b.escape;
                return TD_WALK_GOING;
            }
            ++ascents_b;
        } else {
            if (ascents_a == a.counter) {
                walk->a = a.escape;
                walk->b -= ascents_b;
                return TD_WALK_GOING;
            }
            ++ascents_a;
        }
        td_pop_label(walk, words);
    }
    return TD_WALK_OVER;
}

TD_INLINE int td_is_child_of(TD_GLOBAL const td_post_links *links, td_u32 node, td_u32 parent) {
    if (links[parent].kind & TD_POST_LEAF) {
        return 0;
    }
    td_u32 child = links[parent].child;
    while (child != node && links[child].counter == 0) {
        child = links[child].escape;
    }
    return child == node;
}

// Advances to the next pair of overlapping leaves (TD_WALK_LEAVES; walk->a and walk->b name them) or to the
// end (TD_WALK_OVER), but by no more than `most_steps` box tests (TD_WALK_GOING: call again). `words` has
// room for td_binary_words; `rule` is a TD_DESCENT_x, `volume` a TD_VOLUME_x that the sides have.
TD_TEMPLATE td_u32 td_binary_next(td_binary_walk *walk, td_post_side a, td_post_side b,
                                  const td_placef *place, td_u32 rule, td_u32 volume, td_u32 self,
                                  TD_GLOBAL td_u32 *words, td_u32 most_steps) {
    td_binary_walk w = *walk;
    if (w.state == TD_WALK_LEAVES) {
        w.state = td_binary_ascend(&w, a.links[w.a], b.links[w.b], words);
    }
    for (td_u32 step = 0; w.state == TD_WALK_GOING && step < most_steps; ++step) {
        const int same = self && w.a == w.b, mirrored = self && w.a < w.b;
        const td_u32 leaves = a.links[w.a].kind & b.links[w.b].kind & TD_POST_LEAF;
        w.box_tests += !mirrored;
        if (mirrored || (same && leaves) || !(same || td_post_overlap(a, b, w.a, w.b, place, volume))) {
            w.state = td_binary_ascend(&w, a.links[w.a], b.links[w.b], words);
        } else if (leaves) {
            w.state = TD_WALK_LEAVES;
        } else if (same || (!(self && td_is_child_of(a.links, w.a, w.b)) &&
                            td_opens_a(a, b, w.a, w.b, place, rule, volume))) {
            w.a = a.links[w.a].child;
            td_push_label(&w, 0, words);
        } else {
            w.b = b.links[w.b].child;
            td_push_label(&w, 1, words);
        }
    }
    *walk = w;
    return w.state;
}

#endif
