// Crossings of several pairs of triangles at once, one pair per lane.
//
// based on: Moeller, A fast triangle-triangle intersection test (1997): both triangles meet the line in which
// their planes meet, each in an interval; the segment is what the intervals have in common.
//
// No branch depends on a pair: the corner that is alone on its side of the other's plane, the ends that count
// and the way along an edge are picked by masks.
#include "../math/wide64.h"
#include "crossing.h"

#include <math.h>

// What is known of a corner. Picked together.
enum { TD_X, TD_Y, TD_Z, TD_VERTEX, TD_DISTANCE, TD_ALONG, TD_CORNER_NUMBERS };

typedef struct td_wide_corner {
    td_wd of[TD_CORNER_NUMBERS]; // TD_DISTANCE: from the other's plane; TD_ALONG: along the line
} td_wide_corner;

typedef struct td_wide_facet {
    td_wide_corner corners[3];
    td_wd normal[3], offset;
} td_wide_facet;

// Where a triangle meets the line: two of its edges, from the corner that has its side of the plane to
// itself, cross the other's plane.
typedef struct td_wide_chord {
    td_wdm crosses;
    td_wide_corner alone, other[2]; // ascending along the line
    td_wd at[2];
} td_wide_chord;

TD_OP void td_load_facets(td_wide_facet *out, const td_facet *const facets[TD_LANES64]) {
    const double *numbers[TD_LANES64];
    for (int l = 0; l < TD_LANES64; ++l) {
        numbers[l] = (const double *)(const void *)facets[l];
    }
    for (int k = 0; k < 3; ++k) {
        out->corners[k].of[TD_X] = td_wd_gather(numbers, TD_FACET_X + k);
        out->corners[k].of[TD_Y] = td_wd_gather(numbers, TD_FACET_Y + k);
        out->corners[k].of[TD_Z] = td_wd_gather(numbers, TD_FACET_Z + k);
        out->corners[k].of[TD_VERTEX] = td_wd_gather(numbers, TD_FACET_VERTICES + k);
        out->normal[k] = td_wd_gather(numbers, TD_FACET_NORMAL + k);
    }
    out->offset = td_wd_gather(numbers, TD_FACET_OFFSET);
}

TD_OP void td_pick_corner(td_wide_corner *out, td_wdm mask, const td_wide_corner *yes,
                          const td_wide_corner *no) {
    for (int k = 0; k < TD_CORNER_NUMBERS; ++k) {
        out->of[k] = td_wd_pick(mask, yes->of[k], no->of[k]);
    }
}

// Where the plane is between two corners, 0 to 1.
TD_OP td_wd td_plane_between(const td_wide_corner *from, const td_wide_corner *to) {
    return from->of[TD_DISTANCE] / (from->of[TD_DISTANCE] - to->of[TD_DISTANCE]);
}

TD_OP td_wd td_reaches_line(const td_wide_corner *alone, const td_wide_corner *other) {
    return alone->of[TD_ALONG] + (other->of[TD_ALONG] - alone->of[TD_ALONG]) * td_plane_between(alone, other);
}

TD_OP td_wdm td_is_outside(td_wd distance) {
    return td_wd_le(distance - distance, distance); // 0 <= distance
}

TD_OP void td_find_chords(td_wide_chord *out, td_wide_facet *t, const td_wide_facet *other,
                          const td_wd line[3]) {
    td_wide_corner *c = t->corners;
    td_wdm outside[3];
    for (int k = 0; k < 3; ++k) {
        td_wd *of = c[k].of;
        of[TD_DISTANCE] = of[TD_X] * other->normal[0] + of[TD_Y] * other->normal[1] +
                          of[TD_Z] * other->normal[2] - other->offset;
        of[TD_ALONG] = of[TD_X] * line[0] + of[TD_Y] * line[1] + of[TD_Z] * line[2];
        outside[k] = td_is_outside(of[TD_DISTANCE]);
    }
    const td_wdm from01 = td_wdm_xor(outside[0], outside[1]), from02 = td_wdm_xor(outside[0], outside[2]);
    const td_wdm first = td_wdm_and(from01, from02); // the first corner is alone
    const td_wdm second = td_wdm_xor(from01, first); // ... the second
    out->crosses = td_wdm_xor(second, from02);       // first, second or third
    td_wide_corner next, last;
    td_pick_corner(&out->alone, second, &c[1], &c[2]);
    td_pick_corner(&out->alone, first, &c[0], &out->alone);
    td_pick_corner(&next, second, &c[2], &c[0]);
    td_pick_corner(&next, first, &c[1], &next);
    td_pick_corner(&last, second, &c[0], &c[1]);
    td_pick_corner(&last, first, &c[2], &last);
    const td_wd to_next = td_reaches_line(&out->alone, &next), to_last = td_reaches_line(&out->alone, &last);
    const td_wdm in_order = td_wd_le(to_next, to_last);
    td_pick_corner(&out->other[0], in_order, &next, &last);
    td_pick_corner(&out->other[1], in_order, &last, &next);
    out->at[0] = td_wd_pick(in_order, to_next, to_last);
    out->at[1] = td_wd_pick(in_order, to_last, to_next);
}

