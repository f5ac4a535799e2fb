// Tiles: 16 triangle tests, a quad of A against a quad of B. Part of wide_wide.c and blocked_wide.c.
//
// A list of tiles is worked off in two passes. The first asks only whether the planes of the triangles
// separate them, which rules out about half of the tiles, and keeps the rest; the second decides. Each pass
// runs without a branch that depends on an answer: waiting for answers to learn where to go next costs more
// than computing some terms twice.
#ifndef TD_TRAVERSE_TILES_WIDE_H
#define TD_TRAVERSE_TILES_WIDE_H

#include "../math/f4.h"
#include "../predicates/tri_tri_wide.h"
#include "stage_clock.h"

#include <string.h>

enum {
    TD_TURNED = 64,     // quads of B that are kept turned; a power of two
    TD_TILES_AHEAD = 4, // tiles between fetching and using
    TD_DECIDE_AT = 1024 // undecided pairs that may gather before the exact predicate sees them
};

_Static_assert(sizeof(td_wide_pair) == sizeof(td_pair), "lists of pairs are written by td_wide_pairs");

// Four triangles of B, turned into A's frame but not shifted, each spread over its lanes of the tile: a quad
// is met by several of A, and to spread it in each of these takes longer than to read it.
typedef struct td_turned_quad {
    td_wf b0[3][TD_GROUPS], f0[3][TD_GROUPS], f1[3][TD_GROUPS], n[3][TD_GROUPS];
    td_wf scale[TD_GROUPS];
} td_turned_quad;

// A quad of B as tiles need it. The quads of B that a traversal meets are met again soon, with other quads of
// A, so the last ones are kept: slot = index mod TD_TURNED.
typedef struct td_turned_slot {
    _Alignas(64) td_turned_quad turned;
    double center[3]; // in A's frame
    float size;
    uint32_t lanes; // spread over the tile
} td_turned_slot;

typedef struct td_tile_visit {
    td_turned_slot turned[TD_TURNED];
    uint32_t turned_quad[TD_TURNED]; // which quad is in a slot; TD_NONE: none
    td_worker *worker;
    const td_traversal *traversal;
    td_wf grain, trace;
    float ratio;
} td_tile_visit;

static void td_prepare_tiles(td_tile_visit *visit, td_worker *worker, const td_traversal *traversal) {
    visit->worker = worker;
    visit->traversal = traversal;
    visit->grain = td_wf_set1(traversal->frame->grain);
    visit->trace = td_wf_set1(traversal->frame->grain * 0x1p-20f);
    visit->ratio = (float)traversal->frame->ratio;
    memset(visit->turned_quad, 0xff, sizeof visit->turned_quad);
}

// One bit to four: lane j of B stands for lanes 4 j ... 4 j + 3 of the tile.
static inline uint32_t td_spread_bits(uint32_t four) {
    const uint32_t apart = (four & 1u) | (four & 2u) << 3 | (four & 4u) << 6 | (four & 8u) << 9;
    return apart * 0xfu;
}

static inline uint32_t td_repeat_bits(uint32_t four) {
    return four * 0x1111u;
}

// Lanes of a tile of a block, or a quad, with itself: i < j.
#define TD_UPPER_LANES 0x7310u

static inline uint32_t td_quad_lanes(const td_quad *quad) {
    return td_f4_signs(td_f4_load(quad->scale)) ^ 0xfu;
}

static inline void td_fetch_quad(const td_blocked *blocked, uint32_t index) {
    const char *at = (const char *)&blocked->quads[index];
    __builtin_prefetch(at);
    __builtin_prefetch(at + 64);
    __builtin_prefetch(at + 128);
}

// ---------------------------------------------------------------------------------------------------------
// Turning

