// What paper 000 reports: 512 cows, placed in a grid of 8 x 8 x 8, fall to the ground, 400 iterations. The
// binary stack with oriented boxes, once on the CPU and once on the GPU.
#ifndef TD_CLI_PUBLISHED_000_H
#define TD_CLI_PUBLISHED_000_H

#include <stdbool.h>
#include <stdint.h>

// The times of a row, in the order of the table.
typedef enum td_step_time {
    TD_STEP_SIMULATION, // the whole iteration
    TD_STEP_CONTACT,    // making contact points
    TD_STEP_COLLISION,  // traversal; on a device with all copying
    TD_STEP_COPY,
    TD_STEP_KERNEL, // of a device only, like the copies
    TD_STEP_TIMES
} td_step_time;

typedef struct td_published_step {
    uint32_t iteration;
    bool gpu;
    uint32_t broad, narrow; // object pairs
    uint32_t faces;         // pairs of triangles whose boxes overlap: candidates
    double seconds[TD_STEP_TIMES];
} td_published_step;

extern const char *const td_published_000_hardware[2]; // of the CPU rows, of the GPU rows

// Null if the table has no such row.
const td_published_step *td_published_000(uint64_t iteration, bool gpu);

#endif
