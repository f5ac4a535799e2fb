#include "balance.h"

#include "../core/error.h"

enum { TD_GROUP = 64 };

static td_result td_room_for_tasks(td_device *device, td_work_queues *queues, uint32_t task_count) {
    const size_t bytes = (size_t)task_count * queues->capacity * queues->unit_words * sizeof(uint32_t);
    TD_TRY(td_buffer_reserve(device, &queues->other, bytes, 0));
    TD_TRY(td_buffer_reserve(device, &queues->counts, task_count * sizeof(uint32_t),
                             queues->task_count * sizeof(uint32_t)));
    return td_buffer_reserve(device, &queues->starts, task_count * sizeof(uint32_t),
                             queues->task_count * sizeof(uint32_t));
}

// From `units`, in queues of `from_capacity`, to `other`; which then change places.
static td_result td_deal(td_device *device, td_work_queues *queues, uint32_t from_tasks,
                         uint32_t from_capacity) {
    const td_kernel *deal, *count;
    TD_TRY(td_find_kernel(&deal, device, "balance", NULL, "td_deal_units"));
    TD_TRY(td_find_kernel(&count, device, "balance", NULL, "td_count_units"));
    const td_kernel_argument to_deal[9] = {
        TD_ARG_BUFFER(&queues->other),    TD_ARG_BUFFER(&queues->units),  TD_ARG_BUFFER(&queues->counts),
        TD_ARG_BUFFER(&queues->starts),   TD_ARG_VALUE(from_tasks),       TD_ARG_VALUE(from_capacity),
        TD_ARG_VALUE(queues->task_count), TD_ARG_VALUE(queues->capacity), TD_ARG_VALUE(queues->unit_words),
    };
    TD_TRY(
        td_run_kernel(device, deal, (size_t)from_tasks * TD_GROUP, TD_GROUP, to_deal, 9, TD_STAGE_COLLECT));
    const td_kernel_argument to_count[3] = {TD_ARG_BUFFER(&queues->counts), TD_ARG_VALUE(queues->task_count),
                                            TD_ARG_VALUE(queues->total)};
    TD_TRY(td_run_kernel(device, count, queues->task_count, TD_GROUP, to_count, 3, TD_STAGE_COLLECT));
    const td_device_buffer other = queues->other;
    queues->other = queues->units;
    queues->units = other;
    return td_buffer_fill(device, &queues->idle, 0, 1, 0);
}

static void td_note_total(td_work_queues *queues, uint32_t total) {
    queues->total = total;
    queues->most = total > queues->most ? total : queues->most;
}

// As many as leave half of the room free: so tasks that were full can go on.
static uint32_t td_enough_tasks(const td_work_queues *queues, uint32_t task_count) {
    while ((uint64_t)task_count * queues->capacity < 2 * (uint64_t)queues->total &&
           task_count < UINT32_MAX / 2) {
        task_count *= 2;
    }
    return task_count;
}

td_result td_queues_begin(td_device *device, td_work_queues *queues, const td_queue_sizes *sizes,
                          const void *units, uint32_t count) {
    const size_t bytes = (size_t)count * sizes->unit_words * sizeof(uint32_t);
    queues->unit_words = sizes->unit_words;
    queues->capacity = sizes->capacity;
    queues->step = sizes->step;
    queues->most = queues->passes = 0;
    td_note_total(queues, count);
    queues->task_count = td_enough_tasks(queues, sizes->task_count);
    queues->threshold = (queues->task_count + 1) / 2;
    TD_TRY(td_room_for_tasks(device, queues, queues->task_count));
    TD_TRY(td_buffer_reserve(device, &queues->units, bytes > 0 ? bytes : 4, 0));
    TD_TRY(td_buffer_reserve(device, &queues->idle, sizeof(uint32_t), 0));
    // All of them as if in one queue.
    TD_TRY(td_buffer_write(device, &queues->units, 0, units, bytes));
    TD_TRY(td_buffer_fill(device, &queues->counts, 0, 1, count));
    TD_TRY(td_buffer_fill(device, &queues->starts, 0, 1, 0));
    return td_deal(device, queues, 1, count);
}

// Whether tasks could go on if there were no more of them.
static bool td_can_go_on(const td_work_queues *queues) {
    const uint32_t each = queues->total / queues->task_count + (queues->total % queues->task_count != 0);
    return each + queues->step <= queues->capacity;
}

td_result td_queues_balance(td_device *device, td_work_queues *queues) {
    const uint32_t tasks = queues->task_count;
    uint32_t total;
    TD_TRY(td_device_scan(device, &queues->starts, tasks, &total));
    td_note_total(queues, total);
    if (total == 0) {
        return TD_OK;
    }
    queues->passes++;
    uint32_t enough = td_enough_tasks(queues, tasks);
    td_result result = td_room_for_tasks(device, queues, enough);
    if (result == TD_ERROR_DEVICE && td_device_is_short(device) && td_can_go_on(queues)) {
        enough = tasks;
        result = td_room_for_tasks(device, queues, enough); // of the last pass, unless it was the first
    }
    TD_TRY(result);
    queues->task_count = enough;
    queues->threshold = (enough + 1) / 2;
    return td_deal(device, queues, tasks, queues->capacity);
}

void td_queues_release(td_device *device, td_work_queues *queues) {
    td_buffer_release(device, &queues->units);
    td_buffer_release(device, &queues->other);
    td_buffer_release(device, &queues->counts);
    td_buffer_release(device, &queues->starts);
    td_buffer_release(device, &queues->idle);
}

uint64_t td_queues_bytes(const td_work_queues *queues) {
    return queues->units.size + queues->other.size + queues->counts.size + queues->starts.size +
           queues->idle.size;
}
