#include "table.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

td_cli_table td_cli_table_begin(const char *alignment) {
    assert(strlen(alignment) <= TD_CLI_TABLE_COLUMNS);
    return (td_cli_table){.alignment = alignment, .columns = strlen(alignment)};
}

static bool td_table_reserve(td_cli_table *table) {
    if (table->count < table->capacity) {
        return true;
    }
    const size_t capacity = table->capacity ? 2 * table->capacity : 64;
    char **cells = realloc(table->cells, capacity * sizeof *cells);
    if (!cells) {
        return false;
    }
    table->cells = cells;
    table->capacity = capacity;
    return true;
}

void td_cli_table_cell(td_cli_table *table, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = table->failed || !td_table_reserve(table) ? -1 : vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        table->failed = true;
        return;
    }
    for (char *c = text; *c; ++c) {
        if ((unsigned char)*c < ' ' || *c == 127) {
            *c = '?'; // a file name must not break the table, nor steer the terminal
        }
    }
    table->cells[table->count++] = text;
}

// Characters on the screen, taken as one per UTF-8 sequence.
static int td_text_width(const char *text) {
    int width = 0;
    for (; *text; ++text) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static void td_put_blanks(td_cli_output *output, int count) {
    for (int i = 0; i < count; ++i) {
        td_cli_put(output, " ");
    }
}

static void td_write_row(const td_cli_table *table, td_cli_output *output, char **row, const int *widths) {
    size_t last = table->columns; // blanks at the end of a line are left out
    while (last > 0 && !*row[last - 1]) {
        --last;
    }
    for (size_t i = 0; i < last; ++i) {
        const int blanks = widths[i] - td_text_width(row[i]);
        const bool right = table->alignment[i] == 'r';
        td_put_blanks(output, right ? blanks : 0);
        td_cli_put(output, row[i]);
        td_put_blanks(output, i + 1 < last ? (right ? 2 : blanks + 2) : 0);
    }
    td_cli_put(output, "\n");
}

void td_cli_table_drop(td_cli_table *table) {
    for (size_t i = 0; i < table->count; ++i) {
        free(table->cells[i]);
    }
    free(table->cells);
    *table = (td_cli_table){0};
}

void td_cli_table_end(td_cli_table *table, td_cli_output *output, int indent) {
    int widths[TD_CLI_TABLE_COLUMNS] = {0};
    if (table->failed) {
        output->error = output->error ? output->error : ENOMEM;
    } else {
        assert(table->count % table->columns == 0);
        for (size_t i = 0; i < table->count; ++i) {
            const int width = td_text_width(table->cells[i]);
            int *widest = &widths[i % table->columns];
            *widest = width > *widest ? width : *widest;
        }
        for (size_t i = 0; i < table->count; i += table->columns) {
            td_put_blanks(output, indent);
            td_write_row(table, output, table->cells + i, widths);
        }
    }
    td_cli_table_drop(table);
}

const char *td_cli_grouped(char text[TD_CLI_NUMBER_SIZE], uint64_t number) {
    char plain[24];
    const int length = snprintf(plain, sizeof plain, "%llu", (unsigned long long)number);
    char *to = text;
    for (int i = 0; i < length; ++i) {
        if (i > 0 && (length - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = plain[i];
    }
    *to = 0;
    return text;
}

const char *td_cli_bytes(char text[TD_CLI_NUMBER_SIZE], uint64_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        snprintf(text, TD_CLI_NUMBER_SIZE, "%u bytes", (unsigned)bytes);
        return text;
    }
    double amount = (double)bytes / 1024;
    int unit = 0;
    while (amount >= 1024 && unit < 3) {
        amount /= 1024;
        ++unit;
    }
    snprintf(text, TD_CLI_NUMBER_SIZE, "%.1f %s", amount, units[unit]);
    return text;
}

const char *td_cli_time(char text[TD_CLI_NUMBER_SIZE], double ms) {
    if (ms < 999.5) {
        snprintf(text, TD_CLI_NUMBER_SIZE, "%.3g ms", ms);
    } else if (ms < 999.5e3) {
        snprintf(text, TD_CLI_NUMBER_SIZE, "%.3g s", ms * 1e-3);
    } else {
        snprintf(text, TD_CLI_NUMBER_SIZE, "%.0f s", ms * 1e-3);
    }
    return text;
}
