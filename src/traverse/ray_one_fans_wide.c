// A ray that comes alone walks the fans of the hierarchy (bvh/fan.h), the nearest box first.
//
// Of the boxes of a fan that it meets it takes the nearest; the others wait on a stack (ray_nearest_wide.h).
// If any hit will do, their order does not matter. What float32 knows for certain to be hit shortens the ray
// at once, but is left to the end: then float64 decides (ray.h) about those that may still be the closest,
// mostly one.
#include "ray_nearest_wide.h"
#include "ray_one.h"

enum { TD_LIKELY = 8 }; // quads

// Below all places of a stack.
#define TD_STACK_END 0xffffffffu

// A fan with boxes that wait.
typedef struct td_any_place {
    const td_fan *fan;
    uint32_t waiting;
} td_any_place;

// By the signs of the direction: where in a td_fan the planes are that are met first, and those met last.
typedef struct td_plane_order {
    size_t near[3], far[3];
} td_plane_order;

#define TD_PLANES(a, b, c)                                                                                   \
    { (a) * sizeof(float[TD_FAN]), (b) * sizeof(float[TD_FAN]), (c) * sizeof(float[TD_FAN]) }

static const td_plane_order td_plane_orders[8] = {
    {TD_PLANES(0, 1, 2), TD_PLANES(3, 4, 5)}, {TD_PLANES(3, 1, 2), TD_PLANES(0, 4, 5)},
    {TD_PLANES(0, 4, 2), TD_PLANES(3, 1, 5)}, {TD_PLANES(3, 4, 2), TD_PLANES(0, 1, 5)},
    {TD_PLANES(0, 1, 5), TD_PLANES(3, 4, 2)}, {TD_PLANES(3, 1, 5), TD_PLANES(0, 4, 2)},
    {TD_PLANES(0, 4, 5), TD_PLANES(3, 1, 2)}, {TD_PLANES(3, 4, 5), TD_PLANES(0, 1, 2)}};

// As box tests want it.
typedef struct td_fan_ray {
    td_wf inverse[3], past[3], begin;
    const td_plane_order *order;
} td_fan_ray;

typedef struct td_one_walk {
    const td_ray_batch *batch;
    const td_ray *given;
    td_ray_hit *best;
    float end;          // of the t of boxes; shrinks
    bool aimed;         // what follows is there
    double rate, base;  // the t of boxes is t * rate - base
    double start;       // ... at which triangles have 0
    double t_max;       // of the best hit so far
    td_axes32 at, unit; // the ray as triangles see it
    float t_end;        // of the t of triangles; shrinks
    // Quads with triangles that are certainly hit; not before this t, which for the others is INFINITY.
    const td_quad *likely[TD_LIKELY];
    td_axes32 first[TD_LIKELY];
    uint32_t held;
} td_one_walk;

TD_OP td_fan_ray td_fan_ray_of(const td_one_ray *one) {
    td_fan_ray ray;
    ray.order = &td_plane_orders[td_axes_signs((td_axes_bits)one->inverse) & 7u];
    for (int k = 0; k < 3; ++k) {
        ray.inverse[k] = td_wf_set1(one->inverse[k]);
        ray.past[k] = td_wf_set1(one->past[k]);
    }
    ray.begin = td_wf_set1(one->begin);
    return ray;
}

TD_OP td_wf td_load_planes(const td_fan *fan, size_t place, int lane) {
    return td_wf_load((const float *)(const void *)((const char *)fan + place) + lane);
}

// Of the lanes from `lane` on, those whose boxes the ray may meet before its end; where it enters them.
TD_OP td_wm td_meet_lanes(td_wf *enter, const td_fan *fan, const td_fan_ray *ray, float end, int lane) {
    td_wf in[3], out[3];
    for (int k = 0; k < 3; ++k) {
        const td_wf near = td_load_planes(fan, ray->order->near[k], lane);
        const td_wf far = td_load_planes(fan, ray->order->far[k], lane);
        in[k] = td_wf_fms(near, ray->inverse[k], ray->past[k]);
        out[k] = td_wf_fms(far, ray->inverse[k], ray->past[k]);
    }
    *enter = td_wf_max(td_wf_max(in[0], in[1]), td_wf_max(in[2], ray->begin));
    const td_wf leave = td_wf_min(td_wf_min(out[0], out[1]), td_wf_min(out[2], td_wf_set1(end)));
    return td_wf_le(*enter, leave);
}

