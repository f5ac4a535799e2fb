// A question about meshes in motion, put to a device.
#include "continuous.h"

#include "../core/error.h"
#include "front.h"

static td_result td_ready_device(td_continuous *query, td_device *device) {
    if (query->device_state != NULL && query->device_state->device == device) {
        return TD_OK;
    }
    td_swept_device_destroy(query->device_state);
    query->device_state = NULL;
    return td_swept_device_create(&query->device_state, device);
}

static td_result td_walk_at_front(td_swept_run_state *run, const uint64_t serials[2], td_swept_walk *walk,
                                  const td_continuous_def *def, const td_continuous_way *way) {
    const td_front_question step = {
        .traversal = &walk->traversal, .a = way->meshes[0], .b = way->meshes[way->self ? 0 : 1]};
    TD_TRY(td_front_to_device(def->front, &step, def->device, &walk->traversal));
    run->front = &def->front->away;
    return td_front_from_device(def->front, &step, td_swept_walk_on_device(run, serials, walk, way->walks));
}

td_result td_run_continuous_on_device(td_continuous *query, const td_swept_question *question,
                                      const td_continuous_def *def, const td_continuous_way *way) {
    TD_TRY(td_ready_device(query, def->device));
    td_swept_run_state run = {.state = query->device_state,
                              .question = question,
                              .workers = query->workers,
                              .worker_count = query->worker_count,
                              .progress = def->progress,
                              .progress_user = def->progress_user};
    const uint64_t serials[2] = {query->sides[0].serial, query->sides[1].serial};
    if (way->walks == NULL) {
        TD_TRY(td_swept_run_on_device(&run, serials));
    } else {
        td_swept_walk walk;
        td_begin_walk(&walk, query, question, def, way);
        TD_TRY(def->front != NULL ? td_walk_at_front(&run, serials, &walk, def, way)
                                  : td_swept_walk_on_device(&run, serials, &walk, way->walks));
    }
    if (def->progress != NULL && !def->progress(1, 1, def->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "the query was cancelled");
    }
    return TD_OK;
}
