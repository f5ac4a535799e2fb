#include "refit_device.h"

#include "../core/error.h"
#include "post_sum.h"

enum { TD_GROUP = 32 };

static td_result td_check_float64(const td_device *device) {
    return td_device_has_float64(device)
               ? TD_OK
               : td_fail(TD_ERROR_UNSUPPORTED, "refitting on a device needs float64, which it has not");
}

td_result td_refit_blocks_on_device(td_device *device, const td_device_hierarchy *hierarchy,
                                    const td_levels *levels, td_refit_scratch *scratch) {
    const td_kernel *leaves, *inner;
    TD_TRY(td_check_float64(device));
    TD_TRY(td_find_kernel(&leaves, device, "refit", NULL, "td_refit_leaf_blocks"));
    TD_TRY(td_find_kernel(&inner, device, "refit", NULL, "td_refit_inner_blocks"));
    TD_TRY(td_buffer_reserve(device, &scratch->bounds, levels->node_count * sizeof(td_block_bounds), 0));
    for (uint32_t level = 0; level < levels->level_count; ++level) {
        const uint32_t begin = levels->first[level], count = levels->first[level + 1] - begin;
        const td_kernel_argument of_leaves[11] = {
            TD_ARG_BUFFER(hierarchy->blocks),
            TD_ARG_BUFFER(hierarchy->slabs),
            TD_ARG_BUFFER(hierarchy->quads),
            TD_ARG_BUFFER(&scratch->bounds),
            TD_ARG_BUFFER(hierarchy->triangles),
            TD_ARG_BUFFER(hierarchy->corners),
            TD_ARG_BUFFER(hierarchy->levels),
            TD_ARG_VALUE(hierarchy->place),
            TD_ARG_VALUE(begin),
            TD_ARG_VALUE(count),
            TD_ARG_VALUE(hierarchy->frame),
        };
        const td_kernel_argument of_inner[6] = {
            TD_ARG_BUFFER(hierarchy->blocks),
            TD_ARG_BUFFER(&scratch->bounds),
            TD_ARG_BUFFER(hierarchy->levels),
            TD_ARG_VALUE(hierarchy->place),
            TD_ARG_VALUE(begin),
            TD_ARG_VALUE(count),
        };
        TD_TRY(level == 0 ? td_run_kernel(device, leaves, count, TD_GROUP, of_leaves, 11, TD_STAGE_HIERARCHY)
                          : td_run_kernel(device, inner, count, TD_GROUP, of_inner, 6, TD_STAGE_HIERARCHY));
    }
    return TD_OK;
}

td_result td_refit_nodes_on_device(td_device *device, const td_device_hierarchy *hierarchy,
                                   const td_levels *levels, td_refit_scratch *scratch) {
    const bool turned = hierarchy->obbs != NULL;
    const char *options = turned ? "-DTD_REFIT_OBB=1" : NULL;
    const td_kernel *leaves, *inner;
    TD_TRY(td_check_float64(device));
    TD_TRY(td_find_kernel(&leaves, device, "post_refit", options, "td_refit_post_leaves"));
    TD_TRY(td_find_kernel(&inner, device, "post_refit", options, "td_refit_post_inner"));
    const size_t nodes = levels->node_count;
    TD_TRY(td_buffer_reserve(device, &scratch->notes, nodes * sizeof(td_post_note), 0));
    TD_TRY(td_buffer_reserve(device, &scratch->moments, turned ? nodes * sizeof(td_moments) : 4, 0));
    for (uint32_t level = 0; level < levels->level_count; ++level) {
        const uint32_t begin = levels->first[level], count = levels->first[level + 1] - begin;
        const td_kernel_argument arguments[13] = {
            TD_ARG_BUFFER(hierarchy->links),
            TD_ARG_BUFFER(hierarchy->boxes),
            TD_ARG_BUFFER(turned ? hierarchy->obbs : hierarchy->boxes), // not read without
            TD_ARG_BUFFER(hierarchy->quads),
            TD_ARG_BUFFER(hierarchy->triangles),
            TD_ARG_BUFFER(hierarchy->corners),
            TD_ARG_BUFFER(&scratch->notes),
            TD_ARG_BUFFER(&scratch->moments),
            TD_ARG_BUFFER(hierarchy->levels),
            TD_ARG_VALUE(hierarchy->place),
            TD_ARG_VALUE(begin),
            TD_ARG_VALUE(count),
            TD_ARG_VALUE(hierarchy->frame),
        };
        TD_TRY(td_run_kernel(device, level == 0 ? leaves : inner, count, TD_GROUP, arguments, 13,
                             TD_STAGE_HIERARCHY));
    }
    return TD_OK;
}

void td_refit_scratch_release(td_refit_scratch *scratch, td_device *device) {
    td_buffer_release(device, &scratch->bounds);
    td_buffer_release(device, &scratch->notes);
    td_buffer_release(device, &scratch->moments);
}
