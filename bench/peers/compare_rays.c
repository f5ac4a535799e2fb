// The speed of single rays against one mesh on one thread, closest hit and any hit, and whether the hits are
// the same. All are given float32 numbers: the mesh's positions are rounded before.
#include "compare.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "ray_report.h"
#include "ray_sets.h"
#include "rays.h"
#include "report.h"
#include "subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { TD_CAMERA_SIDE = 1024, TD_CAMERA_RAYS = TD_CAMERA_SIDE * TD_CAMERA_SIDE, TD_RAY_ENTRANTS = 4 };

typedef struct td_ray_entrant {
    const td_ray_peer *peer; // null: tandem
    bool one_by_one;         // tandem with a call per ray
    void *instance;
    double times[2][TD_MAX_REPEATS]; // closest, any
    td_ray_differences differences;
} td_ray_entrant;

typedef struct td_ray_bench {
    const td_compare_options *options;
    td_context *context;
    td_subject subject;
    td_mesh *mesh;
    td_ray_entrant entrants[TD_RAY_ENTRANTS];
    uint32_t entrant_count;
    td_ray *rays[2]; // camera, diffuse
    td_ray_hit *hits, *any_hits;
    td_peer_hit *peer_hits;
    bool *peer_any;
    td_ray_row rows[3 * 2 * TD_RAY_ENTRANTS];
    uint32_t row_count;
} td_ray_bench;

static td_result td_cast(td_ray_hit *out, const td_ray_bench *bench, const td_ray *rays, size_t count,
                         td_ray_mode mode) {
    td_ray_def def = td_default_ray_def();
    def.mode = mode;
    return td_cast_rays(out, bench->mesh, NULL, rays, count, &def);
}

