#include "message.h"

#include "interrupt.h"

#include <tandem/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void td_cli_error(const char *format, ...) {
    char line[4096] = "tandem: ";
    const size_t start = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + start, sizeof line - start - 1, format, arguments);
    va_end(arguments);
    for (char *c = line + start; *c; ++c) {
        if ((unsigned char)*c < ' ' || *c == 127) {
            *c = '?';
        }
    }
    const size_t length = strlen(line);
    line[length] = '\n'; // in the place that was kept for it
    td_cli_clear_line();
    // One write, so that messages of programs that share a terminal or a log do not mix. Where standard error
    // itself cannot be written there is nobody left to tell.
    ssize_t written = write(STDERR_FILENO, line, length + 1);
    (void)written;
}

void td_cli_library_error(const char *prefix) {
    const char *sentence = td_error_message();
    if (prefix) {
        td_cli_error("%s: %s", prefix, sentence);
    } else {
        td_cli_error("%s", sentence);
    }
}
