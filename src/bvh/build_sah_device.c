// The SAH builder on a device (kernels/build_sah.cl): prims go there, the tree and the prims in its order
// come back.
#include "../core/error.h"
#include "../device/balance.h"
#include "build_device.h"
#include "build_sah.h"
#include "build_unit.h"
#include "sah.h"

#include <stdio.h>

enum {
    TD_GROUP = 32,         // work-items that cut a node together
    TD_TAKE_GROUP = 64,    //
    TD_TASKS_PER_UNIT = 4, // tasks per compute unit
    TD_QUEUE = 256,        // work units in the queue of a task
    TD_UNIT_WORDS = sizeof(td_build_unit) / sizeof(uint32_t)
};

typedef struct td_sah_on_device {
    td_build_on_device *build;
    td_device *device;
    td_tree_rules rules;
    uint32_t count, most;
    td_device_buffer prims, other, nodes;
    td_device_buffer units, halves, counts; // by levels
    td_work_queues queues;
} td_sah_on_device;

td_result td_check_device_build(const td_build_on_device *build, td_tree_rules rules) {
    TD_TRY(td_check_tree_rules(rules));
    if (!td_device_has_float64(build->device)) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "hierarchies are built on devices with float64: this one has none, or may not use it");
    }
    return TD_OK;
}

td_result td_report_device_build(const td_build_on_device *build, uint32_t done, uint32_t count) {
    if (build->progress != NULL && !build->progress(done, count, build->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "building a hierarchy over %u triangles was cancelled", count);
    }
    return TD_OK;
}

static td_result td_find_sah_kernel(const td_kernel **out, td_device *device, const char *name) {
    char options[32];
    snprintf(options, sizeof options, "-DTD_GROUP=%d", TD_GROUP);
    return td_find_kernel(out, device, "build_sah", options, name);
}

// ---------------------------------------------------------------------------------------------------------
// By levels

static td_result td_cut_level(const td_sah_on_device *sah, const td_kernel *kernel, uint32_t count) {
    const td_kernel_argument arguments[8] = {
        TD_ARG_BUFFER(&sah->prims), TD_ARG_BUFFER(&sah->other),  TD_ARG_BUFFER(&sah->nodes),
        TD_ARG_BUFFER(&sah->units), TD_ARG_BUFFER(&sah->halves), TD_ARG_BUFFER(&sah->counts),
        TD_ARG_VALUE(sah->rules),   TD_ARG_VALUE(sah->most),
    };
    return td_run_kernel(sah->device, kernel, (size_t)count * TD_GROUP, TD_GROUP, arguments, 8,
                         TD_STAGE_HIERARCHY);
}

static td_result td_take_level(const td_sah_on_device *sah, const td_kernel *kernel, uint32_t count,
                               uint32_t total) {
    const td_kernel_argument arguments[5] = {TD_ARG_BUFFER(&sah->units), TD_ARG_BUFFER(&sah->halves),
                                             TD_ARG_BUFFER(&sah->counts), TD_ARG_VALUE(count),
                                             TD_ARG_VALUE(total)};
    return td_run_kernel(sah->device, kernel, count, TD_TAKE_GROUP, arguments, 5, TD_STAGE_COLLECT);
}

