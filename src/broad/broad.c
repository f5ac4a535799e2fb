#include "../core/error.h"
#include "../query/sort.h"
#include "kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const td_broad_kind *const td_table[] = {
    &td_broad_all,   // every pair; the oracle
    &td_broad_sweep, // sorted along one axis, kept sorted by insertion
    &td_broad_tree,  // a dynamic tree of boxes with a margin; what auto picks
};

enum { TD_BROAD_KINDS = sizeof td_table / sizeof td_table[0] };

uint32_t td_broad_kind_count(void) {
    return TD_BROAD_KINDS;
}

const char *td_broad_kind_name(uint32_t index) {
    return index < TD_BROAD_KINDS ? td_table[index]->name : "";
}

const char *td_broad_kind_idea(uint32_t index) {
    return index < TD_BROAD_KINDS ? td_table[index]->idea : "";
}

// Null, with the error kept, if there is none of that name.
static const td_broad_kind *td_find_kind(const char *name) {
    if (name == NULL || strcmp(name, "auto") == 0) {
        return &td_broad_tree;
    }
    char known[256] = "auto";
    for (int i = 0; i < TD_BROAD_KINDS; ++i) {
        if (strcmp(name, td_table[i]->name) == 0) {
            return td_table[i];
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", td_table[i]->name);
    }
    td_fail(TD_ERROR_ARGUMENT, "'%s' is no kind of broad phase: expected one of %s", name, known);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------

td_result td_broad_create(td_broad **out, td_context *context, const char *kind) {
    const td_broad_kind *found = td_find_kind(kind);
    if (found == NULL) {
        return TD_ERROR_ARGUMENT;
    }
    td_broad *broad = TD_NEW(context, td_broad, 1);
    if (broad == NULL) {
        return TD_ERROR_MEMORY;
    }
    *broad = (td_broad){.context = context, .kind = found};
    const td_result result = found->create(broad);
    if (result != TD_OK) {
        td_broad_destroy(broad);
        return result;
    }
    *out = broad;
    return TD_OK;
}

void td_broad_destroy(td_broad *broad) {
    if (broad == NULL) {
        return;
    }
    td_context *context = broad->context;
    broad->kind->destroy(broad);
    td_array_release(context, &broad->boxes);
    td_array_release(context, &broad->proxies);
    td_array_release(context, &broad->free_numbers);
    td_array_release(context, &broad->changes);
    td_array_release(context, &broad->found);
    td_array_release(context, &broad->spare);
    td_array_release(context, &broad->pairs);
    td_array_release(context, &broad->began);
    td_array_release(context, &broad->ended);
    TD_DELETE(context, td_broad, broad, 1);
}

// ---------------------------------------------------------------------------------------------------------
// Proxies

static td_result td_check_side(double lower, double upper, char axis) {
    if (isnan(lower) || isnan(upper)) {
        return td_fail(TD_ERROR_ARGUMENT, "box: from %g to %g along %c is not a number", lower, upper, axis);
    }
    if (lower > upper) {
        return td_fail(TD_ERROR_ARGUMENT, "box: its lower %c, %g, is above its upper %c, %g", axis, lower,
                       axis, upper);
    }
    return TD_OK;
}

static td_result td_check_box(const td_box *box) {
    TD_TRY(td_check_side(box->lower.x, box->upper.x, 'x'));
    TD_TRY(td_check_side(box->lower.y, box->upper.y, 'y'));
    return td_check_side(box->lower.z, box->upper.z, 'z');
}

static td_result td_check_number(const td_broad *broad, uint32_t proxy) {
    if (td_broad_has(broad, proxy)) {
        return TD_OK;
    }
    return td_fail(TD_ERROR_ARGUMENT, "broad phase: there is no proxy %u", proxy);
}

static void td_note_change(td_broad *broad, uint32_t proxy) {
    if (!broad->proxies.items[proxy].changed) {
        broad->proxies.items[proxy].changed = true;
        broad->changes.items[broad->changes.count++] = proxy;
    }
}

// Room for one number more than there are, in all arrays that may come to hold every number.
static td_result td_make_room(td_broad *broad) {
    const size_t count = broad->proxies.count + 1;
    if (count > UINT32_MAX) {
        return td_fail(TD_ERROR_UNSUPPORTED, "broad phase: %zu proxies are too many", count);
    }
    TD_TRY(td_array_reserve(broad->context, &broad->boxes, 1));
    TD_TRY(td_array_reserve(broad->context, &broad->proxies, 1));
    TD_TRY(td_array_reserve(broad->context, &broad->free_numbers, count - broad->free_numbers.count));
    return td_array_reserve(broad->context, &broad->changes, count - broad->changes.count);
}

td_result td_broad_add(uint32_t *out, td_broad *broad, const td_proxy_def *def) {
    TD_TRY(td_check_box(&def->box));
    uint32_t number = 0;
    if (broad->free_numbers.count > 0) {
        number = td_pop_lowest_number(&broad->free_numbers);
    } else {
        TD_TRY(td_make_room(broad));
        number = (uint32_t)broad->proxies.count++;
        broad->boxes.count++;
        broad->proxies.items[number].changed = false;
    }
    td_proxy *proxy = &broad->proxies.items[number];
    *proxy = (td_proxy){
        .user = def->user,
        .group = def->group,
        .collides_with = def->collides_with,
        .alive = true,
        .still = def->still,
        .fresh = true,
        .changed = proxy->changed,
    };
    broad->boxes.items[number] = def->box;
    broad->alive_count++;
    td_note_change(broad, number);
    *out = number;
    return TD_OK;
}

static bool td_same_box(const td_box *a, const td_box *b) {
    return td_same_point(a->lower, b->lower) && td_same_point(a->upper, b->upper);
}

td_result td_broad_move(td_broad *broad, uint32_t proxy, td_box box) {
    TD_TRY(td_check_number(broad, proxy));
    const td_result result = td_check_box(&box);
    if (result != TD_OK) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "proxy %u", proxy);
        return td_fail_within(result, prefix);
    }
    if (!td_same_box(&broad->boxes.items[proxy], &box)) {
        broad->boxes.items[proxy] = box;
        td_note_change(broad, proxy);
    }
    return TD_OK;
}

