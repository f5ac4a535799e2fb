// The elementary tests of continuous collision on devices that have float64: the filter of
// src/predicates/moving_filter.h, a work-item per candidate. What it leaves undecided is handed to the host,
// unless the work has a budget: then that is the answer.
#include "../src/predicates/moving_filter.h"
#include "../src/traverse/swept_counts.h"

static td_moving_points td_points_of(__global const td_path *paths_a, __global const td_path *paths_b,
                                     const td_candidate *candidate) {
    td_moving_points points;
    for (int i = 0; i < 4; ++i) {
        __global const td_path *path =
            (td_is_of_b(candidate->kind, i) ? paths_b : paths_a) + candidate->vertex[i];
        points.at[0][i] = path->at[0];
        points.at[1][i] = path->at[1];
    }
    return points;
}

// `contacts` and `handed` have room for all.
__kernel void td_filter_candidates(__global const td_path *paths_a, __global const td_path *paths_b,
                                   __global const td_candidate *candidates, uint count, int most_steps,
                                   uint budgeted, __global td_swept_contact *contacts,
                                   __global td_candidate *handed, volatile __global uint *counts) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    const td_candidate candidate = candidates[item];
    const td_moving_points points = td_points_of(paths_a, paths_b, &candidate);
    const int kind = candidate.kind == TD_CONTACT_EDGE_EDGE ? TD_EDGE_EDGE : TD_VERTEX_FACE;
    const td_moving_result found = td_moving_filter(&points, kind, most_steps);
    if (found.state == TD_MOVING_APART) {
        return;
    }
    if (found.state == TD_MOVING_UNDECIDED && !budgeted) {
        handed[atomic_inc(counts + TD_SWEPT_HANDED)] = candidate;
        return;
    }
    __global td_swept_contact *contact = contacts + atomic_inc(counts + TD_SWEPT_CONTACTS);
    contact->a = candidate.a;
    contact->b = candidate.b;
    contact->kind = candidate.kind;
    contact->certain = found.state != TD_MOVING_UNDECIDED;
    contact->time = found.lower;
}
