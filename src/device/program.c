// Programs: from the embedded source, or from the cache, to kernels.
#include "program_cache.h"
#include "state.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// Compiling

// Tells the log all that the compiler said, and puts the first lines of it into `start`.
static void td_tell_build_log(td_device *device, const td_device_program *program, char *start, size_t size) {
    start[0] = 0;
    size_t length = 0;
    const td_opencl *cl = &device->cl;
    if (cl->clGetProgramBuildInfo(program->handle, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) !=
            CL_SUCCESS ||
        length == 0) {
        return;
    }
    char *text = TD_NEW(device->context, char, length + 1);
    if (text == NULL) {
        return; // the failure to compile is what is told
    }
    if (cl->clGetProgramBuildInfo(program->handle, device->id, CL_PROGRAM_BUILD_LOG, length, text, NULL) ==
        CL_SUCCESS) {
        text[length] = 0;
        snprintf(start, size, "%s", text);
        for (char *line = text; *line != 0;) {
            const size_t line_length = strcspn(line, "\n");
            td_log(device->context, TD_LOG_WARNING, "kernels/%s.cl: %.*s", program->source->name,
                   (int)line_length, line);
            line += line_length + (line[line_length] == '\n');
        }
    }
    TD_DELETE(device->context, char, text, length + 1);
}

static td_result td_compile_source(td_device *device, td_device_program *program) {
    const td_opencl *cl = &device->cl;
    const char *text = (const char *)program->source->text;
    cl_int code = CL_SUCCESS;
    program->handle =
        cl->clCreateProgramWithSource(device->cl_context, 1, &text, &program->source->size, &code);
    if (program->handle == NULL) {
        return td_device_fail(device, code, "kernels/%s.cl", program->source->name);
    }
    code = cl->clBuildProgram(program->handle, 1, &device->id, program->options, NULL, NULL);
    if (code != CL_SUCCESS) {
        char start[400];
        td_tell_build_log(device, program, start, sizeof start);
        return td_device_fail(device, code, "kernels/%s.cl does not compile with %s: %s",
                              program->source->name, program->options, start);
    }
    return TD_OK;
}

// Whether the driver took the binary; *program is left without a handle if not.
static bool td_take_binary(td_device *device, td_device_program *program, td_bytes binary) {
    const td_opencl *cl = &device->cl;
    const unsigned char *data = binary.data;
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    program->handle = cl->clCreateProgramWithBinary(device->cl_context, 1, &device->id, &binary.size, &data,
                                                    &status, &code);
    if (program->handle == NULL) {
        return false;
    }
    if (status == CL_SUCCESS &&
        cl->clBuildProgram(program->handle, 1, &device->id, program->options, NULL, NULL) == CL_SUCCESS) {
        return true;
    }
    cl->clReleaseProgram(program->handle);
    program->handle = NULL;
    return false;
}

// ---------------------------------------------------------------------------------------------------------
// The cache

// The key ends with zeros: it is a little larger than its text.
static td_result td_make_key(td_bytes *out, const td_device *device, const td_device_program *program) {
    static const char format[] = "platform: %s\ndevice: %s\ndriver: %s\nversion: %s\noptions: %s\n%s";
    const td_device_info *info = &device->info;
    const size_t size = sizeof format + strlen(info->platform) + strlen(info->name) + strlen(info->driver) +
                        strlen(info->version) + strlen(program->options) + program->source->size;
    out->data = TD_NEW(device->context, unsigned char, size);
    if (out->data == NULL) {
        return TD_ERROR_MEMORY;
    }
    out->size = size;
    memset(out->data, 0, size);
    snprintf((char *)out->data, size, format, info->platform, info->name, info->driver, info->version,
             program->options, (const char *)program->source->text);
    return TD_OK;
}

