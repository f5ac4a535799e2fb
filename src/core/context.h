// The context: everything that a call needs and that is not its input.
#ifndef TD_CORE_CONTEXT_H
#define TD_CORE_CONTEXT_H

#include "tasks.h"

#include <tandem/base.h>

#include <stdatomic.h>

struct td_context {
    td_allocator allocator;
    td_log_fn *log;
    void *log_user;
    td_task_system tasks; // run == NULL: `pool` does it
    td_pool *pool;
    size_t pool_bytes;
    uint32_t worker_count;     // items that run at the same time, at most
    td_isa isa;                // never TD_ISA_AUTO
    atomic_ullong next_serial; // of the next mesh
};

// The cookies that td_default_x_def() puts in: a struct without its cookie was not initialised.
#define TD_COOKIE_CONTEXT  0x7d000001u
#define TD_COOKIE_MESH     0x7d000002u
#define TD_COOKIE_COLLIDE  0x7d000003u
#define TD_COOKIE_LOAD     0x7d000004u
#define TD_COOKIE_DEVICE   0x7d000005u
#define TD_COOKIE_SCENE    0x7d000008u
#define TD_COOKIE_RECORDER 0x7d000009u
#define TD_COOKIE_EXPORT   0x7d00000au
#define TD_COOKIE_FRONT    0x7d000010u
#define TD_COOKIE_PLANAR   0x7d000040u
#define TD_COOKIE_FLATBODY 0x7d000041u
#define TD_COOKIE_SCATTER  0x7d000042u

// TD_ERROR_ARGUMENT with a sentence that names the function to call, if `found` is not `wanted`.
td_result td_check_cookie(uint32_t found, uint32_t wanted, const char *default_function);

__attribute__((format(printf, 3, 4))) void td_log(const td_context *context, td_log_level level,
                                                  const char *format, ...);

// What TD_ISA_AUTO stands for on this processor.
td_isa td_widest_isa(void);

// The default allocator.
void *td_default_allocate(size_t size, size_t alignment, void *user);
void td_default_release(void *memory, size_t size, void *user);

#endif
