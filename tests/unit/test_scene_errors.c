// Scenes: what is said where they are wrong.
#include "test_scene_support.h"

#include <stdio.h>

static void test_refuses(void **state) {
    static const char *const rows[][2] = {
        {"", "1:1: this is no JSON"},
        {"{\n  \"tandem\": 1,\n  \"step\" 3}", "3:10: this is no JSON"},
        {TEST_PLAIN " x", "expected nothing behind the end of the scene"},
        {"[]", "expected a scene: an object with \"tandem\": 1"},
        {"{}", "expected a scene"},
        {"{\"tandem\": 2}", "tandem: expected 1"},
        {"{\"tandem\": \"1\"}", "tandem: expected 1"},
        {TEST_HEAD TEST_BODY "}", "bodies[0].mesh: there is no mesh \"box\" in this scene"},
        {TEST_HEAD TEST_BOX "}", "expected \"bodies\""},
        {TEST_HEAD TEST_BOX ", \"bodies\": []}", "bodies: expected at least one body"},
        {TEST_HEAD TEST_BOX ", \"bodies\": {}}", "bodies: expected an array, got an object"},
        {TEST_HEAD TEST_BOX ", \"bodies\": [3]}", "bodies[0]: expected an object, got 3"},
        {TEST_HEAD TEST_BOX ", \"bodies\": [{}]}", "bodies[0]: expected a \"mesh\""},
        {TEST_HEAD TEST_BOX ", \"bodies\": [{\"mesh\": \"bax\"}]}", "did you mean \"box\"?"},
        {TEST_HEAD TEST_BOX ", \"bodys\": []}", "bodys: unknown key: did you mean \"bodies\"?"},
        {TEST_HEAD TEST_BOX ", " TEST_BODY ", " TEST_BODY "}", "bodies: the key is there twice"},
        {TEST_HEAD "\"xyzzy\": 1}", "xyzzy: unknown key: expected one of tandem, name"},
        {TEST_HEAD "\"step\": 0, " TEST_BOX ", " TEST_BODY "}",
         "step: expected a number of seconds, > 0 and at most 1"},
        {TEST_HEAD "\"step\": 1.5, " TEST_BOX ", " TEST_BODY "}", "got 1.5"},
        {TEST_HEAD "\"step\": 1e999, " TEST_BOX ", " TEST_BODY "}", "step: expected"},
        {TEST_HEAD "\"substeps\": 0, " TEST_BOX ", " TEST_BODY "}",
         "substeps: expected a whole number from 1 to 1000"},
        {TEST_HEAD "\"gravity\": -9.81, " TEST_BOX ", " TEST_BODY "}",
         "gravity: expected an array of 3 numbers, got -9.81"},
        {TEST_HEAD "\"gravity\": [0, \"g\", 0], " TEST_BOX ", " TEST_BODY "}",
         "gravity[1]: expected a number between"},
        {TEST_HEAD "\"gravity\": [0, \"$g\", 0], " TEST_BOX ", " TEST_BODY "}",
         "gravity[1]: the parameter \"$g\" is not declared"},
        {TEST_HEAD "\"parameters\": {\"size\": 1}, \"gravity\": [0, \"$sise\", 0], " TEST_BOX ", " TEST_BODY
                   "}",
         "did you mean \"$size\"?"},
        {TEST_HEAD "\"parameters\": {\"a b\": 1}, " TEST_BOX ", " TEST_BODY "}",
         "parameters.a b: expected a name of letters"},
        {TEST_HEAD "\"parameters\": {\"a\": \"$a\"}, " TEST_BOX ", " TEST_BODY "}",
         "parameters.a: the parameter \"$a\" is not declared"},
        {TEST_HEAD "\"parameters\": {\"a\": 1, \"a\": 2}, " TEST_BOX ", " TEST_BODY "}",
         "parameters.a: the name is there twice"},
        {TEST_HEAD "\"parameters\": [1], " TEST_BOX ", " TEST_BODY "}",
         "parameters: expected an object, got an array of 1"},
        {TEST_HEAD "\"continuous\": 1, " TEST_BOX ", " TEST_BODY "}",
         "continuous: expected true or false, got 1"},
        {TEST_HEAD "\"name\": null, " TEST_BOX ", " TEST_BODY "}", "name: expected a text, got null"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"shape\": \"bax\"}}, " TEST_BODY "}",
         "meshes.box.shape: there is no shape \"bax\""},
        {TEST_HEAD "\"meshes\": {\"box\": {}}, " TEST_BODY "}",
         "meshes.box: expected one of \"shape\", \"file\""},
        {TEST_HEAD "\"meshes\": {\"box\": {\"shape\": \"box\", \"file\": \"a\"}}, " TEST_BODY "}",
         "meshes.box: expected one of"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"file\": \"a.obj\", \"subdivide\": 1}}, " TEST_BODY "}",
         "only a shape can be subdivided"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"file\": \"no_such_file.obj\"}}, " TEST_BODY "}",
         "meshes.box.file: no_such_file.obj: cannot be opened"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"shape\": \"box\", \"subdivide\": 13}}, " TEST_BODY "}",
         "subdivide: expected a whole number from 0 to 12"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"shape\": \"box\", \"scale\": -1}}, " TEST_BODY "}",
         "meshes.box.scale: expected a number > 0, got -1"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"shape\": \"box\", \"scale\": [1, 1]}}, " TEST_BODY "}",
         "expected an array of 3 numbers, got an array of 2"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"vertices\": [], \"triangles\": []}}, " TEST_BODY "}",
         "meshes.box.vertices: expected at least one"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"vertices\": [[0, 0, 0]]}}, " TEST_BODY "}",
         "meshes.box: expected one of"},
        {TEST_HEAD
         "\"meshes\": {\"box\": {\"vertices\": [[0, 0, 0]], \"triangles\": [[0, 0, 1]]}}, " TEST_BODY "}",
         "meshes.box.triangles[0][2]: expected a whole number from 0 to 0, got 1"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"vertices\": [[0, 0]], \"triangles\": [[0, 0, 0]]}}, " TEST_BODY
                   "}",
         "meshes.box.vertices[0]: expected an array of 3 numbers"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"vertices\": [[0, 0, 0]], \"triangles\": [[0, 0]]}}, " TEST_BODY
                   "}",
         "meshes.box.triangles[0]: expected a triangle"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"vertices\": [[0, 0, 0]], \"triangles\": [[0, 0, 0]], \"fit\": "
                   "1}}, " TEST_BODY "}",
         "a mesh of no size cannot be fitted"},
        {TEST_HEAD "\"meshes\": {\"box\": {\"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], \"triangles\": "
                   "[[0, 1, 2]]}}, " TEST_BODY "}",
         "bodies[0]: "},
        {TEST_HEAD "\"meshes\": {\"\": {\"shape\": \"box\"}}, " TEST_BODY "}",
         "meshes: expected a name, got \"\""},
        {TEST_HEAD TEST_BOX ", \"materials\": {\"a\": {\"weight\": 1}}, " TEST_BODY "}",
         "materials.a.weight: unknown key"},
        {TEST_HEAD TEST_BOX ", \"materials\": {\"a\": {\"density\": -1}}, " TEST_BODY "}",
         "materials.a.density: expected a number > 0, got -1"},
        {TEST_HEAD TEST_BOX ", \"rules\": [{}], " TEST_BODY "}", "rules[0]: expected \"reinsert\""},
        {TEST_HEAD TEST_BOX ", \"rules\": [{\"reinsert\": {}}], " TEST_BODY "}",
         "rules[0].reinsert: expected \"below\""},
        {TEST_HEAD TEST_BOX ", \"rules\": [{\"reinsert\": {\"below\": 0, \"grid\": {}}}], " TEST_BODY "}",
         "rules[0].reinsert.grid: expected a \"position\" beside it"},
    };
    const td_scene_def def = td_default_scene_def();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        test_refused_with(*state, rows[i][0], &def, rows[i][1]);
    }
}

