#include "pile_race.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double td_cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static td_result td_read_bodies(td_pile_entrant *entrant, const td_pile_scene *scene) {
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        TD_TRY(entrant->library->read(&entrant->bodies[i], entrant->pile, i));
    }
    return TD_OK;
}

static td_result td_take_step(td_pile_sample *out, td_pile_entrant *entrant, const td_pile_scene *scene) {
    const double wall = td_clock_ms(), cpu = td_cpu_ms();
    TD_TRY(entrant->library->step(entrant->pile));
    *out = (td_pile_sample){.cpu_ms = td_cpu_ms() - cpu, .wall_ms = td_clock_ms() - wall};
    entrant->spent_ms += out->wall_ms;
    td_pile_step step;
    entrant->library->count(&step, entrant->pile);
    out->collision_ms = step.collision_ms;
    out->detection_ms = step.detection_ms;
    out->contacts = step.contacts;
    out->touching = step.touching;
    out->awake = step.awake;
    TD_TRY(td_read_bodies(entrant, scene));
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        out->kinetic += td_pile_kinetic_energy(scene, &entrant->bodies[i]) / scene->body_count;
    }
    return TD_OK;
}

static td_result td_run_slice(td_pile_entrant *entrant, uint32_t round, uint32_t end,
                              const td_pile_race *race) {
    while (entrant->done < end) {
        if (race->budget_s > 0.0 && entrant->spent_ms > 1e3 * race->budget_s) {
            return TD_OK;
        }
        td_pile_sample *sample = &entrant->samples[(size_t)round * race->steps + entrant->done];
        TD_TRY(td_take_step(sample, entrant, race->scene));
        ++entrant->done;
    }
    return TD_OK;
}

static void td_show_progress(const td_pile_entrant *entrants, uint32_t count, uint32_t round, uint32_t step) {
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    fprintf(stderr, "\rround %" PRIu32 ", step %" PRIu32 ":", round + 1, step);
    for (uint32_t i = 0; i < count; ++i) {
        fprintf(stderr, "  %s %.1f s", entrants[i].library->name, 1e-3 * entrants[i].spent_ms);
    }
    fputs("   ", stderr);
}

static td_result td_run_round(td_pile_entrant *entrants, uint32_t count, uint32_t round,
                              const td_pile_race *race) {
    for (uint32_t i = 0; i < count; ++i) {
        entrants[i].done = 0;
        entrants[i].spent_ms = 0.0;
        TD_TRY(entrants[i].library->create(&entrants[i].pile, race->scene, entrants[i].threads));
    }
    for (uint32_t start = 0; start < race->steps; start += race->slice) {
        const uint32_t left = race->steps - start;
        const uint32_t end = start + (left < race->slice ? left : race->slice);
        for (uint32_t i = 0; i < count; ++i) {
            TD_TRY(td_run_slice(&entrants[i], round, end, race));
        }
        td_show_progress(entrants, count, round, end);
    }
    for (uint32_t i = 0; i < count; ++i) {
        entrants[i].library->destroy(entrants[i].pile);
        entrants[i].pile = NULL;
    }
    return TD_OK;
}

// The first round's samples get the medians of all rounds.
static void td_take_medians(td_pile_entrant *entrant, const td_pile_race *race) {
    for (uint32_t i = 0; i < entrant->done; ++i) {
        double wall[TD_MOST_ROUNDS], cpu[TD_MOST_ROUNDS], collision[TD_MOST_ROUNDS],
            detection[TD_MOST_ROUNDS];
        for (uint32_t round = 0; round < race->rounds; ++round) {
            const td_pile_sample *sample = &entrant->samples[(size_t)round * race->steps + i];
            wall[round] = sample->wall_ms;
            cpu[round] = sample->cpu_ms;
            collision[round] = sample->collision_ms;
            detection[round] = sample->detection_ms;
        }
        entrant->samples[i].wall_ms = td_median(wall, race->rounds);
        entrant->samples[i].cpu_ms = td_median(cpu, race->rounds);
        entrant->samples[i].collision_ms = td_median(collision, race->rounds);
        entrant->samples[i].detection_ms = td_median(detection, race->rounds);
    }
}

static td_result td_prepare_piles(td_pile_entrant *entrants, uint32_t count, td_context *context,
                                  const td_pile_race *race) {
    for (uint32_t i = 0; i < count; ++i) {
        entrants[i].samples = TD_NEW(context, td_pile_sample, (size_t)race->rounds * race->steps);
        entrants[i].bodies = TD_NEW(context, td_pile_body, race->scene->body_count);
        if (entrants[i].samples == NULL || entrants[i].bodies == NULL) {
            return TD_ERROR_MEMORY;
        }
    }
    return TD_OK;
}

td_result td_race_piles(td_pile_entrant *entrants, uint32_t count, td_context *context,
                        const td_pile_race *race) {
    TD_TRY(td_prepare_piles(entrants, count, context, race));
    uint32_t done[TD_MOST_PILES]; // the fewest of all rounds, where a budget ended them
    for (uint32_t i = 0; i < TD_MOST_PILES; ++i) {
        done[i] = race->steps;
    }
    for (uint32_t round = 0; round < race->rounds; ++round) {
        TD_TRY(td_run_round(entrants, count, round, race));
        for (uint32_t i = 0; i < count; ++i) {
            done[i] = entrants[i].done < done[i] ? entrants[i].done : done[i];
        }
    }
    if (isatty(STDERR_FILENO)) {
        fputs("\n", stderr);
    }
    for (uint32_t i = 0; i < count; ++i) {
        entrants[i].done = done[i];
        td_take_medians(&entrants[i], race);
        TD_TRY(td_judge_pile(&entrants[i].outcome, context, race->scene, entrants[i].bodies));
    }
    return TD_OK;
}

void td_release_piles(td_pile_entrant *entrants, uint32_t count, td_context *context,
                      const td_pile_race *race) {
    for (uint32_t i = 0; i < count; ++i) {
        td_pile_entrant *entrant = &entrants[i];
        if (entrant->pile != NULL) {
            entrant->library->destroy(entrant->pile);
        }
        TD_DELETE(context, td_pile_sample, entrant->samples, (size_t)race->rounds * race->steps);
        TD_DELETE(context, td_pile_body, entrant->bodies, race->scene->body_count);
        *entrant = (td_pile_entrant){0};
    }
}
