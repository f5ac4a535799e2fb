// Runs ten steps of a built-in scene.
#include <tandem/scene.h>

#include <stdio.h>

int main(void) {
    const td_context_def context_def = td_default_context_def();
    const td_scene_def def = td_default_scene_def();
    td_context *context = NULL;
    td_scene *scene = NULL;
    bool done = td_create_context(&context, &context_def) == TD_OK &&
                td_load_scene(&scene, context, "dominoes", &def) == TD_OK;
    td_step_report report = {0};
    for (int i = 0; i < 10 && done; ++i) {
        done = td_step_scene(&report, scene) == TD_OK;
    }
    if (done) {
        printf("dominoes: %u bodies, %.2f s\n", report.bodies, report.time);
    } else {
        fprintf(stderr, "%s\n", td_error_message());
    }
    td_destroy_scene(scene);
    td_destroy_context(context);
    return done ? 0 : 2;
}
