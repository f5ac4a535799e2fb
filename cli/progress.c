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

// Whether it is time to show the line again.
static bool td_is_due(td_cli_progress *progress) {
    const double now = td_clock_ms();
    if (now - progress->stage_began < td_quiet_ms || now - progress->last_shown < td_refresh_ms) {
        return false;
    }
    progress->last_shown = now;
    return true;
}

static void td_show_line(const char *line, int length) {
    td_cli_note_line();
    ssize_t written = write(STDERR_FILENO, line, (size_t)length);
    (void)written;
}

static double td_percent(uint64_t done, uint64_t total) {
    const double share = total > 0 ? 100.0 * (double)done / (double)total : 0;
    return share < 100 ? share : 100;
}

// A td_progress_fn. It never asks to stop: Ctrl-C ends the program by itself, see interrupt.h.
static bool td_show_progress(uint64_t done, uint64_t total, void *user) {
    td_cli_progress *progress = user;
    if (td_is_due(progress)) {
        char line[160];
        td_show_line(line, snprintf(line, sizeof line, "\r\033[K%s: %.0f%%", progress->stage,
                                    td_percent(done, total)));
    }
    return true;
}

void td_cli_progress_count(td_cli_progress *progress, uint64_t done, uint64_t total, const char *unit) {
    if (!progress->enabled || !td_is_due(progress)) {
        return;
    }
    char line[240];
    const double seconds = (progress->last_shown - progress->stage_began) / 1000;
    const double rate = (double)done / seconds;
    const double left = rate > 0 && total > done ? (double)(total - done) / rate : 0;
    td_show_line(line,
                 snprintf(line, sizeof line, "\r\033[K%s: %.0f%% (%llu of %llu %s, %.*f %s/s, %.0f s left)",
                          progress->stage, td_percent(done, total), (unsigned long long)done,
                          (unsigned long long)total, unit, rate < 100 ? 1 : 0, rate, unit, left));
}

td_progress_fn *td_cli_progress_function(const td_cli_progress *progress) {
    return progress->enabled ? td_show_progress : NULL;
}

void td_cli_progress_end(td_cli_progress *progress) {
    (void)progress;
    td_cli_clear_line();
}
