// Continuous collision by strategy `blocked`, natively.
#ifndef TD_TRAVERSE_SWEPT_BLOCKED_H
#define TD_TRAVERSE_SWEPT_BLOCKED_H

#include "swept.h"

// Visits everything below the given pairs of blocks, breadth first.
void td_swept_run_blocked(td_swept_worker *worker, const td_swept_question *question, const td_pair *starts,
                          size_t start_count);

#endif
