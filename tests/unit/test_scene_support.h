// What the tests of scenes share: a context, parsing a text, expecting a sentence, and pieces of scenes.
#ifndef TD_TESTS_SCENE_SUPPORT_H
#define TD_TESTS_SCENE_SUPPORT_H

#include "io/scene.h"
#include "test_io_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// From bytes that end where their memory ends, so that sanitizers see a read too far.
static inline td_result test_parse(td_scene **out, td_context *context, const char *text,
                                   const td_scene_def *def) {
    const size_t size = strlen(text);
    char *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size); // NOLINT(bugprone-not-null-terminated-result): no text ends here
    const td_result result = td_parse_scene(out, context, copy, size, "x.json", NULL, def);
    free(copy);
    return result;
}

static inline td_scene *test_scene_with(td_context *context, const char *text, const td_scene_def *def) {
    td_scene *scene = NULL;
    if (test_parse(&scene, context, text, def) != TD_OK) {
        fail_msg("%s", td_error_message());
    }
    return scene;
}

static inline td_scene *test_scene(td_context *context, const char *text) {
    const td_scene_def def = td_default_scene_def();
    return test_scene_with(context, text, &def);
}

static inline void test_refused_with(td_context *context, const char *text, const td_scene_def *def,
                                     const char *part) {
    td_scene *scene = NULL;
    const td_result result = test_parse(&scene, context, text, def);
    if (result == TD_OK) {
        fail_msg("was taken, but expected: %s", part);
    }
    if (strncmp(td_error_message(), "x.json:", 7) != 0 || strstr(td_error_message(), part) == NULL) {
        fail_msg("\"%s\", but expected: %s", td_error_message(), part);
    }
    assert_null(scene);
}

static inline td_body_state test_body(td_scene *scene, uint32_t place) {
    td_body_state state;
    td_world *world = td_scene_world(scene);
    assert_true(place < td_body_count(world));
    assert_int_equal(td_get_body(&state, world, td_body_at(world, place)), TD_OK);
    return state;
}

static inline void test_near(double a, double b) {
    if (!(fabs(a - b) <= 1e-12 * (1 + fabs(b)))) {
        fail_msg("%.17g, but expected %.17g", a, b);
    }
}

// A scene with one box, of which the named parts are written by the test.
#define TEST_BOX   "\"meshes\": {\"box\": {\"shape\": \"box\"}}"
#define TEST_BODY  "\"bodies\": [{\"mesh\": \"box\"}]"
#define TEST_HEAD  "{\"tandem\": 1, "
#define TEST_PLAIN TEST_HEAD TEST_BOX ", " TEST_BODY "}"

#endif
