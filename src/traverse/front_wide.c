// Pairs of quads that a front has come to: which of their triangles count, which of those have boxes that
// overlap, and which of these intersect. Three passes over a list of tiles, each without a branch that
// depends on the answers of the one before it.
#include "../predicates/box_box_wide.h"
#include "front.h"
#include "tiles_wide.h"

typedef struct td_front_visit {
    td_tile_visit tiles;
    td_wide_frame frame;
    td_worker *worker;
    const td_traversal *traversal;
    const td_blocked *a, *b;
} td_front_visit;

static void td_prepare_front(td_front_visit *visit, td_worker *worker, const td_traversal *traversal) {
    const td_frame *frame = traversal->frame;
    td_prepare_tiles(&visit->tiles, worker, traversal);
    visit->worker = worker;
    visit->traversal = traversal;
    visit->a = traversal->a;
    visit->b = traversal->b;
    for (int k = 0; k < 9; ++k) {
        visit->frame.rotation[k] = td_wf_set1(frame->rotation_f[k]);
        visit->frame.reach[k] = td_wf_set1(frame->reach[k]);
        visit->frame.unit[k] = td_wf_set1(frame->unit[k]);
        visit->frame.unit_reach[k] = td_wf_set1(frame->unit_reach[k]);
    }
    for (int k = 0; k < 3; ++k) {
        visit->frame.shift[k] = td_wf_set1(frame->shift_f[k]);
    }
    visit->frame.slack = td_wf_set1(frame->slack);
    visit->frame.ratio = td_wf_set1((float)frame->ratio);
}

// Lanes whose triangles have overlapping boxes. In self-collision both sides are in one frame.
static inline uint32_t td_triangle_boxes_overlap(const td_front_visit *visit, td_front_tile tile, bool self) {
    const td_quad_boxes *a = &visit->traversal->split_a->triangles[tile.a];
    const td_quad_boxes *b = &visit->traversal->split_b->triangles[tile.b];
    if (!self) {
        const td_wide_boxes boxes_a = {.center = a->center, .half = a->half};
        const td_wide_boxes boxes_b = {.center = b->center, .half = b->half};
        return td_boxes_overlap(&boxes_a, &boxes_b, &visit->frame, 0);
    }
    uint32_t bits = 0;
    TD_UNROLL
    for (int g = 0; g < TD_GROUPS; ++g) {
        td_wm overlap = td_wf_le(visit->frame.slack, visit->frame.slack);
        TD_UNROLL
        for (int k = 0; k < 3; ++k) {
            const td_wf way = td_wf_sub(td_wf_repeat(a->center[k], g), td_wf_spread(b->center[k], g));
            const td_wf reach = td_wf_add(td_wf_repeat(a->half[k], g), td_wf_spread(b->half[k], g));
            overlap = td_wf_le_and(overlap, td_wf_abs(way), td_wf_add(reach, visit->frame.slack));
        }
        bits |= td_wm_bits(overlap) << (g * TD_LANES);
    }
    return bits;
}

// The lanes that count, looked up once and noted in the front.
static inline uint32_t td_lanes_that_count(td_front_visit *visit, const td_front_tile *tile) {
    if (tile->lanes != TD_LANES_UNKNOWN) {
        return tile->lanes;
    }
    td_worker *worker = visit->worker;
    const uint32_t lanes = td_tile_lanes(&visit->tiles, (td_pair){tile->a, tile->b},
                                         &visit->a->quads[tile->a], td_turned(&visit->tiles, tile->b));
    if (worker->front_most > 0) {
        worker->front.items[tile->entry].lanes = lanes;
    }
    return lanes;
}

// Each pass keeps the tiles that are left, in front and in order, and returns their number. From the first
// one on tiles are of quads, no longer of nodes.
static inline size_t td_sift_boxes(td_front_visit *visit, td_front_tile *tiles, size_t count, bool self) {
    const td_split_node *nodes_a = visit->traversal->split_a->nodes;
    const td_split_node *nodes_b = visit->traversal->split_b->nodes;
    size_t kept = 0;
    uint64_t tests = 0;
    for (size_t t = 0; t < count; ++t) {
        td_front_tile tile = tiles[t];
        tile.a = nodes_a[tile.a].right;
        tile.b = nodes_b[tile.b].right;
        tile.lanes = td_lanes_that_count(visit, &tile);
        tests += (uint32_t)__builtin_popcount(tile.lanes);
        tile.lanes &= td_triangle_boxes_overlap(visit, tile, self);
        tiles[kept] = tile;
        kept += tile.lanes != 0;
    }
    visit->worker->counters.triangle_tests += tests;
    return kept;
}

static size_t td_sift_planes(td_front_visit *visit, td_front_tile *tiles, size_t count) {
    size_t kept = 0;
    for (size_t t = 0; t < count; ++t) {
        if (t + TD_TILES_AHEAD < count) {
            td_fetch_quad(visit->a, tiles[t + TD_TILES_AHEAD].a);
            td_fetch_quad(visit->b, tiles[t + TD_TILES_AHEAD].b);
        }
        td_front_tile tile = tiles[t];
        tile.lanes &=
            td_near_planes(&visit->tiles, &visit->a->quads[tile.a], td_turned(&visit->tiles, tile.b));
        tiles[kept] = tile;
        kept += tile.lanes != 0;
    }
    return kept;
}

static void td_decide_masked(td_front_visit *visit, td_front_tile tile) {
    const td_quad *a = &visit->a->quads[tile.a], *b = &visit->b->quads[tile.b];
    td_wide_verdict verdict = td_decide_tile(&visit->tiles, a, td_turned(&visit->tiles, tile.b));
    verdict.maybe &= tile.lanes;
    verdict.sure &= verdict.maybe;
    td_keep(&visit->tiles, a, b, verdict);
}

void TD_WIDE(td_front_tiles)(td_worker *worker, const td_traversal *traversal) {
    td_front_visit visit;
    td_prepare_front(&visit, worker, traversal);
    const td_stage_clock clock = td_start_clock(worker, traversal);
    td_front_tile *tiles = worker->front_tiles.items;
    size_t count = worker->front_tiles.count;
    count = traversal->self ? td_sift_boxes(&visit, tiles, count, true)
                            : td_sift_boxes(&visit, tiles, count, false);
    count = td_sift_planes(&visit, tiles, count);
    worker->front_tiles.count = 0;
    for (size_t t = 0; t < count && !td_worker_done(worker, traversal); ++t) {
        td_decide_masked(&visit, tiles[t]);
    }
    td_stop_clock(&clock, &worker->times.triangles_ms, worker);
}
