// Pairs of triangles over a set of poses: first the counts, then the times.
//
// Times are taken in rounds. In each round every library answers all poses, one library after the other, so
// that whatever else the machine does falls on all of them; the median of the rounds is reported. Everything
// but tandem's last row runs on one thread; that row is left out where the clock is the one thread's own.
#include "compare.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "entrant.h"
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct td_collision_bench {
    const td_compare_options *options;
    td_context *context; // for memory, and for placing the touching set
    td_subject a, other;
    td_pose *poses;
    td_peer_pose *peer_poses;
    td_race race;
    td_entrant entrants[TD_MAX_ENTRANTS];
    uint32_t entrant_count;
} td_collision_bench;

typedef struct td_touch_probe {
    td_query *query;
    td_mesh *a, *b;
    td_result result; // of the last question
} td_touch_probe;

static bool td_probe_collides(const td_pose *pose, void *user) {
    td_touch_probe *probe = user;
    td_collide_def def = td_default_collide_def();
    def.mode = TD_MODE_FIRST;
    td_collide_result answer = {0};
    if (probe->result == TD_OK) {
        probe->result = td_collide(&answer, probe->query, probe->a, probe->b, pose, &def);
    }
    return probe->result == TD_OK && answer.colliding;
}

static td_result td_fill_poses(td_collision_bench *bench, td_touch_probe *probe) {
    const td_compare_options *options = bench->options;
    const td_subject *b = bench->race.b;
    const td_pose_source source = {.positions_a = bench->a.arrays.positions,
                                   .vertex_count_a = bench->a.arrays.vertex_count,
                                   .positions_b = b->arrays.positions,
                                   .vertex_count_b = b->arrays.vertex_count,
                                   .seed = 1,
                                   .collides = td_probe_collides,
                                   .collides_user = probe};
    const bool made = td_make_poses(bench->poses, options->pose_count, options->set, &source);
    TD_TRY(probe->result);
    if (!made) {
        return td_fail(TD_ERROR_ARGUMENT, "%s and %s: no direction leads to a contact", bench->a.name,
                       b->name);
    }
    for (uint32_t i = 0; i < options->pose_count; ++i) {
        bench->peer_poses[i] = td_peer_pose_from(&bench->poses[i]);
    }
    if (options->write_poses != NULL &&
        !td_write_poses(options->write_poses, bench->poses, options->pose_count)) {
        return td_fail(TD_ERROR_FILE, "%s: %s", options->write_poses, strerror(errno));
    }
    return TD_OK;
}

static td_result td_place_poses(td_collision_bench *bench) {
    td_touch_probe probe = {.result = TD_OK};
    TD_TRY(td_create_query(&probe.query, bench->context));
    td_result result = td_subject_mesh(&probe.a, bench->context, &bench->a);
    if (result == TD_OK) {
        result = td_subject_mesh(&probe.b, bench->context, bench->race.b);
    }
    if (result == TD_OK) {
        result = td_fill_poses(bench, &probe);
    }
    td_destroy_mesh(probe.b);
    td_destroy_mesh(probe.a);
    td_destroy_query(probe.query);
    return result;
}

static td_result td_enter_isas(td_collision_bench *bench) {
    const char *rest = bench->options->isas;
    while (*rest != '\0') {
        char name[32];
        const size_t length = strcspn(rest, ",");
        if (length >= sizeof name || bench->entrant_count + 2 > TD_MAX_ENTRANTS) {
            return td_fail(TD_ERROR_ARGUMENT, "%s: expected a few names of instruction sets",
                           bench->options->isas);
        }
        snprintf(name, sizeof name, "%.*s", (int)length, rest);
        TD_TRY(td_enter_tandem(&bench->entrants[bench->entrant_count], &bench->race, name, 1));
        ++bench->entrant_count;
        rest += length + (rest[length] == ',');
    }
    return TD_OK;
}

