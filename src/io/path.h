// Names of files.
#ifndef TD_IO_PATH_H
#define TD_IO_PATH_H

#include <stdbool.h>

// What follows the last '/'.
const char *td_path_file_name(const char *path);

// From the last '.' of the file name on, or "" if there is none: ".obj".
const char *td_path_extension(const char *path);

// Whether the extension is this one, in upper or lower case.
bool td_path_has_extension(const char *path, const char *extension);

#endif