TD_OP void td_meet_fan(td_fan_meeting *out, const td_fan *fan, const td_fan_ray *ray, float end) {
    out->met = 0;
    for (int group = 0; group < TD_GROUPS; ++group) {
        const int lane = group * TD_LANES;
        out->met |= td_wm_bits(td_meet_lanes(&out->enter[group], fan, ray, end, lane)) << lane;
    }
}

static __attribute__((noinline)) bool td_consider_one_carefully(td_one_walk *walk, uint32_t triangle) {
    td_ray_question question = {.t_min = walk->given->t_min, .t_max = walk->t_max};
    td_ray_line(&question.line, walk->batch, walk->given);
    return td_ray_consider_carefully(walk->best, &question, walk->batch->mesh, triangle);
}

static bool td_consider_one(td_one_walk *walk, uint32_t triangle) {
    const td_ray *ray = walk->given;
    td_ray_question question;
    question.t_min = ray->t_min;
    question.t_max = walk->t_max;
    if (walk->batch->placed) {
        td_ray_line(&question.line, walk->batch, ray);
    } else {
        question.line = td_line_make(td_vec3_make(ray->origin[0], ray->origin[1], ray->origin[2]),
                                     td_vec3_make(ray->direction[0], ray->direction[1], ray->direction[2]),
                                     walk->batch->grain);
    }
    bool open;
    if (!td_ray_consider_plainly(walk->best, &question, walk->batch->mesh, triangle, &open) &&
        !(open && td_consider_one_carefully(walk, triangle))) {
        return false;
    }
    walk->t_max = walk->best->t;
    return true;
}

// Decides about what is likely.
static __attribute__((noinline)) void td_settle_one(td_one_walk *walk) {
    for (uint32_t i = 0; i < walk->held; ++i) {
        const uint32_t late = td_axes_signs((td_axes_bits)(walk->t_end - walk->first[i]));
        for (uint32_t bits = ~late & 15u; bits != 0; bits &= bits - 1) {
            td_consider_one(walk, walk->likely[i]->triangle[__builtin_ctz(bits)]);
        }
    }
    walk->held = 0;
}

// Nothing counts any more that is beyond this t of triangles.
TD_OP void td_end_one_at(td_one_walk *walk, float t_end) {
    if (t_end < walk->t_end) {
        walk->t_end = t_end;
        walk->end = (float)((double)t_end + walk->start);
    }
}

// Lanes that are certainly hit: t is depth / det, give or take slack / |det|, of which the t that float64
// computes, and what walks leave out beside it, want less than two (ray.h: |det| is below 3.5 scale^2, so one
// is more than 36 e and 1.1 error).
TD_OP void td_expect_hits(td_one_walk *walk, const td_quad *quad, const td_quad_answer *answer) {
    static const td_axes_bits lanes = {1, 2, 4, 8};
    const td_axes32 size = (td_axes32)td_axes_size(answer->depth), slack = 4 * answer->slack;
    const td_axes32 rate = 1 / (td_axes32)td_axes_size(answer->det);
    const td_axes_bits certain = ((int32_t)answer->certain & lanes) != 0, never = ~certain & 0x7f800000;
    const td_axes32 last = (td_axes32)(((td_axes_bits)((size + slack) * rate) & certain) | never);
    if (walk->held == TD_LIKELY) {
        td_settle_one(walk);
    }
    const td_trimesh *mesh = walk->batch->mesh;
    for (uint32_t bits = answer->certain; bits != 0; bits &= bits - 1) {
        const uint32_t *corners = mesh->indices + 3 * (size_t)quad->triangle[__builtin_ctz(bits)];
        for (int k = 0; k < 3; ++k) {
            td_fetch((uintptr_t)mesh->positions + corners[k] * mesh->stride);
        }
    }
    walk->likely[walk->held] = quad;
    walk->first[walk->held++] = (td_axes32)(((td_axes_bits)((size - slack) * rate) & certain) | never);
    td_end_one_at(walk, td_smaller32(td_smaller32(last[0], last[1]), td_smaller32(last[2], last[3])));
}

