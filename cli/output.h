// Where results go: standard output, or the file of -o, which appears under its name only when it is
// complete.
#ifndef TD_CLI_OUTPUT_H
#define TD_CLI_OUTPUT_H

#include "io/output.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TD_CLI_OUTPUT_BUFFER = 1 << 16 };

// Written bytes gather in the buffer. The first failed write is kept in `error`, later ones are not tried:
// writers need not look, td_cli_output_commit tells.
typedef struct td_cli_output {
    const char *path; // null: standard output
    td_output file;   // of the path; its own stream stays unused, so that the cause of a failure is known
    int fd;
    int error; // errno of the first write that failed
    size_t used;
    char buffer[TD_CLI_OUTPUT_BUFFER];
} td_cli_output;

// A path that names a device or a pipe is written directly. False: the error was told. Opening before the
// work is done tells at once that a file cannot be written.
bool td_cli_output_open(td_cli_output *output, const char *path);

// Writes what is left and puts the file in its place. False: the error was told, no file is left behind.
bool td_cli_output_commit(td_cli_output *output);

// Removes what was written to a file.
void td_cli_output_discard(td_cli_output *output);

// For long loops: nothing that follows would be written.
static inline bool td_cli_output_failed(const td_cli_output *output) {
    return output->error != 0;
}

void td_cli_write(td_cli_output *output, const void *bytes, size_t size);
void td_cli_put(td_cli_output *output, const char *text);
void td_cli_put_u64(td_cli_output *output, uint64_t number); // fast: for lists of millions
__attribute__((format(printf, 2, 3))) void td_cli_print(td_cli_output *output, const char *format, ...);

// A stream whose bytes come to the output, for writers that want one; to be closed before the output is. Null
// if out of memory.
FILE *td_cli_output_stream(td_cli_output *output);

// In front of the sentence about a file that could not be written.
extern const char td_cli_output_expected[];

// One field of a CSV row: quoted if it holds a comma, a quote or a line break.
void td_cli_put_csv(td_cli_output *output, const char *text);

#endif
