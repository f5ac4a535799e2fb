// Numbers that were given back, lowest first: a binary heap.
#ifndef TD_BROAD_NUMBERS_H
#define TD_BROAD_NUMBERS_H

#include "../core/array.h"

typedef TD_ARRAY(uint32_t) td_free_numbers;

// There must be room for one more (td_array_reserve).
void td_push_number(td_free_numbers *numbers, uint32_t number);
// There must be one.
uint32_t td_pop_lowest_number(td_free_numbers *numbers);

#endif
