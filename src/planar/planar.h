// A planar simulation within the library: the arrays between its parts. planar.c makes and steps it, each way
// of stepping has a file of its own.
#ifndef TD_PLANAR_PLANAR_H
#define TD_PLANAR_PLANAR_H

#include "../core/array.h"
#include "../core/context.h"
#include "../core/error.h"
#include "events.h"
#include "grid.h"
#include "phases.h"

#include <tandem/planar.h>

enum {
    TD_PLANAR_BODIES_MOST = 1000000,
    TD_PLANAR_ALL_PAIRS_MOST = 16384, // their hit times take 1 GiB
};

typedef enum td_planar_phase {
    TD_PHASE_UPDATE,
    TD_PHASE_OVERLAP,
    TD_PHASE_HITS,
    TD_PHASE_REDUCTION,
    TD_PHASE_IMPULSE,
    TD_PHASE_FORWARD,
    TD_PHASE_COUNT
} td_planar_phase;

// All pairs, natively: the paper's textures of size n x n, their lower triangle.
typedef struct td_planar_pairs {
    td_u8 *flags;
    double *times;
    double *reduced[2]; // by turns
    size_t count, reduced_count;
} td_planar_pairs;

// What the ordered stepping knows of the step that it is in.
typedef struct td_planar_order {
    double *local;        // s: the time within the step that each body's motion is of
    double *struck_at;    // s, likewise: when each body last was
    uint32_t *generation; // collisions of each body, so that events predicted before them are known as void
    td_planar_events events;
} td_planar_order;

typedef struct td_planar_on_device td_planar_on_device; // device.c

struct td_planar {
    td_context *context;
    td_planar_def def;
    td_planar_rules rules;
    uint32_t count, size; // bodies; bodies and walls
    uint32_t corner_count;
    td_planar_shape *shapes;
    td_planar_corner *corners;
    td_planar_motion *motions, *struck;
    td_planar_tally *tallies;
    uint32_t *marks;
    double *boxes; // four arrays of `size`
    td_planar_clock clock;
    td_planar_pairs pairs;
    td_planar_order order;
    td_planar_grid grid;
    td_u8 *is_large;                      // bodies that are in no cell of the grid: everybody looks at them
    TD_ARRAY(uint32_t) large;             // which these are
    TD_ARRAY(uint32_t) found;             // neighbours of a body
    TD_ARRAY(td_planar_event) candidates; // of the first collision, by grid
    td_planar_on_device *device;          // null: native
    double ms[TD_PHASE_COUNT];
};

// check.c. Fills shapes, corners and motions, all zero before.
td_result td_take_planar_bodies(td_planar *planar, const td_planar_body_def *bodies);
td_result td_check_planar_def(const td_planar_def *def, uint32_t count);
// Refuses bodies that are outside the room, or inside each other.
td_result td_check_planar_start(td_planar *planar);

// One step each.
td_result td_step_first_of_all(td_planar *planar);  // first_all.c
td_result td_step_first_of_grid(td_planar *planar); // first_grid.c
td_result td_step_ordered(td_planar *planar);       // ordered.c

// The least element of the triangle, as the definition's reduction finds it.
double td_reduce_pairs(td_planar *planar, td_planar_reduction reduction);
// How many elements a whole reduction of a matrix of this size reads.
uint64_t td_count_readings(td_planar_reduction reduction, uint32_t size);

// Puts all bodies into the grid, by the boxes that they have now.
td_result td_fill_planar_grid(td_planar *planar);
// The body's box has changed.
void td_move_in_planar_grid(td_planar *planar, uint32_t i);
// Bodies and walls whose boxes overlap that of body i, into planar->found; those before i only, if asked.
td_result td_find_neighbours(td_planar *planar, uint32_t i, bool before);
td_planar_box td_planar_box_in(const td_planar *planar, uint32_t i);
void td_set_planar_box(td_planar *planar, uint32_t i, td_planar_box box);

// device.c
td_result td_create_planar_device(td_planar *planar);
void td_destroy_planar_device(td_planar *planar);
td_result td_step_planar_device(td_planar *planar, uint32_t steps);
td_result td_begin_planar_read(td_planar *planar);
td_result td_end_planar_read(td_planar *planar); // motions, tallies and clock are those of the device then
void td_count_planar_device(td_planar_report *out, const td_planar *planar);

static inline td_planar_body td_planar_body_in(const td_planar *planar, uint32_t i) {
    return td_planar_take(planar->shapes, planar->motions, i);
}

#endif
