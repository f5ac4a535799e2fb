// Ctrl-C and the like end the program at once and leave nothing half done: the unfinished output file is
// removed, the progress line cleared, and then the signal does what it does by default.
//
// Only the main thread takes these signals: the context's threads start with them blocked. So a region of the
// main thread between td_cli_hold_signals() and td_cli_release_signals() is never cut in two; a signal that
// comes meanwhile is delivered at its end.
#ifndef TD_CLI_INTERRUPT_H
#define TD_CLI_INTERRUPT_H

#include <stdbool.h>

// Also ignores SIGPIPE, so that a closed pipe is a write error like any other.
void td_cli_install_signals(void);

void td_cli_hold_signals(void);
void td_cli_release_signals(void);

// Whether a signal came since they were held: a loop that holds them asks now and then, brings its work to an
// end and releases them, upon which the signal takes its course.
bool td_cli_signal_waits(void);

// The file to remove when a signal ends the program; null or "": none. The text must stay as long as it is
// guarded. To be called with signals held.
void td_cli_guard_file(const char *path);

// Whether a progress line stands on the terminal, and removing it.
void td_cli_note_line(void);
void td_cli_clear_line(void);

#endif
