// Questions put to a device: all in one batch, or, with a front, one after the other. What float32 is of no
// use for is answered natively.
#include "../core/clock.h"
#include "../core/error.h"
#include "collision.h"
#include "front.h"

td_mesh_stamp td_mesh_stamp_of(const td_mesh *mesh) {
    return (td_mesh_stamp){mesh->identity, mesh->structure, mesh->refits};
}

td_result td_query_ready_device(td_query *query, td_device *device) {
    if (query->device_state != NULL && query->device_state->device == device) {
        return TD_OK;
    }
    td_device_state_destroy(query->device_state);
    query->device_state = NULL;
    return td_device_state_create(&query->device_state, device);
}

static void td_fill_question(td_device_question *out, const td_collision *collision, size_t index) {
    const td_object_pair pair = td_question(collision, index);
    out->frame = td_question_frame(collision, &pair);
    out->traversal = td_question_traversal(collision, &pair, &out->frame);
    out->stamp_a = td_mesh_stamp_of(pair.a);
    out->stamp_b = td_mesh_stamp_of(pair.b);
}

// Every pair of triangles, exactly: the rare question whose frame is neither apart nor usable.
static td_result td_answer_by_brute_force(td_device_batch *batch, td_worker *worker, uint32_t index) {
    const td_device_question *question = &batch->questions[index];
    const td_pair all = {0, question->traversal.mesh_a->triangle_count};
    td_traversal traversal = question->traversal;
    const size_t held = worker->pairs.count; // of questions before
    traversal.mode = TD_MODE_PAIRS;
    worker->counters = (td_counters){0};
    worker->count = 0;
    worker->result = TD_OK;
    td_strategy_brute.run(worker, &traversal, &all, 1);
    if (worker->result != TD_OK) {
        return td_fail(worker->result, "out of memory while collecting triangle pairs");
    }
    TD_TRY(td_array_reserve(traversal.context, &batch->hits, worker->pairs.count - held));
    for (size_t i = held; i < worker->pairs.count; ++i) {
        const td_pair pair = worker->pairs.items[i];
        batch->hits.items[batch->hits.count++] = (td_device_place){index, pair.a, pair.b};
    }
    worker->pairs.count = held;
    const uint64_t tests = worker->counters.triangle_tests;
    uint32_t *tallies = batch->tallies.items + (size_t)index * TD_TALLIES;
    for (int what = TD_TALLY_TRIANGLES; what <= TD_TALLY_EXACT; what += 2) {
        tallies[what] = (uint32_t)tests;
        tallies[what + 1] = (uint32_t)(tests >> 32);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// From hits in no order to an answer per question

static uint64_t td_tally(const uint32_t *tallies, int what) {
    return (uint64_t)tallies[what + 1] << 32 | tallies[what];
}

static td_counters td_counters_of(const td_device_batch *batch, size_t index) {
    const uint32_t *tallies = batch->tallies.items + index * TD_TALLIES;
    return (td_counters){
        .box_tests = td_tally(tallies, TD_TALLY_BOXES),
        .triangle_tests = td_tally(tallies, TD_TALLY_TRIANGLES),
        .exact_tests = td_tally(tallies, TD_TALLY_EXACT),
        .state_bits = tallies[TD_TALLY_STATE],
    };
}

// Some questions of a call, side by side, in one batch.
typedef struct td_device_asking {
    const td_collision *collision;
    td_device_batch batch;
    size_t first; // of the questions
} td_device_asking;

// Hits by question, in worker 0, behind those of questions before: places[q].first is where those of question
// q begin.
static td_result td_place_hits(const td_device_asking *asking) {
    td_query *query = asking->collision->query;
    const td_device_batch *batch = &asking->batch;
    td_worker *worker = &query->workers[0];
    td_place *places = query->places.items + asking->first;
    td_collide_result *out = asking->collision->out + asking->first;
    TD_TRY(td_array_reserve(query->context, &worker->pairs, batch->hits.count));
    for (size_t q = 0; q < batch->count; ++q) {
        places[q] = (td_place){0, 0};
        out[q].pair_count = 0;
    }
    for (size_t i = 0; i < batch->hits.count; ++i) {
        out[batch->hits.items[i].pair].pair_count++;
    }
    for (size_t q = 0, first = worker->pairs.count; q < batch->count; ++q) {
        places[q].first = first;
        first += out[q].pair_count;
        out[q].pair_count = 0;
    }
    for (size_t i = 0; i < batch->hits.count; ++i) {
        const td_device_place hit = batch->hits.items[i];
        const bool swapped = asking->collision->self && hit.a > hit.b;
        worker->pairs.items[places[hit.pair].first + out[hit.pair].pair_count++] =
            swapped ? (td_pair){hit.b, hit.a} : (td_pair){hit.a, hit.b};
    }
    return TD_OK;
}

static td_result td_answer_one(const td_device_asking *asking, size_t index) {
    const td_collision *collision = asking->collision;
    td_worker *worker = &collision->query->workers[0];
    const td_object_pair pair = td_question(collision, asking->first + index);
    td_collide_result *out = &collision->out[asking->first + index];
    const size_t first = collision->query->places.items[asking->first + index].first;
    uint64_t count = out->pair_count;
    worker->pairs.count = first + count; // what td_sort_answer sorts
    if (collision->def->mode != TD_MODE_COUNT) {
        TD_TRY(td_sort_answer(collision, worker, first, &pair));
    }
    if (collision->def->mode == TD_MODE_FIRST) {
        count = count > 0; // the lowest, which does not depend on the order of the work-items
    }
    td_fill_result(out, collision, &pair, &asking->batch.questions[index].frame, count,
                   td_counters_of(&asking->batch, index));
    return TD_OK;
}

static td_result td_take_times(td_query *query, td_device *device) {
    TD_TRY(td_device_finish(device));
    const td_device_times times = td_device_sum_times(device);
    query->times = (td_query_times){
        .boxes_ms = times.ms[TD_STAGE_BOXES],
        .collect_ms = times.ms[TD_STAGE_COLLECT],
        .triangles_ms = times.ms[TD_STAGE_TRIANGLES],
        .exact_ms = times.ms[TD_STAGE_EXACT],
        .refit_ms = times.ms[TD_STAGE_HIERARCHY],
        .copy_in_ms = times.ms[TD_STAGE_COPY_IN],
        .copy_out_ms = times.ms[TD_STAGE_COPY_OUT],
        .launches = times.launches,
        .bytes_in = times.bytes_in,
        .bytes_out = times.bytes_out,
    };
    return TD_OK;
}

static td_result td_ask(td_device_asking *asking) {
    const td_collision *collision = asking->collision;
    td_device_batch *batch = &asking->batch;
    const double begin = td_clock_ms();
    TD_TRY(td_device_progress(batch, 0));
    TD_TRY(td_device_run(batch, collision->strategy));
    for (uint32_t i = 0; i < batch->count; ++i) {
        if (!batch->questions[i].frame.usable && !batch->questions[i].frame.apart) {
            TD_TRY(td_answer_by_brute_force(batch, &collision->query->workers[0], i));
        }
    }
    TD_TRY(td_place_hits(asking));
    for (size_t i = 0; i < batch->count; ++i) {
        TD_TRY(td_answer_one(asking, i));
    }
    const double each = batch->count > 0 ? (td_clock_ms() - begin) / (double)batch->count : 0;
    for (size_t i = 0; i < batch->count; ++i) {
        collision->out[asking->first + i].ms = each; // they ran together
    }
    return td_device_progress(batch, batch->count);
}

static td_result td_ask_batch(const td_collision *collision, const td_device_question *questions,
                              size_t first, size_t count, td_device_front *front) {
    const td_collide_def *def = collision->def;
    const bool all = count == collision->count; // else the caller tells how far it has come
    td_device_asking asking = {.collision = collision,
                               .first = first,
                               .batch = {.state = collision->query->device_state,
                                         .questions = questions + first,
                                         .count = (uint32_t)count,
                                         .one_item_per_pair = def->one_item_per_pair,
                                         .progress = all ? def->progress : NULL,
                                         .progress_user = def->progress_user,
                                         .front = front}};
    const td_result result = td_ask(&asking);
    td_device_batch_release(&asking.batch, collision->query->context);
    return result;
}

// A question that starts where the one before it ended.
static td_result td_ask_at_front(const td_collision *collision, td_device_question *questions, size_t index) {
    td_front *front = collision->def->front;
    td_device_question *question = &questions[index];
    const td_object_pair pair = td_question(collision, index);
    const td_front_question step = {.traversal = &question->traversal, .a = pair.a, .b = pair.b};
    if (!td_device_takes(question)) {
        front->report = (td_front_report){.start = TD_FRONT_NONE, .entries = td_front_entries(front)};
        return td_ask_batch(collision, questions, index, 1, NULL);
    }
    TD_TRY(td_front_to_device(front, &step, collision->def->device, &question->traversal));
    const td_result result = td_ask_batch(collision, questions, index, 1, &front->away);
    return td_front_from_device(front, &step, result);
}

static td_result td_ask_all(const td_collision *collision, td_device_question *questions) {
    const td_collide_def *def = collision->def;
    if (def->front == NULL) {
        return td_ask_batch(collision, questions, 0, collision->count, NULL);
    }
    for (size_t i = 0; i < collision->count; ++i) {
        TD_TRY(td_report_progress(def, i, collision->count));
        TD_TRY(td_ask_at_front(collision, questions, i));
    }
    return td_report_progress(def, collision->count, collision->count);
}

td_result td_answer_on_device(const td_collision *collision) {
    td_query *query = collision->query;
    if (collision->count > UINT32_MAX / 2) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%zu questions in one call are more than a device takes",
                       collision->count);
    }
    TD_TRY(td_query_ready_device(query, collision->def->device));
    td_device_reset_times(collision->def->device);
    td_device_question *questions = TD_NEW(query->context, td_device_question, collision->count);
    if (questions == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (size_t i = 0; i < collision->count; ++i) {
        td_fill_question(&questions[i], collision, i);
        questions[i].traversal.frame = &questions[i].frame;
    }
    query->workers[0].pairs.count = 0;
    td_result result = td_ask_all(collision, questions);
    result = result == TD_OK ? td_take_times(query, collision->def->device) : result;
    if (result == TD_OK) {
        td_give_out_pairs(collision);
    }
    TD_DELETE(query->context, td_device_question, questions, collision->count);
    return result;
}
