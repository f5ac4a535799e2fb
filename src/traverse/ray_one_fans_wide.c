// A ray that comes alone walks the fans of the hierarchy (bvh/fan.h), the nearest box first.
//
// At each fan it keeps the keys of the boxes that it meets (ray_keys_wide.h), takes the nearest, and has the
// others wait. What float32 knows for certain to be hit shortens the ray at once, but is left to the end:
// then float64 decides (ray.h) about those that may still be the closest, mostly one.
#include "ray_keys_wide.h"
#include "ray_lanes_wide.h"
#include "ray_one.h"

enum { TD_LIKELY = 8 };

// A fan with boxes that wait.
typedef struct td_fan_place {
    td_ray_keys keys;
    const td_fan *fan;
    uint32_t waiting; // a bit per box
} td_fan_place;

typedef struct td_any_place {
    const td_fan *fan;
    uint32_t waiting;
} td_any_place;

// As box tests want it.
typedef struct td_fan_ray {
    td_wf inverse[3], past[3], begin;
    size_t near_plane[3], far_plane[3];
} td_fan_ray;

typedef struct td_one_walk {
    const td_ray_batch *batch;
    const td_ray *given;
    const td_one_ray *one;
    td_ray_hit *best;
    float end;     // of the t of boxes; shrinks
    bool aimed;    // what follows is there
    double start;  // the t of boxes at which triangles have 0
    double t_max;  // of the best hit so far
    td_axes32 at;  // where triangles see it start
    float t_end;   // of the t of triangles; shrinks
    uint32_t likely[TD_LIKELY]; // triangles that are certainly hit
    float first[TD_LIKELY];     // ... not before this t
    uint32_t held;
} td_one_walk;

// By the signs of the direction: planes of td_fan, those met first and those met last.
typedef struct td_plane_order {
    uint8_t near[3], far[3];
} td_plane_order;

static const td_plane_order td_plane_orders[8] = {
    {{0, 1, 2}, {3, 4, 5}}, {{3, 1, 2}, {0, 4, 5}}, {{0, 4, 2}, {3, 1, 5}}, {{3, 4, 2}, {0, 1, 5}},
    {{0, 1, 5}, {3, 4, 2}}, {{3, 1, 5}, {0, 4, 2}}, {{0, 4, 5}, {3, 1, 2}}, {{3, 4, 5}, {0, 1, 2}}};

TD_OP td_fan_ray td_fan_ray_of(const td_one_ray *one) {
    td_fan_ray ray;
    td_f4 inverse;
    memcpy(&inverse, &one->inverse, sizeof inverse);
    const td_plane_order *order = &td_plane_orders[td_f4_signs(inverse) & 7u];
    for (int k = 0; k < 3; ++k) {
        ray.inverse[k] = td_wf_set1(one->inverse[k]);
        ray.past[k] = td_wf_set1(one->past[k]);
        ray.near_plane[k] = order->near[k];
        ray.far_plane[k] = order->far[k];
    }
    ray.begin = td_wf_set1(one->begin);
    return ray;
}

// Of the lanes from `lane` on, those whose boxes the ray may meet before its end; where it enters them.
TD_OP td_wm td_meet_lanes(td_wf *enter, const td_fan *fan, const td_fan_ray *ray, float end, int lane) {
    td_wf in[3], out[3];
    for (int k = 0; k < 3; ++k) {
        const td_wf near = td_wf_load(&fan->plane[ray->near_plane[k]][lane]);
        const td_wf far = td_wf_load(&fan->plane[ray->far_plane[k]][lane]);
        in[k] = td_wf_fms(near, ray->inverse[k], ray->past[k]);
        out[k] = td_wf_fms(far, ray->inverse[k], ray->past[k]);
    }
    *enter = td_wf_max(td_wf_max(in[0], in[1]), td_wf_max(in[2], ray->begin));
    const td_wf leave = td_wf_min(td_wf_min(out[0], out[1]), td_wf_min(out[2], td_wf_set1(end)));
    return td_wf_le(*enter, leave);
}

// Which boxes those are: a bit each.
TD_OP uint32_t td_meet_boxes(const td_fan *fan, const td_fan_ray *ray, float end) {
    uint32_t bits = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        td_wf enter;
        bits |= td_wm_bits(td_meet_lanes(&enter, fan, ray, end, group * TD_LANES)) << (group * TD_LANES);
    }
    return bits;
}

