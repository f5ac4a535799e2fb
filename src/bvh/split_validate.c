// The check that tests run on every split hierarchy: links, sizes, and boxes against the exact corners.
#include "../core/error.h"
#include "split.h"

static td_result td_check_links(const td_split_tree *split, uint32_t n) {
    const td_split_node *node = &split->nodes[n];
    if (n == 0 ? node->parent != TD_NONE || node->end != split->node_count
               : node->parent >= n || !td_split_below(split->nodes, node->parent, n)) {
        return td_fail(TD_ERROR_MESH, "node %u has parent %u and end %u", n, node->parent, node->end);
    }
    if (td_split_is_leaf(split->nodes, n)) {
        return node->size == TD_SPLIT_LEAF
                   ? TD_OK
                   : td_fail(TD_ERROR_MESH, "leaf %u has size %g", n, (double)node->size);
    }
    const td_split_node *left = &split->nodes[n + 1], *right = &split->nodes[node->right];
    if (left->parent != n || right->parent != n || left->end != node->right || right->end != node->end) {
        return td_fail(TD_ERROR_MESH, "node %u and its children %u and %u do not fit", n, n + 1, node->right);
    }
    if (left->size > node->size || right->size > node->size) {
        return td_fail(TD_ERROR_MESH, "node %u is smaller than one of its children", n);
    }
    return TD_OK;
}

static bool td_holds_box(const td_split_box *outer, const td_split_box *inner) {
    for (int k = 0; k < 3; ++k) {
        if (outer->lower[k] > inner->lower[k] || outer->minus_upper[k] > inner->minus_upper[k]) {
            return false;
        }
    }
    return true;
}

static bool td_quad_holds(const td_split_tree *split, uint32_t quad, uint32_t lane, const td_blocked *blocked,
                          td_triangle triangle) {
    const td_split_box *box = &split->boxes[split->quad_nodes[quad]];
    const td_quad_boxes *own = &split->triangles[quad];
    const td_vec3 corners[3] = {triangle.p0, triangle.p1, triangle.p2};
    for (int c = 0; c < 3; ++c) {
        const td_vec3 local = td_to_local(blocked, corners[c]);
        const double x[3] = {local.x, local.y, local.z};
        for (int k = 0; k < 3; ++k) {
            const double center = (double)own->center[k][lane], half = (double)own->half[k][lane];
            if (x[k] < (double)box->lower[k] || -x[k] < (double)box->minus_upper[k] || x[k] < center - half ||
                x[k] > center + half) {
                return false;
            }
        }
    }
    return true;
}

static td_result td_check_quad(const td_split_tree *split, uint32_t quad, const td_trimesh *mesh,
                               const td_blocked *blocked) {
    for (uint32_t lane = 0; lane < 4; ++lane) {
        const uint32_t triangle = blocked->quads[quad].triangle[lane];
        if (triangle != TD_NONE &&
            !td_quad_holds(split, quad, lane, blocked, td_trimesh_triangle(mesh, triangle))) {
            return td_fail(TD_ERROR_MESH, "the boxes of quad %u do not hold triangle %u", quad, triangle);
        }
    }
    return TD_OK;
}

td_result td_split_validate(const td_split_tree *split, const td_trimesh *mesh, const td_blocked *blocked) {
    uint32_t quads = 0; // leaves are in the order of quads
    for (uint32_t n = 0; n < split->node_count; ++n) {
        TD_TRY(td_check_links(split, n));
        const td_split_node *node = &split->nodes[n];
        if (td_split_is_leaf(split->nodes, n)) {
            if (node->right != quads || split->quad_nodes[quads] != n) {
                return td_fail(TD_ERROR_MESH, "leaf %u holds quad %u, expected %u", n, node->right, quads);
            }
            TD_TRY(td_check_quad(split, quads++, mesh, blocked));
        } else if (!td_holds_box(&split->boxes[n], &split->boxes[n + 1]) ||
                   !td_holds_box(&split->boxes[n], &split->boxes[node->right])) {
            return td_fail(TD_ERROR_MESH, "the box of node %u does not hold those below it", n);
        }
    }
    return quads == blocked->quad_count
               ? TD_OK
               : td_fail(TD_ERROR_MESH, "%u leaves for %u quads", quads, blocked->quad_count);
}
