// Self-intersections of one mesh, the building of whatever is needed included: tandem from arrays to answer,
// the others as their adapters say.
#include "compare.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "report.h"
#include "subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct td_self_entrant {
    const td_peer *peer; // null: tandem
    td_context *context; // tandem's
    uint32_t threads;
    uint64_t pairs;
    double times[TD_MAX_REPEATS];
    uint32_t repeats;
    double spent_ms;
} td_self_entrant;

typedef struct td_self_bench {
    const td_compare_options *options;
    td_context *context; // for memory
    td_subject subject;
    td_peer_pairs list;
    td_self_entrant entrants[TD_MAX_ENTRANTS];
    uint32_t entrant_count;
} td_self_bench;

static td_result td_self_tandem(double *ms, uint64_t *pairs, td_context *context, const td_subject *subject) {
    const double start = td_clock_ms();
    td_mesh *mesh = NULL;
    td_query *query = NULL;
    TD_TRY(td_subject_mesh(&mesh, context, subject));
    td_result result = td_create_query(&query, context);
    td_collide_result answer = {0};
    if (result == TD_OK) {
        td_collide_def def = td_default_collide_def();
        def.mode = TD_MODE_COUNT;
        result = td_self_collide(&answer, query, mesh, &def);
    }
    *ms = td_clock_ms() - start;
    *pairs = answer.pair_count;
    td_destroy_query(query);
    td_destroy_mesh(mesh);
    return result;
}

static bool td_share_a_position(const td_peer_mesh *mesh, uint32_t first, uint32_t second) {
    for (size_t i = 0; i < 3; ++i) {
        const double *p = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)first + i];
        for (size_t j = 0; j < 3; ++j) {
            const double *q = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)second + j];
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) {
                return true;
            }
        }
    }
    return false;
}

// A peer's own list, less what tandem leaves out: pairs that share a vertex position. (CGAL also reports each
// degenerate triangle as a pair with itself: left out by the same rule.)
static uint64_t td_count_apart(const td_peer_mesh *mesh, const td_peer_pairs *list) {
    uint64_t count = 0;
    for (size_t i = 0; i < list->count; ++i) {
        count += !td_share_a_position(mesh, list->pairs[i].a, list->pairs[i].b);
    }
    return count;
}

// *done: false if the peer refuses the mesh.
static td_result td_self_peer(bool *done, double *ms, uint64_t *pairs, td_self_bench *bench,
                              const td_peer *peer) {
    for (;;) {
        *done = peer->self(ms, &bench->list, &bench->subject.arrays);
        if (!*done || bench->list.count <= bench->list.capacity) {
            break;
        }
        const size_t wanted = bench->list.count;
        TD_DELETE(bench->context, td_pair, bench->list.pairs, bench->list.capacity);
        bench->list.capacity = 0;
        bench->list.pairs = TD_NEW(bench->context, td_pair, wanted);
        if (bench->list.pairs == NULL) {
            return TD_ERROR_MEMORY;
        }
        bench->list.capacity = wanted;
    }
    *pairs = *done ? td_count_apart(&bench->subject.arrays, &bench->list) : 0;
    return TD_OK;
}

static td_result td_run_self(bool *done, double *ms, td_self_entrant *entrant, td_self_bench *bench) {
    *done = true;
    if (entrant->peer != NULL) {
        return td_self_peer(done, ms, &entrant->pairs, bench, entrant->peer);
    }
    return td_self_tandem(ms, &entrant->pairs, entrant->context, &bench->subject);
}

static td_result td_enter_self(td_self_bench *bench) {
    char isa[32];
    TD_TRY(td_first_isa(isa, sizeof isa, bench->options));
    const uint32_t thread_counts[2] = {1, bench->options->threads};
    for (uint32_t i = 0; i < (bench->options->threads > 1 ? 2u : 1u); ++i) {
        td_self_entrant *entrant = &bench->entrants[bench->entrant_count];
        TD_TRY(td_open_context(&entrant->context, isa, thread_counts[i]));
        entrant->threads = thread_counts[i];
        ++bench->entrant_count;
    }
    for (uint32_t i = 0; i < td_peer_count() && bench->entrant_count < TD_MAX_ENTRANTS; ++i) {
        const td_peer *peer = td_peer_at(i);
        if ((peer->supports & TD_PEER_SELF) != 0 && td_peer_is_chosen(bench->options, peer)) {
            bench->entrants[bench->entrant_count++] = (td_self_entrant){.peer = peer, .threads = 1};
        }
    }
    return TD_OK;
}

