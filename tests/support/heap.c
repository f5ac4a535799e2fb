#include "heap.h"

#include <stdint.h>
#include <stdlib.h>

enum { TEST_HEADER = 64 }; // in front of each block; keeps the alignment

static const uint64_t TEST_LIVE = 0x6c69766520626c6bu, TEST_DEAD = 0x6465616420626c6bu;

typedef struct test_header {
    uint64_t mark;
    size_t size;
} test_header;

static void *test_heap_allocate(size_t size, size_t alignment, void *user) {
    test_heap *heap = user;
    const long call = atomic_fetch_add(&heap->calls, 1);
    if (call >= atomic_load(&heap->fail_from) && call < atomic_load(&heap->fail_to)) {
        atomic_fetch_add(&heap->failures, 1);
        return NULL;
    }
    if (size == 0 || alignment == 0 || alignment > TEST_HEADER || (alignment & (alignment - 1)) != 0) {
        atomic_fetch_add(&heap->mistakes, 1);
        return NULL;
    }
    unsigned char *memory =
        aligned_alloc(TEST_HEADER, TEST_HEADER + (size + TEST_HEADER - 1) / TEST_HEADER * TEST_HEADER);
    if (memory == NULL) {
        return NULL;
    }
    *(test_header *)(void *)memory = (test_header){TEST_LIVE, size};
    atomic_fetch_add(&heap->blocks, 1);
    atomic_fetch_add(&heap->bytes, size);
    return memory + TEST_HEADER;
}

static void test_heap_release(void *memory, size_t size, void *user) {
    test_heap *heap = user;
    test_header *header =
        memory == NULL ? NULL : (test_header *)(void *)((unsigned char *)memory - TEST_HEADER);
    if (header == NULL || header->mark != TEST_LIVE || header->size != size) {
        atomic_fetch_add(&heap->mistakes, 1);
        return;
    }
    header->mark = TEST_DEAD;
    atomic_fetch_sub(&heap->blocks, 1);
    atomic_fetch_sub(&heap->bytes, size);
    free(header);
}

td_allocator test_heap_allocator(test_heap *heap) {
    return (td_allocator){test_heap_allocate, test_heap_release, heap};
}

void test_heap_fail(test_heap *heap, long from, long to) {
    atomic_store(&heap->calls, 0);
    atomic_store(&heap->failures, 0);
    atomic_store(&heap->fail_from, from);
    atomic_store(&heap->fail_to, to);
}

void test_heap_recover(test_heap *heap) {
    test_heap_fail(heap, 0, 0);
}
