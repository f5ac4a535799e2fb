// Names of what a caller can choose.
#include "../core/error.h"

#include <tandem/query.h>

#include <string.h>

static const char *const td_volume_names[] = {"aabb", "obb"};
static const char *const td_sharing_names[TD_SHARING_COUNT] = {"auto", "queues", "stealing"};
static const char *const td_descent_names[TD_DESCENT_COUNT] = {"auto", "larger", "a", "b", "alternate"};

const char *td_volume_name(td_volume volume) {
    return (unsigned)volume <= TD_VOLUME_OBB ? td_volume_names[volume] : "";
}

td_result td_volume_from_name(td_volume *out, const char *name) {
    for (int i = 0; i <= TD_VOLUME_OBB; ++i) {
        if (strcmp(name, td_volume_names[i]) == 0) {
            *out = (td_volume)i;
            return TD_OK;
        }
    }
    return td_fail(TD_ERROR_ARGUMENT, "'%s' is no bounding volume: expected aabb or obb", name);
}

const char *td_sharing_name(td_sharing sharing) {
    return (unsigned)sharing < TD_SHARING_COUNT ? td_sharing_names[sharing] : "";
}

td_result td_sharing_from_name(td_sharing *out, const char *name) {
    for (int i = 0; i < TD_SHARING_COUNT; ++i) {
        if (strcmp(name, td_sharing_names[i]) == 0) {
            *out = (td_sharing)i;
            return TD_OK;
        }
    }
    return td_fail(TD_ERROR_ARGUMENT, "'%s' is no way to share work: expected auto, queues or stealing",
                   name);
}

const char *td_descent_name(td_descent descent) {
    return (unsigned)descent < TD_DESCENT_COUNT ? td_descent_names[descent] : "";
}

td_result td_descent_from_name(td_descent *out, const char *name) {
    for (int i = 0; i < TD_DESCENT_COUNT; ++i) {
        if (strcmp(name, td_descent_names[i]) == 0) {
            *out = (td_descent)i;
            return TD_OK;
        }
    }
    return td_fail(TD_ERROR_ARGUMENT, "'%s' is no descent rule: expected auto, larger, a, b or alternate",
                   name);
}
