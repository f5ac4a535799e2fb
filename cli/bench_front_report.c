// What `bench front` found, as a table, JSON or CSV.
#include "bench_front.h"
#include "json.h"
#include "processor.h"
#include "table.h"

static const char *const td_way_keys[TD_FRONT_WAYS] = {"front", "cold", "stack", "wide"};

static void td_table_of_ways(td_cli_output *output, const td_front_bench *bench) {
    td_cli_table table = td_cli_table_begin("lrrrrrrrr");
    static const char *const heads[] = {"",         "box tests", "triangle tests", "exact tests", "query ms",
                                        "refit ms", "KiB",       "boxes / front",  "time / front"};
    for (int i = 0; i < 9; ++i) {
        td_cli_table_cell(&table, "%s", heads[i]);
    }
    const td_front_total *front = &bench->totals[TD_WAY_FRONT];
    for (int way = 0; way < TD_FRONT_WAYS; ++way) {
        const td_front_total *total = &bench->totals[way];
        td_cli_table_cell(&table, "%s", td_front_way_names[way]);
        td_cli_table_cell(&table, "%.0f", total->box_tests);
        td_cli_table_cell(&table, "%.0f", total->triangle_tests);
        td_cli_table_cell(&table, "%.0f", total->exact_tests);
        td_cli_table_cell(&table, "%.3f", total->query_ms);
        td_cli_table_cell(&table, "%.3f", total->refit_ms);
        td_cli_table_cell(&table, "%.0f", (double)total->bytes / 1024);
        td_cli_table_cell(&table, "%.2f", total->box_tests / front->box_tests);
        td_cli_table_cell(&table, "%.2f", total->query_ms / front->query_ms);
    }
    td_cli_table_end(&table, output, 2);
}

static void td_front_as_table(td_cli_session *session, const td_front_bench *bench, const char *processor) {
    char triangles[TD_CLI_NUMBER_SIZE], pairs[TD_CLI_NUMBER_SIZE], entries[TD_CLI_NUMBER_SIZE];
    const td_cli_sequence *sequence = &bench->sequence;
    td_cli_print(session->output,
                 "%s: %u frames of %s triangles, %s self-intersecting pairs in all\n"
                 "%s, %s, %u threads; per frame, medians of %u rounds\n\n",
                 sequence->name, sequence->frame_count, td_cli_grouped(triangles, sequence->triangle_count),
                 td_cli_grouped(pairs, bench->pairs), processor,
                 td_isa_name(td_context_isa(session->context)), bench->threads, bench->rounds);
    td_table_of_ways(session->output, bench);
    const td_front_sample *last = &bench->samples[TD_WAY_FRONT][sequence->frame_count - 1];
    td_cli_print(session->output,
                 "\nThe front has %s entries after the last frame and holds %.0f KiB at most, its hierarchy "
                 "%.0f KiB.\nA query of the front includes the refit of that hierarchy.\n",
                 td_cli_grouped(entries, last->entries), (double)bench->front_bytes / 1024,
                 (double)bench->hierarchy_bytes / 1024);
}

static void td_front_as_csv(td_cli_session *session, const td_front_bench *bench, const char *processor) {
    td_cli_output *output = session->output;
    td_cli_put(output,
               "cpu,isa,threads,sequence,triangles,frame,pairs,way,box_tests,triangle_tests,exact_tests,"
               "query_ms,refit_ms,bytes,entries,moved\n");
    for (uint32_t frame = 0; frame < bench->sequence.frame_count; ++frame) {
        for (int way = 0; way < TD_FRONT_WAYS; ++way) {
            const td_front_sample *sample = &bench->samples[way][frame];
            td_cli_put_csv(output, processor);
            td_cli_print(output, ",%s,%u,", td_isa_name(td_context_isa(session->context)), bench->threads);
            td_cli_put_csv(output, bench->sequence.name);
            td_cli_print(output, ",%u,%u,%llu,%s,%llu,%llu,%llu,%.6g,%.6g,%llu,%llu,%llu\n",
                         bench->sequence.triangle_count, frame, (unsigned long long)bench->frame_pairs[frame],
                         td_way_keys[way], (unsigned long long)sample->counters.box_tests,
                         (unsigned long long)sample->counters.triangle_tests,
                         (unsigned long long)sample->counters.exact_tests, sample->query_ms, sample->refit_ms,
                         (unsigned long long)bench->totals[way].bytes, (unsigned long long)sample->entries,
                         (unsigned long long)sample->moved);
        }
    }
}

static void td_json_way(td_cli_json *json, const td_front_bench *bench, td_front_way way) {
    const td_front_total *total = &bench->totals[way], *front = &bench->totals[TD_WAY_FRONT];
    td_cli_json_object(json, td_way_keys[way], TD_JSON_INLINE);
    td_cli_json_number(json, "box_tests", total->box_tests);
    td_cli_json_number(json, "triangle_tests", total->triangle_tests);
    td_cli_json_number(json, "exact_tests", total->exact_tests);
    td_cli_json_number(json, "query_ms", total->query_ms);
    td_cli_json_number(json, "refit_ms", total->refit_ms);
    td_cli_json_count(json, "bytes", total->bytes);
    td_cli_json_number(json, "box_ratio", total->box_tests / front->box_tests);
    td_cli_json_number(json, "time_ratio", total->query_ms / front->query_ms);
    td_cli_json_end(json);
}

static void td_front_as_json(td_cli_session *session, const td_front_bench *bench, const char *processor) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "processor", processor);
    td_cli_json_text(&json, "isa", td_isa_name(td_context_isa(session->context)));
    td_cli_json_count(&json, "threads", bench->threads);
    td_cli_json_text(&json, "sequence", bench->sequence.name);
    td_cli_json_count(&json, "triangles", bench->sequence.triangle_count);
    td_cli_json_count(&json, "frames", bench->sequence.frame_count);
    td_cli_json_count(&json, "pairs", bench->pairs);
    td_cli_json_count(&json, "front_bytes", bench->front_bytes);
    td_cli_json_count(&json, "hierarchy_bytes", bench->hierarchy_bytes);
    td_cli_json_object(&json, "per_frame", TD_JSON_LINES);
    for (int way = 0; way < TD_FRONT_WAYS; ++way) {
        td_json_way(&json, bench, (td_front_way)way);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

void td_front_write(td_cli_session *session, const td_front_bench *bench) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_processor_name(processor);
    switch (session->format) {
    case TD_CLI_TABLE:
        td_front_as_table(session, bench, processor);
        break;
    case TD_CLI_JSON:
        td_front_as_json(session, bench, processor);
        break;
    case TD_CLI_CSV:
        td_front_as_csv(session, bench, processor);
        break;
    }
}
