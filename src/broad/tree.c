// A dynamic tree of fat boxes.
//
// A leaf's box is its proxy's with a margin, larger towards where it moves; while the proxy stays inside,
// nothing happens to the tree. Pairs of fat boxes that overlap are *candidates*, kept sorted from update to
// update: only proxies that left their fat box (the *stale* ones) look for theirs again. An update then
// compares the true boxes of the candidates, so that what it finds does not depend on any margin.
//
// There are three trees. In one tree, boxes inside a much larger one (a ground, a half-space) could be put
// anywhere beside it without making any surface larger, and surfaces would no longer tell what is close.
//
// based on: the dynamic trees of Bullet (N. Presson's btDbvt) and Box2D (E. Catto), which keep fat boxes and
// pairs in the same way.
#include "../core/error.h"
#include "box_tree.h"
#include "kind.h"

#include <math.h>

enum { TD_TREE_MOVING, TD_TREE_STILL, TD_TREE_UNBOUNDED, TD_TREES };

// What is known of a number. Dead ones without a leaf are all zero but for `leaf`.
typedef struct td_tree_entry {
    uint32_t leaf; // TD_NO_NODE: none
    uint8_t tree;  // which one the leaf is in
    bool stale;    // its candidates are not, or no longer, those of its fat box
} td_tree_entry;

typedef struct td_tree_state {
    td_box_tree trees[TD_TREES];
    TD_ARRAY(td_tree_entry) entries; // per number
    TD_ARRAY(uint32_t) stale;        // the numbers marked so
    td_broad_list candidates;        // sorted; may meet and fat boxes overlap, but for the stale ones
    td_broad_list news;              // candidates of the stale ones
    td_broad_list merged;            // both: to be swapped with `candidates`
    TD_ARRAY(uint32_t) waiting;      // nodes still to be visited
} td_tree_state;

static td_result td_tree_create(td_broad *broad) {
    td_tree_state *state = TD_NEW(broad->context, td_tree_state, 1);
    if (state == NULL) {
        return TD_ERROR_MEMORY;
    }
    *state = (td_tree_state){0};
    for (int i = 0; i < TD_TREES; ++i) {
        td_tree_start(&state->trees[i]);
    }
    broad->state = state;
    return TD_OK;
}

static void td_tree_destroy(td_broad *broad) {
    td_tree_state *state = broad->state;
    if (state == NULL) {
        return;
    }
    for (int i = 0; i < TD_TREES; ++i) {
        td_tree_release(&state->trees[i], broad->context);
    }
    td_array_release(broad->context, &state->entries);
    td_array_release(broad->context, &state->stale);
    td_array_release(broad->context, &state->candidates);
    td_array_release(broad->context, &state->news);
    td_array_release(broad->context, &state->merged);
    td_array_release(broad->context, &state->waiting);
    TD_DELETE(broad->context, td_tree_state, state, 1);
    broad->state = NULL;
}

// ---------------------------------------------------------------------------------------------------------
// Fat boxes

static double td_clamp(double x, double limit) {
    return x < -limit ? -limit : x > limit ? limit : x;
}

static td_vec3 td_clamp_each(td_vec3 v, double limit) {
    return td_vec3_make(td_clamp(v.x, limit), td_clamp(v.y, limit), td_clamp(v.z, limit));
}

static td_box td_clamp_box(const td_box *box) {
    return (td_box){td_clamp_each(box->lower, TD_TREE_LIMIT), td_clamp_each(box->upper, TD_TREE_LIMIT)};
}

static bool td_is_bounded(const td_box *box) {
    return box->lower.x > -TD_TREE_LIMIT && box->lower.y > -TD_TREE_LIMIT && box->lower.z > -TD_TREE_LIMIT &&
           box->upper.x < TD_TREE_LIMIT && box->upper.y < TD_TREE_LIMIT && box->upper.z < TD_TREE_LIMIT;
}

// Relative to the mean side of a box. More margin means fewer changes of the tree, and more candidates.
// Between the two, by number: bodies that were added together and fall together would else leave their fat
// boxes all in one update.
static const double td_margin_from = 0.08, td_margin_to = 0.16;
static const double td_margin_ahead = 2; // at most, in margins, in the direction of motion

static td_box td_widen(td_box box, double margin, td_vec3 ahead) {
    const td_vec3 all_round = td_vec3_make(margin, margin, margin);
    box.lower = td_sub(box.lower, all_round);
    box.upper = td_add(box.upper, all_round);
    box.lower = td_add(box.lower, td_vec3_make(fmin(ahead.x, 0), fmin(ahead.y, 0), fmin(ahead.z, 0)));
    box.upper = td_add(box.upper, td_vec3_make(fmax(ahead.x, 0), fmax(ahead.y, 0), fmax(ahead.z, 0)));
    return box;
}

static td_vec3 td_middle_of(const td_box *box) {
    return td_add(td_scale(box->lower, 0.5), td_scale(box->upper, 0.5));
}

static double td_side_sum(const td_box *box) {
    const td_vec3 side = td_sub(box->upper, box->lower);
    return side.x + side.y + side.z;
}

