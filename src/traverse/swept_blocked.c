// Strategy `blocked` over a step (paper 002, Fig. 5), natively: pairs of blocks breadth first, 16 box tests
// each. What follows from a slice of the array of pairs is appended to it, one behind the other: on one
// thread that is what the paper's prefix sum and collection come to. The last pairs come first, so that there
// are never more than 16 slices per level of the hierarchies, and nothing is cut off. As long as an array
// fits one slice, the order is the paper's.
#include "swept_blocked.h"

#include "../core/error.h"

#include <string.h>

enum { TD_SWEPT_SLICE = 4096, TD_SWEPT_NEW_PAIRS = 16 };

// Takes the last `count` pairs off the stack; they lie in `slice` then.
static void td_take_slice(td_pair *slice, td_swept_pairs *stack, size_t count) {
    stack->count -= count;
    memcpy(slice, stack->items + stack->count, count * sizeof *slice);
}

void td_swept_run_blocked(td_swept_worker *worker, const td_swept_question *question, const td_pair *starts,
                          size_t start_count) {
    td_pair slice[TD_SWEPT_SLICE];
    worker->stack.count = worker->candidates.count = 0;
    if (!td_swept_ready(worker, question) ||
        td_array_reserve(question->context, &worker->stack, start_count) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
        return;
    }
    memcpy(worker->stack.items, starts, start_count * sizeof *starts);
    worker->stack.count = start_count;
    while (worker->stack.count > 0 && worker->result == TD_OK) {
        const size_t count = worker->stack.count < TD_SWEPT_SLICE ? worker->stack.count : TD_SWEPT_SLICE;
        td_take_slice(slice, &worker->stack, count);
        if (td_array_reserve(question->context, &worker->stack, TD_SWEPT_NEW_PAIRS * count) != TD_OK) {
            worker->result = TD_ERROR_MEMORY;
            return;
        }
        for (size_t i = 0; i < count && worker->result == TD_OK; ++i) {
            worker->stack.count +=
                td_swept_unit(worker->stack.items + worker->stack.count, worker, question, slice[i]);
        }
    }
    td_decide_candidates(worker, question);
}
