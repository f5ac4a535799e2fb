#include "bench_paper_002.h"
#include "json.h"
#include "processor.h"
#include "table.h"

#include <stdio.h>

static double td_published_area(const td_configuration *configuration) {
    return configuration->scene->area[configuration->size][configuration->subdivide];
}

// Until the pairs of leaves are known, which is all that the paper's times are about. How many triangles a
// leaf has differs by strategy.
static double td_candidates_ms(const td_way *way) {
    return way->median[TD_BENCH_BOXES] + way->median[TD_BENCH_COLLECT];
}

// The same as td_speedup by the processor time of all threads, which a busy machine disturbs less; of a
// device that is not the processor it says nothing.
static double td_cpu_speedup(const td_way *way) {
    return 1 / way->median[TD_BENCH_CPU_RATIO];
}

static double td_copy_ms(const td_way *way) {
    return way->median[TD_BENCH_COPY_IN] + way->median[TD_BENCH_COPY_OUT];
}

// ---------------------------------------------------------------------------------------------------------
// Tables

static void td_heads(td_cli_table *table, const char *const *heads, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        td_cli_table_cell(table, "%s", heads[i]);
    }
}

static void td_size_cells(td_cli_table *table, const td_configuration *configuration) {
    char number[TD_CLI_NUMBER_SIZE];
    td_cli_table_cell(table, "%s", configuration->scene->name);
    td_cli_table_cell(table, "%s", td_cli_grouped(number, configuration->objects));
    td_cli_table_cell(table, "%s", td_cli_grouped(number, configuration->object_triangles));
}

static void td_write_areas(td_cli_output *output, const td_configurations *all) {
    static const char *const heads[] = {"scene",     "objects", "triangles each", "object pairs",
                                        "colliding", "faces",   "contact area",   "published"};
    td_cli_put(output, "\nFig. 6, contact area: colliding triangle pairs by all triangles\n\n");
    td_cli_table table = td_cli_table_begin("lrrrrrrr");
    td_heads(&table, heads, sizeof heads / sizeof heads[0]);
    for (uint32_t i = 0; i < all->count; ++i) {
        const td_configuration *configuration = &all->items[i];
        char number[TD_CLI_NUMBER_SIZE];
        td_size_cells(&table, configuration);
        td_cli_table_cell(&table, "%s", td_cli_grouped(number, configuration->object_pairs));
        td_cli_table_cell(&table, "%s", td_cli_grouped(number, configuration->colliding));
        td_cli_table_cell(&table, "%s", td_cli_grouped(number, configuration->faces));
        td_cli_table_cell(&table, "%.4f", td_contact_area(configuration));
        if (td_published_area(configuration) > 0) {
            td_cli_table_cell(&table, "%.4f", td_published_area(configuration));
        } else {
            td_cli_table_cell(&table, "%s", "");
        }
    }
    td_cli_table_end(&table, output, 0);
}

static void td_way_cells(td_cli_table *table, const td_configuration *configuration, const td_way *way) {
    td_size_cells(table, configuration);
    td_cli_table_cell(table, "%s %s", way->strategy, td_volume_name(way->volume));
    td_cli_table_cell(table, "%s", way->place->name);
    td_cli_table_cell(table, "%.3f", way->median[TD_BENCH_TOTAL]);
    td_cli_table_cell(table, "%.2f", td_speedup(way));
    td_cli_table_cell(table, "%.3f", td_candidates_ms(way));
    if (way->place->device) {
        td_cli_table_cell(table, "%.3f", way->median[TD_BENCH_STAGES]);
        td_cli_table_cell(table, "%.2f", td_kernel_speedup(configuration, way));
    } else {
        td_cli_table_cell(table, "%s", "");
        td_cli_table_cell(table, "%s", "");
    }
    if (way == &configuration->ways[0]) {
        td_cli_table_cell(table, "%s", "");
    } else {
        td_cli_table_cell(table, "%g to %g", configuration->scene->speedup_low,
                          configuration->scene->speedup_high);
    }
}

