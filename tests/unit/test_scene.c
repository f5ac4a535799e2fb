// Scenes: what is read from them, and their rules.
#include "io/scene_rotation.h"
#include "support/heap.h"
#include "test_scene_support.h"

#include <stdio.h>
#include <unistd.h>

static void test_everything(void **state) {
    td_scene *scene =
        test_scene(*state, TEST_HEAD
                   "\"name\": \"all\", \"description\": \"of it\", \"gravity\": [0, -1, 0.5], \"step\": "
                   "0.01, \"substeps\": 2,"
                   "\"iterations\": 3, \"relaxations\": 1, \"steps\": 77, \"sleep_speed\": 0.1, "
                   "\"sleep_time\": 2, \"slop\": 0.01,"
                   "\"continuous\": false, \"push_speed\": 2, \"bounce_speed\": 0.5, \"parameters\": {\"h\": "
                   "2.5, \"unused\": 1},"
                   "\"meshes\": {\"box\": {\"shape\": \"box\", \"subdivide\": 1, \"scale\": [1, 2, 3], "
                   "\"translate\": [0, 1, 0]},"
                   "  \"tetra\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, \"$h\"]],"
                   "              \"triangles\": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}},"
                   "\"materials\": {\"ice\": {\"friction\": 0.01, \"restitution\": 0.5, \"density\": 900}},"
                   "\"bodies\": [{\"name\": \"floor\", \"mesh\": \"box\", \"kind\": \"static\", "
                   "\"position\": [0, -5, 0]},"
                   "  {\"mesh\": \"tetra\", \"material\": \"ice\", \"mass\": 6, \"position\": [1, \"$h\", "
                   "3], \"velocity\": [1, 0, 0],"
                   "   \"spin\": [0, 2, 0], \"rotation\": {\"axis\": [0, 0, 2], \"degrees\": 180}, "
                   "\"gravity_scale\": 0.5,"
                   "   \"linear_damping\": 0.1, \"angular_damping\": 0.2, \"group\": [\"a\", 3], "
                   "\"collides_with\": [\"a\"],"
                   "   \"may_sleep\": false},"
                   "  {\"mesh\": \"box\", \"kind\": \"kinematic\", \"velocity\": [0, 0, 1], \"rotation\": "
                   "[0, 0, 0.6, 0.8],"
                   "   \"position\": [40, 0, 0]}]}");
    assert_string_equal(td_scene_name(scene), "all");
    assert_string_equal(td_scene_description(scene), "of it");
    assert_true(td_scene_step(scene) == 0.01);
    assert_int_equal(td_scene_steps(scene), 77);
    assert_int_equal(td_scene_mesh_count(scene), 2);
    assert_string_equal(td_scene_mesh_name(scene, 1), "tetra");
    assert_null(td_scene_mesh(scene, 2));
    assert_null(td_scene_mesh_name(scene, 2));
    assert_int_equal(td_mesh_triangle_count(td_scene_mesh(scene, 0)), 48);
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, td_scene_mesh(scene, 0));
    const double expected_lower[3] = {-0.5, 0, -1.5}, expected_upper[3] = {0.5, 2, 1.5};
    assert_memory_equal(lower, expected_lower, sizeof lower);
    assert_memory_equal(upper, expected_upper, sizeof upper);
    assert_int_equal(td_body_count(td_scene_world(scene)), 3);
    const td_body_state tetra = test_body(scene, 1);
    assert_int_equal(tetra.kind, TD_BODY_DYNAMIC);
    assert_string_equal(tetra.name, "tetra");
    assert_true(tetra.pose.position[1] == 2.5 && tetra.velocity[0] == 1 && tetra.spin[1] == 2);
    assert_true(fabs(tetra.pose.rotation[2]) == 1 && tetra.pose.rotation[3] == 0); // exact
    assert_int_equal(test_body(scene, 0).kind, TD_BODY_STATIC);
    assert_string_equal(test_body(scene, 0).name, "floor");
    assert_int_equal(test_body(scene, 2).kind, TD_BODY_KINEMATIC);
    td_destroy_scene(scene);
}

