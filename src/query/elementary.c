// The elementary tests of continuous collision, for callers.
#include "../core/context.h"
#include "../core/error.h"
#include "../predicates/moving_decide.h"
#include "../predicates/moving_look.h"

#include <math.h>

enum { TD_LOOK_FROM = 4 }; // tests of a batch: fewer are as fast one after the other

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
    // Several at a time are looked at before one after the other is decided: the answers are the same.
    td_moving_look_fn *look = NULL;
    if (def->separation == 0.0 && count >= TD_LOOK_FROM) {
        look = td_moving_look_for(context != NULL ? context->isa : td_widest_isa());
    }
    for (size_t first = 0; first < count; first += TD_MOVING_LOOK) {
        const size_t left = count - first, some = left < TD_MOVING_LOOK ? left : TD_MOVING_LOOK;
        const uint32_t apart = look != NULL ? look(positions + 24 * first, some, (int)pair) : 0;
        for (size_t i = first; i < first + some; ++i) {
            if (apart >> (i - first) & 1u) {
                out[i] = (td_moving_contact){.touching = false, .certain = true, .time = 1.0};
                continue;
            }
            td_moving_points points;
            TD_TRY(td_read_points(&points, positions + 24 * i, i));
            TD_TRY(td_decide_moving(&out[i], context, &points, (int)pair, def));
        }
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
