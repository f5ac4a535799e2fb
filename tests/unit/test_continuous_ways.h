// The ways to ask what touches during a step, natively.
#ifndef TD_TESTS_CONTINUOUS_WAYS_H
#define TD_TESTS_CONTINUOUS_WAYS_H

#include <tandem/continuous.h>

// How a step can be asked without changing the answer. `brute` comes last: it is slow.
typedef struct test_step_way {
    const char *strategy;
    td_volume volume;
    td_sharing sharing;
} test_step_way;

static const test_step_way test_step_ways[] = {
    {"auto", TD_VOLUME_AABB, TD_SHARING_AUTO},         {"balanced", TD_VOLUME_AABB, TD_SHARING_QUEUES},
    {"balanced", TD_VOLUME_AABB, TD_SHARING_STEALING}, {"blocked", TD_VOLUME_AABB, TD_SHARING_AUTO},
    {"stack", TD_VOLUME_AABB, TD_SHARING_AUTO},        {"stack", TD_VOLUME_OBB, TD_SHARING_AUTO},
    {"front", TD_VOLUME_AABB, TD_SHARING_AUTO},        {"front", TD_VOLUME_OBB, TD_SHARING_AUTO},
    {"binary", TD_VOLUME_AABB, TD_SHARING_AUTO},       {"binary", TD_VOLUME_OBB, TD_SHARING_AUTO},
    {"brute", TD_VOLUME_AABB, TD_SHARING_AUTO},
};

enum { TEST_STEP_WAYS = sizeof test_step_ways / sizeof *test_step_ways };

static inline td_continuous_def test_def_of_way(td_continuous_def def, const test_step_way *way) {
    def.strategy = way->strategy;
    def.volume = way->volume;
    def.sharing = way->sharing;
    return def;
}

#endif