static td_result td_cast_one_by_one(td_ray_hit *out, const td_ray_bench *bench, const td_ray *rays,
                                    size_t count, td_ray_mode mode) {
    for (size_t i = 0; i < count; ++i) {
        TD_TRY(td_cast(&out[i], bench, &rays[i], 1, mode));
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// Answers

static td_ray_differences td_find_differences(const td_ray_bench *bench, size_t count) {
    td_ray_differences d = {0};
    for (size_t i = 0; i < count; ++i) {
        const td_ray_hit *ours = &bench->hits[i];
        const td_peer_hit *theirs = &bench->peer_hits[i];
        const bool hit = theirs->triangle != TD_NO_TRIANGLE;
        d.any += bench->peer_any[i] != bench->any_hits[i].hit;
        if (hit != ours->hit) {
            d.missed += ours->hit;
            d.invented += hit;
        } else if (hit && theirs->triangle != ours->triangle) {
            const double gap = (double)theirs->t - ours->t;
            d.as_near += gap <= 1e-5 * ours->t && gap >= -1e-5 * ours->t;
            d.farther += gap > 1e-5 * ours->t;
            d.nearer += gap < -1e-5 * ours->t;
        }
    }
    return d;
}

// ---------------------------------------------------------------------------------------------------------
// Times

static double td_ray_clock_ms(const td_compare_options *options) {
    if (!options->cpu_clock) {
        return td_clock_ms();
    }
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static td_result td_time_entrant(double ms[2], td_ray_bench *bench, const td_ray_entrant *entrant,
                                 const td_ray *rays, size_t count) {
    td_result (*cast)(td_ray_hit *, const td_ray_bench *, const td_ray *, size_t, td_ray_mode) =
        entrant->one_by_one ? td_cast_one_by_one : td_cast;
    double start = td_ray_clock_ms(bench->options);
    if (entrant->peer == NULL) {
        TD_TRY(cast(bench->hits, bench, rays, count, TD_RAY_CLOSEST));
    } else {
        entrant->peer->closest(entrant->instance, bench->peer_hits);
    }
    ms[0] = td_ray_clock_ms(bench->options) - start;
    start = td_ray_clock_ms(bench->options);
    if (entrant->peer == NULL) {
        TD_TRY(cast(bench->any_hits, bench, rays, count, TD_RAY_ANY));
    } else {
        entrant->peer->any(entrant->instance, bench->peer_any);
    }
    ms[1] = td_ray_clock_ms(bench->options) - start;
    return TD_OK;
}

static void td_report_rays(td_ray_bench *bench, const char *set, size_t count) {
    static const char *const modes[2] = {"closest", "any"};
    for (int mode = 0; mode < 2; ++mode) {
        double reference = 0.0;
        for (uint32_t i = 0; i < bench->entrant_count; ++i) {
            td_ray_entrant *entrant = &bench->entrants[i];
            const td_ray_peer *peer = entrant->peer;
            const double ms = td_median(entrant->times[mode], bench->options->repeats);
            const td_ray_differences *d = &entrant->differences;
            reference = i == 0 ? ms : reference;
            td_ray_row *row = &bench->rows[bench->row_count++];
            *row = (td_ray_row){.isa = peer == NULL ? td_isa_name(td_context_isa(bench->context)) : "",
                                .mesh = bench->subject.name,
                                .triangles = bench->subject.arrays.triangle_count,
                                .set = set,
                                .mode = modes[mode],
                                .library = peer != NULL          ? peer->name
                                           : entrant->one_by_one ? "tandem-one"
                                                                 : "tandem",
                                .version = peer == NULL ? td_version() : peer->version(),
                                .rays = count,
                                .differing =
                                    mode == 0 ? d->missed + d->invented + d->farther + d->nearer : d->any,
                                .as_near = mode == 0 ? d->as_near : 0,
                                .repeats = bench->options->repeats,
                                .rate = (double)count / ms / 1000.0,
                                .ratio = ms / reference};
            td_print_ray_row(row, (double)count / entrant->times[mode][0] / 1000.0);
        }
    }
}

static td_result td_measure_set(td_ray_bench *bench, const char *set, const td_ray *rays, size_t count) {
    double ms[2];
    for (uint32_t i = 0; i < bench->entrant_count; ++i) { // warms up
        td_ray_entrant *entrant = &bench->entrants[i];
        if (entrant->peer != NULL) {
            entrant->peer->take(entrant->instance, rays, count);
        }
        TD_TRY(td_time_entrant(ms, bench, entrant, rays, count));
        if (entrant->peer != NULL) {
            entrant->differences = td_find_differences(bench, count);
            td_print_differences(entrant->peer->name, &entrant->differences);
        }
    }
    for (uint32_t round = 0; round < bench->options->repeats; ++round) {
        for (uint32_t i = 0; i < bench->entrant_count; ++i) {
            TD_TRY(td_time_entrant(ms, bench, &bench->entrants[i], rays, count));
            bench->entrants[i].times[0][round] = ms[0];
            bench->entrants[i].times[1][round] = ms[1];
        }
    }
    td_report_rays(bench, set, count);
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_enter_ray_peer(td_ray_bench *bench, const td_ray_peer *peer) {
    if (bench->options->peers != NULL && !td_list_has(bench->options->peers, "embree")) {
        return TD_OK;
    }
    void *instance = peer->create(&bench->subject.arrays);
    if (instance == NULL) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%s refuses the mesh", peer->name);
    }
    bench->entrants[bench->entrant_count++] = (td_ray_entrant){.peer = peer, .instance = instance};
    return TD_OK;
}

static td_result td_open_rays(td_ray_bench *bench) {
    TD_TRY(td_load_subject(&bench->subject, bench->context, bench->options->source_a));
    for (size_t i = 0; i < 3 * (size_t)bench->subject.arrays.vertex_count; ++i) {
        bench->subject.positions[i] = (double)(float)bench->subject.positions[i];
    }
    TD_TRY(td_subject_mesh(&bench->mesh, bench->context, &bench->subject));
    bench->entrants[1].one_by_one = true;
    bench->entrant_count = 2;
#ifdef TD_PEER_WITH_EMBREE
    TD_TRY(td_enter_ray_peer(bench, &td_rays_embree));
    TD_TRY(td_enter_ray_peer(bench, &td_rays_embree_robust));
#endif
    for (int i = 0; i < 2; ++i) {
        bench->rays[i] = TD_NEW(bench->context, td_ray, TD_CAMERA_RAYS);
    }
    bench->hits = TD_NEW(bench->context, td_ray_hit, TD_CAMERA_RAYS);
    bench->any_hits = TD_NEW(bench->context, td_ray_hit, TD_CAMERA_RAYS);
    bench->peer_hits = TD_NEW(bench->context, td_peer_hit, TD_CAMERA_RAYS);
    bench->peer_any = TD_NEW(bench->context, bool, TD_CAMERA_RAYS);
    return bench->rays[0] && bench->rays[1] && bench->hits && bench->any_hits && bench->peer_hits &&
                   bench->peer_any
               ? TD_OK
               : TD_ERROR_MEMORY;
}

static td_result td_run_ray_bench(td_ray_bench *bench) {
    TD_TRY(td_open_rays(bench));
    td_camera_rays(bench->rays[0], TD_CAMERA_SIDE, bench->mesh);
    TD_TRY(td_cast(bench->hits, bench, bench->rays[0], TD_CAMERA_RAYS, TD_RAY_CLOSEST));
    const size_t diffuse =
        td_diffuse_rays(bench->rays[1], bench->rays[0], bench->hits, TD_CAMERA_RAYS, bench->mesh);
    printf("%s, rays: %" PRIu32 " triangles, %d camera rays of which %zu hit\n", bench->subject.name,
           bench->subject.arrays.triangle_count, TD_CAMERA_RAYS, diffuse);
    TD_TRY(td_measure_set(bench, "camera", bench->rays[0], TD_CAMERA_RAYS));
    if (diffuse > 0) {
        TD_TRY(td_measure_set(bench, "diffuse", bench->rays[1], diffuse));
        td_shuffle_rays(bench->rays[1], diffuse);
        TD_TRY(td_measure_set(bench, "shuffled", bench->rays[1], diffuse));
    }
    printf("\n");
    return bench->options->csv != NULL ? td_append_ray_csv(bench->options->csv, bench->rows, bench->row_count)
                                       : TD_OK;
}

static void td_close_rays(td_ray_bench *bench) {
    for (uint32_t i = 2; i < bench->entrant_count; ++i) {
        bench->entrants[i].peer->destroy(bench->entrants[i].instance);
    }
    for (int i = 0; i < 2; ++i) {
        TD_DELETE(bench->context, td_ray, bench->rays[i], TD_CAMERA_RAYS);
    }
    TD_DELETE(bench->context, td_ray_hit, bench->hits, TD_CAMERA_RAYS);
    TD_DELETE(bench->context, td_ray_hit, bench->any_hits, TD_CAMERA_RAYS);
    TD_DELETE(bench->context, td_peer_hit, bench->peer_hits, TD_CAMERA_RAYS);
    TD_DELETE(bench->context, bool, bench->peer_any, TD_CAMERA_RAYS);
    td_destroy_mesh(bench->mesh);
    td_release_subject(&bench->subject, bench->context);
    td_destroy_context(bench->context);
}

td_result td_compare_rays(const td_compare_options *options) {
    static td_ray_bench bench; // too large for some stacks
    bench = (td_ray_bench){.options = options};
    char isa[32];
    TD_TRY(td_first_isa(isa, sizeof isa, options));
    TD_TRY(td_open_context(&bench.context, isa, 1));
    const td_result result = td_run_ray_bench(&bench);
    td_close_rays(&bench);
    return result;
}
