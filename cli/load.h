// The meshes of the command line: files, or built-in shapes.
#ifndef TD_CLI_LOAD_H
#define TD_CLI_LOAD_H

#include "session.h"

#include <tandem/io.h>

typedef struct td_cli_mesh {
    const char *name; // as given
    td_mesh *mesh;
    double load_ms;  // reading and checking
    double build_ms; // the hierarchy
} td_cli_mesh;

// `name` is a path, or "shape:NAME", or "shape:NAME:N" for N subdivisions. `weld` says whether vertices at
// one position become one. False: the error was told.
bool td_cli_load(td_cli_mesh *out, td_cli_session *session, const char *name, bool weld);
// The arrays of a file, of every format that the program can read; the error is kept, not told.
td_result td_cli_read_file(td_mesh_arrays *out, td_cli_session *session, const char *path, bool weld);
// A td_scene_mesh_fn of the same; `user` is the session.
td_result td_cli_read_arrays(td_mesh_arrays *out, td_context *context, const char *source, void *user);

void td_cli_unload(td_cli_mesh *mesh); // fine on a zeroed one

enum { TD_CLI_SUBDIVIDE_MOST = 12 };

// Creates a built-in shape; an unknown name is told with the nearest one.
bool td_cli_create_shape(td_mesh **out, td_cli_session *session, const char *shape, uint32_t subdivide);

#endif
