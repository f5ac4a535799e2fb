// How long a step took, as the payload of the chunk TIME that follows the step's frame.
#ifndef TD_IO_RECORD_TIME_H
#define TD_IO_RECORD_TIME_H

#include "record_bytes.h"

#include <float.h>
#include <math.h>

typedef enum td_record_stage {
    TD_STAGE_TOTAL,
    TD_STAGE_BROAD,
    TD_STAGE_TRAVERSAL,
    TD_STAGE_CONTACTS,
    TD_STAGE_SOLVER,
    TD_STAGE_COPY,   // of the traversal, on a device
    TD_STAGE_KERNEL, // likewise
    TD_STAGE_COUNT
} td_record_stage;

typedef struct td_record_times {
    float ms[TD_STAGE_COUNT];
} td_record_times;

enum { TD_TIME_BYTES = 8 + TD_STAGE_COUNT * 4 };

static inline float td_time_to_record(double ms) {
    return (float)fmin(fmax(ms, 0), FLT_MAX);
}

static inline void td_put_times(td_byte_writer *writer, const td_record_times *times, uint64_t frame) {
    td_put_u64(writer, frame);
    for (int stage = 0; stage < TD_STAGE_COUNT; ++stage) {
        td_put_f32(writer, times->ms[stage]);
    }
}

// False if these are not the times of this frame.
static inline bool td_take_times(td_byte_reader *reader, td_record_times *times, uint64_t frame) {
    bool valid = td_take_u64(reader) == frame;
    for (int stage = 0; stage < TD_STAGE_COUNT; ++stage) {
        times->ms[stage] = td_take_f32(reader);
        valid = valid && isfinite(times->ms[stage]) && times->ms[stage] >= 0;
    }
    return valid && !reader->failed && td_bytes_left(reader) == 0;
}

#endif
