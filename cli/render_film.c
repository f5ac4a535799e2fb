#include "render_film.h"

#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Where ffmpeg finds the file. It is opened through this name, so ffmpeg never makes a name of its own in the
// folder: when this program is killed and removes its unfinished file, that is all there is.
enum { TD_FILM_FILE = 3 };
static const char td_film_name[] = "/dev/fd/3";

// The last line of what ffmpeg said; "" if it was silent.
static void td_last_words(char *out, size_t size, FILE *words) {
    char line[512];
    out[0] = 0;
    rewind(words);
    while (fgets(line, sizeof line, words)) {
        line[strcspn(line, "\r\n")] = 0;
        if (line[0]) {
            snprintf(out, size, "%s", line);
        }
    }
}

static void td_tell_missing(int reason) {
    td_cli_error("films are made by the program ffmpeg, which cannot be started: %s; expected it in PATH "
                 "(Debian: apt-get install ffmpeg), or pictures: -o frame-%%04d.png",
                 strerror(reason));
}

// Waits for ffmpeg; false if it failed, which is told.
static bool td_wait_for_encoder(td_film *film) {
    int status = 0;
    pid_t ended;
    do {
        ended = waitpid(film->encoder, &status, 0);
    } while (ended < 0 && errno == EINTR);
    film->encoder = 0;
    char words[512];
    td_last_words(words, sizeof words, film->words);
    fclose(film->words);
    film->words = NULL;
    if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        td_tell_missing(ENOENT);
        return false;
    }
    if (ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        td_cli_error("ffmpeg could not make the film: %s; expected one with the encoder libx264",
                     words[0] ? words : "it ended without a word");
        return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------

// What ffmpeg gets: its input, its words and the file; nothing else that this program has open.
static bool td_set_files(posix_spawn_file_actions_t *actions, int input, int words, int file) {
    return posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO) == 0 &&
           posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
           posix_spawn_file_actions_adddup2(actions, words, STDERR_FILENO) == 0 &&
           posix_spawn_file_actions_adddup2(actions, file, TD_FILM_FILE) == 0;
}

// A pipe that closes ends it as it ends others; signals of the terminal reach it as they reach this program.
static bool td_set_signals(posix_spawnattr_t *attributes) {
    sigset_t all, none;
    sigemptyset(&none);
    sigemptyset(&all);
    sigaddset(&all, SIGPIPE);
    return posix_spawnattr_setsigdefault(attributes, &all) == 0 &&
           posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) == 0;
}

// Returns 0, or why it could not be started.
static int td_spawn(td_film *film, int input, int file, const td_film_format *format) {
    char size[32], rate[32];
    snprintf(size, sizeof size, "%ux%u", format->width, format->height);
    snprintf(rate, sizeof rate, "%.9g", format->rate);
    // Colours are told as what they are, so that players do not guess.
    const char *const words[] = {"ffmpeg",
                                 "-hide_banner",
                                 "-loglevel",
                                 "error",
                                 "-nostdin",
                                 "-y",
                                 "-f",
                                 "rawvideo",
                                 "-pix_fmt",
                                 "rgb24",
                                 "-video_size",
                                 size,
                                 "-framerate",
                                 rate,
                                 "-i",
                                 "pipe:0",
                                 "-an",
                                 "-vf",
                                 "scale=out_color_matrix=bt709:out_range=tv",
                                 "-c:v",
                                 "libx264",
                                 "-preset",
                                 "medium",
                                 "-crf",
                                 "16",
                                 "-pix_fmt",
                                 "yuv420p",
                                 "-colorspace",
                                 "bt709",
                                 "-color_primaries",
                                 "bt709",
                                 "-color_trc",
                                 "iec61966-2-1",
                                 "-color_range",
                                 "tv",
                                 "-movflags",
                                 "+faststart",
                                 "-f",
                                 "mp4",
                                 td_film_name,
                                 NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attributes) != 0) {
        return ENOMEM;
    }
    int reason = ENOMEM;
    if (td_set_files(&actions, input, fileno(film->words), file) && td_set_signals(&attributes)) {
        reason = posix_spawnp(&film->encoder, "ffmpeg", &actions, &attributes, (char *const *)words, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return reason;
}

bool td_film_open(td_film *film, td_cli_output *output, const td_film_format *format) {
    *film = (td_film){.pipe = -1, .words = tmpfile()};
    int ends[2];
    if (!film->words || pipe2(ends, O_CLOEXEC) != 0) {
        td_cli_error("ffmpeg cannot be started: %s", strerror(errno));
        td_film_abandon(film);
        return false;
    }
    fcntl(fileno(film->words), F_SETFD, FD_CLOEXEC);
    film->pipe = ends[1];
    const int reason = td_spawn(film, ends[0], output->fd, format);
    close(ends[0]);
    if (reason != 0) {
        film->encoder = 0;
        td_tell_missing(reason);
        td_film_abandon(film);
    }
    return reason == 0;
}

bool td_film_write(td_film *film, const uint8_t *pixels, size_t size) {
    size_t done = 0;
    while (done < size) {
        const ssize_t written = write(film->pipe, pixels + done, size - done);
        if (written >= 0) {
            done += (size_t)written;
        } else if (errno != EINTR) {
            const int reason = errno;
            close(film->pipe);
            film->pipe = -1;
            if (td_wait_for_encoder(film)) { // it says nothing is wrong, and yet reads no more
                td_cli_error("ffmpeg takes no more pictures: %s", strerror(reason));
            }
            return false;
        }
    }
    return true;
}

bool td_film_close(td_film *film) {
    close(film->pipe);
    film->pipe = -1;
    return td_wait_for_encoder(film);
}

void td_film_abandon(td_film *film) {
    if (film->encoder > 0) {
        kill(film->encoder, SIGKILL);
        waitpid(film->encoder, NULL, 0);
    }
    if (film->pipe >= 0) {
        close(film->pipe);
    }
    if (film->words) {
        fclose(film->words);
    }
    *film = (td_film){.pipe = -1};
}
