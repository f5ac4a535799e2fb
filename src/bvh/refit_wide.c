// Leaf blocks from positions: gathered by as many quads as a register has room for, then filled
// (refit_leaf.h).
#include "refit.h"
#include "refit_leaf.h"

enum {
    TD_AHEAD = 3,              // blocks between asking for the positions of a leaf and using them
    TD_FAR_AHEAD = 8,          // between asking for a block and looking at it to ask for its positions
    TD_FAR_QUADS = 16,         // likewise between quads, whose vertices are read then
    TD_CACHED_BYTES = 12 << 20 // quads up to here may be in the caches when the next question reads them
};

// ---------------------------------------------------------------------------------------------------------
// Gathering

// The vertices of some quads, corner by corner.
typedef struct td_leaf_vertices {
    _Alignas(64) uint32_t corner[3][4 * TD_PARTS];
} td_leaf_vertices;

// The vertices of an empty lane: its triangle shrinks to a point of the quad, which changes neither box nor
// normal. quads[q] are the quads; a block's first stands for those that are not there.
TD_OP void td_list_vertices(td_leaf_vertices *out, const td_quad_corners *const quads[TD_PARTS]) {
    td_f4s corner[3];
    for (int k = 0; k < 3; ++k) {
        td_f4 part[TD_PARTS];
        for (uint32_t q = 0; q < TD_PARTS; ++q) {
            memcpy(&part[q], quads[q]->corner[k], sizeof part[q]);
        }
        corner[k] = td_f4s_join(part);
    }
    const td_f4s first = td_f4s_repeat(corner[0]);
    for (int k = 0; k < 3; ++k) {
        const td_f4s filled = td_f4s_mark(corner[k], corner[k], first);
        memcpy(out->corner[k], &filled, sizeof filled);
    }
}

TD_OP void td_gather_float32_leaf(td_d4s out[3], const td_points *points, const uint32_t *index) {
    for (int axis = 0; axis < 3; ++axis) {
        td_f4 part[TD_PARTS];
        for (int q = 0; q < TD_PARTS; ++q) {
            const float *corner[4];
            for (int i = 0; i < 4; ++i) {
                corner[i] = td_point(points, index[4 * q + i]);
            }
            part[q] = td_f4_set(corner[0][axis], corner[1][axis], corner[2][axis], corner[3][axis]);
        }
        out[axis] = td_d4s_widen(td_f4s_join(part));
    }
}

// Quads first ... first + TD_PARTS - 1, of a block whose quads are from ... end - 1.
TD_OP void td_gather_leaf(td_leaf *leaf, const td_blocked *blocked, const td_refit_source *source,
                          uint32_t first, uint32_t from, uint32_t end) {
    const td_quad_names *names = blocked->plan.names; // null while it is built
    const td_quad_corners *quads[TD_PARTS];
    td_f4 triangle[TD_PARTS];
    for (uint32_t i = 0; i < TD_PARTS; ++i) {
        const uint32_t q = first + i < end ? first + i : from;
        quads[i] = &blocked->plan.vertices[q];
        memcpy(&triangle[i], names != NULL ? names[q].triangle : blocked->quads[q].triangle,
               sizeof triangle[i]);
    }
    leaf->triangle = td_f4s_join(triangle);
    td_leaf_vertices vertices;
    td_list_vertices(&vertices, quads);
    const td_points points = {source->positions, source->stride};
    for (int k = 0; k < 3; ++k) {
        if (source->scalar == TD_FLOAT64) {
            td_d4s_gather(leaf->at[k], &points, vertices.corner[k]);
        } else {
            td_gather_float32_leaf(leaf->at[k], &points, vertices.corner[k]);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

// `stream`: quads go past the caches; there are more than these hold.
TD_OP td_f4 td_refit_quads(td_blocked *blocked, const td_refit_source *source, bool stream, uint32_t index,
                           uint32_t count) {
    td_block *block = &blocked->blocks[index];
    const uint32_t first = block->child[0], end = first + count; // quads stand in a row
    td_leaf leaf[TD_PART_GROUPS];
    const int groups = td_part_groups(count);
    for (int g = 0; g < groups; ++g) {
        td_gather_leaf(&leaf[g], blocked, source, first + (uint32_t)g * TD_PARTS, first, end);
    }
    return td_refit_gathered(block, &blocked->plan.bounds[index], &blocked->slabs[block->slabs],
                             &blocked->quads[first], leaf, count, &source->frame, stream);
}

// Where quads are done one by one, full blocks have code of their own, without loops of unknown length.
TD_OP td_f4 td_refit_leaf(td_blocked *blocked, const td_refit_source *source, bool stream, uint32_t index) {
    const uint32_t count = blocked->blocks[index].node_count;
    return TD_PARTS == 1 && count == 4 ? td_refit_quads(blocked, source, stream, index, 4)
                                       : td_refit_quads(blocked, source, stream, index, count);
}

TD_OP void td_ask_for_lines(const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64) {
        __builtin_prefetch((const char *)from + at);
    }
}

// Asks for what the leaf block will read and write. Positions lie anywhere, and there is little to do between
// asking and waiting for them. The block itself and the vertices of its quads have been asked for long
// before: both are gone through backwards.
TD_OP void td_ask_for_leaf(const td_blocked *blocked, const td_refit_source *source, bool stream,
                           uint32_t index) {
    const td_block *block = &blocked->blocks[index];
    td_ask_for_lines(block - (index < TD_FAR_AHEAD ? index : TD_FAR_AHEAD), sizeof *block);
    if (!block->leaf) {
        return;
    }
    const uint32_t first = block->child[0], far = first < TD_FAR_QUADS ? first : TD_FAR_QUADS;
    td_ask_for_lines(&blocked->plan.vertices[first - far], 4 * sizeof *blocked->plan.vertices);
    for (uint32_t q = first; q < first + block->node_count; ++q) {
        const uint32_t *vertices = blocked->plan.vertices[q].corner[0];
        for (int i = 0; i < 12; ++i) { // that of an empty lane is nowhere, which is no error
            __builtin_prefetch(source->positions + vertices[i] * source->stride, 0);
        }
        if (!stream) {
            td_ask_for_lines(&blocked->quads[q], sizeof(td_quad));
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
