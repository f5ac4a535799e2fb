// Known answers: a device whose arithmetic is not what the filters and the exact predicate stand on is
// refused before it is asked anything.
#ifndef TD_DEVICE_CHECK_H
#define TD_DEVICE_CHECK_H

#include "device.h"

// kernels/check.cl has the same numbers.
typedef enum td_check_operation {
    TD_CHECK_ADD,
    TD_CHECK_MULTIPLY,
    TD_CHECK_FMA,
    TD_CHECK_MULTIPLY_SUBTRACT, // a * b - c, which must be rounded twice
    TD_CHECK_LESS,              // a < b: 1 or 0, as the comparisons that follow
    TD_CHECK_NOT_LESS,
    TD_CHECK_EQUAL,
    TD_CHECK_NOT_EQUAL
} td_check_operation;

// Bits of IEEE numbers: float32 in the low half, or float64.
typedef struct td_check_case {
    const char *name;
    uint64_t operation;
    uint64_t a, b, c;
    uint64_t expected;
} td_check_case;

// Corners of a tetrahedron and the sign of its orientation.
typedef struct td_check_orientation {
    const char *name;
    double corners[12];
    int32_t expected;
} td_check_orientation;

enum { TD_CHECK_CASES_MOST = 32 };

typedef struct td_check_cases {
    const td_check_case *cases;
    uint32_t count;
} td_check_cases;

td_check_cases td_float32_checks(void);
td_check_cases td_float64_checks(void);
const td_check_orientation *td_orientation_checks(uint32_t *count);

// Each puts the questions to the device; TD_ERROR_DEVICE names the first wrong answer.
td_result td_check_float32(td_device *device, td_check_cases checks);
td_result td_check_float64(td_device *device, td_check_cases checks);
td_result td_check_orientations(td_device *device, const td_check_orientation *checks, uint32_t count);
td_result td_check_collecting(td_device *device); // scan and compact

// All of them; float64 only where the device may use it.
td_result td_check_device(td_device *device);

#endif
