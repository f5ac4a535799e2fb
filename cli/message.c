#include "message.h"

#include "interrupt.h"

#include <tandem/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void td_say(const char *start, const char *format, va_list arguments) {
    char line[4096];
    const size_t length_of_start = strlen(start);
    memcpy(line, start, length_of_start + 1);
    vsnprintf(line + length_of_start, sizeof line - length_of_start - 1, format, arguments);
    for (char *c = line + length_of_start; *c; ++c) {
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

void td_cli_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    td_say("tandem: ", format, arguments);
    va_end(arguments);
}

void td_cli_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    td_say("tandem: note: ", format, arguments);
    va_end(arguments);
}

void td_cli_warning(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    td_say("tandem: warning: ", format, arguments);
    va_end(arguments);
}

void td_cli_library_error(const char *prefix) {
    const char *sentence = td_error_message();
    if (prefix) {
        td_cli_error("%s: %s", prefix, sentence);
    } else {
        td_cli_error("%s", sentence);
    }
}
