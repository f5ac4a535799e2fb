// The wide traversal as far as its boxes go, and no farther than is likely to pay: nine in ten of the pairs
// that pass each other at a distance are told apart by eight pairs of blocks or fewer.
#include "clear.h"

#include "blocks_wide.h"

enum { TD_MOST_PAIRS = 12 }; // of blocks

bool TD_WIDE(td_blocks_apart)(td_worker *worker, const td_traversal *traversal);

bool TD_WIDE(td_blocks_apart)(td_worker *worker, const td_traversal *traversal) {
    td_pair stack[16 * TD_MOST_PAIRS + 32]; // written 16 at a time
    stack[0] = (td_pair){0, 0};
    size_t count = 1;
    td_block_visit visit;
    td_prepare_boxes(&visit, worker, traversal);
    for (int visited = 0; visited < TD_MOST_PAIRS && count > 0; ++visited) {
        const td_pair pair = stack[--count];
        if (td_are_leaves(&visit, pair)) {
            if (td_test_blocks(&visit, pair, true) != 0) {
                return false;
            }
        } else {
            const td_flags flags = td_flag_blocks(&visit, pair);
            const td_followers followers = td_followers_of(&visit, pair);
            count += td_append_followers(stack + count, &followers, flags.leaves);
            count += td_append_followers(stack + count, &followers, flags.blocks);
        }
    }
    return count == 0;
}
