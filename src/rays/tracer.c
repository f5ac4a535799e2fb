// Ray-traced contacts as callers ask for them: definitions, life, and the order of the stages.
#include "tracer.h"

#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../device/device.h"

td_tracer_def td_default_tracer_def(void) {
    return (td_tracer_def){.cookie = TD_COOKIE_TRACER,
                           .iterative = true,
                           .prediction = TD_PREDICT_PAIRS,
                           .confidence = 1.25,
                           .margin = 0.01};
}

const char *td_traced_algorithm_name(td_traced_algorithm algorithm) {
    switch (algorithm) {
    case TD_TRACED_BVH:
        return "bvh";
    case TD_TRACED_BASIC:
        return "basic";
    case TD_TRACED_ITERATIVE:
        return "iterative";
    }
    return "unknown";
}

static bool td_is_full(td_traced_algorithm algorithm) {
    return algorithm == TD_TRACED_BVH || algorithm == TD_TRACED_BASIC;
}

static td_result td_check_tracer_def(const td_context *context, const td_tracer_def *def) {
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_TRACER, "td_default_tracer_def"));
    if (!td_is_full(def->rigid) || !td_is_full(def->deformable)) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "the full algorithms are %d and %d: expected TD_TRACED_BVH or _BASIC", (int)def->rigid,
                       (int)def->deformable);
    }
    if ((unsigned)def->prediction > TD_PREDICT_LAST || (unsigned)def->shortfall > TD_SHORTFALL_IGNORE) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "prediction %d and shortfall %d: expected constants TD_PREDICT_x and "
                       "TD_SHORTFALL_x",
                       (int)def->prediction, (int)def->shortfall);
    }
    if (!(def->confidence >= 1 && def->confidence <= 1e6)) {
        return td_fail(TD_ERROR_ARGUMENT, "confidence is %g: expected at least 1", def->confidence);
    }
    if (!(def->margin > 0 && def->margin <= 1)) {
        return td_fail(TD_ERROR_ARGUMENT, "margin is %g: expected parts of the radius, above 0 and up to 1",
                       def->margin);
    }
    if (!(def->touch >= 0 && def->touch <= 0.1)) {
        return td_fail(TD_ERROR_ARGUMENT, "touch is %g: expected parts of the radius, 0 up to 0.1",
                       def->touch);
    }
    if (!(def->reach >= 0 && def->reach <= 1)) {
        return td_fail(TD_ERROR_ARGUMENT, "reach is %g: expected parts of the radius, 0 up to 1", def->reach);
    }
    if (def->device != NULL) {
        if (td_device_context(def->device) != context) {
            return td_fail(TD_ERROR_ARGUMENT, "the device and the tracer are of different contexts");
        }
        if (!td_device_has_float64(def->device)) {
            return td_fail(TD_ERROR_UNSUPPORTED,
                           "tracing needs float64, which the device does not have or may not use");
        }
        if (def->brute) {
            return td_fail(TD_ERROR_UNSUPPORTED, "contacts are traced by brute force natively only");
        }
    }
    return TD_OK;
}

td_result td_create_tracer(td_tracer **out, td_context *context, const td_tracer_def *def) {
    *out = NULL;
    TD_TRY(td_check_tracer_def(context, def));
    td_tracer *tracer = TD_NEW(context, td_tracer, 1);
    if (tracer == NULL) {
        return TD_ERROR_MEMORY;
    }
    *tracer = (td_tracer){.context = context, .def = *def, .worker_count = context->worker_count};
    td_result result = td_create_query(&tracer->query, context);
    if (result == TD_OK) {
        tracer->workers = TD_NEW(context, td_ray_worker, tracer->worker_count);
        result = tracer->workers != NULL ? TD_OK : TD_ERROR_MEMORY;
    }
    if (tracer->workers != NULL) {
        for (uint32_t i = 0; i < tracer->worker_count; ++i) {
            tracer->workers[i] = (td_ray_worker){0};
        }
    }
    if (result == TD_OK && def->device != NULL) {
        result = td_create_trace_device(tracer);
    }
    if (result != TD_OK) {
        td_destroy_tracer(tracer);
        return result;
    }
    *out = tracer;
    return TD_OK;
}

