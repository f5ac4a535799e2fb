// Refitting on a device, level by level (paper 001, section 4.1): boxes, quads and slabs from the positions
// of the vertices, bit for bit as natively (refit.h, postorder_refit.h). For devices with float64.
#ifndef TD_BVH_REFIT_DEVICE_H
#define TD_BVH_REFIT_DEVICE_H

#include "../device/device.h"
#include "levels.h"
#include "local_frame.h"
#include "refit_place.h"

// The memory that holds the hierarchies, maybe of many meshes; `place` says where the one meant begins.
typedef struct td_device_hierarchy {
    const td_device_buffer *blocks, *slabs, *quads;
    const td_device_buffer *links, *boxes, *obbs; // obbs null: there are none
    const td_device_buffer *corners, *triangles;
    const td_device_buffer *levels; // as in td_levels.order; of blocks or of nodes, whatever is refitted
    td_refit_place place;
    td_local_frame frame; // for the new positions
} td_device_hierarchy;

// Scratch memory, which may be used again for other meshes. {0} to begin with.
typedef struct td_refit_scratch {
    td_device_buffer bounds;         // of blocks
    td_device_buffer notes, moments; // of nodes
} td_refit_scratch;

// `levels` has first and the counts; its order is on the device. Nothing waits.
td_result td_refit_blocks_on_device(td_device *device, const td_device_hierarchy *hierarchy,
                                    const td_levels *levels, td_refit_scratch *scratch);

// Boxes, and oriented boxes where there are any: these start from the axes they have. The quads of the mesh,
// whose triangles the leaves name, must be there.
td_result td_refit_nodes_on_device(td_device *device, const td_device_hierarchy *hierarchy,
                                   const td_levels *levels, td_refit_scratch *scratch);

void td_refit_scratch_release(td_refit_scratch *scratch, td_device *device);

#endif
