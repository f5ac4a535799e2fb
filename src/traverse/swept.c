// What the traversal of swept hierarchies needs around it: the instruction set, starts, contacts.
#include "swept.h"

#include "../core/context.h"
#include "../core/error.h"

typedef struct td_swept_code {
    td_swept_run_fn *run;
    td_swept_coplanar_fn *coplanar;
    td_swept_unit_fn *unit;
    td_swept_tiles_fn *tiles;
} td_swept_code;

#define TD_SWEPT_CODE(isa)                                                                                   \
    (td_swept_code) {                                                                                        \
        td_swept_run_##isa, td_swept_coplanar_##isa, td_swept_unit_##isa, td_swept_tiles_##isa               \
    }

static td_swept_code td_swept_code_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return TD_SWEPT_CODE(sse4);
    case TD_ISA_AVX2:
        return TD_SWEPT_CODE(avx2);
    case TD_ISA_AVX512:
        return TD_SWEPT_CODE(avx512);
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return TD_SWEPT_CODE(neon);
#endif
    default:
        return TD_SWEPT_CODE(scalar);
    }
}

void td_swept_run(td_swept_worker *worker, const td_swept_question *question, const td_pair *starts,
                  size_t start_count) {
    td_swept_code_for(question->context->isa).run(worker, question, starts, start_count);
}

uint32_t td_swept_coplanar(const td_swept_question *question, const td_candidate *candidates, size_t count) {
    return td_swept_code_for(question->context->isa).coplanar(question, candidates, count);
}

uint32_t td_swept_unit(td_pair *out, td_swept_worker *worker, const td_swept_question *question,
                       td_pair pair) {
    return td_swept_code_for(question->context->isa).unit(out, worker, question, pair);
}

void td_swept_tiles(td_swept_worker *worker, const td_swept_question *question, td_front_tile *tiles,
                    size_t count) {
    td_swept_code_for(question->context->isa).tiles(worker, question, tiles, count);
}

bool td_swept_ready(td_swept_worker *worker, const td_swept_question *question) {
    if (td_array_reserve(question->context, &worker->candidates,
                         TD_CANDIDATES_AT + TD_CANDIDATES_OF_TILE - worker->candidates.count) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
    }
    return worker->result == TD_OK;
}

void td_swept_worker_begin(td_swept_worker *worker) {
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        worker->found[kind].count = 0;
        worker->count[kind] = 0;
    }
    worker->candidates.count = 0;
    worker->touching = worker->uncertain = false;
    worker->counters = (td_continuous_counters){0};
    worker->decide_ms = 0;
    worker->walk.moving = worker;
    worker->walk.undecided.count = 0;
    worker->walk.counters = (td_counters){0};
    worker->walk.times = (td_query_times){0};
    worker->walk.result = TD_OK;
    worker->result = TD_OK;
}

void td_swept_worker_release(td_swept_worker *worker, td_context *context) {
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        td_array_release(context, &worker->found[kind]);
    }
    td_worker_release(&worker->walk, context);
    td_array_release(context, &worker->stack);
    td_array_release(context, &worker->candidates);
}

bool td_contact_before(td_contact_kind kind_a, td_feature_contact a, td_contact_kind kind_b,
                       td_feature_contact b) {
    if (a.time != b.time) {
        return a.time < b.time;
    }
    if (kind_a != kind_b) {
        return kind_a < kind_b;
    }
    return a.a != b.a ? a.a < b.a : a.b < b.b;
}

// ---------------------------------------------------------------------------------------------------------------------
// Starts

static bool td_nodes_meet(const td_swept_block *a, uint32_t i, const td_swept_block *b, uint32_t j) {
    for (int k = 0; k < 3; ++k) {
        if (!(a->lower[k][i] <= b->upper[k][j] && b->lower[k][j] <= a->upper[k][i])) {
            return false;
        }
    }
    return true;
}

// What follows from a pair of blocks that are not both leaf blocks, by the rules of swept_wide.c. At most 16.
static uint32_t td_open_swept(td_pair out[16], const td_swept_question *question, td_pair pair) {
    const td_swept_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    const bool same = question->self && pair.a == pair.b;
    bool held[4] = {false};
    uint32_t count = 0;
    for (uint32_t j = 0; j < b->node_count; ++j) {
        for (uint32_t i = 0; i < a->node_count; ++i) {
            const uint32_t opened = a->leaf ? j : i;
            const bool once = (a->leaf || b->leaf) && held[opened];
            if (once || (same && i > j) || (!(same && i == j) && !td_nodes_meet(a, i, b, j))) {
                continue;
            }
            held[opened] = true;
            out[count++] = (td_pair){a->leaf ? pair.a : a->child[i], b->leaf ? pair.b : b->child[j]};
        }
    }
    return count;
}

td_result td_swept_starts(td_swept_pairs *starts, size_t wanted, const td_swept_question *question) {
    starts->count = 0;
    TD_TRY(td_array_reserve(question->context, starts, wanted + 16));
    starts->items[starts->count++] = (td_pair){0, 0};
    // A round opens every pair there is; pairs of leaf blocks stay.
    for (size_t before = 0; starts->count > before && starts->count < wanted;) {
        before = starts->count;
        size_t kept = 0;
        for (size_t i = 0; i < before; ++i) {
            const td_pair pair = starts->items[i];
            if (question->a->blocks[pair.a].leaf && question->b->blocks[pair.b].leaf) {
                starts->items[kept++] = pair;
                continue;
            }
            td_pair opened[16];
            const uint32_t count = td_open_swept(opened, question, pair);
            TD_TRY(td_array_reserve(question->context, starts, count));
            for (uint32_t k = 0; k < count; ++k) {
                starts->items[starts->count++] = opened[k];
            }
        }
        for (size_t i = before; i < starts->count; ++i) {
            starts->items[kept++] = starts->items[i];
        }
        starts->count = kept;
    }
    return TD_OK;
}
