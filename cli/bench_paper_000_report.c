#include "bench_paper_000.h"
#include "json.h"
#include "processor.h"
#include "table.h"

#include <stdio.h>

static const char *const td_step_keys[TD_STEP_TIMES] = {"simulation", "contact", "collision", "copy",
                                                        "kernel"};

// A row, ours or the paper's.
typedef struct td_fall_row {
    bool published;
    const char *place; // "native avx512", "opencl:0"; of the paper "CPU", "GPU"
    const char *hardware;
    uint32_t threads; // of a device its compute units; 0: the paper does not say
    uint32_t iteration;
    bool device;
    uint64_t broad, tested, narrow, faces, contacts, hash; // tested, contacts and hash are ours only
    const double *seconds;
    const double *summed; // null: the paper's
} td_fall_row;

typedef void td_fall_row_fn(const td_fall_row *row, void *user);

static td_fall_row td_own_row(const td_fall_run *run, uint32_t iteration, const char *processor) {
    const td_step_report *report = &run->reports[iteration];
    return (td_fall_row){.place = run->place->name,
                         .hardware = run->place->device ? run->place->info.name : processor,
                         .threads = run->place->threads,
                         .iteration = iteration,
                         .device = run->place->device != NULL,
                         .broad = report->broad_pairs,
                         .tested = report->tested_pairs,
                         .narrow = report->colliding_pairs,
                         .faces = report->faces,
                         .contacts = report->contacts,
                         .hash = run->hashes[iteration],
                         .seconds = run->seconds[iteration],
                         .summed = run->summed[iteration]};
}

// Calls `visit` for each row: of every iteration ours, and the paper's behind those that it compares with.
static void td_visit_rows(const td_fall *fall, const char *processor, td_fall_row_fn *visit, void *user) {
    for (uint32_t k = 0; k <= fall->last; k += fall->every) {
        for (int gpu = 0; gpu < 2; ++gpu) {
            for (uint32_t i = 0; i < fall->run_count; ++i) {
                if ((fall->runs[i].place->device != NULL) == (gpu == 1)) {
                    const td_fall_row row = td_own_row(&fall->runs[i], k, processor);
                    visit(&row, user);
                }
            }
            const td_published_step *step = td_published_000(k, gpu == 1);
            if (step) {
                const td_fall_row row = {.published = true,
                                         .place = gpu ? "GPU" : "CPU",
                                         .hardware = td_published_000_hardware[gpu],
                                         .iteration = k,
                                         .device = gpu == 1,
                                         .broad = step->broad,
                                         .narrow = step->narrow,
                                         .faces = step->faces,
                                         .seconds = step->seconds};
                visit(&row, user);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Table

static void td_table_row(const td_fall_row *row, void *user) {
    td_cli_table *table = user;
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_table_cell(table, "%u", row->iteration);
    td_cli_table_cell(table, "%s%s", row->published ? "paper, " : "", row->place);
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->broad));
    td_cli_table_cell(table, "%s", row->published ? "" : td_cli_grouped(number, row->tested));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->narrow));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, row->faces));
    for (int k = 0; k < TD_STEP_TIMES; ++k) {
        if (k >= TD_STEP_COPY && !row->device) {
            td_cli_table_cell(table, "%s", "");
        } else {
            td_cli_table_cell(table, "%.6f", row->seconds[k]);
        }
    }
}

static void td_write_sums(td_cli_output *output, const td_fall *fall) {
    td_cli_print(output, "\nOver all %u iterations:\n", fall->last + 1);
    for (uint32_t i = 0; i < fall->run_count; ++i) {
        const td_fall_run *run = &fall->runs[i];
        const double *sums = run->summed[fall->last];
        td_cli_print(output, "  %s: simulation %.3f s, contacts %.3f s, collision detection %.3f s",
                     run->place->name, sums[TD_STEP_SIMULATION], sums[TD_STEP_CONTACT],
                     sums[TD_STEP_COLLISION]);
        if (run->place->device) {
            td_cli_print(output, " (copies %.3f s, kernels %.3f s)", sums[TD_STEP_COPY],
                         sums[TD_STEP_KERNEL]);
        }
        td_cli_print(output, ", hash %016llx\n", (unsigned long long)run->hashes[fall->last]);
    }
    if (fall->run_count > 1) {
        td_cli_put(output, "  The bodies moved in the same way, bit by bit, in every iteration.\n");
    }
}

