#include "path.h"

#include <string.h>
#include <strings.h>

const char *td_path_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *td_path_extension(const char *path) {
    const char *dot = strrchr(td_path_file_name(path), '.');
    return dot != NULL ? dot : "";
}

bool td_path_has_extension(const char *path, const char *extension) {
    return strcasecmp(td_path_extension(path), extension) == 0;
}
