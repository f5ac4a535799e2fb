// Meshes whose vertices move along straight lines: what callers ask, and the order of its parts.
#include "continuous.h"

#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"

#include <math.h>
#include <string.h>

td_continuous_def td_default_continuous_def(void) {
    return (td_continuous_def){
        .cookie = TD_COOKIE_CONTINUOUS, .moving = td_default_moving_def(), .idle_share = 0.5};
}

td_result td_create_continuous(td_continuous **out, td_context *context) {
    *out = NULL;
    td_continuous *query = TD_NEW(context, td_continuous, 1);
    td_swept_worker *workers = TD_NEW(context, td_swept_worker, context->worker_count);
    if (query == NULL || workers == NULL) {
        TD_DELETE(context, td_continuous, query, 1);
        TD_DELETE(context, td_swept_worker, workers, context->worker_count);
        return TD_ERROR_MEMORY;
    }
    *query = (td_continuous){.context = context, .workers = workers, .worker_count = context->worker_count};
    memset(workers, 0, context->worker_count * sizeof *workers);
    *out = query;
    return TD_OK;
}

void td_destroy_continuous(td_continuous *query) {
    if (query == NULL) {
        return;
    }
    td_context *context = query->context;
    for (uint32_t i = 0; i < query->worker_count; ++i) {
        td_swept_worker_release(&query->workers[i], context);
    }
    for (int i = 0; i < 2; ++i) {
        td_features_release(&query->sides[i].features, context);
        td_array_release(context, &query->sides[i].paths);
        td_swept_release(&query->sides[i].swept, context);
        td_swept_tree_release(&query->sides[i].tree, context);
    }
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        td_array_release(context, &query->contacts[kind]);
    }
    td_swept_device_destroy(query->device_state);
    td_array_release(context, &query->spare);
    td_array_release(context, &query->starts);
    td_array_release(context, &query->node_starts);
    td_distributor_release(&query->distributor, context);
    td_array_release(context, &query->partial);
    TD_DELETE(context, td_swept_worker, query->workers, query->worker_count);
    TD_DELETE(context, td_continuous, query, 1);
}

// ---------------------------------------------------------------------------------------------------------------------

td_result td_check_continuous_def(td_continuous_way *way, const td_continuous *query,
                                  const td_continuous_def *def, bool self) {
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_CONTINUOUS, "td_default_continuous_def"));
    TD_TRY(td_check_moving_def(&def->moving));
    if (!(def->tolerance >= 0.0 && def->tolerance < INFINITY)) {
        return td_fail(TD_ERROR_ARGUMENT, "tolerance is %g; expected a finite number that is not negative",
                       def->tolerance);
    }
    if ((unsigned)def->mode > TD_CONTINUOUS_EARLIEST) {
        return td_fail(TD_ERROR_ARGUMENT, "no mode has the number %d", (int)def->mode);
    }
    way->self = self;
    return td_find_moving_strategy(way, query, def);
}

void td_begin_result(td_continuous_result *out, td_continuous *query) {
    *out = (td_continuous_result){.certain = true, .earliest = 1.0};
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        query->contacts[kind].count = 0;
    }
}

void td_give_out_edges(td_continuous_result *out, const td_continuous *query, bool self) {
    const td_features *a = &query->sides[0].features, *b = self ? a : &query->sides[1].features;
    out->edges_a = a->edges;
    out->edge_count_a = a->edge_count;
    out->edges_b = b->edges;
    out->edge_count_b = b->edge_count;
}

td_swept_question td_question_about(const td_continuous *query, const td_continuous_def *def, bool self,
                                    atomic_ullong *best_bits) {
    const td_continuous_side *a = &query->sides[0], *b = self ? a : &query->sides[1];
    const double never = INFINITY;
    unsigned long long bits;
    memcpy(&bits, &never, sizeof bits);
    atomic_init(best_bits, bits);
    return (td_swept_question){.context = query->context,
                               .a = &a->swept,
                               .b = &b->swept,
                               .features_a = &a->features,
                               .features_b = &b->features,
                               .frame = query->frame,
                               .self = self,
                               .mode = def->mode,
                               .moving = def->moving,
                               .best_bits = best_bits};
}

// ---------------------------------------------------------------------------------------------------------------------

td_result td_answer_straight(td_continuous_result *out, td_continuous *query, td_continuous_way *way,
                             const td_continuous_def *def, double start) {
    const td_moving_strategy *strategy = way->strategy;
    // Doubles within a budget may leave open what planes, diagonals and turned boxes decide; so that is left
    // to them.
    const bool exact = def->moving.separation == 0.0 && def->moving.budget == 0;
    const bool planes = exact && strcmp(strategy->name, "brute") != 0;
    way->volume = exact ? def->volume : TD_VOLUME_AABB;
    // Diagonals are for quads that are tested as such.
    const bool quads = def->device == NULL && (way->walks == NULL || way->walks == &td_strategy_front);
    TD_TRY(td_fit_sides(query, way->meshes, way->self ? 1 : 2, def->moving.separation, planes && quads));
    TD_TRY(td_fit_trees(query, way));
    const double fitted = td_clock_ms();
    atomic_ullong best_bits;
    td_swept_question question = td_question_about(query, def, way->self, &best_bits);
    question.decide = td_decide_linear;
    question.planes = planes;
    // What is not certain may be told much too early, and must be looked at to be told by everyone alike.
    question.cut = def->mode == TD_CONTINUOUS_EARLIEST && exact;
    TD_TRY(td_run_continuous(query, &question, def, way));
    TD_TRY(td_gather_contacts(out, query));
    TD_TRY(td_finish_contacts(out, query, def));
    td_give_out_edges(out, query, way->self);
    const double end = td_clock_ms();
    out->volume = way->volume;
    out->fit_ms = fitted - start;
    out->walk_ms = end - fitted;
    out->ms = end - start;
    return TD_OK;
}

// `b` is null for a mesh against itself.
static td_result td_answer_linear(td_continuous_result *out, td_continuous *query, const td_moving_mesh *a,
                                  const td_moving_mesh *b, const td_continuous_def *def) {
    const double start = td_clock_ms();
    td_continuous_way way;
    *out = (td_continuous_result){0};
    TD_TRY(td_check_continuous_def(&way, query, def, b == NULL));
    td_begin_result(out, query);
    TD_TRY(td_prepare_side(query, &query->sides[0], a, b == NULL ? "the mesh" : "A"));
    if (b != NULL) {
        TD_TRY(td_prepare_side(query, &query->sides[1], b, "B"));
    }
    way.meshes[0] = a->mesh;
    way.meshes[1] = b == NULL ? a->mesh : b->mesh;
    return td_answer_straight(out, query, &way, def, start);
}

td_result td_continuous_self(td_continuous_result *out, td_continuous *query, const td_moving_mesh *mesh,
                             const td_continuous_def *def) {
    return td_answer_linear(out, query, mesh, NULL, def);
}

td_result td_continuous_pair(td_continuous_result *out, td_continuous *query, const td_moving_mesh *a,
                             const td_moving_mesh *b, const td_continuous_def *def) {
    return td_answer_linear(out, query, a, b, def);
}
