#include "tracer.h"
#include "../core/error.h"
td_result td_create_trace_device(td_tracer *tracer) { (void)tracer; return td_fail(TD_ERROR_UNSUPPORTED, "not yet"); }
void td_destroy_trace_device(td_tracer *tracer) { (void)tracer; }
void td_forget_trace_device(td_tracer *tracer) { (void)tracer; }
void td_release_slots(td_tracer *tracer, td_pair_memory *pair) { (void)tracer; (void)pair; }
td_result td_run_on_trace_device(td_tracer *tracer) { (void)tracer; return TD_OK; }
