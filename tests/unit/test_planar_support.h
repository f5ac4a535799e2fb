// What tests of the planar simulator share: scattered bodies in a room, and runs of them.
#ifndef TD_TEST_PLANAR_SUPPORT_H
#define TD_TEST_PLANAR_SUPPORT_H

#include "planar/planar.h"
#include "support/cmocka_all.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_plane {
    td_context *context;
    td_planar_body_def *bodies;
    uint32_t count;
    double side; // m, of the room
    td_planar_def def;
    td_planar *planar;
    td_planar_report start;
} test_plane;

#define test_ok(call)                                                                                        \
    do {                                                                                                     \
        if ((call) != TD_OK) {                                                                               \
            fail_msg("%s: %s", #call, td_error_message());                                                   \
        }                                                                                                    \
    } while (0)

static inline td_context *test_plane_context(uint32_t threads) {
    td_context_def def = td_default_context_def();
    def.thread_count = threads;
    td_context *context = NULL;
    test_ok(td_create_context(&context, &def));
    return context;
}

// Bodies of radius 0.5 at a speed of 1 m/s, which fill a tenth of the room; polygons if they have corners.
static inline test_plane test_scatter(uint32_t count, uint32_t corners, uint64_t seed) {
    test_plane plane = {.context = test_plane_context(1), .count = count};
    td_planar_scatter_def scatter = td_default_planar_scatter_def();
    plane.side = 0.5 * sqrt(3.14159265358979 * count / 0.1);
    scatter.count = count;
    scatter.corners = corners;
    scatter.room[0] = scatter.room[1] = plane.side;
    scatter.speed = 1;
    scatter.spin = 2;
    scatter.seed = seed;
    plane.bodies = malloc(count * sizeof *plane.bodies);
    assert_non_null(plane.bodies);
    test_ok(td_scatter_planar(plane.bodies, plane.context, &scatter));
    plane.def = td_default_planar_def();
    plane.def.room[0] = plane.def.room[1] = plane.side;
    plane.def.step = 0.1;
    return plane;
}

static inline void test_begin(test_plane *plane) {
    test_ok(td_create_planar(&plane->planar, plane->context, &plane->def, plane->bodies, plane->count));
    test_ok(td_report_planar(&plane->start, plane->planar));
}

static inline void test_end(test_plane *plane) {
    td_destroy_planar(plane->planar);
    td_destroy_context(plane->context);
    free(plane->bodies);
}

static inline td_planar_report test_report(test_plane *plane) {
    td_planar_report report;
    test_ok(td_report_planar(&report, plane->planar));
    return report;
}

// Energy is what it was; momentum is what walls gave.
static inline void test_is_conserved(const test_plane *plane, const td_planar_report *now) {
    const td_planar_report *start = &plane->start;
    assert_true(fabs(now->kinetic_energy / start->kinetic_energy - 1) < 1e-5);
    const double scale = sqrt(2 * start->kinetic_energy * plane->count);
    for (int k = 0; k < 2; ++k) {
        const double change = now->momentum[k] - start->momentum[k];
        assert_true(fabs(change - now->wall_momentum[k]) < 1e-5 * scale);
    }
}

#endif
