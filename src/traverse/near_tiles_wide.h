// Near tiles: pairs of quads that may come within the frame's margin of each other. Part of wide_wide.c.
//
// Boxes and slabs let through three times as many as there are, mostly patches of surface that pass each
// other at an angle. What sifts them is the test of tiles_wide.h with the margin on top: a tile is dropped if
// each of its 16 pairs of triangles has an axis, a normal or a product of edges, on which the two are farther
// apart than the margin. The rest is sorted into classes by the same test with fractions of the margin.
//
// With u = 2^-24 and the notation of docs/exactness.md: a gap on an axis w is |w| times a distance, so the
// gap, less its error, has to exceed margin |w|. The true |w| differs from that of the computed vectors by at
// most 10 u r_a^2 (m), 20.3 u r_b^2 (n), and for a product of edges (3.5 + 8.7) u r_a r_b and 2 u r_a r_b
// where an edge is a difference of two. So the error in all is that of the gap and margin times these: the
// bounds used there, with S + margin in the place of S, cover both. Squares are compared to do without roots;
// |m|^2 and |n|^2 are sums of squares, good within 4 u, and |e x f|^2 = |e|^2 |f|^2 - (e.f)^2 is good within
// 15 u |e|^2 |f|^2, to which 32 u are added. What else is rounded, a few u of the right-hand side, is in the
// 2^-18 of the squares.
#ifndef TD_TRAVERSE_NEAR_TILES_WIDE_H
#define TD_TRAVERSE_NEAR_TILES_WIDE_H

#include "tiles_wide.h"

// Added to squares, so that nothing that underflowed decides; losses are of 2^-149.
#define TD_SQUARE_GUARD 1e-35f

// The margins of the classes as tests read them.
typedef struct td_near_margins {
    td_wf square[TD_NEAR_CLASSES]; // rounded up
    td_wf size;                    // what the largest adds to td_wide_errors.size
} td_near_margins;

static td_near_margins td_near_margins_of(const td_frame *frame) {
    td_near_margins margins;
    for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
        // Every class has the room for other poses that the margin has (frame.c): 32 eta = 2^-19 grain.
        const float margin = td_near_fraction(k) * frame->margin + frame->grain * 0x1p-18f;
        margins.square[k] = td_wf_set1(margin * margin * (1 + 0x1p-18f));
        margins.size = td_wf_set1(margin * TD_TRIANGLE_ERROR);
    }
    return margins;
}

// `gap` on an axis whose length squared is `square` at most, and a bound on the error of the gap: keeps lanes
// in within[k] unless it proves more than the margin of class k.
TD_OP void td_note_gap(td_wm within[TD_NEAR_CLASSES], const td_near_margins *margins, td_wf gap, td_wf bound,
                       td_wf square) {
    const td_wf sure = td_wf_max(td_wf_sub(gap, bound), td_wf_set1(0.0f));
    const td_wf sure_square = td_wf_mul(sure, sure), guard = td_wf_set1(TD_SQUARE_GUARD);
    const td_wf length_square = td_wf_add(square, guard);
    for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
        within[k] = td_wf_le_and(within[k], sure_square, td_wf_fma(margins->square[k], length_square, guard));
    }
}

TD_OP void td_note_planes(td_wm within[TD_NEAR_CLASSES], const td_near_margins *margins,
                          const td_wide_terms *t, const td_wide_triangles *in) {
    td_wf m[3];
    td_wide_cross(m, in->e0, in->e1);
    td_note_gap(within, margins, t->side_a, t->bound_a, td_wide_dot(m, m));
    td_note_gap(within, margins, t->side_b, t->bound_b, td_wide_dot(in->n, in->n));
}

