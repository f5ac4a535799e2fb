#include "context.h"

#include "error.h"
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>

#define TD_TEXT_OF(x) #x
#define TD_TEXT(x)    TD_TEXT_OF(x)

const char *td_version(void) {
    return TD_TEXT(TD_VERSION_MAJOR) "." TD_TEXT(TD_VERSION_MINOR) "." TD_TEXT(TD_VERSION_PATCH);
}

td_result td_check_cookie(uint32_t found, uint32_t wanted, const char *default_function) {
    if (found == wanted) {
        return TD_OK;
    }
    return td_fail(TD_ERROR_ARGUMENT, "the definition struct was not initialised: start from %s()",
                   default_function);
}

void td_log(const td_context *context, td_log_level level, const char *format, ...) {
    if (context->log == NULL) {
        return;
    }
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(level, message, context->log_user);
}

td_context_def td_default_context_def(void) {
    return (td_context_def){.cookie = TD_COOKIE_CONTEXT, .isa = TD_ISA_AUTO};
}

td_isa td_widest_isa(void) {
    static const td_isa preference[] = {TD_ISA_AVX512, TD_ISA_AVX2, TD_ISA_SSE4, TD_ISA_NEON};
    for (size_t i = 0; i < sizeof preference / sizeof *preference; ++i) {
        if (td_isa_available(preference[i])) {
            return preference[i];
        }
    }
    return TD_ISA_SCALAR;
}

td_result td_create_context(td_context **out, const td_context_def *def) {
    *out = NULL;
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_CONTEXT, "td_default_context_def"));
    if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL)) {
        return td_fail(TD_ERROR_ARGUMENT, "an allocator needs both functions, allocate and release");
    }
    const td_isa isa = def->isa == TD_ISA_AUTO ? td_widest_isa() : def->isa;
    if (!td_isa_available(isa)) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "instruction set %s is not available on this processor or in this build",
                       td_isa_name(isa));
    }
    td_allocator allocator = def->allocator;
    if (allocator.allocate == NULL) {
        allocator = (td_allocator){td_default_allocate, td_default_release, NULL};
    }
    td_context *context = allocator.allocate(sizeof *context, TD_ALIGNMENT, allocator.user);
    if (context == NULL) {
        return td_fail(TD_ERROR_MEMORY, "out of memory: %zu bytes were asked for", sizeof *context);
    }
    *context = (td_context){
        .allocator = allocator, .log = def->log, .log_user = def->log_user, .tasks = def->tasks, .isa = isa};
    if (def->tasks.run != NULL) {
        context->worker_count = def->tasks.worker_count > 0 ? def->tasks.worker_count : 1;
    } else {
        const td_result result = td_create_pool(&context->pool, context, def->thread_count);
        if (result != TD_OK) {
            td_destroy_context(context);
            return result;
        }
    }
    *out = context;
    return TD_OK;
}

void td_destroy_context(td_context *context) {
    if (context == NULL) {
        return;
    }
    td_destroy_pool(context->pool, context);
    const td_allocator allocator = context->allocator;
    allocator.release(context, sizeof *context, allocator.user);
}

td_isa td_context_isa(const td_context *context) {
    return context->isa;
}

uint32_t td_context_thread_count(const td_context *context) {
    return context->worker_count;
}
