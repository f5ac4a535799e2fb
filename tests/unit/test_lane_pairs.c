// As test_lane.c, with the offsets between quads in pairs of floats: what a device without float64 computes.
#define TD_LANE_PAIRS
#include "test_lane.c" // NOLINT(bugprone-suspicious-include): one source, two builds
