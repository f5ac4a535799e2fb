// Builders on a device: the same trees as natively (build.h, build_linear.h), bit for bit. For devices with
// float64.
#ifndef TD_BVH_BUILD_DEVICE_H
#define TD_BVH_BUILD_DEVICE_H

#include "../device/device.h"
#include "blocked.h"
#include "build.h"

// How the work units of a build, which are nodes to be cut, are handed out.
typedef enum td_work_scheme {
    TD_WORK_BALANCED, // queues that are balanced when many are idle: paper 001, section 3.3
    TD_WORK_LEVELS    // level by level, compaction in between: what the paper compares with (its Fig. 7)
} td_work_scheme;

typedef struct td_build_on_device {
    td_device *device;
    td_work_scheme scheme;
    td_progress_fn *progress; // null: nobody wants to know
    void *progress_user;
    uint32_t rounds; // set: launches of the kernel that cuts, with balancing or compaction in between
} td_build_on_device;

// As td_build_sah and td_build_linear. TD_ERROR_UNSUPPORTED where the device has no float64. The linear
// builder goes by levels whatever the scheme; crowded cells (build_linear.c) are built natively in the end.
td_result td_build_sah_on_device(td_tree_node *nodes, td_prim *prims, uint32_t count, td_tree_rules rules,
                                 td_build_on_device *build);
td_result td_build_linear_on_device(td_tree_node *nodes, td_coded *codes, const td_blocked *frame,
                                    const td_trimesh *mesh, td_tree_rules rules, td_build_on_device *build);

// Between the two.
td_result td_check_device_build(const td_build_on_device *build, td_tree_rules rules);
td_result td_report_device_build(const td_build_on_device *build, uint32_t done, uint32_t count);

#endif
