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
    td_wf inverse[3], near[3], far[3];
    int near_plane[3], far_plane[3];
} td_fan_ray;

typedef struct td_one_walk {
    const td_ray_batch *batch;
    td_one_ray *one;
    td_quad_ray ray; // t_end shrinks
    td_ray_hit *best;
    uint32_t likely[TD_LIKELY]; // triangles that are certainly hit
    float first[TD_LIKELY];     // ... not before this t
    uint32_t held;
} td_one_walk;

TD_OP td_fan_ray td_fan_ray_of(const td_one_ray *one) {
    td_fan_ray ray;
    for (int k = 0; k < 3; ++k) {
        const bool backward = one->inverse[k] < 0;
        ray.inverse[k] = td_wf_set1(one->inverse[k]);
        ray.near[k] = td_wf_set1(one->near[k]);
        ray.far[k] = td_wf_set1(one->far[k]);
        ray.near_plane[k] = backward ? 3 + k : k;
        ray.far_plane[k] = backward ? k : 3 + k;
    }
    return ray;
}

// Of the lanes from `lane` on, those whose boxes the ray may meet before its end; where it enters them.
TD_OP td_wm td_meet_lanes(td_wf *enter, const td_fan *fan, const td_fan_ray *ray, float t_end, int lane) {
    td_wf in[3], out[3];
    for (int k = 0; k < 3; ++k) {
        const td_wf near = td_wf_load(&fan->plane[ray->near_plane[k]][lane]);
        const td_wf far = td_wf_load(&fan->plane[ray->far_plane[k]][lane]);
        in[k] = td_wf_fms(near, ray->inverse[k], ray->near[k]);
        out[k] = td_wf_fms(far, ray->inverse[k], ray->far[k]);
    }
    *enter = td_wf_max(td_wf_max(in[0], in[1]), td_wf_max(in[2], td_wf_set1(0)));
    const td_wf leave = td_wf_min(td_wf_min(out[0], out[1]), td_wf_min(out[2], td_wf_set1(t_end)));
    return td_wf_le(*enter, leave);
}

// Which boxes those are: a bit each.
TD_OP uint32_t td_meet_boxes(const td_fan *fan, const td_fan_ray *ray, float t_end) {
    uint32_t bits = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        td_wf enter;
        bits |= td_wm_bits(td_meet_lanes(&enter, fan, ray, t_end, group * TD_LANES)) << (group * TD_LANES);
    }
    return bits;
}

// ... and their keys.
TD_OP uint32_t td_meet_fan(td_ray_keys *keys, const td_fan *fan, const td_fan_ray *ray, float t_end) {
    uint32_t bits = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        const int lane = group * TD_LANES;
        td_wf enter;
        const td_wm met = td_meet_lanes(&enter, fan, ray, t_end, lane);
        bits |= td_wm_bits(met) << lane;
        keys->of[group] = td_wk_make(enter, met, &td_key_lanes[lane]);
    }
    return bits;
}

static bool td_consider_one(td_one_walk *walk, uint32_t triangle) {
    td_one_ray *one = walk->one;
    td_ray_question question = {.t_min = one->t_min, .t_max = one->t_max};
    question.line = td_line_make(td_vec3_make(one->origin[0], one->origin[1], one->origin[2]),
                                 td_vec3_make(one->direction[0], one->direction[1], one->direction[2]),
                                 walk->batch->grain);
    if (!td_ray_consider(walk->best, &question, walk->batch->mesh, triangle)) {
        return false;
    }
    one->t_max = walk->best->t;
    return true;
}

// Decides about what is likely.
static void td_settle_one(td_one_walk *walk) {
    for (uint32_t i = 0; i < walk->held; ++i) {
        if (!(walk->first[i] > walk->ray.t_end)) {
            td_consider_one(walk, walk->likely[i]);
        }
    }
    walk->held = 0;
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
    walk->ray.t_end = last < walk->ray.t_end ? last : walk->ray.t_end;
    td_fetch((uintptr_t)&walk->batch->mesh->indices[3 * (size_t)triangle]);
}

// True if nothing more is to be found out.
TD_OP bool td_one_at_quad(td_one_walk *walk, const td_quad *quad, td_ray_mode mode) {
    const td_quad_answer answer = td_test_quad(quad, &walk->ray, true);
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
        const td_one_ray *one = walk->one;
        const float end = (float)(walk->best->t * one->rate - one->start + one->slack);
        walk->ray.t_end = end < walk->ray.t_end ? end : walk->ray.t_end;
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
    uint32_t waiting = td_meet_fan(&keys, fan, &ray, walk->ray.t_end);
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
            waiting = td_meet_fan(&keys, fan, &ray, walk->ray.t_end);
        }
        while (waiting == 0 || (key = td_nearest_key(&keys)) > (td_key_bits(walk->ray.t_end) | TD_KEY_LANE)) {
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
        waiting = td_meet_fan(&keys, fan, &ray, walk->ray.t_end);
    }
}

// Boxes in the order of their lanes: most rays meet nothing, and have to see all of them.
TD_OP void td_walk_to_any(td_one_walk *walk) {
    const td_fan *fans = walk->batch->fans->fans, *fan = fans;
    const td_quad *quads = walk->batch->hierarchy->quads;
    const td_fan_ray ray = td_fan_ray_of(walk->one);
    td_any_place places[TD_FAN_HEIGHT + 1], *top = places;
    uint32_t waiting = td_meet_boxes(fan, &ray, walk->ray.t_end);
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
        waiting = td_meet_boxes(fan, &ray, walk->ray.t_end);
    }
}

bool TD_WIDE(td_ray_run_one)(td_ray_hit *out, const td_ray_batch *batch, const td_ray *ray) {
    td_one_ray one;
    const td_ray_way way = td_begin_one(&one, batch, ray);
    *out = td_no_hit;
    if (way == TD_RAY_BAD || way == TD_RAY_MISSES) {
        return way != TD_RAY_BAD;
    }
    if (way == TD_RAY_UNUSABLE) {
        const td_ray_question question = {
            td_line_make(td_vec3_make(one.origin[0], one.origin[1], one.origin[2]),
                         td_vec3_make(one.direction[0], one.direction[1], one.direction[2]), batch->grain),
            one.t_min, one.t_max};
        td_ray_visit_all(out, question, batch);
        return true;
    }
    td_one_walk walk = {.batch = batch, .one = &one, .best = out, .held = 0};
    walk.ray = (td_quad_ray){{one.at[0], one.at[1], one.at[2]},
                             {one.unit[0], one.unit[1], one.unit[2]},
                             one.side_slack,
                             one.depth_slack,
                             one.t_end};
    if (batch->mode == TD_RAY_ANY) {
        td_walk_to_any(&walk);
    } else {
        td_walk_to_closest(&walk);
        td_settle_one(&walk);
    }
    return true;
}
