// A binary hierarchy over a step: the nodes of a mesh's post-order hierarchy (postorder.h) or of its split
// one (split.h), with boxes that hold everything from the beginning of the step to its end, along the
// coordinate axes or oriented. What `stack` and `binary`, and what `front` walks in continuous collision.
//
// Vertices move along straight lines, so whatever holds a triangle at both ends of the step holds it all the
// time, however the box is turned. Coordinates are those of the swept hierarchy (swept.h).
#ifndef TD_BVH_SWEPT_TREE_H
#define TD_BVH_SWEPT_TREE_H

#include "obb_tree.h"
#include "postorder.h"
#include "split.h"
#include "swept.h"

typedef struct td_swept_tree {
    uint64_t structure;   // td_mesh.structure of the mesh whose nodes these are; only with nodes
    td_split_tree split;  // nodes are the mesh's; of the rest, boxes and obbs. Or
    td_postorder post;    // links are the mesh's
    td_swept_box *bounds; // post: of every node
    td_obb_tree obbs;
} td_swept_tree;

// Makes room for the boxes of a mesh's hierarchy, keeping what is there if it is of the same structure;
// `oriented`: for oriented boxes, too. TD_ERROR_MEMORY leaves nothing. Zeroed before its first use.
td_result td_swept_tree_of_split(td_swept_tree *out, td_context *context, const td_split_tree *split,
                                 uint64_t structure, bool oriented);
td_result td_swept_tree_of_post(td_swept_tree *out, td_context *context, const td_postorder *post,
                                uint64_t structure, bool oriented);

// All boxes, from the leaves up; oriented ones if there is room for them. The swept hierarchy has been
// fitted. Oriented boxes know no margin: they are for steps without a separation. Parallel but for boxes
// along the axes.
void td_swept_tree_fit(td_swept_tree *tree, td_context *context, const td_swept *swept,
                       const td_features *features, const td_swept_frame *frame, bool oriented);

void td_swept_tree_release(td_swept_tree *tree, td_context *context);
uint64_t td_swept_tree_bytes(const td_swept_tree *tree);

#endif
