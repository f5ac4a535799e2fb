// The graph of a problem: bodies that contacts move are its nodes, constraints its edges.
//
// A colour is a set of constraints no two of which move the same body, so they can be solved side by side.
// Colours are given first come, first served in the order of the constraints: nothing depends on threads. A
// body that contacts do not move (its inverse mass is 0) is only read, and may be in any number of them.
#ifndef TD_DYNAMICS_COLOUR_H
#define TD_DYNAMICS_COLOUR_H

#include "solver.h"

enum {
    TD_COLOURS = 24,                 // at most; a body may have more constraints than that
    TD_COLOUR_REST = TD_COLOURS,     // constraints that found no colour: to be solved one by one
    TD_COLOUR_IDLE = TD_COLOURS + 1, // constraints that move nothing: between two such bodies, or of no point
    TD_COLOUR_GROUPS
};

typedef struct td_colouring {
    uint32_t colours; // in use; groups 0 ... colours - 1 and TD_COLOUR_REST are not empty
    uint32_t starts[TD_COLOUR_GROUPS + 1]; // of the groups, in `order`
} td_colouring;

// `masks` has room for a number per body, `groups` and `order` for one per constraint. `order` becomes the
// constraints, group by group, and in the given order within each.
td_colouring td_colour_constraints(const td_problem *problem, uint32_t *masks, uint8_t *groups,
                                   uint32_t *order);

// Which constraints a body takes part in: `edges[starts[i]]` to before `edges[starts[i + 1]]` are 2 * place +
// side with the place of the constraint in `order` and side 0 if the body is its a, 1 if its b. By increasing
// place; without the idle ones, and only for bodies that contacts move. `starts` has room for body_count + 1,
// `edges` for two per constraint.
void td_list_edges(const td_problem *problem, const uint32_t *order, uint32_t order_count, uint32_t *starts,
                   uint32_t *edges);

#endif