static td_result td_enter_all(td_collision_bench *bench) {
    TD_TRY(td_enter_isas(bench));
    for (uint32_t i = 0; i < td_peer_count() && bench->entrant_count + 1 < TD_MAX_ENTRANTS; ++i) {
        const td_peer *peer = td_peer_at(i);
        if ((peer->supports & TD_PEER_COLLIDES) == 0 || !td_peer_is_chosen(bench->options, peer)) {
            continue;
        }
        td_entrant *entrant = &bench->entrants[bench->entrant_count];
        const td_result result = td_enter_peer(entrant, &bench->race, bench->context, peer);
        if (result == TD_ERROR_UNSUPPORTED) {
            printf("left out: %s\n", td_error_message());
            continue;
        }
        TD_TRY(result);
        ++bench->entrant_count;
    }
    if (bench->options->threads > 1 && !bench->options->cpu_clock) {
        td_entrant *entrant = &bench->entrants[bench->entrant_count];
        TD_TRY(td_enter_tandem(entrant, &bench->race, bench->entrants[0].isa, bench->options->threads));
        ++bench->entrant_count;
    }
    return TD_OK;
}

// Whether the number of pairs is not told: only in the mode that asks for it.
static bool td_hides_pairs(const td_collision_bench *bench, const td_entrant *entrant) {
    return bench->race.mode == TD_PEER_ALL && entrant->peer != NULL &&
           (entrant->peer->supports & TD_PEER_HIDES_PAIRS) != 0;
}

// Poses on which an entrant and tandem answer differently. A library that hides its pairs is held to whether
// there are any.
static uint32_t td_count_differences(const td_collision_bench *bench, const td_entrant *entrant) {
    const td_entrant *tandem = &bench->entrants[0];
    const bool hides = td_hides_pairs(bench, entrant);
    uint32_t differing = 0;
    for (uint32_t i = 0; i < bench->race.pose_count; ++i) {
        const bool same = hides ? (entrant->counts[i] > 0) == (tandem->counts[i] > 0)
                                : entrant->counts[i] == tandem->counts[i];
        differing += same ? 0 : 1;
    }
    return differing;
}

static td_result td_compare_counts(bool *agreed, td_collision_bench *bench) {
    const uint32_t pose_count = bench->race.pose_count;
    uint32_t colliding = 0;
    printf("%-11s %-8s %-7s %3s %12s %16s\n", "library", "version", "isa", "thr", "pairs", "differing poses");
    for (uint32_t i = 0; i < bench->entrant_count; ++i) {
        td_entrant *entrant = &bench->entrants[i];
        TD_TRY(td_run_entrant(entrant, &bench->race, entrant->counts));
        for (uint32_t k = 0; k < pose_count; ++k) {
            entrant->pairs += entrant->counts[k];
            colliding += i == 0 && entrant->counts[k] > 0;
        }
        entrant->differing = td_count_differences(bench, entrant);
        const bool exact = entrant->peer == NULL || (entrant->peer->supports & TD_PEER_EXACT) != 0;
        *agreed = *agreed && !(exact && entrant->differing > 0);
        char pairs[24] = "not told";
        if (!td_hides_pairs(bench, entrant)) {
            snprintf(pairs, sizeof pairs, "%" PRIu64, entrant->pairs);
        }
        printf("%-11s %-8s %-7s %3" PRIu32 " %12s %16" PRIu32 "\n", entrant->library, entrant->version,
               entrant->isa, entrant->threads, pairs, entrant->differing);
    }
    printf("%" PRIu32 " of %" PRIu32 " poses collide\n\n", colliding, pose_count);
    return TD_OK;
}

