// The motion of a pair of bodies over a step, followed continuously.
#ifndef TD_DYNAMICS_SWEEP_H
#define TD_DYNAMICS_SWEEP_H

#include "body.h"

// Where a body begins and where it goes.
typedef struct td_course {
    const td_body *body;
    td_placement from, to;
    bool steady; // turns at constant speed, as the exact test has it (exact_way.h); else nearly so, which is
                 // quicker
} td_course;

// Fractions of the way, 0 to 1. There is no overlap at `free`.
typedef struct td_sweep {
    td_course courses[2];
    double motion;  // m: bound on how much nearer two points come on the whole way
    double pace;    // m: nothing that thick is stepped over
    double shallow; // m: overlap that is wanted when they meet
    double free;
    double next;  // what is to be tested
    double met;   // an overlap was found here; 1: none yet
    bool halving; // between `free` and `met`
    bool done;
    bool clear;      // it is proven that the two come nowhere near each other on the whole way
    bool not_inside; // neither can come to be inside the other on the way without an overlap at some test
    bool passed;     // there is no overlap at the end of the way, either
    uint32_t link;
} td_sweep;

// The same for all pairs that a body is one of: the functions below take it from body->travel.
td_travel td_travel_on(const td_course *course);

// Whether the pair moves by more than `share` of the thinner one's thickness, so that it is to be followed.
bool td_is_fast(const td_body *a, const td_body *b, double share);

// The thickness that decides for a pair: the thinner one's; of a sheet, which has none, the other's (m).
double td_pair_thickness(const td_body *a, const td_body *b);

// Nothing is tested yet; td_sweep_set_off then says what is to be.
td_sweep td_sweep_start(td_course a, td_course b, double slop);

// If the two are farther apart than this (m) half way, they do not meet on the whole way.
double td_sweep_margin(const td_sweep *sweep);

void td_sweep_set_off(td_sweep *sweep);

// Where the pair is at a fraction of the way.
td_placement td_course_at(const td_course *course, double fraction);
td_object_pair td_sweep_pair(const td_sweep *sweep, double fraction);

// Goes on after the test at `next`.
void td_sweep_continue(td_sweep *sweep, bool overlap);

#endif
