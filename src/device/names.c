// What needs no OpenCL: names, the default definition, and what a user types for a device.
#include "device.h"

#include "../core/context.h"
#include "../core/error.h"

#include <stdlib.h>
#include <string.h>

const char *td_device_kind_name(td_device_kind kind) {
    switch (kind) {
    case TD_DEVICE_CPU:
        return "cpu";
    case TD_DEVICE_GPU:
        return "gpu";
    case TD_DEVICE_ACCELERATOR:
        return "accelerator";
    case TD_DEVICE_OTHER:
        break;
    }
    return "other";
}

const char *td_device_stage_name(td_device_stage stage) {
    switch (stage) {
    case TD_STAGE_COPY_IN:
        return "copy in";
    case TD_STAGE_COPY_OUT:
        return "copy out";
    case TD_STAGE_BOXES:
        return "boxes";
    case TD_STAGE_COLLECT:
        return "collect";
    case TD_STAGE_TRIANGLES:
        return "triangles";
    case TD_STAGE_HIERARCHY:
        return "hierarchy";
    case TD_STAGE_EXACT:
        return "exact";
    case TD_STAGE_OTHER:
    case TD_STAGE_COUNT:
        break;
    }
    return "other";
}

td_device_def td_default_device_def(void) {
    return (td_device_def){.cookie = TD_COOKIE_DEVICE};
}

enum { TD_FIRST_USABLE = -1, TD_NATIVE = -2 };

// The N of "opencl:N", TD_FIRST_USABLE or TD_NATIVE.
static td_result td_parse_device_name(int64_t *out, bool *optional, const char *text) {
    static const char prefix[] = "opencl:";
    *optional = strcmp(text, "auto") == 0;
    if (strcmp(text, "native") == 0) {
        *out = TD_NATIVE;
        return TD_OK;
    }
    if (*optional || strcmp(text, "opencl") == 0) {
        *out = TD_FIRST_USABLE;
        return TD_OK;
    }
    if (strncmp(text, prefix, sizeof prefix - 1) == 0) {
        const char *number = text + sizeof prefix - 1;
        const size_t digits = strspn(number, "0123456789");
        if (digits > 0 && digits <= 9 && number[digits] == 0) {
            *out = strtol(number, NULL, 10);
            return TD_OK;
        }
    }
    return td_fail(TD_ERROR_ARGUMENT,
                   "'%s' is no device: expected native, opencl, opencl:N (N = 0, 1, ...) or auto", text);
}

enum { TD_DEVICES_LOOKED_AT = 64 };

static td_result td_find_usable(int64_t *index, td_context *context) {
    td_device_info infos[TD_DEVICES_LOOKED_AT];
    uint32_t count = 0;
    TD_TRY(td_list_devices(infos, TD_DEVICES_LOOKED_AT, &count, context));
    const uint32_t known = count < TD_DEVICES_LOOKED_AT ? count : TD_DEVICES_LOOKED_AT;
    for (uint32_t i = 0; i < known; ++i) {
        if (infos[i].usable) {
            *index = i;
            return TD_OK;
        }
    }
    return td_fail(TD_ERROR_DEVICE,
                   "none of the OpenCL devices (%u, the first: %s) is usable: expected OpenCL 1.2 with a "
                   "compiler, available, little-endian",
                   count, infos[0].name);
}

td_result td_create_device_by_name(td_device **out, td_context *context, const char *text) {
    *out = NULL;
    int64_t index = TD_NATIVE;
    bool optional = false;
    TD_TRY(td_parse_device_name(&index, &optional, text));
    if (index == TD_NATIVE) {
        return TD_OK;
    }
    td_result result = index == TD_FIRST_USABLE ? td_find_usable(&index, context) : TD_OK;
    if (result == TD_OK) {
        td_device_def def = td_default_device_def();
        def.index = (uint32_t)index;
        result = td_create_device(out, context, &def);
    }
    if (result == TD_ERROR_DEVICE && optional) {
        td_log(context, TD_LOG_NOTE, "device auto: native, for: %s", td_error_message());
        return TD_OK;
    }
    return result;
}
