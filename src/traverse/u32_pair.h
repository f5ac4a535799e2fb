// Two numbers: of nodes, one of each hierarchy. C17 and OpenCL C.
#ifndef TD_TRAVERSE_U32_PAIR_H
#define TD_TRAVERSE_U32_PAIR_H

#include "../math/shared.h"

#ifdef __OPENCL_VERSION__
typedef struct td_u32_pair {
    td_u32 a, b;
} td_u32_pair;
#else
#include <tandem/query.h>
typedef td_pair td_u32_pair;
#endif

TD_INLINE td_u32_pair td_node_pair(td_u32 a, td_u32 b) {
    td_u32_pair pair;
    pair.a = a;
    pair.b = b;
    return pair;
}

#endif
