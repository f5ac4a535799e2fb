#include "view_connection.h"

#include "core/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Milliseconds: between requests, for the whole of a request's head, for a whole answer, after the last one.
static const double td_idle_ms = 60e3, td_head_ms = 10e3, td_answer_ms = 120e3, td_end_ms = 2e3;

enum { TD_TURN_BUFFERS = 16 }; // sent in a row before others have their turn

static void td_expect_request(td_connection *connection, double allowed_ms) {
    connection->state = TD_CONNECTION_READS;
    connection->deadline = td_clock_ms() + allowed_ms;
}

td_connection *td_open_connection(int socket) {
    td_connection *connection = malloc(sizeof *connection);
    if (connection) {
        connection->socket = socket;
        connection->input_size = connection->out_at = connection->out_size = 0;
        connection->answer = (td_answer){.file = -1};
        connection->ready = false;
        td_expect_request(connection, td_idle_ms);
    }
    return connection;
}

void td_close_connection(td_connection *connection) {
    td_release_answer(&connection->answer);
    close(connection->socket);
    free(connection);
}

short td_connection_events(const td_connection *connection) {
    return connection->state == TD_CONNECTION_WRITES ? POLLOUT : POLLIN;
}

bool td_connection_is_idle(const td_connection *connection) {
    return connection->state == TD_CONNECTION_READS && connection->input_size == 0;
}

// ---------------------------------------------------------------------------------------------------------
// Each of these goes on as far as it can. What comes of it:

typedef enum td_step {
    TD_STEP_ON,   // something was done, and more may be possible
    TD_STEP_WAIT, // nothing can be done before the socket is ready again
    TD_STEP_OVER  // the connection is to be closed
} td_step;

// What a call on the socket gave.
static td_step td_step_of(ssize_t result) {
    if (result > 0 || (result < 0 && errno == EINTR)) {
        return TD_STEP_ON;
    }
    return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? TD_STEP_WAIT : TD_STEP_OVER;
}

// Answers the request that the input begins with, if it is whole. False: it is not.
static bool td_take_request(td_connection *connection, td_view_site *site) {
    td_request request;
    size_t size = 0;
    int status = 0;
    const td_request_state state =
        td_parse_request(&request, &size, &status, connection->input, connection->input_size);
    if (state == TD_REQUEST_PART) {
        return false;
    }
    if (state == TD_REQUEST_REFUSED) {
        connection->answer = td_answer_refusal(status, request.head_only);
    } else {
        connection->answer = td_answer_request(site, &request);
        connection->input_size -= size;
        memmove(connection->input, connection->input + size, connection->input_size);
    }
    connection->state = TD_CONNECTION_WRITES;
    connection->deadline = td_clock_ms() + td_answer_ms;
    return true;
}

static td_step td_read_request(td_connection *connection, td_view_site *site) {
    if (connection->input_size > 0 && td_take_request(connection, site)) {
        return TD_STEP_ON;
    }
    // There is room: a full input is a request, or refused.
    const ssize_t got = recv(connection->socket, connection->input + connection->input_size,
                             sizeof connection->input - connection->input_size, 0);
    if (got > 0) {
        if (connection->input_size == 0) {
            connection->deadline = td_clock_ms() + td_head_ms;
        }
        connection->input_size += (size_t)got;
    }
    return td_step_of(got);
}

static td_step td_end_answer(td_connection *connection) {
    const bool keep_open = connection->answer.keep_open;
    td_release_answer(&connection->answer);
    if (keep_open) {
        td_expect_request(connection, connection->input_size > 0 ? td_head_ms : td_idle_ms);
        return TD_STEP_ON;
    }
    // Closing with unread input would reset the connection, and the client might lose the answer.
    shutdown(connection->socket, SHUT_WR);
    connection->state = TD_CONNECTION_ENDS;
    connection->deadline = td_clock_ms() + td_end_ms;
    return TD_STEP_ON;
}

static td_step td_write_answer(td_connection *connection) {
    if (connection->out_at == connection->out_size) {
        const ssize_t taken = td_take_answer(&connection->answer, connection->out, sizeof connection->out);
        if (taken <= 0) {
            return taken < 0 ? TD_STEP_OVER : td_end_answer(connection);
        }
        connection->out_at = 0;
        connection->out_size = (size_t)taken;
    }
    const ssize_t sent = send(connection->socket, connection->out + connection->out_at,
                              connection->out_size - connection->out_at, MSG_NOSIGNAL);
    if (sent > 0) {
        connection->out_at += (size_t)sent;
    }
    return td_step_of(sent);
}

static td_step td_pass_over(td_connection *connection) {
    return td_step_of(recv(connection->socket, connection->out, sizeof connection->out, 0));
}

bool td_serve_connection(td_connection *connection, td_view_site *site) {
    td_step step = TD_STEP_ON;
    for (int i = 0; i < TD_TURN_BUFFERS && step == TD_STEP_ON; ++i) {
        switch (connection->state) {
        case TD_CONNECTION_READS:
            step = td_read_request(connection, site);
            break;
        case TD_CONNECTION_WRITES:
            step = td_write_answer(connection);
            break;
        case TD_CONNECTION_ENDS:
            step = td_pass_over(connection);
            break;
        }
    }
    connection->ready = step == TD_STEP_ON;
    return step != TD_STEP_OVER;
}
