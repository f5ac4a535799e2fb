#include "interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int td_ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { TD_ENDING_SIGNALS = sizeof td_ending_signals / sizeof td_ending_signals[0] };

// Written with signals held, read by the handler.
static const char *volatile td_guarded_file;
static volatile sig_atomic_t td_line_shown;

static void td_erase_line(void) {
    static const char erase[] = "\r\033[K";
    ssize_t written = write(STDERR_FILENO, erase, sizeof erase - 1);
    (void)written;
}

// Calls async-signal-safe functions only.
static void td_end_by_signal(int number) {
    const char *file = td_guarded_file;
    if (file && *file) {
        unlink(file);
    }
    if (td_line_shown) {
        td_erase_line();
    }
    // SA_RESETHAND restored the default action; the signal is blocked until this handler returns, and then
    // ends the program.
    raise(number);
}

static sigset_t td_ending_set(void) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < TD_ENDING_SIGNALS; ++i) {
        sigaddset(&set, td_ending_signals[i]);
    }
    return set;
}

void td_cli_install_signals(void) {
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < TD_ENDING_SIGNALS; ++i) {
        struct sigaction old;
        sigaction(td_ending_signals[i], NULL, &old);
        if (old.sa_handler == SIG_IGN) {
            continue; // started by nohup, or in the background of a script: stays ignored
        }
        struct sigaction action = {.sa_handler = td_end_by_signal, .sa_flags = (int)SA_RESETHAND};
        action.sa_mask = td_ending_set();
        sigaction(td_ending_signals[i], &action, NULL);
    }
}

void td_cli_hold_signals(void) {
    const sigset_t set = td_ending_set();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void td_cli_release_signals(void) {
    const sigset_t set = td_ending_set();
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool td_cli_signal_waits(void) {
    sigset_t pending;
    sigpending(&pending);
    for (int i = 0; i < TD_ENDING_SIGNALS; ++i) {
        struct sigaction action; // an ignored signal waits as well, as long as it is held
        if (sigismember(&pending, td_ending_signals[i]) == 1 &&
            sigaction(td_ending_signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            return true;
        }
    }
    return false;
}

void td_cli_guard_file(const char *path) {
    td_guarded_file = path;
}

void td_cli_note_line(void) {
    td_line_shown = 1;
}

void td_cli_clear_line(void) {
    if (td_line_shown) {
        td_line_shown = 0;
        td_erase_line();
    }
}
