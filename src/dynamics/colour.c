#include "colour.h"

#include <string.h>

static bool td_is_moved(const td_problem *problem, uint32_t body) {
    return problem->bodies[body].inverse_mass > 0.0;
}

// The lowest colour that neither body has yet, and marks it.
static uint8_t td_take_colour(const td_problem *problem, const td_constraint *constraint, uint32_t *masks) {
    const bool moves_a = td_is_moved(problem, constraint->a), moves_b = td_is_moved(problem, constraint->b);
    if ((!moves_a && !moves_b) || constraint->count == 0) {
        return TD_COLOUR_IDLE;
    }
    const uint32_t taken =
        (moves_a ? masks[constraint->a] : 0) | (moves_b ? masks[constraint->b] : 0) | ~0u << TD_COLOURS;
    if (taken == ~0u) {
        return TD_COLOUR_REST;
    }
    const uint32_t colour = (uint32_t)__builtin_ctz(~taken);
    masks[constraint->a] |= moves_a ? 1u << colour : 0;
    masks[constraint->b] |= moves_b ? 1u << colour : 0;
    return (uint8_t)colour;
}

td_colouring td_colour_constraints(const td_problem *problem, uint32_t *masks, uint8_t *groups,
                                   uint32_t *order) {
    td_colouring colouring = {0};
    memset(masks, 0, problem->body_count * sizeof *masks);
    uint32_t counts[TD_COLOUR_GROUPS] = {0};
    for (uint32_t i = 0; i < problem->constraint_count; ++i) {
        groups[i] = td_take_colour(problem, &problem->constraints[i], masks);
        counts[groups[i]]++;
    }
    uint32_t next[TD_COLOUR_GROUPS];
    for (uint32_t group = 0; group < TD_COLOUR_GROUPS; ++group) {
        next[group] = colouring.starts[group];
        colouring.starts[group + 1] = colouring.starts[group] + counts[group];
        if (group < TD_COLOURS && counts[group] > 0) {
            colouring.colours = group + 1;
        }
    }
    for (uint32_t i = 0; i < problem->constraint_count; ++i) {
        order[next[groups[i]]++] = i;
    }
    return colouring;
}

void td_list_edges(const td_problem *problem, const uint32_t *order, uint32_t order_count, uint32_t *starts,
                   uint32_t *edges) {
    memset(starts, 0, (problem->body_count + (size_t)1) * sizeof *starts);
    for (uint32_t place = 0; place < order_count; ++place) {
        const td_constraint *constraint = &problem->constraints[order[place]];
        starts[constraint->a] += td_is_moved(problem, constraint->a);
        starts[constraint->b] += td_is_moved(problem, constraint->b);
    }
    uint32_t sum = 0;
    for (uint32_t body = 0; body <= problem->body_count; ++body) {
        sum += starts[body];
        starts[body] = sum; // the end of its edges: filled from there downwards, it becomes their start
    }
    for (uint32_t place = order_count; place-- > 0;) {
        const td_constraint *constraint = &problem->constraints[order[place]];
        const uint32_t ends[2] = {constraint->a, constraint->b};
        for (uint32_t side = 0; side < 2; ++side) {
            if (td_is_moved(problem, ends[side])) {
                edges[--starts[ends[side]]] = 2 * place + side;
            }
        }
    }
}
