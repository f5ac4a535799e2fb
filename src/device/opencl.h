// OpenCL as it is found at run time: the functions of its library, loaded by name, so that nothing is linked
// and a machine without OpenCL runs everything else.
#ifndef TD_DEVICE_OPENCL_H
#define TD_DEVICE_OPENCL_H

#include <tandem/base.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define TD_OPENCL_FUNCTIONS(X)                                                                               \
    X(clGetPlatformIDs)                                                                                      \
    X(clGetPlatformInfo)                                                                                     \
    X(clGetDeviceIDs)                                                                                        \
    X(clGetDeviceInfo)                                                                                       \
    X(clCreateContext)                                                                                       \
    X(clReleaseContext)                                                                                      \
    X(clCreateCommandQueue)                                                                                  \
    X(clReleaseCommandQueue)                                                                                 \
    X(clFinish)                                                                                              \
    X(clCreateBuffer)                                                                                        \
    X(clReleaseMemObject)                                                                                    \
    X(clEnqueueReadBuffer)                                                                                   \
    X(clEnqueueWriteBuffer)                                                                                  \
    X(clEnqueueCopyBuffer)                                                                                   \
    X(clEnqueueFillBuffer)                                                                                   \
    X(clEnqueueNDRangeKernel)                                                                                \
    X(clWaitForEvents)                                                                                       \
    X(clGetEventInfo)                                                                                        \
    X(clGetEventProfilingInfo)                                                                               \
    X(clReleaseEvent)                                                                                        \
    X(clCreateProgramWithSource)                                                                             \
    X(clCreateProgramWithBinary)                                                                             \
    X(clBuildProgram)                                                                                        \
    X(clGetProgramInfo)                                                                                      \
    X(clGetProgramBuildInfo)                                                                                 \
    X(clReleaseProgram)                                                                                      \
    X(clCreateKernel)                                                                                        \
    X(clGetKernelInfo)                                                                                       \
    X(clSetKernelArg)                                                                                        \
    X(clReleaseKernel)

typedef struct td_opencl {
    void *library; // of dlopen
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define TD_OPENCL_FIELD(name) __typeof__(&name) name;
    TD_OPENCL_FUNCTIONS(TD_OPENCL_FIELD)
#undef TD_OPENCL_FIELD
} td_opencl;

// Loads libOpenCL.so.1 or libOpenCL.so; if the environment variable TANDEM_OPENCL_LIBRARY names a library,
// that one and no other.
td_result td_open_opencl(td_opencl *out);
void td_close_opencl(td_opencl *cl); // {0} is fine

// "CL_OUT_OF_RESOURCES"; for numbers that are none of OpenCL 1.2's: "unknown error".
const char *td_opencl_error_name(cl_int code);

// Whether the code says that memory ran out, on the device or in the driver.
bool td_opencl_is_short(cl_int code);

#endif