static td_result td_time_self(td_self_bench *bench) {
    for (uint32_t round = 0; round < bench->options->repeats; ++round) {
        for (uint32_t i = 0; i < bench->entrant_count; ++i) {
            td_self_entrant *entrant = &bench->entrants[i];
            if (round > 0 &&
                (entrant->repeats == 0 || entrant->spent_ms > 1000.0 * bench->options->budget_s)) {
                continue;
            }
            bool done;
            double ms;
            TD_TRY(td_run_self(&done, &ms, entrant, bench));
            if (done) {
                entrant->times[entrant->repeats++] = ms;
                entrant->spent_ms += ms;
            } else {
                printf("left out: %s refuses %s\n", entrant->peer->name, bench->subject.name);
            }
        }
    }
    return TD_OK;
}

static td_result td_report_self(bool *agreed, td_self_bench *bench) {
    td_report_row rows[TD_MAX_ENTRANTS];
    uint32_t row_count = 0;
    td_self_entrant *tandem = &bench->entrants[0];
    const double reference = td_median(tandem->times, tandem->repeats);
    printf("%-11s %-8s %3s %12s %12s %16s\n", "library", "version", "thr", "pairs", "ms", "times tandem's");
    for (uint32_t i = 0; i < bench->entrant_count; ++i) {
        td_self_entrant *entrant = &bench->entrants[i];
        if (entrant->repeats == 0) {
            continue;
        }
        const td_peer *peer = entrant->peer;
        const double ms = td_median(entrant->times, entrant->repeats);
        const bool differs = entrant->pairs != tandem->pairs;
        *agreed = *agreed && !(differs && (peer == NULL || (peer->supports & TD_PEER_EXACT) != 0));
        rows[row_count++] =
            (td_report_row){.isa = peer == NULL ? td_isa_name(td_context_isa(entrant->context)) : "",
                            .mesh = bench->subject.name,
                            .triangles = bench->subject.arrays.triangle_count,
                            .set = "",
                            .mode = "self",
                            .library = peer == NULL ? "tandem" : peer->name,
                            .version = peer == NULL ? td_version() : peer->version(),
                            .threads = entrant->threads,
                            .poses = 1,
                            .pairs = entrant->pairs,
                            .differing = differs ? 1 : 0,
                            .repeats = entrant->repeats,
                            .ms = ms,
                            .ratio = ms / reference};
        printf("%-11s %-8s %3" PRIu32 " %12" PRIu64 " %12.3f %16.3f\n", rows[row_count - 1].library,
               rows[row_count - 1].version, entrant->threads, entrant->pairs, ms, ms / reference);
    }
    printf("\n");
    return bench->options->csv != NULL ? td_append_csv(bench->options->csv, rows, row_count) : TD_OK;
}

static td_result td_run_self_bench(bool *agreed, td_self_bench *bench) {
    TD_TRY(td_load_subject(&bench->subject, bench->context, bench->options->source_a));
    printf("%s, self-intersections including the build: %" PRIu32 " triangles\n", bench->subject.name,
           bench->subject.arrays.triangle_count);
    TD_TRY(td_enter_self(bench));
    TD_TRY(td_time_self(bench));
    return td_report_self(agreed, bench);
}

td_result td_compare_self(bool *agreed, const td_compare_options *options) {
    static td_self_bench bench; // too large for some stacks
    bench = (td_self_bench){.options = options};
    TD_TRY(td_open_context(&bench.context, "auto", 1));
    const td_result result = td_run_self_bench(agreed, &bench);
    for (uint32_t i = 0; i < bench.entrant_count; ++i) {
        td_destroy_context(bench.entrants[i].context);
    }
    TD_DELETE(bench.context, td_pair, bench.list.pairs, bench.list.capacity);
    td_release_subject(&bench.subject, bench.context);
    td_destroy_context(bench.context);
    return result;
}
