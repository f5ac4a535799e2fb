// Whether two triangles are farther apart than a limit, by certificate.
#ifndef TD_QUERY_CLEAR_TRIANGLES_H
#define TD_QUERY_CLEAR_TRIANGLES_H

#include "../math/vec3.h"

#include <stdbool.h>

// True only if a plane has the two on its sides with more than `limit` (> 0) between them, but for rounding:
// the distance is more than `limit` - 2^-48 (the largest coordinate), so callers enlarge the limit by that.
// All but always true where the distance is more. Triangles may be degenerate.
bool td_triangles_clear(const td_triangle *a, const td_triangle *b, double limit);

#endif
