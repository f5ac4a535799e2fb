#include "view_server.h"

#include "core/clock.h"
#include "interrupt.h"
#include "message.h"
#include "view_connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TD_CONNECTIONS = 32, TD_BACKLOG = 64 };

// After the system had no room for a connection: before it is asked again.
static const double td_pause_ms = 500;

// ---------------------------------------------------------------------------------------------------------
// Opening

// The signals that end the program, but for those that whoever started it wants to be ignored: being held,
// they would come nevertheless.
static int td_open_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(&set, numbers[i]);
        }
    }
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static bool td_listen(td_view_server *server, uint16_t port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int yes = 1; // a port that a server had a moment ago may be taken again
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->listener < 0 ||
        setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(server->listener, (const struct sockaddr *)&address, size) != 0 ||
        listen(server->listener, TD_BACKLOG) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &size) != 0) {
        return false;
    }
    server->port = ntohs(address.sin_port);
    return true;
}

bool td_open_server(td_view_server *out, uint16_t port) {
    *out = (td_view_server){.listener = -1, .signals = -1};
    td_cli_hold_signals();
    out->signals = td_open_signals();
    if (out->signals >= 0 && td_listen(out, port)) {
        return true;
    }
    const int reason = errno;
    td_close_server(out);
    if (port) {
        td_cli_error("--port %u: cannot be listened on: %s; expected a free port, or none for any", port,
                     strerror(reason));
    } else {
        td_cli_error("--serve: cannot listen on 127.0.0.1: %s", strerror(reason));
    }
    return false;
}

void td_close_server(td_view_server *server) {
    if (server->listener >= 0) {
        close(server->listener);
    }
    if (server->signals >= 0) {
        close(server->signals);
    }
    *server = (td_view_server){.listener = -1, .signals = -1};
    td_cli_release_signals();
}

// ---------------------------------------------------------------------------------------------------------
// Serving

typedef struct td_serving {
    td_view_server *server;
    td_view_site *site;
    td_connection *connections[TD_CONNECTIONS];
    int count;
    double accept_from; // of td_clock_ms: new connections are not taken before
} td_serving;

static void td_drop(td_serving *serving, int index) {
    td_close_connection(serving->connections[index]);
    serving->connections[index] = serving->connections[--serving->count];
}

// Where there is no room, that of the connection which has been idle for the longest time. False: none is.
static bool td_make_room(td_serving *serving) {
    if (serving->count < TD_CONNECTIONS) {
        return true;
    }
    int oldest = -1;
    for (int i = 0; i < serving->count; ++i) {
        if (td_connection_is_idle(serving->connections[i]) &&
            (oldest < 0 || serving->connections[i]->deadline < serving->connections[oldest]->deadline)) {
            oldest = i;
        }
    }
    if (oldest >= 0) {
        td_drop(serving, oldest);
    }
    return oldest >= 0;
}

static void td_accept(td_serving *serving) {
    const int socket = accept4(serving->server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
        const bool passing = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
        serving->accept_from = passing ? 0 : td_clock_ms() + td_pause_ms;
        return;
    }
    td_connection *connection = td_make_room(serving) ? td_open_connection(socket) : NULL;
    if (connection) {
        serving->connections[serving->count++] = connection;
    } else {
        close(socket);
    }
}

// Whether the next connection can be taken; else it waits.
static bool td_may_accept(const td_serving *serving, double now) {
    bool room = serving->count < TD_CONNECTIONS;
    for (int i = 0; i < serving->count && !room; ++i) {
        room = td_connection_is_idle(serving->connections[i]);
    }
    return room && now >= serving->accept_from;
}

static int td_milliseconds_until(double moment, double now) {
    return moment <= now ? 0 : moment - now > 1e6 ? 1000000 : (int)ceil(moment - now);
}

// The files to wait for: signals, the listener, the connections in their order. Returns for how long.
static int td_prepare_wait(const td_serving *serving, struct pollfd files[TD_CONNECTIONS + 2]) {
    const double now = td_clock_ms();
    const bool accepts = td_may_accept(serving, now);
    double until = serving->accept_from > now ? serving->accept_from : INFINITY;
    files[0] = (struct pollfd){.fd = serving->server->signals, .events = POLLIN};
    files[1] = (struct pollfd){.fd = accepts ? serving->server->listener : -1, .events = POLLIN};
    for (int i = 0; i < serving->count; ++i) {
        const td_connection *connection = serving->connections[i];
        files[i + 2] = (struct pollfd){.fd = connection->socket, .events = td_connection_events(connection)};
        until = fmin(until, connection->ready ? now : connection->deadline);
    }
    return isinf(until) ? -1 : td_milliseconds_until(until, now);
}

// From the last to the first: a dropped one's place is taken by one that had its turn.
static void td_serve_all(td_serving *serving, const struct pollfd *files) {
    const double now = td_clock_ms();
    for (int i = serving->count - 1; i >= 0; --i) {
        td_connection *connection = serving->connections[i];
        const bool turn = files[i + 2].revents != 0 || connection->ready;
        if (now > connection->deadline || (turn && !td_serve_connection(connection, serving->site))) {
            td_drop(serving, i);
        }
    }
}

bool td_run_server(td_view_server *server, td_view_site *site) {
    td_serving serving = {.server = server, .site = site};
    struct pollfd files[TD_CONNECTIONS + 2];
    bool success = true;
    for (;;) {
        const int timeout = td_prepare_wait(&serving, files);
        const int ready = poll(files, (nfds_t)serving.count + 2, timeout);
        if (ready < 0 && errno != EINTR) {
            td_cli_error("--serve: cannot wait for connections: %s", strerror(errno));
            success = false;
            break;
        }
        if (ready < 0) {
            continue;
        }
        if (files[0].revents) {
            break;
        }
        td_serve_all(&serving, files);
        if (files[1].revents) {
            td_accept(&serving);
        }
    }
    while (serving.count > 0) {
        td_drop(&serving, serving.count - 1);
    }
    struct signalfd_siginfo taken;
    while (read(server->signals, &taken, sizeof taken) > 0) {
    }
    return success;
}