static void test_text_gives_the_same_scene(void **state) {
    for (uint32_t i = 0; i < td_builtin_scene_count(); ++i) {
        static const char *const settings[] = {"n=2"};
        td_scene_def def = td_default_scene_def();
        td_scene *scene = NULL, *again = NULL;
        const bool is_planar = strncmp(td_builtin_scene_description(i), "planar", 6) == 0;
        def.step = 0.01;
        def.iterations = is_planar ? 0 : 7; // of the solver, which those have not
        def.substeps = is_planar ? 0 : 3;
        def.parameters = settings;
        def.parameter_count = 1;
        td_result result = td_load_scene(&scene, *state, td_builtin_scene_name(i), &def);
        if (result != TD_OK) { // not all have an n
            def.parameter_count = 0;
            result = td_load_scene(&scene, *state, td_builtin_scene_name(i), &def);
        }
        assert_int_equal(result, TD_OK);
        const char *text = td_scene_text(scene);
        const td_scene_def plain = td_default_scene_def();
        assert_int_equal(td_parse_scene(&again, *state, text, strlen(text), "again", NULL, &plain), TD_OK);
        assert_string_equal(td_scene_text(again), text);
        assert_null(strchr(text, '$'));
        assert_true(td_scene_step(again) == 0.01);
        assert_true(td_hash_scene(again) == td_hash_scene(scene));
        assert_int_equal(td_scene_body_count(again), td_scene_body_count(scene));
        assert_true((td_scene_planar(scene) != NULL) == is_planar &&
                    (td_scene_world(scene) == NULL) == is_planar);
        td_destroy_scene(again);
        td_destroy_scene(scene);
    }
}

static void test_builtin_scenes(void **state) {
    static const char *const wanted[] = {
        "arch",          "billiards", "bowl",     "chain",      "circles",  "cloth", "cows",
        "cradle",        "curtain",   "dominoes", "gas",        "peg",      "pile",  "rigid-and-sheets",
        "rigid-objects", "rockslide", "stack",    "trampoline", "triangles"};
    assert_int_equal(td_builtin_scene_count(), sizeof wanted / sizeof *wanted);
    for (uint32_t i = 0; i < td_builtin_scene_count(); ++i) {
        assert_string_equal(td_builtin_scene_name(i), wanted[i]);
        const td_scene_def def = td_default_scene_def();
        td_scene *scene = NULL;
        assert_int_equal(td_load_scene(&scene, *state, wanted[i], &def), TD_OK);
        assert_string_equal(td_scene_name(scene), wanted[i]);
        assert_string_equal(td_scene_description(scene), td_builtin_scene_description(i));
        for (uint32_t m = 0; m < td_scene_mesh_count(scene); ++m) {
            const char *name = td_scene_mesh_name(scene, m); // of what is open, all are soft bodies
            const bool open =
                strcmp(name, "sheet") == 0 || strcmp(name, "cloth") == 0 || strcmp(name, "curtain") == 0;
            assert_true(td_mesh_is_closed(td_scene_mesh(scene, m)) != open);
        }
        td_destroy_scene(scene);
    }
    assert_null(td_builtin_scene_name(td_builtin_scene_count()));
    assert_null(td_builtin_scene_description(td_builtin_scene_count()));
}

