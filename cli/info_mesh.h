// What `tandem info MESH` tells.
#ifndef TD_CLI_INFO_MESH_H
#define TD_CLI_INFO_MESH_H

#include "load.h"

typedef struct td_cli_mesh_info {
    const char *name;
    td_mesh_report mesh;
    td_hierarchy_report hierarchy;
    double load_ms, build_ms;
} td_cli_mesh_info;

// Loads the mesh with its vertices as they are in the file, not welded, so that vertices and distinct
// positions are both told. False: the error was told.
bool td_cli_inspect_mesh(td_cli_mesh_info *out, td_cli_session *session, const char *name);

// In the session's format, to the session's output.
void td_cli_write_mesh_infos(td_cli_session *session, const td_cli_mesh_info *infos, size_t count);

#endif
