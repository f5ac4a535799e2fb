// What other rooms ask a tracer beside the public calls.
#ifndef TD_RAYS_SOLID_H
#define TD_RAYS_SOLID_H

#include <tandem/traced.h>

// Whether rays can tell what is inside the mesh: it is closed, and its triangles agree that their front is
// outside.
td_result td_traced_solid(bool *out, td_tracer *tracer, const td_mesh *mesh); // memory.c

#endif
