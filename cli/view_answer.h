// What the server of `tandem view --serve` answers: the page, pieces of the recording, or a sentence that
// says no.
#ifndef TD_CLI_VIEW_ANSWER_H
#define TD_CLI_VIEW_ANSWER_H

#include "view_live.h"
#include "view_page.h"
#include "view_request.h"

enum { TD_ANSWER_HEAD = 640, TD_ANSWER_PARTS = 4, TD_ANSWER_PIECE = 8 << 20 };

// What there is to be seen.
typedef struct td_view_site {
    td_view_page page;
    const char *name;       // of the recording, for people
    const char *highlights; // an element more for the page; "": none
    td_view_live live;
} td_view_site;

// The bytes of an answer, in the order of the members: the head, texts, a range of a file.
typedef struct td_answer {
    int status;
    bool keep_open; // the connection, when it is sent
    char head[TD_ANSWER_HEAD];
    struct {
        const char *at;
        size_t size;
    } parts[TD_ANSWER_PARTS + 1]; // the head is the first
    int part_count, part;         // how many, and the one that is next to be taken
    char *element;                // of the answer itself, in one of the parts; null: none
    int file;                     // -1: none
    uint64_t offset, left;        // of the file
} td_answer;

// Never fails: what cannot be done is an answer as well. To be released.
td_answer td_answer_request(td_view_site *site, const td_request *request);
td_answer td_answer_refusal(int status, bool head_only);
void td_release_answer(td_answer *answer);

// Takes the next bytes, `room` at most, into `bytes`; 0 at the end. -1: the file has become shorter than
// what was promised.
ssize_t td_take_answer(td_answer *answer, char *bytes, size_t room);

#endif
