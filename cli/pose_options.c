#include "pose_options.h"

#include "message.h"

#include <string.h>

bool td_cli_poses_check(const td_cli_poses *poses) {
    if (poses->text && poses->file) {
        td_cli_error("--pose and --poses exclude each other: expected one of them");
        return false;
    }
    return true;
}

bool td_cli_read_poses(td_cli_poses *poses, td_context *context) {
    const char *text = poses->text;
    td_result result = TD_OK;
    if (poses->file) {
        result = td_read_pose_file(&poses->poses, &poses->count, context, poses->file);
    } else if (text) {
        result = td_read_pose_memory(&poses->poses, &poses->count, context, text, strlen(text), "--pose");
    }
    if (result != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    if (text && poses->count != 1) {
        td_cli_error("--pose: %zu poses were given: expected one, of 7 or 12 numbers", poses->count);
        return false;
    }
    return true;
}

void td_cli_release_poses(td_cli_poses *poses, td_context *context) {
    td_release_poses(poses->poses, poses->count, context);
    poses->poses = NULL;
    poses->count = 0;
}
