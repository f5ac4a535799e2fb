// The smallest useful program: do two tori, one placed aside, intersect, and where?
#include <tandem/tandem.h>

#include <stdio.h>

static int report(const char *what) {
    fprintf(stderr, "%s: %s\n", what, td_error_message());
    return 2;
}

int main(void) {
    const td_context_def context_def = td_default_context_def();
    td_context *context = NULL;
    if (td_create_context(&context, &context_def) != TD_OK) {
        return report("context");
    }
    int status = 0;
    td_mesh *torus = NULL;
    td_query *query = NULL;
    if (td_create_shape(&torus, context, "torus", 1) != TD_OK) {
        status = report("torus");
    } else if (td_create_query(&query, context) != TD_OK) {
        status = report("query");
    } else {
        const td_collide_def def = td_default_collide_def();
        td_pose pose = td_pose_identity();
        pose.position[0] = 0.25;
        td_collide_result result;
        if (td_collide(&result, query, torus, torus, &pose, &def) != TD_OK) {
            status = report("collide");
        } else {
            printf("tandem %s: %llu pairs\n", td_version(), (unsigned long long)result.pair_count);
            if (result.pair_count > 0) {
                printf("the first: %u, %u\n", result.pairs[0].a, result.pairs[0].b);
            }
            status = result.colliding ? 0 : 1;
        }
    }
    td_destroy_query(query);
    td_destroy_mesh(torus);
    td_destroy_context(context);
    return status;
}
