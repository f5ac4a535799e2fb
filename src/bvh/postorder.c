// From a tree to the post-order array of paper 000, section 3.
//
// Nothing here recurses: a tree may be as deep as it has leaves. Numbered from the end, post-order is the
// order in which a walk from the root meets the nodes that goes right before left. So a node's right sibling
// and its parent are numbered before it, and links, counters and depths follow in one pass; boxes follow in
// one pass backwards.
#include "postorder.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "obb.h"
#include "prims.h"

// What is needed while a tree is laid out.
typedef struct td_post_layout {
    td_context *context;
    const td_tree_shape *shape;
    td_post_links *links;
    uint32_t *place;    // per node of the shape: its number
    uint32_t *waiting;  // nodes of the shape that are not yet numbered, the next one last
    uint32_t *depth;    // per number
    uint32_t *position; // per triangle: 4 quad + lane; TD_NONE once a leaf holds it
    uint32_t triangle_count;
    uint32_t height, arity;
} td_post_layout;

// Puts the children of a node on the list, left-most first, so that the right-most is taken first.
static td_result td_queue_children(td_post_layout *layout, uint32_t node, uint32_t *waiting_count,
                                   uint32_t numbered) {
    const td_tree_shape *shape = layout->shape;
    uint32_t arity = 0;
    for (uint32_t c = shape->first_child[node]; c != TD_NONE; c = shape->next_sibling[c]) {
        if (c >= shape->node_count || numbered + *waiting_count >= shape->node_count) {
            return td_fail(TD_ERROR_ARGUMENT, "node %u of %u: its child %u is no node or met twice", node,
                           shape->node_count, c);
        }
        layout->waiting[(*waiting_count)++] = c;
        ++arity;
    }
    if (arity < 2) {
        return td_fail(TD_ERROR_ARGUMENT, "node %u has one child: expected none or at least two", node);
    }
    layout->arity = arity > layout->arity ? arity : layout->arity;
    return TD_OK;
}

static td_result td_link_leaf(td_post_layout *layout, uint32_t node, td_post_links *links) {
    const uint32_t triangle = layout->shape->triangle[node];
    if (triangle >= layout->triangle_count || layout->position[triangle] == TD_NONE) {
        return td_fail(TD_ERROR_ARGUMENT, "leaf %u: triangle %u is not in the mesh or in two leaves", node,
                       triangle);
    }
    links->child = layout->position[triangle];
    layout->position[triangle] = TD_NONE;
    links->kind |= TD_POST_LEAF;
    return TD_OK;
}

// Escape index, counter and depth of the node with number n, from its parent (n - 1 of a right-most child) or
// its right sibling.
static void td_link_upwards(td_post_layout *layout, uint32_t node, uint32_t n) {
    td_post_links *links = &layout->links[n];
    const uint32_t sibling = layout->shape->next_sibling[node];
    if (n == 0) { // the root counts as a left child, with nothing to its right
        *links = (td_post_links){.escape = TD_POST_END};
        layout->depth[n] = 0;
    } else if (sibling == TD_NONE) {
        links->escape = layout->links[n - 1].escape;
        links->counter = layout->links[n - 1].counter + 1;
        layout->depth[n] = layout->depth[n - 1] + 1;
    } else {
        links->escape = layout->place[sibling];
        links->counter = 0;
        layout->depth[n] = layout->depth[links->escape];
    }
    links->kind = layout->depth[n] % 2 == 1 ? TD_POST_ODD : 0;
    layout->height = layout->depth[n] > layout->height ? layout->depth[n] : layout->height;
}

static td_result td_number_nodes(td_post_layout *layout) {
    const td_tree_shape *shape = layout->shape;
    uint32_t waiting_count = 0, leaf_count = 0, n = 0;
    layout->waiting[waiting_count++] = shape->root;
    for (; waiting_count > 0; ++n) {
        const uint32_t node = layout->waiting[--waiting_count];
        layout->place[node] = n;
        td_link_upwards(layout, node, n);
        if (shape->first_child[node] == TD_NONE) {
            TD_TRY(td_link_leaf(layout, node, &layout->links[n]));
            ++leaf_count;
        } else {
            TD_TRY(td_queue_children(layout, node, &waiting_count, n + 1));
        }
    }
    if (n != shape->node_count || leaf_count != layout->triangle_count) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "the tree has %u of %u nodes below its root, and %u of %u triangles", n,
                       shape->node_count, leaf_count, layout->triangle_count);
    }
    for (uint32_t node = 0; node < shape->node_count; ++node) {
        if (shape->first_child[node] != TD_NONE) {
            layout->links[layout->place[node]].child = layout->place[shape->first_child[node]];
        }
    }
    return TD_OK;
}

