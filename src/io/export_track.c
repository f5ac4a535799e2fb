#include "export_track.h"

#include "../core/error.h"

#include <math.h>

float td_key_time(const td_track_source *source, td_track_key key) {
    return key.held ? nextafterf(source->times[key.sample + 1], 0) : source->times[key.sample];
}

void td_key_value(float out[4], const td_track_source *source, td_track_kind kind, td_track_key key) {
    const td_pose *pose = &source->samples[key.sample].pose;
    if (kind == TD_TRACK_ROTATION) {
        for (int k = 0; k < 4; ++k) {
            out[k] = (float)pose->rotation[k];
        }
        return;
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = (float)(pose->position[k] - source->origin[k]);
    }
    out[3] = 0;
}

// ---------------------------------------------------------------------------------------------------------
// What a reader makes of two keys

typedef struct td_span {
    double from[4], to[4]; // as float32 has them
    double begin, length;  // of time
    double angle, sine;    // between two rotations, as quaternions
    bool arc;              // wide enough to be told from a line
} td_span;

static td_span td_span_between(const td_track_source *source, td_track_kind kind, uint32_t a, uint32_t b) {
    float from[4], to[4];
    td_key_value(from, source, kind, (td_track_key){.sample = a});
    td_key_value(to, source, kind, (td_track_key){.sample = b});
    td_span span = {.begin = (double)source->times[a],
                    .length = (double)source->times[b] - (double)source->times[a]};
    double dot = 0;
    for (int k = 0; k < 4; ++k) {
        span.from[k] = (double)from[k];
        span.to[k] = (double)to[k];
        dot += span.from[k] * span.to[k];
    }
    if (kind == TD_TRACK_ROTATION) {
        span.angle = acos(fmin(1, fmax(-1, dot)));
        span.sine = sin(span.angle);
        span.arc = span.angle > 1e-4; // below, the two differ by less than 1e-13
    }
    return span;
}

// The distance of from * p + to * q, normalised, to a rotation.
static double td_mix_error(const td_span *span, double p, double q, const double rotation[4]) {
    double mix[4], square = 0, dot = 0, error = 0;
    for (int k = 0; k < 4; ++k) {
        mix[k] = p * span->from[k] + q * span->to[k];
        square += mix[k] * mix[k];
        dot += mix[k] * rotation[k];
    }
    const double scale = (dot < 0 ? -1 : 1) / sqrt(square);
    for (int k = 0; k < 4; ++k) {
        error += (scale * mix[k] - rotation[k]) * (scale * mix[k] - rotation[k]);
    }
    return sqrt(error);
}

static double td_position_error(const td_track_source *source, const td_span *span, double share,
                                uint32_t sample) {
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        const double mix = (1 - share) * span->from[k] + share * span->to[k];
        const double off = mix + source->origin[k] - source->samples[sample].pose.position[k];
        square += off * off;
    }
    return sqrt(square);
}

static double td_error_in_span(const td_track_source *source, td_track_kind kind, const td_span *span,
                               uint32_t sample) {
    const double share = span->length > 0 ? ((double)source->times[sample] - span->begin) / span->length : 0;
    if (kind == TD_TRACK_POSITION) {
        return td_position_error(source, span, share, sample);
    }
    const double *rotation = source->samples[sample].pose.rotation;
    double error = td_mix_error(span, 1 - share, share, rotation);
    if (span->arc) {
        error = fmax(error, td_mix_error(span, sin((1 - share) * span->angle) / span->sine,
                                         sin(share * span->angle) / span->sine, rotation));
    }
    return error;
}

// ---------------------------------------------------------------------------------------------------------
// Fitting

// Whether the samples between a and b need no keys. Half a turn and more has no shortest arc to speak of.
static bool td_span_fits(const td_track_source *source, td_track_kind kind, double limit, uint32_t a,
                         uint32_t b) {
    const td_span span = td_span_between(source, kind, a, b);
    const double widest = 1.5; // of a right angle between quaternions, 1.57
    if (kind == TD_TRACK_ROTATION && span.angle > widest) {
        return false;
    }
    for (uint32_t i = a + 1; i < b; ++i) {
        if (td_error_in_span(source, kind, &span, i) > limit) {
            return false;
        }
    }
    return true;
}

