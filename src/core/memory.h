// Memory through the context's allocator. Every block is 64-byte aligned: a cache line, a zmm register.
#ifndef TD_CORE_MEMORY_H
#define TD_CORE_MEMORY_H

#include <tandem/base.h>

#define TD_ALIGNMENT 64

// Null on failure, with the error already kept (TD_ERROR_MEMORY). `count * size` is checked for overflow. A
// request for nothing returns a block all the same, so that null always means failure.
void *td_allocate(td_context *context, size_t count, size_t size);

// `count` and `size` as they were asked for. Null is fine.
void td_release(td_context *context, void *memory, size_t count, size_t size);

// Typed, so that the two can never disagree about the size.
#define TD_NEW(context, type, count)             ((type *)td_allocate((context), (count), sizeof(type)))
#define TD_DELETE(context, type, pointer, count) td_release((context), (pointer), (count), sizeof(type))

#endif
