// Strategy `balanced` of continuous collision.
#ifndef TD_TRAVERSE_SWEPT_BALANCED_H
#define TD_TRAVERSE_SWEPT_BALANCED_H

#include "../core/distribute.h"
#include "swept.h"

// One question by all workers, from the root. `idle_share`: of queues.
td_result td_swept_share(td_swept_worker *workers, uint32_t worker_count, const td_swept_question *question,
                         td_distributor *distributor, td_sharing sharing, double idle_share);

#endif
