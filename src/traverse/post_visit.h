// What the native strategies on the post-order hierarchy share: where they start, how they tell the time, and
// what becomes of their leaves. Places are pairs of nodes, from (0, 0) down.
#ifndef TD_TRAVERSE_POST_VISIT_H
#define TD_TRAVERSE_POST_VISIT_H

#include "nodes.h"
#include "post_pair.h"

// Box tests between two looks at the 32-bit counters of a walk.
#define TD_STEPS_AT_ONCE 0x40000000u

typedef struct td_post_visit {
    td_worker *worker;
    const td_traversal *traversal;
    td_post_side a, b;
    td_placef place;
    td_u32 rule;
    td_u32 volume;    // a TD_VOLUME_x of post_pair.h
    size_t leaves_at; // leaf pairs are decided when there are so many
    double clock;     // with traversal->measure: when the current stage began
} td_post_visit;

// Makes room for leaf pairs; on failure worker->result says so.
td_post_visit td_post_visit_begin(td_worker *worker, const td_traversal *traversal);

// Decides every pair of leaves that waits, exactly.
void td_post_decide(td_post_visit *visit);

td_result td_start_at_nodes(td_pair_list *starts, size_t wanted, td_worker *worker,
                            const td_traversal *traversal);

static inline td_pair td_triangles_of_leaves(const td_traversal *traversal, td_pair leaves) {
    const uint32_t a = traversal->post_a->links[leaves.a].child, b = traversal->post_b->links[leaves.b].child;
    return (td_pair){traversal->a->quads[a / 4].triangle[a % 4], traversal->b->quads[b / 4].triangle[b % 4]};
}

// Notes a pair of leaves, and decides all of them if there are enough.
static inline void td_post_visit_leaves(td_post_visit *visit, uint32_t a, uint32_t b) {
    td_pair_list *leaves = &visit->worker->leaves;
    leaves->items[leaves->count++] = (td_pair){a, b};
    if (leaves->count >= visit->leaves_at) {
        td_post_decide(visit);
    }
}

// The most that a traversal had to remember at a time.
static inline void td_note_state(td_worker *worker, uint64_t bits) {
    if (bits > worker->counters.state_bits) {
        worker->counters.state_bits = bits;
    }
}

#endif
