// The broad phase: which boxes overlap, among n that move.
//
// Each box belongs to a *proxy*, a number that stands for whatever the caller has inside the box. Between
// updates proxies are added, moved and removed; an update then gives all pairs of proxies that may meet and
// whose boxes overlap, and what began and ended since the update before. How they are found is the *kind*,
// chosen at creation by name (td_broad_kind_name); the pairs, their order and the lists of beginnings and
// ends are the same for every kind, only speed and the number of tests differ.
//
// One thread at a time.
#ifndef TD_BROAD_BROAD_H
#define TD_BROAD_BROAD_H

#include "../math/vec3.h"

#include <tandem/query.h>

// Closed: boxes that touch overlap. Bounds may be infinite (a plane, a half-space) and equal (a point).
typedef struct td_box {
    td_vec3 lower, upper;
} td_box;

// Two proxies may meet if each one's group has a bit in common with what the other collides with, and not
// both are still.
typedef struct td_proxy_def {
    td_box box;
    uint64_t user; // the caller's, never read here
    uint64_t group;
    uint64_t collides_with;
    bool still; // static: never meets another still one; may be moved all the same, at some cost
} td_proxy_def;

typedef struct td_broad td_broad;

// Proxies by number, a < b, sorted by (a, b).
typedef struct td_broad_pairs {
    const td_pair *items;
    size_t count;
} td_broad_pairs;

// What the last update found, valid until the next one. A pair ends when its boxes part or one of its proxies
// is removed. If the number of a removed proxy went to a new one, a pair may be in both lists: the one that
// ended was the old proxy's, the one that began is the new one's.
typedef struct td_broad_report {
    td_broad_pairs pairs; // all that overlap now
    td_broad_pairs began, ended;
    uint64_t tests; // comparisons of two boxes, of proxies or of inner nodes
    uint64_t moved; // proxies added, or moved to another box, since the update before
} td_broad_report;

uint32_t td_broad_kind_count(void);
const char *td_broad_kind_name(uint32_t index); // "all", "sweep", "tree"; "" beyond
const char *td_broad_kind_idea(uint32_t index); // one line; "" beyond

// `kind` null or "auto" is the one that is fastest in general. TD_ERROR_ARGUMENT if there is none of that
// name (the message lists those there are), or TD_ERROR_MEMORY.
td_result td_broad_create(td_broad **out, td_context *context, const char *kind);
void td_broad_destroy(td_broad *broad); // null is fine

// A NaN, or a lower bound above its upper one, is TD_ERROR_ARGUMENT. So is a number that stands for no proxy,
// in all calls below. Whatever fails leaves everything as it was.
//
// The new proxy gets the lowest number that is free.
td_result td_broad_add(uint32_t *out, td_broad *broad, const td_proxy_def *def);
td_result td_broad_move(td_broad *broad, uint32_t proxy, td_box box);
td_result td_broad_remove(td_broad *broad, uint32_t proxy);

// Fails only for want of memory; the report is then the one before, and the next update that succeeds counts
// from there. Allocates nothing once its buffers are large enough.
td_result td_broad_update(td_broad *broad);
td_broad_report td_broad_last_report(const td_broad *broad);

bool td_broad_has(const td_broad *broad, uint32_t proxy);
uint32_t td_broad_proxy_count(const td_broad *broad);
// Of a number that stands for a proxy.
uint64_t td_broad_user(const td_broad *broad, uint32_t proxy);
td_box td_broad_box(const td_broad *broad, uint32_t proxy);

// NaN fails every comparison, so that it overlaps nothing; none gets this far.
static inline bool td_boxes_overlap(const td_box *a, const td_box *b) {
    return (a->lower.x <= b->upper.x) & (b->lower.x <= a->upper.x) & (a->lower.y <= b->upper.y) &
           (b->lower.y <= a->upper.y) & (a->lower.z <= b->upper.z) & (b->lower.z <= a->upper.z);
}

#endif