// Lanes that float32 cannot tell; true if one is hit, and nothing more is to be found out.
static __attribute__((noinline)) bool td_decide_lanes(td_one_walk *walk, const td_quad *quad, uint32_t bits,
                                                      td_ray_mode mode) {
    for (; bits != 0; bits &= bits - 1) {
        if (td_consider_one(walk, quad->triangle[__builtin_ctz(bits)])) {
            if (mode == TD_RAY_ANY) {
                return true;
            }
            const double t = walk->t_max * walk->rate - walk->base - walk->start;
            td_end_one_at(walk, (float)(t + TD_ONE_END_SLACK));
        }
    }
    return false;
}

TD_OP void td_aim_one(td_one_walk *walk, const td_one_ray *one) {
    walk->aimed = true;
    walk->rate = one->rate;
    walk->base = one->from.base;
    walk->start = td_start_of_one(one);
    walk->t_max = one->t_max;
    walk->at = td_place_of_one(one, walk->start);
    walk->unit = one->unit;
    walk->t_end = td_length_of_one(one, walk->start);
    walk->held = 0;
}

// True if nothing more is to be found out.
TD_OP bool td_one_at_quad(td_one_walk *walk, const td_one_ray *one, const td_quad *quad, td_ray_mode mode) {
    if (!walk->aimed) {
        td_aim_one(walk, one);
    }
    const td_quad_ray ray = {walk->at, walk->unit, (float)TD_ONE_SIDE_SLACK, (float)TD_ONE_DEPTH_SLACK,
                             walk->t_end};
    const td_quad_answer answer = td_test_quad(quad, &ray, true);
    if (__builtin_expect(answer.possible == 0, 1)) {
        return false;
    }
    if (mode == TD_RAY_ANY && answer.certain != 0) {
        return true;
    }
    if (answer.possible != answer.certain &&
        td_decide_lanes(walk, quad, answer.possible & ~answer.certain, mode)) {
        return true;
    }
    if (mode == TD_RAY_CLOSEST && answer.certain != 0) {
        td_expect_hits(walk, quad, &answer);
    }
    return false;
}

// The next place of a stack that the ray still reaches.
TD_OP uint32_t td_take_nearest(td_ray_place **top, float end) {
    td_ray_place place;
    do {
        place = *--*top;
    } while (td_place_time(place) > end); // the end of the stack is at 0
    return (uint32_t)place;
}

// The nearest box first.
TD_OP void td_walk_to_closest(td_one_walk *walk, const td_one_ray *one) {
    const td_fan *fans = walk->batch->fans->fans;
    const td_quad *quads = walk->batch->hierarchy->quads;
    const td_fan_ray ray = td_fan_ray_of(one);
    td_ray_place stack[TD_FAN_HEIGHT * (TD_FAN - 1) + TD_FAN + 1], *top = stack;
    *top++ = td_place_of(0, TD_STACK_END);
    uint32_t item = 0;
    for (;;) {
        if ((item & TD_FAN_QUAD) == 0) {
            const td_fan *fan = td_fan_at(fans, item);
            td_fan_meeting meeting;
            td_meet_fan(&meeting, fan, &ray, walk->end);
            if (meeting.met != 0) {
                if ((meeting.met & (meeting.met - 1)) == 0) {
                    item = fan->child[__builtin_ctz(meeting.met)];
                } else {
                    top = td_stack_nearest(top, fan, &meeting);
                    item = (uint32_t) * --top;
                }
                continue;
            }
        } else if (item == TD_STACK_END) {
            return;
        } else {
            td_one_at_quad(walk, one, td_quad_at(quads, item & ~TD_FAN_QUAD), TD_RAY_CLOSEST);
        }
        item = td_take_nearest(&top, walk->end);
    }
}

