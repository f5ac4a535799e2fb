// What `tandem render` was asked for, checked.
#ifndef TD_CLI_RENDER_OPTIONS_H
#define TD_CLI_RENDER_OPTIONS_H

#include "render_source.h"

#define TD_NOT_GIVEN UINT32_MAX

// What -o names.
typedef enum td_render_output {
    TD_RENDER_STILL,    // picture.png
    TD_RENDER_SEQUENCE, // frame-%04d.png
    TD_RENDER_FILM      // film.mp4
} td_render_output;

typedef struct td_render_options {
    // As parsed; null: not given.
    const char *path, *eye, *look_at, *field_of_view, *size, *ground, *rate, *colour;
    uint32_t samples, sky_rays;
    uint32_t frame, from, to, every; // TD_NOT_GIVEN
    bool flat;
    td_view_wish wish;
    // As checked.
    td_render_output output;
    td_render_look look;
    td_render_def def; // all but what depends on the scene
    bool has_eye, has_look_at;
    bool has_ground;   // given, be it a height or none
    double given_rate; // pictures per second; 0: not given
} td_render_options;

// False: the error was told.
bool td_render_check_options(td_render_options *options);

// The frames to draw of a source of so many frames of `step` seconds, and how many per second: 0 unless it
// is a film.
bool td_render_find_range(td_render_range *out, double *rate, const td_render_options *options,
                          uint64_t frames, double step);

// The name of picture `number` of a sequence: "frame-0007.png". For free(), null if out of memory.
char *td_render_picture_name(const char *pattern, uint64_t number);

#endif
