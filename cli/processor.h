// The processor that the program runs on, by the name that Linux has for it.
#ifndef TD_CLI_PROCESSOR_H
#define TD_CLI_PROCESSOR_H

enum { TD_CLI_PROCESSOR_NAME = 128 };

// "unknown" where it cannot be told; returns `name`.
const char *td_cli_processor_name(char name[TD_CLI_PROCESSOR_NAME]);

#endif
