#include "answer.h"

td_cli_totals td_cli_answer_totals(const td_cli_answer *answer) {
    td_cli_totals totals = {0};
    for (size_t i = 0; i < answer->count; ++i) {
        const td_collide_result *result = &answer->results[i];
        totals.pairs += result->pair_count;
        totals.colliding += result->colliding;
        totals.inside += result->inside != TD_INSIDE_NONE;
        totals.counters.box_tests += result->counters.box_tests;
        totals.counters.triangle_tests += result->counters.triangle_tests;
        totals.counters.exact_tests += result->counters.exact_tests;
        // Not sums: what the query holds for all of them, and the most that one of them had to remember.
        if (result->counters.bytes > totals.counters.bytes) {
            totals.counters.bytes = result->counters.bytes;
        }
        if (result->counters.state_bits > totals.counters.state_bits) {
            totals.counters.state_bits = result->counters.state_bits;
        }
    }
    return totals;
}

double td_cli_undecided_share(const td_counters *counters) {
    return counters->triangle_tests ? (double)counters->exact_tests / (double)counters->triangle_tests : 0;
}

double td_cli_answer_load_ms(const td_cli_answer *answer) {
    return answer->a->load_ms + (answer->b ? answer->b->load_ms : 0);
}

double td_cli_answer_build_ms(const td_cli_answer *answer) {
    return answer->a->build_ms + (answer->b ? answer->b->build_ms : 0);
}

void td_cli_write_answer(td_cli_session *session, const td_cli_answer *answer) {
    td_cli_progress_end(&session->progress);
    switch (session->format) {
    case TD_CLI_TABLE:
        td_cli_answer_as_table(session, answer);
        break;
    case TD_CLI_JSON:
        td_cli_answer_as_json(session, answer);
        break;
    case TD_CLI_CSV:
        td_cli_answer_as_csv(session, answer);
        break;
    }
}