// ... and their keys.
TD_OP uint32_t td_meet_fan(td_ray_keys *keys, const td_fan *fan, const td_fan_ray *ray, float end) {
    uint32_t bits = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        const int lane = group * TD_LANES;
        td_wf enter;
        const td_wm met = td_meet_lanes(&enter, fan, ray, end, lane);
        bits |= td_wm_bits(met) << lane;
        keys->of[group] = td_wk_make(enter, met, &td_key_lanes[lane]);
    }
    return bits;
}

static bool td_consider_one(td_one_walk *walk, uint32_t triangle) {
    td_ray_question question = {.t_min = walk->given->t_min, .t_max = walk->t_max};
    td_ray_line(&question.line, walk->batch, walk->given);
    if (!td_ray_consider(walk->best, &question, walk->batch->mesh, triangle)) {
        return false;
    }
    walk->t_max = walk->best->t;
    return true;
}

// Decides about what is likely.
static void td_settle_one(td_one_walk *walk) {
    for (uint32_t i = 0; i < walk->held; ++i) {
        if (!(walk->first[i] > walk->t_end)) {
            td_consider_one(walk, walk->likely[i]);
        }
    }
    walk->held = 0;
}

// Nothing counts any more that is beyond this t of triangles.
TD_OP void td_end_one_at(td_one_walk *walk, float t_end) {
    if (t_end < walk->t_end) {
        walk->t_end = t_end;
        walk->end = (float)((double)t_end + walk->start + TD_ONE_RANGE_SLACK);
    }
}

// A lane that is certainly hit: t is depth / det, give or take slack / |det|, of which the t that float64
// computes, and what walks leave out beside it, want less than two (ray.h: |det| is below 3.5 scale^2, so one
// is more than 36 e and 1.1 error).
TD_OP void td_expect_hit(td_one_walk *walk, uint32_t triangle, float depth, float det, float slack) {
    const float size = fabsf(depth), rate = 1 / fabsf(det);
    const float last = (size + 4 * slack) * rate;
    if (walk->held == TD_LIKELY) {
        td_settle_one(walk);
    }
    walk->likely[walk->held] = triangle;
    walk->first[walk->held++] = (size - 4 * slack) * rate;
    td_end_one_at(walk, last);
    td_fetch((uintptr_t)&walk->batch->mesh->indices[3 * (size_t)triangle]);
}

TD_OP void td_aim_one(td_one_walk *walk) {
    walk->aimed = true;
    walk->start = td_start_of_one(walk->one);
    walk->at = td_place_of_one(walk->one, walk->start);
    walk->t_end = td_length_of_one(walk->one, walk->start);
}

// True if nothing more is to be found out.
TD_OP bool td_one_at_quad(td_one_walk *walk, const td_quad *quad, td_ray_mode mode) {
    if (!walk->aimed) {
        td_aim_one(walk);
    }
    const td_axes32 at = walk->at, unit = walk->one->unit;
    const td_quad_ray ray = {{at[0], at[1], at[2]},
                             {unit[0], unit[1], unit[2]},
                             (float)TD_ONE_SIDE_SLACK,
                             (float)TD_ONE_DEPTH_SLACK,
                             walk->t_end};
    const td_quad_answer answer = td_test_quad(quad, &ray, true);
    if (__builtin_expect(answer.possible == 0, 1)) {
        return false;
    }
    if (mode == TD_RAY_ANY && answer.certain != 0) {
        *walk->best = td_some_hit(true);
        return true;
    }
    for (uint32_t bits = answer.possible & ~answer.certain; bits != 0; bits &= bits - 1) {
        if (!td_consider_one(walk, quad->triangle[__builtin_ctz(bits)])) {
            continue;
        }
        if (mode == TD_RAY_ANY) {
            *walk->best = td_some_hit(true);
            return true;
        }
        td_end_one_at(walk, (float)(walk->best->t * walk->one->rate - walk->start + TD_ONE_END_SLACK));
    }
    if (answer.certain != 0) {
        _Alignas(16) float depth[4], det[4], slack[4];
        td_f4_store(depth, answer.depth);
        td_f4_store(det, answer.det);
        td_f4_store(slack, answer.slack);
        for (uint32_t bits = answer.certain; bits != 0; bits &= bits - 1) {
            const int lane = __builtin_ctz(bits);
            td_expect_hit(walk, quad->triangle[lane], depth[lane], det[lane], slack[lane]);
        }
    }
    return false;
}