static void td_release_pair(td_context *context, td_pair_memory *pair) {
    for (int s = 0; s < 2; ++s) {
        td_array_release(context, &pair->side[s].tracks);
        td_array_release(context, &pair->side[s].hits);
    }
    TD_DELETE(context, td_pair_memory, pair, 1);
}

void td_destroy_tracer(td_tracer *tracer) {
    if (tracer == NULL) {
        return;
    }
    td_context *context = tracer->context;
    td_forget_pairs(tracer);
    for (size_t i = 0; i < tracer->spare.count; ++i) {
        td_release_pair(context, tracer->spare.items[i]);
    }
    for (size_t i = 0; i < tracer->sides.capacity; ++i) {
        td_array_release(context, &tracer->sides.items[i].fresh);
    }
    for (size_t i = 0; i < tracer->shapes.count; ++i) {
        td_ray_shape_destroy(tracer->shapes.items[i]);
        TD_DELETE(context, td_ray_shape, tracer->shapes.items[i], 1);
    }
    for (uint32_t i = 0; tracer->workers != NULL && i < tracer->worker_count; ++i) {
        for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
            td_array_release(context, &tracer->workers[i].lists[k]);
        }
    }
    TD_DELETE(context, td_ray_worker, tracer->workers, tracer->worker_count);
    for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
        td_array_release(context, &tracer->lists[k]);
    }
    td_array_release(context, &tracer->shapes);
    td_array_release(context, &tracer->pairs);
    td_array_release(context, &tracer->new_pairs);
    td_array_release(context, &tracer->spare);
    td_array_release(context, &tracer->objects);
    td_array_release(context, &tracer->sides);
    td_array_release(context, &tracer->contacts);
    td_array_release(context, &tracer->crossings);
    td_array_release(context, &tracer->asked);
    td_array_release(context, &tracer->answers);
    td_destroy_trace_device(tracer);
    td_destroy_query(tracer->query);
    TD_DELETE(context, td_tracer, tracer, 1);
}

void td_forget_traced(td_tracer *tracer) {
    td_forget_pairs(tracer);
    td_forget_trace_device(tracer);
    tracer->has_last = false;
}

// ---------------------------------------------------------------------------------------------------------
// A step

static td_result td_run_stages(td_tracer *tracer) {
    if (tracer->device != NULL) {
        TD_TRY(td_run_on_trace_device(tracer));
    } else {
        double at = td_clock_ms();
        td_run_pair_step(tracer);
        tracer->report.pair_ms = td_clock_ms() - at;
        TD_TRY(td_run_vertex_step(tracer)); // the naive way casts rays in it
        if (!tracer->def.naive) {
            td_run_ray_step(tracer);
        }
    }
    const double at = td_clock_ms();
    TD_TRY(td_run_finish(tracer));
    if (tracer->def.edges) {
        TD_TRY(td_trace_crossings(tracer));
    }
    tracer->report.finish_ms = td_clock_ms() - at;
    return TD_OK;
}

td_result td_trace(td_traced_result *out, td_tracer *tracer, const td_traced_object *objects,
                   size_t object_count, const td_traced_pair *pairs, size_t pair_count) {
    const double start = td_clock_ms();
    *out = (td_traced_result){0};
    tracer->report = (td_traced_report){0};
    ++tracer->step;
    td_result result = td_prepare_step(tracer, objects, object_count, pairs, pair_count);
    tracer->report.prepare_ms = td_clock_ms() - start;
    if (result == TD_OK) {
        result = td_run_stages(tracer);
    }
    if (result != TD_OK) {
        td_forget_traced(tracer);
        return result;
    }
    for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
        tracer->last_count[k] = tracer->report.rays[k];
    }
    tracer->last_pairs = pair_count;
    tracer->has_last = true;
    tracer->report.contacts = tracer->contacts.count;
    tracer->report.total_ms = td_clock_ms() - start;
    *out = (td_traced_result){.contacts = tracer->contacts.items,
                              .contact_count = tracer->contacts.count,
                              .crossings = tracer->crossings.items,
                              .crossing_count = tracer->crossings.count,
                              .report = tracer->report};
    return TD_OK;
}
