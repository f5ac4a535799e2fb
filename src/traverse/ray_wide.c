// Rays walk the blocked hierarchy, nearest box first. A sheet of rays that start near each other go together,
// each box for all of them; the few that are left of such a group go each its own way, by turns
// (ray_stream_wide.h), four boxes at a time. The four triangles of a quad every ray tests for itself.
//
// Rays that start apart, or turn out to have few boxes in common, are better off as if each came alone, by
// fans (ray_one_fans_wide.c), if they are there: it is found sheet by sheet, and expected of the next ones.
// Only where there is so much to walk through that memory is waited for, those that start all over go by
// turns.
#include "ray_one_blocks_wide.h"
#include "ray_stream_wide.h"

enum {
    TD_RAY_STACK = 128,
    TD_TOGETHER = 5,         // fewer rays go each its own way
    TD_LONGEST_ROW = 4,      // of sheets that are counted
    TD_NEAR_BYTES = 24 << 20 // of quads
};

// Which of `rays` may meet box `node` of a block: a bit each.
TD_OP uint32_t td_rays_that_meet(const td_block *block, uint32_t node, const td_ray_sheet *sheet,
                                 uint32_t rays) {
    uint32_t bits = 0;
    for (int first = 0; first < TD_SHEET; first += TD_LANES) {
        if ((rays >> first & ((1u << TD_LANES) - 1)) == 0) {
            continue;
        }
        td_wf enter = td_wf_set1(0), leave = td_wf_load(&sheet->t_end[first]);
        for (int k = 0; k < 3; ++k) {
            const td_wf center = td_wf_set1(block->center[k][node]), half = td_wf_set1(block->half[k][node]);
            const td_wf inverse = td_wf_load(&sheet->inverse[k][first]), size = td_wf_abs(inverse);
            const td_wf near = td_wf_fms(center, inverse, td_wf_load(&sheet->near[k][first]));
            const td_wf far = td_wf_fms(center, inverse, td_wf_load(&sheet->far[k][first]));
            enter = td_wf_max(td_wf_fnma(half, size, near), enter);
            leave = td_wf_min(td_wf_fma(half, size, far), leave);
        }
        bits |= td_wm_bits(td_wf_le(enter, leave)) << first;
    }
    return bits & rays;
}

// A block, and which rays may meet it.
typedef struct td_group_place {
    uint32_t block, rays;
} td_group_place;

// The nodes of a block that some ray may meet, by the distance of their centres from where `leader` starts,
// the farthest first. Returns how many.
TD_OP uint32_t td_order_nodes(td_ray_place order[4], uint32_t rays[4], const td_block *block,
                              const td_ray_sheet *sheet, int leader) {
    static const uint32_t nodes[4] = {0, 1, 2, 3};
    td_f4 distance = td_f4_set1(0);
    for (int k = 0; k < 3; ++k) {
        const td_f4 way = td_f4_sub(td_f4_load(block->center[k]), td_f4_set1(sheet->at[k][leader]));
        distance = td_f4_fma(way, way, distance);
    }
    _Alignas(16) float distances[4];
    td_f4_store(distances, distance);
    uint32_t some = 0;
    for (uint32_t node = 0; node < 4; ++node) {
        rays[node] = td_rays_that_meet(block, node, sheet, rays[node]);
        some |= (uint32_t)(rays[node] != 0) << node;
    }
    td_sort_places(order, nodes, distances, some);
    return (uint32_t)__builtin_popcount(some);
}

// Returns the rays that are done.
TD_OP uint32_t td_visit_quad_together(td_ray_group *group, uint32_t rays, const td_quad *quad,
                                      td_ray_mode mode) {
    uint32_t done = 0;
    for (; rays != 0; rays &= rays - 1) {
        const int i = __builtin_ctz(rays);
        done |= (uint32_t)td_visit_quad(group, i, quad, mode) << i;
    }
    return done;
}

static uint32_t td_walk_each(td_ray_group *group, uint32_t rays, uint32_t root, td_ray_mode mode) {
    return mode == TD_RAY_ANY ? td_stream_to_any(group, rays, root, group->trails, 0)
                              : td_stream_to_closest(group, rays, root, group->trails, 0);
}

// Of rays on their way through the hierarchy together: how many came to each block, in all, and in how many
// registers.
typedef struct td_lane_use {
    uint64_t rays, registers;
} td_lane_use;

TD_OP void td_note_use(td_lane_use *use, uint32_t rays) {
    use->rays += (uint32_t)__builtin_popcount(rays);
    for (int first = 0; first < TD_SHEET; first += TD_LANES) {
        use->registers += (rays >> first & ((1u << TD_LANES) - 1)) != 0;
    }
}

