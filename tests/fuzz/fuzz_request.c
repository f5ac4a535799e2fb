// Requests of HTTP from bytes. What is taken for a request ends where its head ends, does not depend on what
// follows it, and needs all of its bytes.
#include "view_request.h"

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool fuzz_is_refusal(int status) {
    static const int known[] = {400, 403, 404, 405, 431, 501, 505};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (status == known[i]) {
            return true;
        }
    }
    return false;
}

// In a block of exactly this size, so that a read past its end is seen by a sanitizer.
static td_request_state fuzz_parse(td_request *request, size_t *head, int *status, const uint8_t *data,
                                   size_t size) {
    char *copy = calloc(size > 0 ? size : 1, 1);
    fuzz_require(copy != NULL, "out of memory");
    if (size > 0) {
        memcpy(copy, data, size);
    }
    const td_request_state state = td_parse_request(request, head, status, copy, size);
    free(copy);
    return state;
}

static void fuzz_check_whole(const td_request *request, size_t head, const uint8_t *data, size_t size) {
    fuzz_require(head > 0 && head <= size && head <= TD_REQUEST_MOST, "a head of no such size");
    fuzz_require(data[head - 1] == '\n', "a head that does not end with a line");
    fuzz_require(request->from < UINT64_C(1) << 63, "an offset that no file has");
    fuzz_require(memcmp(data, request->head_only ? "HEAD " : "GET ", request->head_only ? 5 : 4) == 0,
                 "another method");
    td_request same;
    size_t same_head = 0;
    int status = 0;
    fuzz_require(fuzz_parse(&same, &same_head, &status, data, head) == TD_REQUEST_WHOLE && same_head == head,
                 "what follows matters");
    fuzz_require(same.from == request->from && same.target == request->target &&
                     same.keep_open == request->keep_open && same.generation == request->generation,
                 "another request");
    fuzz_require(fuzz_parse(&same, &same_head, &status, data, head - 1) == TD_REQUEST_PART,
                 "its last byte does not matter");
    fuzz_require(fuzz_parse(&same, &same_head, &status, data, head / 2) == TD_REQUEST_PART,
                 "half of it is enough");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    td_request request;
    size_t head = 0;
    int status = 0;
    switch (fuzz_parse(&request, &head, &status, data, size)) {
    case TD_REQUEST_PART:
        fuzz_require(size < TD_REQUEST_MOST && head == 0 && status == 0, "a part that is too large");
        break;
    case TD_REQUEST_WHOLE:
        fuzz_require(status == 0, "a request with a refusal");
        fuzz_check_whole(&request, head, data, size);
        break;
    case TD_REQUEST_REFUSED:
        fuzz_require(fuzz_is_refusal(status), "an odd status");
        break;
    }
    return 0;
}
