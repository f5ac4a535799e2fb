#include "opencl.h"

#include "../core/error.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// The library stays mapped even after the last td_close_opencl: drivers leave threads behind that run its
// code.
enum { TD_DLOPEN_FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

static td_result td_load_library(void **out) {
    const char *chosen = secure_getenv("TANDEM_OPENCL_LIBRARY");
    if (chosen != NULL && chosen[0] != 0) {
        *out = dlopen(chosen, TD_DLOPEN_FLAGS);
        if (*out == NULL) {
            return td_fail(TD_ERROR_DEVICE, "no OpenCL library: TANDEM_OPENCL_LIBRARY names %s: %s", chosen,
                           dlerror());
        }
        return TD_OK;
    }
    *out = dlopen("libOpenCL.so.1", TD_DLOPEN_FLAGS);
    if (*out == NULL) {
        *out = dlopen("libOpenCL.so", TD_DLOPEN_FLAGS);
    }
    if (*out == NULL) {
        return td_fail(TD_ERROR_DEVICE, "no OpenCL library: tried libOpenCL.so.1, libOpenCL.so; on Debian: "
                                        "apt-get install ocl-icd-libopencl1 pocl-opencl-icd");
    }
    return TD_OK;
}

// A function pointer from dlsym's object pointer: POSIX promises that they have one form, C does not.
static bool td_find_function(void *function, size_t size, void *library, const char *name) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

td_result td_open_opencl(td_opencl *out) {
    *out = (td_opencl){0};
    TD_TRY(td_load_library(&out->library));
    const char *missing = NULL;
#define TD_OPENCL_FIND(name)                                                                                 \
    _Static_assert(sizeof out->name == sizeof(void *), "function pointers have the size of others");         \
    if (!td_find_function(&out->name, sizeof out->name, out->library, #name)) {                              \
        missing = #name;                                                                                     \
    }
    TD_OPENCL_FUNCTIONS(TD_OPENCL_FIND)
#undef TD_OPENCL_FIND
    if (missing != NULL) {
        td_close_opencl(out);
        return td_fail(TD_ERROR_DEVICE, "the OpenCL library lacks %s: expected OpenCL 1.2 or later", missing);
    }
    return TD_OK;
}

void td_close_opencl(td_opencl *cl) {
    if (cl->library != NULL) {
        dlclose(cl->library);
    }
    *cl = (td_opencl){0};
}

bool td_opencl_is_short(cl_int code) {
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
           code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
}

const char *td_opencl_error_name(cl_int code) {
#define TD_NAME(error)                                                                                       \
    case error:                                                                                              \
        return #error
    switch (code) {
        TD_NAME(CL_DEVICE_NOT_FOUND);
        TD_NAME(CL_DEVICE_NOT_AVAILABLE);
        TD_NAME(CL_COMPILER_NOT_AVAILABLE);
        TD_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        TD_NAME(CL_OUT_OF_RESOURCES);
        TD_NAME(CL_OUT_OF_HOST_MEMORY);
        TD_NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        TD_NAME(CL_MEM_COPY_OVERLAP);
        TD_NAME(CL_BUILD_PROGRAM_FAILURE);
        TD_NAME(CL_MAP_FAILURE);
        TD_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        TD_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        TD_NAME(CL_COMPILE_PROGRAM_FAILURE);
        TD_NAME(CL_LINKER_NOT_AVAILABLE);
        TD_NAME(CL_LINK_PROGRAM_FAILURE);
        TD_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        TD_NAME(CL_INVALID_VALUE);
        TD_NAME(CL_INVALID_DEVICE_TYPE);
        TD_NAME(CL_INVALID_PLATFORM);
        TD_NAME(CL_INVALID_DEVICE);
        TD_NAME(CL_INVALID_CONTEXT);
        TD_NAME(CL_INVALID_QUEUE_PROPERTIES);
        TD_NAME(CL_INVALID_COMMAND_QUEUE);
        TD_NAME(CL_INVALID_HOST_PTR);
        TD_NAME(CL_INVALID_MEM_OBJECT);
        TD_NAME(CL_INVALID_BINARY);
        TD_NAME(CL_INVALID_BUILD_OPTIONS);
        TD_NAME(CL_INVALID_PROGRAM);
        TD_NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        TD_NAME(CL_INVALID_KERNEL_NAME);
        TD_NAME(CL_INVALID_KERNEL_DEFINITION);
        TD_NAME(CL_INVALID_KERNEL);
        TD_NAME(CL_INVALID_ARG_INDEX);
        TD_NAME(CL_INVALID_ARG_VALUE);
        TD_NAME(CL_INVALID_ARG_SIZE);
        TD_NAME(CL_INVALID_KERNEL_ARGS);
        TD_NAME(CL_INVALID_WORK_DIMENSION);
        TD_NAME(CL_INVALID_WORK_GROUP_SIZE);
        TD_NAME(CL_INVALID_WORK_ITEM_SIZE);
        TD_NAME(CL_INVALID_GLOBAL_OFFSET);
        TD_NAME(CL_INVALID_EVENT_WAIT_LIST);
        TD_NAME(CL_INVALID_EVENT);
        TD_NAME(CL_INVALID_OPERATION);
        TD_NAME(CL_INVALID_BUFFER_SIZE);
        TD_NAME(CL_INVALID_GLOBAL_WORK_SIZE);
        TD_NAME(CL_INVALID_PROPERTY);
        TD_NAME(CL_INVALID_COMPILER_OPTIONS);
        TD_NAME(CL_INVALID_LINKER_OPTIONS);
    default:
        return "unknown error";
    }
#undef TD_NAME
}
