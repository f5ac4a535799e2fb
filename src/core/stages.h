// Parallel stages: a sequence of short parallel loops, each after the other, by threads that are woken once.
//
// A step of the solver has a hundred loops of some microseconds with a barrier after each: too short to wake
// threads for. So one td_run_tasks starts as many items as there are workers. The first to arrive conducts:
// it runs the caller's function, which calls td_stage() for one loop after the other. The others help: they
// look on until a stage has blocks to do, and do them.
//
//   conductor  [..stage 1: 0 2 3..]w[..stage 2: 0 1 3 5..][..stage 3: 0..] over
//   helper          [1]...........   [2 4]...........................      leaves
//                                 w: waits for block 1
//
// What is to be done is one 64-bit word: the number of the stage, how many blocks it has, and the next one.
// A block is claimed by exchanging the word for one whose next block is one more, so a helper that was held
// up between looking and claiming cannot claim anything of a later stage by mistake: the word has changed.
// The conductor leaves a stage when every block of it is done, and only then writes what the next is about.
//
// Nothing waits for a helper that did not claim a block: if items run one after the other (a caller's task
// system may do that), the conductor does everything, and those after it find that it is over.
#ifndef TD_CORE_STAGES_H
#define TD_CORE_STAGES_H

#include "tasks.h"

typedef struct td_stages td_stages;

// Blocks of a stage run in any order and side by side, so each has its own place to write to.
typedef void td_block_fn(uint32_t block, void *user);

typedef void td_conduct_fn(td_stages *stages, void *user);

// The most blocks that a stage may have.
#define TD_STAGE_BLOCKS 0xffffu

// Runs `conduct` once, on one of at most `workers` threads of the context, and returns after it; with one
// worker on this thread, and without tasks. Not from inside a task.
void td_stages_run(td_context *context, uint32_t workers, td_conduct_fn *conduct, void *user);

// To be called by the conductor: block(0, user) ... block(count - 1, user); returns when all are done.
// `count` is at most TD_STAGE_BLOCKS. What one stage wrote the next one sees.
void td_stage(td_stages *stages, td_block_fn *block, uint32_t count, void *user);

#endif
