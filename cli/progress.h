// A line on the terminal that tells how far the work is: only where standard error is a terminal, only after
// a moment, never with --quiet.
#ifndef TD_CLI_PROGRESS_H
#define TD_CLI_PROGRESS_H

#include <tandem/base.h>

typedef struct td_cli_progress {
    bool enabled;
    char stage[96];
    double stage_began, last_shown; // milliseconds of td_clock_ms
} td_cli_progress;

void td_cli_progress_init(td_cli_progress *progress, bool quiet);

// Names what happens next: "reading bunny.obj".
__attribute__((format(printf, 2, 3))) void td_cli_progress_stage(td_cli_progress *progress,
                                                                 const char *format, ...);

// For the `progress` field of a definition; null where nothing would be shown.
td_progress_fn *td_cli_progress_function(const td_cli_progress *progress);

// Shows how far a count has come since the stage was named, how fast it goes and how long the rest will take:
// "simulating cows: 25% (100 of 400 steps, 31.2 steps/s, 10 s left)".
void td_cli_progress_count(td_cli_progress *progress, uint64_t done, uint64_t total, const char *unit);

void td_cli_progress_end(td_cli_progress *progress);

#endif
