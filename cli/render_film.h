// A film: pictures go through a pipe to the program ffmpeg, which writes it.
#ifndef TD_CLI_RENDER_FILM_H
#define TD_CLI_RENDER_FILM_H

#include "output.h"

#include <sys/types.h>

typedef struct td_film {
    pid_t encoder; // 0: none
    int pipe;      // to it; -1: closed
    FILE *words;   // what it says on standard error
} td_film;

typedef struct td_film_format {
    uint32_t width, height; // even
    double rate;            // pictures per second
} td_film_format;

// Starts ffmpeg, which writes into `output`: a file that stays the caller's to commit or to discard, so that
// nothing is left behind whatever happens. False: the error was told, as all that follow.
bool td_film_open(td_film *film, td_cli_output *output, const td_film_format *format);

// A picture of three bytes per pixel.
bool td_film_write(td_film *film, const uint8_t *pixels, size_t size);

// Waits until the film is whole.
bool td_film_close(td_film *film);

// Ends ffmpeg and forgets what it wrote. Fine on a film that is closed, or one with .pipe = -1.
void td_film_abandon(td_film *film);

#endif
