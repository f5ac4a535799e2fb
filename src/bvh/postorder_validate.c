// Checks a post-order hierarchy against the definitions in postorder.h, node by node, without recursion.
#include "postorder.h"

#include "../core/error.h"
#include "../core/memory.h"

#include <string.h>

typedef struct td_post_check {
    const td_postorder *post;
    const td_trimesh *mesh;
    const td_blocked *blocked;
    uint32_t *parent; // per node; TD_NONE: the root, or not met yet
    uint32_t *depth;
    unsigned char *seen; // per triangle
    uint32_t height, arity;
} td_post_check;

// A node's children, left to right: each right of the one before by its escape index, the right-most one
// directly behind the node.
static td_result td_check_children(td_post_check *check, uint32_t n) {
    const td_postorder *post = check->post;
    const td_post_links *node = &post->links[n];
    uint32_t arity = 0, below = node->child;
    for (uint32_t child = node->child;; child = post->links[child].escape) {
        if (child <= n || child >= post->node_count || child > below || check->parent[child] != TD_NONE) {
            return td_fail(TD_ERROR_MESH, "node %u: child %u is out of order or has two parents", n, child);
        }
        below = child;
        check->parent[child] = n;
        check->depth[child] = check->depth[n] + 1;
        ++arity;
        if (child == n + 1) {
            break;
        }
        if (post->links[child].counter != 0) {
            return td_fail(TD_ERROR_MESH,
                           "node %u: its counter is %u, expected 0 of a child that is not right-most", child,
                           post->links[child].counter);
        }
    }
    const td_post_links *last = &post->links[n + 1];
    if (arity < 2 || last->counter != node->counter + 1 || last->escape != node->escape) {
        return td_fail(TD_ERROR_MESH,
                       "node %u: %u children, the right-most with counter %u and escape index %u", n, arity,
                       last->counter, last->escape);
    }
    check->arity = arity > check->arity ? arity : check->arity;
    return TD_OK;
}

static td_result td_check_leaf(td_post_check *check, uint32_t n) {
    const uint32_t at = check->post->links[n].child;
    if (at >= 4 * (uint64_t)check->blocked->quad_count) {
        return td_fail(TD_ERROR_MESH, "leaf %u names quad %u of %u", n, at / 4, check->blocked->quad_count);
    }
    const uint32_t triangle = check->blocked->quads[at / 4].triangle[at % 4];
    if (triangle >= check->mesh->triangle_count || check->seen[triangle]++ != 0) {
        return td_fail(TD_ERROR_MESH, "leaf %u: triangle %u is not in the mesh or in two leaves", n,
                       triangle);
    }
    return TD_OK;
}

static td_result td_check_links(td_post_check *check) {
    const td_postorder *post = check->post;
    if (post->links[0].counter != 0 || post->links[0].escape != TD_POST_END) {
        return td_fail(TD_ERROR_MESH, "the root has counter %u and escape index %u", post->links[0].counter,
                       post->links[0].escape);
    }
    uint32_t leaves = 0;
    check->depth[0] = 0;
    for (uint32_t n = 0; n < post->node_count; ++n) {
        if (n > 0 && check->parent[n] == TD_NONE) {
            return td_fail(TD_ERROR_MESH, "node %u has no parent before it", n);
        }
        const uint32_t kind = post->links[n].kind;
        if (kind > (TD_POST_LEAF | TD_POST_ODD) ||
            ((kind & TD_POST_ODD) != 0) != (check->depth[n] % 2 == 1)) {
            return td_fail(TD_ERROR_MESH, "node %u of depth %u is of kind %u", n, check->depth[n], kind);
        }
        check->height = check->depth[n] > check->height ? check->depth[n] : check->height;
        leaves += kind & TD_POST_LEAF;
        TD_TRY((kind & TD_POST_LEAF) != 0 ? td_check_leaf(check, n) : td_check_children(check, n));
    }
    if (leaves != check->mesh->triangle_count || check->height != post->height ||
        check->arity != post->arity) {
        return td_fail(TD_ERROR_MESH, "%u leaves, height %u, arity %u; it says %u, %u, %u", leaves,
                       check->height, check->arity, check->mesh->triangle_count, post->height, post->arity);
    }
    return TD_OK;
}

