// Meshes that deform from frame to frame: small ones that shake, and the galloping horse, whose
// self-intersections are known.
#ifndef TD_TESTS_SEQUENCE_SUPPORT_H
#define TD_TESTS_SEQUENCE_SUPPORT_H

#include "test_refit_support.h"

#include <tandem/io.h>

#include <stdio.h>

// A mesh of up to 61 triangles: a soup on a grid, where much touches, a strip, or any soup, by turns.
static inline test_mesh test_small_mesh(int round, test_random *random) {
    const uint32_t count = 1 + (uint32_t)test_random_int(random, 0, 60);
    return round % 3 == 0   ? test_grid_soup(random, count)
           : round % 3 == 1 ? test_strip(random, count)
                            : test_soup(random, count);
}

// Moves every vertex a little; on the grid, by halves.
static inline void test_shake_all(test_mesh *mesh, test_random *random, bool on_grid) {
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i) {
        mesh->positions[i] +=
            on_grid ? test_random_int(random, -1, 1) * 0.5 : 0.2 * (2 * test_random_unit(random) - 1);
    }
}

// ---------------------------------------------------------------------------------------------------------

enum { TEST_FRAMES = 48 };

typedef struct test_horse_sequence {
    test_mesh rest;
    td_mesh *mesh;                // deformable, at rest
    float *positions;             // of the frame that was read last
    unsigned counts[TEST_FRAMES]; // pairs that intersect, per frame
    FILE *file;
} test_horse_sequence;

// False, and a word about it, where the sequence is not there.
static inline bool test_horse_open(test_horse_sequence *out, td_context *context) {
    const char *folder = TD_TEST_DATA "/sequences/horse-gallop";
    char path[512];
    snprintf(path, sizeof path, "%s/selfint_per_frame.csv", folder);
    FILE *counts = fopen(path, "r");
    if (counts == NULL) {
        print_message("skipped: %s is not there\n", path);
        return false;
    }
    assert_true(fscanf(counts, "%*[^\n]") == 0);
    for (unsigned i = 0; i < TEST_FRAMES; ++i) {
        unsigned frame;
        assert_int_equal(fscanf(counts, "%u,%u,%*u", &frame, &out->counts[i]), 2);
        assert_int_equal(frame, i);
    }
    fclose(counts);
    snprintf(path, sizeof path, "%s/frame0.obj", folder);
    const td_load_def load = td_default_load_def();
    td_mesh *frame0 = NULL;
    assert_int_equal(td_load_mesh(&frame0, context, path, &load), TD_OK);
    out->rest = test_copy_of(frame0);
    td_destroy_mesh(frame0);
    out->mesh = test_build_deformable(context, &out->rest, TD_BUILDER_SAH);
    snprintf(path, sizeof path, "%s/positions.f32", folder);
    out->file = fopen(path, "rb");
    out->positions = malloc(3 * out->rest.vertex_count * sizeof *out->positions);
    assert_true(out->file != NULL && out->positions != NULL);
    return true;
}

static inline void test_horse_read(test_horse_sequence *horse) {
    assert_int_equal(
        fread(horse->positions, 3 * sizeof *horse->positions, horse->rest.vertex_count, horse->file),
        horse->rest.vertex_count);
}

static inline td_refit_report test_horse_set(test_horse_sequence *horse, td_rebuild rebuild) {
    td_refit_report report;
    assert_int_equal(td_set_positions(&report, horse->mesh, TD_FLOAT32, horse->positions, 0, rebuild), TD_OK);
    return report;
}

static inline void test_horse_close(test_horse_sequence *horse) {
    td_destroy_mesh(horse->mesh);
    test_mesh_free(&horse->rest);
    free(horse->positions);
    fclose(horse->file);
}

#endif
