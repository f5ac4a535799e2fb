#include "distribute.h"

void td_distributor_release(td_distributor *distributor, td_context *context) {
    td_shared_queues_release(distributor, context);
    td_thieves_release(distributor, context);
    *distributor = (td_distributor){0};
}

void td_distributor_prepare(td_distributor *distributor, td_context *context, uint32_t task_count) {
    if (distributor->task_count != task_count) {
        td_distributor_release(distributor, context);
        distributor->task_count = task_count;
    }
}

uint64_t td_distributor_bytes(const td_distributor *distributor) {
    return td_shared_queues_bytes(distributor) + td_thieves_bytes(distributor);
}