// The fields of a body.
static void test_refuses_bodies(void **state) {
    static const char *const rows[][2] = {
        {"\"density\": -1", "bodies[0].density: expected a number > 0, got -1"},
        {"\"density\": 0", "bodies[0].density: expected a number > 0, got 0"},
        {"\"density\": 1e13", "bodies[0].density: expected a number up to 1e12, got 10000000000000"},
        {"\"density\": true", "bodies[0].density: expected a number > 0, got true"},
        {"\"density\": [1, 2]", "bodies[0].density: expected a number > 0, got an array of 2"},
        {"\"mass\": -3", "bodies[0].mass: expected a number > 0, got -3"},
        {"\"friction\": -0.5", "bodies[0].friction: expected a number >= 0, got -0.5"},
        {"\"restitution\": 1.5", "bodies[0].restitution: expected a number from 0 to 1, got 1.5"},
        {"\"velocity\": [0, 1e400, 0]",
         "bodies[0].velocity[1]: expected a number up to 1e12, got a number beyond"},
        {"\"velocity\": [0, -1e400, 0]",
         "bodies[0].velocity[1]: expected a number between -1e12 and 1e12, got a number beyond"},
        {"\"velocity\": [0, NaN, 0]", "x.json:1:"},
        {"\"kind\": \"statik\"",
         "bodies[0].kind: expected \"dynamic\", \"static\", \"kinematic\" or \"soft\", got \"statik\""},
        {"\"kind\": \"static\", \"velocity\": [0, 0, 0]", "bodies[0].velocity: a static body does not move"},
        {"\"rotation\": [0, 0, 0, 2]",
         "bodies[0].rotation: expected a quaternion of norm 1, got one of norm 2"},
        {"\"rotation\": [0, 0, 1]", "bodies[0].rotation: expected a quaternion [x, y, z, w] or"},
        {"\"rotation\": {\"axis\": [0, 0, 0], \"degrees\": 5}",
         "bodies[0].rotation.axis: expected a direction"},
        {"\"rotation\": {\"axis\": [0, 1, 0]}", "bodies[0].rotation: expected an \"axis\" and \"degrees\""},
        {"\"rotation\": {\"angle\": 5}", "bodies[0].rotation.angle: unknown key"},
        {"\"positon\": [0, 0, 0]", "bodies[0].positon: unknown key: did you mean \"position\"?"},
        {"\"material\": \"stone\"", "bodies[0].material: there is no material \"stone\" in this scene"},
        {"\"group\": \"a\"", "bodies[0].group: expected an array, got \"a\""},
        {"\"group\": [32]", "bodies[0].group[0]: expected a whole number from 0 to 31, got 32"},
        {"\"collides_with\": [\"b\"]", "bodies: bodies collide with the group \"b\", but none is in it"},
        {"\"grid\": {\"spacing\": [1, 1, 1]}", "bodies[0].grid: expected a \"count\""},
        {"\"grid\": {\"count\": [1, 1, 1]}", "bodies[0].grid: expected a \"spacing\""},
        {"\"grid\": {\"count\": [1, 1], \"spacing\": [1, 1, 1]}",
         "bodies[0].grid.count: expected an array of 3"},
        {"\"grid\": {\"count\": [2, 2, 2], \"spacing\": [1, 1, 1], \"total\": 9}",
         "bodies[0].grid.total: 9 do not fit: the grid has 8 places"},
        {"\"grid\": {\"count\": [1000000, 1000000, 1000000], \"spacing\": [1, 1, 1]}",
         "bodies[0].grid: 1000000000000000000 are too many"},
        {"\"name\": \"a\"}, {\"mesh\": \"box\", \"name\": \"a\"", "bodies: two of them have the name \"a\""},
    };
    const td_scene_def def = td_default_scene_def();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char text[1024];
        snprintf(text, sizeof text, TEST_HEAD TEST_BOX ", \"bodies\": [{\"mesh\": \"box\", %s}]}",
                 rows[i][0]);
        test_refused_with(*state, text, &def, rows[i][1]);
    }
}

