#include "query.h"

#include "../core/context.h"
#include "../core/error.h"

td_result td_create_query(td_query **out, td_context *context) {
    *out = NULL;
    td_query *query = TD_NEW(context, td_query, 1);
    if (query == NULL) {
        return TD_ERROR_MEMORY;
    }
    *query = (td_query){.context = context, .worker_count = context->worker_count};
    query->workers = TD_NEW(context, td_worker, query->worker_count);
    if (query->workers == NULL) {
        TD_DELETE(context, td_query, query, 1);
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        query->workers[i] = (td_worker){0};
    }
    *out = query;
    return TD_OK;
}

void td_destroy_query(td_query *query) {
    if (query == NULL) {
        return;
    }
    td_context *context = query->context;
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_worker_release(&query->workers[i], context);
    }
    TD_DELETE(context, td_worker, query->workers, query->worker_count);
    td_device_state_destroy(query->device_state);
    td_share_buffers_release(&query->sharing, context);
    td_array_release(context, &query->starts);
    td_array_release(context, &query->places);
    TD_DELETE(context, td_query, query, 1);
}

td_collide_def td_default_collide_def(void) {
    return (td_collide_def){.cookie = TD_COOKIE_COLLIDE, .mode = TD_MODE_PAIRS, .idle_share = 0.5};
}

td_query_times td_last_times(const td_query *query) {
    return query->times;
}
