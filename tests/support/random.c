#include "random.h"

#include <math.h>

// SplitMix64.
uint64_t test_random_bits(test_random *random) {
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double test_random_unit(test_random *random) {
    return (double)(test_random_bits(random) >> 11) * 0x1p-53;
}

double test_random_range(test_random *random, double low, double high) {
    return low + (high - low) * test_random_unit(random);
}

int test_random_int(test_random *random, int low, int high) {
    const uint64_t count = (uint64_t)((int64_t)high - low + 1);
    return (int)(low + (int64_t)(test_random_bits(random) % count));
}

// Uniform rotation after Shoemake, "Uniform random rotations" (1992).
td_pose test_random_pose(test_random *random, double spread) {
    const double tau = 6.283185307179586;
    const double u = test_random_unit(random);
    const double v = tau * test_random_unit(random);
    const double w = tau * test_random_unit(random);
    td_pose pose;
    for (int k = 0; k < 3; ++k) {
        pose.position[k] = test_random_range(random, -spread, spread);
    }
    pose.rotation[0] = sqrt(1 - u) * sin(v);
    pose.rotation[1] = sqrt(1 - u) * cos(v);
    pose.rotation[2] = sqrt(u) * sin(w);
    pose.rotation[3] = sqrt(u) * cos(w);
    return pose;
}
