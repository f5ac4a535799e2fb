// The strategies of continuous collision: their table, and what each can do.
#include "../core/context.h"
#include "../core/error.h"
#include "continuous.h"
#include "front.h"

#include <stdio.h>
#include <string.h>

// Binary trees know oriented boxes and rules of descent, blocks neither.
static const td_moving_strategy td_moving_strategies[] = {
    {.name = "wide"},                    // blocks, depth first; the fastest
    {.name = "blocked", .device = true}, // blocks, breadth first
    {.name = "balanced", // natively blocks, shared out as work arises; on a device pairs of nodes
     .device = true,
     .device_walks = &td_strategy_balanced_on_device},
    {.name = "front", // where the last step ended
     .device = true,
     .walks = &td_strategy_front,
     .device_walks = &td_strategy_front},
    {.name = "stack", // pairs of nodes on a stack
     .device = true,
     .walks = &td_strategy_stack,
     .device_walks = &td_strategy_stack},
    {.name = "binary", // one bit per descent
     .device = true,
     .walks = &td_strategy_binary,
     .device_walks = &td_strategy_binary},
    {.name = "brute"}, // every pair of triangles
};

enum { TD_MOVING_STRATEGIES = sizeof td_moving_strategies / sizeof td_moving_strategies[0] };

static td_result td_named_strategy(const td_moving_strategy **out, const td_continuous_def *def) {
    const char *name = def->strategy;
    if (name == NULL || strcmp(name, "auto") == 0) {
        name = def->device != NULL ? "blocked" : "wide";
    }
    char known[256] = "auto";
    for (int i = 0; i < TD_MOVING_STRATEGIES; ++i) {
        const td_moving_strategy *strategy = &td_moving_strategies[i];
        if (strcmp(name, strategy->name) == 0) {
            *out = strategy;
            return TD_OK;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s%s", strategy->name,
                 strategy->device ? "" : " (natively)");
    }
    return td_fail(TD_ERROR_ARGUMENT, "'%s' is no strategy of continuous collision: expected one of %s", name,
                   known);
}

static td_result td_check_front_of_step(const td_continuous_way *way, const td_continuous *query,
                                        const td_continuous_def *def) {
    if (way->walks != &td_strategy_front) {
        return td_fail(TD_ERROR_ARGUMENT, "strategy '%s' has no use for a front: expected 'front'",
                       way->strategy->name);
    }
    return def->front->context == query->context
               ? TD_OK
               : td_fail(TD_ERROR_ARGUMENT, "the front and the query are of different contexts");
}

// What the strategy cannot do is said, not done in another way.
td_result td_find_moving_strategy(td_continuous_way *way, const td_continuous *query,
                                  const td_continuous_def *def) {
    const bool on_device = def->device != NULL;
    TD_TRY(td_named_strategy(&way->strategy, def));
    const td_moving_strategy *strategy = way->strategy;
    if (on_device && !strategy->device) {
        return td_fail(TD_ERROR_UNSUPPORTED, "continuous collision by strategy '%s' runs natively only",
                       strategy->name);
    }
    way->walks = on_device ? strategy->device_walks : strategy->walks;
    if ((unsigned)def->volume > TD_VOLUME_OBB) {
        return td_fail(TD_ERROR_ARGUMENT, "volume %d is not one of the enumerators", (int)def->volume);
    }
    if ((unsigned)def->sharing >= TD_SHARING_COUNT || !(def->idle_share >= 0 && def->idle_share <= 1)) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "sharing %d with %g of the tasks idle: expected one of the enumerators and 0 to 1",
                       (int)def->sharing, def->idle_share);
    }
    if (def->volume == TD_VOLUME_OBB && way->walks == NULL) {
        return td_fail(
            TD_ERROR_UNSUPPORTED,
            "continuous collision by strategy '%s' knows no oriented boxes %s: expected volume 'aabb', "
            "or strategy %s",
            strategy->name, on_device ? "on a device" : "natively",
            on_device ? "'balanced', 'binary', 'front' or 'stack'" : "'binary', 'front' or 'stack'");
    }
    if ((unsigned)def->descent >= TD_DESCENT_COUNT) {
        return td_fail(TD_ERROR_ARGUMENT, "descent rule %d is not one of the enumerators", (int)def->descent);
    }
    if (def->descent != TD_DESCENT_AUTO && (way->walks == NULL || !way->walks->descents)) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "continuous collision by strategy '%s' has no descent rule: expected 'auto', not '%s'",
                       strategy->name, td_descent_name(def->descent));
    }
    if (def->front != NULL) {
        TD_TRY(td_check_front_of_step(way, query, def));
    }
    if (def->device != NULL && td_device_context(def->device) != query->context) {
        return td_fail(TD_ERROR_ARGUMENT, "the device and the query are of different contexts");
    }
    return TD_OK;
}

static td_result td_fit_tree(td_continuous *query, td_continuous_side *side, const td_mesh *mesh,
                             const td_continuous_way *way) {
    const bool oriented = way->volume == TD_VOLUME_OBB;
    if (way->walks->layout == TD_LAYOUT_SPLIT) {
        TD_TRY(td_mesh_prepare_split_nodes(mesh));
        TD_TRY(td_swept_tree_of_split(&side->tree, query->context, &mesh->late->split, mesh->structure,
                                      oriented));
    } else {
        TD_TRY(td_mesh_prepare_postorder(mesh, TD_VOLUME_AABB));
        TD_TRY(
            td_swept_tree_of_post(&side->tree, query->context, &mesh->late->post, mesh->structure, oriented));
    }
    td_swept_tree_fit(&side->tree, query->context, &side->swept, &side->features, &query->frame, oriented);
    return TD_OK;
}

td_result td_fit_trees(td_continuous *query, const td_continuous_way *way) {
    if (way->walks == NULL) {
        return TD_OK;
    }
    TD_TRY(td_fit_tree(query, &query->sides[0], way->meshes[0], way));
    return way->self ? TD_OK : td_fit_tree(query, &query->sides[1], way->meshes[1], way);
}
