// The linear builder on a device (kernels/build_linear.cl). The range of the keys is found natively, where
// the prims come from; crowded cells are built natively, when the rest of the tree is back.
#include "../core/array.h"
#include "../core/error.h"
#include "build_device.h"
#include "build_unit.h"
#include "cut_together.h"
#include "morton.h"

#include <stdio.h>

enum {
    TD_GROUP = 64,
    TD_DIGIT_BITS = 4, // per pass of the sort: a work-item counts 16 digits in its own memory
    TD_DIGITS = 1 << TD_DIGIT_BITS,
    TD_RUN = 64 // items in the run of a work-item
};

typedef struct td_linear_on_device {
    td_build_on_device *build;
    td_device *device;
    td_tree_rules rules;
    uint32_t count;
    td_device_buffer prims, codes, spare, counts, nodes, units;
    TD_ARRAY(uint32_t) levels; // where each level of units begins; and where the last one ends
} td_linear_on_device;

static td_result td_run_linear(const td_linear_on_device *linear, const char *name, uint32_t items,
                               const td_kernel_argument *arguments, uint32_t argument_count) {
    char options[64];
    const td_kernel *kernel;
    snprintf(options, sizeof options, "-DTD_DIGIT_BITS=%d -DTD_RUN=%d", TD_DIGIT_BITS, TD_RUN);
    TD_TRY(td_find_kernel(&kernel, linear->device, "build_linear", options, name));
    return td_run_kernel(linear->device, kernel, items, TD_GROUP, arguments, argument_count,
                         TD_STAGE_HIERARCHY);
}

// ---------------------------------------------------------------------------------------------------------
// Codes

