// The server of `tandem view --serve`: HTTP/1.1 on the loopback address, for the browsers of this machine.
// One thread; every socket is waited for, none is waited on.
#ifndef TD_CLI_VIEW_SERVER_H
#define TD_CLI_VIEW_SERVER_H

#include "view_answer.h"

typedef struct td_view_server {
    int listener; // -1: none
    int signals;  // readable once a signal asks for the end
    uint16_t port;
} td_view_server;

// Listens on 127.0.0.1; port 0: one that is free. From here on SIGINT, SIGTERM and SIGHUP do not end the
// program, but td_run_server. False: the error was told.
bool td_open_server(td_view_server *out, uint16_t port);

// Serves until a signal asks for the end. False: it cannot go on, which was told.
bool td_run_server(td_view_server *server, td_view_site *site);

// Fine on one that failed to open. Signals end the program again.
void td_close_server(td_view_server *server);

#endif
