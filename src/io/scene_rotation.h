// Rotations as scenes write them, and pseudo-random numbers. What comes out reaches the state of a
// simulation, so it is made of + - * / and square roots alone and is the same on every machine.
#ifndef TD_IO_SCENE_ROTATION_H
#define TD_IO_SCENE_ROTATION_H

#include "../math/quat.h"
#include "scene_json.h"

// A quaternion [x, y, z, w], normalised here, or {"axis": [x, y, z], "degrees": angle}.
td_result td_read_rotation(td_quat *out, const td_json *value);

// The same of a member that need not be there: *out stays as it is then.
td_result td_read_optional_rotation(td_quat *out, const td_json *object, const char *key);

// By `degrees` about an axis of length 1. Multiples of a quarter turn come out without rounding errors that
// show: a turn by 180 degrees is exact.
td_quat td_rotation_about(td_vec3 axis, double degrees);

typedef struct td_scene_random {
    uint64_t state; // any seed
} td_scene_random;

double td_random_between(td_scene_random *random, double least, double most);
td_quat td_random_rotation(td_scene_random *random); // all are equally likely

#endif
