// The frames of the command line: two files of one mesh.
#ifndef TD_CLI_CCD_FRAMES_H
#define TD_CLI_CCD_FRAMES_H

#include "ccd_answer.h"

// Reads both and compares their connectivity. False: the error was told.
bool td_cli_load_frames(td_cli_frames *out, td_cli_session *session, const char *start, const char *end);
void td_cli_unload_frames(td_cli_frames *frames); // fine on a zeroed one

td_moving_mesh td_cli_moving_mesh(const td_cli_frames *frames);

#endif
