#include "moving_decide.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "moving_exact.h"
#include "moving_filter.h"
#include "moving_separation.h"

#include <math.h>

_Static_assert((int)TD_PAIR_VERTEX_FACE == TD_VERTEX_FACE && (int)TD_PAIR_EDGE_EDGE == TD_EDGE_EDGE,
               "the public names of the kinds are the internal ones");

static td_moving_contact td_contact_of(td_moving_result found) {
    const bool touching = found.state != TD_MOVING_APART;
    return (td_moving_contact){touching, found.state != TD_MOVING_UNDECIDED, touching ? found.lower : 1.0};
}

// Integers of ordinary length fit the stack; those that do not are so rare that their memory is not kept.
static td_result td_decide_exactly(td_moving_contact *out, td_context *context,
                                   const td_moving_points *points, int kind, td_moving_result window) {
    td_limb limbs[TD_MOVING_STACK_LIMBS];
    td_big_arena arena = {.limbs = limbs, .size = TD_MOVING_STACK_LIMBS};
    td_moving_result found = td_moving_exact(&arena, points, kind, window);
    if (found.state == TD_MOVING_UNDECIDED) {
        arena = (td_big_arena){.limbs = TD_NEW(context, td_limb, TD_MOVING_EXACT_LIMBS),
                               .size = TD_MOVING_EXACT_LIMBS};
        if (arena.limbs == NULL) {
            return TD_ERROR_MEMORY;
        }
        found = td_moving_exact(&arena, points, kind, window);
        TD_DELETE(context, td_limb, arena.limbs, TD_MOVING_EXACT_LIMBS);
    }
    *out = td_contact_of(found);
    return TD_OK;
}

td_result td_decide_moving(td_moving_contact *out, td_context *context, const td_moving_points *points,
                           int kind, const td_moving_def *def) {
    if (def->separation > 0.0) {
        *out = td_moving_separation(points, kind, def->separation, def->budget);
        return TD_OK;
    }
    const uint32_t steps = def->budget > 0 && def->budget < INT32_MAX ? def->budget : TD_MOVING_MOST_STEPS;
    const td_moving_result found = td_moving_filter(points, kind, (int)steps);
    if (found.state == TD_MOVING_UNDECIDED && def->budget == 0) {
        return td_decide_exactly(out, context, points, kind, found);
    }
    *out = td_contact_of(found);
    return TD_OK;
}

td_result td_check_moving_def(const td_moving_def *def) {
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_MOVING, "td_default_moving_def"));
    if (!(def->separation >= 0.0 && def->separation < INFINITY)) {
        return td_fail(TD_ERROR_ARGUMENT, "separation is %g; expected a finite number that is not negative",
                       def->separation);
    }
    return TD_OK;
}