static void td_turn(float out[3][4], const float v[3][4], const float rotation[9]) {
    const td_f4 x = td_f4_load(v[0]), y = td_f4_load(v[1]), z = td_f4_load(v[2]);
    for (int k = 0; k < 3; ++k) {
        const td_f4 sum = td_f4_add(td_f4_mul(td_f4_set1(rotation[3 * k + 1]), y),
                                    td_f4_mul(td_f4_set1(rotation[3 * k + 2]), z));
        td_f4_store(out[k], td_f4_add(td_f4_mul(td_f4_set1(rotation[3 * k]), x), sum));
    }
}

static inline void td_spread4(td_wf out[TD_GROUPS], const float four[4]) {
    for (int g = 0; g < TD_GROUPS; ++g) {
        out[g] = td_wf_spread(four, g);
    }
}

static inline void td_spread_vectors(td_wf out[3][TD_GROUPS], float v[3][4]) {
    for (int k = 0; k < 3; ++k) {
        td_spread4(out[k], v[k]);
    }
}

static void td_cross4(float out[3][4], float a[3][4], float b[3][4]) {
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        td_f4_store(out[k], td_f4_sub(td_f4_mul(td_f4_load(a[i]), td_f4_load(b[j])),
                                      td_f4_mul(td_f4_load(a[j]), td_f4_load(b[i]))));
    }
}

static __attribute__((noinline)) void td_turn_quad(td_turned_slot *slot, const td_tile_visit *visit,
                                                   uint32_t index) {
    const td_frame *frame = visit->traversal->frame;
    const td_quad *quad = &visit->traversal->b->quads[index];
    td_turned_quad *turned = &slot->turned;
    _Alignas(16) float b0[3][4], f0[3][4], f1[3][4], n[3][4], scale[4];
    td_turn(b0, quad->origin, frame->rotation_f);
    td_turn(f0, quad->edge0, frame->rotation_f);
    td_turn(f1, quad->edge1, frame->rotation_f);
    td_cross4(n, f0, f1);
    td_f4_store(scale, td_f4_mul(td_f4_load(quad->scale), td_f4_set1(visit->ratio)));
    td_spread_vectors(turned->b0, b0);
    td_spread_vectors(turned->f0, f0);
    td_spread_vectors(turned->f1, f1);
    td_spread_vectors(turned->n, n);
    td_spread4(turned->scale, scale);
    const double *r = frame->rotation;
    const double x = (double)quad->center[0], y = (double)quad->center[1], z = (double)quad->center[2];
    for (int k = 0; k < 3; ++k) {
        slot->center[k] = r[3 * k] * x + r[3 * k + 1] * y + r[3 * k + 2] * z + frame->shift[k];
    }
    slot->size = quad->size * visit->ratio + frame->grain;
    slot->lanes = td_spread_bits(td_quad_lanes(quad));
}

static inline const td_turned_slot *td_turned(td_tile_visit *visit, uint32_t quad) {
    td_turned_slot *slot = &visit->turned[quad % TD_TURNED];
    if (visit->turned_quad[quad % TD_TURNED] != quad) {
        td_turn_quad(slot, visit, quad);
        visit->turned_quad[quad % TD_TURNED] = quad;
    }
    return slot;
}

// ---------------------------------------------------------------------------------------------------------
// Testing

// Where the quads of a tile stand to each other.
typedef struct td_tile_place {
    td_wf offset[3];
    td_wide_errors errors;
} td_tile_place;

static inline td_tile_place td_place_tile(const td_tile_visit *visit, const td_quad *a,
                                          const td_turned_slot *b) {
    // The way from centre to centre in float64: what remains of it in float32 is as accurate as the quads are
    // small.
    td_tile_place place;
    float size = a->size + b->size;
    for (int k = 0; k < 3; ++k) {
        const float offset = (float)(b->center[k] - (double)a->center[k]);
        place.offset[k] = td_wf_set1(offset);
        size += fabsf(offset);
    }
    place.errors = (td_wide_errors){td_wf_set1(size * TD_TRIANGLE_ERROR), visit->grain, visit->trace};
    return place;
}

