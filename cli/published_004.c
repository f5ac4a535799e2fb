#include "published_004.h"

const td_published_column td_published_004[] = {
    {1, "inside, GPU", {0.61, 0.72, 0.76, 1.14}},
    {1, "outside, GPU", {1.15, 1.7875, 10.2, 10.6}},
    {2, "classic, GPU", {1.422, 1.75, 2.031, 3.187, 14.265}},
    {2, "six, GPU", {1.625, 1.906, 2.047, 2.437, 10.939}},
    {2, "four-six, GPU", {1.532, 1.438, 1.656, 1.831, 6.484}},
    {3, "option 1, index, GPU", {16.6599, 25.9099, 51.58, 117.26}},
    {3, "option 1, toCPU, GPU", {16.6599, 26.2399, 49.11, 102.279}},
    {3, "option 2, index, GPU", {16.6499, 25.87, 50.91, 102.379}},
    {3, "option 2, toCPU, GPU", {16.6499, 23.9699, 45.6399, 89.75}},
    {3, "option 3, index, GPU", {16.6599, 16.67, 33.33, 65.5299}},
    {3, "option 3, toCPU, GPU", {16.6599, 16.6599, 16.6599, 16.6599}},
    {4, "circles alg, GPU", {33.62, 50.16, 83.49, 166.79}},
    {4, "circles bis, GPU", {33.56, 50.16, 83.47, 166.89}},
    {4, "circles bis, CPU", {33.33, 86.14, 356.42, 1603.10}},
    {4, "polygons, GPU", {17.47, 17.50, 26.83, 67.62}},
    {4, "polygons, CPU", {16.66, 36.27, 192.63, 810}},
    {5, "update, GPU", {0.1599, 0.17, 0.1899, 0.23}},
    {5, "overlap, GPU", {0.25, 0.6869, 2.47, 9.46}},
    {5, "bisection, GPU", {0.61, 0.72, 0.76, 1.14}},
    {5, "impulse, GPU", {0.32, 0.32, 0.36, 0.52}},
    {5, "forward, GPU", {0.039, 0.0799, 0.21, 0.23}},
};
const uint32_t td_published_004_count = sizeof td_published_004 / sizeof td_published_004[0];
