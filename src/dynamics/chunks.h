// Loops over many small items, shared out to the context's threads in chunks.
#ifndef TD_DYNAMICS_CHUNKS_H
#define TD_DYNAMICS_CHUNKS_H

#include <tandem/base.h>

// Works on the items [first, end). Items are independent.
typedef void td_chunk_fn(size_t first, size_t end, void *user);

// Runs `work` over [0, count) in chunks; by the caller alone if there is little to do.
void td_run_chunks(td_context *context, td_chunk_fn *work, size_t count, void *user);

#endif