// Lanes whose triangles share a corner.
static uint32_t td_sharing_lanes(const td_quad_corners *a, const td_quad_corners *b) {
    uint32_t bits = 0;
    for (int g = 0; g < TD_GROUPS; ++g) {
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                bits |= td_wm_bits(td_wu_equal(a->corner[k], b->corner[l], g)) << (g * TD_LANES);
            }
        }
    }
    return bits;
}

// Lanes of a tile whose two triangles are to be tested. In self-collision these are few: quads next to each
// other share most of their corners.
static inline uint32_t td_tile_lanes(const td_tile_visit *visit, td_pair tile, const td_quad *a,
                                     const td_turned_slot *b) {
    const uint32_t lanes = td_repeat_bits(td_quad_lanes(a)) & b->lanes;
    if (!visit->traversal->self) {
        return lanes;
    }
    const td_quad_corners *corners = visit->traversal->a->corners;
    return lanes & (tile.a == tile.b ? TD_UPPER_LANES : 0xffffu) &
           ~td_sharing_lanes(&corners[tile.a], &corners[tile.b]);
}

// One group of a tile.
static inline void td_load_tile(td_wide_triangles *out, const td_quad *a, const td_turned_quad *b,
                                const td_wf offset[3], int g) {
    for (int k = 0; k < 3; ++k) {
        out->e0[k] = td_wf_repeat(a->edge0[k], g);
        out->e1[k] = td_wf_repeat(a->edge1[k], g);
        out->f0[k] = b->f0[k][g];
        out->f1[k] = b->f1[k][g];
        out->n[k] = b->n[k][g];
        out->v[k] = td_wf_sub(td_wf_add(b->b0[k][g], offset[k]), td_wf_repeat(a->origin[k], g));
    }
    out->length_a = td_wf_repeat(a->scale, g);
    out->length_b = b->scale[g];
}

static inline uint32_t td_near_planes(const td_tile_visit *visit, const td_quad *a, const td_turned_slot *b) {
    const td_tile_place place = td_place_tile(visit, a, b);
    uint32_t near_planes = 0;
    for (int g = 0; g < TD_GROUPS; ++g) {
        td_wide_triangles triangles;
        td_wide_terms terms;
        td_load_tile(&triangles, a, &b->turned, place.offset, g);
        td_wide_planes(&terms, &triangles, &place.errors);
        near_planes |= td_wide_near_planes(&terms) << (g * TD_LANES);
    }
    return near_planes;
}

static inline td_wide_verdict td_decide_tile(const td_tile_visit *visit, const td_quad *a,
                                             const td_turned_slot *b) {
    const td_tile_place place = td_place_tile(visit, a, b);
    td_wide_verdict all = {0, 0};
    for (int g = 0; g < TD_GROUPS; ++g) {
        td_wide_triangles triangles;
        td_wide_terms terms;
        td_load_tile(&triangles, a, &b->turned, place.offset, g);
        td_wide_planes(&terms, &triangles, &place.errors);
        const td_wide_verdict verdict = td_wide_decide(&terms, &triangles);
        all.maybe |= verdict.maybe << (g * TD_LANES);
        all.sure |= verdict.sure << (g * TD_LANES);
    }
    return all;
}

// ---------------------------------------------------------------------------------------------------------
// Keeping

static void td_keep_first(const td_tile_visit *visit, const td_quad *a, const td_quad *b,
                          td_wide_verdict verdict) {
    for (uint32_t rest = verdict.maybe; rest != 0; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const uint32_t ta = a->triangle[lane & 3], tb = b->triangle[lane >> 2];
        const bool sure = (verdict.sure >> lane & 1u) != 0;
        visit->worker->counters.exact_tests += !sure;
        if (sure || td_exactly_intersects(visit->traversal, ta, tb)) {
            td_found(visit->worker, visit->traversal, ta, tb);
            return;
        }
    }
}

