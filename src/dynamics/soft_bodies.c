// Soft bodies of a world: none yet.
#include "../core/context.h"
#include "../core/error.h"

#include <tandem/world.h>

td_soft_def td_default_soft_def(void) {
    return (td_soft_def){0};
}

td_result td_get_positions(const double **out, uint32_t *vertex_count, const td_world *world,
                           td_body_id body) {
    if (out == NULL || vertex_count == NULL || world == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "td_get_positions needs outputs and a world");
    }
    *out = NULL;
    *vertex_count = 0;
    td_body_state state;
    TD_TRY(td_get_body(&state, world, body));
    return td_fail(TD_ERROR_ARGUMENT, "body '%s' is not soft: it has no positions of its own", state.name);
}