static void td_fall_as_table(td_cli_session *session, const td_fall *fall, const char *processor) {
    td_cli_output *output = session->output;
    char triangles[TD_CLI_NUMBER_SIZE];
    td_cli_print(output,
                 "Table 1 of paper 000: %u x %u x %u cows of %s triangles fall to the ground; strategy %s, "
                 "volume %s.\n"
                 "Published: 8 x 8 x 8 cows; CPU is an %s; GPU is an %s.\n",
                 fall->n, fall->n, fall->n, td_cli_grouped(triangles, fall->triangles),
                 fall->strategy ? fall->strategy : "auto", td_volume_name(fall->volume),
                 td_published_000_hardware[0], td_published_000_hardware[1]);
    for (uint32_t i = 0; i < fall->run_count; ++i) {
        const td_bench_place *place = fall->runs[i].place;
        td_cli_print(output, "%s is %s%s%s, %u thread%s.\n", place->name,
                     place->device ? place->info.name : processor,
                     place->device ? ", an OpenCL device of kind " : "",
                     place->device ? td_device_kind_name(place->info.kind) : "", place->threads,
                     place->threads == 1 ? "" : "s");
    }
    td_cli_put(output,
               "Times in seconds. Faces are intersecting triangles, in the paper candidates; tested are the "
               "object pairs\nwhose triangles were asked for: the others have hardly moved, sleep, or are "
               "known to be "
               "apart.\n\n");
    td_cli_table table = td_cli_table_begin("rlrrrrrrrrr");
    static const char *const heads[] = {"iteration",  "where",   "broad",     "tested", "narrow", "faces",
                                        "simulation", "contact", "collision", "copy",   "kernel"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; ++i) {
        td_cli_table_cell(&table, "%s", heads[i]);
    }
    td_visit_rows(fall, processor, td_table_row, &table);
    td_cli_table_end(&table, output, 0);
    td_write_sums(output, fall);
}

// ---------------------------------------------------------------------------------------------------------
// CSV and JSON

typedef struct td_csv_rows {
    td_cli_output *output;
    const td_fall *fall;
} td_csv_rows;

static void td_csv_fall_row(const td_fall_row *row, void *user) {
    const td_csv_rows *rows = user;
    td_cli_output *output = rows->output;
    td_cli_print(output, "%s,%s,", row->published ? "paper" : "tandem", row->place);
    td_cli_put_csv(output, row->hardware);
    td_cli_put(output, ",");
    if (row->published) { // of its cows it only says that they are 512
        td_cli_put(output, ",512,,binary,obb,");
    } else {
        td_cli_print(output, "%u,%u,%u,%s,%s,", row->threads, rows->fall->bodies - 1, rows->fall->triangles,
                     rows->fall->strategy ? rows->fall->strategy : "auto",
                     td_volume_name(rows->fall->volume));
    }
    td_cli_print(output, "%u,%llu,", row->iteration, (unsigned long long)row->broad);
    if (!row->published) {
        td_cli_put_u64(output, row->tested);
    }
    td_cli_print(output, ",%llu,%llu,", (unsigned long long)row->narrow, (unsigned long long)row->faces);
    if (!row->published) {
        td_cli_put_u64(output, row->contacts);
    }
    for (int k = 0; k < TD_STEP_TIMES; ++k) {
        td_cli_put(output, ",");
        if (k < TD_STEP_COPY || row->device) {
            td_cli_print(output, "%.6g", row->seconds[k]);
        }
    }
    for (int k = TD_STEP_COLLISION; k < TD_STEP_TIMES; ++k) {
        td_cli_put(output, ",");
        if (row->summed && (k < TD_STEP_COPY || row->device)) {
            td_cli_print(output, "%.6g", row->summed[k]);
        }
    }
    td_cli_put(output, ",");
    if (!row->published) {
        td_cli_print(output, "%016llx", (unsigned long long)row->hash);
    }
    td_cli_put(output, "\n");
}