static void test_parameters(void **state) {
    static const char text[] =
        TEST_HEAD "\"parameters\": {\"n\": 2, \"gap\": 1.5}, " TEST_BOX
                  ", \"bodies\": [{\"mesh\": \"box\", \"grid\": {\"count\": [\"$n\", \"$n\", 1], "
                  "\"spacing\": [\"$gap\", \"$gap\", 0]}}]}";
    td_scene *scene = test_scene(*state, text);
    assert_int_equal(td_body_count(td_scene_world(scene)), 4);
    td_destroy_scene(scene);
    const char *settings[] = {"n=3", "gap=2e0"};
    td_scene_def def = td_default_scene_def();
    def.parameters = settings;
    def.parameter_count = 2;
    scene = test_scene_with(*state, text, &def);
    assert_int_equal(td_body_count(td_scene_world(scene)), 9);
    assert_true(test_body(scene, 0).pose.position[0] == -2);
    assert_true(test_body(scene, 8).pose.position[1] == 4);
    td_destroy_scene(scene);
    const char *const wrong[][2] = {
        {"m=3", "has no parameter \"m\""},
        {"gasp=3", "has no parameter \"gasp\": did you mean gap?"},
        {"n", "expected \"name=value\""},
        {"n=", "expected a number for the parameter n, got \"\""},
        {"n=1e999", "expected a number"},
        {"n=3x", "expected a number for the parameter n, got \"3x\""},
        {"n=2.5", "bodies[0].grid.count[0]: expected a whole number from 1 to 1000000, got 2.5"},
        {"n=-1", "got -1"},
        {"gap=-1", "bodies[0].grid.spacing[0]: expected a number >= 0"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        def.parameters = &wrong[i][0];
        def.parameter_count = 1;
        test_refused_with(*state, text, &def, wrong[i][1]);
    }
}

static void test_grids(void **state) {
    td_scene *scene = test_scene(
        *state, TEST_HEAD TEST_BOX
        ", \"bodies\": [{\"name\": \"b\", \"mesh\": \"box\", \"position\": [10, 1, 0],"
        " \"grid\": {\"count\": [2, 3, 2], \"spacing\": [2, 3, 4], \"total\": 7}},"
        "{\"name\": \"row\", \"mesh\": \"box\", \"position\": [0, 50, 0], \"grid\": {\"count\": [3, 1, 1],"
        "  \"spacing\": [2, 0, 0], \"centred\": false, \"rotation\": {\"axis\": [0, 0, 1], \"degrees\": "
        "90}}},"
        "{\"name\": \"turned\", \"mesh\": \"box\", \"position\": [0, 0, 100], \"grid\": {\"count\": [4, 1, "
        "1],"
        "  \"spacing\": [5, 0, 0], \"turn\": true, \"jitter\": 0.5, \"seed\": 9}}]}");
    assert_int_equal(td_body_count(td_scene_world(scene)), 14);
    const double expected[7][3] = {{9, 1, -2}, {11, 1, -2}, {9, 1, 2}, {11, 1, 2},
                                   {9, 4, -2}, {11, 4, -2}, {9, 4, 2}}; // layer by layer from below
    for (uint32_t i = 0; i < 7; ++i) {
        assert_memory_equal(test_body(scene, i).pose.position, expected[i], sizeof expected[i]);
    }
    assert_string_equal(test_body(scene, 6).name, "b[6]");
    test_near(test_body(scene, 9).pose.position[1], 54); // the row goes up
    assert_true(fabs(test_body(scene, 9).pose.position[0]) < 1e-9);
    for (uint32_t i = 10; i < 14; ++i) {
        const td_pose pose = test_body(scene, i).pose;
        assert_int_equal(td_check_pose(&pose), TD_OK);
        assert_true(fabs(pose.position[0] - (5.0 * (i - 10) - 7.5)) <= 0.5);
        assert_true(pose.rotation[3] != 1);
        assert_true(i == 10 || pose.rotation[0] != test_body(scene, i - 1).pose.rotation[0]);
    }
    td_destroy_scene(scene);
    // What is used of a layer is centred.
    scene = test_scene(
        *state, TEST_HEAD TEST_BOX
        ", \"bodies\": [{\"mesh\": \"box\", \"grid\": {\"count\": [5, 1, 5], \"spacing\": [2, 2, 2],"
        "\"total\": 10}}]}");
    assert_true(test_body(scene, 0).pose.position[2] == -1 && test_body(scene, 9).pose.position[2] == 1);
    td_destroy_scene(scene);
}

// Against the sine and cosine of the C library.
static void test_rotations(void **state) {
    (void)state;
    for (int i = -1500; i <= 1500; ++i) {
        const double degrees = i * 0.731, half = degrees * 3.14159265358979324 / 360;
        const td_quat q = td_rotation_about(td_vec3_make(0, 1, 0), degrees);
        assert_true(fabs(q.y - sin(half)) < 1e-14 && fabs(q.w - cos(half)) < 1e-14 && q.x == 0 && q.z == 0);
    }
    for (int i = -8; i <= 8; ++i) {
        const td_quat q = td_rotation_about(td_vec3_make(1, 0, 0), 180 * i);
        assert_true(fabs(q.x) == (i % 2 != 0) && fabs(q.w) == (i % 2 == 0));
    }
    const td_quat quarter = td_rotation_about(td_vec3_make(0, 0, 1), 90);
    assert_true(quarter.z == quarter.w);
    // Every direction is as likely as another: the mean of many rotations of a vector is small.
    td_scene_random random = {1};
    td_vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4000; ++i) {
        sum = td_add(sum, td_mat3_apply(td_quat_matrix(td_random_rotation(&random)), td_vec3_make(0, 0, 1)));
    }
    assert_true(td_length(sum) < 4 * sqrt(4000));
}

