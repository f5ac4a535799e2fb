// The elementary tests of continuous collision, for callers.
#include "../core/error.h"
#include "../predicates/moving_decide.h"

#include <math.h>

const char *td_feature_pair_name(td_feature_pair pair) {
    return pair == TD_PAIR_VERTEX_FACE ? "vertex-face" : pair == TD_PAIR_EDGE_EDGE ? "edge-edge" : "unknown";
}

td_moving_def td_default_moving_def(void) {
    return (td_moving_def){.cookie = TD_COOKIE_MOVING};
}

static td_result td_read_points(td_moving_points *points, const double *positions, size_t index) {
    for (int i = 0; i < 24; ++i) {
        if (!isfinite(positions[i])) {
            return td_fail(
                TD_ERROR_ARGUMENT,
                "positions of test %zu: coordinate %d of point %d at t = %d is %g; expected a finite "
                "number",
                index, i % 3, i / 3 % 4, i / 12, positions[i]);
        }
    }
    for (int i = 0; i < 8; ++i) {
        const double *p = positions + 3 * i;
        points->at[i / 4][i % 4] = td_vec3_make(p[0], p[1], p[2]);
    }
    return TD_OK;
}

td_result td_test_moving_batch(td_moving_contact *out, td_context *context, const td_moving_def *def,
                               td_feature_pair pair, const double *positions, size_t count) {
    TD_TRY(td_check_moving_def(def));
    if (pair != TD_PAIR_VERTEX_FACE && pair != TD_PAIR_EDGE_EDGE) {
        return td_fail(TD_ERROR_ARGUMENT, "no kind of test has the number %d", (int)pair);
    }
    for (size_t i = 0; i < count; ++i) {
        td_moving_points points;
        TD_TRY(td_read_points(&points, positions + 24 * i, i));
        TD_TRY(td_decide_moving(&out[i], context, &points, (int)pair, def));
    }
    return TD_OK;
}

td_result td_test_vertex_face(td_moving_contact *out, td_context *context, const td_moving_def *def,
                              const double positions[24]) {
    return td_test_moving_batch(out, context, def, TD_PAIR_VERTEX_FACE, positions, 1);
}

td_result td_test_edge_edge(td_moving_contact *out, td_context *context, const td_moving_def *def,
                            const double positions[24]) {
    return td_test_moving_batch(out, context, def, TD_PAIR_EDGE_EDGE, positions, 1);
}
