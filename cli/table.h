// Aligned columns of text for people. A table is held until it is written: for short ones.
#ifndef TD_CLI_TABLE_H
#define TD_CLI_TABLE_H

#include "output.h"

enum { TD_CLI_TABLE_COLUMNS = 20 };

typedef struct td_cli_table {
    const char *alignment; // per column 'l' or 'r'; its length is the number of columns
    size_t columns;
    char **cells; // row by row
    size_t count, capacity;
    bool failed; // out of memory
} td_cli_table;

td_cli_table td_cli_table_begin(const char *alignment);

// Cells come in reading order.
__attribute__((format(printf, 2, 3))) void td_cli_table_cell(td_cli_table *table, const char *format, ...);

// Writes the rows, each behind `indent` blanks, and releases the table.
void td_cli_table_end(td_cli_table *table, td_cli_output *output, int indent);
void td_cli_table_drop(td_cli_table *table); // releases it unwritten

// Numbers as people read them; each returns `text`.
enum { TD_CLI_NUMBER_SIZE = 32 };
const char *td_cli_grouped(char text[TD_CLI_NUMBER_SIZE], uint64_t number); // 1,234,567
const char *td_cli_bytes(char text[TD_CLI_NUMBER_SIZE], uint64_t bytes);    // 3.4 MiB
const char *td_cli_time(char text[TD_CLI_NUMBER_SIZE], double ms);          // 1.23 ms, 4.56 s, 7890 s

#endif
