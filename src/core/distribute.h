// Work that makes more work, shared out over tasks: units that can be done in any order, each of which leaves
// up to a given number of new ones. Hierarchies are built and traversed so.
//
// Two ways behind one interface. What they compute is the same, bit by bit, if units are independent and each
// task writes to a place of its own.
//
// *Queues*, after paper 001, section 3.3 and Fig. 1. Every task has a queue of its own and needs nobody to
// take from it or to add to it. A task whose queue is empty, or too full for what one more unit may leave, is
// idle and counts itself in a global counter, which every task reads after each unit: with a given share of
// tasks idle all of them stop, and a balancing pass gives each as many units as the others. Offsets are
// prefix sums over the queues, so that tasks copy without asking each other. What a device without ordered
// memory between its cores can do.
//
//     units ─► queue 0 ─► task 0 ─┐ new units          idle >= share?      ┌─► queue 0
//              queue 1 ─► task 1 ─┤ to the same queue ───────────────► prefix sum, copy ─► queue 1 ─► ...
//              queue 2    (idle)  ┘                                        └─► queue 2
//
// *Stealing*, which needs ordered memory: the task that has run out takes half of what another one has put
// out for it. A task puts something out only when somebody is looking for work.
#ifndef TD_CORE_DISTRIBUTE_H
#define TD_CORE_DISTRIBUTE_H

#include <tandem/base.h>

// A unit is two numbers; what they mean is the caller's.
typedef struct td_unit {
    uint32_t a, b;
} td_unit;

// Does one unit and returns how many new ones were written to `out`. Tasks run at the same time, each does
// one unit at a time. *stop set to true: the task wants nothing more to be done, by anybody.
typedef uint32_t td_unit_fn(td_unit *out, td_unit unit, uint32_t task, bool *stop, void *payload);

typedef struct td_distribution {
    uint32_t task_count;
    uint32_t most_new; // units that one may leave
    uint32_t capacity; // queues: units that a queue holds at first; grows if all of them are full
    double idle_share; // queues: the share of idle tasks at which all stop, 0 to 1
    td_unit_fn *work;
    void *payload;
} td_distribution;

// Buffers, kept from call to call so that a warm one allocates nothing. Zero-initialise; one call at a time.
typedef struct td_distributor {
    uint32_t task_count; // what the following are for
    struct td_queue *queues, *balanced;
    uint64_t *offsets;
    td_unit *units, *spare;
    uint32_t capacity;
    struct td_thief *thieves;
} td_distributor;

void td_distributor_release(td_distributor *distributor, td_context *context);
uint64_t td_distributor_bytes(const td_distributor *distributor);

// What it took.
typedef struct td_distribution_report {
    uint64_t units;
    uint64_t balances; // queues: passes after the first; stealing: thefts
    uint64_t moved;    // units that changed tasks
} td_distribution_report;

// Both return when all units are done, or a task wanted to stop. TD_ERROR_MEMORY: some are not done.
typedef td_result td_distribute_fn(td_distribution_report *out, td_distributor *distributor,
                                   td_context *context, const td_distribution *def, const td_unit *units,
                                   size_t count);
td_distribute_fn td_distribute_by_queues, td_distribute_by_stealing;

// ---------------------------------------------------------------------------------------------------------
// What follows is between distribute.c and the two ways.

// Makes the distributor one for so many tasks. Releases what was for another number.
void td_distributor_prepare(td_distributor *distributor, td_context *context, uint32_t task_count);

void td_shared_queues_release(td_distributor *distributor, td_context *context);
uint64_t td_shared_queues_bytes(const td_distributor *distributor);
void td_thieves_release(td_distributor *distributor, td_context *context);
uint64_t td_thieves_bytes(const td_distributor *distributor);

#endif
