#include "progress.h"

#include "core/clock.h"
#include "interrupt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double td_quiet_ms = 400;   // work that is done by then needs no progress
static const double td_refresh_ms = 100; // between two updates of the line

void td_cli_progress_init(td_cli_progress *progress, bool quiet) {
    const char *terminal = getenv("TERM");
    const bool dumb = !terminal || strcmp(terminal, "dumb") == 0;
    *progress = (td_cli_progress){.enabled = !quiet && !dumb && isatty(STDERR_FILENO)};
}

void td_cli_progress_stage(td_cli_progress *progress, const char *format, ...) {
    if (!progress->enabled) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(progress->stage, sizeof progress->stage, format, arguments);
    va_end(arguments);
    progress->stage_began = td_clock_ms();
}

// A td_progress_fn. It never asks to stop: Ctrl-C ends the program by itself, see interrupt.h.
static bool td_show_progress(uint64_t done, uint64_t total, void *user) {
    td_cli_progress *progress = user;
    const double now = td_clock_ms();
    if (now - progress->stage_began < td_quiet_ms || now - progress->last_shown < td_refresh_ms) {
        return true;
    }
    progress->last_shown = now;
    char line[160];
    const double share = total > 0 ? 100.0 * (double)done / (double)total : 0;
    int length =
        snprintf(line, sizeof line, "\r\033[K%s: %.0f%%", progress->stage, share < 100 ? share : 100);
    td_cli_note_line();
    ssize_t written = write(STDERR_FILENO, line, (size_t)length);
    (void)written;
    return true;
}

td_progress_fn *td_cli_progress_function(const td_cli_progress *progress) {
    return progress->enabled ? td_show_progress : NULL;
}

void td_cli_progress_end(td_cli_progress *progress) {
    (void)progress;
    td_cli_clear_line();
}
