// An allocator that counts, checks what it gets back, and fails where it is told to.
#ifndef TD_TESTS_HEAP_H
#define TD_TESTS_HEAP_H

#include <tandem/base.h>

#include <stdatomic.h>
#include <stdbool.h>

// Threads may use it side by side, so mistakes are kept here, to be asserted on by the test's own thread.
typedef struct test_heap {
    atomic_long calls;     // allocations asked for
    atomic_long failures;  // of these, refused
    atomic_long fail_from; // the calls numbered from here ...
    atomic_long fail_to;   // ... to before here fail (the first call is number 0)
    atomic_long blocks;    // not yet given back
    atomic_size_t bytes;   // in these blocks
    atomic_long mistakes;  // released with another size, no block, alignment out of bounds
} test_heap;

td_allocator test_heap_allocator(test_heap *heap);

// Counts from now on; the calls numbered `from` ... `to` - 1 fail.
void test_heap_fail(test_heap *heap, long from, long to);
void test_heap_recover(test_heap *heap); // nothing fails, the count starts again

#endif
