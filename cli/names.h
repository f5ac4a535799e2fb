// Names that a user types: known, or told with the nearest one and a list of what is expected.
#ifndef TD_CLI_NAMES_H
#define TD_CLI_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct td_cli_names {
    const char *what; // of what kind they are, for messages: "strategy"
    const char *const *names;
    size_t count;
} td_cli_names;

// Finds `name`, given with `option`. False: the error was told.
bool td_cli_find_name(size_t *index, const td_cli_names *names, const char *name, const char *option);

// Tells that there is no such name.
void td_cli_refuse_name(const td_cli_names *names, const char *name, const char *option);

// The same for every name of a comma-separated list: found[i] becomes true for names->names[i].
bool td_cli_find_names(bool *found, const td_cli_names *names, const char *list, const char *option);

// The next name of a comma-separated list, which *list moves behind; false at its end. A name that does not
// fit is cut off, and so becomes one that nobody knows.
enum { TD_CLI_NAME_SIZE = 64 };
bool td_cli_next_name(char name[TD_CLI_NAME_SIZE], const char **list);

#endif
