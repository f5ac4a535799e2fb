#include "front.h"

#include "../core/context.h"
#include "../core/error.h"

td_front_def td_default_front_def(void) {
    return (td_front_def){.cookie = TD_COOKIE_FRONT, .most_bytes = (uint64_t)256 << 20};
}

td_result td_create_front(td_front **out, td_context *context, const td_front_def *def) {
    *out = NULL;
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_FRONT, "td_default_front_def"));
    td_front *front = TD_NEW(context, td_front, 1);
    if (front == NULL) {
        return TD_ERROR_MEMORY;
    }
    const uint64_t most = def->most_bytes / sizeof(td_front_entry);
    *front = (td_front){.context = context, .most_entries = most < UINT32_MAX ? most : UINT32_MAX - 1};
    *out = front;
    return TD_OK;
}

void td_destroy_front(td_front *front) {
    if (front == NULL) {
        return;
    }
    td_context *context = front->context;
    td_array_release(context, &front->entries);
    td_array_release(context, &front->spare);
    td_array_release(context, &front->pieces);
    td_device_front_release(&front->away);
    TD_DELETE(context, td_front, front, 1);
}

void td_reset_front(td_front *front) {
    front->held = front->was_dropped = front->is_away = false;
    front->entries.count = 0;
    front->report = (td_front_report){0};
}

const char *td_front_start_name(td_front_start start) {
    static const char *const names[] = {"none", "warm", "first", "other", "rebuilt", "dropped"};
    return (unsigned)start < sizeof names / sizeof *names ? names[start] : "";
}

td_front_report td_last_front(const td_front *front) {
    td_front_report report = front->report;
    report.bytes = sizeof *front +
                   (front->entries.capacity + front->spare.capacity) * sizeof(td_front_entry) +
                   front->pieces.capacity * sizeof(td_front_piece) + td_device_front_bytes(&front->away);
    return report;
}

td_result td_check_front(const td_collision *collision) {
    const td_collide_def *def = collision->def;
    if (collision->strategy != &td_strategy_front) {
        return td_fail(TD_ERROR_ARGUMENT, "strategy '%s' has no use for a front: expected 'front'",
                       collision->strategy->name);
    }
    if (def->front->context != collision->query->context) {
        return td_fail(TD_ERROR_ARGUMENT, "the front and the query are of different contexts");
    }
    if (collision->pairs != NULL && collision->count > 1) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "%zu object pairs for one front: a front follows one pair of meshes",
                       collision->count);
    }
    return TD_OK;
}
