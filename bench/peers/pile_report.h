// What the race of the pile prints and keeps.
#ifndef TD_BENCH_PILE_REPORT_H
#define TD_BENCH_PILE_REPORT_H

#include "pile_race.h"

typedef struct td_pile_report {
    const char *mesh; // name
    const char *isa;  // tandem's
    const td_pile_race *race;
    const td_pile_entrant *entrants;
    uint32_t count;
} td_pile_report;

// Sums over the steps that an entrant made; times in milliseconds per step.
typedef struct td_pile_summary {
    double wall_mean, wall_median, wall_worst;
    double cpu_mean, cpu_median;
    double collision;          // part of the wall-clock time, 0 to 1
    double detection;          // the same of what comes before contacts; 0: not known
    double contacts, touching; // mean
    uint64_t most_contacts;
    double peak_kinetic;          // J, mean per body
    double wall_ratio, cpu_ratio; // to tandem's on one thread over the same steps; 0: that did not run
} td_pile_summary;

td_pile_summary td_summarise_pile(const td_pile_report *report, const td_pile_entrant *entrant);

void td_print_piles(const td_pile_report *report);

// A row per entrant, with summary and outcome; appended, the header first if the file is new or empty.
td_result td_append_pile_csv(const char *path, const td_pile_report *report);
// A row per entrant and step; the file is written anew.
td_result td_write_pile_steps(const char *path, const td_pile_report *report);

#endif
