// What paper 001 reports of the scenes that are repeated here: Figs. 7 and 8.
#ifndef TD_CLI_PUBLISHED_001_H
#define TD_CLI_PUBLISHED_001_H

#include <stdint.h>

typedef struct td_published_model {
    const char *name;     // of the scene here
    const char *model;    // of the paper's
    double build[2][2];   // Fig. 7: boxes along the axes, oriented; by compaction, by balancing
    double refit[3];      // Fig. 7: the same boxes on the GPU; along the axes on four cores
    double collide[2][4]; // Fig. 8: standard, from a front; discrete with either box, continuous with either
} td_published_model;     // milliseconds; 0: not legible for certain

enum { TD_PUBLISHED_MODELS = 2 };

extern const td_published_model td_published_001[TD_PUBLISHED_MODELS];
extern const char *const td_published_001_hardware[2]; // of the GPU, of the four cores

#endif