static void test_fitted_meshes(void **state) {
    td_scene *scene =
        test_scene(*state, TEST_HEAD
                   "\"meshes\": {\"a\": {\"vertices\": [[10, 0, 0], [14, 0, 0], [10, 2, 0], [10, 0, 1]],"
                   "\"triangles\": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], \"fit\": 8, \"scale\": 0.5,"
                   "\"rotate\": {\"axis\": [0, 0, 1], \"degrees\": 180}, \"translate\": [0, 7, 0]}},"
                   "\"bodies\": [{\"mesh\": \"a\"}]}");
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, td_scene_mesh(scene, 0));
    const double expected[6] = {-2, 6, -0.5, 2, 8, 0.5};
    for (int k = 0; k < 3; ++k) {
        test_near(lower[k], expected[k]);
        test_near(upper[k], expected[3 + k]);
    }
    td_destroy_scene(scene);
}

// ---------------------------------------------------------------------------------------------------------
// Files

static td_result test_give_mesh(td_mesh_arrays *out, td_context *context, const char *source, void *user) {
    assert_string_equal(source, user);
    return td_read_mesh_memory(
        out, context, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
        strlen("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"), "a.obj",
        &(td_load_def){td_default_load_def().cookie, true, NULL, NULL});
}

static void test_files(void **state) {
    char folder[256], path[288], mesh[288], expected[1024];
    test_make_folder(folder);
    snprintf(path, sizeof path, "%s/a.json", folder);
    snprintf(mesh, sizeof mesh, "%s/t.obj", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(TEST_HEAD "\"meshes\": {\"box\": {\"file\": \"t.obj\", \"fit\": 4}}, " TEST_BODY "}\n", file);
    fclose(file);
    td_scene *scene = NULL;
    td_scene_def def = td_default_scene_def();
    // The file is looked for beside the scene, and the path that was tried is told.
    assert_int_equal(td_load_scene(&scene, *state, path, &def), TD_ERROR_FILE);
    snprintf(expected, sizeof expected, "%s: meshes.box.file: %s: cannot be opened", path, mesh);
    assert_non_null(strstr(td_error_message(), expected));
    // A reader of one's own gets the same path.
    def.read_mesh = test_give_mesh;
    def.read_mesh_user = mesh;
    assert_int_equal(td_load_scene(&scene, *state, path, &def), TD_OK);
    assert_int_equal(td_mesh_triangle_count(td_scene_mesh(scene, 0)), 4);
    assert_non_null(strstr(td_scene_text(scene), mesh)); // the text can be read from anywhere
    td_destroy_scene(scene);
    // Another file, seen from here.
    const char *const meshes[] = {"box=other.obj"};
    def.meshes = meshes;
    def.mesh_count = 1;
    def.read_mesh_user = "other.obj";
    assert_int_equal(td_load_scene(&scene, *state, path, &def), TD_OK);
    double lower[3], upper[3];
    td_mesh_bounds(lower, upper, td_scene_mesh(scene, 0));
    test_near(upper[0] - lower[0], 4); // fitted all the same
    // On meshes that are there already, nothing is read and nothing is fitted again.
    td_mesh_arrays arrays;
    assert_int_equal(test_give_mesh(&arrays, *state, "other.obj", def.read_mesh_user), TD_OK);
    td_scene *again = NULL;
    const td_scene_def plain = td_default_scene_def();
    const char *text = td_scene_text(scene);
    assert_int_equal(td_parse_scene_on_meshes(&again, *state, text, strlen(text), "a", &plain, &arrays, 1),
                     TD_OK);
    td_mesh_bounds(lower, upper, td_scene_mesh(again, 0));
    assert_true(upper[0] - lower[0] == 1);
    td_destroy_scene(again);
    assert_int_equal(td_parse_scene_on_meshes(&again, *state, text, strlen(text), "a", &plain, &arrays, 0),
                     TD_ERROR_FORMAT);
    td_release_mesh_arrays(&arrays, *state);
    td_destroy_scene(scene);
    unlink(path);
    rmdir(folder);
}

// ---------------------------------------------------------------------------------------------------------
// Rules

static void test_reinsertion(void **state) {
    // Nothing below: both fall for ever. The second starts where the first is put back, so it goes on top.
    td_scene *scene = test_scene(
        *state, TEST_HEAD TEST_BOX
        ", \"step\": 0.05, \"bodies\": [{\"mesh\": \"box\", \"position\": [0, 1, 0], \"velocity\": [0, -1, "
        "0]},"
        "{\"mesh\": \"box\", \"position\": [3, 1, 0], \"velocity\": [0, -1, 0]},"
        "{\"mesh\": \"box\", \"position\": [50, 1, 0], \"gravity_scale\": 0}],"
        "\"rules\": [{\"reinsert\": {\"below\": 0, \"position\": [0, 10, 0], \"velocity\": [0, -2, 0]}}]}");
    bool back = false;
    for (int i = 0; i < 40 && !back; ++i) {
        assert_int_equal(td_step_scene(NULL, scene), TD_OK);
        const td_body_state first = test_body(scene, 0), second = test_body(scene, 1);
        assert_true(first.centre[1] >= 0 && second.centre[1] >= 0);
        back = first.centre[1] > 5;
        if (back) {
            assert_true(first.pose.position[1] == 10 && first.velocity[1] == -2);
            assert_true(second.pose.position[0] == 0 && second.velocity[1] == -2);
            assert_true(second.pose.position[1] >= 10 + first.radius + second.radius - 1e-9);
            assert_true(second.pose.position[1] < 10 + 2.1 * (first.radius + second.radius));
        }
    }
    assert_true(back);
    assert_true(test_body(scene, 2).pose.position[1] == 1);
    td_destroy_scene(scene);
    // Without a position it is the start.
    scene = test_scene(
        *state, TEST_HEAD TEST_BOX
        ", \"step\": 0.05, \"bodies\": [{\"mesh\": \"box\", \"position\": [0, 1, 0], \"spin\": [0, 3, 0]}],"
        "\"rules\": [{\"reinsert\": {\"below\": -1}}]}");
    back = false;
    for (int i = 0; i < 100 && !back; ++i) {
        assert_int_equal(td_step_scene(NULL, scene), TD_OK);
        const td_body_state body = test_body(scene, 0);
        back = i > 5 && body.pose.position[1] == 1;
        assert_true(!back || (body.velocity[1] == 0 && body.spin[1] == 3));
    }
    assert_true(back);
    td_destroy_scene(scene);
}

// ---------------------------------------------------------------------------------------------------------

// Wherever memory runs out, that is told and nothing is left behind.
static void test_memory_runs_out(void **state) {
    (void)state;
    static const char text[] =
        TEST_HEAD TEST_BOX ", \"bodies\": [{\"name\": \"a\", \"mesh\": \"box\", \"group\": [\"g\"], "
                           "\"grid\": {\"count\": [3, 2, 1], \"spacing\": [2, 2, 2]}}], "
                           "\"rules\": [{\"reinsert\": {\"below\": 0}}]}";
    test_heap heap = {0};
    td_context_def context_def = td_default_context_def();
    context_def.thread_count = 1;
    context_def.allocator = test_heap_allocator(&heap);
    test_heap_recover(&heap);
    td_context *context = NULL;
    assert_int_equal(td_create_context(&context, &context_def), TD_OK);
    const long blocks = heap.blocks;
    const td_scene_def def = td_default_scene_def();
    long call = 0;
    for (;; ++call) {
        td_scene *scene = NULL;
        test_heap_fail(&heap, call, call + 1);
        const td_result result = test_parse(&scene, context, text, &def);
        const bool failed = heap.failures > 0;
        test_heap_recover(&heap);
        if (!failed) {
            assert_int_equal(result, TD_OK);
            td_destroy_scene(scene);
            assert_int_equal(heap.blocks, blocks);
            break;
        }
        assert_int_equal(result, TD_ERROR_MEMORY);
        assert_null(scene);
        assert_int_equal(heap.blocks, blocks);
        heap.failures = 0;
    }
    assert_true(call > 10);
    assert_int_equal(heap.mistakes, 0);
    td_destroy_context(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),     cmocka_unit_test(test_text_gives_the_same_scene),
        cmocka_unit_test(test_builtin_scenes), cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_grids),          cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_fitted_meshes),  cmocka_unit_test(test_files),
        cmocka_unit_test(test_reinsertion),    cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
