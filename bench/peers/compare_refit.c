// The speed of refits on one mesh that swings to and fro, on one thread and on several. tandem's times are
// those of its hierarchies: blocks with axis-aligned boxes and all that queries read of the triangles; or the
// post-order hierarchy with axis-aligned and oriented boxes.
#include "compare.h"
#include "core/error.h"
#include "core/memory.h"
#include "refits.h"
#include "report.h"
#include "subject.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct td_refitter {
    const td_refit_peer *peer; // null: tandem
    const char *volume;
    void *instance;
    td_context *context; // tandem's, like what follows
    td_mesh *mesh;
    bool oriented;
    uint32_t threads;
    double times[TD_MAX_REPEATS];
} td_refitter;

typedef struct td_refit_race {
    const td_compare_options *options;
    td_context *context; // for memory
    td_subject subject;
    double *swung; // positions at the other end
    td_refitter refitters[TD_MAX_ENTRANTS];
    uint32_t count;
} td_refit_race;

static td_result td_swing(td_refit_race *race) {
    const td_peer_mesh *mesh = &race->subject.arrays;
    const size_t count = 3 * (size_t)mesh->vertex_count;
    race->swung = TD_NEW(race->context, double, count);
    if (race->swung == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const double next = mesh->positions[i % 3 == 2 ? i - 2 : i + 1];
        race->swung[i] = mesh->positions[i] + 0.05 * sin(3 * next);
    }
    return TD_OK;
}

// A question makes the post-order hierarchy.
static td_result td_orient(const td_refitter *refitter) {
    td_query *query = NULL;
    TD_TRY(td_create_query(&query, refitter->context));
    td_collide_def def = td_default_collide_def();
    def.strategy = "stack";
    def.volume = TD_VOLUME_OBB;
    def.mode = TD_MODE_FIRST;
    const td_pose pose = {{0, 0, 0}, {0, 0, 0, 1}};
    td_collide_result answer;
    const td_result result = td_collide(&answer, query, refitter->mesh, refitter->mesh, &pose, &def);
    td_destroy_query(query);
    return result;
}

static td_result td_enter_tandem_refit(td_refit_race *race, bool oriented, uint32_t threads) {
    char isa[32];
    TD_TRY(td_first_isa(isa, sizeof isa, race->options));
    td_refitter *refitter = &race->refitters[race->count];
    *refitter = (td_refitter){.volume = oriented ? "obb" : "aabb", .oriented = oriented, .threads = threads};
    TD_TRY(td_open_context(&refitter->context, isa, threads));
    ++race->count;
    td_mesh_def def = td_default_mesh_def();
    def.positions = race->subject.arrays.positions;
    def.vertex_count = race->subject.arrays.vertex_count;
    def.triangles = race->subject.arrays.triangles;
    def.triangle_count = race->subject.arrays.triangle_count;
    def.borrow = def.deformable = true;
    TD_TRY(td_create_mesh(&refitter->mesh, refitter->context, &def));
    return oriented ? td_orient(refitter) : TD_OK;
}

static void td_enter_refit_peer(td_refit_race *race, const td_refit_peer *peer, uint32_t threads) {
    const char *chosen = race->options->peers;
    if ((chosen != NULL && !td_list_has(chosen, peer->name)) || (threads > 1 && !peer->threaded)) {
        return;
    }
    td_refitter refitter = {.peer = peer, .volume = peer->volume, .threads = threads};
    refitter.instance = peer->create(&race->subject.arrays, threads);
    if (refitter.instance != NULL) {
        race->refitters[race->count++] = refitter;
    }
}

// For each volume tandem comes first; at most ten rows.
static td_result td_enter_refitters(td_refit_race *race, uint32_t threads) {
    TD_TRY(td_enter_tandem_refit(race, false, threads));
#ifdef TD_PEER_WITH_EMBREE
    td_enter_refit_peer(race, &td_refits_embree, threads);
#endif
    TD_TRY(td_enter_tandem_refit(race, true, threads));
#ifdef TD_PEER_WITH_FCL
    td_enter_refit_peer(race, &td_refits_fcl_obb, threads);
    td_enter_refit_peer(race, &td_refits_fcl_obbrss, threads);
#endif
    return TD_OK;
}