// Writes the pairs of the lanes `bits` behind `list`.
static inline void td_keep_pairs(td_worker *worker, td_context *context, td_pair_list *list, const td_quad *a,
                                 const td_quad *b, uint32_t bits) {
    if (td_array_reserve(context, list, TD_TILE) != TD_OK) {
        worker->result = TD_ERROR_MEMORY;
        return;
    }
    list->count +=
        td_wide_pairs((td_wide_pair *)(void *)(list->items + list->count), a->triangle, b->triangle, bits);
}

static inline void td_keep(const td_tile_visit *visit, const td_quad *a, const td_quad *b,
                           td_wide_verdict verdict) {
    td_worker *worker = visit->worker;
    const td_traversal *traversal = visit->traversal;
    if (traversal->mode == TD_MODE_FIRST) {
        td_keep_first(visit, a, b, verdict);
        return;
    }
    worker->count += (uint32_t)__builtin_popcount(verdict.sure);
    if (traversal->mode == TD_MODE_PAIRS) {
        const size_t first = worker->pairs.count;
        td_keep_pairs(worker, traversal->context, &worker->pairs, a, b, verdict.sure);
        for (size_t i = first; traversal->self && i < worker->pairs.count; ++i) {
            const td_pair pair = worker->pairs.items[i];
            worker->pairs.items[i] = pair.a < pair.b ? pair : (td_pair){pair.b, pair.a};
        }
    }
    const uint32_t undecided = verdict.maybe & ~verdict.sure;
    if (undecided != 0) {
        td_keep_pairs(worker, traversal->context, &worker->undecided, a, b, undecided);
        if (worker->undecided.count >= TD_DECIDE_AT) {
            td_decide_in_time(worker, traversal);
        }
    }
}

// Keeps the tiles that no plane rules out, in front and in order; returns their number.
static size_t td_sift_tiles(td_tile_visit *visit, td_pair *tiles, size_t count) {
    const td_blocked *hierarchy_a = visit->traversal->a, *hierarchy_b = visit->traversal->b;
    size_t kept = 0;
    for (size_t t = 0; t < count; ++t) {
        if (t + TD_TILES_AHEAD < count) {
            td_fetch_quad(hierarchy_a, tiles[t + TD_TILES_AHEAD].a);
            td_fetch_quad(hierarchy_b, tiles[t + TD_TILES_AHEAD].b);
        }
        const td_pair tile = tiles[t];
        const td_quad *a = &hierarchy_a->quads[tile.a];
        const td_turned_slot *b = td_turned(visit, tile.b);
        const uint32_t lanes = td_tile_lanes(visit, tile, a, b);
        if (lanes == 0) { // never but in self-collision
            continue;
        }
        visit->worker->counters.triangle_tests += (uint32_t)__builtin_popcount(lanes);
        tiles[kept] = tile;
        kept += (td_near_planes(visit, a, b) & lanes) != 0;
    }
    return kept;
}

static inline void td_decide_tiles(td_tile_visit *visit, const td_pair *tiles, size_t count) {
    td_worker *worker = visit->worker;
    const td_traversal *traversal = visit->traversal;
    for (size_t t = 0; t < count && !td_worker_done(worker, traversal); ++t) {
        const td_pair tile = tiles[t];
        const td_quad *a = &traversal->a->quads[tile.a];
        const td_turned_slot *b = td_turned(visit, tile.b);
        td_wide_verdict verdict = td_decide_tile(visit, a, b);
        verdict.maybe &= td_tile_lanes(visit, tile, a, b);
        verdict.sure &= verdict.maybe;
        td_keep(visit, a, &traversal->b->quads[tile.b], verdict);
    }
}

static inline void td_work_off_tiles(td_tile_visit *visit) {
    td_worker *worker = visit->worker;
    const td_stage_clock clock = td_start_clock(worker, visit->traversal);
    td_pair *tiles = worker->tiles.items;
    const size_t count = td_sift_tiles(visit, tiles, worker->tiles.count);
    worker->tiles.count = 0;
    td_decide_tiles(visit, tiles, count);
    td_stop_clock(&clock, &worker->times.triangles_ms, worker);
}

#endif
