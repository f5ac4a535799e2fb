#include "local.h"

#include <stdlib.h>

void td_choose_frame(td_blocked *out, const td_trimesh *mesh) {
    const td_vec3 lower = mesh->lower, upper = mesh->upper;
    out->origin = td_add(td_scale(lower, 0.5), td_scale(upper, 0.5));
    const td_vec3 half = td_sub(td_scale(upper, 0.5), td_scale(lower, 0.5));
    const double largest = fmax(half.x, fmax(half.y, half.z));
    int exponent = 0;
    if (largest > 0) {
        frexp(largest, &exponent);
    }
    out->exponent = -exponent;
    const int first = abs(out->exponent) <= 1000 ? out->exponent : out->exponent / 2;
    out->scale[0] = ldexp(1.0, first);
    out->scale[1] = ldexp(1.0, out->exponent - first);
    out->half[0] = half.x * out->scale[0] * out->scale[1];
    out->half[1] = half.y * out->scale[0] * out->scale[1];
    out->half[2] = half.z * out->scale[0] * out->scale[1];
}
