#include "depth_rays.h"

typedef struct td_rays_functions {
    td_rays_aim_fn *aim;
    td_rays_cast_fn *cast;
} td_rays_functions;

static td_rays_functions td_rays_for(td_isa isa) {
    switch (isa) {
#if defined(__x86_64__)
    case TD_ISA_SSE4:
        return (td_rays_functions){td_rays_aim_sse4, td_rays_cast_sse4};
    case TD_ISA_AVX2:
        return (td_rays_functions){td_rays_aim_avx2, td_rays_cast_avx2};
    case TD_ISA_AVX512:
        return (td_rays_functions){td_rays_aim_avx512, td_rays_cast_avx512};
#elif defined(__aarch64__)
    case TD_ISA_NEON:
        return (td_rays_functions){td_rays_aim_neon, td_rays_cast_neon};
#endif
    default:
        return (td_rays_functions){td_rays_aim_scalar, td_rays_cast_scalar};
    }
}

void td_rays_aim(td_rays *rays, td_isa isa, const td_facet *facets, const uint32_t *numbers, size_t count) {
    td_rays_for(isa).aim(rays, facets, numbers, count);
}

double td_rays_cast(const td_rays *rays, td_isa isa, td_vec3 from, double enough) {
    return td_rays_for(isa).cast(rays, from, enough);
}
