// Lines and triangles in integers: what the filter of ray_tri.h leaves open. Rays through edges, corners and
// planes end here, so it has to be right first; it takes a microsecond or two.
#include "ray_tri.h"

#include "big_int.h"

enum {
    // A difference of doubles has at most 2,100 bits, a product of three 6,300; some 60 of them are held at
    // once.
    TD_RAY_LIMBS = 400000 / TD_LIMB_BITS
};

typedef struct td_big_point {
    td_big_int at[3];
} td_big_point;

// Line and triangle, all of them whole multiples of powers of two that no longer matter.
typedef struct td_big_scene {
    td_big_arena arena;
    td_big_point corner[3]; // relative to the origin
    td_big_point direction;
    double along[3]; // corners relative to the origin along the line's axis, rounded
} td_big_scene;

static int td_lowest_bit(const td_vec3 *points, int count) {
    int base = 1024;
    for (int i = 0; i < 3 * count; ++i) {
        const double x = td_component(points[i / 3], i % 3);
        if (x != 0.0 && td_last_bit_of(x) < base) {
            base = td_last_bit_of(x);
        }
    }
    return base;
}

static void td_fill_big_scene(td_big_scene *scene, const td_line *line, const td_triangle *triangle) {
    const td_vec3 points[4] = {triangle->p0, triangle->p1, triangle->p2, line->origin};
    const int base = td_lowest_bit(points, 4), base_d = td_lowest_bit(&line->direction, 1);
    td_big_arena *arena = &scene->arena;
    for (int k = 0; k < 3; ++k) {
        const td_big_int origin = td_big_from(arena, td_component(line->origin, k), base);
        for (int i = 0; i < 3; ++i) {
            const td_big_int x = td_big_from(arena, td_component(points[i], k), base);
            scene->corner[i].at[k] = td_big_difference(arena, x, origin);
        }
        scene->direction.at[k] = td_big_from(arena, td_component(line->direction, k), base_d);
    }
    for (int i = 0; i < 3; ++i) {
        scene->along[i] = td_component(points[i], line->axis) - td_component(line->origin, line->axis);
    }
}

// (a x b) along axis k.
static td_big_int td_big_cross(td_big_arena *arena, const td_big_point *a, const td_big_point *b, int k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    return td_big_difference(arena, td_big_product(arena, a->at[i], b->at[j]),
                             td_big_product(arena, a->at[j], b->at[i]));
}

static td_big_int td_big_side(td_big_scene *scene, int i, int j) {
    td_big_arena *arena = &scene->arena;
    td_big_int sum = {0};
    for (int k = 0; k < 3; ++k) {
        const td_big_int cross = td_big_cross(arena, &scene->corner[i], &scene->corner[j], k);
        sum = td_big_sum(arena, sum, td_big_product(arena, cross, scene->direction.at[k]));
    }
    return sum;
}

// Magnitudes as weights that sum up to 1. Not all may be 0.
static void td_weights(double weight[3], const td_big_int value[3]) {
    int exponent[3] = {0}, largest = INT32_MIN;
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        weight[i] = fabs(td_big_mantissa(value[i], &exponent[i]));
        largest = value[i].sign != 0 && exponent[i] > largest ? exponent[i] : largest;
    }
    for (int i = 0; i < 3; ++i) {
        weight[i] = value[i].sign == 0 ? 0 : ldexp(weight[i], exponent[i] - largest);
        sum += weight[i];
    }
    for (int i = 0; i < 3; ++i) {
        weight[i] /= sum;
    }
}

double td_place_on_line(const td_line *line, const td_triangle *triangle, const double corner[3],
                        const double weight[3], int through) {
    const double d = td_component(line->direction, line->axis);
    const double t = td_mean_place(corner, weight) / d;
    const int corners = td_side_of_corners(corner);
    if (corners != 0) {
        return td_signed_t(t, corners * td_sign(d));
    }
    const int side = td_orient3d(triangle->p0, triangle->p1, triangle->p2, line->origin);
    return td_signed_t(t, -side * through);
}

// ---------------------------------------------------------------------------------------------------------
// In one plane

