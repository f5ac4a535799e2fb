#include "scene_rotation.h"

#include "../core/error.h"

#include <math.h>

static const char *const td_rotation_keys[] = {"axis", "degrees", NULL};

typedef struct td_angle {
    double sine, cosine;
} td_angle;

// Of an angle of at most an eighth of a turn, in radians: Taylor's series, whose next terms are below half a
// unit in the last place.
static td_angle td_small_angle(double x) {
    static const int terms = 9;
    const double square = x * x;
    td_angle angle = {1, 1};
    for (int i = terms; i > 0; --i) {
        angle.sine = 1 - angle.sine * square / (2.0 * i * (2.0 * i + 1));
        angle.cosine = 1 - angle.cosine * square / ((2.0 * i - 1) * (2.0 * i));
    }
    angle.sine *= x;
    return angle;
}

// Of an angle in degrees. Quarters of a turn are taken out first, which is exact; so is the remainder of a
// division.
static td_angle td_angle_of(double degrees) {
    const double radians_per_degree = 0x1.1df46a2529d39p-6; // pi / 180
    const double rest = fmod(degrees, 360);
    const double quarters = floor(rest / 90 + 0.5); // -4 ... 4
    const double within = rest - 90 * quarters;     // -45 ... 45
    td_angle angle = td_small_angle(within * radians_per_degree);
    if (fabs(within) == 45) {
        angle.cosine = sqrt(0.5);
        angle.sine = within > 0 ? angle.cosine : -angle.cosine;
    }
    switch (((int)quarters + 4) % 4) {
    case 0:
        return angle;
    case 1:
        return (td_angle){angle.cosine, -angle.sine};
    case 2:
        return (td_angle){-angle.sine, -angle.cosine};
    default:
        return (td_angle){-angle.cosine, angle.sine};
    }
}

td_quat td_rotation_about(td_vec3 axis, double degrees) {
    const td_angle half = td_angle_of(degrees / 2);
    return td_quat_normalise(
        td_quat_make(axis.x * half.sine, axis.y * half.sine, axis.z * half.sine, half.cosine));
}

static td_result td_read_turn(td_quat *out, const td_json *value) {
    TD_TRY(td_json_check_object(value, td_rotation_keys));
    td_json axis, angle;
    double numbers[3], degrees;
    if (!td_json_get(&axis, value, "axis") || !td_json_get(&angle, value, "degrees")) {
        return td_json_fail(value, "expected an \"axis\" and \"degrees\"");
    }
    TD_TRY(td_json_numbers(numbers, 3, &axis, &td_json_any));
    TD_TRY(td_json_number(&degrees, &angle, &td_json_any));
    const td_vec3 direction = td_vec3_make(numbers[0], numbers[1], numbers[2]);
    const double length = td_length(direction);
    if (!(length > 1e-12)) {
        return td_json_fail(&axis, "expected a direction, got one without length");
    }
    *out = td_rotation_about(td_scale(direction, 1 / length), degrees);
    return TD_OK;
}

td_result td_read_rotation(td_quat *out, const td_json *value) {
    if (cJSON_IsObject(value->item)) {
        return td_read_turn(out, value);
    }
    if (!cJSON_IsArray(value->item) || cJSON_GetArraySize(value->item) != 4) {
        return td_json_fail(
            value, "expected a quaternion [x, y, z, w] or {\"axis\": [x, y, z], \"degrees\": angle}");
    }
    double q[4];
    TD_TRY(td_json_numbers(q, 4, value, &td_json_any));
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(norm - 1) <= 1e-3)) { // digits were left out, but not more
        return td_json_fail(value, "expected a quaternion of norm 1, got one of norm %.6g", norm);
    }
    *out = td_quat_normalise(td_quat_make(q[0], q[1], q[2], q[3]));
    return TD_OK;
}

td_result td_read_optional_rotation(td_quat *out, const td_json *object, const char *key) {
    td_json value;
    return td_json_get(&value, object, key) ? td_read_rotation(out, &value) : TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

// Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
static uint64_t td_random_bits(td_scene_random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double td_random_between(td_scene_random *random, double least, double most) {
    return least + (most - least) * ((double)(td_random_bits(random) >> 11) * 0x1p-53);
}

// Points in a cube of four dimensions, until one is in the ball: its direction is a rotation.
td_quat td_random_rotation(td_scene_random *random) {
    for (;;) {
        td_quat q;
        q.x = td_random_between(random, -1, 1);
        q.y = td_random_between(random, -1, 1);
        q.z = td_random_between(random, -1, 1);
        q.w = td_random_between(random, -1, 1);
        const double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (square <= 1 && square > 0.01) {
            return td_quat_normalise(q);
        }
    }
}
