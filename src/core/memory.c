#include "memory.h"

#include "context.h"
#include "error.h"

#include <stdlib.h>
#include <sys/mman.h>

// Large blocks ask for huge pages: a build writes to a hundred bytes per triangle once, and taking them from
// the system 4 KiB at a time would cost a fifth of its time. A page that would be less than three quarters
// used is not asked for.
enum { TD_HUGE_PAGE = 2 << 20 };

void *td_default_allocate(size_t size, size_t alignment, void *user) {
    (void)user;
    const size_t huge = (size + TD_HUGE_PAGE / 4) / TD_HUGE_PAGE * TD_HUGE_PAGE;
    if (huge > 0) {
        alignment = TD_HUGE_PAGE;
    }
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, size > huge ? size : huge) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (huge > 0) { // a wish: without it the memory is as good, only slower to come by
        madvise(memory, huge, MADV_HUGEPAGE);
    }
#endif
    return memory;
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
