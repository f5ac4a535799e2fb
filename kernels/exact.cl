// The exact predicate on what the filter left undecided, on devices that have float64. Triangles outside the
// range of the expansions (src/predicates/orient.h) are handed to the host.
#include "../src/traverse/device_tally.h"

#include "../src/math/rigid.h"
#include "../src/predicates/tri_tri_body.h"

static td_vec3 td_corner(__global const double *corners, uint vertex) {
    return td_vec3_make(corners[3 * (size_t)vertex], corners[3 * (size_t)vertex + 1],
                        corners[3 * (size_t)vertex + 2]);
}

static td_triangle td_fetch(__global const double *corners, __global const uint *indices, uint triangle) {
    td_triangle t;
    t.p0 = td_corner(corners, indices[3 * (size_t)triangle]);
    t.p1 = td_corner(corners, indices[3 * (size_t)triangle + 1]);
    t.p2 = td_corner(corners, indices[3 * (size_t)triangle + 2]);
    return t;
}

static void td_append(volatile __global uint *count, __global td_device_place *list, td_device_place item) {
    list[atomic_inc(count)] = item;
}

// `hits` and `handed` have room for all.
__kernel void td_decide_exactly(__global const double *corners, __global const uint *indices,
                                __global const td_device_pair *pairs, __global const td_rigid *motions,
                                __global const td_device_place *undecided, uint count,
                                __global td_device_place *hits, __global td_device_place *handed,
                                volatile __global uint *counts, volatile __global uint *tallies) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    const td_device_place place = undecided[item];
    __global const td_device_pair *pair = pairs + place.pair;
    const td_triangle a = td_fetch(corners + 3 * (size_t)pair->first_a[TD_ARENA_CORNERS],
                                   indices + 3 * (size_t)pair->first_a[TD_ARENA_TRIANGLES], place.a);
    const td_triangle b = td_rigid_apply_triangle(
        motions[place.pair], td_fetch(corners + 3 * (size_t)pair->first_b[TD_ARENA_CORNERS],
                                      indices + 3 * (size_t)pair->first_b[TD_ARENA_TRIANGLES], place.b));
    td_tally_add(tallies, place.pair, TD_TALLY_EXACT, 1);
    if (!td_triangle_in_expansion_range(a) || !td_triangle_in_expansion_range(b)) {
        td_append(counts + TD_COUNT_HANDED, handed, place);
    } else if (td_triangles_intersect(a, b) &&
               (pair->self != TD_PAIR_SELF ||
                (!td_triangle_is_degenerate(a) && !td_triangle_is_degenerate(b)))) {
        td_append(counts + TD_COUNT_HITS, hits, place);
    }
}
