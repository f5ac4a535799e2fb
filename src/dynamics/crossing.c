// based on: Moeller, A fast triangle-triangle intersection test (1997): both triangles meet the line in which
// their planes meet, each in an interval; the segment is what the intervals have in common.
#include "crossing.h"

// Where a triangle meets the line: two of its edges cross the other's plane.
typedef struct td_chord {
    double at[2];       // along the line, ascending
    uint8_t edge[2];    // from which corner to the corner `alone`
    uint8_t alone;      // the corner that has its side of the plane to itself
    td_lanes4 distance; // of the corners from the other's plane
} td_chord;

static bool td_is_outside(double distance) {
    return distance >= 0;
}

// Which corner has its side to itself, by which corners (bits) are outside; 3: all are on one side.
static const uint8_t td_lonely[8] = {3, 0, 1, 2, 2, 1, 0, 3};
static const uint8_t td_after[4] = {1, 2, 0, 0};

static bool td_find_chord(td_chord *out, const td_facet *t, const td_facet *other, td_vec3 line) {
    const td_vec3 n = other->normal;
    const td_lanes4 d = t->x * n.x + t->y * n.y + t->z * n.z - other->offset;
    const uint8_t alone =
        td_lonely[td_is_outside(d[0]) | td_is_outside(d[1]) << 1 | td_is_outside(d[2]) << 2];
    if (alone == 3) {
        return false;
    }
    const td_lanes4 at = t->x * line.x + t->y * line.y + t->z * line.z;
    const uint8_t next = td_after[alone], last = td_after[next];
    const double first = at[alone] + (at[next] - at[alone]) * (d[alone] / (d[alone] - d[next]));
    const double second = at[alone] + (at[last] - at[alone]) * (d[alone] / (d[alone] - d[last]));
    const bool swap = first > second;
    out->distance = d;
    out->alone = alone;
    out->at[0] = swap ? second : first;
    out->at[1] = swap ? first : second;
    out->edge[0] = swap ? last : next;
    out->edge[1] = swap ? next : last;
    return true;
}

// The same from whichever triangle the edge is looked at: it goes from its lower vertex to the upper one.
static td_pierce td_pierce_plane(const td_facet *t, const td_chord *chord, int end, uint8_t side,
                                 uint32_t face) {
    const uint8_t i = chord->alone, j = chord->edge[end];
    const bool swap = t->vertices[i] > t->vertices[j];
    const uint8_t from = swap ? j : i, to = swap ? i : j;
    const double along = chord->distance[from] / (chord->distance[from] - chord->distance[to]);
    const td_vec3 p = td_facet_corner(t, from), q = td_facet_corner(t, to);
    return (td_pierce){.point = td_add(p, td_scale(td_sub(q, p), along)),
                       .along = along,
                       .low = t->vertices[from],
                       .high = t->vertices[to],
                       .face = face,
                       .side = side,
                       .enters = td_is_outside(chord->distance[from])};
}

bool td_find_crossing(td_crossing *out, const td_facet *a, const td_facet *b) {
    const td_vec3 line = td_cross(a->normal, b->normal);
    const td_facet *facets[2] = {a, b};
    td_chord chords[2];
    if (!td_find_chord(&chords[0], a, b, line) || !td_find_chord(&chords[1], b, a, line)) {
        return false;
    }
    const double *of_a = chords[0].at, *of_b = chords[1].at;
    const uint8_t start = of_a[0] >= of_b[0] ? 0 : 1, end = of_a[1] <= of_b[1] ? 0 : 1;
    if (chords[start].at[0] > chords[end].at[1]) {
        return false;
    }
    out->ends[0] = td_pierce_plane(facets[start], &chords[start], 0, start, facets[1 - start]->triangle);
    out->ends[1] = td_pierce_plane(facets[end], &chords[end], 1, end, facets[1 - end]->triangle);
    out->length = td_length(td_sub(out->ends[1].point, out->ends[0].point));
    out->region = 0;
    return true;
}
