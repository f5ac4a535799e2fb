#include "stages.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>

struct td_stages {
    // Number of the stage << 32 | its blocks << 16 | the next block to claim. On a line of its own, since all
    // look at it.
    _Alignas(64) atomic_ullong word;
    _Alignas(64) atomic_uint helped; // blocks that helpers have done, of all stages so far
    _Alignas(64) atomic_bool conducted;
    // Of the current stage; written by the conductor between stages, read by whoever has claimed a block.
    td_block_fn *block;
    void *block_user;
    // The conductor's own.
    uint32_t stage, claimed; // stages so far; blocks of them that helpers claimed
    bool alone;
    td_conduct_fn *conduct;
    void *user;
};

// The stage of this number is none: it is over.
#define TD_STAGE_OVER 0xffffffffu

static uint32_t td_word_stage(unsigned long long word) {
    return (uint32_t)(word >> 32);
}

static uint32_t td_word_count(unsigned long long word) {
    return (uint32_t)(word >> 16) & 0xffffu;
}

static uint32_t td_word_next(unsigned long long word) {
    return (uint32_t)word & 0xffffu;
}

// One look takes some 20 to 50 nanoseconds. Stages follow each other within microseconds; whoever has looked
// for longer than that lets others have the processor, who may be what is waited for.
static void td_look_away(uint32_t *looks) {
    const uint32_t patience = 400;
    if (++*looks < patience) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    } else {
        sched_yield();
    }
}

static void td_help(td_stages *stages) {
    uint32_t looks = 0;
    for (;;) {
        unsigned long long word = atomic_load_explicit(&stages->word, memory_order_relaxed);
        if (td_word_stage(word) == TD_STAGE_OVER) {
            return;
        }
        if (td_word_next(word) >= td_word_count(word)) {
            td_look_away(&looks);
            continue;
        }
        // Acquires what the conductor wrote before it opened the stage, and all that earlier stages wrote.
        if (atomic_compare_exchange_weak_explicit(&stages->word, &word, word + 1, memory_order_acquire,
                                                  memory_order_relaxed)) {
            stages->block(td_word_next(word), stages->block_user);
            atomic_fetch_add_explicit(&stages->helped, 1, memory_order_release);
            looks = 0;
        }
    }
}

void td_stage(td_stages *stages, td_block_fn *block, uint32_t count, void *user) {
    assert(count <= TD_STAGE_BLOCKS);
    if (stages->alone || count <= 1) {
        for (uint32_t i = 0; i < count; ++i) {
            block(i, user);
        }
        return;
    }
    stages->block = block;
    stages->block_user = user;
    stages->stage = stages->stage + 1 == TD_STAGE_OVER ? 0 : stages->stage + 1;
    // Block 0 is the conductor's, before anyone else can look.
    const unsigned long long opened =
        (unsigned long long)stages->stage << 32 | (unsigned long long)count << 16 | 1u;
    atomic_store_explicit(&stages->word, opened, memory_order_release);
    uint32_t own = 0;
    for (uint32_t next = 0; next < count; ++own) {
        block(next, user);
        // The word is of this stage for as long as the conductor is in it; only its last part can change.
        unsigned long long word = atomic_load_explicit(&stages->word, memory_order_relaxed);
        do {
            next = td_word_next(word);
        } while (next < count &&
                 !atomic_compare_exchange_weak_explicit(&stages->word, &word, word + 1, memory_order_relaxed,
                                                        memory_order_relaxed));
    }
    stages->claimed += count - own;
    for (uint32_t looks = 0;
         atomic_load_explicit(&stages->helped, memory_order_acquire) != stages->claimed;) {
        td_look_away(&looks);
    }
}

static void td_stages_task(uint32_t item, void *payload) {
    (void)item;
    td_stages *stages = payload;
    if (atomic_exchange_explicit(&stages->conducted, true, memory_order_relaxed)) {
        td_help(stages);
        return;
    }
    stages->conduct(stages, stages->user);
    atomic_store_explicit(&stages->word, (unsigned long long)TD_STAGE_OVER << 32, memory_order_release);
}

void td_stages_run(td_context *context, uint32_t workers, td_conduct_fn *conduct, void *user) {
    td_stages stages = {.conduct = conduct, .user = user, .alone = workers <= 1};
    atomic_init(&stages.word, 0);
    atomic_init(&stages.helped, 0);
    atomic_init(&stages.conducted, false);
    if (stages.alone) {
        conduct(&stages, user);
    } else {
        td_run_tasks(context, td_stages_task, workers, &stages);
    }
}
