// Meshes, poses and a result as the command line names them: what `view` and `render` make theirs from.
#ifndef TD_CLI_VIEW_PARTS_H
#define TD_CLI_VIEW_PARTS_H

#include "view_result.h"
#include "view_source.h"

typedef struct td_view_parts {
    td_cli_session *session;
    td_view_wish *wish;
    td_view_result result; // zero without one
    td_cli_mesh *meshes;
    uint32_t mesh_count;
    const td_pose *poses; // of the last mesh, a frame each; null: none
    size_t pose_count;
} td_view_parts;

// False: the error was told. To be released in any case.
bool td_view_gather_parts(td_view_parts *out, td_cli_session *session, td_view_wish *wish);
void td_view_release_parts(td_view_parts *parts); // fine on zeroed ones

#endif
