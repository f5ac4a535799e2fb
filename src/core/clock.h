// Wall-clock time for reports; never an input of a computation.
#ifndef TD_CORE_CLOCK_H
#define TD_CORE_CLOCK_H

// Milliseconds since an arbitrary start; monotonic.
double td_clock_ms(void);

#endif