static td_result td_code(td_linear_on_device *linear, const td_prim *prims) {
    td_context *context = td_device_context(linear->device);
    const uint32_t chunk_count = td_chunk_count(linear->count);
    td_chunk *chunks = TD_NEW(context, td_chunk, chunk_count);
    if (chunks == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_box4 keys = td_measure_together(prims, linear->count, chunks, context).keys;
    TD_DELETE(context, td_chunk, chunks, chunk_count);
    _Alignas(16) float lower[4], upper[4];
    td_f4_store(lower, keys.lower);
    td_f4_store(upper, keys.upper);
    const td_morton morton = td_choose_morton(lower, upper);
    const td_kernel_argument arguments[4] = {TD_ARG_BUFFER(&linear->codes), TD_ARG_BUFFER(&linear->prims),
                                             TD_ARG_VALUE(linear->count), TD_ARG_VALUE(morton)};
    return td_run_linear(linear, "td_code_prims", linear->count, arguments, 4);
}

static td_result td_sort(td_linear_on_device *linear) {
    const uint32_t runs = linear->count / TD_RUN + (linear->count % TD_RUN != 0);
    if (runs > UINT32_MAX / TD_DIGITS) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%u triangles are more than a device sorts", linear->count);
    }
    TD_TRY(td_buffer_reserve(linear->device, &linear->counts, (size_t)runs * TD_DIGITS * sizeof runs, 0));
    for (uint32_t shift = 0; shift < TD_MORTON_BITS; shift += TD_DIGIT_BITS) {
        const td_kernel_argument to_count[5] = {TD_ARG_BUFFER(&linear->counts), TD_ARG_BUFFER(&linear->codes),
                                                TD_ARG_VALUE(linear->count), TD_ARG_VALUE(shift),
                                                TD_ARG_VALUE(runs)};
        const td_kernel_argument to_move[6] = {
            TD_ARG_BUFFER(&linear->spare), TD_ARG_BUFFER(&linear->codes), TD_ARG_BUFFER(&linear->counts),
            TD_ARG_VALUE(linear->count),   TD_ARG_VALUE(shift),           TD_ARG_VALUE(runs)};
        TD_TRY(td_run_linear(linear, "td_count_digits", runs, to_count, 5));
        TD_TRY(td_device_scan(linear->device, &linear->counts, runs * TD_DIGITS, NULL));
        TD_TRY(td_run_linear(linear, "td_move_items", runs, to_move, 6));
        const td_device_buffer moved = linear->spare;
        linear->spare = linear->codes;
        linear->codes = moved;
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// The tree

// Cuts the units [first, first + count); those that follow stand behind them. Sets *next to their number.
static td_result td_cut_level(td_linear_on_device *linear, uint32_t first, uint32_t count, uint32_t *next) {
    const size_t size = sizeof(td_build_unit);
    TD_TRY(td_buffer_reserve(linear->device, &linear->counts, count * sizeof count, 0));
    const td_kernel_argument to_cut[7] = {
        TD_ARG_BUFFER(&linear->units),  TD_ARG_VALUE(first),           TD_ARG_VALUE(count),
        TD_ARG_BUFFER(&linear->counts), TD_ARG_BUFFER(&linear->codes), TD_ARG_BUFFER(&linear->nodes),
        TD_ARG_VALUE(linear->rules),
    };
    TD_TRY(td_run_linear(linear, "td_cut_units", count, to_cut, 7));
    TD_TRY(td_device_scan(linear->device, &linear->counts, count, next));
    const size_t end = (size_t)first + count;
    TD_TRY(td_buffer_reserve(linear->device, &linear->units, (end + *next) * size, end * size));
    const td_kernel_argument to_add[4] = {TD_ARG_BUFFER(&linear->units), TD_ARG_VALUE(first),
                                          TD_ARG_VALUE(count), TD_ARG_BUFFER(&linear->counts)};
    return td_run_linear(linear, "td_add_halves", count, to_add, 4);
}

static td_result td_cut_all(td_linear_on_device *linear) {
    td_context *context = td_device_context(linear->device);
    const td_build_unit root = {.count = linear->count};
    TD_TRY(td_buffer_reserve(linear->device, &linear->units, sizeof root, 0));
    TD_TRY(td_buffer_write(linear->device, &linear->units, 0, &root, sizeof root));
    uint32_t first = 0;
    for (uint32_t count = 1, next; count > 0; count = next) {
        TD_TRY(td_array_reserve(context, &linear->levels, 2));
        linear->levels.items[linear->levels.count++] = first;
        TD_TRY(td_cut_level(linear, first, count, &next));
        first += count;
        linear->build->rounds++;
    }
    linear->levels.items[linear->levels.count] = first;
    return TD_OK;
}

static td_result td_box_all(const td_linear_on_device *linear) {
    for (size_t level = linear->levels.count; level-- > 0;) {
        const uint32_t first = linear->levels.items[level], count = linear->levels.items[level + 1] - first;
        const td_kernel_argument arguments[6] = {
            TD_ARG_BUFFER(&linear->units), TD_ARG_VALUE(first),           TD_ARG_VALUE(count),
            TD_ARG_BUFFER(&linear->codes), TD_ARG_BUFFER(&linear->prims), TD_ARG_BUFFER(&linear->nodes),
        };
        TD_TRY(td_run_linear(linear, "td_box_units", count, arguments, 6));
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_build_all(td_linear_on_device *linear, td_tree_node *nodes, td_coded *codes,
                              const td_prim *prims) {
    td_device *device = linear->device;
    const uint32_t count = linear->count;
    const size_t prim_bytes = count * sizeof(td_prim), code_bytes = count * sizeof(td_coded);
    const size_t node_bytes = (2 * (size_t)count - 1) * sizeof(td_tree_node);
    TD_TRY(td_buffer_reserve(device, &linear->prims, prim_bytes, 0));
    TD_TRY(td_buffer_reserve(device, &linear->codes, code_bytes, 0));
    TD_TRY(td_buffer_reserve(device, &linear->spare, code_bytes, 0));
    TD_TRY(td_buffer_reserve(device, &linear->nodes, node_bytes, 0));
    TD_TRY(td_buffer_write(device, &linear->prims, 0, prims, prim_bytes));
    TD_TRY(td_code(linear, prims));
    TD_TRY(td_sort(linear));
    TD_TRY(td_report_device_build(linear->build, 0, count));
    TD_TRY(td_cut_all(linear));
    TD_TRY(td_box_all(linear));
    TD_TRY(td_buffer_read(device, nodes, &linear->nodes, 0, node_bytes));
    TD_TRY(td_buffer_read(device, codes, &linear->codes, 0, code_bytes));
    TD_TRY(td_build_crowded_cells(nodes, codes, prims, count, linear->rules, td_device_context(device)));
    return td_report_device_build(linear->build, count, count);
}

td_result td_build_linear_on_device(td_tree_node *nodes, td_coded *codes, const td_prim *prims,
                                    uint32_t count, td_tree_rules rules, td_build_on_device *build) {
    TD_TRY(td_check_device_build(build, rules));
    td_linear_on_device linear = {.build = build, .device = build->device, .rules = rules, .count = count};
    build->rounds = 0;
    const td_result result = td_build_all(&linear, nodes, codes, prims);
    td_device_buffer *buffers[6] = {&linear.prims,  &linear.codes, &linear.spare,
                                    &linear.counts, &linear.nodes, &linear.units};
    for (int i = 0; i < 6; ++i) {
        td_buffer_release(build->device, buffers[i]);
    }
    td_array_release(td_device_context(build->device), &linear.levels);
    return result;
}
