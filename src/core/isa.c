// Instruction sets: their names, and which of them this build and this processor have.
#include "error.h"

#include <string.h>

static const char *const td_isa_names[TD_ISA_COUNT] = {"auto", "scalar", "sse4", "avx2", "avx512", "neon"};

const char *td_isa_name(td_isa isa) {
    return (unsigned)isa < TD_ISA_COUNT ? td_isa_names[isa] : "unknown";
}

td_result td_isa_from_name(td_isa *out, const char *name) {
    for (int i = 0; i < TD_ISA_COUNT; ++i) {
        if (strcmp(name, td_isa_names[i]) == 0) {
            *out = (td_isa)i;
            return TD_OK;
        }
    }
    return td_fail(TD_ERROR_ARGUMENT,
                   "'%s' is no instruction set: expected auto, scalar, sse4, avx2, avx512 or neon", name);
}

bool td_isa_available(td_isa isa) {
    switch (isa) {
    case TD_ISA_AUTO:
    case TD_ISA_SCALAR:
        return true;
#if defined(__x86_64__) || defined(__i386__)
    case TD_ISA_SSE4:
        return __builtin_cpu_supports("sse4.1") != 0;
    case TD_ISA_AVX2:
        return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case TD_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
               __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0;
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return true;
#endif
    default:
        return false;
    }
}