// All these rays through all of the hierarchy. Where few are left they part.
TD_OP td_lane_use td_walk_together(td_ray_group *group, uint32_t rays, td_ray_mode mode) {
    const td_blocked *h = group->batch->hierarchy;
    td_group_place stack[TD_RAY_STACK + 4];
    td_lane_use use = {0};
    uint32_t held = 0, alive = rays;
    stack[held++] = (td_group_place){0, rays};
    while (held > 0) {
        const td_group_place place = stack[--held];
        const uint32_t here = place.rays & alive;
        const td_block *block = &h->blocks[place.block];
        if (here == 0) {
            continue;
        }
        td_note_use(&use, here);
        if ((__builtin_popcount(here) < TD_TOGETHER && !block->leaf) || held > TD_RAY_STACK) {
            alive &= ~td_walk_each(group, here, place.block, mode);
            continue;
        }
        uint32_t those[4] = {here, here, here, here};
        td_ray_place order[4];
        const uint32_t count = td_order_nodes(order, those, block, group->sheet, __builtin_ctz(here));
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t node = (uint32_t)order[block->leaf ? count - 1 - i : i];
            if (block->leaf) {
                alive &=
                    ~td_visit_quad_together(group, those[node] & alive, &h->quads[block->child[node]], mode);
            } else {
                stack[held++] = (td_group_place){block->child[node], those[node]};
            }
        }
    }
    return use;
}

// ---------------------------------------------------------------------------------------------------------

// The rays of a sheet that walk; 0 if one is bad, whose lane *bad becomes.
static uint32_t td_begin_sheet(td_ray_group *group, size_t count, size_t *bad) {
    uint32_t walking = 0;
    for (size_t i = 0; i < count; ++i) {
        const int32_t way = group->sheet->way[i];
        group->best[i] = td_no_hit;
        walking |= (uint32_t)(way == TD_RAY_WALK) << i;
        if (way == TD_RAY_BAD) {
            *bad = i;
            return 0;
        }
    }
    return walking;
}

static void td_cast_unusable(td_ray_group *group, size_t count) {
    const td_ray_sheet *sheet = group->sheet;
    for (size_t i = 0; i < count; ++i) {
        if (sheet->way[i] == TD_RAY_UNUSABLE) {
            const td_vec3 o = td_vec3_make(sheet->origin[0][i], sheet->origin[1][i], sheet->origin[2][i]);
            const td_vec3 d =
                td_vec3_make(sheet->direction[0][i], sheet->direction[1][i], sheet->direction[2][i]);
            const td_ray_question question = {td_line_make(o, d, group->batch->grain), sheet->t_min[i],
                                              sheet->t_max[i]};
            td_ray_visit_all(&group->best[i], question, group->batch);
        }
    }
}

// One ray: nobody to take turns with.
static size_t td_cast_one(const td_ray_batch *batch, size_t number) {
    td_ray_sheet sheet;
    td_ray_lanes lanes[1];
    td_ray_trail trail;
    td_ray_group group = {batch, &sheet, batch->out + number, lanes, &trail, 1};
    td_begin_rays(&sheet, batch, number, 1);
    if (sheet.way[0] == TD_RAY_BAD) {
        return number;
    }
    group.best[0] = td_no_hit;
    if (sheet.way[0] == TD_RAY_WALK) {
        td_take_ray(&lanes[0], &sheet, 0);
        if (batch->mode == TD_RAY_ANY) {
            td_walk_one(&group, TD_RAY_ANY, td_stream_to_any);
        } else {
            td_walk_one(&group, TD_RAY_CLOSEST, td_stream_to_closest);
        }
    }
    td_cast_unusable(&group, 1);
    return number + 1;
}

// ---------------------------------------------------------------------------------------------------------
// Together or alone

// What is expected of the next sheets of a batch.
typedef struct td_ray_habit {
    uint32_t alone; // so many go ray by ray without being looked at
    uint32_t row;   // sheets of late that had better gone so
} td_ray_habit;

// Quads that hardly fit into caches are waited for: rays that have few of them in common go by turns.
static bool td_quads_are_far(const td_blocked *h) {
    return h->quad_count * sizeof(td_quad) > TD_NEAR_BYTES;
}

