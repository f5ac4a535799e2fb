// Runs the rows of a benchmark on a scene.
#ifndef TD_CLI_BENCH_MEASURE_H
#define TD_CLI_BENCH_MEASURE_H

#include "bench_rows.h"
#include "bench_scene.h"
#include "traverse/storage.h"

// What the hierarchies of a scene make necessary: paper 000, Eqs. 1 and 2.
typedef struct td_bench_storage {
    bool known; // a row of `stack` or `binary` is there
    uint32_t height_a, height_b, arity;
    td_storage bounds;
} td_bench_storage;

// A round to warm up and then rows->rounds more: in each, every row answers the whole scene, one row after
// the other. Fails, and tells, if two rows do not find the same pairs, or if a row remembers more than the
// paper's bound allows it.
bool td_bench_measure(td_bench_rows *rows, td_bench_storage *storage, td_cli_session *session,
                      const td_bench_scene *scene);

// Processor time of all threads of the process so far, those of an OpenCL device that is the processor
// included.
double td_bench_cpu_ms(void);

#endif
