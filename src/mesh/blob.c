#include "blob.h"

// The ball whose centre is the segment's nearest point.
typedef struct td_ball_sample {
    double distance; // to its surface
    double radius;
    td_vec3 outward; // unit
    td_vec3 growth;  // of the radius, per unit of movement of the point
} td_ball_sample;

static td_ball_sample td_nearest_ball(const td_blob_part *part, td_vec3 p) {
    const td_vec3 axis = td_sub(part->b, part->a);
    const td_vec3 from_a = td_sub(p, part->a);
    const double squared = td_dot(axis, axis);
    const double along = td_dot(from_a, axis) / squared;
    const double t = along < 0 ? 0 : along > 1 ? 1 : along;
    const td_vec3 away = td_sub(from_a, td_scale(axis, t));
    const double length = sqrt(td_dot(away, away));
    td_ball_sample s;
    s.radius = part->radius_a + t * (part->radius_b - part->radius_a);
    s.distance = length - s.radius;
    s.outward = length > 0 ? td_scale(away, 1 / length) : td_vec3_make(0, 1, 0);
    s.growth =
        along == t ? td_scale(axis, (part->radius_b - part->radius_a) / squared) : td_vec3_make(0, 0, 0);
    return s;
}

static td_blob_sample td_evaluate_part(const td_blob_part *part, td_vec3 p) {
    const td_ball_sample ball = td_nearest_ball(part, p);
    return (td_blob_sample){ball.distance, td_sub(ball.outward, ball.growth)};
}

static td_vec3 td_mix(td_vec3 a, td_vec3 b, double share_of_b) {
    return td_add(td_scale(a, 1 - share_of_b), td_scale(b, share_of_b));
}

// The minimum of both, rounded off where they differ by less than `blend`.
static td_blob_sample td_melt(td_blob_sample a, td_blob_sample b, double blend) {
    const td_blob_sample low = a.value < b.value ? a : b;
    const td_blob_sample high = a.value < b.value ? b : a;
    const double gap = high.value - low.value;
    if (gap >= blend) {
        return low;
    }
    const double h = 1 - gap / blend;
    return (td_blob_sample){low.value - h * h * blend / 4, td_mix(low.gradient, high.gradient, h / 2)};
}

// Whether one coordinate alone keeps the ball at either end, and all between, at this distance or farther.
static int td_is_apart(double p, double a, double b, double radius, double distance) {
    const double reach = radius + distance;
    return (p - a >= reach && p - b >= reach) || (a - p >= reach && b - p >= reach);
}

// Melts the part in, if it is near enough to change anything; most are told to be far by comparisons alone.
static td_blob_sample td_melt_part(td_blob_sample sum, const td_blob_part *part, td_vec3 p) {
    const double radius = part->radius_a > part->radius_b ? part->radius_a : part->radius_b;
    const double far = sum.value + part->blend;
    if (td_is_apart(p.x, part->a.x, part->b.x, radius, far) ||
        td_is_apart(p.y, part->a.y, part->b.y, radius, far) ||
        td_is_apart(p.z, part->a.z, part->b.z, radius, far)) {
        return sum;
    }
    return td_melt(sum, td_evaluate_part(part, p), part->blend);
}

static td_vec3 td_mirror(td_vec3 p) {
    return td_vec3_make(p.x, p.y, -p.z);
}

static td_blob_sample td_negative(td_blob_sample s) {
    return (td_blob_sample){-s.value, td_scale(s.gradient, -1)};
}

td_blob_sample td_blob_evaluate(const td_blob *blob, td_vec3 p) {
    td_blob_sample sum = {HUGE_VAL, td_vec3_make(0, 0, 0)};
    for (int i = 0; i < blob->part_count; ++i) {
        const td_blob_part *part = &blob->parts[i];
        sum = td_melt_part(sum, part, p);
        if (part->mirrored) {
            sum.gradient = td_mirror(sum.gradient);
            sum = td_melt_part(sum, part, td_mirror(p));
            sum.gradient = td_mirror(sum.gradient);
        }
    }
    // To cut off is to take a maximum: the negative of the minimum of the negatives.
    const td_blob_sample above = {p.y - blob->floor, td_vec3_make(0, 1, 0)};
    return td_negative(td_melt(td_negative(sum), above, blob->floor_blend));
}

td_blob_sample td_blob_project(const td_blob *blob, td_vec3 *p) {
    td_blob_sample s = td_blob_evaluate(blob, *p);
    for (int i = 0; i < 12 && fabs(s.value) > 1e-12; ++i) {
        *p = td_sub(*p, td_scale(s.gradient, s.value / td_dot(s.gradient, s.gradient)));
        s = td_blob_evaluate(blob, *p);
    }
    return s;
}

double td_blob_thickness(const td_blob *blob, td_vec3 p) {
    double thinnest = HUGE_VAL;
    for (int i = 0; i < blob->part_count; ++i) {
        const td_blob_part *part = &blob->parts[i];
        for (int side = 0; side <= part->mirrored; ++side) {
            const td_ball_sample ball = td_nearest_ball(part, side == 0 ? p : td_mirror(p));
            const double thickness = ball.radius + (ball.distance > 0 ? 0.5 * ball.distance : 0);
            thinnest = thickness < thinnest ? thickness : thinnest;
        }
    }
    return thinnest;
}
