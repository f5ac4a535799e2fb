#include "view_request.h"

#include <string.h>
#include <strings.h>

// A piece of the input; it does not end with a zero.
typedef struct td_span {
    const char *at;
    size_t size;
} td_span;

static bool td_span_is(td_span span, const char *text) {
    return span.size == strlen(text) && memcmp(span.at, text, span.size) == 0;
}

static bool td_span_is_caseless(td_span span, const char *text) {
    return span.size == strlen(text) && strncasecmp(span.at, text, span.size) == 0;
}

static bool td_span_begins(td_span span, const char *text) {
    return span.size >= strlen(text) && memcmp(span.at, text, strlen(text)) == 0;
}

// What is in front of `separator`, which *rest moves behind; all of it, if there is none.
static td_span td_split(td_span *rest, char separator) {
    const char *found = rest->size > 0 ? memchr(rest->at, separator, rest->size) : NULL;
    const td_span first = {rest->at, found ? (size_t)(found - rest->at) : rest->size};
    const size_t used = found ? first.size + 1 : first.size;
    *rest = (td_span){rest->at + used, rest->size - used};
    return first;
}

static td_span td_trim(td_span span) {
    while (span.size > 0 && (span.at[0] == ' ' || span.at[0] == '\t')) {
        ++span.at;
        --span.size;
    }
    while (span.size > 0 && (span.at[span.size - 1] == ' ' || span.at[span.size - 1] == '\t')) {
        --span.size;
    }
    return span;
}

