// Rays on devices that have float64: a work-item walks the blocked hierarchy with one ray, nearest box first.
// float32 says what is certainly missed, doubles decide the rest; a ray that doubles cannot decide is handed
// to the host.
#include "../src/predicates/ray_tri_filter.h"
#include "../src/traverse/ray_lane.h"

#define TD_LANE_STACK 64u // taller hierarchies are rare: then the host answers

static td_vec3 td_corner(__global const double *corners, uint vertex) {
    return td_vec3_make(corners[3 * (size_t)vertex], corners[3 * (size_t)vertex + 1],
                        corners[3 * (size_t)vertex + 2]);
}

static td_triangle td_fetch(__global const double *corners, __global const uint *indices, uint triangle) {
    td_triangle t;
    t.p0 = td_corner(corners, indices[3 * (size_t)triangle]);
    t.p1 = td_corner(corners, indices[3 * (size_t)triangle + 1]);
    t.p2 = td_corner(corners, indices[3 * (size_t)triangle + 2]);
    return t;
}

// As td_place_on_line (src/predicates/ray_tri.h) has it. False: doubles cannot tell the sign.
static int td_place_on_lane(double *t, td_line line, td_triangle triangle, const td_crossing *crossing) {
    const double d = td_component(line.direction, line.axis);
    const double place = td_mean_place(crossing->corner, crossing->weight) / d;
    const int corners = td_side_of_corners(crossing->corner);
    if (corners != 0) {
        *t = td_signed_t(place, corners * (d > 0 ? 1 : -1));
        return 1;
    }
    const int side =
        td_orient_plane_filter(td_orient_plane_make(triangle.p0, triangle.p1, triangle.p2), line.origin);
    *t = td_signed_t(place, side * crossing->side);
    return side != 0;
}

// Decides about one triangle: as td_ray_consider (src/traverse/ray.h) does.
static void td_consider(td_lane_hit *best, td_ray_form *ray, td_line line, td_triangle triangle,
                        uint number) {
    const td_crossing crossing = td_line_crossing(line, triangle);
    if (crossing.state == TD_LINE_MISSES) {
        return;
    }
    double t = 0;
    if (crossing.state == TD_LINE_OPEN || !td_place_on_lane(&t, line, triangle, &crossing)) {
        best->state = TD_RAY_LANE_HANDED;
        return;
    }
    if (!(t >= ray->t_min && t <= ray->t_max) ||
        (best->state == TD_RAY_LANE_HIT && t == best->t && number > best->triangle)) {
        return;
    }
    best->state = TD_RAY_LANE_HIT;
    best->triangle = number;
    best->side = crossing.side;
    best->t = t;
    best->u = crossing.weight[1];
    best->v = crossing.weight[2];
    ray->t_max = t;
    ray->t_end = (float)(t * ray->rate - ray->start + ray->slack);
}

// Whether the ray has nothing more to find out.
static int td_visit_quad(td_lane_hit *best, td_ray_form *ray, td_line line, __global const td_quad *quad,
                         __global const double *corners, __global const uint *indices, uint any) {
    for (uint lane = 0; lane < 4; ++lane) {
        const uint verdict = td_ray_lane_triangle(quad, lane, ray);
        if (verdict == TD_RAY_LANE_MISSED) {
            continue;
        }
        const uint number = quad->triangle[lane];
        if (any && verdict == TD_RAY_LANE_CERTAIN) {
            best->state = TD_RAY_LANE_HIT;
        } else {
            td_consider(best, ray, line, td_fetch(corners, indices, number), number);
        }
        if (best->state == TD_RAY_LANE_HANDED || (any && best->state == TD_RAY_LANE_HIT)) {
            return 1;
        }
    }
    return 0;
}

// A box to be visited, and where the ray enters it.
typedef struct td_lane_place {
    uint item; // a block, or a quad with TD_PLACE_QUAD
    float time;
} td_lane_place;

#define TD_PLACE_QUAD 0x80000000u // a mesh has fewer than 2^30 triangles

// Puts the boxes of a block that the ray may meet on the stack, the nearest last. Returns how many.
static uint td_push_boxes(td_lane_place *stack, __global const td_block *block, const td_ray_form *ray) {
    uint count = 0;
    for (uint lane = 0; lane < 4; ++lane) {
        td_lane_place place;
        place.time = td_ray_lane_box(block, lane, ray);
        if (place.time < 0.0f) {
            continue;
        }
        place.item = block->child[lane] | (block->leaf ? TD_PLACE_QUAD : 0);
        uint at = count++;
        for (; at > 0 && stack[at - 1].time < place.time; --at) {
            stack[at] = stack[at - 1];
        }
        stack[at] = place;
    }
    return count;
}

// hits[i] answers rays[i]. The arrays of the mesh begin at block, quad, vertex and triangle number `first_x`.
__kernel void td_cast_rays(__global const td_block *all_blocks, uint first_block,
                           __global const td_quad *all_quads, uint first_quad,
                           __global const double *all_corners, uint first_corner,
                           __global const uint *all_indices, uint first_triangle,
                           __global const td_ray_form *rays, uint count, uint any, double grain,
                           __global td_lane_hit *hits) {
    const uint item = get_global_id(0);
    if (item >= count) {
        return;
    }
    __global const td_block *blocks = all_blocks + first_block;
    __global const td_quad *quads = all_quads + first_quad;
    __global const double *corners = all_corners + 3 * (size_t)first_corner;
    __global const uint *indices = all_indices + 3 * (size_t)first_triangle;
    td_ray_form ray = rays[item];
    const td_line line = td_line_make(ray.origin, ray.direction, grain);
    td_lane_hit best;
    best.t = best.u = best.v = 0;
    best.triangle = TD_NONE;
    best.state = TD_RAY_LANE_NOTHING;
    best.side = best.spare = 0;
    td_lane_place stack[TD_LANE_STACK];
    uint held = td_push_boxes(stack, blocks, &ray);
    while (held > 0) {
        const td_lane_place place = stack[--held];
        if (place.time > ray.t_end) {
            continue;
        }
        if (place.item & TD_PLACE_QUAD) {
            if (td_visit_quad(&best, &ray, line, quads + (place.item & ~TD_PLACE_QUAD), corners, indices,
                              any)) {
                break;
            }
        } else if (held + 4 > TD_LANE_STACK) {
            best.state = TD_RAY_LANE_HANDED;
            break;
        } else {
            held += td_push_boxes(stack + held, blocks + place.item, &ray);
        }
    }
    hits[item] = best;
}
