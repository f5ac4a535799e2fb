// What --help and --version print.
#ifndef TD_CLI_HELP_H
#define TD_CLI_HELP_H

#include "options.h"

// False: standard output could not be written, which was told.
bool td_cli_print_help(const td_cli_syntax *syntax);
bool td_cli_print_version(void);

#endif
