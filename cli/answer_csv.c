// `pose,a,b` with a row per pair, or `pose,pairs,colliding,inside,ms` with a row per pose where pairs were
// only counted.
#include "answer.h"

static void td_csv_pairs(td_cli_output *output, const td_cli_answer *answer) {
    td_cli_put(output, "pose,a,b\n");
    for (size_t i = 0; i < answer->count; ++i) {
        const td_collide_result *result = &answer->results[i];
        for (uint64_t k = 0; k < result->pair_count && !td_cli_output_failed(output); ++k) {
            td_cli_put_u64(output, i);
            td_cli_put(output, ",");
            td_cli_put_u64(output, result->pairs[k].a);
            td_cli_put(output, ",");
            td_cli_put_u64(output, result->pairs[k].b);
            td_cli_put(output, "\n");
        }
    }
}

static void td_csv_counts(td_cli_output *output, const td_cli_answer *answer) {
    td_cli_put(output, "pose,pairs,colliding,inside,ms\n");
    for (size_t i = 0; i < answer->count && !td_cli_output_failed(output); ++i) {
        const td_collide_result *result = &answer->results[i];
        const double ms = answer->batch ? result->ms : answer->query_ms;
        td_cli_print(output, "%zu,%llu,%s,%s,%.6g\n", i, (unsigned long long)result->pair_count,
                     result->colliding ? "true" : "false", td_inside_name(result->inside), ms);
    }
}

void td_cli_answer_as_csv(td_cli_session *session, const td_cli_answer *answer) {
    if (answer->mode == TD_MODE_COUNT) {
        td_csv_counts(session->output, answer);
    } else {
        td_csv_pairs(session->output, answer);
    }
}
