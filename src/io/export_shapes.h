// Which shapes of a soft body an animation must keep, so that what it shows between them, each vertex on a
// straight line, is within a tolerance of those that it leaves out.
//
// Shapes come one after the other, and none is held but the last that was kept and the last that was seen:
// for each coordinate the slopes are known with which a line from the kept shape passes all that was seen
// since, near enough (the swinging door of E. H. Bristol, Swinging Door Trending: Adaptive Trend Recording,
// ISA 1990). A shape to which no such line leads ends the run: the one before it is kept.
#ifndef TD_IO_EXPORT_SHAPES_H
#define TD_IO_EXPORT_SHAPES_H

#include "../core/array.h"

typedef struct td_shape_key {
    uint32_t sample;
    uint32_t shape; // 0: that of the start; n: the n-th that was kept
} td_shape_key;

typedef struct td_shape_fit {
    size_t count;        // numbers of a shape
    double limit;        // how far each may be off
    float *start, *kept; // shapes: the first, and the last that was kept
    float *last;         // the last that was seen
    double *low, *high;  // slopes of lines from `kept`, per second
    TD_ARRAY(td_shape_key) keys;
    uint32_t shapes; // kept, but the first
    uint32_t seen;
    float kept_at, last_at; // s
} td_shape_fit;

// `out` is to be released in any case.
td_result td_begin_shape_fit(td_shape_fit *out, td_context *context, size_t count, double limit);
void td_release_shape_fit(td_shape_fit *fit, td_context *context);

// The next shape, at a later time. *is_new becomes true if one is kept, as fit->kept, that is not yet.
td_result td_fit_shape(bool *is_new, td_shape_fit *fit, td_context *context, const float *shape, float time);
// Behind the last; likewise.
td_result td_end_shape_fit(bool *is_new, td_shape_fit *fit, td_context *context);

#endif
