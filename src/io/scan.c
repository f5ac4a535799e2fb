#include "scan.h"

#include "../core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TD_PLAIN_KINDS                                                                                       \
    [' '] = TD_CHAR_BLANK, ['\t'] = TD_CHAR_BLANK, ['\v'] = TD_CHAR_BLANK, ['\f'] = TD_CHAR_BLANK,           \
    ['\n'] = TD_CHAR_LINE_END, ['\r'] = TD_CHAR_LINE_END

const td_dialect td_dialect_plain = {{TD_PLAIN_KINDS}};
const td_dialect td_dialect_hash = {{TD_PLAIN_KINDS, ['#'] = TD_CHAR_LINE_END}};
const td_dialect td_dialect_obj = {{TD_PLAIN_KINDS, ['#'] = TD_CHAR_LINE_END, ['\\'] = TD_CHAR_CONTINUATION}};
const td_dialect td_dialect_poses = {{TD_PLAIN_KINDS, ['#'] = TD_CHAR_LINE_END, [','] = TD_CHAR_BLANK}};

td_scan td_scan_make(const td_dialect *dialect, const char *bytes, size_t size, const char *name) {
    const bool marked = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    return (td_scan){.dialect = dialect,
                     .begin = bytes,
                     .at = marked ? bytes + 3 : bytes,
                     .end = bytes + size,
                     .name = name};
}

// Behind the LF, CR LF or CR at `at`.
static const char *td_behind_line_end(const char *at, const char *end) {
    return *at == '\r' && end - at > 1 && at[1] == '\n' ? at + 2 : at + 1;
}

static bool td_is_line_end(char c) {
    return c == '\n' || c == '\r';
}

bool td_scan_continue_line(td_scan *scan) {
    if (scan->end - scan->at < 2 || !td_is_line_end(scan->at[1])) {
        return false;
    }
    scan->at = td_behind_line_end(scan->at + 1, scan->end);
    return true;
}

void td_scan_skip_line(td_scan *scan) {
    const char *at = scan->at;
    // A comment ends with its line; what is no comment may be continued.
    bool continued = scan->dialect->kind['\\'] == TD_CHAR_CONTINUATION;
    for (; at < scan->end; ++at) {
        if (*at == '#') {
            continued = false;
        } else if (td_is_line_end(*at)) {
            const bool more = continued && at > scan->begin && at[-1] == '\\';
            at = td_behind_line_end(at, scan->end);
            if (!more) {
                break;
            }
            --at;
        }
    }
    scan->at = at;
}

bool td_scan_next_line(td_scan *scan) {
    while (td_scan_line_done(scan)) {
        if (scan->at == scan->end) {
            return false;
        }
        td_scan_skip_line(scan);
    }
    return true;
}

td_word td_scan_word(td_scan *scan) {
    const char *start = scan->at;
    // A '\\' that continues no line is part of the word it stands in.
    for (int kind = td_scan_kind(scan); kind == TD_CHAR_WORD || kind == TD_CHAR_CONTINUATION;
         kind = td_scan_kind(scan)) {
        const bool line_end_follows = scan->end - scan->at > 1 && td_is_line_end(scan->at[1]);
        if (kind == TD_CHAR_CONTINUATION && line_end_follows) {
            break;
        }
        ++scan->at;
    }
    return (td_word){start, (size_t)(scan->at - start)};
}

bool td_word_is(td_word word, const char *text) {
    return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

bool td_word_is_any_case(td_word word, const char *lower) {
    return word.length == strlen(lower) && strncasecmp(word.at, lower, word.length) == 0;
}

td_decimal_status td_scan_number(double *out, td_scan *scan) {
    td_scan_skip_blanks(scan);
    const char *start = scan->at;
    const td_decimal_status status = td_decimal_parse(out, &scan->at, scan->end);
    if (td_scan_kind(scan) == TD_CHAR_WORD) {
        scan->at = start;
        return TD_DECIMAL_MALFORMED;
    }
    if (status != TD_DECIMAL_OK) {
        scan->at = start;
    }
    return status;
}

td_decimal_status td_scan_unsigned(uint64_t *out, td_scan *scan) {
    td_scan_skip_blanks(scan);
    const char *start = scan->at;
    uint64_t value = 0;
    bool beyond = false;
    for (; scan->at < scan->end && (unsigned char)(*scan->at - '0') < 10; ++scan->at) {
        const uint64_t digit = (uint64_t)(*scan->at - '0');
        beyond |= value > (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    const bool whole = scan->at > start && td_scan_kind(scan) != TD_CHAR_WORD;
    if (!whole || beyond) {
        scan->at = start;
        return whole ? TD_DECIMAL_NOT_FINITE : TD_DECIMAL_MALFORMED;
    }
    *out = value;
    return TD_DECIMAL_OK;
}

uint64_t td_scan_line(const td_scan *scan, const char *at) {
    uint64_t line = 1;
    const char *p = scan->begin;
    while (p < at) {
        if (td_is_line_end(*p)) {
            ++line;
            p = td_behind_line_end(p, scan->end);
        } else {
            ++p;
        }
    }
    return line;
}

td_result td_scan_fail(const td_scan *scan, const char *at, const char *format, ...) {
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return td_fail(TD_ERROR_FORMAT, "%s:%llu: %s", scan->name, (unsigned long long)td_scan_line(scan, at),
                   sentence);
}

// The word at the cursor for a message: cut at 40 bytes, what cannot be printed as '?'.
static void td_quote_word(char out[64], const td_scan *scan) {
    td_scan copy = *scan;
    const td_word word = td_scan_word(&copy);
    if (word.length == 0) {
        snprintf(out, 64, "%s", scan->at == scan->end ? "the end of the file" : "the end of the line");
        return;
    }
    const size_t most = 40;
    const size_t length = word.length < most ? word.length : most;
    char text[41];
    for (size_t i = 0; i < length; ++i) {
        text[i] = word.at[i] >= ' ' && word.at[i] <= '~' ? word.at[i] : '?';
    }
    text[length] = '\0';
    snprintf(out, 64, "'%s'%s", text, word.length > most ? "..." : "");
}

td_result td_scan_expected(const td_scan *scan, const char *format, ...) {
    char sentence[512], found[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    td_quote_word(found, scan);
    return td_scan_fail(scan, scan->at, "expected %s, found %s", sentence, found);
}

td_result td_scan_point(double out[3], td_scan *scan, const char *kind, uint64_t index) {
    for (int k = 0; k < 3; ++k) {
        const td_decimal_status status = td_scan_number(&out[k], scan);
        if (status == TD_DECIMAL_NOT_FINITE) {
            return td_scan_expected(scan, "a finite number for %c of %s %llu", "xyz"[k], kind,
                                    (unsigned long long)index);
        }
        if (status == TD_DECIMAL_MALFORMED) {
            return td_scan_expected(scan, "a number for %c of %s %llu", "xyz"[k], kind,
                                    (unsigned long long)index);
        }
    }
    return TD_OK;
}
