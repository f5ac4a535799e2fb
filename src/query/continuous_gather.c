// What the workers found becomes one answer, in an order that does not depend on them.
#include "../core/context.h"
#include "../core/error.h"
#include "continuous.h"

static uint64_t td_key_of_contact(td_feature_contact contact) {
    return (uint64_t)contact.a << 32 | contact.b;
}

// Equal pairs by their times: of a motion in pieces, the earliest comes first.
static bool td_sorts_before(td_feature_contact a, td_feature_contact b) {
    const uint64_t key_a = td_key_of_contact(a), key_b = td_key_of_contact(b);
    return key_a != key_b ? key_a < key_b : a.time < b.time;
}

static void td_merge_runs(td_feature_contact *out, const td_feature_contact *in, size_t middle, size_t end) {
    size_t left = 0, right = middle;
    for (size_t i = 0; i < end; ++i) {
        const bool take_right = left == middle || (right < end && td_sorts_before(in[right], in[left]));
        out[i] = take_right ? in[right++] : in[left++];
    }
}

// Merge sort from runs of one upward.
static td_result td_sort_contacts(td_contact_list *list, td_contact_list *spare, td_context *context) {
    spare->count = 0;
    TD_TRY(td_array_reserve(context, spare, list->count));
    for (size_t run = 1; run < list->count; run *= 2) {
        for (size_t first = 0; first < list->count; first += 2 * run) {
            const size_t rest = list->count - first;
            td_merge_runs(spare->items + first, list->items + first, run < rest ? run : rest,
                          2 * run < rest ? 2 * run : rest);
        }
        spare->count = list->count;
        const td_contact_list swap = *list;
        *list = *spare;
        *spare = swap;
    }
    return TD_OK;
}

static void td_drop_repeated(td_contact_list *list) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i) {
        if (kept == 0 || td_key_of_contact(list->items[kept - 1]) != td_key_of_contact(list->items[i])) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

static void td_add_counters(td_continuous_counters *sum, const td_continuous_counters *more) {
    sum->box_tests += more->box_tests;
    sum->triangle_tests += more->triangle_tests;
    sum->feature_tests += more->feature_tests;
}

static void td_take_earliest(td_continuous_result *out, const td_swept_worker *worker) {
    if (worker->touching &&
        (!out->touching ||
         td_contact_before(worker->first_kind, worker->first, out->earliest_kind, out->earliest_contact))) {
        out->earliest_kind = worker->first_kind;
        out->earliest_contact = worker->first;
        out->earliest = worker->first.time;
        out->touching = true;
    }
}

td_result td_gather_contacts(td_continuous_result *out, td_continuous *query) {
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        const td_swept_worker *worker = &query->workers[i];
        td_add_counters(&out->counters, &worker->counters);
        out->decide_ms += worker->decide_ms;
        td_take_earliest(out, worker);
        out->certain = out->certain && !worker->uncertain;
        for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
            td_contact_list *all = &query->contacts[kind];
            out->count[kind] += worker->count[kind];
            TD_TRY(td_array_reserve(query->context, all, worker->found[kind].count));
            for (size_t k = 0; k < worker->found[kind].count; ++k) {
                all->items[all->count++] = worker->found[kind].items[k];
            }
        }
    }
    return TD_OK;
}

static uint64_t td_bytes_of(const td_continuous *query) {
    uint64_t bytes = (query->starts.capacity + query->node_starts.capacity) * sizeof(td_pair) +
                     td_distributor_bytes(&query->distributor) + query->partial.capacity * sizeof(td_bounds) +
                     query->spare.capacity * sizeof(td_feature_contact) +
                     (query->device_state != NULL ? td_swept_device_bytes(query->device_state) : 0);
    for (int i = 0; i < 2; ++i) {
        const td_continuous_side *side = &query->sides[i];
        bytes += td_features_bytes(&side->features) + td_swept_bytes(&side->swept) +
                 td_swept_tree_bytes(&side->tree) + side->paths.capacity * sizeof(td_path);
    }
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        bytes += query->contacts[kind].capacity * sizeof(td_feature_contact);
    }
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        const td_swept_worker *worker = &query->workers[i];
        const td_worker *walk = &worker->walk;
        bytes += worker->stack.capacity * sizeof(td_pair) +
                 worker->candidates.capacity * sizeof(td_candidate) +
                 (walk->stack.capacity + walk->leaves.capacity + walk->spare.capacity) * sizeof(td_pair) +
                 walk->words.capacity * sizeof(uint32_t) + walk->front.capacity * sizeof(td_front_entry) +
                 walk->front_tiles.capacity * sizeof(td_front_tile);
        for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
            bytes += worker->found[kind].capacity * sizeof(td_feature_contact);
        }
    }
    return bytes;
}

// The earliest contact alone, in the list of its kind. Whatever else was met on the way depends on who came
// first.
static td_result td_keep_earliest_only(td_continuous_result *out, td_continuous *query) {
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        query->contacts[kind].count = 0;
        out->count[kind] = 0;
    }
    out->certain = true;
    if (out->touching) {
        td_contact_list *list = &query->contacts[out->earliest_kind];
        TD_TRY(td_array_reserve(query->context, list, 1));
        list->items[list->count++] = out->earliest_contact;
        out->count[out->earliest_kind] = 1;
        out->certain = out->earliest_contact.certain;
    }
    return TD_OK;
}

td_result td_finish_contacts(td_continuous_result *out, td_continuous *query, const td_continuous_def *def) {
    if (def->mode == TD_CONTINUOUS_EARLIEST) {
        TD_TRY(td_keep_earliest_only(out, query));
    }
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        td_contact_list *list = &query->contacts[kind];
        TD_TRY(td_sort_contacts(list, &query->spare, query->context));
        td_drop_repeated(list);
        if (def->mode == TD_CONTINUOUS_ALL) {
            out->count[kind] = list->count;
        }
        out->contacts[kind] = list->count > 0 ? list->items : NULL;
    }
    out->counters.bytes = td_bytes_of(query);
    return TD_OK;
}