static double td_read_clock_ms(const td_compare_options *options) {
    if (!options->cpu_clock) {
        return td_clock_ms();
    }
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static td_result td_time_rounds(td_collision_bench *bench) {
    const double budget_ms = 1000.0 * bench->options->budget_s;
    for (uint32_t round = 0; round < bench->options->repeats; ++round) {
        for (uint32_t i = 0; i < bench->entrant_count; ++i) {
            td_entrant *entrant = &bench->entrants[i];
            if (round > 0 && entrant->spent_ms > budget_ms) {
                continue;
            }
            const double start = td_read_clock_ms(bench->options);
            TD_TRY(td_run_entrant(entrant, &bench->race, NULL));
            const double ms = td_read_clock_ms(bench->options) - start;
            entrant->times[entrant->repeats++] = ms;
            entrant->spent_ms += ms;
        }
    }
    for (uint32_t i = 0; i < bench->entrant_count; ++i) {
        td_entrant *entrant = &bench->entrants[i];
        entrant->ms_per_pose = td_median(entrant->times, entrant->repeats) / bench->race.pose_count;
    }
    return TD_OK;
}

static td_result td_report_times(td_collision_bench *bench, const char *mesh_name) {
    const td_compare_options *options = bench->options;
    td_report_row rows[TD_MAX_ENTRANTS];
    const double reference = bench->entrants[0].ms_per_pose;
    printf("%-11s %-8s %-7s %3s %12s %16s %7s\n", "library", "version", "isa", "thr", "ms per pose",
           "times tandem's", "rounds");
    for (uint32_t i = 0; i < bench->entrant_count; ++i) {
        const td_entrant *entrant = &bench->entrants[i];
        const double ratio = entrant->ms_per_pose / reference;
        printf("%-11s %-8s %-7s %3" PRIu32 " %12.5f %16.3f %7" PRIu32 "\n", entrant->library,
               entrant->version, entrant->isa, entrant->threads, entrant->ms_per_pose, ratio,
               entrant->repeats);
        rows[i] = (td_report_row){.isa = entrant->isa,
                                  .mesh = mesh_name,
                                  .triangles =
                                      bench->a.arrays.triangle_count + bench->race.b->arrays.triangle_count,
                                  .set = td_pose_set_name(options->set),
                                  .mode = options->mode == TD_PEER_FIRST ? "first" : "all",
                                  .library = entrant->library,
                                  .version = entrant->version,
                                  .threads = entrant->threads,
                                  .poses = bench->race.pose_count,
                                  .pairs_hidden = td_hides_pairs(bench, entrant),
                                  .pairs = entrant->pairs,
                                  .differing = entrant->differing,
                                  .repeats = entrant->repeats,
                                  .ms = entrant->ms_per_pose,
                                  .ratio = ratio};
    }
    const td_entrant *last = &bench->entrants[bench->entrant_count - 1];
    if (last->threads > 1) {
        printf("tandem: %" PRIu32 " threads are %.2f times as fast as one\n", last->threads,
               reference / last->ms_per_pose);
    }
    printf("\n");
    return options->csv != NULL ? td_append_csv(options->csv, rows, bench->entrant_count) : TD_OK;
}

static td_result td_run_collision_bench(bool *agreed, td_collision_bench *bench) {
    const td_compare_options *options = bench->options;
    TD_TRY(td_load_subject(&bench->a, bench->context, options->source_a));
    if (options->source_b != NULL) {
        TD_TRY(td_load_subject(&bench->other, bench->context, options->source_b));
    }
    bench->poses = TD_NEW(bench->context, td_pose, options->pose_count);
    bench->peer_poses = TD_NEW(bench->context, td_peer_pose, options->pose_count);
    if (bench->poses == NULL || bench->peer_poses == NULL) {
        return TD_ERROR_MEMORY;
    }
    bench->race = (td_race){.a = &bench->a,
                            .b = options->source_b != NULL ? &bench->other : &bench->a,
                            .poses = bench->poses,
                            .peer_poses = bench->peer_poses,
                            .pose_count = options->pose_count,
                            .mode = options->mode};
    TD_TRY(td_place_poses(bench));
    char mesh_name[2 * sizeof bench->a.name + 1];
    snprintf(mesh_name, sizeof mesh_name, "%s%s%s", bench->a.name, options->source_b != NULL ? "+" : "",
             bench->other.name);
    printf("%s, %s set, %s: %" PRIu32 " against %" PRIu32 " triangles\n", mesh_name,
           td_pose_set_name(options->set), options->mode == TD_PEER_FIRST ? "first hit" : "all pairs",
           bench->a.arrays.triangle_count, bench->race.b->arrays.triangle_count);
    TD_TRY(td_enter_all(bench));
    TD_TRY(td_compare_counts(agreed, bench));
    TD_TRY(td_time_rounds(bench));
    return td_report_times(bench, mesh_name);
}

td_result td_compare_collide(bool *agreed, const td_compare_options *options) {
    static td_collision_bench bench; // too large for some stacks
    bench = (td_collision_bench){.options = options};
    TD_TRY(td_open_context(&bench.context, "auto", 1));
    const td_result result = td_run_collision_bench(agreed, &bench);
    for (uint32_t i = 0; i < bench.entrant_count; ++i) {
        td_release_entrant(&bench.entrants[i], &bench.race);
    }
    TD_DELETE(bench.context, td_pose, bench.poses, options->pose_count);
    TD_DELETE(bench.context, td_peer_pose, bench.peer_poses, options->pose_count);
    td_release_subject(&bench.other, bench.context);
    td_release_subject(&bench.a, bench.context);
    td_destroy_context(bench.context);
    return result;
}
