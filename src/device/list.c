// Which devices there are.
#include "state.h"

#include <stdio.h>
#include <string.h>

static void td_platform_text(char *text, size_t size, const td_opencl *cl, cl_platform_id platform,
                             cl_platform_info what) {
    char whole[1024] = "";
    if (cl->clGetPlatformInfo(platform, what, sizeof whole, whole, NULL) != CL_SUCCESS) {
        whole[0] = 0;
    }
    snprintf(text, size, "%s", whole[0] != 0 ? whole : "unknown");
}

static void td_device_text(char *text, size_t size, const td_opencl *cl, cl_device_id device,
                           cl_device_info what) {
    char whole[1024] = "";
    if (cl->clGetDeviceInfo(device, what, sizeof whole, whole, NULL) != CL_SUCCESS) {
        whole[0] = 0;
    }
    const char *start = whole + strspn(whole, " "); // some drivers pad names
    snprintf(text, size, "%s", start[0] != 0 ? start : "unknown");
}

// Zero if the device does not tell.
static uint64_t td_device_number(const td_opencl *cl, cl_device_id device, cl_device_info what, size_t size) {
    union {
        cl_uint u32; // cl_bool as well
        cl_ulong u64;
    } number = {.u64 = 0};
    if (cl->clGetDeviceInfo(device, what, size, &number, NULL) != CL_SUCCESS) {
        return 0;
    }
    return size == sizeof number.u32 ? number.u32 : number.u64;
}

static td_device_kind td_kind_of(uint64_t type) {
    return type & CL_DEVICE_TYPE_GPU           ? TD_DEVICE_GPU
           : type & CL_DEVICE_TYPE_CPU         ? TD_DEVICE_CPU
           : type & CL_DEVICE_TYPE_ACCELERATOR ? TD_DEVICE_ACCELERATOR
                                               : TD_DEVICE_OTHER;
}

static bool td_has_float64(const td_opencl *cl, cl_device_id device) {
    const uint64_t wanted = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM;
    const uint64_t config =
        td_device_number(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config));
    return (config & wanted) == wanted;
}

static bool td_is_usable(const td_opencl *cl, cl_device_id device, const char *version) {
    unsigned major = 0, minor = 0;
    if (sscanf(version, "OpenCL %u.%u", &major, &minor) != 2 || major * 100 + minor < 102) {
        return false;
    }
    return td_device_number(cl, device, CL_DEVICE_AVAILABLE, sizeof(cl_bool)) != 0 &&
           td_device_number(cl, device, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool)) != 0 &&
           td_device_number(cl, device, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool)) != 0;
}

static td_device_info td_describe(const td_opencl *cl, cl_platform_id platform, cl_device_id device,
                                  uint32_t index) {
    td_device_info info = {.index = index};
    td_device_text(info.name, sizeof info.name, cl, device, CL_DEVICE_NAME);
    td_platform_text(info.platform, sizeof info.platform, cl, platform, CL_PLATFORM_NAME);
    td_device_text(info.version, sizeof info.version, cl, device, CL_DEVICE_VERSION);
    td_device_text(info.driver, sizeof info.driver, cl, device, CL_DRIVER_VERSION);
    info.kind = td_kind_of(td_device_number(cl, device, CL_DEVICE_TYPE, sizeof(cl_device_type)));
    info.compute_units = (uint32_t)td_device_number(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    info.memory = td_device_number(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    info.largest_allocation = td_device_number(cl, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    info.float64 = td_has_float64(cl, device);
    info.usable = td_is_usable(cl, device, info.version);
    return info;
}

// The devices of one platform. One that cannot be asked is passed over, with a warning in the log.
static td_result td_add_platform(td_found_devices *out, td_context *context, const td_opencl *cl,
                                 cl_platform_id platform) {
    cl_uint count = 0;
    cl_int code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0)) {
        return TD_OK;
    }
    cl_device_id *ids = NULL;
    if (code == CL_SUCCESS) {
        ids = TD_NEW(context, cl_device_id, count);
        if (ids == NULL) {
            return TD_ERROR_MEMORY;
        }
        code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL);
    }
    td_result result = TD_OK;
    if (code != CL_SUCCESS) {
        char name[128];
        td_platform_text(name, sizeof name, cl, platform, CL_PLATFORM_NAME);
        td_log(context, TD_LOG_WARNING, "the OpenCL platform %s does not list its devices: %s (%d)", name,
               td_opencl_error_name(code), code);
    } else {
        result = td_array_reserve(context, &out->list, count);
        for (cl_uint i = 0; i < count && result == TD_OK; ++i) {
            const uint32_t index = (uint32_t)out->list.count;
            out->list.items[out->list.count++] =
                (td_found_device){platform, ids[i], td_describe(cl, platform, ids[i], index)};
        }
    }
    TD_DELETE(context, cl_device_id, ids, count);
    return result;
}

td_result td_find_devices(td_found_devices *out, td_context *context, const td_opencl *cl) {
    cl_uint count = 0;
    const cl_int code = cl->clGetPlatformIDs(0, NULL, &count);
    if (code != CL_SUCCESS || count == 0) { // the loader has a code of its own for none: -1001
        return td_fail(TD_ERROR_DEVICE,
                       "the OpenCL library knows no platform (%d): no driver is installed; on Debian: "
                       "apt-get install pocl-opencl-icd",
                       code);
    }
    cl_platform_id *platforms = TD_NEW(context, cl_platform_id, count);
    if (platforms == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_result result = TD_OK;
    if (cl->clGetPlatformIDs(count, platforms, NULL) != CL_SUCCESS) {
        result = td_fail(TD_ERROR_DEVICE, "the OpenCL library does not list its %u platforms", count);
    }
    for (cl_uint i = 0; i < count && result == TD_OK; ++i) {
        result = td_add_platform(out, context, cl, platforms[i]);
    }
    if (result == TD_OK && out->list.count == 0) {
        char name[128];
        td_platform_text(name, sizeof name, cl, platforms[0], CL_PLATFORM_NAME);
        result =
            td_fail(TD_ERROR_DEVICE, "no OpenCL device: looked on %u platforms, the first: %s", count, name);
    }
    TD_DELETE(context, cl_platform_id, platforms, count);
    return result;
}

td_result td_list_devices(td_device_info *out, uint32_t capacity, uint32_t *count, td_context *context) {
    *count = 0;
    td_opencl cl;
    TD_TRY(td_open_opencl(&cl));
    td_found_devices found = {0};
    const td_result result = td_find_devices(&found, context, &cl);
    if (result == TD_OK) {
        *count = (uint32_t)found.list.count;
        for (uint32_t i = 0; i < *count && i < capacity; ++i) {
            out[i] = found.list.items[i].info;
        }
    }
    td_array_release(context, &found.list);
    td_close_opencl(&cl);
    return result;
}