static td_result td_keep_binary(td_device *device, const td_device_program *program, td_bytes key) {
    const td_opencl *cl = &device->cl;
    size_t size = 0;
    if (cl->clGetProgramInfo(program->handle, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0) {
        td_log(device->context, TD_LOG_NOTE, "device %s gives no binaries: kernels are not kept",
               device->info.name);
        return TD_OK;
    }
    const td_bytes binary = {TD_NEW(device->context, unsigned char, size), size};
    if (binary.data == NULL) {
        return TD_ERROR_MEMORY;
    }
    unsigned char *target = binary.data;
    td_result result = TD_OK;
    if (cl->clGetProgramInfo(program->handle, CL_PROGRAM_BINARIES, sizeof target, &target, NULL) ==
        CL_SUCCESS) {
        result = td_save_cached_program(device->context, device->cache_folder, key, binary);
    }
    TD_DELETE(device->context, unsigned char, binary.data, size);
    return result;
}

static td_result td_compile_through_cache(td_device *device, td_device_program *program) {
    td_bytes key = {0}, binary = {0};
    TD_TRY(td_make_key(&key, device, program));
    td_result result = td_load_cached_program(&binary, device->context, device->cache_folder, key);
    bool taken = false;
    if (result == TD_OK && binary.data != NULL) {
        taken = td_take_binary(device, program, binary);
        if (!taken) {
            td_log(device->context, TD_LOG_NOTE, "device %s refuses the kept kernels/%s.cl: compiling again",
                   device->info.name, program->source->name);
        }
    }
    if (result == TD_OK && !taken) {
        result = td_compile_source(device, program);
        if (result == TD_OK) {
            result = td_keep_binary(device, program, key);
        }
    }
    TD_DELETE(device->context, unsigned char, binary.data, binary.size);
    TD_DELETE(device->context, unsigned char, key.data, key.size);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// Programs

static void td_release_program(td_device *device, td_device_program *program) {
    if (program->handle != NULL) {
        device->cl.clReleaseProgram(program->handle);
    }
    TD_DELETE(device->context, char, program->options, program->options_size);
    TD_DELETE(device->context, td_device_program, program, 1);
}

static const td_kernel_source *td_find_source(const char *name) {
    for (uint32_t i = 0; i < td_kernel_source_count; ++i) {
        if (strcmp(td_kernel_sources[i].name, name) == 0) {
            return &td_kernel_sources[i];
        }
    }
    return NULL;
}

static td_result td_build_program(td_device *device, td_device_program *program, const char *options) {
    const char *own = device->float64 ? "-cl-std=CL1.2 -DTD_DEVICE_FLOAT64=1" : "-cl-std=CL1.2";
    program->options_size = strlen(own) + 1 + strlen(options) + 1;
    program->options = TD_NEW(device->context, char, program->options_size);
    if (program->options == NULL) {
        return TD_ERROR_MEMORY;
    }
    snprintf(program->options, program->options_size, "%s %s", own, options);
    program->asked = program->options + strlen(own) + 1;
    return device->cache_folder != NULL ? td_compile_through_cache(device, program)
                                        : td_compile_source(device, program);
}

static td_result td_find_program(td_device_program **out, td_device *device, const char *name,
                                 const char *options) {
    for (td_device_program *program = device->programs; program != NULL; program = program->next) {
        if (strcmp(program->source->name, name) == 0 && strcmp(program->asked, options) == 0) {
            *out = program;
            return TD_OK;
        }
    }
    const td_kernel_source *source = td_find_source(name);
    if (source == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "there is no kernels/%s.cl in this build", name);
    }
    td_device_program *program = TD_NEW(device->context, td_device_program, 1);
    if (program == NULL) {
        return TD_ERROR_MEMORY;
    }
    *program = (td_device_program){.source = source};
    const td_result result = td_build_program(device, program, options);
    if (result != TD_OK) {
        td_release_program(device, program);
        return result;
    }
    program->next = device->programs;
    device->programs = program;
    *out = program;
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Kernels

static td_result td_open_kernel(td_device *device, td_kernel *kernel) {
    const td_opencl *cl = &device->cl;
    cl_int code = CL_SUCCESS;
    kernel->handle = cl->clCreateKernel(kernel->program->handle, kernel->name, &code);
    if (kernel->handle == NULL) {
        return td_device_fail(device, code, "kernels/%s.cl, kernel %s", kernel->program->source->name,
                              kernel->name);
    }
    cl_uint count = 0;
    code = cl->clGetKernelInfo(kernel->handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    if (code != CL_SUCCESS) {
        cl->clReleaseKernel(kernel->handle);
        return td_device_fail(device, code, "cannot count the arguments of kernel %s", kernel->name);
    }
    kernel->argument_count = count;
    return TD_OK;
}

td_result td_find_kernel(const td_kernel **out, td_device *device, const char *program, const char *options,
                         const char *name) {
    td_device_program *found = NULL;
    TD_TRY(td_find_program(&found, device, program, options != NULL ? options : ""));
    for (const td_kernel *kernel = device->kernels; kernel != NULL; kernel = kernel->next) {
        if (kernel->program == found && strcmp(kernel->name, name) == 0) {
            *out = kernel;
            return TD_OK;
        }
    }
    td_kernel *kernel = TD_NEW(device->context, td_kernel, 1);
    if (kernel == NULL) {
        return TD_ERROR_MEMORY;
    }
    *kernel = (td_kernel){.program = found};
    td_result result = TD_OK;
    if ((size_t)snprintf(kernel->name, sizeof kernel->name, "%s", name) >= sizeof kernel->name) {
        result = td_fail(TD_ERROR_ARGUMENT, "a kernel's name has at most %zu letters: %s",
                         sizeof kernel->name - 1, name);
    }
    if (result == TD_OK) {
        result = td_open_kernel(device, kernel);
    }
    if (result != TD_OK) {
        TD_DELETE(device->context, td_kernel, kernel, 1);
        return result;
    }
    kernel->next = device->kernels;
    device->kernels = kernel;
    *out = kernel;
    return TD_OK;
}

void td_release_programs(td_device *device) {
    while (device->kernels != NULL) {
        td_kernel *kernel = device->kernels;
        device->kernels = kernel->next;
        device->cl.clReleaseKernel(kernel->handle);
        TD_DELETE(device->context, td_kernel, kernel, 1);
    }
    while (device->programs != NULL) {
        td_device_program *program = device->programs;
        device->programs = program->next;
        td_release_program(device, program);
    }
}
