// Every pair of boxes: quadratic, nothing kept, nothing that could go wrong. The oracle of the other kinds.
#include "../core/error.h"
#include "kind.h"

static td_result td_all_create(td_broad *broad) {
    broad->state = NULL;
    return TD_OK;
}

static void td_all_destroy(td_broad *broad) {
    broad->state = NULL;
}

static td_result td_all_find(td_broad *broad) {
    const td_proxy *proxies = broad->proxies.items;
    const td_box *boxes = broad->boxes.items;
    const uint32_t count = (uint32_t)broad->proxies.count;
    for (uint32_t a = 0; a < count; ++a) {
        if (!proxies[a].alive) {
            continue;
        }
        TD_TRY(td_array_reserve(broad->context, &broad->found, count - a));
        for (uint32_t b = a + 1; b < count; ++b) {
            if (!proxies[b].alive) {
                continue;
            }
            broad->tests++;
            if (td_boxes_overlap(&boxes[a], &boxes[b]) && td_may_meet(&proxies[a], &proxies[b])) {
                broad->found.items[broad->found.count++] = (td_pair){a, b};
            }
        }
    }
    return TD_OK;
}

const td_broad_kind td_broad_all = {
    .name = "all",
    .idea = "every pair of boxes; the oracle",
    .create = td_all_create,
    .destroy = td_all_destroy,
    .find = td_all_find,
};