static td_result td_refit_once(double *ms, const td_refitter *refitter, const double *positions) {
    if (refitter->peer != NULL) {
        *ms = refitter->peer->refit(refitter->instance, positions);
        return TD_OK;
    }
    td_refit_report report;
    TD_TRY(td_set_positions(&report, refitter->mesh, TD_FLOAT64, positions, 0, TD_REBUILD_NEVER));
    *ms = refitter->oriented ? report.post_ms : report.refit_ms;
    return TD_OK;
}

// A round of warming up, then all in turn.
static td_result td_time_refits(td_refit_race *race) {
    for (uint32_t round = 0; round <= race->options->repeats; ++round) {
        const double *positions = round % 2 == 0 ? race->swung : race->subject.arrays.positions;
        for (uint32_t i = 0; i < race->count; ++i) {
            double ms;
            TD_TRY(td_refit_once(&ms, &race->refitters[i], positions));
            if (round > 0) {
                race->refitters[i].times[round - 1] = ms;
            }
        }
    }
    return TD_OK;
}

static td_result td_report_refits(td_refit_race *race) {
    td_report_row rows[TD_MAX_ENTRANTS];
    double reference = 0.0; // of tandem, which comes first for each volume and number of threads
    const uint32_t repeats = race->options->repeats;
    printf("%-11s %-8s %-7s %3s %12s %22s %16s\n", "library", "version", "volume", "thr", "ms",
           "million triangles/s", "times tandem's");
    for (uint32_t i = 0; i < race->count; ++i) {
        td_refitter *refitter = &race->refitters[i];
        const td_refit_peer *peer = refitter->peer;
        const double ms = td_median(refitter->times, repeats);
        reference = peer == NULL ? ms : reference;
        rows[i] = (td_report_row){.isa = peer == NULL ? td_isa_name(td_context_isa(refitter->context)) : "",
                                  .mesh = race->subject.name,
                                  .triangles = race->subject.arrays.triangle_count,
                                  .set = refitter->volume,
                                  .mode = "refit",
                                  .library = peer == NULL ? "tandem" : peer->name,
                                  .version = peer == NULL ? td_version() : peer->version(),
                                  .threads = refitter->threads,
                                  .poses = 1,
                                  .repeats = repeats,
                                  .ms = ms,
                                  .ratio = ms / reference};
        printf("%-11s %-8s %-7s %3" PRIu32 " %12.3f %22.2f %16.3f\n", rows[i].library, rows[i].version,
               rows[i].set, refitter->threads, ms, rows[i].triangles / ms / 1000.0, rows[i].ratio);
    }
    printf("\n");
    return race->options->csv != NULL ? td_append_csv(race->options->csv, rows, race->count) : TD_OK;
}

static td_result td_run_refit_race(td_refit_race *race) {
    TD_TRY(td_load_subject(&race->subject, race->context, race->options->source_a));
    printf("%s, refit: %" PRIu32 " triangles\n", race->subject.name, race->subject.arrays.triangle_count);
    TD_TRY(td_swing(race));
    TD_TRY(td_enter_refitters(race, 1));
    if (race->options->threads > 1) {
        TD_TRY(td_enter_refitters(race, race->options->threads));
    }
    TD_TRY(td_time_refits(race));
    return td_report_refits(race);
}

td_result td_compare_refit(const td_compare_options *options) {
    static td_refit_race race; // too large for some stacks
    race = (td_refit_race){.options = options};
    TD_TRY(td_open_context(&race.context, "auto", 1));
    const td_result result = td_run_refit_race(&race);
    for (uint32_t i = 0; i < race.count; ++i) {
        const td_refitter *refitter = &race.refitters[i];
        if (refitter->peer != NULL) {
            refitter->peer->destroy(refitter->instance);
        }
        td_destroy_mesh(refitter->mesh);
        td_destroy_context(refitter->context);
    }
    TD_DELETE(race.context, double, race.swung, 3 * (size_t)race.subject.arrays.vertex_count);
    td_release_subject(&race.subject, race.context);
    td_destroy_context(race.context);
    return result;
}