static bool td_in_box(const td_boxf *box, const double p[3]) {
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        inside = inside && fabs(p[k] - (double)box->center[k]) <= (double)box->half[k];
    }
    return inside;
}

static bool td_in_obb(const td_obbf *obb, const double p[3]) {
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        double along = 0;
        for (int l = 0; l < 3; ++l) {
            along += (double)obb->axes[3 * k + l] * (p[l] - (double)obb->center[l]);
        }
        inside = inside && fabs(along) <= (double)obb->half[k];
    }
    return inside;
}

// Every box contains the triangle of the leaf, from the leaf up to the root: at most `most_levels` of them,
// so that a chain of nodes does not take for ever.
static td_result td_check_boxes(const td_post_check *check, uint32_t leaf, uint32_t most_levels) {
    const td_postorder *post = check->post;
    const uint32_t at = post->links[leaf].child;
    const td_triangle t = td_trimesh_triangle(check->mesh, check->blocked->quads[at / 4].triangle[at % 4]);
    const td_vec3 corners[3] = {td_to_local(check->blocked, t.p0), td_to_local(check->blocked, t.p1),
                                td_to_local(check->blocked, t.p2)};
    uint32_t level = 0;
    for (uint32_t n = leaf; n != TD_NONE; n = ++level < most_levels ? check->parent[n] : TD_NONE) {
        for (int i = 0; i < 3; ++i) {
            const double p[3] = {corners[i].x, corners[i].y, corners[i].z};
            if (!td_in_box(&post->boxes[n], p) || (post->obbs != NULL && !td_in_obb(&post->obbs[n], p))) {
                return td_fail(TD_ERROR_MESH, "leaf %u sticks out of the box of node %u", leaf, n);
            }
        }
    }
    return TD_OK;
}

// A box lies within its parent's, but for the rounding of centre and half-size.
static td_result td_check_nesting(const td_post_check *check, uint32_t n) {
    const td_boxf *box = &check->post->boxes[n], *outer = &check->post->boxes[check->parent[n]];
    for (int k = 0; k < 3; ++k) {
        const double distance = fabs((double)box->center[k] - (double)outer->center[k]);
        if (distance + (double)box->half[k] > (double)outer->half[k] + 0x1p-20) {
            return td_fail(TD_ERROR_MESH, "the box of node %u sticks out of its parent's, %u", n,
                           check->parent[n]);
        }
    }
    return TD_OK;
}

static td_result td_check_all(td_post_check *check) {
    const td_postorder *post = check->post;
    enum { TD_MOST_LEVELS = 64 };
    memset(check->seen, 0, check->mesh->triangle_count);
    for (uint32_t n = 0; n < post->node_count; ++n) {
        check->parent[n] = TD_NONE;
    }
    TD_TRY(td_check_links(check));
    for (uint32_t n = 0; n < post->node_count; ++n) {
        if (n > 0) {
            TD_TRY(td_check_nesting(check, n));
        }
        if (post->links[n].kind & TD_POST_LEAF) {
            TD_TRY(td_check_boxes(check, n, TD_MOST_LEVELS));
        }
    }
    return TD_OK;
}

td_result td_postorder_validate(const td_postorder *post, const td_trimesh *mesh, const td_blocked *blocked) {
    td_context *context = mesh->context;
    td_post_check check = {.post = post, .mesh = mesh, .blocked = blocked};
    check.parent = TD_NEW(context, uint32_t, post->node_count);
    check.depth = TD_NEW(context, uint32_t, post->node_count);
    check.seen = TD_NEW(context, unsigned char, mesh->triangle_count);
    td_result result = TD_ERROR_MEMORY;
    if (check.parent != NULL && check.depth != NULL && check.seen != NULL) {
        result = td_check_all(&check);
    }
    TD_DELETE(context, uint32_t, check.parent, post->node_count);
    TD_DELETE(context, uint32_t, check.depth, post->node_count);
    TD_DELETE(context, unsigned char, check.seen, mesh->triangle_count);
    return result;
}
