#include "output.h"

#include "../core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static td_result td_output_fail(td_output *output, const char *what, int reason) {
    td_output_abandon(output);
    return td_fail(TD_ERROR_FILE, "%s: %s: %s", output->path, what,
                   reason != 0 ? strerror(reason) : "unknown reason");
}

// A file that did not exist, named after the target. -1 and errno if it cannot be made. The mode is what the
// process gives to new files.
static int td_create_temporary(td_output *output) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const int length = snprintf(output->temporary, sizeof output->temporary, "%s.%ld.%d.partial",
                                    output->target, (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= sizeof output->temporary) {
            errno = ENAMETOOLONG;
            break;
        }
        const int file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            return file;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    output->temporary[0] = '\0';
    return -1;
}

static int td_open_target(td_output *output, const struct stat *existing) {
    if (existing != NULL && !S_ISREG(existing->st_mode)) {
        return open(output->target, O_WRONLY | O_CLOEXEC);
    }
    // Renaming over a file needs no right to write to it; who protected it means it.
    if (existing != NULL && access(output->target, W_OK) != 0) {
        return -1;
    }
    const int file = td_create_temporary(output);
    if (file >= 0 && existing != NULL && fchmod(file, existing->st_mode & 07777) != 0) {
        const int reason = errno;
        close(file);
        errno = reason;
        return -1;
    }
    return file;
}

// What exists is found behind its links, so that the file is replaced and not the link.
static bool td_resolve_target(td_output *output, bool exists) {
    char *resolved = exists ? realpath(output->path, NULL) : NULL;
    if (exists && resolved == NULL) {
        return false;
    }
    const int length =
        snprintf(output->target, sizeof output->target, "%s", resolved != NULL ? resolved : output->path);
    free(resolved);
    errno = ENAMETOOLONG;
    return length >= 0 && (size_t)length < sizeof output->target;
}

td_result td_output_open(td_output *out, const char *path) {
    out->file = NULL;
    out->path = path;
    out->temporary[0] = '\0';
    out->target[0] = '\0';
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        return td_fail(TD_ERROR_FILE, "%s: is a folder, expected the name of a file", path);
    }
    if (!td_resolve_target(out, exists)) {
        return td_output_fail(out, "cannot be written", errno);
    }
    const int file = td_open_target(out, exists ? &status : NULL);
    if (file < 0) {
        return td_output_fail(out, "cannot be written", errno);
    }
    out->file = fdopen(file, "wb");
    if (out->file == NULL) {
        const int reason = errno;
        close(file);
        return td_output_fail(out, "cannot be written", reason);
    }
    return TD_OK;
}

td_result td_output_commit(td_output *output) {
    // The reason of an earlier failed write may still be in errno; that of the last one certainly is.
    const bool failed = fflush(output->file) != 0 || ferror(output->file);
    int reason = errno;
    const bool closed = fclose(output->file) == 0;
    output->file = NULL;
    if (failed || !closed) {
        reason = failed ? reason : errno;
        return td_output_fail(output, "could not be written completely", reason);
    }
    if (output->temporary[0] != '\0' && rename(output->temporary, output->target) != 0) {
        return td_output_fail(output, "could not be put in place", errno);
    }
    output->temporary[0] = '\0';
    return TD_OK;
}

void td_output_abandon(td_output *output) {
    if (output->file != NULL) {
        fclose(output->file);
        output->file = NULL;
    }
    if (output->temporary[0] != '\0') {
        unlink(output->temporary);
        output->temporary[0] = '\0';
    }
}