static td_result td_lay_out_post(td_post_layout *layout, const td_blocked *blocked) {
    td_context *context = layout->context;
    const uint32_t count = layout->shape->node_count;
    layout->place = TD_NEW(context, uint32_t, count);
    layout->waiting = TD_NEW(context, uint32_t, count);
    layout->depth = TD_NEW(context, uint32_t, count);
    layout->position = TD_NEW(context, uint32_t, layout->triangle_count);
    td_result result = TD_ERROR_MEMORY;
    if (layout->place != NULL && layout->waiting != NULL && layout->depth != NULL &&
        layout->position != NULL) {
        for (uint32_t i = 0; i < 4 * blocked->quad_count; ++i) {
            const uint32_t triangle = blocked->quads[i / 4].triangle[i % 4];
            if (triangle != TD_NONE) {
                layout->position[triangle] = i;
            }
        }
        result = td_number_nodes(layout);
    }
    TD_DELETE(context, uint32_t, layout->place, count);
    TD_DELETE(context, uint32_t, layout->waiting, count);
    TD_DELETE(context, uint32_t, layout->depth, count);
    TD_DELETE(context, uint32_t, layout->position, layout->triangle_count);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Boxes

typedef struct td_bounds {
    float lower[3], upper[3];
} td_bounds;

static td_bounds td_bounds_of_children(const td_bounds *bounds, const td_post_links *links, uint32_t node) {
    uint32_t child = links[node].child;
    td_bounds sum = bounds[child];
    while (links[child].counter == 0) {
        child = links[child].escape;
        for (int k = 0; k < 3; ++k) {
            sum.lower[k] = fminf(sum.lower[k], bounds[child].lower[k]);
            sum.upper[k] = fmaxf(sum.upper[k], bounds[child].upper[k]);
        }
    }
    return sum;
}

static td_boxf td_box_around(const td_bounds *bounds) {
    td_boxf box;
    for (int k = 0; k < 3; ++k) {
        box.center[k] = 0.5f * bounds->lower[k] + 0.5f * bounds->upper[k];
        const float half = fmaxf(bounds->upper[k] - box.center[k], box.center[k] - bounds->lower[k]);
        box.half[k] = half + half * 0x1p-22f; // covers the rounding of the subtraction
    }
    return box;
}

static td_result td_box_nodes(td_postorder *post, const td_trimesh *mesh, const td_blocked *blocked) {
    td_context *context = mesh->context;
    td_bounds *bounds = TD_NEW(context, td_bounds, post->node_count);
    td_prim *prims = TD_NEW(context, td_prim, mesh->triangle_count);
    if (bounds != NULL && prims != NULL) {
        td_fill_prims(prims, blocked, mesh);
        for (uint32_t n = post->node_count; n-- > 0;) { // children stand behind their parents
            const td_post_links *links = &post->links[n];
            if (links->kind & TD_POST_LEAF) {
                const td_prim *prim = &prims[blocked->quads[links->child / 4].triangle[links->child % 4]];
                bounds[n] = (td_bounds){{prim->lower[0], prim->lower[1], prim->lower[2]},
                                        {prim->upper[0], prim->upper[1], prim->upper[2]}};
            } else {
                bounds[n] = td_bounds_of_children(bounds, post->links, n);
            }
            post->boxes[n] = td_box_around(&bounds[n]);
        }
    }
    const td_result result = bounds != NULL && prims != NULL ? TD_OK : TD_ERROR_MEMORY;
    TD_DELETE(context, td_bounds, bounds, post->node_count);
    TD_DELETE(context, td_prim, prims, mesh->triangle_count);
    return result;
}

// ---------------------------------------------------------------------------------------------------------

td_result td_postorder_create_from(td_postorder *out, const td_trimesh *mesh, const td_blocked *blocked,
                                   const td_tree_shape *shape) {
    td_context *context = mesh->context;
    *out = (td_postorder){.node_count = shape->node_count};
    if (shape->root >= shape->node_count) {
        return td_fail(TD_ERROR_ARGUMENT, "the root is node %u of %u", shape->root, shape->node_count);
    }
    out->links = TD_NEW(context, td_post_links, out->node_count);
    out->boxes = TD_NEW(context, td_boxf, out->node_count);
    td_result result = TD_ERROR_MEMORY;
    if (out->links != NULL && out->boxes != NULL) {
        td_post_layout layout = {
            .context = context, .shape = shape, .links = out->links, .triangle_count = mesh->triangle_count};
        result = td_lay_out_post(&layout, blocked);
        out->height = layout.height;
        out->arity = layout.arity;
    }
    if (result == TD_OK) {
        result = td_box_nodes(out, mesh, blocked);
    }
    if (result != TD_OK) {
        td_postorder_destroy(out, context);
    }
    return result;
}

// The shape of a tree whose leaves hold one prim each: all its places are used, and leaves stand in the order
// of the prims.
static void td_shape_of_tree(uint32_t *first_child, uint32_t *next_sibling, uint32_t *triangle,
                             const td_tree_node *nodes, const td_prim *prims, uint32_t node_count) {
    next_sibling[0] = TD_NONE;
    for (uint32_t n = 0, leaf = 0; n < node_count; ++n) {
        if (nodes[n].count == 1) {
            first_child[n] = TD_NONE;
            triangle[n] = prims[leaf++].id;
            continue;
        }
        const uint32_t left = td_tree_left(n), right = td_tree_right(nodes, n);
        first_child[n] = left;
        triangle[n] = TD_NONE;
        next_sibling[left] = right;
        next_sibling[right] = TD_NONE;
    }
}

td_result td_postorder_create(td_postorder *out, const td_trimesh *mesh, const td_blocked *blocked) {
    td_context *context = mesh->context;
    const uint32_t count = mesh->triangle_count, node_count = 2 * count - 1;
    td_prim *prims = TD_NEW(context, td_prim, count);
    td_tree_node *nodes = TD_NEW(context, td_tree_node, node_count);
    uint32_t *first_child = TD_NEW(context, uint32_t, node_count);
    uint32_t *next_sibling = TD_NEW(context, uint32_t, node_count);
    uint32_t *triangle = TD_NEW(context, uint32_t, node_count);
    *out = (td_postorder){0};
    td_result result = TD_ERROR_MEMORY;
    if (prims != NULL && nodes != NULL && first_child != NULL && next_sibling != NULL && triangle != NULL) {
        const td_tree_rules rules = {.leaf_size = 1, .group_size = 1};
        td_fill_prims(prims, blocked, mesh);
        result = td_build_sah(nodes, prims, count, rules, context, NULL, NULL);
        if (result == TD_OK) {
            td_shape_of_tree(first_child, next_sibling, triangle, nodes, prims, node_count);
            const td_tree_shape shape = {first_child, next_sibling, triangle, node_count, 0};
            result = td_postorder_create_from(out, mesh, blocked, &shape);
        }
    }
    TD_DELETE(context, td_prim, prims, count);
    TD_DELETE(context, td_tree_node, nodes, node_count);
    TD_DELETE(context, uint32_t, first_child, node_count);
    TD_DELETE(context, uint32_t, next_sibling, node_count);
    TD_DELETE(context, uint32_t, triangle, node_count);
    return result;
}

void td_postorder_destroy(td_postorder *post, td_context *context) {
    TD_DELETE(context, td_post_links, post->links, post->node_count);
    TD_DELETE(context, td_boxf, post->boxes, post->node_count);
    TD_DELETE(context, td_obbf, post->obbs, post->node_count);
    *post = (td_postorder){0};
}

td_result td_postorder_fit_obbs(td_postorder *post, const td_trimesh *mesh, const td_blocked *blocked) {
    if (post->obbs != NULL) {
        return TD_OK;
    }
    td_obbf *obbs = TD_NEW(mesh->context, td_obbf, post->node_count);
    if (obbs == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_result result = td_fit_obbs(obbs, post, mesh, blocked);
    if (result != TD_OK) {
        TD_DELETE(mesh->context, td_obbf, obbs, post->node_count);
        return result;
    }
    post->obbs = obbs;
    return TD_OK;
}

uint64_t td_postorder_bytes(const td_postorder *post) {
    const size_t node = sizeof *post->links + sizeof *post->boxes + (post->obbs ? sizeof *post->obbs : 0);
    return (uint64_t)post->node_count * node;
}
