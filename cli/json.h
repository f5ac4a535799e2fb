// A streaming JSON writer: what is written goes straight to the output, nothing is kept but the nesting.
#ifndef TD_CLI_JSON_H
#define TD_CLI_JSON_H

#include "output.h"

enum { TD_CLI_JSON_DEPTH = 8 };

typedef enum td_cli_json_layout {
    TD_JSON_LINES,
    TD_JSON_INLINE
} td_cli_json_layout; // a member per line, or not

typedef struct td_cli_json {
    td_cli_output *output;
    int depth;
    struct {
        char closing; // ']' or '}'
        td_cli_json_layout layout;
        bool started; // has a member already
    } levels[TD_CLI_JSON_DEPTH];
} td_cli_json;

td_cli_json td_cli_json_begin(td_cli_output *output);

// `key` is null for the document itself and inside arrays.
void td_cli_json_object(td_cli_json *json, const char *key, td_cli_json_layout layout);
void td_cli_json_array(td_cli_json *json, const char *key, td_cli_json_layout layout);
void td_cli_json_end(td_cli_json *json); // closes what was opened last; the document's end ends the line

// Bytes that are not UTF-8 become U+FFFD.
void td_cli_json_text(td_cli_json *json, const char *key, const char *text);

// 17 significant digits, so that reading gives the same float64; null if not finite, which JSON cannot say.
void td_cli_json_number(td_cli_json *json, const char *key, double number);
void td_cli_json_count(td_cli_json *json, const char *key, uint64_t count);
void td_cli_json_bool(td_cli_json *json, const char *key, bool value);
void td_cli_json_pair(td_cli_json *json, uint32_t a, uint32_t b); // [a, b]

#endif
