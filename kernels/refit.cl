// Refitting of blocked hierarchies, level by level from the leaves up (paper 001, section 4.1): a work-item
// per block, a launch per level. The same operations as natively (src/bvh/refit_leaf.h, refit_node.h), so the
// same bits.
#include "../src/bvh/refit_leaf.h"
#include "../src/bvh/refit_place.h"

// An empty lane shrinks to the first corner of the quad (src/bvh/refit_wide.c).
static void td_gather(td_leaf *out, __global const td_quad *quad, __global const uint *triangles,
                      __global const double *corners) {
    for (uint k = 0; k < 3; ++k) {
        __global const double *p[4];
        for (uint lane = 0; lane < 4; ++lane) {
            const uint triangle = quad->triangle[lane];
            const size_t at = triangle == TD_NONE ? 3 * (size_t)quad->triangle[0] : 3 * (size_t)triangle + k;
            p[lane] = corners + 3 * (size_t)triangles[at];
        }
        for (uint axis = 0; axis < 3; ++axis) {
            out->at[k][axis] = td_d4_set(p[0][axis], p[1][axis], p[2][axis], p[3][axis]);
        }
    }
    out->triangle = as_float4(vload4(0, quad->triangle));
}

// Blocks levels[begin ... begin + count - 1], which are leaf blocks. `bounds` are of this mesh alone.
__kernel void td_refit_leaf_blocks(__global td_block *blocks, __global td_slabs *slabs,
                                   __global td_quad *quads, __global td_block_bounds *bounds,
                                   __global const uint *triangles, __global const double *corners,
                                   __global const uint *levels, td_refit_place place, uint begin, uint count,
                                   td_local_frame frame) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    const uint index = levels[place.levels + begin + item];
    td_block block = blocks[place.blocks + index];
    __global td_quad *of_block = quads + place.quads + block.child[0]; // they stand in a row
    td_leaf leaf[4];
    td_block_bounds around;
    td_slabs between;
    for (uint q = 0; q < block.node_count; ++q) {
        td_gather(&leaf[q], of_block + q, triangles + 3 * (size_t)place.triangles,
                  corners + 3 * (size_t)place.corners);
    }
    td_refit_gathered(&block, &around, &between, of_block, leaf, block.node_count, &frame, false);
    blocks[place.blocks + index] = block;
    bounds[index] = around;
    slabs[place.slabs + block.slabs] = between;
}

// Likewise internal blocks, whose children have been refitted.
__kernel void td_refit_inner_blocks(__global td_block *blocks, __global td_block_bounds *bounds,
                                    __global const uint *levels, td_refit_place place, uint begin,
                                    uint count) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    const uint index = levels[place.levels + begin + item];
    td_block block = blocks[place.blocks + index];
    td_block_bounds around;
    td_refit_inner(&block, &around, bounds);
    blocks[place.blocks + index] = block;
    bounds[index] = around;
}
