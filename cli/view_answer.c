#include "view_answer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct td_status {
    int number;
    const char *name, *sentence;
} td_status;

static const td_status td_statuses[] = {
    {200, "OK", ""},
    {400, "Bad Request", "This is no request that this server understands.\n"},
    {403, "Forbidden", "Expected a request to localhost, 127.0.0.1 or [::1].\n"},
    {404, "Not Found", "There are / and /recording?from=OFFSET only.\n"},
    {405, "Method Not Allowed", "Expected GET or HEAD.\n"},
    {410, "Gone", "The recording was replaced by another one: load the page again.\n"},
    {431, "Request Header Fields Too Large", "Expected a request of at most 8 KiB.\n"},
    {500, "Internal Server Error", "Out of memory.\n"},
    {501, "Not Implemented", "Expected a request without a body.\n"},
    {503, "Service Unavailable", "The recording cannot be read.\n"},
    {505, "HTTP Version Not Supported", "Expected HTTP/1.1.\n"},
};

static const td_status *td_find_status(int number) {
    size_t i = 0;
    while (i + 1 < sizeof td_statuses / sizeof td_statuses[0] && td_statuses[i].number != number) {
        ++i;
    }
    return &td_statuses[i];
}

static void td_add_part(td_answer *answer, const char *text, size_t size) {
    answer->parts[answer->part_count].at = text;
    answer->parts[answer->part_count++].size = size;
}

// Adds the head once the rest is known. A head_only answer has that of the whole one, and no more.
static void td_finish_answer(td_answer *answer, const char *type, const char *fields, bool head_only) {
    uint64_t size = answer->left;
    for (int i = 1; i < answer->part_count; ++i) {
        size += answer->parts[i].size;
    }
    const int length = snprintf(answer->head, sizeof answer->head,
                                "HTTP/1.1 %d %s\r\n"
                                "Content-Type: %s\r\n"
                                "Content-Length: %" PRIu64 "\r\n"
                                "Cache-Control: no-store\r\n"
                                "X-Content-Type-Options: nosniff\r\n"
                                "Cross-Origin-Resource-Policy: same-origin\r\n"
                                "%s%s\r\n",
                                answer->status, td_find_status(answer->status)->name, type, size, fields,
                                answer->keep_open ? "" : "Connection: close\r\n");
    answer->parts[0].size = (size_t)length;
    if (head_only) {
        answer->part_count = 1;
        answer->left = 0;
    }
}

// The head's place is kept. Its address is set when it is taken: answers are passed by value.
static td_answer td_begin_answer(int status, bool keep_open) {
    return (td_answer){.status = status, .keep_open = keep_open, .part_count = 1, .file = -1};
}

static td_answer td_answer_status(int status, bool keep_open, bool head_only) {
    td_answer answer = td_begin_answer(status, keep_open);
    const char *sentence = td_find_status(status)->sentence;
    td_add_part(&answer, sentence, strlen(sentence));
    td_finish_answer(&answer, "text/plain; charset=utf-8", status == 405 ? "Allow: GET, HEAD\r\n" : "",
                     head_only);
    return answer;
}

td_answer td_answer_refusal(int status, bool head_only) {
    return td_answer_status(status, false, head_only);
}

static td_answer td_answer_page(const td_view_site *site, const td_request *request) {
    char live[48];
    snprintf(live, sizeof live, "recording/%" PRIu64, site->live.generation);
    td_answer answer = td_begin_answer(200, request->keep_open);
    answer.element = td_view_live_data(site->name, live);
    if (!answer.element) {
        return td_answer_refusal(500, request->head_only);
    }
    td_add_part(&answer, site->page.head, site->page.head_size);
    td_add_part(&answer, answer.element, strlen(answer.element));
    td_add_part(&answer, site->highlights, strlen(site->highlights));
    td_add_part(&answer, site->page.tail, site->page.tail_size);
    td_finish_answer(&answer, "text/html; charset=utf-8", "", request->head_only);
    return answer;
}

// From the offset on what there is, in pieces. The last one, up to the end mark, says that it is the last.
static td_answer td_answer_piece(const td_view_site *site, const td_request *request, td_live_sight sight) {
    const uint64_t size = site->live.size, from = request->from;
    td_answer answer = td_begin_answer(200, request->keep_open);
    answer.file = sight.file;
    answer.offset = from;
    answer.left = size - from < TD_ANSWER_PIECE ? size - from : TD_ANSWER_PIECE;
    const bool last = sight.complete && from + answer.left == size;
    td_finish_answer(&answer, "application/octet-stream", last ? "X-Tandem-Done: 1\r\n" : "",
                     request->head_only);
    return answer;
}

td_answer td_answer_request(td_view_site *site, const td_request *request) {
    const td_live_sight sight = td_view_look(&site->live);
    td_answer answer;
    if (request->target == TD_TARGET_PAGE) {
        answer = td_answer_page(site, request);
    } else if (sight.file < 0 && sight.reason != ENOENT) {
        answer = td_answer_status(503, request->keep_open, request->head_only);
    } else if ((request->has_generation && request->generation != site->live.generation) ||
               request->from > site->live.size) {
        answer = td_answer_status(410, request->keep_open, request->head_only);
    } else {
        return td_answer_piece(site, request, sight); // which has the file, if there is one
    }
    if (sight.file >= 0) {
        close(sight.file);
    }
    return answer;
}

void td_release_answer(td_answer *answer) {
    if (answer->file >= 0) {
        close(answer->file);
    }
    free(answer->element);
    *answer = (td_answer){.file = -1};
}

// ---------------------------------------------------------------------------------------------------------

static ssize_t td_take_from_file(td_answer *answer, char *bytes, size_t room) {
    const size_t wanted = answer->left < room ? (size_t)answer->left : room;
    ssize_t got;
    do {
        got = pread(answer->file, bytes, wanted, (off_t)answer->offset);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        return -1;
    }
    answer->offset += (uint64_t)got;
    answer->left -= (uint64_t)got;
    return got;
}

ssize_t td_take_answer(td_answer *answer, char *bytes, size_t room) {
    while (answer->part < answer->part_count && answer->parts[answer->part].size == 0) {
        ++answer->part;
    }
    if (answer->part == answer->part_count) {
        return answer->left > 0 ? td_take_from_file(answer, bytes, room) : 0;
    }
    const int part = answer->part;
    if (part == 0 && !answer->parts[0].at) {
        answer->parts[0].at = answer->head;
    }
    const size_t size = answer->parts[part].size < room ? answer->parts[part].size : room;
    memcpy(bytes, answer->parts[part].at, size);
    answer->parts[part].at += size;
    answer->parts[part].size -= size;
    return (ssize_t)size;
}
