// Whether and when four moving points touch: the filter, then integers where it must be; or, with a
// separation, bounds of their distance. Host only.
#ifndef TD_PREDICATES_MOVING_DECIDE_H
#define TD_PREDICATES_MOVING_DECIDE_H

#include "moving.h"

#include <tandem/continuous.h>

#define TD_COOKIE_MOVING 0x7d00000bu

// The points must be finite and the definition checked. Memory is asked of the context only where integers
// are too long for the stack; TD_ERROR_MEMORY if it has none. Safe to call from any worker.
td_result td_decide_moving(td_moving_contact *out, td_context *context, const td_moving_points *points,
                           int kind, const td_moving_def *def);

// TD_ERROR_ARGUMENT if the definition has no cookie or a separation that is none.
td_result td_check_moving_def(const td_moving_def *def);

#endif
