// What the walk of ends_wide.c needs around it: the instruction set, and where to start.
#include "ends_walk.h"

#include "../core/context.h"
#include "../core/error.h"

static td_ends_run_fn *td_ends_run_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_ends_run_sse4;
    case TD_ISA_AVX2:
        return td_ends_run_avx2;
    case TD_ISA_AVX512:
        return td_ends_run_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_ends_run_neon;
#endif
    default:
        return td_ends_run_scalar;
    }
}

void td_ends_run(td_swept_worker *worker, const td_ends_question *question, td_pair start) {
    td_ends_run_for(question->swept.context->isa)(worker, question, start);
}

// ---------------------------------------------------------------------------------------------------------
// Starts

static bool td_nodes_meet(const td_ends_boxes *a, uint32_t i, const td_ends_boxes *b, uint32_t j) {
    for (int k = 0; k < 3; ++k) {
        const bool beyond = a->lower[0][k][i] > b->upper[0][k][j] && a->lower[1][k][i] > b->upper[1][k][j];
        const bool before = b->lower[0][k][j] > a->upper[0][k][i] && b->lower[1][k][j] > a->upper[1][k][i];
        if (beyond || before) {
            return false;
        }
    }
    return true;
}

static bool td_is_left_out(const td_ends_question *question, const td_ends_block *a, uint32_t i,
                           const td_ends_block *b, uint32_t j, bool same) {
    const uint32_t marks_a = a->marked & question->heeded_a,
                   marks_b = (b->marked & question->heeded_b) | question->all_b;
    if (question->marked && !((marks_a >> i | marks_b >> j) & 1u)) {
        return true;
    }
    return (same && i > j) || (!(same && i == j) && !td_nodes_meet(&a->boxes, i, &b->boxes, j));
}

// What follows from a pair of blocks that are not both leaf blocks, by the rules of ends_wide.c. At most 16.
static uint32_t td_open_ends(td_pair out[16], const td_ends_question *question, td_pair pair) {
    const td_ends_block *a = &question->a->blocks[pair.a], *b = &question->b->blocks[pair.b];
    const bool same = question->swept.self && pair.a == pair.b;
    bool held[4] = {false};
    uint32_t count = 0;
    for (uint32_t j = 0; j < b->node_count; ++j) {
        for (uint32_t i = 0; i < a->node_count; ++i) {
            const uint32_t opened = a->leaf ? j : i;
            const bool once = (a->leaf || b->leaf) && held[opened];
            if (!once && !td_is_left_out(question, a, i, b, j, same)) {
                held[opened] = true;
                out[count++] = (td_pair){a->leaf ? pair.a : a->child[i], b->leaf ? pair.b : b->child[j]};
            }
        }
    }
    return count;
}

// Opens every pair there is; pairs of leaf blocks stay.
static td_result td_open_all(td_swept_pairs *starts, const td_ends_question *question) {
    const size_t before = starts->count;
    size_t kept = 0;
    for (size_t i = 0; i < before; ++i) {
        const td_pair pair = starts->items[i];
        if (question->a->blocks[pair.a].leaf && question->b->blocks[pair.b].leaf) {
            starts->items[kept++] = pair;
            continue;
        }
        td_pair opened[16];
        const uint32_t count = td_open_ends(opened, question, pair);
        TD_TRY(td_array_reserve(question->swept.context, starts, count));
        for (uint32_t k = 0; k < count; ++k) {
            starts->items[starts->count++] = opened[k];
        }
    }
    for (size_t i = before; i < starts->count; ++i) {
        starts->items[kept++] = starts->items[i];
    }
    starts->count = kept;
    return TD_OK;
}

td_result td_ends_starts(td_swept_pairs *starts, size_t wanted, const td_ends_question *question) {
    starts->count = 0;
    TD_TRY(td_array_reserve(question->swept.context, starts, wanted + 16));
    starts->items[starts->count++] = (td_pair){0, 0};
    for (size_t before = 0; starts->count > before && starts->count < wanted;) {
        before = starts->count;
        TD_TRY(td_open_all(starts, question));
    }
    return TD_OK;
}
