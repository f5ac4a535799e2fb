// Paces of half the thinner body's thickness; the first that ends in an overlap is halved until the overlap
// is shallow. Long ways past thin things are shortened by conservative advancement: from where the two are
// proven to be clear of each other by a margin, nothing can happen until they have moved by it.
//
// based on: Mirtich, Impulse-based dynamic simulation of rigid body systems (1996), for advancement.
#include "sweep.h"

#include "../query/near.h"
#include "exact_way.h"

#include <math.h>

// Of the thinner one's thickness.
static const double td_pace_share = 0.5, td_shallow_share = 0.02;
// Ways of more paces than this are worth a try to shorten them.
static const double td_long_way = 6;

td_placement td_course_at(const td_course *course, double fraction) {
    if (course->steady) {
        const td_exact_way way = {course->body, course->from, course->to};
        return td_exact_way_at(&way, fraction);
    }
    if (fraction >= 1) { // to the bit: what is found here holds for whoever asks about the end
        return course->to;
    }
    const td_quat p = course->from.rotation, q = course->to.rotation;
    const double toward = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0 ? -fraction : fraction;
    const double rest = 1 - fraction;
    const td_quat turned = td_quat_make(rest * p.x + toward * q.x, rest * p.y + toward * q.y,
                                        rest * p.z + toward * q.z, rest * p.w + toward * q.w);
    const td_vec3 way = td_sub(course->to.position, course->from.position);
    return (td_placement){td_add(course->from.position, td_scale(way, fraction)), td_quat_normalise(turned)};
}

td_object_pair td_sweep_pair(const td_sweep *sweep, double fraction) {
    const td_course *a = &sweep->courses[0], *b = &sweep->courses[1];
    const td_placement at_a = td_course_at(a, fraction), at_b = td_course_at(b, fraction);
    return (td_object_pair){a->body->surface->mesh, b->body->surface->mesh,
                            td_relative_pose(a->body, &at_a, b->body, &at_b)};
}

// How far the farthest point of a body is turned away. The turn between two quaternions is fastest half way;
// for turns of up to a half circle by no more than 4/pi.
static double td_arc(const td_course *course) {
    const td_quat turn = td_quat_mul(td_quat_conjugate(course->from.rotation), course->to.rotation);
    const double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z); // of half the angle
    const double angle = sine < 0.5 ? 2.1 * sine : 3.15 * sine;                    // at least
    return 1.28 * angle * course->body->surface->radius;
}

td_travel td_travel_on(const td_course *course) {
    return (td_travel){td_sub(course->to.position, course->from.position), td_arc(course)};
}

// Goes on from `free` as far as it is proven that nothing happens, then by one pace.
static void td_choose_next(td_sweep *sweep) {
    double margin = 0.25 * (1 - sweep->free) * sweep->motion;
    while ((1 - sweep->free) * sweep->motion > td_long_way * sweep->pace && margin > 2 * sweep->pace) {
        const td_object_pair pair = td_sweep_pair(sweep, sweep->free);
        if (td_is_clear(&pair, margin)) {
            sweep->free = fmin(1, sweep->free + margin / sweep->motion * (1 - 1e-9));
            margin *= 2;
        } else {
            margin *= 0.25;
        }
    }
    sweep->next = fmin(1, sweep->free + sweep->pace / sweep->motion);
    sweep->done = sweep->free >= 1;
}

// A bound on how much nearer two points come.
static double td_motion(const td_travel *a, const td_travel *b) {
    return td_length(td_sub(a->way, b->way)) + a->arc + b->arc;
}

double td_pair_thickness(const td_body *a, const td_body *b) {
    const double s = a->surface->thickness, t = b->surface->thickness;
    return s > 0 && t > 0 ? fmin(s, t) : fmax(s, t);
}

bool td_is_fast(const td_body *a, const td_body *b, double share) {
    return td_motion(&a->travel, &b->travel) > share * fmin(a->surface->thickness, b->surface->thickness);
}

td_sweep td_sweep_start(td_course a, td_course b, double slop) {
    const td_surface *s = a.body->surface, *t = b.body->surface;
    const double size = fmin(s->radius, t->radius);
    const double thickness = td_pair_thickness(a.body, b.body);
    return (td_sweep){.courses = {a, b},
                      .motion = td_motion(&a.body->travel, &b.body->travel),
                      .pace = fmax(td_pace_share * thickness, 1e-4 * size),
                      .shallow = fmax(slop * size, td_shallow_share * thickness),
                      .met = 1};
}

double td_sweep_margin(const td_sweep *sweep) {
    return 0.5 * sweep->motion * (1 + 1e-9);
}

void td_sweep_set_off(td_sweep *sweep) {
    td_choose_next(sweep);
}

void td_sweep_continue(td_sweep *sweep, bool overlap) {
    if (overlap) {
        sweep->met = sweep->next;
        sweep->halving = true;
    } else {
        sweep->free = sweep->next;
    }
    if (!sweep->halving) {
        td_choose_next(sweep);
        sweep->passed = sweep->done = sweep->done || sweep->free >= 1;
    } else {
        sweep->next = sweep->free + 0.5 * (sweep->met - sweep->free);
        sweep->done = (sweep->met - sweep->free) * sweep->motion <= sweep->shallow;
    }
}
