#include "nearest.h"

#include <stddef.h>
#include <string.h>

enum { TD_WORD_LIMIT = 32 }; // no name of the program is longer; longer words are near to none

static unsigned td_least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

// Edits (insert, delete, replace, swap of neighbours) from one word to the other: the "optimal string
// alignment" distance, three rows at a time.
static unsigned td_edit_distance(const char *from, const char *to) {
    const size_t n = strlen(from), m = strlen(to);
    if (n > TD_WORD_LIMIT || m > TD_WORD_LIMIT) {
        return TD_WORD_LIMIT;
    }
    unsigned rows[3][TD_WORD_LIMIT + 1];
    for (size_t i = 0; i <= n; ++i) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *higher = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; ++j) {
            if (i == 0) {
                row[j] = (unsigned)j;
                continue;
            }
            row[j] = above[j - 1] + (from[i - 1] != to[j - 1]);
            row[j] = td_least(row[j], td_least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
                row[j] = td_least(row[j], higher[j - 2] + 1);
            }
        }
    }
    return rows[n % 3][m];
}

td_nearest td_nearest_to(const char *wanted) {
    return (td_nearest){.wanted = wanted};
}

void td_nearest_offer(td_nearest *nearest, const char *candidate) {
    const unsigned distance = td_edit_distance(nearest->wanted, candidate);
    const unsigned limit = (unsigned)strlen(candidate) / 2; // more edits than that is another word
    if (distance <= limit && (!nearest->best || distance < nearest->distance)) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}
