// What the kinds of broad phase share: the proxies, and what a kind has to do.
#ifndef TD_BROAD_KIND_H
#define TD_BROAD_KIND_H

#include "../core/array.h"
#include "broad.h"
#include "numbers.h"

typedef TD_ARRAY(td_pair) td_broad_list;

// Beside its box, which is kept apart: boxes are what is read most.
typedef struct td_proxy {
    uint64_t user;
    uint64_t group;
    uint64_t collides_with;
    bool alive;   // false: the number is free
    bool still;   // see td_proxy_def
    bool fresh;   // added since the last update: whatever is known about its number is of another proxy
    bool changed; // is in the list of changes
} td_proxy;

typedef struct td_broad_kind {
    const char *name;
    const char *idea;
    // What the kind keeps from update to update goes to broad->state; null: nothing is kept.
    td_result (*create)(td_broad *broad);
    void (*destroy)(td_broad *broad); // also after a `create` that failed
    // Brings the state up to date with broad->changes and leaves in broad->found all pairs a < b that may
    // meet and whose boxes overlap, sorted, and their price in broad->tests. If it fails it is called again
    // later, with the same changes or more.
    td_result (*find)(td_broad *broad);
} td_broad_kind;

extern const td_broad_kind td_broad_all, td_broad_sweep, td_broad_tree;

struct td_broad {
    td_context *context;
    const td_broad_kind *kind;
    void *state; // the kind's
    // Both by proxy number, always of the same count.
    TD_ARRAY(td_box) boxes;
    TD_ARRAY(td_proxy) proxies;
    uint32_t alive_count;
    td_free_numbers free_numbers;
    // Numbers that were added, moved or removed since the last update, each once. There is always room for
    // all, so that moving and removing cannot fail.
    TD_ARRAY(uint32_t) changes;
    td_broad_list found; // the kind's answer
    td_broad_list spare; // for sorting
    uint64_t tests;
    // The last report.
    td_broad_list pairs, began, ended;
    uint64_t report_tests, report_moved;
};

static inline bool td_may_meet(const td_proxy *a, const td_proxy *b) {
    return (a->group & b->collides_with) != 0 && (b->group & a->collides_with) != 0 &&
           !(a->still && b->still);
}

// Sorts `list` by (a, b); its numbers are those of proxies.
td_result td_broad_sort(td_broad *broad, td_broad_list *list);

#endif
