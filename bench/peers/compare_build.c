// The speed of hierarchy builders on one mesh, on one thread and on several.
#include "compare.h"
#include "core/error.h"
#include "report.h"
#include "subject.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct td_build_entrant {
    const td_peer *peer; // null: tandem
    uint32_t quality;    // of the peer; tandem: a td_builder
    const char *quality_name;
    td_context *context; // tandem's
    uint32_t threads;
    double times[TD_MAX_REPEATS];
    uint32_t repeats;
} td_build_entrant;

typedef struct td_build_bench {
    const td_compare_options *options;
    td_context *context; // for memory
    td_subject subject;
    td_build_entrant builders[TD_MAX_ENTRANTS];
    uint32_t builder_count;
} td_build_bench;

static td_result td_build_tandem(double *ms, td_context *context, const td_subject *subject,
                                 td_builder builder) {
    td_mesh *mesh = NULL;
    td_mesh_def def = td_default_mesh_def();
    def.positions = subject->arrays.positions;
    def.vertex_count = subject->arrays.vertex_count;
    def.triangles = subject->arrays.triangles;
    def.triangle_count = subject->arrays.triangle_count;
    def.borrow = true;
    def.builder = builder;
    TD_TRY(td_create_mesh(&mesh, context, &def));
    td_hierarchy_report report;
    const td_result result = td_inspect_hierarchy(&report, context, mesh);
    *ms = result == TD_OK ? report.build_ms : 0.0;
    td_destroy_mesh(mesh);
    return result;
}

static td_result td_enter_tandem_builder(td_build_bench *bench, td_builder builder, const char *name,
                                         uint32_t threads) {
    char isa[32];
    TD_TRY(td_first_isa(isa, sizeof isa, bench->options));
    if (bench->builder_count == TD_MAX_ENTRANTS) {
        return td_fail(TD_ERROR_UNSUPPORTED, "more than %d builders", TD_MAX_ENTRANTS);
    }
    td_build_entrant *tandem = &bench->builders[bench->builder_count];
    *tandem = (td_build_entrant){.quality = builder, .quality_name = name, .threads = threads};
    TD_TRY(td_open_context(&tandem->context, isa, threads));
    ++bench->builder_count;
    return TD_OK;
}

// The builders of one number of threads: tandem's by the surface area heuristic first, which the others are
// measured against.
static td_result td_enter_builders(td_build_bench *bench, uint32_t threads) {
    TD_TRY(td_enter_tandem_builder(bench, TD_BUILDER_SAH, "sah", threads));
    TD_TRY(td_enter_tandem_builder(bench, TD_BUILDER_LINEAR, "linear", threads));
    for (uint32_t i = 0; i < td_peer_count(); ++i) {
        const td_peer *peer = td_peer_at(i);
        if ((peer->supports & TD_PEER_BUILDS) == 0 || !td_peer_is_chosen(bench->options, peer)) {
            continue;
        }
        td_build_entrant builder = {.peer = peer, .threads = threads};
        double ms; // the first build of each quality also warms it up
        while (bench->builder_count < TD_MAX_ENTRANTS &&
               peer->build(&ms, &builder.quality_name, &bench->subject.arrays, builder.quality, threads)) {
            bench->builders[bench->builder_count++] = builder;
            ++builder.quality;
        }
    }
    return TD_OK;
}

static td_result td_time_builders(td_build_bench *bench) {
    for (uint32_t round = 0; round < bench->options->repeats; ++round) {
        for (uint32_t i = 0; i < bench->builder_count; ++i) {
            td_build_entrant *builder = &bench->builders[i];
            double ms = 0.0;
            if (builder->peer == NULL) {
                TD_TRY(td_build_tandem(&ms, builder->context, &bench->subject, (td_builder)builder->quality));
            } else {
                builder->peer->build(&ms, &builder->quality_name, &bench->subject.arrays, builder->quality,
                                     builder->threads);
            }
            builder->times[builder->repeats++] = ms;
        }
    }
    return TD_OK;
}

static td_result td_report_builders(td_build_bench *bench) {
    td_report_row rows[TD_MAX_ENTRANTS];
    double reference = 0.0; // of tandem, which comes first for each number of threads
    printf("%-11s %-8s %-7s %3s %12s %22s %16s\n", "library", "version", "quality", "thr", "ms",
           "million triangles/s", "times tandem's");
    for (uint32_t i = 0; i < bench->builder_count; ++i) {
        td_build_entrant *builder = &bench->builders[i];
        const td_peer *peer = builder->peer;
        const double ms = td_median(builder->times, builder->repeats);
        reference = peer == NULL && builder->quality == TD_BUILDER_SAH ? ms : reference;
        rows[i] = (td_report_row){.isa = peer == NULL ? td_isa_name(td_context_isa(builder->context)) : "",
                                  .mesh = bench->subject.name,
                                  .triangles = bench->subject.arrays.triangle_count,
                                  .set = builder->quality_name,
                                  .mode = "build",
                                  .library = peer == NULL ? "tandem" : peer->name,
                                  .version = peer == NULL ? td_version() : peer->version(),
                                  .threads = builder->threads,
                                  .poses = 1,
                                  .repeats = builder->repeats,
                                  .ms = ms,
                                  .ratio = ms / reference};
        printf("%-11s %-8s %-7s %3" PRIu32 " %12.3f %22.2f %16.3f\n", rows[i].library, rows[i].version,
               rows[i].set, builder->threads, ms, rows[i].triangles / ms / 1000.0, rows[i].ratio);
    }
    printf("\n");
    return bench->options->csv != NULL ? td_append_csv(bench->options->csv, rows, bench->builder_count)
                                       : TD_OK;
}

static td_result td_run_build_bench(td_build_bench *bench) {
    TD_TRY(td_load_subject(&bench->subject, bench->context, bench->options->source_a));
    printf("%s, hierarchy build: %" PRIu32 " triangles\n", bench->subject.name,
           bench->subject.arrays.triangle_count);
    TD_TRY(td_enter_builders(bench, 1));
    if (bench->options->threads > 1) {
        TD_TRY(td_enter_builders(bench, bench->options->threads));
    }
    TD_TRY(td_time_builders(bench));
    return td_report_builders(bench);
}

td_result td_compare_build(const td_compare_options *options) {
    static td_build_bench bench; // too large for some stacks
    bench = (td_build_bench){.options = options};
    TD_TRY(td_open_context(&bench.context, "auto", 1));
    const td_result result = td_run_build_bench(&bench);
    for (uint32_t i = 0; i < bench.builder_count; ++i) {
        td_destroy_context(bench.builders[i].context);
    }
    td_release_subject(&bench.subject, bench.context);
    td_destroy_context(bench.context);
    return result;
}
