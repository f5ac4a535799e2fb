// The requests that the server of `tandem view --serve` understands: HTTP/1.1 (RFC 9112), as far as a page
// that asks for its recording needs it. A pure function from bytes to a request, so that it can be tested
// with any bytes.
#ifndef TD_CLI_VIEW_REQUEST_H
#define TD_CLI_VIEW_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TD_REQUEST_MOST = 8192 }; // bytes of a request's head

typedef enum td_request_target {
    TD_TARGET_PAGE,     // GET /
    TD_TARGET_RECORDING // GET /recording?from=OFFSET, GET /recording/GENERATION?from=OFFSET
} td_request_target;

typedef struct td_request {
    bool head_only; // HEAD
    bool keep_open; // more requests may follow
    td_request_target target;
    bool has_generation;
    uint64_t generation, from;
} td_request;

typedef enum td_request_state {
    TD_REQUEST_PART,   // more bytes are needed
    TD_REQUEST_WHOLE,  // *size bytes of the input are its head
    TD_REQUEST_REFUSED // to be answered with *status; what follows cannot be trusted
} td_request_state;

// `size` gets the length of the head, `status` an HTTP status from 400 on: 400 for what is no request, 403
// for a Host that is not this machine's loopback (or another site could reach the server by having its name
// point here), 404, 405, 431 for a head larger than TD_REQUEST_MOST, 501, 505.
td_request_state td_parse_request(td_request *out, size_t *size, int *status, const char *bytes,
                                  size_t count);

#endif
