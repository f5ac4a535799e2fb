// What a fuzzer keeps from input to input: one context on one thread, or one per instruction set with a query
// each. Each fuzzer is one program, so that what is static here is its own.
#ifndef TD_TESTS_FUZZ_CONTEXTS_H
#define TD_TESTS_FUZZ_CONTEXTS_H

#include "input.h"

#include <tandem/query.h>

static inline td_context *fuzz_new_context(td_isa isa) {
    td_context_def def = td_default_context_def();
    def.thread_count = 1;
    def.isa = isa;
    td_context *context = NULL;
    fuzz_require(td_create_context(&context, &def) == TD_OK, "no context");
    return context;
}

// The context of the instruction set that the machine has best.
static inline td_context *fuzz_context(void) {
    static td_context *context;
    if (context == NULL) {
        context = fuzz_new_context(TD_ISA_AUTO);
    }
    return context;
}

// A query that runs by this instruction set; null where the machine does not have it. Meshes of any context
// will do.
static inline td_query *fuzz_query(td_isa isa) {
    static td_query *queries[TD_ISA_COUNT];
    if (queries[isa] == NULL && td_isa_available(isa)) {
        fuzz_require(td_create_query(&queries[isa], fuzz_new_context(isa)) == TD_OK, "no query");
    }
    return queries[isa];
}

// The last instruction set to ask a strategy by: those that do not use lanes are asked once, as scalar code.
static inline int fuzz_last_isa(const char *strategy) {
    const bool plain =
        strcmp(strategy, "brute") == 0 || strcmp(strategy, "stack") == 0 || strcmp(strategy, "binary") == 0;
    return plain ? TD_ISA_SCALAR : TD_ISA_COUNT - 1;
}

#endif