// The next key behind `a`, at most `end`.
static uint32_t td_next_key(const td_track_source *source, td_track_kind kind, double limit, uint32_t a,
                            uint32_t end) {
    if (limit == 0) {
        return a + 1;
    }
    uint32_t good = 1, bad = end - a + 1; // distances
    while (good < end - a) {
        const uint32_t next = good <= (end - a) / 2 ? 2 * good : end - a;
        if (!td_span_fits(source, kind, limit, a, a + next)) {
            bad = next;
            break;
        }
        good = next;
    }
    while (bad - good > 1) {
        const uint32_t middle = good + (bad - good) / 2;
        if (td_span_fits(source, kind, limit, a, a + middle)) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    return a + good;
}

// The largest error of the samples from a to b, the keys included.
static double td_largest_error(const td_track_source *source, td_track_kind kind, uint32_t a, uint32_t b) {
    const td_span span = td_span_between(source, kind, a, b);
    double error = 0;
    for (uint32_t i = a; i <= b; ++i) {
        error = fmax(error, td_error_in_span(source, kind, &span, i));
    }
    return error;
}

static td_result td_add_key(td_track *track, td_context *context, uint32_t sample, bool held) {
    TD_TRY(td_array_reserve(context, &track->keys, 1));
    track->keys.items[track->keys.count++] = (td_track_key){sample, held};
    return TD_OK;
}

// The key of the jump's eve, unless there is no moment between the two samples.
static td_result td_hold(td_track *track, td_context *context, const td_track_source *source,
                         uint32_t sample) {
    const td_track_key held = {sample, true};
    return td_key_time(source, held) > source->times[sample] ? td_add_key(track, context, sample, true)
                                                             : TD_OK;
}

// A value that never changes needs no keys. The node that has it instead holds it in float64.
static bool td_is_constant(td_track *track, const td_track_source *source, td_track_kind kind, double limit) {
    const td_pose *first = &source->samples[0].pose;
    double largest = 0;
    for (uint32_t i = 1; i < source->count; ++i) {
        const td_pose *pose = &source->samples[i].pose;
        const double *a = kind == TD_TRACK_POSITION ? first->position : first->rotation;
        const double *b = kind == TD_TRACK_POSITION ? pose->position : pose->rotation;
        double square = 0;
        for (int k = 0; k < (kind == TD_TRACK_POSITION ? 3 : 4); ++k) {
            square += (a[k] - b[k]) * (a[k] - b[k]);
        }
        largest = fmax(largest, sqrt(square));
        if (largest > limit) {
            return false;
        }
    }
    track->error = largest;
    return true;
}

td_result td_fit_track(td_track *track, td_context *context, const td_track_source *source,
                       td_track_kind kind, double limit) {
    track->keys.count = 0;
    track->error = 0;
    if (td_is_constant(track, source, kind, limit)) {
        return TD_OK;
    }
    TD_TRY(td_add_key(track, context, 0, false));
    for (uint32_t begin = 0; begin < source->count;) {
        uint32_t end = begin; // the last sample before the next jump
        while (end + 1 < source->count && !source->samples[end + 1].jumped) {
            ++end;
        }
        track->error = fmax(track->error, td_largest_error(source, kind, begin, begin));
        for (uint32_t a = begin; a < end;) {
            const uint32_t b = td_next_key(source, kind, limit, a, end);
            track->error = fmax(track->error, td_largest_error(source, kind, a, b));
            TD_TRY(td_add_key(track, context, b, false));
            a = b;
        }
        if (end + 1 < source->count) {
            TD_TRY(td_hold(track, context, source, end));
            TD_TRY(td_add_key(track, context, end + 1, false));
        }
        begin = end + 1;
    }
    return TD_OK;
}
