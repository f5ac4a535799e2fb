#include "ways.h"

#include "cmocka_all.h"
#include "query/mesh.h"
#include "traverse/storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_add_way(test_ways *ways, const td_collide_def *def) {
    if (ways->count == TEST_MOST_WAYS) {
        fprintf(stderr, "more than %d ways to ask\n", TEST_MOST_WAYS);
        abort();
    }
    test_way *way = &ways->items[ways->count++];
    way->def = *def;
    snprintf(way->name, sizeof way->name, "%s, %s, %s%s", def->strategy, td_volume_name(def->volume),
             td_descent_name(def->descent), def->one_item_per_pair ? ", one item per pair" : "");
}

static void test_add_variations(test_ways *ways, td_collide_def def, bool descents, bool one_item) {
    const int most = descents ? TD_DESCENT_COUNT : 1;
    for (int descent = TD_DESCENT_AUTO; descent < most; ++descent) {
        def.descent = (td_descent)descent;
        test_add_way(ways, &def);
    }
    def.descent = TD_DESCENT_AUTO;
    def.one_item_per_pair = one_item;
    if (one_item) {
        test_add_way(ways, &def);
    }
}

void test_ways_list(test_ways *out, td_device *device, int more) {
    out->count = 0;
    for (uint32_t s = 0; s < td_strategy_count(); ++s) {
        const td_strategy_abilities can = td_strategy_can(s);
        const bool brute = strcmp(td_strategy_name(s), "brute") == 0;
        if ((device != NULL && !can.device) || (brute && (more & TEST_WAYS_BRUTE) == 0)) {
            continue;
        }
        const bool obb = device != NULL ? can.device_obb : can.obb;
        const bool descents = device != NULL ? can.device_descents : can.descents;
        for (int volume = TD_VOLUME_AABB; volume <= (obb ? TD_VOLUME_OBB : TD_VOLUME_AABB); ++volume) {
            td_collide_def def = td_default_collide_def();
            def.strategy = td_strategy_name(s);
            def.volume = (td_volume)volume;
            def.device = device;
            test_add_variations(out, def, descents && (more & TEST_WAYS_DESCENTS) != 0,
                                descents && device != NULL && (more & TEST_WAYS_ONE_ITEM) != 0);
        }
    }
}

void test_expect_state_bits(const td_collide_result *answer, const td_collide_def *def, const td_mesh *a,
                            const td_mesh *b, const char *what) {
    const bool binary = strcmp(def->strategy, "binary") == 0;
    if (!binary && strcmp(def->strategy, "stack") != 0) {
        return;
    }
    const td_storage bounds = td_storage_bounds(&a->late->post, &b->late->post);
    const uint64_t most = binary ? bounds.binary : bounds.stack, found = answer->counters.state_bits;
    if (binary && most != 64 + (uint64_t)a->late->post.height + b->late->post.height) {
        fail_msg("%s: the bound is %llu bits", what, (unsigned long long)most);
    }
    if (found > most || (found == 0 && answer->counters.box_tests > 0 && answer->colliding)) {
        fail_msg("%s: %llu bits of state, at most %llu are allowed", what, (unsigned long long)found,
                 (unsigned long long)most);
    }
}