// Boxes in the order of their lanes: most rays meet nothing, and have to see all of them.
TD_OP void td_walk_to_any(td_one_walk *walk, const td_one_ray *one) {
    const td_fan *fans = walk->batch->fans->fans, *fan = fans;
    const td_quad *quads = walk->batch->hierarchy->quads;
    const td_fan_ray ray = td_fan_ray_of(one);
    td_any_place places[TD_FAN_HEIGHT + 1], *top = places;
    td_fan_meeting meeting;
    td_meet_fan(&meeting, fan, &ray, walk->end);
    uint32_t waiting = meeting.met;
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
            if (td_one_at_quad(walk, one, td_quad_at(quads, child & ~TD_FAN_QUAD), TD_RAY_ANY)) {
                *walk->best = td_some_hit(true);
                return;
            }
            continue;
        }
        *top = (td_any_place){fan, waiting};
        top += waiting != 0;
        fan = td_fan_at(fans, child);
        td_meet_fan(&meeting, fan, &ray, walk->end);
        waiting = meeting.met;
    }
}

static __attribute__((noinline)) bool td_run_as_any_other(td_ray_hit *out, const td_ray_batch *batch,
                                                          const td_ray *ray) {
    td_ray_batch own = *batch;
    own.rays = ray;
    own.out = out;
    return TD_WIDE(td_ray_run)(&own, 0, 1) == 1;
}

// A ray that is set out.
TD_OP void td_walk_fans(td_ray_hit *out, const td_ray_batch *batch, const td_ray *ray, const td_one_ray *one,
                        td_ray_mode mode) {
    td_one_walk walk;
    walk.batch = batch;
    walk.given = ray;
    walk.best = out;
    walk.end = one->end;
    walk.aimed = false;
    if (mode == TD_RAY_ANY) {
        td_walk_to_any(&walk, one);
        return;
    }
    td_walk_to_closest(&walk, one);
    if (walk.aimed && walk.held > 0) {
        td_settle_one(&walk);
    }
}

// By itself, so that the others need not know that rays may be moved.
static __attribute__((noinline)) bool td_run_odd_one(td_ray_hit *out, const td_ray_batch *batch,
                                                     const td_ray *ray, td_ray_mode mode) {
    td_one_ray one = {.t_min = ray->t_min, .t_max = ray->t_max};
    td_one_way way = td_move_one(&one.from, batch, ray);
    if (way == TD_ONE_WALKS) {
        way = td_set_one_out(&one, batch->fans);
    }
    if (way == TD_ONE_DIFFERS) {
        return td_run_as_any_other(out, batch, ray);
    }
    *out = td_no_hit;
    if (way == TD_ONE_WALKS) {
        if (mode == TD_RAY_ANY) {
            td_walk_fans(out, batch, ray, &one, TD_RAY_ANY);
        } else {
            td_walk_fans(out, batch, ray, &one, TD_RAY_CLOSEST);
        }
    }
    return true;
}

TD_OP bool td_run_one(td_ray_hit *out, const td_ray_batch *batch, const td_ray *ray, td_ray_mode mode) {
    td_one_ray one;
    const td_one_way way = td_begin_one(&one, batch, ray);
    if (__builtin_expect(way == TD_ONE_DIFFERS, 0)) {
        return td_run_odd_one(out, batch, ray, mode);
    }
    *out = td_no_hit;
    if (way == TD_ONE_WALKS) {
        td_walk_fans(out, batch, ray, &one, mode);
    }
    return true;
}

bool TD_WIDE(td_ray_run_closest)(td_ray_hit *out, const td_ray_batch *batch, const td_ray *ray) {
    return td_run_one(out, batch, ray, TD_RAY_CLOSEST);
}

bool TD_WIDE(td_ray_run_any)(td_ray_hit *out, const td_ray_batch *batch, const td_ray *ray) {
    return td_run_one(out, batch, ray, TD_RAY_ANY);
}