static void td_write_speedups(td_cli_output *output, const td_configurations *all) {
    static const char *const heads[] = {"scene",      "objects",  "triangles each", "strategy",
                                        "where",      "ms",       "speed-up",       "candidates ms",
                                        "kernels ms", "speed-up", "paper, GPU"};
    td_cli_put(output,
               "\nFigs. 7 and 8, collision detection at one moment: with all that it takes, until the "
               "candidates are known, and on devices the kernels alone\n\n");
    td_cli_table table = td_cli_table_begin("lrrllrrrrrr");
    td_heads(&table, heads, sizeof heads / sizeof heads[0]);
    for (uint32_t i = 0; i < all->count; ++i) {
        for (uint32_t k = 0; k < all->items[i].way_count; ++k) {
            td_way_cells(&table, &all->items[i], &all->items[i].ways[k]);
        }
    }
    td_cli_table_end(&table, output, 0);
}

static void td_write_tables(td_cli_session *session, const td_configurations *all, const char *processor) {
    td_cli_output *output = session->output;
    td_cli_print(output,
                 "Paper 002. Published: RAPID on an %s,\n"
                 "and its own method on an %s.\n"
                 "Its speed-ups are those that its text tells for the configuration, over all sizes.\n",
                 td_published_002_hardware[0], td_published_002_hardware[1]);
    const td_configuration *first = &all->items[0];
    for (uint32_t i = 1; i < first->way_count; ++i) { // behind the reference every place stands once
        const td_bench_place *place = first->ways[i].place;
        td_cli_print(output, "%s is %s%s%s, %u thread%s.\n", place->name,
                     place->device ? place->info.name : processor,
                     place->device ? ", an OpenCL device of kind " : "",
                     place->device ? td_device_kind_name(place->info.kind) : "", place->threads,
                     place->threads == 1 ? "" : "s");
    }
    td_write_areas(output, all);
    td_write_speedups(output, all);
}

// ---------------------------------------------------------------------------------------------------------
// CSV and JSON

static void td_csv_way(td_cli_output *output, const td_configuration *configuration, const td_way *way,
                       uint32_t repeats, const char *processor) {
    td_cli_put_csv(output, processor);
    td_cli_print(output, ",%s,%u,%u,%u,%llu,%u,%u,%llu,%.6g,", configuration->scene->name,
                 configuration->steps, configuration->objects, configuration->object_triangles,
                 (unsigned long long)configuration->triangles, configuration->object_pairs,
                 configuration->colliding, (unsigned long long)configuration->faces,
                 td_contact_area(configuration));
    if (td_published_area(configuration) > 0) {
        td_cli_print(output, "%g", td_published_area(configuration));
    }
    td_cli_print(output, ",%s,%s,%s,", way->strategy, td_volume_name(way->volume), way->place->name);
    td_cli_put_csv(output, way->place->device ? way->place->info.name : processor);
    td_cli_print(output, ",%u,%u,%.6g,%.4g,%.6g,%.4g,%.6g,", way->place->threads, repeats,
                 way->median[TD_BENCH_TOTAL], td_speedup(way), way->median[TD_BENCH_CPU], td_cpu_speedup(way),
                 td_candidates_ms(way));
    if (way->place->device) {
        td_cli_print(output, "%.6g,%.6g,%.4g", td_copy_ms(way), way->median[TD_BENCH_STAGES],
                     td_kernel_speedup(configuration, way));
    } else {
        td_cli_put(output, ",,");
    }
    td_cli_print(output, ",%g,%g\n", configuration->scene->speedup_low, configuration->scene->speedup_high);
}

static void td_write_csv(td_cli_session *session, const td_configurations *all, const char *processor) {
    td_cli_put(
        session->output,
        "cpu,scene,steps,objects,object_triangles,triangles,object_pairs,colliding_pairs,faces,contact_area,"
        "published_contact_area,strategy,volume,device,device_name,threads,repeats,total_ms,speedup,"
        "cpu_ms,cpu_speedup,candidates_ms,copy_ms,"
        "kernel_ms,kernel_speedup,published_speedup_low,published_speedup_high\n");
    for (uint32_t i = 0; i < all->count; ++i) {
        for (uint32_t k = 0; k < all->items[i].way_count; ++k) {
            td_csv_way(session->output, &all->items[i], &all->items[i].ways[k], all->repeats, processor);
        }
    }
}