// The ends of the segments as they are stored.
typedef struct td_wide_end {
    double point[3][TD_LANES64], along[TD_LANES64], low[TD_LANES64], high[TD_LANES64];
    uint32_t of_a, enters; // lanes
} td_wide_end;

// Where an edge pierces the plane: the same from whichever triangle the edge is looked at, as it goes from
// its lower vertex to the upper one.
TD_OP void td_pierce_planes(td_wide_end *out, const td_wide_chord chords[2], int end, td_wdm of_a) {
    td_wide_corner alone, other, from, to;
    td_pick_corner(&alone, of_a, &chords[0].alone, &chords[1].alone);
    td_pick_corner(&other, of_a, &chords[0].other[end], &chords[1].other[end]);
    const td_wdm upwards = td_wd_le(alone.of[TD_VERTEX], other.of[TD_VERTEX]);
    td_pick_corner(&from, upwards, &alone, &other);
    td_pick_corner(&to, upwards, &other, &alone);
    const td_wd along = td_plane_between(&from, &to);
    for (int k = 0; k < 3; ++k) {
        td_wd_store(out->point[k], from.of[k] + (to.of[k] - from.of[k]) * along);
    }
    td_wd_store(out->along, along);
    td_wd_store(out->low, from.of[TD_VERTEX]);
    td_wd_store(out->high, to.of[TD_VERTEX]);
    out->of_a = td_wdm_bits(of_a);
    out->enters = td_wdm_bits(td_is_outside(from.of[TD_DISTANCE]));
}

// Lanes in which there is a segment.
TD_OP uint32_t td_cross_facets(td_wide_end ends[2], const td_facet *const facets_a[TD_LANES64],
                               const td_facet *const facets_b[TD_LANES64]) {
    td_wide_facet a, b;
    td_wide_chord chords[2];
    td_load_facets(&a, facets_a);
    td_load_facets(&b, facets_b);
    const td_wd *m = a.normal, *n = b.normal;
    const td_wd line[3] = {m[1] * n[2] - m[2] * n[1], m[2] * n[0] - m[0] * n[2], m[0] * n[1] - m[1] * n[0]};
    td_find_chords(&chords[0], &a, &b, line);
    td_find_chords(&chords[1], &b, &a, line);
    const td_wdm start = td_wd_le(chords[1].at[0], chords[0].at[0]);
    const td_wdm end = td_wd_le(chords[0].at[1], chords[1].at[1]);
    const td_wd begins = td_wd_pick(start, chords[0].at[0], chords[1].at[0]);
    const td_wd stops = td_wd_pick(end, chords[0].at[1], chords[1].at[1]);
    td_pierce_planes(&ends[0], chords, 0, start);
    td_pierce_planes(&ends[1], chords, 1, end);
    return td_wdm_bits(td_wdm_and(td_wdm_and(chords[0].crosses, chords[1].crosses), td_wd_le(begins, stops)));
}

TD_OP td_pierce td_get_pierce(const td_wide_end *end, int l, const td_facet *a, const td_facet *b) {
    const uint32_t of_a = end->of_a >> l & 1u, faces[2] = {a->triangle, b->triangle};
    return (td_pierce){.point = td_vec3_make(end->point[0][l], end->point[1][l], end->point[2][l]),
                       .along = end->along[l],
                       .low = (uint32_t)end->low[l],
                       .high = (uint32_t)end->high[l],
                       .face = faces[of_a],
                       .side = (uint8_t)(1 - of_a),
                       .enters = (end->enters >> l & 1u) != 0};
}

size_t TD_WIDE(td_find_crossings)(td_crossing *out, const td_facet *a, const td_facet *b,
                                  const td_pair *pairs, size_t count) {
    size_t found = 0;
    for (size_t first = 0; first < count; first += TD_LANES64) {
        const td_facet *of_a[TD_LANES64], *of_b[TD_LANES64];
        td_wide_end ends[2];
        const size_t filled = count - first < TD_LANES64 ? count - first : TD_LANES64;
        for (size_t l = 0; l < TD_LANES64; ++l) { // lanes beyond the last pair have the first again
            const td_pair pair = pairs[l < filled ? first + l : first];
            of_a[l] = &a[pair.a];
            of_b[l] = &b[pair.b];
        }
        const uint32_t lanes = td_cross_facets(ends, of_a, of_b) & ((1u << filled) - 1u);
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            const int l = __builtin_ctz(rest);
            td_crossing *crossing = &out[found++];
            crossing->ends[0] = td_get_pierce(&ends[0], l, of_a[l], of_b[l]);
            crossing->ends[1] = td_get_pierce(&ends[1], l, of_a[l], of_b[l]);
            crossing->length = td_length(td_sub(crossing->ends[1].point, crossing->ends[0].point));
            crossing->facets[0] = pairs[first + (size_t)l].a;
            crossing->facets[1] = pairs[first + (size_t)l].b;
            crossing->region = 0;
        }
    }
    return found;
}
