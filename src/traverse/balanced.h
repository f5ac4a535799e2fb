// The balanced traversal, after paper 001, section 4.2: work units are pairs of blocks, shared out over tasks
// by their own making (src/core/distribute.h).
#ifndef TD_TRAVERSE_BALANCED_H
#define TD_TRAVERSE_BALANCED_H

#include "../core/distribute.h"
#include "traversal.h"

enum { TD_UNITS_PER_PAIR = 16 }; // that a pair of blocks may leave

// What a task keeps from unit to unit, one per instruction set (balanced_wide.c).
typedef struct td_balanced_visit td_balanced_visit;

typedef struct td_balanced_entry {
    size_t visit_bytes;
    void (*begin)(td_balanced_visit *visit, td_worker *worker, const td_traversal *traversal);
    // Tests a pair of blocks; returns how many pairs were written to `out`. Triangles are put off.
    uint32_t (*unit)(td_unit *out, td_balanced_visit *visit, td_unit unit);
    void (*end)(td_balanced_visit *visit); // tests what was put off
    // Everything below the given pairs by one worker: one queue, nobody to share with.
    void (*run)(td_worker *worker, const td_traversal *traversal, const td_pair *starts, size_t start_count);
} td_balanced_entry;

extern const td_balanced_entry td_balanced_scalar;
#if defined(__x86_64__)
extern const td_balanced_entry td_balanced_sse4, td_balanced_avx2, td_balanced_avx512;
#elif defined(__aarch64__)
extern const td_balanced_entry td_balanced_neon;
#endif

// What sharing a question needs, kept from question to question. Zero-initialise.
struct td_share_buffers {
    td_distributor distributor;
    unsigned char *visits; // per worker, visit_bytes each
    size_t visit_bytes;
    uint32_t visit_count;
};

void td_share_buffers_release(td_share_buffers *buffers, td_context *context);
uint64_t td_share_buffers_bytes(const td_share_buffers *buffers);

#endif
