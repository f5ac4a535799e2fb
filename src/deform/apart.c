// What the walk has left, decided: pairs of one kind side by side (apart_wide.c).
#include "apart.h"

#include "ends_walk.h"
#include "softs.h"

td_stay_apart_fn *td_stay_apart_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return td_stay_apart_sse4;
    case TD_ISA_AVX2:
        return td_stay_apart_avx2;
    case TD_ISA_AVX512:
        return td_stay_apart_avx512;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return td_stay_apart_neon;
#endif
    default:
        return td_stay_apart_scalar;
    }
}

// Candidates of one kind that are yet to be decided, and their points.
typedef struct td_undecided {
    const td_candidate *candidate[TD_APART_LANES];
    td_apart_points points;
    uint32_t count;
} td_undecided;

static void td_keep_near(td_swept_worker *worker, const td_ends_question *question,
                         const td_candidate *candidate) {
    td_contact_list *list = &worker->found[candidate->kind];
    if (td_array_reserve(question->swept.context, list, 1) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
        return;
    }
    list->items[list->count++] = (td_feature_contact){candidate->a, candidate->b, true, 0};
}

static void td_decide_lanes(td_swept_worker *worker, const td_ends_question *question, td_undecided *lanes,
                            bool edges) {
    for (uint32_t l = lanes->count; l < TD_APART_LANES; ++l) { // the others repeat the first
        for (int i = 0; i < 4; ++i) {
            lanes->points.at[i][l] = lanes->points.at[i][0];
        }
    }
    const td_soft_pair *pair = question->swept.user;
    const uint32_t apart =
        td_stay_apart_for(question->swept.context->isa)(&lanes->points, edges, pair->beyond);
    for (uint32_t near = ~apart & ((1u << lanes->count) - 1u); near != 0; near &= near - 1) {
        td_keep_near(worker, question, lanes->candidate[__builtin_ctz(near)]);
    }
    lanes->count = 0;
}

// Triangles are walked for if one of their vertices is marked; features count if one of their own is.
static bool td_is_meant(const td_soft_pair *pair, const td_candidate *candidate) {
    bool meant = pair->all;
    for (int i = 0; i < 4 && !meant; ++i) {
        const uint8_t *marks = pair->marks[td_is_of_b(candidate->kind, i)];
        meant = marks != NULL && (marks[candidate->vertex[i]] & TD_MARK_LINE);
    }
    return meant;
}

void td_decide_near(td_swept_worker *worker, const td_ends_question *question) {
    td_undecided undecided[2] = {{.count = 0}, {.count = 0}}; // of faces, of edges
    for (size_t c = 0; c < worker->candidates.count; ++c) {
        const td_candidate *candidate = &worker->candidates.items[c];
        if (!td_is_meant(question->swept.user, candidate)) {
            continue;
        }
        const bool edges = candidate->kind == TD_CONTACT_EDGE_EDGE;
        td_undecided *lanes = &undecided[edges];
        for (int i = 0; i < 4; ++i) {
            lanes->points.at[i][lanes->count] = &td_path_of(&question->swept, candidate, i)->at[0].x;
        }
        lanes->candidate[lanes->count++] = candidate;
        if (lanes->count == TD_APART_LANES) {
            td_decide_lanes(worker, question, lanes, edges);
        }
    }
    for (int edges = 0; edges < 2; ++edges) {
        if (undecided[edges].count > 0) {
            td_decide_lanes(worker, question, &undecided[edges], edges);
        }
    }
    worker->candidates.count = 0;
}