// Whether the rays of a sheet were too few at each block, where each register of them takes the tests of four
// boxes. Alone a ray takes as long as a quarter of the 2 + TD_FAN / TD_LANES tests that a fan amounts to: so
// it was measured. Where quads are waited for, as often alone as together, it takes twice that.
static bool td_use_is_poor(const td_lane_use *use, const td_blocked *h) {
    const uint64_t tests = (uint64_t)16 * TD_LANES * use->registers;
    const uint64_t alone = (uint64_t)(2 * TD_LANES + TD_FAN) * use->rays;
    return tests > (td_quads_are_far(h) ? 2 * alone : alone);
}

// A single sheet that had better gone ray by ray, at the edge of what is seen, say, means nothing; after a
// second one in a row the next two do, after a third one six, and so on.
static void td_note_habit(td_ray_habit *habit, bool apart) {
    habit->row = !apart ? 0 : habit->row < TD_LONGEST_ROW ? habit->row + 1 : TD_LONGEST_ROW;
    habit->alone = apart ? (1u << habit->row) - 2 : 0;
}

// Rays of a sheet, each by the walk of those that come alone. Returns the first that is no good; TD_SHEET:
// none is.
static size_t td_cast_singly(const td_ray_batch *batch, size_t first, uint32_t rays) {
    td_ray_run_one_fn *const run =
        batch->mode == TD_RAY_ANY ? TD_WIDE(td_ray_run_any) : TD_WIDE(td_ray_run_closest);
    for (; rays != 0; rays &= rays - 1) {
        const size_t i = (size_t)__builtin_ctz(rays);
        if (!run(&batch->out[first + i], batch, &batch->rays[first + i])) {
            return i;
        }
    }
    return TD_SHEET;
}

// Returns how many of the rays had better been alone.
static uint32_t td_walk_sheet(td_ray_group *group, uint32_t walking, size_t count, td_ray_habit *habit) {
    const td_ray_batch *batch = group->batch;
    const uint32_t number = (uint32_t)__builtin_popcount(walking);
    const bool few = count <= TD_SMALL_SHEET || number < TD_TOGETHER;
    const td_sheet_kind kind = few ? TD_SHEET_MIXED : td_kind_of_sheet(group->sheet);
    if (kind == TD_SHEET_NEAR) {
        const td_lane_use use = batch->mode == TD_RAY_ANY ? td_walk_together(group, walking, TD_RAY_ANY)
                                                          : td_walk_together(group, walking, TD_RAY_CLOSEST);
        const bool poor = td_use_is_poor(&use, batch->hierarchy);
        td_note_habit(habit, poor);
        return poor ? number : 0;
    }
    if (kind == TD_SHEET_SCATTERED && td_quads_are_far(batch->hierarchy)) {
        td_note_habit(habit, false);
        td_walk_each(group, walking, 0, batch->mode);
        return 0;
    }
    td_note_habit(habit, !few);
    if (batch->fans != NULL) {
        td_cast_singly(batch, (size_t)(group->best - batch->out), walking);
    } else {
        td_walk_each(group, walking, 0, batch->mode);
    }
    return number;
}

// Returns the first ray that is no good, or at least `count`.
static __attribute__((noinline)) size_t td_cast_sheet(const td_ray_batch *batch, size_t first, size_t count,
                                                      td_ray_habit *habit) {
    td_ray_sheet sheet;
    td_ray_lanes lanes[TD_SHEET];
    td_ray_trail trails[TD_SHEET];
    td_ray_group group = {batch, &sheet, batch->out + first, lanes, trails, 0};
    td_begin_rays(&sheet, batch, first, count);
    size_t bad = count;
    const uint32_t walking = td_begin_sheet(&group, count, &bad);
    if (bad < count) {
        return bad;
    }
    const uint32_t alone = td_walk_sheet(&group, walking, count, habit);
    if (batch->alone != NULL) {
        *batch->alone += alone;
    }
    td_cast_unusable(&group, count);
    return count;
}

size_t TD_WIDE(td_ray_run)(const td_ray_batch *batch, size_t first, size_t end) {
    if (end - first == 1) {
        return td_cast_one(batch, first);
    }
    td_ray_habit habit = {0};
    for (size_t from = first; from < end; from += TD_SHEET) {
        const size_t count = end - from < TD_SHEET ? end - from : TD_SHEET;
        const bool alone = batch->fans != NULL && (habit.alone > 0 || count <= TD_SMALL_SHEET);
        const size_t bad = alone ? td_cast_singly(batch, from, 0xffffffffu >> (TD_SHEET - count))
                                 : td_cast_sheet(batch, from, count, &habit);
        habit.alone -= alone && habit.alone > 0;
        if (bad < count) {
            return from + bad;
        }
    }
    return end;
}
