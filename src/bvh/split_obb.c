#include "split_obb.h"

#include "../core/error.h"

td_result td_split_obbs_create(td_obb_tree *out, const td_split_tree *split, td_context *context) {
    TD_TRY(td_obb_tree_create(out, context, split->node_count));
    for (uint32_t n = 0; n < split->node_count; ++n) {
        out->second[n] = td_split_is_leaf(split->nodes, n) ? TD_NONE : split->nodes[n].right;
    }
    return td_obb_tree_link(out, context);
}

typedef struct td_split_source {
    const td_split_tree *split;
    const td_trimesh *mesh;
    const td_blocked *blocked;
} td_split_source;

static uint32_t td_corners_of_quad(double (*triangles)[3][3], uint32_t node, const void *user) {
    const td_split_source *source = user;
    const td_quad *quad = &source->blocked->quads[source->split->nodes[node].right];
    uint32_t count = 0;
    for (int lane = 0; lane < 4 && quad->triangle[lane] != TD_NONE; ++lane) { // empty lanes come last
        const td_triangle t = td_trimesh_triangle(source->mesh, quad->triangle[lane]);
        const td_vec3 p[3] = {t.p0, t.p1, t.p2};
        for (int i = 0; i < 3; ++i) {
            const td_vec3 local = td_to_local(source->blocked, p[i]);
            triangles[count][i][0] = local.x;
            triangles[count][i][1] = local.y;
            triangles[count][i][2] = local.z;
        }
        ++count;
    }
    return count;
}

void td_split_obbs_fit(td_obb_tree *obbs, const td_split_tree *split, const td_trimesh *mesh,
                       const td_blocked *blocked) {
    const td_split_source source = {split, mesh, blocked};
    td_obb_tree_fit(obbs, mesh->context, td_corners_of_quad, &source);
}
