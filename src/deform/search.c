// What comes near each other in an outlook: the hierarchies of all pairs of bodies are walked, and pairs of
// features become contacts (near.c).
//
// The walk is cut into items that do not depend on the number of threads, and what an item finds is sorted:
// so contacts come in one order, whoever finds them.
#include "../core/context.h"
#include "../core/error.h"
#include "../query/sort.h"
#include "softs.h"

// ---------------------------------------------------------------------------------------------------------
// The walk

typedef struct td_walk {
    td_softs *softs;
    atomic_size_t next;
} td_walk;

// What was found of one kind, by numbers.
static td_result td_take_kind(td_walk_worker *worker, td_contact_kind kind, td_context *context) {
    const td_contact_list *list = &worker->swept.found[kind];
    td_swept_pairs *pairs = &worker->pairs;
    pairs->count = 0;
    if (list->count == 0) {
        return TD_OK;
    }
    TD_TRY(td_array_reserve(context, pairs, 2 * list->count)); // as many to spare
    TD_TRY(td_array_reserve(context, &worker->found, list->count));
    uint32_t most_a = 0, most_b = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const td_pair pair = {list->items[i].a, list->items[i].b};
        most_a = pair.a > most_a ? pair.a : most_a;
        most_b = pair.b > most_b ? pair.b : most_b;
        pairs->items[i] = pair;
    }
    td_sort_pairs(pairs->items, pairs->items + list->count, list->count, most_a + 1, most_b + 1);
    for (size_t i = 0; i < list->count; ++i) {
        worker->found.items[worker->found.count++] =
            (td_near_found){.kind = (uint32_t)kind, .a = pairs->items[i].a, .b = pairs->items[i].b};
    }
    return TD_OK;
}

static td_result td_take_found(td_walk_worker *worker, td_walk_item *item, td_context *context) {
    item->first = worker->found.count;
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        TD_TRY(td_take_kind(worker, (td_contact_kind)kind, context));
    }
    item->count = worker->found.count - item->first;
    return TD_OK;
}

static void td_walk_task(uint32_t number, void *payload) {
    td_walk *walk = payload;
    td_softs *softs = walk->softs;
    td_walk_worker *worker = &softs->workers[number];
    worker->found.count = 0;
    worker->swept.result = TD_OK;
    for (;;) {
        const size_t next = atomic_fetch_add_explicit(&walk->next, 1, memory_order_relaxed);
        if (next >= softs->items.count) {
            return;
        }
        td_walk_item *item = &softs->items.items[next];
        td_swept_worker_begin(&worker->swept);
        td_ends_run(&worker->swept, &softs->pairs.items[item->pair].question, item->start);
        item->worker = number;
        td_result result = worker->swept.result;
        result = result == TD_OK ? td_take_found(worker, item, softs->context) : result;
        worker->swept.result = result;
        if (result != TD_OK) {
            return;
        }
    }
}

static td_result td_list_items(td_softs *softs) {
    softs->items.count = 0;
    for (uint32_t i = 0; i < softs->pairs.count; ++i) {
        const td_ends_question *question = &softs->pairs.items[i].question;
        const size_t wanted = 1 + question->a->quad_count / 128;
        TD_TRY(td_ends_starts(&softs->workers[0].starts, wanted < 256 ? wanted : 256, question));
        TD_TRY(td_array_reserve(softs->context, &softs->items, softs->workers[0].starts.count));
        for (size_t k = 0; k < softs->workers[0].starts.count; ++k) {
            softs->items.items[softs->items.count++] =
                (td_walk_item){.pair = i, .start = softs->workers[0].starts.items[k]};
        }
    }
    return TD_OK;
}

td_result td_softs_walk(td_softs *softs) {
    TD_TRY(td_list_items(softs));
    td_walk walk = {.softs = softs};
    const uint32_t tasks =
        softs->items.count < softs->worker_count ? (uint32_t)softs->items.count : softs->worker_count;
    td_run_tasks(softs->context, td_walk_task, tasks, &walk);
    for (uint32_t i = 0; i < tasks; ++i) {
        if (softs->workers[i].swept.result != TD_OK) {
            return td_fail(softs->workers[i].swept.result, "out of memory while collecting contacts");
        }
    }
    return TD_OK;
}

void td_softs_points(uint32_t point[4], uint8_t *rigid, const td_softs *softs, const td_soft_pair *pair,
                     const td_near_found *found) {
    const td_swept_question *question = &pair->question.swept;
    const td_contact_kind kind = (td_contact_kind)found->kind;
    if (kind == TD_CONTACT_EDGE_EDGE) {
        const td_pair a = question->features_a->edges[found->a], b = question->features_b->edges[found->b];
        point[0] = a.a;
        point[1] = a.b;
        point[2] = b.a;
        point[3] = b.b;
    } else {
        const bool turned = kind == TD_CONTACT_FACE_VERTEX;
        const td_features *faces = turned ? question->features_a : question->features_b;
        const uint32_t *corners = faces->triangles[turned ? found->a : found->b].vertex;
        point[0] = turned ? found->b : found->a;
        for (int k = 0; k < 3; ++k) {
            point[1 + k] = corners[k];
        }
    }
    *rigid = 0;
    const uint32_t first_a = softs->list.items[pair->a]->first;
    const uint32_t first_b = pair->b != TD_NONE ? softs->list.items[pair->b]->first : 0;
    for (int i = 0; i < 4; ++i) {
        const bool of_b = td_is_of_b(kind, i);
        *rigid |= (uint8_t)(of_b && pair->b == TD_NONE ? 1 << i : 0);
        point[i] += of_b ? first_b : first_a;
    }
}

// ---------------------------------------------------------------------------------------------------------

td_result td_softs_search(td_softs *softs) {
    TD_TRY(td_softs_find_pairs(softs, false));
    TD_TRY(td_softs_walk(softs));
    softs->near_pairs.count = softs->contacts.count = softs->rests.count = softs->dead.count = 0;
    ++softs->report.searches;
    softs->report.pairs = softs->pairs.count;
    return td_softs_add_contacts(softs);
}

td_result td_softs_search_marked(td_softs *softs) {
    TD_TRY(td_softs_drop_contacts(softs));
    TD_TRY(td_softs_find_pairs(softs, true));
    TD_TRY(td_softs_walk(softs));
    ++softs->report.walks;
    return td_softs_add_contacts(softs);
}
