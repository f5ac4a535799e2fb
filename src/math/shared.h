// What makes one header both C17 and OpenCL C 1.2. Shared geometry passes everything by value, uses no
// function pointers, no bit-fields, no bool or size_t in structs, and starts with this file.
#ifndef TD_MATH_SHARED_H
#define TD_MATH_SHARED_H

#ifdef __OPENCL_VERSION__
#define TD_INLINE  inline
#define TD_ABSF(x) fabs(x)
typedef uint td_u32;
typedef int td_i32;
#pragma OPENCL FP_CONTRACT OFF
#else
#include <math.h>
#include <stdint.h>
#define TD_INLINE  static inline
#define TD_ABSF(x) fabsf(x)
typedef uint32_t td_u32;
typedef int32_t td_i32;
#endif

#endif