// The nearest box first.
TD_OP void td_walk_to_closest(td_one_walk *walk) {
    const td_fan *fans = walk->batch->fans->fans, *fan = fans;
    const td_quad *quads = walk->batch->hierarchy->quads;
    const td_fan_ray ray = td_fan_ray_of(walk->one);
    td_fan_place places[TD_FAN_HEIGHT + 1], *top = places;
    td_ray_keys keys;
    uint32_t waiting = td_meet_fan(&keys, fan, &ray, walk->end);
    for (;;) {
        uint32_t key;
        // A fan with one box that is met needs no keys.
        while ((waiting & (waiting - 1)) == 0 && waiting != 0) {
            const uint32_t child = fan->child[__builtin_ctz(waiting)];
            waiting = 0;
            if ((child & TD_FAN_QUAD) != 0) {
                td_one_at_quad(walk, &quads[child & ~TD_FAN_QUAD], TD_RAY_CLOSEST);
                break;
            }
            fan = &fans[child];
            waiting = td_meet_fan(&keys, fan, &ray, walk->end);
        }
        while (waiting == 0 || (key = td_nearest_key(&keys)) > (td_key_bits(walk->end) | TD_KEY_LANE)) {
            if (top == places) {
                return;
            }
            --top;
            keys = top->keys;
            fan = top->fan;
            waiting = top->waiting;
        }
        const uint32_t lane = key & TD_KEY_LANE, child = fan->child[lane];
        waiting &= ~(1u << lane);
        td_drop_key(&keys, key);
        if ((child & TD_FAN_QUAD) != 0) {
            td_one_at_quad(walk, &quads[child & ~TD_FAN_QUAD], TD_RAY_CLOSEST);
            continue;
        }
        top->keys = keys;
        top->fan = fan;
        top->waiting = waiting;
        top += waiting != 0;
        fan = &fans[child];
        waiting = td_meet_fan(&keys, fan, &ray, walk->end);
    }
}

// Boxes in the order of their lanes: most rays meet nothing, and have to see all of them.
TD_OP void td_walk_to_any(td_one_walk *walk) {
    const td_fan *fans = walk->batch->fans->fans, *fan = fans;
    const td_quad *quads = walk->batch->hierarchy->quads;
    const td_fan_ray ray = td_fan_ray_of(walk->one);
    td_any_place places[TD_FAN_HEIGHT + 1], *top = places;
    uint32_t waiting = td_meet_boxes(fan, &ray, walk->end);
    for (;;) {
        while (waiting == 0) {
            if (top == places) {
                return;
            }
            --top;
            fan = top->fan;
            waiting = top->waiting;
        }
        const uint32_t child = fan->child[__builtin_ctz(waiting)];
        waiting &= waiting - 1;
        if ((child & TD_FAN_QUAD) != 0) {
            if (td_one_at_quad(walk, &quads[child & ~TD_FAN_QUAD], TD_RAY_ANY)) {
                return;
            }
            continue;
        }
        *top = (td_any_place){fan, waiting};
        top += waiting != 0;
        fan = &fans[child];
        waiting = td_meet_boxes(fan, &ray, walk->end);
    }
}

static bool td_run_as_any_other(td_ray_hit *out, const td_ray_batch *batch, const td_ray *ray) {
    td_ray_batch own = *batch;
    own.rays = ray;
    own.out = out;
    return TD_WIDE(td_ray_run)(&own, 0, 1) == 1;
}

bool TD_WIDE(td_ray_run_one)(td_ray_hit *out, const td_ray_batch *batch, const td_ray *ray) {
    td_one_ray one;
    const td_one_way way = td_begin_one(&one, batch, ray);
    if (__builtin_expect(way == TD_ONE_DIFFERS, 0)) {
        return td_run_as_any_other(out, batch, ray);
    }
    *out = td_no_hit;
    if (way == TD_ONE_MISSES) {
        return true;
    }
    td_one_walk walk;
    walk.batch = batch;
    walk.given = ray;
    walk.one = &one;
    walk.best = out;
    walk.end = one.end;
    walk.aimed = false;
    walk.t_max = one.t_max;
    walk.held = 0;
    if (batch->mode == TD_RAY_ANY) {
        td_walk_to_any(&walk);
    } else {
        td_walk_to_closest(&walk);
        td_settle_one(&walk);
    }
    return true;
}