static void td_json_way(td_cli_json *json, const td_configuration *configuration, const td_way *way) {
    td_cli_json_object(json, NULL, TD_JSON_INLINE);
    td_cli_json_text(json, "strategy", way->strategy);
    td_cli_json_text(json, "volume", td_volume_name(way->volume));
    td_cli_json_text(json, "device", way->place->name);
    td_cli_json_count(json, "threads", way->place->threads);
    td_cli_json_number(json, "total_ms", way->median[TD_BENCH_TOTAL]);
    td_cli_json_number(json, "speedup", td_speedup(way));
    td_cli_json_number(json, "cpu_ms", way->median[TD_BENCH_CPU]);
    td_cli_json_number(json, "cpu_speedup", td_cpu_speedup(way));
    td_cli_json_number(json, "candidates_ms", td_candidates_ms(way));
    if (way->place->device) {
        td_cli_json_text(json, "device_name", way->place->info.name);
        td_cli_json_number(json, "copy_ms", td_copy_ms(way));
        td_cli_json_number(json, "kernel_ms", way->median[TD_BENCH_STAGES]);
        td_cli_json_number(json, "kernel_speedup", td_kernel_speedup(configuration, way));
    }
    td_cli_json_end(json);
}

static void td_json_configuration(td_cli_json *json, const td_configuration *configuration) {
    td_cli_json_object(json, NULL, TD_JSON_LINES);
    td_cli_json_text(json, "scene", configuration->scene->name);
    td_cli_json_count(json, "steps", configuration->steps);
    td_cli_json_count(json, "objects", configuration->objects);
    td_cli_json_count(json, "object_triangles", configuration->object_triangles);
    td_cli_json_count(json, "triangles", configuration->triangles);
    td_cli_json_count(json, "object_pairs", configuration->object_pairs);
    td_cli_json_count(json, "colliding_pairs", configuration->colliding);
    td_cli_json_count(json, "faces", configuration->faces);
    td_cli_json_number(json, "contact_area", td_contact_area(configuration));
    td_cli_json_object(json, "published", TD_JSON_INLINE);
    if (td_published_area(configuration) > 0) {
        td_cli_json_number(json, "contact_area", td_published_area(configuration));
    }
    td_cli_json_number(json, "speedup_low", configuration->scene->speedup_low);
    td_cli_json_number(json, "speedup_high", configuration->scene->speedup_high);
    td_cli_json_end(json);
    td_cli_json_array(json, "ways", TD_JSON_LINES);
    for (uint32_t i = 0; i < configuration->way_count; ++i) {
        td_json_way(json, configuration, &configuration->ways[i]);
    }
    td_cli_json_end(json);
    td_cli_json_end(json);
}

static void td_write_json(td_cli_session *session, const td_configurations *all, const char *processor) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "processor", processor);
    td_cli_json_count(&json, "repeats", all->repeats);
    td_cli_json_object(&json, "published_hardware", TD_JSON_INLINE);
    td_cli_json_text(&json, "rapid", td_published_002_hardware[0]);
    td_cli_json_text(&json, "gpu", td_published_002_hardware[1]);
    td_cli_json_end(&json);
    td_cli_json_array(&json, "configurations", TD_JSON_LINES);
    for (uint32_t i = 0; i < all->count; ++i) {
        td_json_configuration(&json, &all->items[i]);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

void td_configurations_write(td_cli_session *session, const td_configurations *all) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_processor_name(processor);
    td_cli_progress_end(&session->progress);
    switch (session->format) {
    case TD_CLI_TABLE:
        td_write_tables(session, all, processor);
        break;
    case TD_CLI_JSON:
        td_write_json(session, all, processor);
        break;
    case TD_CLI_CSV:
        td_write_csv(session, all, processor);
        break;
    }
}
