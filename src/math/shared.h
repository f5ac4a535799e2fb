// What makes one header both C17 and OpenCL C 1.2. Shared geometry passes small things by value, uses no
// function pointers, no bit-fields, no bool or size_t in structs, and starts with this file.
//
// Pointers into the memory of a device are marked TD_GLOBAL; unmarked ones are to the work-item's own
// variables. TD_HAS_FLOAT64 is defined where double may be used: always on the host, on a device if it has
// it.
#ifndef TD_MATH_SHARED_H
#define TD_MATH_SHARED_H

#ifdef __OPENCL_VERSION__
#define TD_INLINE  static inline
#define TD_GLOBAL  __global
#define TD_UNROLL  _Pragma("unroll") // compilers of kernels leave loops over three coordinates as loops
#define TD_ABSF(x) fabs(x)
#define TD_CLZ(x)  clz(x)  // of 32 bits, not all zero
#define TD_ALIGN16         // vectors are loaded from anywhere
#define half       td_half // a type of OpenCL C, of which we have no use; to us it is the half-size of a box
typedef uint td_u32;
typedef ulong td_u64;
typedef int td_i32;
#pragma OPENCL FP_CONTRACT OFF
#ifdef TD_DEVICE_FLOAT64 // the host's decision, in the options of the build
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define TD_HAS_FLOAT64
#endif
#else
#include <math.h>
#include <stdint.h>
#define TD_INLINE static inline
#define TD_GLOBAL
#define TD_UNROLL
#define TD_ABSF(x) fabsf(x)
#define TD_CLZ(x)  ((td_u32)__builtin_clz(x))
#define TD_ALIGN16 _Alignas(16)
#define TD_HAS_FLOAT64
typedef uint32_t td_u32;
typedef uint64_t td_u64;
typedef int32_t td_i32;
#endif

#ifdef TD_HAS_FLOAT64
// Of numbers: fmin and fmax, which also ask for NaN, are calls.
TD_INLINE double td_larger(double a, double b) {
    return a > b ? a : b;
}

TD_INLINE double td_smaller(double a, double b) {
    return a < b ? a : b;
}
#endif

#endif
