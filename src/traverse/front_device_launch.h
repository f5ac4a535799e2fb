// The kernels of a front on a device (kernels/front.cl): what each is given, and the room for what it leaves.
#ifndef TD_TRAVERSE_FRONT_DEVICE_LAUNCH_H
#define TD_TRAVERSE_FRONT_DEVICE_LAUNCH_H

#include "device_state.h"
#include "front_units.h"

typedef enum td_front_kernel {
    TD_TEST_ENTRIES,
    TD_MOVE_ENTRIES,
    TD_TAKE_ENTRIES,
    TD_SLICE_UNITS,
    TD_OPEN_UNITS,
    TD_FIND_BEGINS,
    TD_FIND_LENGTHS,
    TD_PUT_ENTRIES,
    TD_PUT_UNITS,
    TD_EMIT_TILES,
    TD_FRONT_KERNELS
} td_front_kernel;

typedef struct td_front_steps {
    td_device_batch *batch;
    td_device_state *state;
    td_device_front *front;
    const td_kernel *kernels[TD_FRONT_KERNELS];
    const td_device_buffer *boxes; // of either kind
    td_front_way way;
    uint32_t chunk;     // as natively: siblings in different chunks know nothing of each other
    uint32_t descend;   // entries that do
    uint32_t tiles;     // in TD_USE_TILES
    uint32_t tests;     // of boxes
    uint32_t most_held; // units at once
} td_front_steps;

// Kernels for the boxes and the question of the batch.
td_result td_front_find_kernels(td_front_steps *steps);

// Room for so many words, or units, of which the first `keep` stay.
td_result td_front_words(td_front_steps *steps, td_device_use use, size_t count);
td_result td_front_units(td_front_steps *steps, td_device_use use, size_t count, size_t keep);

// Whether something failed for want of memory.
bool td_front_is_short(const td_front_steps *steps, td_result result);

// Tests the entries and says how they move; those that descend are counted.
td_result td_front_move_all(td_front_steps *steps, uint32_t record);

// The entries that descend, as units. With `carry` they know where they come from.
td_result td_front_take_all(td_front_steps *steps, td_device_use units, uint32_t carry);

// What becomes of the other entries, to its places in `next`: after the prefix sum of TD_USE_COUNTS_NEXT.
td_result td_front_put_all(td_front_steps *steps, uint32_t record, const td_device_buffer *next);

// `count` of the units that wait in TD_USE_PLACES, from `first` on, to TD_USE_SLICE.
td_result td_front_slice_units(td_front_steps *steps, uint32_t first, uint32_t count);

// One round: `count` units of TD_USE_SLICE give way to what they lead to, behind `first` in TD_USE_PLACES.
td_result td_front_open_all(td_front_steps *steps, uint32_t count, uint32_t carry, uint32_t first);

// How many units there are of each entry that descended, counted as entries of the next front; and to their
// places in it, after the prefix sum.
td_result td_front_count_units(td_front_steps *steps, uint32_t units);
td_result td_front_put_units(td_front_steps *steps, uint32_t units);

// Finds the tiles among entries, and tests them when many have gathered. Where memory is short those that are
// there are tested first, then fewer entries are looked through at once.
td_result td_front_emit_tiles(td_front_steps *steps, const td_device_buffer *entries, uint32_t first,
                              uint32_t count);
td_result td_front_test_tiles(td_front_steps *steps); // all that are there

enum { TD_FRONT_LEAST = 1 << 6 }; // fewer at once is never tried

#endif
