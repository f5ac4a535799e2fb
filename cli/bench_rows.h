// The rows of `bench traverse`: every strategy, with every bounding volume it knows, at every place it runs.
#ifndef TD_CLI_BENCH_ROWS_H
#define TD_CLI_BENCH_ROWS_H

#include "session.h"

enum { TD_BENCH_PLACES = 32, TD_BENCH_STRATEGIES = 32, TD_BENCH_VOLUMES = 2 };

// Where a query runs: natively with one instruction set, or on a device.
typedef struct td_bench_place {
    char name[TD_CLI_DEVICE_LABEL]; // "native avx512", "opencl:0"
    td_context *context;
    bool own_context;  // not the session's
    td_device *device; // null: native
    td_device_info info;
    uint32_t threads; // of a device its compute units
} td_bench_place;

// The times of a round, in milliseconds, but for the ratios.
typedef enum td_bench_time {
    TD_BENCH_BOXES,
    TD_BENCH_COLLECT,
    TD_BENCH_TRIANGLES,
    TD_BENCH_EXACT,
    TD_BENCH_COPY_IN,
    TD_BENCH_COPY_OUT,
    TD_BENCH_STAGES,    // boxes, collect, triangles and exact together: on a device the time of its kernels
    TD_BENCH_TOTAL,     // wall clock
    TD_BENCH_CPU,       // of all threads of the process, a device's on the processor included
    TD_BENCH_RATIO,     // of the total to that of the reference row in the same round
    TD_BENCH_CPU_RATIO, // the same of the cpu time
    TD_BENCH_TIMES
} td_bench_time;

typedef struct td_bench_sample {
    double times[TD_BENCH_TIMES];
} td_bench_sample;

typedef struct td_bench_row {
    uint32_t strategy; // of td_strategy_name
    bool one_item_per_pair;
    const td_bench_place *place;
    td_collide_def def;
    td_query *query;
    // What it found, the same in every round.
    uint64_t pairs, hash;
    uint32_t colliding; // object pairs
    td_counters counters;
    uint64_t state_bound;          // bits, by paper 000; 0: it has none for this strategy
    double median[TD_BENCH_TIMES]; // over the rounds; ratios are NaN where there is no reference
    td_bench_sample *samples;      // per round
} td_bench_row;

// The lists as given, null: all that make sense.
typedef struct td_bench_choice {
    const char *strategies, *volumes, *devices, *isas;
    td_descent descent;  // of the strategies that have a choice
    bool brute_too_slow; // left out unless it is named
} td_bench_choice;

typedef struct td_bench_rows {
    td_bench_place places[TD_BENCH_PLACES];
    uint32_t place_count;
    td_bench_row *rows;
    uint32_t count;
    uint32_t rounds;
    uint32_t reference; // the row that ratios refer to: that of `stack`, AABBs, native scalar, unless rows
                        // are chosen in another way; `count` if it is not among them
} td_bench_rows;

// Checks the names of the lists, opens what they name. False: told, nothing left open.
bool td_bench_places_open(td_bench_rows *out, td_cli_session *session, const td_bench_choice *choice);

// Makes the rows, with room for the times of `rounds`. False: told; td_bench_rows_close is still to be
// called.
bool td_bench_rows_make(td_bench_rows *rows, td_cli_session *session, const td_bench_choice *choice,
                        uint32_t rounds);

// The part of it that gives every row of rows->rows its query and room for the times of rows->rounds, for
// rows that are chosen in another way.
bool td_bench_rows_equip(td_bench_rows *rows);

void td_bench_rows_drop(td_bench_rows *rows);  // the rows; the places stay open
void td_bench_rows_close(td_bench_rows *rows); // fine on a zeroed one

// "binary, one item per pair, obb, opencl:0"; returns `text`. The first part alone with
// td_bench_row_strategy.
enum { TD_BENCH_ROW_NAME = 128 };
const char *td_bench_row_name(char text[TD_BENCH_ROW_NAME], const td_bench_row *row);
const char *td_bench_row_strategy(char text[TD_BENCH_ROW_NAME], const td_bench_row *row);

#endif
