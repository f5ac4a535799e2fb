// The tiles of a near list, tested as those of a traversal are (tiles_wide.h), but in one pass: most of them
// are so near that no plane would rule them out.
#include "near.h"

#include "tiles_wide.h"

void TD_WIDE(td_test_tiles)(td_worker *worker, const td_traversal *traversal, const td_pair *tiles,
                            size_t count);

void TD_WIDE(td_test_tiles)(td_worker *worker, const td_traversal *traversal, const td_pair *tiles,
                            size_t count) {
    td_tile_visit visit;
    td_prepare_tiles(&visit, worker, traversal);
    const td_stage_clock clock = td_start_clock(worker, traversal);
    for (size_t t = 0; t < count; ++t) { // brings the first lines of the quads in, too
        const uint32_t lanes = td_repeat_bits(td_quad_lanes(&traversal->a->quads[tiles[t].a])) &
                               td_spread_bits(td_quad_lanes(&traversal->b->quads[tiles[t].b]));
        worker->counters.triangle_tests += (uint32_t)__builtin_popcount(lanes);
    }
    td_decide_tiles(&visit, tiles, count);
    td_stop_clock(&clock, &worker->times.triangles_ms, worker);
    if (!td_worker_done(worker, traversal)) {
        td_decide_in_time(worker, traversal);
    }
}
