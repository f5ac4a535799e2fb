// The boxes of post-order hierarchies that a kernel walks: oriented with the option TD_WALK_OBB, else along
// the axes. OpenCL C.
#ifndef TD_TRAVERSE_DEVICE_BOXES_H
#define TD_TRAVERSE_DEVICE_BOXES_H

#include "post_pair.h"

#ifdef TD_WALK_OBB
typedef td_obbf td_walk_box;
#define TD_WALK_ARENA  TD_ARENA_OBBS
#define TD_WALK_VOLUME TD_VOLUME_OBB
#define td_walk_side   td_side_of_obbs
#else
typedef td_boxf td_walk_box;
#define TD_WALK_ARENA  TD_ARENA_BOXES
#define TD_WALK_VOLUME TD_VOLUME_AABB
#define td_walk_side   td_side_of_boxes
#endif

#endif