static bool td_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool td_span_number(uint64_t *out, td_span span) {
    enum { TD_DIGITS_MOST = 18 }; // below 2^63, so that it can be an offset in a file
    *out = 0;
    for (size_t i = 0; i < span.size && i < TD_DIGITS_MOST && td_is_digit(span.at[i]); ++i) {
        *out = 10 * *out + (uint64_t)(span.at[i] - '0');
        if (i + 1 == span.size) {
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------------
// The first line. Each part returns a status: 0, or that of a refusal.

static int td_parse_method(td_request *out, td_span method) {
    out->head_only = td_span_is(method, "HEAD");
    if (out->head_only || td_span_is(method, "GET")) {
        return 0;
    }
    for (size_t i = 0; i < method.size; ++i) {
        if (method.at[i] < 'A' || method.at[i] > 'Z') {
            return 400;
        }
    }
    return method.size > 0 ? 405 : 400;
}

static int td_parse_target(td_request *out, td_span target) {
    static const char prefix[] = "/recording/";
    td_span query = target;
    td_span path = td_split(&query, '?');
    if (path.size == 0 || path.at[0] != '/') {
        return 400;
    }
    if (td_span_is(path, "/")) {
        out->target = TD_TARGET_PAGE; // whatever is asked: the page's own script may look at it
        return 0;
    }
    out->target = TD_TARGET_RECORDING;
    if (td_span_begins(path, prefix)) {
        const size_t start = sizeof prefix - 1;
        out->has_generation = td_span_number(&out->generation, (td_span){path.at + start, path.size - start});
    }
    if (!out->has_generation && !td_span_is(path, "/recording")) {
        return 404;
    }
    if (query.size == 0) {
        return 0;
    }
    const td_span key = td_split(&query, '=');
    return td_span_is(key, "from") && td_span_number(&out->from, query) ? 0 : 400;
}

static int td_parse_version(td_request *out, td_span version) {
    out->keep_open = td_span_is(version, "HTTP/1.1");
    if (out->keep_open || td_span_is(version, "HTTP/1.0")) {
        return 0;
    }
    return td_span_begins(version, "HTTP/") ? 505 : 400;
}

static int td_parse_first_line(td_request *out, td_span line) {
    const td_span method = td_split(&line, ' ');
    const td_span target = td_split(&line, ' ');
    const int version = td_parse_version(out, line);
    const int known = td_parse_method(out, method);
    const int found = td_parse_target(out, target);
    // What is no request at all goes first, then what it wants.
    if (version == 400 || known == 400 || found == 400) {
        return 400;
    }
    return version ? version : known ? known : found;
}

// ---------------------------------------------------------------------------------------------------------
// The header fields

typedef struct td_fields {
    int hosts;
    bool foreign;  // a host that is not this machine
    bool body;     // the request has one
    bool encoding; // in a form that its length cannot be told from
} td_fields;

// "localhost", "127.0.0.1" or "[::1]", with or without a port.
static bool td_is_loopback(td_span host) {
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const size_t length = strlen(names[i]);
        if (host.size < length || !td_span_is_caseless((td_span){host.at, length}, names[i])) {
            continue;
        }
        uint64_t port;
        const td_span rest = {host.at + length, host.size - length};
        if (rest.size == 0 ||
            (rest.at[0] == ':' && td_span_number(&port, (td_span){rest.at + 1, rest.size - 1}))) {
            return true;
        }
    }
    return false;
}

static bool td_is_token(td_span span) {
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < span.size; ++i) {
        const char c = span.at[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !td_is_digit(c) && (c == 0 || !strchr(others, c))) {
            return false;
        }
    }
    return span.size > 0;
}

static void td_take_connection(td_request *out, td_span value) {
    while (value.size > 0) {
        const td_span option = td_trim(td_split(&value, ','));
        if (td_span_is_caseless(option, "close")) {
            out->keep_open = false;
        }
    }
}

static int td_parse_field(td_request *out, td_fields *fields, td_span line) {
    const bool ends = memchr(line.at, ':', line.size) != NULL;
    td_span value = line;
    const td_span name = td_split(&value, ':');
    if (!ends || !td_is_token(name)) {
        return 400;
    }
    value = td_trim(value);
    uint64_t length;
    if (td_span_is_caseless(name, "Host")) {
        ++fields->hosts;
        fields->foreign = fields->foreign || !td_is_loopback(value);
    } else if (td_span_is_caseless(name, "Content-Length")) {
        if (!td_span_number(&length, value)) {
            return 400;
        }
        fields->body = fields->body || length > 0;
    } else if (td_span_is_caseless(name, "Transfer-Encoding")) {
        fields->encoding = true;
    } else if (td_span_is_caseless(name, "Connection")) {
        td_take_connection(out, value);
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------------------

// The next line, without its end, which is CR LF or LF. False: none is whole.
static bool td_next_line(td_span *line, td_span *rest) {
    if (rest->size == 0 || !memchr(rest->at, '\n', rest->size)) {
        return false;
    }
    *line = td_split(rest, '\n');
    if (line->size > 0 && line->at[line->size - 1] == '\r') {
        --line->size;
    }
    return true;
}

// Whether the line holds what no line of a head may: control characters.
static bool td_has_controls(td_span line) {
    for (size_t i = 0; i < line.size; ++i) {
        const unsigned char c = (unsigned char)line.at[i];
        if ((c < ' ' && c != '\t') || c == 127) {
            return true;
        }
    }
    return false;
}

// The length of the head, its empty line included; 0 if it is not whole.
static size_t td_head_size(td_span input) {
    td_span rest = input, line;
    while (td_next_line(&line, &rest)) {
        if (line.size == 0) {
            return (size_t)(rest.at - input.at);
        }
    }
    return 0;
}

static int td_parse_head(td_request *out, td_span head) {
    td_span line;
    if (!td_next_line(&line, &head) || td_has_controls(line)) {
        return 400;
    }
    const int wanted = td_parse_first_line(out, line);
    if (wanted == 400) {
        return 400;
    }
    td_fields fields = {0};
    while (td_next_line(&line, &head) && line.size > 0) {
        const int status = td_has_controls(line) ? 400 : td_parse_field(out, &fields, line);
        if (status) {
            return status;
        }
    }
    if (fields.hosts != 1) {
        return 400;
    }
    if (fields.foreign) {
        return 403;
    }
    if (wanted) {
        return wanted;
    }
    return fields.encoding ? 501 : fields.body ? 400 : 0;
}

td_request_state td_parse_request(td_request *out, size_t *size, int *status, const char *bytes,
                                  size_t count) {
    *out = (td_request){0};
    *status = 0;
    *size = td_head_size((td_span){bytes, count < TD_REQUEST_MOST ? count : TD_REQUEST_MOST});
    if (*size == 0) {
        *status = count >= TD_REQUEST_MOST ? 431 : 0;
        return *status ? TD_REQUEST_REFUSED : TD_REQUEST_PART;
    }
    *status = td_parse_head(out, (td_span){bytes, *size});
    return *status ? TD_REQUEST_REFUSED : TD_REQUEST_WHOLE;
}
