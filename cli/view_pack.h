// The bytes of a file as text that a page can hold: gzip, then base64, piece by piece.
#ifndef TD_CLI_VIEW_PACK_H
#define TD_CLI_VIEW_PACK_H

#include "output.h"
#include "progress.h"

// Packs the first `size` bytes of the open file; `path` is its name for messages, *packed how many bytes it
// becomes. False: the error was told. What the output could not take is told when it is closed.
bool td_view_pack(td_cli_output *output, int file, uint64_t size, const char *path, td_cli_progress *progress,
                  uint64_t *packed);

#endif
