// Adding to the tallies of an object pair. OpenCL C.
#ifndef TD_TRAVERSE_DEVICE_TALLY_H
#define TD_TRAVERSE_DEVICE_TALLY_H

#include "device_pair.h"

// 64 bits in two words: whoever makes the lower one wrap carries.
TD_INLINE void td_tally_add(volatile __global uint *tallies, uint pair, uint what, uint amount) {
    volatile __global uint *low = tallies + TD_TALLIES * pair + what;
    const uint before = atomic_add(low, amount);
    if (before + amount < before) {
        atomic_inc(low + 1);
    }
}

TD_INLINE void td_tally_max(volatile __global uint *tallies, uint pair, uint what, uint value) {
    atomic_max(tallies + TD_TALLIES * pair + what, value);
}

#endif
