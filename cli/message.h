// What the program says on standard error.
#ifndef TD_CLI_MESSAGE_H
#define TD_CLI_MESSAGE_H

// "tandem: " and the sentence, in one line whatever the arguments hold: control characters become '?'.
// Clears the progress line first.
__attribute__((format(printf, 1, 2))) void td_cli_error(const char *format, ...);

// The same behind "tandem: note: " and "tandem: warning: ", for what is no error. Callers look at --quiet.
__attribute__((format(printf, 1, 2))) void td_cli_note(const char *format, ...);
__attribute__((format(printf, 1, 2))) void td_cli_warning(const char *format, ...);

// The sentence of the library's last failed call, behind "PREFIX: " if `prefix` is not null.
void td_cli_library_error(const char *prefix);

#endif
