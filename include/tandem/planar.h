// A simulator of rigid bodies in the plane: circles and convex polygons in a rectangular room, which fly
// straight until they meet, and bounce. Without gravity or friction: what there is is collisions, each at its
// instant. The scheme of paper 004 (docs/methods/fully-on-device.md), natively or wholly on a device, and a
// faster one beside it.
//
// Metres, kilograms, seconds, radians; the room's lower left corner is the origin. Results are bitwise equal
// for every thread count and device.
#ifndef TANDEM_PLANAR_H
#define TANDEM_PLANAR_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_planar td_planar;

// What a step does.
typedef enum td_planar_stepping {
    TD_PLANAR_ORDERED,        // all collisions of the step, one after the other in time
    TD_PLANAR_FIRST_COLLISION // up to the first collision, which is resolved: the paper's
} td_planar_stepping;

// Which pairs are looked at.
typedef enum td_planar_broad {
    TD_PLANAR_GRID,     // neighbours in a uniform grid
    TD_PLANAR_ALL_PAIRS // each with each: the paper's
} td_planar_broad;

// How the first-collision stepping finds when two circles, or a circle and a wall, meet; polygons always go
// by bisection there. The ordered stepping takes formulas and conservative advancement.
typedef enum td_planar_hit_times { TD_PLANAR_ALGEBRAIC, TD_PLANAR_BISECTION } td_planar_hit_times;

// How the first collision is found among all pairs; the same result by more or fewer readings.
typedef enum td_planar_reduction { TD_PLANAR_CLASSIC, TD_PLANAR_SIX, TD_PLANAR_FOUR_SIX } td_planar_reduction;

typedef struct td_planar_def {
    uint32_t cookie;
    double room[2];     // m: width and height
    double restitution; // of all collisions, 0 to 1
    double step;        // s
    double epsilon;     // of bisection, as part of a step: at least 2^-40 and below 1
    double skin;        // m, how near bodies are when they meet; 0: a millionth of the smallest
    td_planar_stepping stepping;
    td_planar_broad broad;
    td_planar_hit_times hit_times;
    td_planar_reduction reduction;
    bool halve_outside; // bisection: one halving per kernel launch, not all in one
    bool timed;         // take the time of each phase; on a device, by waiting for it
    td_device *device;  // null: native. A device does the paper's scheme, and needs float64
} td_planar_def;

TD_API td_planar_def td_default_planar_def(void);

typedef enum td_planar_kind {
    TD_PLANAR_CIRCLE,
    TD_PLANAR_REGULAR, // polygon, by its radius and number of corners, the first of them on the x axis
    TD_PLANAR_POLYGON  // convex, by its corners
} td_planar_kind;

enum { TD_PLANAR_CORNERS_MOST = 64 };

typedef struct td_planar_body_def {
    uint32_t cookie;
    td_planar_kind kind;
    double radius;         // m, of a circle or around a regular polygon
    uint32_t corner_count; // of either kind of polygon
    const double *corners; // of a polygon: x, y of each, counter-clockwise, about any origin. Its centre of
                           // mass becomes the body's
    double position[2];    // m, of the origin that the corners are about
    double angle;          // rad
    double velocity[2];    // m/s
    double spin;           // rad/s
    double mass;           // kg; 0: from the density
    double density;        // kg/m^2
    bool is_static;        // of infinite mass, and does not move
} td_planar_body_def;

TD_API td_planar_body_def td_default_planar_body_def(void);

// All is checked before anything is made: messages name the object by its index. `bodies` is copied.
TD_API td_result td_create_planar(td_planar **out, td_context *context, const td_planar_def *def,
                                  const td_planar_body_def *bodies, uint32_t count);
TD_API void td_destroy_planar(td_planar *planar); // null is fine

// So many steps more. On a device they are put into its queue, and nothing waits for them.
TD_API td_result td_step_planar(td_planar *planar, uint32_t steps);

typedef struct td_planar_state {
    double position[2], velocity[2]; // of the centre of mass
    double angle, spin;
} td_planar_state;

// Of all bodies. On a device this waits for the steps before.
TD_API td_result td_get_planar_states(td_planar_state *out, td_planar *planar);

// The same in two parts: the copy is asked for, and steps may be put behind it, before it is waited for.
TD_API td_result td_begin_planar_states(td_planar *planar);
TD_API td_result td_end_planar_states(td_planar_state *out, td_planar *planar);

typedef struct td_planar_report {
    uint64_t steps;          // done
    double time;             // s, simulated
    double collisions;       // of pairs, since the start
    double kinetic_energy;   // J
    double momentum[2];      // N s, of all that moves
    double wall_momentum[2]; // N s, that walls and static bodies gave to them since the start
    double angular_momentum; // about the origin
    uint64_t truncated;      // steps that ended before their time: at a collision, or out of budget
    uint64_t hash;           // of all bodies' states
    uint64_t waits;          // of the host for the device, since the start, this report's included
    uint64_t launches;       // of kernels
    double update_ms, overlap_ms, hits_ms, reduction_ms, impulse_ms, forward_ms; // sums, if `timed`
} td_planar_report;

TD_API td_result td_report_planar(td_planar_report *out, td_planar *planar);

// The smallest gap between two bodies, or a body and a wall, m; negative where they overlap. By brute force:
// for tests and reports. *a and *b (may be null) are which; walls are count, count + 1, ...
TD_API td_result td_measure_planar_gap(double *out, uint32_t *a, uint32_t *b, td_planar *planar);

TD_API uint32_t td_planar_body_count(const td_planar *planar);
// The corners of a polygon about its centre of mass, *count of them (0 of a circle); x, y of each.
TD_API td_result td_get_planar_corners(double *out, uint32_t *count, const td_planar *planar, uint32_t body);
TD_API double td_planar_body_radius(const td_planar *planar, uint32_t body);
TD_API bool td_planar_body_is_static(const td_planar *planar, uint32_t body);

// ---------------------------------------------------------------------------------------------------------
// Random starts

typedef struct td_planar_scatter_def {
    uint32_t cookie;
    uint32_t count;
    uint32_t corners; // 0: circles, else regular polygons
    double radius;    // m
    double room[2];   // m
    double speed;     // m/s, of each body, in a random direction
    double spin;      // rad/s, of each polygon at most, either way
    uint64_t seed;
} td_planar_scatter_def;

TD_API td_planar_scatter_def td_default_planar_scatter_def(void);

// `count` bodies at random places of the room, apart from each other. TD_ERROR_ARGUMENT with the index of the
// first that found no place, if they do not fit.
TD_API td_result td_scatter_planar(td_planar_body_def *out, td_context *context,
                                   const td_planar_scatter_def *def);

#ifdef __cplusplus
}
#endif
#endif
