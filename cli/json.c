#include "json.h"

#include "core/utf8.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void td_json_string(td_cli_output *output, const char *text) {
    const char *c = text;
    td_cli_put(output, "\"");
    while (*c) {
        const size_t length = td_utf8_length(c);
        if (length == 0) {
            td_cli_put(output, "\\ufffd");
        } else if (*c == '"' || *c == '\\') {
            td_cli_print(output, "\\%c", *c);
        } else if ((unsigned char)*c < ' ' || *c == 127) {
            td_cli_print(output, "\\u%04x", *c);
        } else {
            td_cli_write(output, c, length);
        }
        c += length ? length : 1;
    }
    td_cli_put(output, "\"");
}

static void td_json_new_line(td_cli_json *json) {
    td_cli_put(json->output, "\n");
    for (int i = 0; i < json->depth; ++i) {
        td_cli_put(json->output, "  ");
    }
}

// The comma, the line break and the key in front of a member.
static void td_json_member(td_cli_json *json, const char *key) {
    if (json->depth > 0) {
        const int top = json->depth - 1;
        assert((json->levels[top].closing == '}') == (key != NULL));
        if (json->levels[top].started) {
            td_cli_put(json->output, json->levels[top].layout == TD_JSON_INLINE ? ", " : ",");
        }
        if (json->levels[top].layout == TD_JSON_LINES) {
            td_json_new_line(json);
        }
        json->levels[top].started = true;
    }
    if (key) {
        td_json_string(json->output, key);
        td_cli_put(json->output, ": ");
    }
}

td_cli_json td_cli_json_begin(td_cli_output *output) {
    return (td_cli_json){.output = output};
}

static void td_json_open(td_cli_json *json, const char *key, td_cli_json_layout layout, char opening,
                         char closing) {
    assert(json->depth < TD_CLI_JSON_DEPTH);
    td_json_member(json, key);
    td_cli_write(json->output, &opening, 1);
    json->levels[json->depth].closing = closing;
    json->levels[json->depth].layout = layout;
    json->levels[json->depth].started = false;
    ++json->depth;
}

void td_cli_json_object(td_cli_json *json, const char *key, td_cli_json_layout layout) {
    td_json_open(json, key, layout, '{', '}');
}

void td_cli_json_array(td_cli_json *json, const char *key, td_cli_json_layout layout) {
    td_json_open(json, key, layout, '[', ']');
}

void td_cli_json_end(td_cli_json *json) {
    assert(json->depth > 0);
    --json->depth;
    if (json->levels[json->depth].started && json->levels[json->depth].layout == TD_JSON_LINES) {
        td_json_new_line(json);
    }
    td_cli_write(json->output, &json->levels[json->depth].closing, 1);
    if (json->depth == 0) {
        td_cli_put(json->output, "\n");
    }
}

void td_cli_json_text(td_cli_json *json, const char *key, const char *text) {
    td_json_member(json, key);
    td_json_string(json->output, text);
}

void td_cli_json_number(td_cli_json *json, const char *key, double number) {
    td_json_member(json, key);
    if (isfinite(number)) {
        td_cli_print(json->output, "%.17g", number);
    } else {
        td_cli_put(json->output, "null");
    }
}

void td_cli_json_count(td_cli_json *json, const char *key, uint64_t count) {
    td_json_member(json, key);
    td_cli_put_u64(json->output, count);
}

void td_cli_json_bool(td_cli_json *json, const char *key, bool value) {
    td_json_member(json, key);
    td_cli_put(json->output, value ? "true" : "false");
}

void td_cli_json_pair(td_cli_json *json, uint32_t a, uint32_t b) {
    td_json_member(json, NULL);
    td_cli_put(json->output, "[");
    td_cli_put_u64(json->output, a);
    td_cli_put(json->output, ", ");
    td_cli_put_u64(json->output, b);
    td_cli_put(json->output, "]");
}
