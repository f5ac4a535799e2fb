// based on: Moeller, A fast triangle-triangle intersection test (1997): both triangles meet the line in which
// their planes meet, each in an interval; the segment is what the intervals have in common.
#include "crossing.h"

// Where a triangle meets the line: two of its edges cross the other's plane.
typedef struct td_chord {
    double at[2]; // along the line
    td_pierce ends[2];
} td_chord;

static bool td_is_outside(double distance) {
    return distance >= 0;
}

// The edge from corner i to corner j crosses the plane.
static td_pierce td_pierce_plane(const td_facet *t, int i, int j, const double distance[3]) {
    const bool swap = t->vertices[i] > t->vertices[j];
    const int from = swap ? j : i, to = swap ? i : j;
    const double along = distance[from] / (distance[from] - distance[to]);
    const td_vec3 p = t->points[from], q = t->points[to];
    return (td_pierce){.point = td_add(p, td_scale(td_sub(q, p), along)),
                       .low = t->vertices[from],
                       .high = t->vertices[to],
                       .along = along,
                       .enters = td_is_outside(distance[from])};
}

static bool td_find_chord(td_chord *out, const td_facet *t, const td_facet *other, td_vec3 line) {
    double distance[3];
    int outside = 0;
    for (int k = 0; k < 3; ++k) {
        distance[k] = td_dot(other->normal, td_sub(t->points[k], other->points[0]));
        outside += td_is_outside(distance[k]);
    }
    if (outside == 0 || outside == 3) {
        return false;
    }
    int alone = 0; // the corner that has its side to itself
    while (td_is_outside(distance[alone]) != (outside == 1)) {
        ++alone;
    }
    out->ends[0] = td_pierce_plane(t, alone, (alone + 1) % 3, distance);
    out->ends[1] = td_pierce_plane(t, alone, (alone + 2) % 3, distance);
    out->at[0] = td_dot(line, out->ends[0].point);
    out->at[1] = td_dot(line, out->ends[1].point);
    if (out->at[0] > out->at[1]) {
        const double at = out->at[0];
        const td_pierce end = out->ends[0];
        out->at[0] = out->at[1];
        out->ends[0] = out->ends[1];
        out->at[1] = at;
        out->ends[1] = end;
    }
    return true;
}

bool td_find_crossing(td_crossing *out, const td_facet *a, const td_facet *b) {
    const td_vec3 line = td_cross(a->normal, b->normal);
    td_chord chord[2];
    if (!td_find_chord(&chord[0], a, b, line) || !td_find_chord(&chord[1], b, a, line)) {
        return false;
    }
    const uint8_t start = chord[0].at[0] >= chord[1].at[0] ? 0 : 1;
    const uint8_t end = chord[0].at[1] <= chord[1].at[1] ? 0 : 1;
    if (chord[start].at[0] > chord[end].at[1]) {
        return false;
    }
    out->ends[0] = chord[start].ends[0];
    out->ends[0].side = start;
    out->ends[1] = chord[end].ends[1];
    out->ends[1].side = end;
    for (int k = 0; k < 2; ++k) {
        out->ends[k].face = out->ends[k].side == 0 ? b->triangle : a->triangle;
    }
    out->length = td_length(td_sub(out->ends[1].point, out->ends[0].point));
    out->region = 0;
    return true;
}
