// What paper 002 reports: contact area (Fig. 6) and the speed-up of its GPU method over RAPID (Figs. 7 and 8,
// as its text sums them up).
#ifndef TD_CLI_PUBLISHED_002_H
#define TD_CLI_PUBLISHED_002_H

#include <stdint.h>

// A configuration of the paper: a scene of scenes/ with its sizes.
typedef struct td_published_scene {
    const char *name;
    uint32_t sizes[5];   // the scene's parameter n, all of the paper's
    uint32_t objects[5]; // bodies of each, without the ground
    uint32_t small[2];   // indices of the sizes that are run unless all are asked for
    uint32_t steps;      // after which the scene is measured here
    double area[5][3];   // Fig. 6, by size and subdivision; 0: not printed
    double speedup_low, speedup_high;
} td_published_scene;

enum { TD_PUBLISHED_SCENES = 3, TD_PUBLISHED_SIZES = 5, TD_PUBLISHED_SUBDIVISIONS = 3 };

extern const td_published_scene td_published_002[TD_PUBLISHED_SCENES];
extern const char *const td_published_002_hardware[2]; // of RAPID, of the GPU method

#endif
