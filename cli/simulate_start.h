// What `tandem simulate` does before the first step: listing scenes, loading one, looking at how it begins.
#ifndef TD_CLI_SIMULATE_START_H
#define TD_CLI_SIMULATE_START_H

#include "session.h"

#include <tandem/scene.h>

// The scenes that are built in. False: the error was told.
bool td_cli_list_scenes(td_cli_session *session);

// What the command line changes about a scene.
typedef struct td_cli_scene_options {
    td_cli_list parameters, meshes; // "name=value", "name=file"
    const char *step;               // seconds, as written; null: the scene's
    uint32_t substeps, iterations;  // 0: the scene's
    const char *broad, *narrow, *stepping;
} td_cli_scene_options;

bool td_cli_load_scene(td_scene **out, td_cli_session *session, const char *path,
                       const td_cli_scene_options *options);

// Warns of bodies that start inside each other, unless --quiet. False: the error was told.
bool td_cli_check_overlaps(uint64_t *count, td_cli_session *session, td_scene *scene);

#endif
