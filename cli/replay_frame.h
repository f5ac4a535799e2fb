// One frame of a recording, told: where its bodies are, or its contacts.
#ifndef TD_CLI_REPLAY_FRAME_H
#define TD_CLI_REPLAY_FRAME_H

#include "session.h"

#include <tandem/scene.h>

enum { TD_CLI_HASH_SIZE = 17 };

const char *td_cli_hash_text(char text[TD_CLI_HASH_SIZE], uint64_t hash);

// False: the error was told.
bool td_cli_tell_frame(td_cli_session *session, td_recording *recording, uint64_t frame, bool contacts);

#endif
