#include "swept_tree.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../math/f4.h"

void td_swept_tree_release(td_swept_tree *tree, td_context *context) {
    TD_DELETE(context, td_split_box, tree->split.boxes, tree->split.node_count);
    TD_DELETE(context, td_boxf, tree->post.boxes, tree->post.node_count);
    TD_DELETE(context, td_swept_box, tree->bounds, tree->post.node_count);
    td_obb_tree_destroy(&tree->obbs, context);
    *tree = (td_swept_tree){0};
}

uint64_t td_swept_tree_bytes(const td_swept_tree *tree) {
    return tree->split.node_count * (uint64_t)sizeof(td_split_box) +
           tree->post.node_count * (uint64_t)(sizeof(td_boxf) + sizeof(td_swept_box)) +
           td_obb_tree_bytes(&tree->obbs);
}

td_result td_swept_tree_of_split(td_swept_tree *out, td_context *context, const td_split_tree *split,
                                 uint64_t structure, bool oriented) {
    if (out->split.boxes == NULL || out->structure != structure) {
        td_swept_tree_release(out, context);
        out->split = (td_split_tree){.node_count = split->node_count,
                                     .quad_count = split->quad_count,
                                     .height = split->height,
                                     .boxes = TD_NEW(context, td_split_box, split->node_count)};
        out->structure = structure;
        if (out->split.boxes == NULL) {
            td_swept_tree_release(out, context);
            return TD_ERROR_MEMORY;
        }
    }
    out->split.nodes = split->nodes;
    if (oriented && out->obbs.obbs == NULL) {
        TD_TRY(td_obb_tree_create(&out->obbs, context, split->node_count));
        for (uint32_t n = 0; n < split->node_count; ++n) {
            out->obbs.second[n] = td_split_is_leaf(split->nodes, n) ? TD_NONE : split->nodes[n].right;
        }
        TD_TRY(td_obb_tree_link(&out->obbs, context));
    }
    out->split.obbs = oriented ? out->obbs.obbs : NULL;
    return TD_OK;
}

