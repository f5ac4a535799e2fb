// Fig. 7: hierarchies built, natively and on devices, and refitted on devices.
#include "bench_paper_001.h"
#include "bench_refit.h"
#include "median.h"
#include "message.h"

#include <stdlib.h>

enum { TD_BUILD_WAYS = 3 };

// A builder at a place.
typedef struct td_build_way {
    td_operation_row *row;
    td_builder builder;
    bool by_levels;
    double *ms; // per round
} td_build_way;

static td_mesh_def td_middle_frame(const td_operation_scene *scene) {
    td_mesh_def def = td_sequence_mesh_def(&scene->sequence);
    def.positions = td_sequence_frame(&scene->sequence, scene->sequence.frame_count / 2);
    def.deformable = false;
    return def;
}

static td_result td_build_once(td_build_way *way, const td_operation_scene *scene, uint32_t round) {
    const td_bench_place *place = way->row->place;
    td_mesh_def def = td_middle_frame(scene);
    def.builder = way->builder;
    def.device = place->device;
    def.device_by_levels = way->by_levels;
    td_mesh *mesh = NULL;
    td_result result = td_create_mesh(&mesh, place->context, &def);
    if (result == TD_OK) {
        td_hierarchy_report report;
        result = td_inspect_hierarchy(&report, place->context, mesh);
        way->ms[round] = report.build_ms;
        td_destroy_mesh(mesh);
    }
    return result;
}

static bool td_build_in_rounds(td_build_way *ways, uint32_t count, const td_operation_scene *scene,
                               uint32_t rounds) {
    for (uint32_t round = 0; round <= rounds; ++round) { // the first warms up
        for (uint32_t i = 0; i < count; ++i) {
            if (td_build_once(&ways[i], scene, round == 0 ? 0 : round - 1) != TD_OK) {
                td_cli_library_error(scene->name);
                return false;
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        ways[i].row->ms = td_cli_median(ways[i].ms, rounds);
    }
    return true;
}

static uint32_t td_make_build_ways(td_build_way *ways, td_operation_scene *scene, const td_operations *all) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < all->places.place_count; ++p) {
        const td_bench_place *place = &all->places.places[p];
        const char *const names[TD_BUILD_WAYS] = {"linear", place->device ? "balanced" : "sah", "compaction"};
        for (int i = 0; i < (place->device ? TD_BUILD_WAYS : 2); ++i) {
            ways[count++] = (td_build_way){
                .row = td_add_operation(scene, "build", names[i], TD_VOLUME_AABB, place),
                .builder = i == 0 ? TD_BUILDER_LINEAR : TD_BUILDER_SAH,
                .by_levels = i == 2,
            };
        }
    }
    return count;
}

static bool td_measure_builds(td_operation_scene *scene, const td_operations *all) {
    td_build_way ways[TD_BUILD_WAYS * TD_BENCH_PLACES];
    const uint32_t count = td_make_build_ways(ways, scene, all), rounds = all->rounds;
    double *times = calloc((size_t)count * rounds, sizeof *times);
    if (!times) {
        td_cli_error("out of memory");
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        ways[i].ms = times + (size_t)i * rounds;
    }
    const bool built = td_build_in_rounds(ways, count, scene, rounds);
    free(times);
    return built;
}

// ---------------------------------------------------------------------------------------------------------
// Refits on a device

static td_result td_refit_frames(double (*times)[TD_OPERATION_STEPS_MOST], const td_refit_meshes *meshes,
                                 const td_cli_sequence *sequence, td_device *device) {
    td_refit_frame frame;
    td_result result = td_refit_on_device(&frame, meshes, device); // brought there
    for (uint32_t f = 1; result == TD_OK && f < sequence->frame_count; ++f) {
        const double *positions = td_sequence_frame(sequence, f);
        result = td_set_positions(NULL, meshes->aabb, TD_FLOAT64, positions, 0, TD_REBUILD_NEVER);
        result = result == TD_OK
                     ? td_set_positions(NULL, meshes->obb, TD_FLOAT64, positions, 0, TD_REBUILD_NEVER)
                     : result;
        result = result == TD_OK ? td_refit_on_device(&frame, meshes, device) : result;
        for (int i = 0; result == TD_OK && i < 3; ++i) {
            times[i][f - 1] = frame.ms[TD_REFIT_BLOCKS + i];
        }
    }
    return result;
}

static bool td_measure_refits(td_operation_scene *scene, const td_bench_place *place) {
    static double times[3][TD_OPERATION_STEPS_MOST]; // not on the stack
    static const char *const names[3] = {"blocks", "post-order", "post-order"};
    const td_mesh_def def = td_sequence_mesh_def(&scene->sequence);
    td_refit_meshes meshes = {0};
    td_result result = td_create_mesh(&meshes.aabb, place->context, &def);
    result = result == TD_OK ? td_create_mesh(&meshes.obb, place->context, &def) : result;
    result = result == TD_OK ? td_create_query(&meshes.query, place->context) : result;
    result = result == TD_OK ? td_refit_frames(times, &meshes, &scene->sequence, place->device) : result;
    for (int i = 0; result == TD_OK && i < 3; ++i) {
        const td_volume volume = i == 2 ? TD_VOLUME_OBB : TD_VOLUME_AABB;
        td_operation_row *row = td_add_operation(scene, "refit", names[i], volume, place);
        row->ms = td_cli_median(times[i], scene->sequence.frame_count - 1);
    }
    if (result != TD_OK) {
        td_cli_library_error(scene->name);
    }
    td_destroy_query(meshes.query);
    td_destroy_mesh(meshes.aabb);
    td_destroy_mesh(meshes.obb);
    return result == TD_OK;
}

bool td_operations_build(td_operation_scene *scene, const td_operations *all, td_cli_session *session) {
    td_cli_progress_stage(&session->progress, "building %s", scene->name);
    if (!td_measure_builds(scene, all)) {
        return false;
    }
    for (uint32_t i = 0; i < all->places.place_count; ++i) {
        const td_bench_place *place = &all->places.places[i];
        if (place->device) {
            td_cli_progress_stage(&session->progress, "refitting %s on %s", scene->name, place->name);
            if (!td_measure_refits(scene, place)) {
                return false;
            }
        }
    }
    return true;
}
