// Every pair of triangles, straight to the exact predicate: the oracle of the other strategies. A place is a
// run of triangles of A: (first, end).
#include "traversal.h"

static td_result td_brute_start(td_pair_list *starts, size_t wanted, td_worker *worker,
                                const td_traversal *traversal) {
    (void)worker;
    const uint32_t count = traversal->mesh_a->triangle_count;
    const size_t runs = wanted < count ? wanted : count;
    const td_result result = td_array_reserve(traversal->context, starts, runs);
    for (size_t i = 0; i < runs && result == TD_OK; ++i) {
        const uint64_t first = (uint64_t)count * i / runs, end = (uint64_t)count * (i + 1) / runs;
        starts->items[starts->count++] = (td_pair){(uint32_t)first, (uint32_t)end};
    }
    return result;
}

static void td_brute_run(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                         size_t start_count) {
    const uint32_t count = traversal->mesh_b->triangle_count;
    for (size_t s = 0; s < start_count; ++s) {
        for (uint32_t a = starts[s].a; a < starts[s].b; ++a) {
            for (uint32_t b = traversal->self ? a + 1 : 0; b < count; ++b) {
                if (td_worker_done(worker, traversal)) {
                    return;
                }
                worker->counters.triangle_tests++;
                worker->counters.exact_tests++;
                if (td_exactly_intersects(traversal, a, b)) {
                    td_found(worker, traversal, a, b);
                }
            }
        }
    }
}

const td_strategy td_strategy_brute = {
    .name = "brute",
    .paper = "-",
    .idea = "every pair of triangles, exactly; the oracle",
    .self = true,
    .start = td_brute_start,
    .run = td_brute_run,
};