// `last` is the fat box that the proxy left, null if there is none. Where it left it tells where it goes; as
// far ahead as that, but no more than some margins, so that a jump is not taken for a velocity.
static td_box td_fat_box(const td_box *box, uint32_t number, bool still, const td_box *last) {
    const td_box clamped = td_clamp_box(box);
    if (still || !td_is_bounded(box)) {
        return clamped;
    }
    const double share =
        (double)(number * 0x9e3779b9u) * 0x1p-32; // multiples of the golden ratio spread evenly
    const double margin = (td_margin_from + share * (td_margin_to - td_margin_from)) * td_side_sum(box) / 3;
    td_vec3 ahead = {0};
    if (last != NULL) {
        const td_vec3 way = td_sub(td_middle_of(box), td_middle_of(last));
        ahead = td_clamp_each(td_scale(way, td_margin_ahead), td_margin_ahead * margin);
    }
    return td_widen(clamped, margin, ahead);
}

// Whether the leaf may stay as it is: the box is inside, and has not shrunk so much that the fat box, at most
// 1 + (2 + td_margin_ahead) * td_margin_to times as large when it was made, would bring candidates from
// far away. Compared with the clamped box: what lies beyond the limit is inside if the fat box reaches it.
static bool td_still_fits(const td_box *box, const td_box *fat) {
    const td_box inner = td_clamp_box(box);
    const double too_large = 2;
    return (fat->lower.x <= inner.lower.x) & (fat->lower.y <= inner.lower.y) &
           (fat->lower.z <= inner.lower.z) & (fat->upper.x >= inner.upper.x) &
           (fat->upper.y >= inner.upper.y) & (fat->upper.z >= inner.upper.z) &
           (td_side_sum(fat) <= too_large * td_side_sum(&inner));
}

// ---------------------------------------------------------------------------------------------------------
// The tree follows the proxies

static uint8_t td_tree_for(const td_box *box, bool still) {
    return !td_is_bounded(box) ? TD_TREE_UNBOUNDED : still ? TD_TREE_STILL : TD_TREE_MOVING;
}

static td_result td_reserve_entries(td_tree_state *state, const td_broad *broad) {
    const size_t count = broad->proxies.count;
    TD_TRY(td_array_reserve(broad->context, &state->stale, count - state->stale.count));
    TD_TRY(td_array_reserve(broad->context, &state->entries, count - state->entries.count));
    while (state->entries.count < count) {
        state->entries.items[state->entries.count++] = (td_tree_entry){.leaf = TD_NO_NODE};
    }
    return TD_OK;
}

// Room in each tree for the leaves that come; what is in the right tree already gives its nodes back first.
static td_result td_reserve_leaves(td_tree_state *state, const td_broad *broad) {
    size_t coming[TD_TREES] = {0};
    for (size_t i = 0; i < broad->changes.count; ++i) {
        const uint32_t number = broad->changes.items[i];
        const td_tree_entry *entry = &state->entries.items[number];
        const uint8_t tree = td_tree_for(&broad->boxes.items[number], broad->proxies.items[number].still);
        coming[tree] += entry->leaf == TD_NO_NODE || entry->tree != tree;
    }
    for (int i = 0; i < TD_TREES; ++i) {
        TD_TRY(td_tree_reserve(&state->trees[i], broad->context, coming[i]));
    }
    return TD_OK;
}

