#include "record_pose.h"

#include <math.h>

static const double td_far = 0x1p51;        // units
static const int32_t td_turn_most = 131071; // steps: 2^17 - 1
static const double td_root_half = 0.70710678118654752440;

// ---------------------------------------------------------------------------------------------------------
// The grid

// A power of two, so that multiplying by it rounds nothing; within what float64 can still multiply.
double td_choose_unit(double coarsest) {
    int exponent = -20;
    if (coarsest > TD_UNIT_MOST) {
        return TD_UNIT_MOST;
    }
    if (coarsest > 0) {
        frexp(coarsest, &exponent);
        --exponent; // coarsest is in [2^exponent, 2^(exponent + 1))
    }
    return fmax(ldexp(1, exponent), TD_UNIT_LEAST);
}

td_pose_grid td_choose_grid(const double lower[3], const double upper[3], double smallest) {
    td_pose_grid grid;
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        const double side = 0.5 * upper[k] - 0.5 * lower[k];
        grid.origin[k] = lower[k] + side;
        square += side * side; // may overflow: the unit is then the largest
    }
    double coarsest = 2e-6 * sqrt(square);
    if (smallest > 0 && (coarsest == 0 || smallest * 0x1p-15 < coarsest)) {
        coarsest = smallest * 0x1p-15;
    }
    grid.unit = td_choose_unit(coarsest);
    return grid;
}

// ---------------------------------------------------------------------------------------------------------
// One pose

static void td_position_to_grid(td_grid_pose *out, const double position[3], const td_pose_grid *grid) {
    for (int k = 0; k < 3; ++k) {
        const double units = (position[k] - grid->origin[k]) / grid->unit;
        if (!(fabs(units) < td_far)) {
            out->far = true;
            break;
        }
        out->position[k] = (int64_t)rint(units);
    }
    for (int k = 0; k < 3 && out->far; ++k) {
        out->position[k] = 0;
        out->far_at[k] = position[k];
    }
}

static void td_rotation_to_grid(td_grid_pose *out, const double rotation[4]) {
    double square = 0;
    for (int k = 0; k < 4; ++k) {
        square += rotation[k] * rotation[k];
        out->largest = fabs(rotation[k]) > fabs(rotation[out->largest]) ? (uint8_t)k : out->largest;
    }
    const double norm = copysign(sqrt(square), rotation[out->largest]);
    for (int k = 0, at = 0; k < 4; ++k) {
        if (k != out->largest) {
            const double steps = rint(rotation[k] / norm / td_root_half * td_turn_most);
            out->rotation[at++] = (int32_t)fmin(fmax(steps, -td_turn_most), td_turn_most);
        }
    }
}

td_grid_pose td_pose_to_grid(const td_pose *pose, const td_pose_grid *grid) {
    td_grid_pose out = {0};
    td_position_to_grid(&out, pose->position, grid);
    td_rotation_to_grid(&out, pose->rotation);
    return out;
}

td_pose td_pose_from_grid(const td_grid_pose *pose, const td_pose_grid *grid) {
    td_pose out;
    for (int k = 0; k < 3; ++k) {
        out.position[k] =
            pose->far ? pose->far_at[k] : grid->origin[k] + (double)pose->position[k] * grid->unit;
    }
    double square = 0;
    for (int k = 0, at = 0; k < 4; ++k) {
        if (k != pose->largest) {
            out.rotation[k] = pose->rotation[at++] * (td_root_half / td_turn_most);
            square += out.rotation[k] * out.rotation[k];
        }
    }
    out.rotation[pose->largest] = sqrt(fmax(0, 1 - square));
    return out;
}

// ---------------------------------------------------------------------------------------------------------
// Lists

static bool td_same_on_grid(const td_grid_pose *a, const td_grid_pose *b) {
    return memcmp(a->position, b->position, sizeof a->position) == 0 &&
           memcmp(a->rotation, b->rotation, sizeof a->rotation) == 0 && a->largest == b->largest &&
           a->far == b->far && memcmp(a->far_at, b->far_at, sizeof a->far_at) == 0;
}

static void td_put_pose(td_byte_writer *writer, const td_grid_pose *before, const td_grid_pose *pose,
                        uint32_t passed_over) {
    td_put_varint(writer, (uint64_t)passed_over << 3 | (uint64_t)pose->largest << 1 | pose->far);
    for (int k = 0; k < 3; ++k) {
        if (pose->far) {
            td_put_f64(writer, pose->far_at[k]);
        } else {
            td_put_signed(writer, pose->position[k] - before->position[k]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        td_put_signed(writer, pose->rotation[k] - before->rotation[k]);
    }
}

void td_put_poses(td_byte_writer *writer, td_grid_pose *before, const td_grid_pose *poses, uint32_t count,
                  bool key) {
    uint32_t next = 0; // the body behind the last one that was put
    for (uint32_t body = 0; body < count; ++body) {
        if (key) {
            before[body] = (td_grid_pose){0};
        }
        if (key || !td_same_on_grid(&before[body], &poses[body])) {
            td_put_pose(writer, &before[body], &poses[body], body - next);
            before[body] = poses[body];
            next = body + 1;
        }
    }
}

// Numbers out of range would not come from a writer, and their sums could overflow later.
static bool td_take_pose(td_byte_reader *reader, td_grid_pose *pose, uint64_t head) {
    pose->largest = (uint8_t)(head >> 1 & 3u);
    pose->far = (head & 1u) != 0;
    bool valid = true;
    for (int k = 0; k < 3; ++k) {
        pose->far_at[k] = pose->far ? td_take_f64(reader) : 0;
        pose->position[k] = pose->far ? 0 : pose->position[k] + td_take_signed(reader);
        valid = valid && isfinite(pose->far_at[k]) && fabs((double)pose->position[k]) <= td_far;
    }
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        const int64_t steps = pose->rotation[k] + td_take_signed(reader);
        valid = valid && steps >= -td_turn_most && steps <= td_turn_most;
        pose->rotation[k] = valid ? (int32_t)steps : 0;
        square += (double)pose->rotation[k] * pose->rotation[k];
    }
    // The largest component is at least 1/2; a little less is left to rounding.
    return valid && !reader->failed && square * 0.5 < 0.76 * td_turn_most * (double)td_turn_most;
}

bool td_take_poses(td_byte_reader *reader, td_grid_pose *poses, uint32_t count, bool key) {
    uint64_t next = 0;
    while (td_bytes_left(reader) > 0) {
        const uint64_t head = td_take_varint(reader);
        const uint64_t body = next + (head >> 3);
        if (reader->failed || body >= count || (key && body != next)) {
            return false;
        }
        if (key) {
            poses[body] = (td_grid_pose){0};
        }
        if (!td_take_pose(reader, &poses[body], head)) {
            return false;
        }
        next = body + 1;
    }
    return !key || next == count;
}
