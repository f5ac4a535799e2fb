// The check that tests run on every front: it is a cut.
#include "front_walk.h"

#include "../core/error.h"
#include "swept_walk.h"

typedef struct td_front_check {
    const td_front_walk *walk;
    const td_front_entry *entries;
    size_t count, next;
} td_front_check;

static bool td_pair_counts(const td_traversal *traversal, td_pair triangles) {
    if (traversal->moving != NULL) {
        return td_swept_pair_counts(traversal->moving, triangles);
    }
    return !(traversal->self && td_share_a_position(traversal->mesh_a, triangles.a, triangles.b));
}

// Every way down from `pair` passes one entry, the next ones of the list. What is not there at all must be
// pairs of quads that do not count.
static td_result td_check_below(td_front_check *check, td_pair pair) {
    const td_front_walk *walk = check->walk;
    if (check->next < check->count && td_is_pair(check->entries[check->next], pair)) {
        check->next++;
        return TD_OK;
    }
    if (td_front_is_leaf(&walk->tree, pair)) {
        const td_quad *a = &walk->traversal->a->quads[walk->tree.a[pair.a].right];
        const td_quad *b = &walk->traversal->b->quads[walk->tree.b[pair.b].right];
        for (int lane = 0; lane < 16; ++lane) {
            const uint32_t x = a->triangle[lane & 3], y = b->triangle[lane >> 2];
            if (x != TD_NONE && y != TD_NONE && x != y && td_pair_counts(walk->traversal, (td_pair){x, y})) {
                return td_fail(TD_ERROR_MESH, "triangles %u and %u are below no entry of the front", x, y);
            }
        }
        return TD_OK;
    }
    td_pair top[3];
    for (uint32_t k = td_front_open(&walk->tree, pair, top); k-- > 0;) {
        TD_TRY(td_check_below(check, top[k]));
    }
    return TD_OK;
}

td_result td_front_validate(const td_front_list *front, td_worker *worker, const td_traversal *traversal) {
    const td_front_walk walk = td_front_walk_begin(worker, traversal);
    td_front_check check = {&walk, front->items, front->count, 0};
    TD_TRY(worker->result);
    TD_TRY(td_check_below(&check, (td_pair){0, 0}));
    return check.next == check.count
               ? TD_OK
               : td_fail(TD_ERROR_MESH, "entry %zu of %zu, (%u, %u), is out of place", check.next,
                         check.count, front->items[check.next].a, front->items[check.next].b);
}
