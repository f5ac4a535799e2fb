#include "output.h"

#include "interrupt.h"
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char td_cli_output_expected[] = "-o expects a file that can be written";

// ---------------------------------------------------------------------------------------------------------
// Writing

static void td_output_flush(td_cli_output *output) {
    size_t done = 0;
    while (done < output->used && !output->error) {
        const ssize_t written = write(output->fd, output->buffer + done, output->used - done);
        if (written >= 0) {
            done += (size_t)written;
        } else if (errno != EINTR) {
            output->error = errno;
        }
    }
    output->used = 0;
}

void td_cli_write(td_cli_output *output, const void *bytes, size_t size) {
    const char *from = bytes;
    while (size > 0) {
        if (output->used == sizeof output->buffer) {
            td_output_flush(output);
        }
        const size_t room = sizeof output->buffer - output->used;
        const size_t part = size < room ? size : room;
        memcpy(output->buffer + output->used, from, part);
        output->used += part;
        from += part;
        size -= part;
    }
}

void td_cli_put(td_cli_output *output, const char *text) {
    td_cli_write(output, text, strlen(text));
}

void td_cli_put_u64(td_cli_output *output, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    td_cli_write(output, digits + at, sizeof digits - at);
}

void td_cli_print(td_cli_output *output, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        output->error = output->error ? output->error : ENOMEM;
        return;
    }
    td_cli_write(output, text, (size_t)length);
    free(text);
}

void td_cli_put_csv(td_cli_output *output, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        td_cli_put(output, text);
        return;
    }
    td_cli_put(output, "\"");
    for (const char *c = text; *c; ++c) {
        td_cli_write(output, c, 1);
        if (*c == '"') {
            td_cli_put(output, "\"");
        }
    }
    td_cli_put(output, "\"");
}

static ssize_t td_write_from_stream(void *cookie, const char *bytes, size_t size) {
    td_cli_output *output = cookie;
    td_cli_write(output, bytes, size);
    return td_cli_output_failed(output) ? 0 : (ssize_t)size; // 0 tells the stream of the failure
}

FILE *td_cli_output_stream(td_cli_output *output) {
    return fopencookie(output, "w", (cookie_io_functions_t){.write = td_write_from_stream});
}

// ---------------------------------------------------------------------------------------------------------
// Opening and closing

bool td_cli_output_open(td_cli_output *output, const char *path) {
    output->path = path;
    output->error = 0;
    output->used = 0;
    output->fd = STDOUT_FILENO;
    if (!path) {
        return true;
    }
    td_cli_hold_signals(); // between the file's creation and its being guarded
    const td_result result = td_output_open(&output->file, path);
    if (result == TD_OK) {
        td_cli_guard_file(output->file.temporary);
        output->fd = fileno(output->file.file);
    }
    td_cli_release_signals();
    if (result != TD_OK) {
        td_cli_library_error(td_cli_output_expected);
    }
    return result == TD_OK;
}

// Standard output stays open; closing a duplicate tells what some file systems only tell then.
static void td_close_standard_output(td_cli_output *output) {
    const int duplicate = dup(output->fd);
    if ((duplicate < 0 || close(duplicate) != 0) && !output->error) {
        output->error = errno;
    }
}

bool td_cli_output_commit(td_cli_output *output) {
    td_output_flush(output);
    if (!output->path) {
        td_close_standard_output(output);
    }
    if (output->error) {
        td_cli_error("cannot write %s: %s; expected room for the whole output",
                     output->path ? output->path : "standard output", strerror(output->error));
        td_cli_output_discard(output);
        return false;
    }
    if (!output->path) {
        return true;
    }
    td_cli_hold_signals();
    const td_result result = td_output_commit(&output->file);
    td_cli_guard_file(NULL);
    td_cli_release_signals();
    if (result != TD_OK) {
        td_cli_library_error(td_cli_output_expected);
    }
    return result == TD_OK;
}

void td_cli_output_discard(td_cli_output *output) {
    output->used = 0;
    if (output->path) {
        td_cli_hold_signals();
        td_output_abandon(&output->file);
        td_cli_guard_file(NULL);
        td_cli_release_signals();
    }
}
