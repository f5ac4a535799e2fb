#include "render_options.h"

#include "io/decimal.h"
#include "io/path.h"
#include "message.h"
#include "names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double td_degree = 0.017453292519943295;
static const double td_default_rate = 25;
static const double td_most_rate = 60; // of a film of a recording, unless more is asked for

// Numbers between blanks or commas. False: they are not as many, or something else.
static bool td_read_numbers(double *out, int count, const char *text) {
    const char *at = text, *end = text + strlen(text);
    for (int i = 0; i < count; ++i) {
        at += strspn(at, " ,");
        if (td_decimal_parse(&out[i], &at, end) != TD_DECIMAL_OK) {
            return false;
        }
    }
    return at + strspn(at, " ") == end;
}

static bool td_check_point(double out[3], const char *text, const char *option) {
    if (text && !td_read_numbers(out, 3, text)) {
        td_cli_error("%s '%s' is no point: expected three numbers, such as '1 2 3'", option, text);
        return false;
    }
    return true;
}

static bool td_check_camera(td_render_options *options) {
    td_camera *camera = &options->def.camera;
    double degrees = 38; // as in the page
    options->has_eye = options->eye != NULL;
    options->has_look_at = options->look_at != NULL;
    if (!td_check_point(camera->eye, options->eye, "--eye") ||
        !td_check_point(camera->look_at, options->look_at, "--look-at")) {
        return false;
    }
    if (options->field_of_view &&
        (!td_read_numbers(&degrees, 1, options->field_of_view) || !(degrees >= 1 && degrees <= 170))) {
        td_cli_error("--fov '%s' is no angle: expected 1 to 170 degrees", options->field_of_view);
        return false;
    }
    camera->field_of_view = degrees * td_degree;
    return true;
}

static bool td_check_size(td_render_options *options) {
    td_render_def *def = &options->def;
    unsigned width = 0, height = 0;
    char behind;
    if (options->size &&
        (strlen(options->size) > 16 || strspn(options->size, "0123456789x") != strlen(options->size) ||
         sscanf(options->size, "%5ux%5u%c", &width, &height, &behind) != 2 || width < 1 || width > 16384 ||
         height < 1 || height > 16384)) {
        td_cli_error("--size '%s' is no size: expected WIDTHxHEIGHT in pixels, 1 to 16384 each, such as "
                     "1920x1080",
                     options->size);
        return false;
    }
    if (options->size) {
        def->width = width;
        def->height = height;
    }
    if (options->output == TD_RENDER_FILM && (def->width % 2 || def->height % 2)) {
        td_cli_error("--size %ux%u: pictures of a film have an even width and height: expected such as "
                     "1280x720",
                     def->width, def->height);
        return false;
    }
    return true;
}

static bool td_check_ground(td_render_options *options) {
    td_render_def *def = &options->def;
    options->has_ground = options->ground != NULL;
    def->ground = !options->ground || strcmp(options->ground, "none") != 0;
    if (options->ground && def->ground && !td_read_numbers(&def->height_of_ground, 1, options->ground)) {
        td_cli_error("--ground '%s' is no height: expected metres, or none", options->ground);
        return false;
    }
    return true;
}

static bool td_check_rate(td_render_options *options) {
    if (!options->rate) {
        return true;
    }
    if (options->output != TD_RENDER_FILM) {
        td_cli_error("--fps is about films: expected -o FILE.mp4 with it");
        return false;
    }
    if (!td_read_numbers(&options->given_rate, 1, options->rate) ||
        !(options->given_rate >= 0.01 && options->given_rate <= 1000)) {
        td_cli_error("--fps '%s' is no rate: expected 0.01 to 1000 pictures per second", options->rate);
        return false;
    }
    return true;
}

