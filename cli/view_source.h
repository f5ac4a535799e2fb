// What a page shows: a recording, or meshes made into one.
#ifndef TD_CLI_VIEW_SOURCE_H
#define TD_CLI_VIEW_SOURCE_H

#include "pose_options.h"
#include "session.h"

typedef struct td_view_source {
    const char *path; // for messages
    const char *name; // for people who look at the page
    int file;         // with the recording; -1: none
    uint64_t size;    // of the recording
    uint64_t frames, lost_bytes;
    uint32_t bodies, meshes;
    bool complete;
    char *highlights;     // an element more for the page; null: none
    uint64_t highlighted; // triangles, over all frames
} td_view_source;

// Whether this is a recording: by its content where it has any, else by its name. With `live`, what is not
// there yet is one, unless it is named like a mesh.
bool td_view_is_recording(const char *name, bool live);

// Opens a recording and reads its header: one of another version is an error. One that is cut off or damaged
// later is a source, with a note. False: the error was told. To be closed in any case.
bool td_view_open_recording(td_view_source *out, td_cli_session *session, const char *path);

// Meshes, with poses of the second of two, or with a result, whose meshes and poses hold where none are
// given.
typedef struct td_view_wish {
    char **meshes; // names
    uint32_t mesh_count;
    td_cli_poses poses;
    const char *result; // path; null: none
} td_view_wish;

bool td_view_open_meshes(td_view_source *out, td_cli_session *session, td_view_wish *wish);

void td_view_close_source(td_view_source *source);

#endif
