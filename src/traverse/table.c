// The strategies, and how to find one by name.
#include "traversal.h"

#include "../core/error.h"

#include <stdio.h>
#include <string.h>

static const td_strategy *const td_table[] = {
    &td_strategy_brute,    // every pair of triangles; the oracle
    &td_strategy_stack,    // paper 000, Fig. 2: the classic stack of node pairs
    &td_strategy_binary,   // paper 000: one bit per descent
    &td_strategy_blocked,  // paper 002: 4 x 4 at once, breadth first, flags and prefix sums
    &td_strategy_balanced, // paper 001: work units shared out as they arise
    &td_strategy_front,    // paper 001: goes on where the last question ended
    &td_strategy_wide,     // ours: 16 tests at once; what auto picks on a CPU
};

enum { TD_STRATEGIES = sizeof td_table / sizeof td_table[0] };

uint32_t td_strategy_count(void) {
    return TD_STRATEGIES;
}

const char *td_strategy_name(uint32_t index) {
    return index < TD_STRATEGIES ? td_table[index]->name : "";
}

const char *td_strategy_description(uint32_t index) {
    return index < TD_STRATEGIES ? td_table[index]->idea : "";
}

static const td_strategy *td_strategy_on(const td_strategy *strategy, bool device) {
    return device && strategy->on_device != NULL ? strategy->on_device : strategy;
}

td_strategy_abilities td_strategy_can(uint32_t index) {
    if (index >= TD_STRATEGIES) {
        return (td_strategy_abilities){0};
    }
    const td_strategy *strategy = td_table[index], *device = td_strategy_on(strategy, true);
    const bool runs = device->run_on_device != NULL;
    return (td_strategy_abilities){
        .self = strategy->self,
        .obb = strategy->obb,
        .descents = strategy->descents,
        .device = runs,
        .device_obb = runs && device->obb,
        .device_descents = runs && device->descents,
        .device_self = runs && device->self,
    };
}

td_result td_find_strategy(const td_strategy **out, const char *name, bool on_device) {
    if (name == NULL || strcmp(name, "auto") == 0) {
        *out = on_device ? &td_strategy_blocked : &td_strategy_wide;
        return TD_OK;
    }
    char known[256] = "auto";
    for (int i = 0; i < TD_STRATEGIES; ++i) {
        if (strcmp(name, td_table[i]->name) == 0) {
            *out = td_strategy_on(td_table[i], on_device);
            return TD_OK;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", td_table[i]->name);
    }
    return td_fail(TD_ERROR_ARGUMENT, "'%s' is no strategy: expected one of %s", name, known);
}
