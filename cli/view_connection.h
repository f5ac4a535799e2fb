// One connection of the server of `tandem view --serve`: reads requests and writes answers as far as the
// socket goes without waiting, so that a slow client holds up nobody but itself.
#ifndef TD_CLI_VIEW_CONNECTION_H
#define TD_CLI_VIEW_CONNECTION_H

#include "view_answer.h"

enum { TD_CONNECTION_BUFFER = 1 << 16 };

typedef enum td_connection_state {
    TD_CONNECTION_READS,  // waits for a request
    TD_CONNECTION_WRITES, // is being answered
    TD_CONNECTION_ENDS    // has its last answer: what it still sends is passed over, until it closes
} td_connection_state;

typedef struct td_connection {
    int socket;
    td_connection_state state;
    bool ready;      // could go on without waiting for the socket
    double deadline; // of td_clock_ms: whoever takes longer is closed
    size_t input_size;
    char input[TD_REQUEST_MOST];
    td_answer answer;
    size_t out_at, out_size; // of the buffer: still to be sent
    char out[TD_CONNECTION_BUFFER];
} td_connection;

// For a socket that does not block, which becomes the connection's own. Null if out of memory.
td_connection *td_open_connection(int socket);
void td_close_connection(td_connection *connection);

// What to wait for: POLLIN or POLLOUT.
short td_connection_events(const td_connection *connection);

// Whether it waits for a request of which nothing has come.
bool td_connection_is_idle(const td_connection *connection);

// Goes on as far as it goes. False: it is over, to be closed.
bool td_serve_connection(td_connection *connection, td_view_site *site);

#endif