static void test_refuses_deep_nesting(void **state) {
    enum { depth = 100000 };
    char *text = malloc(2 * depth + 64);
    assert_non_null(text);
    snprintf(text, 64, "{\"tandem\": ");
    memset(text + strlen(text), '[', depth);
    text[11 + depth] = 0;
    const td_scene_def def = td_default_scene_def();
    test_refused_with(*state, text, &def, "nested too deeply");
    free(text);
}

static void test_refuses_definitions(void **state) {
    td_scene *scene = NULL;
    td_scene_def def = td_default_scene_def();
    assert_int_equal(td_load_scene(&scene, *state, "cowz", &def), TD_ERROR_FILE);
    assert_non_null(
        strstr(td_error_message(), "cowz: there is no such file, and no such scene among arch, "));
    assert_non_null(strstr(td_error_message(), "did you mean cows?"));
    assert_int_equal(td_load_scene(&scene, *state, "no/such.json", &def), TD_ERROR_FILE);
    assert_int_equal(td_load_scene(NULL, *state, "cows", &def), TD_ERROR_ARGUMENT);
    assert_int_equal(td_parse_scene(&scene, *state, NULL, 0, "x", NULL, &def), TD_ERROR_ARGUMENT);
    assert_int_equal(td_step_scene(NULL, NULL), TD_ERROR_ARGUMENT);
    const char *const meshes[] = {"bax=other.obj"};
    def.meshes = meshes;
    def.mesh_count = 1;
    test_refused_with(*state, TEST_PLAIN, &def, "has no mesh \"bax\", which was to be read from other.obj");
    const char *const wrong[] = {"box"};
    def.meshes = wrong;
    test_refused_with(*state, TEST_PLAIN, &def, "expected \"name=file\" for a mesh, got \"box\"");
    def = (td_scene_def){0};
    assert_int_equal(td_load_scene(&scene, *state, "cows", &def), TD_ERROR_ARGUMENT);
    assert_non_null(strstr(td_error_message(), "td_default_scene_def"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_refuses_bodies),
        cmocka_unit_test(test_refuses_deep_nesting),
        cmocka_unit_test(test_refuses_definitions),
    };
    return cmocka_run_group_tests(tests, test_make_context, test_drop_context);
}
