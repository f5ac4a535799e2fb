#include "record_motion.h"

#include "record_half.h"

static bool td_may_sleep(td_body_kind kind) {
    return kind == TD_BODY_DYNAMIC || kind == TD_BODY_SOFT;
}

td_grid_motion td_motion_to_grid(const td_recorded_motion *motion, td_body_kind kind) {
    if (kind == TD_BODY_STATIC) {
        return 0;
    }
    return td_may_sleep(kind) && !motion->awake ? TD_MOTION_ASLEEP : td_to_upper_half(motion->speed);
}

bool td_is_moving(td_grid_motion motion, td_body_kind kind) {
    return td_may_sleep(kind) && motion != TD_MOTION_ASLEEP;
}

td_recorded_motion td_motion_from_grid(td_grid_motion motion, td_body_kind kind) {
    return (td_recorded_motion){.speed = motion == TD_MOTION_ASLEEP ? 0 : td_from_upper_half(motion),
                                .awake = td_is_moving(motion, kind)};
}

void td_put_motions(td_byte_writer *writer, const td_grid_motion *before, const td_grid_motion *motions,
                    uint32_t count, bool key) {
    uint32_t next = 0; // the body behind the last one that was put
    for (uint32_t body = 0; body < count; ++body) {
        if (motions[body] != (key ? 0 : before[body])) {
            td_put_varint(writer, body - next);
            td_put_u16(writer, motions[body]);
            next = body + 1;
        }
    }
}

static bool td_is_motion_of(td_body_kind kind, td_grid_motion motion) {
    switch (kind) {
    case TD_BODY_STATIC:
        return motion == 0;
    case TD_BODY_KINEMATIC:
        return td_is_upper_half(motion);
    case TD_BODY_DYNAMIC:
    case TD_BODY_SOFT:
        return motion == TD_MOTION_ASLEEP || td_is_upper_half(motion);
    }
    return false;
}

bool td_take_motions(td_byte_reader *reader, td_grid_motion *motions, const td_cast *cast, bool key) {
    for (uint32_t body = 0; key && body < cast->body_count; ++body) {
        motions[body] = 0;
    }
    uint64_t next = 0;
    while (td_bytes_left(reader) > 0) {
        const uint64_t body = next + td_take_varint(reader);
        const td_grid_motion motion = td_take_u16(reader);
        if (reader->failed || body >= cast->body_count || !td_is_motion_of(cast->bodies[body].kind, motion)) {
            return false;
        }
        motions[body] = motion;
        next = body + 1;
    }
    return true;
}
