// Scenes from bytes. Whatever they are, the answer is a scene that can be stepped, or a message that names
// it. What is kept as its text gives the same scene again.
#include "input.h"

#include <tandem/scene.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Memory enough for a small scene: numbers that ask for much come to nothing soon.
enum { FUZZ_MEMORY = 8 << 20, FUZZ_BODIES = 20 };

static size_t fuzz_used;

static void *fuzz_allocate(size_t size, size_t alignment, void *user) {
    (void)user;
    if (size > FUZZ_MEMORY - fuzz_used) {
        return NULL;
    }
    fuzz_used += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void fuzz_release(void *memory, size_t size, void *user) {
    (void)user;
    fuzz_used -= memory != NULL ? size : 0;
    free(memory);
}

static td_context *fuzz_context(void) {
    static td_context *context;
    if (context == NULL) {
        td_context_def def = td_default_context_def();
        def.thread_count = 1;
        def.allocator = (td_allocator){fuzz_allocate, fuzz_release, NULL};
        fuzz_require(td_create_context(&context, &def) == TD_OK, "no context");
    }
    return context;
}

// No file is read.
static td_result fuzz_read_mesh(td_mesh_arrays *out, td_context *context, const char *source, void *user) {
    (void)source;
    (void)user;
    static const char text[] = "OFF 4 4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
    const td_load_def def = td_default_load_def();
    return td_read_mesh_memory(out, context, text, sizeof text - 1, "a.off", &def);
}

static void fuzz_check(td_scene *scene, const td_scene_def *def) {
    td_world *world = td_scene_world(scene);
    fuzz_require(td_body_count(world) > 0, "a scene without bodies");
    fuzz_require(td_scene_step(scene) > 0 && td_scene_step(scene) <= 1, "a step out of range");
    for (uint32_t i = 0; i < td_body_count(world); ++i) {
        td_body_state state;
        fuzz_require(td_get_body(&state, world, td_body_at(world, i)) == TD_OK, "a body that is not there");
        fuzz_require(td_check_pose(&state.pose) == TD_OK, "a pose that is none");
    }
    const char *text = td_scene_text(scene);
    td_scene *again = NULL;
    const td_result result = td_parse_scene(&again, fuzz_context(), text, strlen(text), "again", NULL, def);
    if (result == TD_OK) {
        fuzz_require(strcmp(text, td_scene_text(again)) == 0, "another text");
        fuzz_require(td_hash_world(world) == td_hash_world(td_scene_world(again)), "another scene");
    } else {
        fuzz_require(result == TD_ERROR_MEMORY, "a text that is no scene");
    }
    td_destroy_scene(again);
    if (td_body_count(world) <= FUZZ_BODIES) {
        const td_result stepped = td_step_scene(NULL, scene);
        fuzz_require(stepped == TD_OK || stepped == TD_ERROR_MEMORY || stepped == TD_ERROR_NUMBERS ||
                         stepped == TD_ERROR_POSE,
                     "an odd result of a step");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    td_scene_def def = td_default_scene_def();
    def.read_mesh = fuzz_read_mesh;
    char *text = malloc(size > 0 ? size : 1); // ends where its memory ends
    fuzz_require(text != NULL, "no memory");
    memcpy(text, data, size);
    td_context *context = fuzz_context();
    const size_t before = fuzz_used;
    td_scene *scene = NULL;
    const td_result result = td_parse_scene(&scene, context, text, size, "a", NULL, &def);
    free(text);
    if (result == TD_OK) {
        fuzz_check(scene, &def);
        td_destroy_scene(scene);
    } else {
        fuzz_require(scene == NULL, "a failure with a scene");
        fuzz_require(result == TD_ERROR_MEMORY || td_error_message()[0] == 'a', "a message without the name");
    }
    fuzz_require(fuzz_used == before, "memory was left behind");
    return 0;
}
