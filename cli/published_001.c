// Figures of paper 001, as printed. Decimal points of its Fig. 7 are lost in the copy that was at hand
// ("743", "115"): such figures are left out.
#include "published_001.h"

const char *const td_published_001_hardware[2] = {"NVIDIA GTX 285", "Intel Core 2, 2.83 GHz, four cores"};

const td_published_model td_published_001[TD_PUBLISHED_MODELS] = {
    {.name = "cloth",
     .model = "Sphere/Cloth, 92k",
     .build = {{35, 31}, {43, 39}},
     .refit = {0, 7.9, 29},
     .collide = {{33, 49, 47, 43}, {28, 36, 42, 38}}},
    {.name = "balls",
     .model = "Balls, 146k",
     .build = {{62, 56}, {74, 68}},
     .refit = {3.2, 0, 56},
     .collide = {{85, 75, 99, 81}, {78, 70, 91, 74}}},
};
