#include "query.h"

#include "command.h"
#include "core/clock.h"
#include "median.h"
#include "message.h"

#include <tandem/front.h>

#include <stdlib.h>
#include <string.h>

td_cli_query td_cli_default_query(void) {
    return (td_cli_query){.repeat = 1, .idle = 50};
}

void td_cli_query_options(td_cli_option *options, td_cli_query *query) {
    const td_cli_option own[TD_CLI_QUERY_OPTIONS] = {
        {.name = "--count", .flag = &query->count, .help = "count the pairs, do not list them"},
        {.name = "--first", .flag = &query->first, .help = "stop at the first pair found"},
        {.name = "--repeat",
         .argument = "N",
         .number = &query->repeat,
         .least = 1,
         .most = TD_CLI_REPEAT_MOST,
         .help = "ask N times and tell the median time"},
        {.name = "--sharing",
         .argument = "NAME",
         .text = &query->sharing,
         .help = "of strategy 'balanced' over threads: auto, queues or stealing"},
        {.name = "--idle",
         .argument = "PERCENT",
         .number = &query->idle,
         .least = 0,
         .most = 100,
         .help = "of the tasks, at which queues are balanced; default 50"},
        {.name = "--exit-code", .flag = &query->exit_code, .help = "exit with 1 if a collision is found"},
    };
    memcpy(options, own, sizeof own);
}

bool td_cli_query_check(const td_cli_query *query) {
    if (query->count && query->first) {
        td_cli_error("--count and --first exclude each other: expected one of them");
        return false;
    }
    td_sharing sharing;
    if (query->sharing && td_sharing_from_name(&sharing, query->sharing) != TD_OK) {
        td_cli_library_error("--sharing");
        return false;
    }
    return true;
}

typedef struct td_question {
    const td_cli_answer *answer;
    const td_collide_def *def;
    td_query *query;
    td_collide_result *results;
} td_question;

static td_result td_ask(const td_question *question) {
    const td_cli_answer *answer = question->answer;
    if (!answer->b) {
        return td_self_collide(question->results, question->query, answer->a->mesh, question->def);
    }
    if (answer->batch) {
        return td_collide_batch(question->results, question->query, answer->a->mesh, answer->b->mesh,
                                answer->poses, answer->count, question->def);
    }
    return td_collide(question->results, question->query, answer->a->mesh, answer->b->mesh, answer->poses,
                      question->def);
}

// The pairs of the last round stay valid as long as the query lives.
static bool td_ask_repeatedly(const td_question *question, uint32_t repeat, double *median) {
    double *times = malloc(repeat * sizeof *times);
    if (!times) {
        td_cli_error("out of memory");
        return false;
    }
    td_result result = TD_OK;
    for (uint32_t i = 0; i < repeat && result == TD_OK; ++i) {
        const double began = td_clock_ms();
        result = td_ask(question);
        times[i] = td_clock_ms() - began;
    }
    if (result == TD_OK) {
        *median = td_cli_median(times, repeat);
    } else {
        td_cli_library_error(NULL);
    }
    free(times);
    return result == TD_OK;
}

bool td_cli_query_run(td_cli_session *session, td_cli_query *query, td_cli_answer *answer,
                      td_collide_result *results, bool keep_degenerate, bool *colliding) {
    td_collide_def def = td_default_collide_def();
    def.mode = query->count ? TD_MODE_COUNT : query->first ? TD_MODE_FIRST : TD_MODE_PAIRS;
    def.strategy = td_cli_session_strategy(session);
    def.volume = session->bounding_volume;
    def.descent = session->descent_rule;
    def.device = session->opened_device;
    def.keep_degenerate = keep_degenerate;
    def.progress = td_cli_progress_function(&session->progress);
    def.progress_user = &session->progress;
    def.idle_share = query->idle / 100.0;
    if (query->sharing) {
        td_sharing_from_name(&def.sharing, query->sharing); // checked before
    }
    td_cli_progress_stage(&session->progress, "%s", answer->b ? "colliding" : "self-intersecting");
    td_question question = {.answer = answer, .def = &def, .results = results};
    const td_front_def front = td_default_front_def();
    const bool at_front = def.strategy && strcmp(def.strategy, "front") == 0;
    if (td_create_query(&question.query, session->context) != TD_OK ||
        (at_front && td_create_front(&def.front, session->context, &front) != TD_OK)) {
        td_cli_library_error(NULL);
        td_destroy_query(question.query);
        return false;
    }
    const bool success = td_ask_repeatedly(&question, query->repeat, &answer->query_ms);
    if (success) {
        answer->mode = def.mode;
        answer->repeat = query->repeat;
        answer->results = results;
        answer->times = td_last_times(question.query);
        *colliding = td_cli_answer_totals(answer).colliding > 0;
        td_cli_write_answer(session, answer);
    }
    td_destroy_front(def.front);
    td_destroy_query(question.query);
    return success;
}

int td_cli_query_status(const td_cli_query *query, bool success, bool colliding) {
    if (!success) {
        return TD_EXIT_ERROR;
    }
    return query->exit_code && colliding ? TD_EXIT_COLLISION : TD_EXIT_DONE;
}
