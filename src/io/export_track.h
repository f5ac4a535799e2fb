// Which samples of a motion an animation must keep, so that what it shows between them is within a tolerance
// of those that it leaves out.
//
// A track has keys at some of the samples; between two of them it is linear, or on the shortest arc for
// rotations. From each key the next one is put as far away as possible, found by doubling and halving the
// distance, and every sample in between is compared with what a reader computes from float32 times and
// values. Rotations are compared with the arc, which the glTF specification wants, and with the normalised
// linear mix, which some programs take for it (Blender among them).
//
// Where a body jumps, nothing is between: the pose before is held until the moment before the next sample.
#ifndef TD_IO_EXPORT_TRACK_H
#define TD_IO_EXPORT_TRACK_H

#include "../core/array.h"

#include <tandem/query.h>

typedef struct td_track_sample {
    td_pose pose; // rotations without changes of sign
    bool jumped;  // since the sample before
} td_track_sample;

typedef struct td_track_source {
    const td_track_sample *samples;
    const float *times;   // increasing
    const double *origin; // of the positions that are written
    uint32_t count;       // at least 1
} td_track_source;

typedef enum td_track_kind { TD_TRACK_POSITION, TD_TRACK_ROTATION } td_track_kind;

typedef struct td_track_key {
    uint32_t sample;
    bool held; // at the moment before the next sample
} td_track_key;

// Without keys, the first sample's value holds throughout.
typedef struct td_track {
    TD_ARRAY(td_track_key) keys;
    double error; // the largest: m, or the distance of two unit quaternions
} td_track;

// Fills the track, whose memory is used again. `limit` is that of the error; 0: a key per sample, unless all
// are equal. The values of keys are rounded to float32, which the error includes but no limit can help.
td_result td_fit_track(td_track *track, td_context *context, const td_track_source *source,
                       td_track_kind kind, double limit);

// A key as it is written: its time, and its 3 or 4 numbers.
float td_key_time(const td_track_source *source, td_track_key key);
void td_key_value(float out[4], const td_track_source *source, td_track_kind kind, td_track_key key);

#endif
