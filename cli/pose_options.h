// The poses of the command line: --pose NUMBERS and --poses FILE.
#ifndef TD_CLI_POSE_OPTIONS_H
#define TD_CLI_POSE_OPTIONS_H

#include <tandem/io.h>

typedef struct td_cli_poses {
    const char *text, *file; // as parsed; null: not given
    td_pose *poses;          // as read; null: none
    size_t count;
} td_cli_poses;

// They exclude each other: false, and told.
bool td_cli_poses_check(const td_cli_poses *poses);

// False: the error was told.
bool td_cli_read_poses(td_cli_poses *poses, td_context *context);
void td_cli_release_poses(td_cli_poses *poses, td_context *context);

#endif
