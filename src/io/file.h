// Reading a whole file into memory.
#ifndef TD_IO_FILE_H
#define TD_IO_FILE_H

#include "../core/array.h"

#include <tandem/base.h>

typedef TD_ARRAY(char) td_file_bytes;

// TD_ERROR_FILE if it cannot be opened or read or is no regular file or pipe, TD_ERROR_FORMAT if it is empty,
// TD_ERROR_CANCELLED if `progress` (may be null) says so; it is told (0, size) before each piece is read. On
// success *out is to be released with td_array_release.
td_result td_read_whole_file(td_file_bytes *out, td_context *context, const char *path,
                             td_progress_fn *progress, void *progress_user);

// Only the checks of the above that need no reading.
td_result td_check_input_file(const char *path);

#endif