static void td_fall_as_csv(td_cli_session *session, const td_fall *fall, const char *processor) {
    td_cli_put(
        session->output,
        "source,place,hardware,threads,cows,triangles,strategy,volume,iteration,broad_pairs,tested_pairs,"
        "colliding_pairs,faces,contacts,simulation_s,contact_s,collision_s,copy_s,kernel_s,"
        "summed_collision_s,summed_copy_s,summed_kernel_s,hash\n");
    td_visit_rows(fall, processor, td_csv_fall_row, &(td_csv_rows){session->output, fall});
}

static void td_json_fall_row(const td_fall_row *row, void *user) {
    td_cli_json *json = user;
    td_cli_json_object(json, NULL, TD_JSON_INLINE);
    td_cli_json_text(json, "source", row->published ? "paper" : "tandem");
    td_cli_json_text(json, "place", row->place);
    td_cli_json_count(json, "iteration", row->iteration);
    td_cli_json_count(json, "broad_pairs", row->broad);
    td_cli_json_count(json, "colliding_pairs", row->narrow);
    td_cli_json_count(json, "faces", row->faces);
    if (!row->published) {
        char hash[17];
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)row->hash);
        td_cli_json_count(json, "tested_pairs", row->tested);
        td_cli_json_count(json, "contacts", row->contacts);
        td_cli_json_text(json, "hash", hash);
    }
    td_cli_json_object(json, "s", TD_JSON_INLINE);
    for (int k = 0; k < (row->device ? TD_STEP_TIMES : TD_STEP_COPY); ++k) {
        td_cli_json_number(json, td_step_keys[k], row->seconds[k]);
    }
    td_cli_json_end(json);
    if (row->summed) {
        td_cli_json_object(json, "summed_s", TD_JSON_INLINE);
        for (int k = 0; k < (row->device ? TD_STEP_TIMES : TD_STEP_COPY); ++k) {
            td_cli_json_number(json, td_step_keys[k], row->summed[k]);
        }
        td_cli_json_end(json);
    }
    td_cli_json_end(json);
}

static void td_json_place(td_cli_json *json, const char *source, const char *place, const char *hardware) {
    td_cli_json_object(json, NULL, TD_JSON_INLINE);
    td_cli_json_text(json, "source", source);
    td_cli_json_text(json, "place", place);
    td_cli_json_text(json, "hardware", hardware);
}

static void td_fall_as_json(td_cli_session *session, const td_fall *fall, const char *processor) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "processor", processor);
    td_cli_json_count(&json, "cows", fall->bodies - 1);
    td_cli_json_count(&json, "triangles", fall->triangles);
    td_cli_json_text(&json, "strategy", fall->strategy ? fall->strategy : "auto");
    td_cli_json_text(&json, "volume", td_volume_name(fall->volume));
    td_cli_json_count(&json, "repeats", fall->repeats);
    td_cli_json_array(&json, "places", TD_JSON_LINES);
    for (uint32_t i = 0; i < fall->run_count; ++i) {
        const td_bench_place *place = fall->runs[i].place;
        td_json_place(&json, "tandem", place->name, place->device ? place->info.name : processor);
        td_cli_json_text(&json, "kind", place->device ? td_device_kind_name(place->info.kind) : "native");
        td_cli_json_count(&json, "threads", place->threads);
        td_cli_json_end(&json);
    }
    for (int gpu = 0; gpu < 2; ++gpu) {
        td_json_place(&json, "paper", gpu ? "GPU" : "CPU", td_published_000_hardware[gpu]);
        td_cli_json_end(&json);
    }
    td_cli_json_end(&json);
    td_cli_json_array(&json, "rows", TD_JSON_LINES);
    td_visit_rows(fall, processor, td_json_fall_row, &json);
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

void td_fall_write(td_cli_session *session, const td_fall *fall) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_processor_name(processor);
    td_cli_progress_end(&session->progress);
    switch (session->format) {
    case TD_CLI_TABLE:
        td_fall_as_table(session, fall, processor);
        break;
    case TD_CLI_JSON:
        td_fall_as_json(session, fall, processor);
        break;
    case TD_CLI_CSV:
        td_fall_as_csv(session, fall, processor);
        break;
    }
}
