// A cursor over text that need not end in a zero byte: blanks, words, numbers, lines. Line numbers are
// counted only when a message needs one.
#ifndef TD_IO_SCAN_H
#define TD_IO_SCAN_H

#include "decimal.h"

#include <tandem/base.h>

// What a byte means between words. Any other byte is part of a word.
enum { TD_CHAR_WORD, TD_CHAR_BLANK, TD_CHAR_LINE_END, TD_CHAR_CONTINUATION };

// The bytes of one format: '\n' and '\r' always end a line; a comment sign ends it, too.
typedef struct td_dialect {
    unsigned char kind[256];
} td_dialect;

extern const td_dialect td_dialect_plain; // blanks are space, tab, vertical tab, form feed
extern const td_dialect td_dialect_hash;  // and '#' starts a comment
extern const td_dialect td_dialect_obj;   // and '\' before a line end continues the line
extern const td_dialect td_dialect_poses; // '#' starts a comment, ',' is blank

typedef struct td_scan {
    const td_dialect *dialect;
    const char *begin;
    const char *at;
    const char *end;
    const char *name; // of the file, for messages
} td_scan;

// Skips a byte order mark of UTF-8.
td_scan td_scan_make(const td_dialect *dialect, const char *bytes, size_t size, const char *name);

// The kind of the byte at the cursor; the end of the text ends a line.
static inline int td_scan_kind(const td_scan *scan) {
    return scan->at < scan->end ? scan->dialect->kind[(unsigned char)*scan->at] : TD_CHAR_LINE_END;
}

// Steps over a '\' and the line end behind it; false, and no step, if there is none behind it.
bool td_scan_continue_line(td_scan *scan);

static inline void td_scan_skip_blanks(td_scan *scan) {
    for (;;) {
        const int kind = td_scan_kind(scan);
        if (kind == TD_CHAR_BLANK) {
            ++scan->at;
        } else if (kind != TD_CHAR_CONTINUATION || !td_scan_continue_line(scan)) {
            return;
        }
    }
}

// Skips blanks; true if nothing but a comment is left of the line.
static inline bool td_scan_line_done(td_scan *scan) {
    td_scan_skip_blanks(scan);
    return td_scan_kind(scan) == TD_CHAR_LINE_END;
}

// To the start of the next line, or the end of the text.
void td_scan_skip_line(td_scan *scan);

// Skips blanks, line ends and comments up to the next word; false if the text ends.
bool td_scan_next_line(td_scan *scan);

// The bytes from the cursor to the next blank or line end; moves behind them.
typedef struct td_word {
    const char *at;
    size_t length;
} td_word;

td_word td_scan_word(td_scan *scan);
bool td_word_is(td_word word, const char *text);           // letter for letter
bool td_word_is_any_case(td_word word, const char *lower); // `lower` in lower case

// Skips blanks and reads a number that ends where its word ends. The cursor stays in front of the word unless
// the number is fine.
td_decimal_status td_scan_number(double *out, td_scan *scan);

// As td_scan_number, for a count or an index without sign. TD_DECIMAL_NOT_FINITE if it exceeds 2^64 - 1.
td_decimal_status td_scan_unsigned(uint64_t *out, td_scan *scan);

// 1 for the first line. Line ends are LF, CR LF and CR.
uint64_t td_scan_line(const td_scan *scan, const char *at);

// TD_ERROR_FORMAT with "NAME:LINE: SENTENCE", the line being that of `at`.
__attribute__((format(printf, 3, 4))) td_result td_scan_fail(const td_scan *scan, const char *at,
                                                             const char *format, ...);

// TD_ERROR_FORMAT for the word at the cursor: "NAME:LINE: expected WHAT, found 'WORD'".
__attribute__((format(printf, 2, 3))) td_result td_scan_expected(const td_scan *scan, const char *format,
                                                                 ...);

// Reads the three coordinates of a vertex from this line. Errors name it as `kind` `index` (from 1).
td_result td_scan_point(double out[3], td_scan *scan, const char *kind, uint64_t index);

#endif
