// Results, errors, contexts: what every other header of tandem stands on.
//
// Conventions of the whole API: `td_` functions and types, `TD_` constants. Outputs come first. A fallible
// call returns a td_result; on failure td_error_message() holds a sentence that names the cause, for the
// calling thread. Definition structs come from td_default_x_def() and carry a cookie, so that a struct that
// was not initialised is caught and a field that is added later breaks nobody.
#ifndef TANDEM_BASE_H
#define TANDEM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define TD_API
#else
#define TD_API __attribute__((visibility("default")))
#endif

#define TD_VERSION_MAJOR 0
#define TD_VERSION_MINOR 1
#define TD_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_result {
    TD_OK = 0,
    TD_ERROR_ARGUMENT, // a programmer's mistake that could be told at run time (null, cookie, unknown name)
    TD_ERROR_MEMORY,   // the allocator returned null
    TD_ERROR_FILE,     // a file could not be opened, read or written
    TD_ERROR_FORMAT,   // a file or text was read but is not what it should be
    TD_ERROR_MESH,     // mesh arrays that are no mesh: index out of range, NaN, no triangles
    TD_ERROR_POSE,     // a pose that is no rigid motion, or takes a vertex beyond float64
    TD_ERROR_UNSUPPORTED, // a thing this build or this processor cannot do
    TD_ERROR_CANCELLED,   // the caller's progress function asked to stop
    TD_ERROR_DEVICE,      // no OpenCL, no such device, or one that failed: out of memory, wrong answers
    TD_ERROR_NUMBERS      // a simulation whose state is no longer finite
} td_result;

// "ok", "argument", "memory", ...: for logs and programs. Never null.
TD_API const char *td_result_name(td_result result);

// The sentence that explains the last failed call of this thread; "" if none failed yet. Valid until the
// thread's next failing call.
TD_API const char *td_error_message(void);

// "0.1.0": of the library that is loaded, which may differ from TD_VERSION_* of the header compiled against.
TD_API const char *td_version(void);

// ---------------------------------------------------------------------------------------------------------
// What a caller may bring: memory, log, tasks. All three are optional.

// `allocate` returns memory aligned to `alignment` (a power of two, at most 64) or null. `release` gets the
// size that was asked for. Both may be called from any thread that works for the context.
typedef struct td_allocator {
    void *(*allocate)(size_t size, size_t alignment, void *user);
    void (*release)(void *memory, size_t size, void *user);
    void *user;
} td_allocator;

typedef enum td_log_level { TD_LOG_DEBUG, TD_LOG_NOTE, TD_LOG_WARNING } td_log_level;

// The library prints nothing by itself; what it has to say beside errors goes here.
typedef void td_log_fn(td_log_level level, const char *message, void *user);

// One item of parallel work. Items are independent; any thread may run any of them.
typedef void td_task_fn(uint32_t item, void *payload);

// The caller's task system. `run` executes task(0, payload) ... task(count - 1, payload), on as many threads
// as it likes, and returns when all are done. It may be entered from several threads at once. `worker_count`
// tells how many items it will run at the same time, at most.
typedef struct td_task_system {
    void (*run)(td_task_fn *task, uint32_t count, void *payload, void *user);
    uint32_t worker_count;
    void *user;
} td_task_system;

// Called now and then during long work, from the calling thread only; return false to stop the work, which
// then returns TD_ERROR_CANCELLED.
typedef bool td_progress_fn(uint64_t done, uint64_t total, void *user);

// ---------------------------------------------------------------------------------------------------------
// Instruction sets. Results never depend on the choice, only speed does.

typedef enum td_isa {
    TD_ISA_AUTO,
    TD_ISA_SCALAR,
    TD_ISA_SSE4,
    TD_ISA_AVX2,
    TD_ISA_AVX512,
    TD_ISA_NEON
} td_isa;

#define TD_ISA_COUNT 6

// "auto", "scalar", "sse4", ... Never null.
TD_API const char *td_isa_name(td_isa isa);

// TD_ERROR_ARGUMENT if the name is none of those.
TD_API td_result td_isa_from_name(td_isa *out, const char *name);

// Whether this build contains the code and this processor runs it. TD_ISA_AUTO and TD_ISA_SCALAR always are.
TD_API bool td_isa_available(td_isa isa);

// ---------------------------------------------------------------------------------------------------------

// A context owns the threads and knows the allocator, the log and the instruction set. Everything made from a
// context must be destroyed before it. It may be used from several threads at once.
typedef struct td_context td_context;

typedef struct td_context_def {
    uint32_t cookie;
    uint32_t thread_count;  // workers including the caller; 0: one per processor. Ignored with own tasks.
    td_isa isa;             // TD_ISA_AUTO: the widest available
    td_allocator allocator; // zero: aligned_alloc and free
    td_log_fn *log;         // null: silent
    void *log_user;
    td_task_system tasks; // zero: the library's own pool
} td_context_def;

TD_API td_context_def td_default_context_def(void);
TD_API td_result td_create_context(td_context **out, const td_context_def *def);
TD_API void td_destroy_context(td_context *context); // null is fine

TD_API td_isa td_context_isa(const td_context *context);            // never TD_ISA_AUTO
TD_API uint32_t td_context_thread_count(const td_context *context); // at least 1

#ifdef __cplusplus
}
#endif
#endif
