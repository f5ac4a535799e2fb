// Figures of paper 002, as printed. Fig. 6 has the three largest sizes of each configuration.
#include "published_002.h"

const char *const td_published_002_hardware[2] = {"Intel Core 2 Quad Q6600, one core",
                                                  "NVIDIA 9800 GX2, one of its two GPUs"};

const td_published_scene td_published_002[TD_PUBLISHED_SCENES] = {
    {.name = "rockslide",
     .sizes = {500, 1000, 1500, 2000, 2500},
     .objects = {500, 1000, 1500, 2000, 2500},
     .small = {0, 1},
     .steps = 240,
     .area = {{0}, {0}, {0.0240, 0.0009, 0.0004}, {0.0290, 0.0010, 0.0004}, {0.0038, 0.0150, 0.0007}},
     // "Only up to about 2"; with 500 objects RAPID "is a little faster".
     .speedup_low = 1,
     .speedup_high = 2},
    {.name = "pile",
     .sizes = {6, 7, 8, 9, 10},
     .objects = {216, 343, 512, 729, 1000},
     .small = {0, 2},
     .steps = 240,
     .area = {{0}, {0}, {0.0747, 0.0191, 0.009}, {0.0871, 0.0221, 0.005}, {0.0566, 0.0134, 0.035}},
     .speedup_low = 3,
     .speedup_high = 7},
    {.name = "stack",
     .sizes = {6, 7, 8, 9, 10},
     .objects = {216, 343, 512, 729, 1000},
     .small = {0, 2},
     .steps = 60,
     .area = {{0}, {0}, {6.5990, 6.8112, 6.9840}, {6.5990, 6.8112, 6.9840}, {6.5990, 6.8112, 6.9840}},
     .speedup_low = 5,
     .speedup_high = 8},
};
