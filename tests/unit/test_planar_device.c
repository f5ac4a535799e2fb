// The planar simulator on a device: the same bits as natively, and nobody waits between two reports.
#include "test_planar_support.h"

typedef struct test_machine {
    td_context *context;
    td_device *device; // null: there is none
} test_machine;

static int test_open(void **state) {
    static test_machine machine;
    machine.context = test_plane_context(1);
    if (td_create_device_by_name(&machine.device, machine.context, "opencl") != TD_OK) {
        print_message("no usable OpenCL device, all is skipped: %s\n", td_error_message());
    }
    *state = &machine;
    return 0;
}

static int test_close(void **state) {
    test_machine *machine = *state;
    td_destroy_device(machine->device);
    td_destroy_context(machine->context);
    return 0;
}

#define TEST_NEEDS_DEVICE(machine)                                                                           \
    if ((machine)->device == NULL) {                                                                         \
        skip();                                                                                              \
    }

typedef struct test_twin {
    test_plane plane;
    td_planar *on_device;
} test_twin;

static test_twin test_twins(test_machine *machine, uint32_t count, uint32_t corners) {
    test_twin twin = {.plane = test_scatter(count, corners, 1)};
    twin.plane.def.stepping = TD_PLANAR_FIRST_COLLISION;
    twin.plane.def.broad = TD_PLANAR_ALL_PAIRS;
    test_begin(&twin.plane);
    td_planar_def def = twin.plane.def;
    def.device = machine->device;
    test_ok(td_create_planar(&twin.on_device, machine->context, &def, twin.plane.bodies, count));
    return twin;
}

static void test_part(test_twin *twin) {
    td_destroy_planar(twin->on_device);
    test_end(&twin->plane);
}

static void test_equal_after(test_machine *machine, uint32_t count, uint32_t corners) {
    test_twin twin = test_twins(machine, count, corners);
    td_planar_report before, after, native;
    test_ok(td_report_planar(&before, twin.on_device));
    test_ok(td_step_planar(twin.on_device, 1000));
    test_ok(td_step_planar(twin.plane.planar, 1000));
    test_ok(td_report_planar(&after, twin.on_device));
    test_ok(td_report_planar(&native, twin.plane.planar));
    assert_int_equal(after.hash, native.hash);
    assert_int_equal(after.steps, 1000);
    assert_int_equal(after.truncated, native.truncated);
    assert_true(after.collisions == native.collisions && after.time == native.time);
    assert_true(after.wall_momentum[0] == native.wall_momentum[0]);
    // The second report waits for three copies, as the first did; the steps between them for nothing.
    assert_int_equal(after.waits - before.waits, before.waits);
    assert_true(after.launches >= 1000 * 10);
    test_is_conserved(&twin.plane, &after);
    td_planar_state *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    assert_true(a != NULL && b != NULL);
    test_ok(td_get_planar_states(a, twin.on_device));
    test_ok(td_get_planar_states(b, twin.plane.planar));
    assert_memory_equal(a, b, count * sizeof *a);
    free(a);
    free(b);
    test_part(&twin);
}

static void test_256(void **state) {
    TEST_NEEDS_DEVICE((test_machine *)*state);
    test_equal_after(*state, 256, 0);
    test_equal_after(*state, 256, 3);
}

static void test_1024(void **state) {
    TEST_NEEDS_DEVICE((test_machine *)*state);
    test_equal_after(*state, 1024, 0);
    test_equal_after(*state, 1024, 3);
}

// All reductions, both forms of halving, and phases that are timed: the same bits.
static void test_variants(void **state) {
    test_machine *machine = *state;
    TEST_NEEDS_DEVICE(machine);
    test_twin twin = test_twins(machine, 100, 4);
    test_ok(td_step_planar(twin.plane.planar, 50));
    const uint64_t hash = test_report(&twin.plane).hash;
    for (int variant = 0; variant < 6; ++variant) {
        td_planar_def def = twin.plane.def;
        def.device = machine->device;
        def.reduction = (td_planar_reduction)(variant % 3);
        def.halve_outside = variant / 3 == 1;
        def.timed = variant == 5;
        td_planar *planar;
        td_planar_report report;
        test_ok(td_create_planar(&planar, machine->context, &def, twin.plane.bodies, 100));
        test_ok(td_step_planar(planar, 50));
        test_ok(td_report_planar(&report, planar));
        assert_int_equal(report.hash, hash);
        assert_true(def.timed == (report.overlap_ms > 0));
        td_destroy_planar(planar);
    }
    test_part(&twin);
}

// A copy that is asked for shows that moment, though steps were put behind it.
static void test_copy_behind_steps(void **state) {
    test_machine *machine = *state;
    TEST_NEEDS_DEVICE(machine);
    test_twin twin = test_twins(machine, 64, 3);
    td_planar_state early[64], native[64];
    test_ok(td_step_planar(twin.on_device, 10));
    test_ok(td_begin_planar_states(twin.on_device));
    test_ok(td_step_planar(twin.on_device, 10));
    test_ok(td_end_planar_states(early, twin.on_device));
    test_ok(td_step_planar(twin.plane.planar, 10));
    test_ok(td_get_planar_states(native, twin.plane.planar));
    assert_memory_equal(early, native, sizeof native);
    test_part(&twin);
}

static void test_unsupported(void **state) {
    test_machine *machine = *state;
    TEST_NEEDS_DEVICE(machine);
    test_plane plane = test_scatter(4, 0, 1);
    plane.def.device = machine->device;
    td_planar *planar;
    assert_int_equal(td_create_planar(&planar, machine->context, &plane.def, plane.bodies, 4),
                     TD_ERROR_UNSUPPORTED);
    test_end(&plane);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_256),         cmocka_unit_test(test_1024),
        cmocka_unit_test(test_variants),    cmocka_unit_test(test_copy_behind_steps),
        cmocka_unit_test(test_unsupported),
    };
    return cmocka_run_group_tests(tests, test_open, test_close);
}
