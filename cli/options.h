// The command line of a subcommand as a table, from which it is parsed and from which --help is printed.
#ifndef TD_CLI_OPTIONS_H
#define TD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The values of an option that may be given several times.
enum { TD_CLI_LIST_MOST = 64 };
typedef struct td_cli_list {
    const char *items[TD_CLI_LIST_MOST];
    size_t count;
} td_cli_list;

// Exactly one of `flag`, `text`, `number` and `list` is set: where the value goes, and so of which kind it
// is. The last one of an option that is given twice holds, unless it is a list.
typedef struct td_cli_option {
    const char *name;     // "--output"
    char letter;          // 'o' for "-o"; 0: none
    const char *argument; // "FILE"; null for a flag
    const char *help;     // fits one line
    bool *flag;
    const char **text;
    uint32_t *number;
    td_cli_list *list;
    uint32_t least, most; // of a number
} td_cli_option;

typedef struct td_cli_option_group {
    const char *title;
    const td_cli_option *options;
    size_t count;
} td_cli_option_group;

typedef struct td_cli_syntax {
    const char *command; // "collide"
    const char *usage;   // what stands behind the command
    const char *about;   // whole lines
    const char *example; // whole lines
    td_cli_option_group groups[2];
    const char *operands; // names of the operands, for messages: "A and B"
    int operands_least, operands_most;
} td_cli_syntax;

typedef enum td_cli_parsed {
    TD_CLI_RUN,      // go on
    TD_CLI_ANSWERED, // --help or --version was printed: done
    TD_CLI_REFUSED   // the error was told
} td_cli_parsed;

// Moves the operands to operands[0] ... operands[*operand_count - 1], which is argv itself: options are taken
// out of it. "--" ends the options.
td_cli_parsed td_cli_parse(const td_cli_syntax *syntax, int argc, char **argv, char ***operands,
                           int *operand_count);

#endif
