// Files are read, not mapped: a file that another program cuts short while we parse it must not crash us.
#include "file.h"

#include "../core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// -1, with the error kept, if it is not there or nothing to read from.
static int td_open_input(struct stat *status, const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, status) != 0) {
        td_fail(TD_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    } else if (S_ISDIR(status->st_mode)) {
        td_fail(TD_ERROR_FILE, "%s: is a folder, expected a file", path);
    } else if (!S_ISREG(status->st_mode) && !S_ISFIFO(status->st_mode)) {
        td_fail(TD_ERROR_FILE, "%s: is a device, expected a file or a pipe", path);
    } else {
        return file;
    }
    if (file >= 0) {
        close(file);
    }
    return -1;
}

static td_result td_read_pieces(td_file_bytes *bytes, td_context *context, int file, size_t expected,
                                const char *path, td_progress_fn *progress, void *progress_user) {
    const size_t piece = (size_t)16 << 20;
    // One byte more than expected, so that the end of the file shows without growing.
    TD_TRY(td_array_reserve(context, bytes, expected + 1));
    for (;;) {
        if (progress != NULL && !progress(0, expected, progress_user)) {
            return td_fail(TD_ERROR_CANCELLED, "%s: reading was cancelled", path);
        }
        TD_TRY(td_array_reserve(context, bytes, 1));
        const size_t room = bytes->capacity - bytes->count;
        const ssize_t got = read(file, bytes->items + bytes->count, room < piece ? room : piece);
        if (got == 0) {
            return TD_OK;
        }
        if (got > 0) {
            bytes->count += (size_t)got;
        } else if (errno != EINTR) {
            return td_fail(TD_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
        }
    }
}

td_result td_read_whole_file(td_file_bytes *out, td_context *context, const char *path,
                             td_progress_fn *progress, void *progress_user) {
    *out = (td_file_bytes){0};
    struct stat status;
    const int file = td_open_input(&status, path);
    if (file < 0) {
        return TD_ERROR_FILE;
    }
    const size_t expected = S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
    td_result result = td_read_pieces(out, context, file, expected, path, progress, progress_user);
    close(file);
    if (result == TD_OK && out->count == 0) {
        result = td_fail(TD_ERROR_FORMAT, "%s: the file is empty", path);
    }
    if (result != TD_OK) {
        td_array_release(context, out);
    }
    return result;
}

td_result td_check_input_file(const char *path) {
    struct stat status;
    const int file = td_open_input(&status, path);
    if (file < 0) {
        return TD_ERROR_FILE;
    }
    close(file);
    if (S_ISREG(status.st_mode) && status.st_size == 0) {
        return td_fail(TD_ERROR_FORMAT, "%s: the file is empty", path);
    }
    return TD_OK;
}