static void td_follow(td_tree_state *state, const td_broad *broad, uint32_t number) {
    const td_proxy *proxy = &broad->proxies.items[number];
    const td_box *box = &broad->boxes.items[number];
    td_tree_entry *entry = &state->entries.items[number];
    td_box last = {0};
    const bool had_leaf = entry->leaf != TD_NO_NODE;
    if (had_leaf) {
        td_box_tree *tree = &state->trees[entry->tree];
        last = tree->nodes.items[entry->leaf].box;
        if (proxy->alive && !proxy->fresh && td_still_fits(box, &last)) {
            return;
        }
        td_tree_remove(tree, entry->leaf);
        entry->leaf = TD_NO_NODE;
    }
    if (proxy->alive) {
        const td_box fat = td_fat_box(box, number, proxy->still, had_leaf && !proxy->fresh ? &last : NULL);
        entry->tree = td_tree_for(box, proxy->still);
        entry->leaf = td_tree_insert(&state->trees[entry->tree], fat, number);
    }
    if (!entry->stale) {
        entry->stale = true;
        state->stale.items[state->stale.count++] = number;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Candidates

// Two stale ones find each other: the lower one keeps the pair.
static td_result td_take_candidate(td_tree_state *state, td_broad *broad, uint32_t number, uint32_t other) {
    const td_proxy *proxies = broad->proxies.items;
    const bool other_takes_it = other <= number && state->entries.items[other].stale;
    if (other_takes_it || !td_may_meet(&proxies[number], &proxies[other])) {
        return TD_OK;
    }
    TD_TRY(td_array_reserve(broad->context, &state->news, 1));
    const td_pair pair = number < other ? (td_pair){number, other} : (td_pair){other, number};
    state->news.items[state->news.count++] = pair;
    return TD_OK;
}

static td_result td_look_into(td_tree_state *state, td_broad *broad, const td_box_tree *tree,
                              uint32_t number) {
    const td_tree_entry *entry = &state->entries.items[number];
    const td_box box = state->trees[entry->tree].nodes.items[entry->leaf].box;
    const td_tree_node *nodes = tree->nodes.items;
    uint32_t *stack = state->waiting.items;
    size_t waiting = td_boxes_overlap(&nodes[tree->root].box, &box);
    stack[0] = tree->root;
    uint64_t inner = 0;
    while (waiting > 0) {
        const td_tree_node *node = &nodes[stack[--waiting]];
        if (td_is_leaf(node)) {
            TD_TRY(td_take_candidate(state, broad, number, node->right));
            continue;
        }
        // Without a branch: which child overlaps is as good as random.
        stack[waiting] = node->left;
        waiting += td_boxes_overlap(&nodes[node->left].box, &box);
        stack[waiting] = node->right;
        waiting += td_boxes_overlap(&nodes[node->right].box, &box);
        inner++;
    }
    broad->tests += 1 + 2 * inner;
    return TD_OK;
}

static td_result td_look_around(td_tree_state *state, td_broad *broad) {
    state->news.count = 0;
    for (int i = 0; i < TD_TREES; ++i) {
        const td_box_tree *tree = &state->trees[i];
        if (tree->root == TD_NO_NODE) {
            continue;
        }
        TD_TRY(td_array_reserve(broad->context, &state->waiting, (size_t)td_tree_depth(tree) + 1));
        for (size_t k = 0; k < state->stale.count; ++k) {
            const uint32_t number = state->stale.items[k];
            const bool both_still = broad->proxies.items[number].still && i == TD_TREE_STILL;
            if (state->entries.items[number].leaf != TD_NO_NODE && !both_still) {
                TD_TRY(td_look_into(state, broad, tree, number));
            }
        }
    }
    return td_broad_sort(broad, &state->news);
}

static bool td_comes_before(td_pair a, td_pair b) {
    return a.a < b.a || (a.a == b.a && a.b < b.b);
}

// The candidates of which neither is stale, and the new ones, in order. No pair is in both.
static td_result td_merge_candidates(td_tree_state *state, td_context *context) {
    const td_broad_list *old = &state->candidates, *news = &state->news;
    state->merged.count = 0;
    TD_TRY(td_array_reserve(context, &state->merged, old->count + news->count));
    td_pair *out = state->merged.items;
    size_t count = 0, next = 0;
    for (size_t i = 0; i < old->count; ++i) {
        const td_pair pair = old->items[i];
        if (state->entries.items[pair.a].stale || state->entries.items[pair.b].stale) {
            continue;
        }
        while (next < news->count && td_comes_before(news->items[next], pair)) {
            out[count++] = news->items[next++];
        }
        out[count++] = pair;
    }
    while (next < news->count) {
        out[count++] = news->items[next++];
    }
    state->merged.count = count;
    const td_broad_list swap = state->candidates;
    state->candidates = state->merged;
    state->merged = swap;
    return TD_OK;
}

static void td_forget_stale(td_tree_state *state) {
    for (size_t i = 0; i < state->stale.count; ++i) {
        state->entries.items[state->stale.items[i]].stale = false;
    }
    state->stale.count = 0;
}

// ---------------------------------------------------------------------------------------------------------

// Without a branch: which candidates overlap is as good as random.
static td_result td_compare_true_boxes(const td_tree_state *state, td_broad *broad) {
    const td_broad_list *candidates = &state->candidates;
    TD_TRY(td_array_reserve(broad->context, &broad->found, candidates->count));
    const td_box *boxes = broad->boxes.items;
    td_pair *found = broad->found.items;
    size_t count = 0;
    for (size_t i = 0; i < candidates->count; ++i) {
        const td_pair pair = candidates->items[i];
        found[count] = pair;
        count += td_boxes_overlap(&boxes[pair.a], &boxes[pair.b]);
    }
    broad->found.count = count;
    broad->tests += candidates->count;
    return TD_OK;
}

// What fails leaves the stale ones marked, so that the next call begins where this one ended: the tree is
// right as soon as there is room for it, candidates are replaced as a whole.
static td_result td_tree_find(td_broad *broad) {
    td_tree_state *state = broad->state;
    TD_TRY(td_reserve_entries(state, broad));
    TD_TRY(td_reserve_leaves(state, broad));
    for (size_t i = 0; i < broad->changes.count; ++i) {
        td_follow(state, broad, broad->changes.items[i]);
    }
    if (state->stale.count > 0) {
        TD_TRY(td_look_around(state, broad));
        TD_TRY(td_merge_candidates(state, broad->context));
        td_forget_stale(state);
    }
    return td_compare_true_boxes(state, broad);
}

const td_broad_kind td_broad_tree = {
    .name = "tree",
    .idea = "a dynamic, balanced tree of boxes with a margin; candidates are kept between updates",
    .create = td_tree_create,
    .destroy = td_tree_destroy,
    .find = td_tree_find,
};
