#include "render_write.h"

#include "core/clock.h"
#include "message.h"
#include "render_film.h"
#include "render_png.h"

#include <stdlib.h>
#include <sys/stat.h>

typedef struct td_writing {
    td_cli_session *session;
    const td_render_options *options;
    td_render_def def;
    td_render_source *source;
    td_render_totals *totals;
    uint8_t *pixels;
    size_t pixel_bytes;
} td_writing;

static bool td_draw(td_writing *writing, uint64_t frame) {
    td_render_source *source = writing->source;
    td_render_report report;
    if (!source->set_frame(source, frame)) {
        return false;
    }
    if (td_render_picture(writing->pixels, &report, writing->session->context, source->bodies,
                          source->body_count, &writing->def) != TD_OK) {
        td_cli_library_error(NULL);
        return false;
    }
    td_render_totals *totals = writing->totals;
    ++totals->pictures;
    totals->rays.camera_rays += report.camera_rays;
    totals->rays.sun_rays += report.sun_rays;
    totals->rays.sky_rays += report.sky_rays;
    totals->rays.ms += report.ms;
    return true;
}

static void td_count_bytes(td_render_totals *totals, const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        totals->bytes += (uint64_t)status.st_size;
    }
}

static bool td_write_picture(td_writing *writing, td_cli_output *output, const char *path) {
    const td_render_def *def = &writing->def;
    if (!td_cli_output_open(output, path)) {
        return false;
    }
    if (!td_png_write(output, writing->pixels, def->width, def->height)) {
        td_cli_output_discard(output);
        return false;
    }
    if (!td_cli_output_commit(output)) {
        return false;
    }
    td_count_bytes(writing->totals, path);
    return true;
}

// The file is opened first, so that one that cannot be written is told before the work is done.
static bool td_write_still(td_writing *writing, td_cli_output *output, uint64_t frame) {
    td_cli_session *session = writing->session;
    td_render_def *def = &writing->def;
    const char *path = writing->options->path;
    td_cli_progress_stage(&session->progress, "drawing %.60s", path);
    def->progress = td_cli_progress_function(&session->progress);
    def->progress_user = &session->progress;
    if (!td_cli_output_open(output, path)) {
        return false;
    }
    if (!td_draw(writing, frame) || !td_png_write(output, writing->pixels, def->width, def->height)) {
        td_cli_output_discard(output);
        return false;
    }
    if (!td_cli_output_commit(output)) {
        return false;
    }
    td_count_bytes(writing->totals, path);
    return true;
}

// Each picture appears when it is complete; those that are stay, whatever happens to later ones.
static bool td_write_sequence(td_writing *writing, td_cli_output *output, const td_render_range *range) {
    td_cli_session *session = writing->session;
    const uint64_t count = td_render_range_count(range);
    td_cli_progress_stage(&session->progress, "drawing %.60s", writing->options->path);
    for (uint64_t i = 0; i < count; ++i) {
        char *name = td_render_picture_name(writing->options->path, i);
        if (!name) {
            td_cli_error("out of memory");
            return false;
        }
        const bool written =
            td_draw(writing, range->first + i * range->every) && td_write_picture(writing, output, name);
        free(name);
        if (!written) {
            return false;
        }
        td_cli_progress_count(&session->progress, i + 1, count, "pictures");
    }
    return true;
}

static bool td_write_pictures_to(td_film *film, td_writing *writing, const td_render_range *range) {
    td_cli_session *session = writing->session;
    const uint64_t count = td_render_range_count(range);
    td_cli_progress_stage(&session->progress, "drawing %.60s", writing->options->path);
    for (uint64_t i = 0; i < count; ++i) {
        if (!td_draw(writing, range->first + i * range->every) ||
            !td_film_write(film, writing->pixels, writing->pixel_bytes)) {
            return false;
        }
        td_cli_progress_count(&session->progress, i + 1, count, "pictures");
    }
    return true;
}

static bool td_write_film(td_writing *writing, td_cli_output *output, const td_render_range *range) {
    const td_render_def *def = &writing->def;
    const td_film_format format = {def->width, def->height, writing->totals->rate};
    if (!td_cli_output_open(output, writing->options->path)) {
        return false;
    }
    td_film film = {.pipe = -1};
    if (!td_film_open(&film, output, &format) || !td_write_pictures_to(&film, writing, range) ||
        !td_film_close(&film)) {
        td_film_abandon(&film);
        td_cli_output_discard(output);
        return false;
    }
    if (!td_cli_output_commit(output)) {
        return false;
    }
    td_count_bytes(writing->totals, writing->options->path);
    return true;
}

// ---------------------------------------------------------------------------------------------------------

static bool td_write_all(td_writing *writing, td_cli_output *output, const td_render_range *range) {
    switch (writing->options->output) {
    case TD_RENDER_STILL:
        return td_write_still(writing, output, range->first);
    case TD_RENDER_SEQUENCE:
        return td_write_sequence(writing, output, range);
    default:
        return td_write_film(writing, output, range);
    }
}

bool td_render_write(td_render_totals *totals, td_cli_session *session, const td_render_options *options,
                     td_render_source *source, const td_render_range *range) {
    const double began = td_clock_ms();
    td_writing writing = {session,
                          options,
                          options->def,
                          source,
                          totals,
                          NULL,
                          3 * (size_t)options->def.width * options->def.height};
    writing.pixels = malloc(writing.pixel_bytes);
    td_cli_output *output = malloc(sizeof *output);
    bool success = false;
    if (!writing.pixels || !output) {
        td_cli_error("out of memory for a picture of %u x %u pixels", options->def.width,
                     options->def.height);
    } else {
        success = td_write_all(&writing, output, range);
    }
    free(output);
    free(writing.pixels);
    totals->ms = td_clock_ms() - began;
    totals->first_frame = range->first;
    totals->last_frame = range->first + (td_render_range_count(range) - 1) * range->every;
    return success;
}
