// Checks everything that traversals take for granted about a blocked hierarchy.
#include "blocked.h"

#include "../core/error.h"
#include "../core/memory.h"

#include <string.h>

typedef struct td_validation {
    const td_blocked *blocked;
    const td_trimesh *mesh;
    unsigned char *seen; // per triangle
    uint32_t visited;    // blocks reached from the root
} td_validation;

static bool td_box_holds(const td_block *block, uint32_t lane, td_vec3 p) {
    const double x[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(x[k] - (double)block->center[k][lane]) <= (double)block->half[k][lane])) {
            return false;
        }
    }
    return true;
}

// The corner of a triangle lies in the slab of its quad.
static bool td_slab_holds(const td_slabs *slabs, const td_quad *quad, uint32_t lane, td_vec3 p) {
    const double height = (double)slabs->normal[0][lane] * (p.x - (double)quad->center[0]) +
                          (double)slabs->normal[1][lane] * (p.y - (double)quad->center[1]) +
                          (double)slabs->normal[2][lane] * (p.z - (double)quad->center[2]);
    return fabs(height - (double)slabs->middle[lane]) <= (double)slabs->half[lane];
}

static td_result td_validate_quad(td_validation *v, const td_block *block, uint32_t index, uint32_t lane) {
    if (block->child[lane] >= v->blocked->quad_count) {
        return td_fail(TD_ERROR_MESH, "block %u names quad %u of %u", index, block->child[lane],
                       v->blocked->quad_count);
    }
    const td_quad *quad = &v->blocked->quads[block->child[lane]];
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t triangle = quad->triangle[k];
        if ((triangle == TD_NONE) != (quad->scale[k] < 0)) {
            return td_fail(TD_ERROR_MESH, "block %u: lane %u of quad %u is marked wrongly", index, k, lane);
        }
        if (triangle == TD_NONE) {
            continue;
        }
        if (triangle >= v->mesh->triangle_count || v->seen[triangle]++ != 0) {
            return td_fail(TD_ERROR_MESH, "block %u: triangle %u is not in the mesh or stands in two quads",
                           index, triangle);
        }
        const td_triangle t = td_trimesh_triangle(v->mesh, triangle);
        if (!td_box_holds(block, lane, td_to_local(v->blocked, t.p0)) ||
            !td_box_holds(block, lane, td_to_local(v->blocked, t.p1)) ||
            !td_box_holds(block, lane, td_to_local(v->blocked, t.p2))) {
            return td_fail(TD_ERROR_MESH, "block %u: triangle %u sticks out of box %u", index, triangle,
                           lane);
        }
        const td_slabs *slabs = &v->blocked->slabs[block->slabs];
        if (!td_slab_holds(slabs, quad, lane, td_to_local(v->blocked, t.p0)) ||
            !td_slab_holds(slabs, quad, lane, td_to_local(v->blocked, t.p1)) ||
            !td_slab_holds(slabs, quad, lane, td_to_local(v->blocked, t.p2))) {
            return td_fail(TD_ERROR_MESH, "block %u: triangle %u sticks out of slab %u", index, triangle,
                           lane);
        }
    }
    return TD_OK;
}

// A child block's boxes lie within its node's box, but for the rounding of centre and half-size.
static td_result td_validate_child(const td_validation *v, const td_block *block, uint32_t index,
                                   uint32_t lane) {
    if (block->child[lane] <= index || block->child[lane] >= v->blocked->block_count) {
        return td_fail(TD_ERROR_MESH, "block %u: child block %u does not come after it", index,
                       block->child[lane]);
    }
    const td_block *child = &v->blocked->blocks[block->child[lane]];
    if ((block->leaf_children >> lane & 1u) != child->leaf) {
        return td_fail(TD_ERROR_MESH, "block %u: child %u is marked wrongly as leaf or not", index, lane);
    }
    for (uint32_t i = 0; i < child->node_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double outer = (double)block->half[k][lane] * (1 + 0x1p-20) + 0x1p-20;
            const double distance = fabs((double)child->center[k][i] - (double)block->center[k][lane]);
            if (distance + (double)child->half[k][i] > outer) {
                return td_fail(TD_ERROR_MESH, "block %u sticks out of its parent %u", block->child[lane],
                               index);
            }
        }
    }
    return TD_OK;
}

static td_result td_validate_block(td_validation *v, uint32_t index) {
    const td_block *block = &v->blocked->blocks[index];
    if (block->node_count < 1 || block->node_count > 4) {
        return td_fail(TD_ERROR_MESH, "block %u has %u nodes", index, block->node_count);
    }
    for (uint32_t lane = 0; lane < 4; ++lane) {
        if (lane >= block->node_count) {
            if (block->child[lane] != TD_NONE || !(block->half[0][lane] < 0)) {
                return td_fail(TD_ERROR_MESH, "block %u: imaginary node %u is not empty", index, lane);
            }
        } else if (block->leaf) {
            TD_TRY(td_validate_quad(v, block, index, lane));
        } else {
            TD_TRY(td_validate_child(v, block, index, lane));
            v->visited++;
        }
    }
    return TD_OK;
}

static td_result td_validate_all(td_validation *v) {
    memset(v->seen, 0, v->mesh->triangle_count);
    for (uint32_t b = 0; b < v->blocked->block_count; ++b) {
        TD_TRY(td_validate_block(v, b));
    }
    if (v->visited + 1 != v->blocked->block_count) {
        return td_fail(TD_ERROR_MESH, "%u blocks have a parent, expected all %u but the root", v->visited,
                       v->blocked->block_count);
    }
    for (uint32_t i = 0; i < v->mesh->triangle_count; ++i) {
        if (!v->seen[i]) {
            return td_fail(TD_ERROR_MESH, "triangle %u is in no quad", i);
        }
    }
    return TD_OK;
}

td_result td_blocked_validate(const td_blocked *blocked, const td_trimesh *mesh) {
    td_validation v = {.blocked = blocked, .mesh = mesh};
    v.seen = TD_NEW(mesh->context, unsigned char, mesh->triangle_count);
    if (v.seen == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_result result = td_validate_all(&v);
    TD_DELETE(mesh->context, unsigned char, v.seen, mesh->triangle_count);
    return result;
}
