// From the pose a caller gives to the motion that queries apply.
#ifndef TD_QUERY_POSE_H
#define TD_QUERY_POSE_H

#include "../math/rigid.h"

#include <tandem/query.h>

td_rigid td_pose_rigid(const td_pose *pose);

#endif
