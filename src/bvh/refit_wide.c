// Leaf blocks from positions, sixteen triangles at a time: gathered by the four of a quad, then filled
// (refit_leaf.h).
#include "../math/stream.h"
#include "corners_wide.h"
#include "refit_leaf.h"

enum {
    TD_AHEAD = 2,              // blocks between asking for memory and using it
    TD_CACHED_BYTES = 12 << 20 // quads up to here may be in the caches when the next question reads them
};

// ---------------------------------------------------------------------------------------------------------
// Gathering

// Vertices of an empty lane: its triangle shrinks to a point of the quad, which changes neither box nor
// normal.
static void td_fill_empty_lanes(td_quad_corners *out, const td_quad_corners *vertices) {
    *out = *vertices;
    for (int k = 0; k < 3; ++k) {
        for (int lane = 1; lane < 4; ++lane) {
            out->corner[k][lane] =
                vertices->corner[k][lane] == TD_NONE ? vertices->corner[0][0] : vertices->corner[k][lane];
        }
    }
}

TD_OP void td_gather_quad(td_corners *out, const td_quad_corners *vertices, const td_refit_source *source) {
    td_quad_corners filled;
    if (vertices->corner[0][3] == TD_NONE) {
        td_fill_empty_lanes(&filled, vertices);
        vertices = &filled;
    }
    td_gather_corners(out, vertices, source);
}

// ---------------------------------------------------------------------------------------------------------

// `stream`: quads go past the caches; there are more than these hold.
TD_OP td_f4 td_refit_quads(td_blocked *blocked, const td_refit_source *source, bool stream, uint32_t index,
                           uint32_t count) {
    td_block *block = &blocked->blocks[index];
    const uint32_t first = block->child[0]; // quads of a block stand in a row
    td_leaf leaf;
    for (uint32_t q = 0; q < count; ++q) {
        td_gather_quad(&leaf.quads[q], &blocked->plan.vertices[first + q], source);
    }
    td_block_bounds *bounds = &blocked->plan.bounds[index];
    td_slabs *slabs = &blocked->slabs[block->slabs];
    td_quad *quads = &blocked->quads[first];
    if (!stream) {
        return td_refit_gathered(block, bounds, slabs, quads, &leaf, count);
    }
    _Alignas(64) td_quad made[4];
    const td_quad_names *names = blocked->plan.names; // null while it is built
    for (uint32_t q = 0; q < count; ++q) {
        memcpy(made[q].triangle, names != NULL ? names[first + q].triangle : quads[q].triangle,
               sizeof made[q].triangle);
    }
    const td_f4 areas = td_refit_gathered(block, bounds, slabs, made, &leaf, count);
    td_stream(quads, made, count * sizeof *quads);
    return areas;
}

// Full blocks have code of their own, without loops of unknown length.
TD_OP td_f4 td_refit_leaf(td_blocked *blocked, const td_refit_source *source, bool stream, uint32_t index) {
    const uint32_t count = blocked->blocks[index].node_count;
    return count == 4 ? td_refit_quads(blocked, source, stream, index, 4)
                      : td_refit_quads(blocked, source, stream, index, count);
}

// Asks for what the leaf block will read and write. Positions lie anywhere, and there is little to do between
// asking and waiting for them.
TD_OP void td_ask_for_leaf(const td_blocked *blocked, const td_refit_source *source, bool stream,
                           uint32_t index) {
    const td_block *block = &blocked->blocks[index];
    if (!block->leaf) {
        return;
    }
    for (uint32_t q = block->child[0]; q < block->child[0] + block->node_count; ++q) {
        const uint32_t *vertices = blocked->plan.vertices[q].corner[0];
        for (int i = 0; i < 12; ++i) { // that of an empty lane is nowhere, which is no error
            __builtin_prefetch(source->positions + vertices[i] * source->stride, 0);
        }
        const char *quad = (const char *)&blocked->quads[q];
        if (!stream) {
            __builtin_prefetch(quad, 1);
            __builtin_prefetch(quad + 64, 1);
            __builtin_prefetch(quad + 128, 1);
        }
    }
}

TD_OP double td_refit_backwards(td_blocked *blocked, const td_refit_source *source, bool stream,
                                uint32_t first, uint32_t end) {
    td_d4 areas = td_d4_set1(0);
    for (uint32_t index = end; index-- > first;) {
        td_block *block = &blocked->blocks[index];
        if (index > first + TD_AHEAD) {
            td_ask_for_leaf(blocked, source, stream, index - TD_AHEAD);
        }
        const td_f4 area = block->leaf
                               ? td_refit_leaf(blocked, source, stream, index)
                               : td_refit_inner(block, &blocked->plan.bounds[index], blocked->plan.bounds);
        areas = td_d4_add(areas, td_d4_widen(area));
    }
    return td_d4_sum(areas);
}

// Positions as most meshes have them: the same with constants.
static bool td_is_usual(const td_refit_source *source) {
    return source->scalar == TD_FLOAT64 && source->stride == 3 * sizeof(double) &&
           source->frame.scale[1] == 1;
}

TD_OP double td_refit_from(td_blocked *blocked, const td_refit_source *source, bool stream, uint32_t first,
                           uint32_t end) {
    if (!td_is_usual(source)) {
        return td_refit_backwards(blocked, source, stream, first, end);
    }
    td_refit_source usual = *source;
    usual.scalar = TD_FLOAT64;
    usual.stride = 3 * sizeof(double);
    usual.frame.scale[1] = 1;
    return td_refit_backwards(blocked, &usual, stream, first, end);
}

double TD_WIDE(td_refit_blocks)(td_blocked *blocked, const td_refit_source *source, uint32_t first,
                                uint32_t end) {
    if ((size_t)blocked->quad_count * sizeof(td_quad) <= TD_CACHED_BYTES) {
        return td_refit_from(blocked, source, false, first, end);
    }
    const double area = td_refit_from(blocked, source, true, first, end);
    td_end_stream();
    return area;
}