TD_OP void td_note_edges(td_wm within[TD_NEAR_CLASSES], const td_near_margins *margins,
                         const td_wide_terms *t, const td_wide_triangles *in) {
    td_wf gaps[9], e[3][3], f[3][3], ff[3]; // edges of A doubled, as the gaps are
    td_wide_edge_gaps(gaps, t, in);
    for (int k = 0; k < 3; ++k) {
        e[0][k] = td_wf_add(in->e0[k], in->e0[k]);
        e[1][k] = td_wf_add(in->e1[k], in->e1[k]);
        e[2][k] = td_wf_sub(e[1][k], e[0][k]);
        f[0][k] = in->f0[k];
        f[1][k] = in->f1[k];
        f[2][k] = td_wf_sub(in->f1[k], in->f0[k]);
    }
    const td_wf bound = td_wf_add(t->bound_edges, t->bound_edges), up = td_wf_set1(1 + 0x1p-19f);
    for (int j = 0; j < 3; ++j) {
        ff[j] = td_wf_mul(td_wide_dot(f[j], f[j]), up);
    }
    for (int i = 0; i < 3; ++i) {
        const td_wf ee = td_wide_dot(e[i], e[i]);
        for (int j = 0; j < 3; ++j) {
            const td_wf ef = td_wide_dot(e[i], f[j]);
            const td_wf square = td_wf_fms(ee, ff[j], td_wf_mul(ef, ef));
            td_note_gap(within, margins, gaps[3 * j + i], bound, square);
        }
    }
}

// The class of a tile; TD_NEAR_CLASSES: farther apart than the margin. Without a branch that depends on it.
static inline int td_near_class(td_tile_visit *visit, const td_near_margins *margins, td_pair tile) {
    const td_quad *a = &visit->traversal->a->quads[tile.a];
    const td_turned_slot *b = td_turned(visit, tile.b);
    td_tile_place place = td_place_tile(visit, a, b);
    place.errors.size = td_wf_add(place.errors.size, margins->size);
    const uint32_t lanes = td_repeat_bits(td_quad_lanes(a)) & b->lanes;
    uint32_t near_by[TD_NEAR_CLASSES] = {0}; // lanes
    for (int g = 0; g < TD_GROUPS; ++g) {
        td_wide_triangles triangles;
        td_wide_terms terms;
        td_wm within[TD_NEAR_CLASSES];
        td_load_tile(&triangles, a, &b->turned, place.offset, g);
        td_wide_planes(&terms, &triangles, &place.errors);
        for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
            within[k] = td_wf_le(margins->square[k], margins->square[k]);
        }
        td_note_planes(within, margins, &terms, &triangles);
        td_note_edges(within, margins, &terms, &triangles);
        for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
            near_by[k] |= (td_wm_bits(within[k]) << (g * TD_LANES)) & lanes;
        }
    }
    int class = 0; // margins grow, and with them the lanes
    for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
        class += near_by[k] == 0;
    }
    return class;
}

// Moves the worker's tiles that are near to its lists of near ones.
static void td_list_tiles(td_tile_visit *visit) {
    td_worker *worker = visit->worker;
    const td_traversal *traversal = visit->traversal;
    const td_near_margins margins = td_near_margins_of(traversal->frame);
    const td_pair *tiles = worker->tiles.items;
    const size_t count = worker->tiles.count;
    if (count == 0) {
        return;
    }
    td_pair *ends[TD_NEAR_CLASSES + 1], far_away;
    worker->tiles.count = 0;
    for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
        if (td_array_reserve(traversal->context, &worker->near_by[k], count) != TD_OK) {
            worker->result = TD_ERROR_MEMORY;
            return;
        }
        ends[k] = worker->near_by[k].items + worker->near_by[k].count;
    }
    ends[TD_NEAR_CLASSES] = &far_away;
    for (size_t t = 0; t < count; ++t) {
        if (t + TD_TILES_AHEAD < count) {
            td_fetch_quad(traversal->a, tiles[t + TD_TILES_AHEAD].a);
            td_fetch_quad(traversal->b, tiles[t + TD_TILES_AHEAD].b);
        }
        const int class = td_near_class(visit, &margins, tiles[t]);
        *ends[class] = tiles[t];
        ends[class] += class < TD_NEAR_CLASSES;
    }
    for (int k = 0; k < TD_NEAR_CLASSES; ++k) {
        worker->near_by[k].count = (size_t)(ends[k] - worker->near_by[k].items);
    }
}

#endif
