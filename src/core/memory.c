#include "memory.h"

#include "context.h"
#include "error.h"

#include <stdlib.h>

void *td_default_allocate(size_t size, size_t alignment, void *user) {
    (void)user;
    // aligned_alloc wants a multiple of the alignment.
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void td_default_release(void *memory, size_t size, void *user) {
    (void)size;
    (void)user;
    free(memory);
}

static size_t td_block_size(size_t count, size_t size) {
    const size_t bytes = count * size;
    return bytes == 0 ? 1 : bytes;
}

void *td_allocate(td_context *context, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - TD_ALIGNMENT) / size) {
        td_fail(TD_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes are more than can be addressed",
                count, size);
        return NULL;
    }
    const size_t bytes = td_block_size(count, size);
    void *memory = context->allocator.allocate(bytes, TD_ALIGNMENT, context->allocator.user);
    if (memory == NULL) {
        td_fail(TD_ERROR_MEMORY, "out of memory: %zu bytes were asked for", bytes);
    }
    return memory;
}

void td_release(td_context *context, void *memory, size_t count, size_t size) {
    if (memory != NULL) {
        context->allocator.release(memory, td_block_size(count, size), context->allocator.user);
    }
}
