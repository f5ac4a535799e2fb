// The race of the pile: every library makes the same number of steps of the same scene, a few at a time by
// turns, so that what else the machine does hits all of them alike.
#ifndef TD_BENCH_PILE_RACE_H
#define TD_BENCH_PILE_RACE_H

#include "pile_outcome.h"

#define TD_MOST_PILES      8
#define TD_MOST_ROUNDS     25
#define TD_MOST_PILE_STEPS 100000

typedef struct td_pile_race {
    const td_pile_scene *scene;
    uint32_t steps;
    uint32_t slice;  // steps in a row of one library
    uint32_t rounds; // the whole race so many times; a step's time is the median
    double budget_s; // a library that has used as much in a round is stopped; 0: none is
} td_pile_race;

// A step of one library; times in milliseconds.
typedef struct td_pile_sample {
    double wall_ms, cpu_ms; // the latter of all threads together
    double collision_ms;    // of wall_ms
    double detection_ms;    // of collision_ms; 0: not known
    double kinetic;         // J: mean of the bodies
    uint64_t contacts, touching;
    uint32_t awake;
} td_pile_sample;

typedef struct td_pile_entrant {
    const td_pile_library *library;
    uint32_t threads;
    void *pile;
    td_pile_sample *samples; // of all rounds, one after the other, `steps` each; after the race the first
                             // `done` are the medians
    td_pile_body *bodies;    // at the end
    uint32_t done;           // steps
    double spent_ms;         // in this round
    td_pile_outcome outcome; // at the end
} td_pile_entrant;

// Runs the race; entrants come with library and threads. What they hold is released by td_release_piles, on
// failure, too. `context` provides memory and judges.
td_result td_race_piles(td_pile_entrant *entrants, uint32_t count, td_context *context,
                        const td_pile_race *race);
void td_release_piles(td_pile_entrant *entrants, uint32_t count, td_context *context,
                      const td_pile_race *race);

#endif
