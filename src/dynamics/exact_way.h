// Whether and when two bodies touch on their ways, by the exact continuous test: nothing is stepped over,
// however thin it is.
#ifndef TD_DYNAMICS_EXACT_WAY_H
#define TD_DYNAMICS_EXACT_WAY_H

#include "body.h"

#include <tandem/continuous.h>

// Where one of the two begins and where it goes: its centre of mass along a straight line, while it turns
// about it at constant speed.
typedef struct td_exact_way {
    const td_body *body;
    td_placement from, to;
} td_exact_way;

// Where a body is at a fraction of its way. No sines, so that every processor computes the same bits.
td_placement td_exact_way_at(const td_exact_way *way, double fraction);

// The fraction of their ways after which the two touch first, never later than they do; infinity if they do
// not. An overlap at the beginning is not seen as such.
td_result td_first_touch(double *fraction, td_continuous *query, const td_exact_way ways[2]);

#endif