td_result td_swept_tree_of_post(td_swept_tree *out, td_context *context, const td_postorder *post,
                                uint64_t structure, bool oriented) {
    if (out->post.boxes == NULL || out->structure != structure) {
        td_swept_tree_release(out, context);
        out->post = (td_postorder){.node_count = post->node_count,
                                   .height = post->height,
                                   .arity = post->arity,
                                   .boxes = TD_NEW(context, td_boxf, post->node_count)};
        out->bounds = TD_NEW(context, td_swept_box, post->node_count);
        out->structure = structure;
        if (out->post.boxes == NULL || out->bounds == NULL) {
            td_swept_tree_release(out, context);
            return TD_ERROR_MEMORY;
        }
    }
    out->post.links = post->links;
    if (oriented && out->obbs.obbs == NULL) {
        TD_TRY(td_obb_tree_create(&out->obbs, context, post->node_count));
        for (uint32_t n = 0; n < post->node_count; ++n) { // binary: the right-most child is n + 1
            out->obbs.second[n] = post->links[n].kind & TD_POST_LEAF ? TD_NONE : post->links[n].child;
        }
        TD_TRY(td_obb_tree_link(&out->obbs, context));
    }
    out->post.obbs = oriented ? out->obbs.obbs : NULL;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Boxes along the axes

static void td_bound_quad(td_split_box *out, const td_swept_quad *quad) {
    for (int k = 0; k < 3; ++k) {
        float lower = quad->lower[k][0], upper = quad->upper[k][0];
        for (int lane = 1; lane < 4 && quad->triangle[lane] != TD_NONE; ++lane) {
            lower = quad->lower[k][lane] < lower ? quad->lower[k][lane] : lower;
            upper = quad->upper[k][lane] > upper ? quad->upper[k][lane] : upper;
        }
        out->lower[k] = lower;
        out->minus_upper[k] = -upper;
    }
    out->lower[3] = out->minus_upper[3] = 0;
}

static void td_fit_split_boxes(td_split_tree *split, const td_swept *swept) {
    for (uint32_t n = split->node_count; n-- > 0;) { // children stand behind their parents
        td_split_box *box = &split->boxes[n];
        if (td_split_is_leaf(split->nodes, n)) {
            td_bound_quad(box, &swept->quads[split->nodes[n].right]);
            continue;
        }
        const td_split_box *left = &split->boxes[n + 1], *right = &split->boxes[split->nodes[n].right];
        td_f4_store(box->lower, td_f4_min(td_f4_load(left->lower), td_f4_load(right->lower)));
        td_f4_store(box->minus_upper,
                    td_f4_min(td_f4_load(left->minus_upper), td_f4_load(right->minus_upper)));
    }
}

static void td_bound_triangle(td_swept_box *out, const td_swept_quad *quad, uint32_t lane) {
    for (int k = 0; k < 3; ++k) {
        out->lower[k] = quad->lower[k][lane];
        out->upper[k] = quad->upper[k][lane];
    }
    out->lower[3] = out->upper[3] = 0;
}

static void td_fit_post_boxes(td_swept_tree *tree, const td_swept *swept) {
    const td_post_links *links = tree->post.links;
    for (uint32_t n = tree->post.node_count; n-- > 0;) {
        td_swept_box *bounds = &tree->bounds[n];
        uint32_t child = links[n].child;
        if (links[n].kind & TD_POST_LEAF) {
            td_bound_triangle(bounds, &swept->quads[child / 4], child % 4);
        } else {
            td_f4 lower = td_f4_load(tree->bounds[child].lower),
                  upper = td_f4_load(tree->bounds[child].upper);
            while (links[child].counter == 0) {
                child = links[child].escape;
                lower = td_f4_min(lower, td_f4_load(tree->bounds[child].lower));
                upper = td_f4_max(upper, td_f4_load(tree->bounds[child].upper));
            }
            td_f4_store(bounds->lower, lower);
            td_f4_store(bounds->upper, upper);
        }
        td_post_sum sum;
        for (int k = 0; k < 3; ++k) {
            sum.lower[k] = bounds->lower[k];
            sum.upper[k] = bounds->upper[k];
        }
        td_set_box(&tree->post.boxes[n], &sum);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Oriented boxes

typedef struct td_swept_source {
    const td_swept_tree *tree;
    const td_swept *swept;
    const td_features *features;
    td_swept_frame frame;
} td_swept_source;

// A triangle at both ends of the step.
static void td_corners_at_both_ends(double (*triangles)[3][3], const td_swept_source *source,
                                    uint32_t triangle) {
    const uint32_t *vertex = source->features->triangles[triangle].vertex;
    const td_swept_frame *frame = &source->frame;
    for (int end = 0; end < 2; ++end) {
        for (int i = 0; i < 3; ++i) {
            const td_vec3 p = td_swept_local(frame, source->swept->paths[vertex[i]].at[end]);
            triangles[end][i][0] = p.x;
            triangles[end][i][1] = p.y;
            triangles[end][i][2] = p.z;
        }
    }
}

static uint32_t td_corners_of_split_leaf(double (*triangles)[3][3], uint32_t node, const void *user) {
    const td_swept_source *source = user;
    const td_swept_quad *quad = &source->swept->quads[source->tree->split.nodes[node].right];
    uint32_t count = 0;
    for (int lane = 0; lane < 4 && quad->triangle[lane] != TD_NONE; ++lane) {
        td_corners_at_both_ends(triangles + count, source, quad->triangle[lane]);
        count += 2;
    }
    return count;
}

static uint32_t td_corners_of_post_leaf(double (*triangles)[3][3], uint32_t node, const void *user) {
    const td_swept_source *source = user;
    const uint32_t at = source->tree->post.links[node].child;
    td_corners_at_both_ends(triangles, source, source->swept->quads[at / 4].triangle[at % 4]);
    return 2;
}

void td_swept_tree_fit(td_swept_tree *tree, td_context *context, const td_swept *swept,
                       const td_features *features, const td_swept_frame *frame, bool oriented) {
    const td_swept_source source = {tree, swept, features, *frame};
    const bool split = tree->split.boxes != NULL;
    if (split) {
        td_fit_split_boxes(&tree->split, swept);
    } else {
        td_fit_post_boxes(tree, swept);
    }
    if (oriented) {
        td_obb_tree_fit(&tree->obbs, context, split ? td_corners_of_split_leaf : td_corners_of_post_leaf,
                        &source);
    }
}