static bool td_check_look(td_render_options *options) {
    static const char *const names[] = {"body", "speed", "normal"};
    const td_cli_names known = {"colour", names, sizeof names / sizeof names[0]};
    size_t index = 0;
    if (options->colour && !td_cli_find_name(&index, &known, options->colour, "--colour")) {
        return false;
    }
    options->look = (td_render_look)index;
    options->def.colours = options->look == TD_LOOK_NORMAL ? TD_COLOUR_NORMAL : TD_COLOUR_BODY;
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Names of files

// The place of "%d" or "%04d"; null if there is none. *width is that of the number.
static const char *td_find_number(const char *pattern, size_t *length, unsigned *width) {
    const char *at = strchr(pattern, '%');
    const size_t digits = at ? strspn(at + 1, "0123456789") : 0;
    if (!at || at[1 + digits] != 'd' || digits > 2 || strchr(at + 1, '%')) {
        return NULL;
    }
    *width = (unsigned)strtoul(at + 1, NULL, 10);
    *length = digits + 2;
    return at;
}

char *td_render_picture_name(const char *pattern, uint64_t number) {
    size_t length = 0;
    unsigned width = 0;
    const char *at = td_find_number(pattern, &length, &width);
    char *name = NULL;
    const int written =
        asprintf(&name, "%.*s%0*" PRIu64 "%s", (int)(at - pattern), pattern, (int)width, number, at + length);
    return written < 0 ? NULL : name;
}

static bool td_check_output(td_render_options *options) {
    const char *path = options->path;
    if (!path) {
        td_cli_error(
            "'render' needs a file to write: expected -o FILE, such as -o picture.png or -o film.mp4");
        return false;
    }
    size_t length;
    unsigned width;
    if (td_path_has_extension(path, ".mp4")) {
        options->output = TD_RENDER_FILM;
    } else if (!td_path_has_extension(path, ".png")) {
        td_cli_error("%s: pictures are .png, films are .mp4: expected one of them", path);
        return false;
    } else if (!strchr(path, '%')) {
        options->output = TD_RENDER_STILL;
    } else if (td_find_number(path, &length, &width)) {
        options->output = TD_RENDER_SEQUENCE;
    } else {
        td_cli_error("%s: has no number: expected one %%d, such as frame-%%04d.png", path);
        return false;
    }
    return true;
}

static bool td_check_frames(const td_render_options *options) {
    const bool range =
        options->from != TD_NOT_GIVEN || options->to != TD_NOT_GIVEN || options->every != TD_NOT_GIVEN;
    const bool still = options->output == TD_RENDER_STILL;
    if (still && range) {
        td_cli_error("--from, --to and --every are about films: expected -o FILE.mp4 or -o frame-%%04d.png");
        return false;
    }
    if (!still && options->frame != TD_NOT_GIVEN) {
        td_cli_error("--frame is about one picture: expected -o FILE.png with it, or --from and --to");
        return false;
    }
    return true;
}

bool td_render_check_options(td_render_options *options) {
    options->def.samples = options->samples;
    options->def.sky_rays = options->sky_rays;
    options->def.flat = options->flat;
    return td_check_output(options) && td_check_frames(options) && td_check_size(options) &&
           td_check_camera(options) && td_check_ground(options) && td_check_rate(options) &&
           td_check_look(options) && td_cli_poses_check(&options->wish.poses);
}

// ---------------------------------------------------------------------------------------------------------
// Frames

static bool td_check_frame(uint64_t frame, uint64_t frames, const char *option) {
    if (frame >= frames) {
        td_cli_error("%s %" PRIu64 ": there are %" PRIu64 " frames: expected 0 to %" PRIu64, option, frame,
                     frames, frames - 1);
        return false;
    }
    return true;
}

// As many frames as a film of the wished rate needs to run as fast as what it shows.
static uint64_t td_find_stride(const td_render_options *options, double step) {
    const double rate = options->given_rate > 0 ? options->given_rate : td_most_rate;
    const double stride = step > 0 && options->output == TD_RENDER_FILM ? 1 / (step * rate) : 1;
    const double whole = options->given_rate > 0 ? round(stride) : ceil(stride - 1e-6);
    return whole >= 1 && whole < 1e9 ? (uint64_t)whole : 1;
}

bool td_render_find_range(td_render_range *out, double *rate, const td_render_options *options,
                          uint64_t frames, double step) {
    *rate = 0;
    if (options->output == TD_RENDER_STILL) {
        const uint64_t frame = options->frame != TD_NOT_GIVEN ? options->frame : frames - 1;
        *out = (td_render_range){frame, frame, 1};
        return td_check_frame(frame, frames, "--frame");
    }
    out->first = options->from != TD_NOT_GIVEN ? options->from : 0;
    out->last = options->to != TD_NOT_GIVEN ? options->to : frames - 1;
    out->every = options->every != TD_NOT_GIVEN ? options->every : td_find_stride(options, step);
    if (!td_check_frame(out->first, frames, "--from") || !td_check_frame(out->last, frames, "--to")) {
        return false;
    }
    if (out->first > out->last) {
        td_cli_error("--from %" PRIu64 " is behind --to %" PRIu64 ": expected a range of frames", out->first,
                     out->last);
        return false;
    }
    if (options->output != TD_RENDER_FILM) {
        return true;
    }
    const double own = step > 0 ? 1 / (step * (double)out->every) : td_default_rate;
    *rate = options->given_rate > 0 ? options->given_rate : fmin(fmax(own, 0.01), 1000);
    return true;
}
