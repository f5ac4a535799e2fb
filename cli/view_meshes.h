// Meshes for the viewer: the page knows recordings only, so they become one, a frame per pose.
#ifndef TD_CLI_VIEW_MESHES_H
#define TD_CLI_VIEW_MESHES_H

#include "load.h"

// Records the meshes as static bodies at their places. With poses, which are those of the last mesh, a frame
// each; without, one frame. *file becomes an open file without a name, to be closed, from which the recording
// can be read. False: the error was told, and no file is left.
bool td_view_record_meshes(int *file, td_cli_session *session, const td_cli_mesh *meshes, uint32_t count,
                           const td_pose *poses, size_t pose_count);

#endif