static td_result td_build_by_levels(td_sah_on_device *sah) {
    td_device *device = sah->device;
    const td_build_unit root = {.count = sah->count};
    const td_kernel *cut, *take;
    TD_TRY(td_find_sah_kernel(&cut, device, "td_split_level"));
    TD_TRY(td_find_sah_kernel(&take, device, "td_take_halves"));
    TD_TRY(td_buffer_reserve(device, &sah->units, sizeof root, 0));
    TD_TRY(td_buffer_write(device, &sah->units, 0, &root, sizeof root));
    for (uint32_t count = 1; count > 0;) {
        uint32_t next;
        TD_TRY(td_buffer_reserve(device, &sah->halves, 2 * count * sizeof root, 0));
        TD_TRY(td_buffer_reserve(device, &sah->counts, count * sizeof(uint32_t), 0));
        TD_TRY(td_cut_level(sah, cut, count));
        TD_TRY(td_device_scan(device, &sah->counts, count, &next));
        if (next > 0) {
            TD_TRY(td_buffer_reserve(device, &sah->units, next * sizeof root, 0));
            TD_TRY(td_take_level(sah, take, count, next));
        }
        count = next;
        sah->build->rounds++;
        TD_TRY(td_report_device_build(sah->build, 0, sah->count));
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// By balanced queues

static td_result td_cut_from_queues(const td_sah_on_device *sah, const td_kernel *kernel) {
    const td_work_queues *queues = &sah->queues;
    const td_kernel_argument arguments[11] = {
        TD_ARG_BUFFER(&sah->prims),    TD_ARG_BUFFER(&sah->other),      TD_ARG_BUFFER(&sah->nodes),
        TD_ARG_BUFFER(&queues->units), TD_ARG_BUFFER(&queues->counts),  TD_ARG_BUFFER(&queues->starts),
        TD_ARG_BUFFER(&queues->idle),  TD_ARG_VALUE(queues->threshold), TD_ARG_VALUE(queues->capacity),
        TD_ARG_VALUE(sah->rules),      TD_ARG_VALUE(sah->most),
    };
    return td_run_kernel(sah->device, kernel, (size_t)queues->task_count * TD_GROUP, TD_GROUP, arguments, 11,
                         TD_STAGE_HIERARCHY);
}

static td_result td_build_by_queues(td_sah_on_device *sah) {
    const td_build_unit root = {.count = sah->count};
    const td_kernel *kernel;
    TD_TRY(td_find_sah_kernel(&kernel, sah->device, "td_split_balanced"));
    const td_queue_sizes sizes = {TD_UNIT_WORDS, TD_TASKS_PER_UNIT * td_device_compute_units(sah->device),
                                  TD_QUEUE, 1};
    TD_TRY(td_queues_begin(sah->device, &sah->queues, &sizes, &root, 1));
    while (sah->queues.total > 0) {
        TD_TRY(td_cut_from_queues(sah, kernel));
        TD_TRY(td_queues_balance(sah->device, &sah->queues));
        sah->build->rounds++;
        TD_TRY(td_report_device_build(sah->build, 0, sah->count));
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_build_all(td_sah_on_device *sah, td_tree_node *nodes, td_prim *prims) {
    td_device *device = sah->device;
    const size_t prim_bytes = sah->count * sizeof(td_prim);
    const size_t node_bytes = (2 * (size_t)sah->count - 1) * sizeof(td_tree_node);
    TD_TRY(td_buffer_reserve(device, &sah->prims, prim_bytes, 0));
    TD_TRY(td_buffer_reserve(device, &sah->other, prim_bytes, 0));
    TD_TRY(td_buffer_reserve(device, &sah->nodes, node_bytes, 0));
    TD_TRY(td_buffer_write(device, &sah->prims, 0, prims, prim_bytes));
    TD_TRY(sah->build->scheme == TD_WORK_LEVELS ? td_build_by_levels(sah) : td_build_by_queues(sah));
    TD_TRY(td_buffer_read(device, nodes, &sah->nodes, 0, node_bytes));
    TD_TRY(td_buffer_read(device, prims, &sah->prims, 0, prim_bytes));
    return td_report_device_build(sah->build, sah->count, sah->count);
}

td_result td_build_sah_on_device(td_tree_node *nodes, td_prim *prims, uint32_t count, td_tree_rules rules,
                                 td_build_on_device *build) {
    TD_TRY(td_check_device_build(build, rules));
    td_sah_on_device sah = {.build = build,
                            .device = build->device,
                            .rules = rules,
                            .count = count,
                            .most = td_subtree_most(count)};
    build->rounds = 0;
    const td_result result = td_build_all(&sah, nodes, prims);
    td_device_buffer *buffers[6] = {&sah.prims, &sah.other, &sah.nodes, &sah.units, &sah.halves, &sah.counts};
    for (int i = 0; i < 6; ++i) {
        td_buffer_release(build->device, buffers[i]);
    }
    td_queues_release(build->device, &sah.queues);
    return result;
}