td_result td_broad_remove(td_broad *broad, uint32_t proxy) {
    TD_TRY(td_check_number(broad, proxy));
    broad->proxies.items[proxy].alive = false;
    broad->alive_count--;
    td_push_number(&broad->free_numbers, proxy);
    td_note_change(broad, proxy);
    return TD_OK;
}

bool td_broad_has(const td_broad *broad, uint32_t proxy) {
    return proxy < broad->proxies.count && broad->proxies.items[proxy].alive;
}

uint32_t td_broad_proxy_count(const td_broad *broad) {
    return broad->alive_count;
}

uint64_t td_broad_user(const td_broad *broad, uint32_t proxy) {
    return broad->proxies.items[proxy].user;
}

td_box td_broad_box(const td_broad *broad, uint32_t proxy) {
    return broad->boxes.items[proxy];
}

// ---------------------------------------------------------------------------------------------------------
// Updates

td_result td_broad_sort(td_broad *broad, td_broad_list *list) {
    broad->spare.count = 0;
    TD_TRY(td_array_reserve(broad->context, &broad->spare, list->count));
    const uint32_t limit = (uint32_t)broad->proxies.count;
    td_sort_pairs(list->items, broad->spare.items, list->count, limit, limit);
    return TD_OK;
}

static uint64_t td_pair_order(td_pair pair) {
    return (uint64_t)pair.a << 32 | pair.b;
}

// What is only in `found` began, what is only in `pairs` ended; what is in both did both if it is not the
// same proxies that meet.
static void td_compare_lists(td_broad *broad) {
    const td_broad_list *old = &broad->pairs, *now = &broad->found;
    const td_proxy *proxies = broad->proxies.items;
    size_t i = 0, k = 0;
    while (i < old->count || k < now->count) {
        const uint64_t left = i < old->count ? td_pair_order(old->items[i]) : UINT64_MAX;
        const uint64_t right = k < now->count ? td_pair_order(now->items[k]) : UINT64_MAX;
        const td_pair pair = left < right ? old->items[i] : now->items[k];
        const bool same = left == right && !proxies[pair.a].fresh && !proxies[pair.b].fresh;
        if (left <= right && !same) {
            broad->ended.items[broad->ended.count++] = pair;
        }
        if (right <= left && !same) {
            broad->began.items[broad->began.count++] = pair;
        }
        i += left <= right;
        k += right <= left;
    }
}

static void td_forget_changes(td_broad *broad) {
    broad->report_moved = 0;
    for (size_t i = 0; i < broad->changes.count; ++i) {
        td_proxy *proxy = &broad->proxies.items[broad->changes.items[i]];
        broad->report_moved += proxy->alive;
        proxy->changed = false;
        proxy->fresh = false;
    }
    broad->changes.count = 0;
}

// The buffers of beginnings and ends hold the last report until nothing can fail any more.
static td_result td_reserve_whole(td_context *context, td_broad_list *list, size_t count) {
    return count > list->count ? td_array_reserve(context, list, count - list->count) : TD_OK;
}

td_result td_broad_update(td_broad *broad) {
    broad->found.count = 0;
    broad->tests = 0;
    TD_TRY(broad->kind->find(broad));
    TD_TRY(td_reserve_whole(broad->context, &broad->began, broad->found.count));
    TD_TRY(td_reserve_whole(broad->context, &broad->ended, broad->pairs.count));
    broad->began.count = 0;
    broad->ended.count = 0;
    td_compare_lists(broad);
    td_forget_changes(broad);
    const td_broad_list old = broad->pairs;
    broad->pairs = broad->found;
    broad->found = old;
    broad->report_tests = broad->tests;
    return TD_OK;
}

static td_broad_pairs td_view(const td_broad_list *list) {
    return (td_broad_pairs){list->items, list->count};
}

td_broad_report td_broad_last_report(const td_broad *broad) {
    return (td_broad_report){
        .pairs = td_view(&broad->pairs),
        .began = td_view(&broad->began),
        .ended = td_view(&broad->ended),
        .tests = broad->report_tests,
        .moved = broad->report_moved,
    };
}
