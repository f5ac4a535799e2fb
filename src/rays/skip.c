// From the post-order hierarchy to one in pre-order with escape indices (target.h).
#include "shape.h"

#include "../core/error.h"
#include "../core/memory.h"

static uint32_t td_triangle_of_leaf(const td_blocked *blocked, uint32_t place) {
    return blocked->quads[place / 4].triangle[place % 4];
}

// `rank`: per post-order node, its place in pre-order.
static void td_fill_nodes(td_ray_shape *shape, const td_postorder *post, const td_blocked *blocked,
                          uint32_t *rank) {
    uint32_t count = 0;
    for (uint32_t at = 0; at != TD_POST_END;) {
        rank[at] = count++;
        at = post->links[at].kind & TD_POST_LEAF ? post->links[at].escape : post->links[at].child;
    }
    for (uint32_t i = 0; i < post->node_count; ++i) {
        const td_post_links links = post->links[i];
        td_skip_node *node = &shape->nodes[rank[i]];
        for (int k = 0; k < 3; ++k) {
            node->center[k] = post->boxes[i].center[k];
            node->half[k] = post->boxes[i].half[k];
        }
        node->escape = links.escape == TD_POST_END ? TD_TRACE_NONE : rank[links.escape];
        node->triangle =
            links.kind & TD_POST_LEAF ? td_triangle_of_leaf(blocked, links.child) : TD_TRACE_NONE;
    }
}

td_result td_fill_skip_nodes(td_ray_shape *shape, const td_mesh *mesh) {
    td_context *context = shape->context;
    TD_TRY(td_mesh_prepare_postorder(mesh, TD_VOLUME_AABB));
    const td_postorder *post = &mesh->late->post;
    if (post->node_count != shape->node_count) {
        TD_DELETE(context, td_skip_node, shape->nodes, shape->node_count);
        shape->nodes = TD_NEW(context, td_skip_node, post->node_count);
        shape->node_count = shape->nodes != NULL ? post->node_count : 0;
    }
    uint32_t *rank = TD_NEW(context, uint32_t, post->node_count);
    const bool enough = shape->nodes != NULL && rank != NULL;
    if (enough) {
        td_fill_nodes(shape, post, &mesh->hierarchy, rank);
    }
    TD_DELETE(context, uint32_t, rank, post->node_count);
    return enough ? TD_OK : TD_ERROR_MEMORY;
}