typedef struct td_flat_meeting {
    td_big_scene *scene;
    const td_line *line;
    int normal;         // an axis along which the common plane has a normal
    td_big_int away[3]; // how far the corners are from the line, signed, along that axis
    td_meeting *out;
    bool found;
} td_flat_meeting;

static void td_add_flat_point(td_flat_meeting *flat, double t, const double weight[3]) {
    td_meeting *out = flat->out;
    if (!flat->found || t < out->t) {
        out->t = t;
        out->u = weight[1];
        out->v = weight[2];
    }
    if (!flat->found || t > out->t_end) {
        out->t_end = t;
        out->u_end = weight[1];
        out->v_end = weight[2];
    }
    flat->found = true;
}

static void td_add_corner(td_flat_meeting *flat, int i) {
    const double weight[3] = {i == 0, i == 1, i == 2};
    const int sign = flat->scene->corner[i].at[flat->line->axis].sign;
    const double d = td_component(flat->line->direction, flat->line->axis);
    td_add_flat_point(flat, td_signed_t(flat->scene->along[i] / d, sign * td_sign(d)), weight);
}

// The line crosses the edge between its ends. There t is, along the normal, ((p - o) x (q - o)) / (d x (q -
// p)), of which the denominator is away(p) - away(q).
static void td_add_crossing(td_flat_meeting *flat, int i, int j) {
    td_big_scene *scene = flat->scene;
    td_big_int value[3] = {{0}};
    value[i] = flat->away[j];
    value[j] = flat->away[i];
    double weight[3], ends[3] = {scene->along[i], scene->along[i], scene->along[i]};
    ends[j] = scene->along[j];
    td_weights(weight, value);
    const double t = td_mean_place(ends, weight) / td_component(flat->line->direction, flat->line->axis);
    const int sign = td_big_cross(&scene->arena, &scene->corner[i], &scene->corner[j], flat->normal).sign;
    td_add_flat_point(flat, td_signed_t(t, sign * flat->away[i].sign), weight);
}

// An axis along which some corner is off the line, and how far they are; false: all are on it.
static bool td_find_normal(td_flat_meeting *flat) {
    td_big_scene *scene = flat->scene;
    for (flat->normal = 0; flat->normal < 3; ++flat->normal) {
        bool some = false;
        for (int i = 0; i < 3; ++i) {
            flat->away[i] = td_big_cross(&scene->arena, &scene->corner[i], &scene->direction, flat->normal);
            some = some || flat->away[i].sign != 0;
        }
        if (some) {
            return true;
        }
    }
    return false;
}

static bool td_meets_in_plane(td_meeting *out, td_big_scene *scene, const td_line *line) {
    td_flat_meeting flat = {.scene = scene, .line = line, .out = out};
    out->side = 0;
    td_find_normal(&flat); // if there is none, all is on the line, and `away` is 0
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if (flat.away[i].sign == 0) {
            td_add_corner(&flat, i);
        }
        if (flat.away[i].sign * flat.away[j].sign < 0) {
            td_add_crossing(&flat, i, j);
        }
    }
    return flat.found;
}

// ---------------------------------------------------------------------------------------------------------

bool td_line_meets_carefully(td_meeting *out, const td_line *line, const td_triangle *triangle) {
    td_limb limbs[TD_RAY_LIMBS];
    td_big_scene scene;
    scene.arena = (td_big_arena){.limbs = limbs, .size = TD_RAY_LIMBS};
    td_fill_big_scene(&scene, line, triangle);
    const size_t used = scene.arena.used;
    td_big_int side[3];
    bool positive = false, negative = false;
    for (int i = 0; i < 3; ++i) {
        side[i] = td_big_side(&scene, (i + 1) % 3, (i + 2) % 3);
        positive = positive || side[i].sign > 0;
        negative = negative || side[i].sign < 0;
    }
    if (positive && negative) {
        return false;
    }
    if (!positive && !negative) {
        scene.arena.used = used;
        return td_meets_in_plane(out, &scene, line);
    }
    double weight[3];
    td_weights(weight, side);
    out->side = positive ? -1 : 1;
    out->u = weight[1];
    out->v = weight[2];
    out->t = td_place_on_line(line, triangle, scene.along, weight, -out->side);
    return true;
}
