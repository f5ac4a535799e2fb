// `balanced` (paper 001): a queue of node pairs per task, an idle counter, a balancing pass. That is for
// devices (balanced_device.c); natively threads share out the starts of the walk of `stack`.
#include "balanced_device.h"

static void td_balanced_run(td_worker *worker, const td_traversal *traversal, const td_pair *starts,
                            size_t start_count) {
    td_strategy_stack.run(worker, traversal, starts, start_count);
}

static td_result td_balanced_start(td_pair_list *starts, size_t wanted, td_worker *worker,
                                   const td_traversal *traversal) {
    return td_strategy_stack.start(starts, wanted, worker, traversal);
}

const td_strategy td_strategy_balanced = {
    .name = "balanced",
    .paper = "001",
    .idea = "a queue of node pairs per task; when half of the tasks are idle, queues are balanced",
    .layout = TD_LAYOUT_POSTORDER,
    .self = true,
    .obb = true,
    .descents = true,
    .start = td_balanced_start,
    .run = td_balanced_run,
    .run_on_device = td_balanced_run_on_device,
};
