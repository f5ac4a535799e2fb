// For the tests of meshes and shapes: contexts whose memory is counted and made to run out.
#ifndef TD_TESTS_UNIT_MESH_SUPPORT_H
#define TD_TESTS_UNIT_MESH_SUPPORT_H

#include "support/cmocka_all.h"

#include <stdlib.h>
#include <tandem/tandem.h>

static inline int test_make_context(void **state) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    return td_create_context((td_context **)state, &def) == TD_OK ? 0 : 1;
}

static inline int test_drop_context(void **state) {
    td_destroy_context(*state);
    return 0;
}

// `left` allocations succeed, those after fail; `held` is what was allocated and not given back.
typedef struct test_purse {
    long left;
    size_t held;
} test_purse;

static inline void *test_purse_allocate(size_t size, size_t alignment, void *user) {
    test_purse *purse = user;
    if (purse->left == 0) {
        return NULL;
    }
    --purse->left;
    purse->held += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void test_purse_release(void *memory, size_t size, void *user) {
    test_purse *purse = user;
    purse->held -= size;
    free(memory);
}

// Runs `call` with 0, 1, 2, ... allocations until it succeeds: each failure must be TD_ERROR_MEMORY and leave
// nothing allocated, and so must the call that succeeds, which gives back what it made.
typedef td_result test_allocating_fn(td_context *context);

static inline void test_run_out_of_memory(test_allocating_fn *call) {
    test_purse purse = {.left = 1000000};
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    def.allocator = (td_allocator){test_purse_allocate, test_purse_release, &purse};
    td_context *context;
    assert_int_equal(td_create_context(&context, &def), TD_OK);
    const size_t held_before = purse.held;
    td_result result = TD_ERROR_MEMORY;
    long allowed = 0;
    for (; result != TD_OK; ++allowed) {
        purse.left = allowed;
        result = call(context);
        assert_true(result == TD_OK || result == TD_ERROR_MEMORY);
        assert_int_equal(purse.held, held_before);
    }
    assert_true(allowed > 1); // it did allocate
    purse.left = 1000000;
    td_destroy_context(context);
    assert_int_equal(purse.held, 0);
}

#endif
