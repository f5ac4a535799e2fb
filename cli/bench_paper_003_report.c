#include "bench_paper_003.h"
#include "json.h"
#include "processor.h"
#include "published_003.h"
#include "table.h"

#include <math.h>
#include <string.h>

static double td_mean(double sum, uint32_t count) {
    return count > 0 ? sum / count : NAN;
}

static const td_trace_lane *td_find_lane(const td_trace_figures *figures, const char *name, bool iterative,
                                         bool on_device) {
    for (uint32_t i = 0; i < figures->lane_count; ++i) {
        const td_trace_lane *lane = &figures->lanes[i];
        if (strcmp(lane->name, name) == 0 && lane->iterative == iterative && lane->on_device == on_device &&
            lane->tracer) {
            return lane;
        }
    }
    return NULL;
}

// How many times faster; NaN: one of them was not measured.
static double td_speedup(const td_trace_lane *slow, const td_trace_lane *fast, int part) {
    return slow && fast && fast->ms[part] > 0 ? slow->ms[part] / fast->ms[part] : NAN;
}

// ---------------------------------------------------------------------------------------------------------
// For people

static void td_ratio_cell(td_cli_table *table, double value, const char *unit) {
    if (isnan(value)) {
        td_cli_table_cell(table, "-");
    } else {
        td_cli_table_cell(table, "%.2f%s", value, unit);
    }
}

static void td_put_lanes(td_cli_output *output, const td_trace_figures *figures) {
    char number[TD_CLI_NUMBER_SIZE];
    static const char *const heads[] = {"where",        "way", "rays",  "ms/step",   "rays ms", "late ms",
                                        "late rays ms", "bvh", "basic", "iterative", "again",   "waits"};
    td_cli_print(
        output,
        "\nMilliseconds per step, of all steps and of the last quarter; rays by algorithm, of all steps\n");
    td_cli_table cells = td_cli_table_begin("lllrrrrrrrrr");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; ++i) {
        td_cli_table_cell(&cells, "%s", heads[i]);
    }
    for (uint32_t i = 0; i < figures->lane_count; ++i) {
        const td_trace_lane *lane = &figures->lanes[i];
        if (!lane->tracer || lane->lossy) {
            continue;
        }
        td_cli_table_cell(&cells, lane->on_device ? "device" : "native");
        td_cli_table_cell(&cells, "%s", lane->name);
        td_cli_table_cell(&cells, lane->iterative ? "full + iterative" : "full");
        for (int part = 0; part < 2; ++part) {
            td_cli_table_cell(&cells, "%.3f", td_mean(lane->ms[part], figures->counted[part]));
            // On a device, and the naive way, rays have no time of their own.
            if (lane->on_device || lane->naive) {
                td_cli_table_cell(&cells, "-");
            } else {
                td_cli_table_cell(&cells, "%.3f", td_mean(lane->ray_ms[part], figures->counted[part]));
            }
        }
        for (int k = 0; k < TD_TRACED_ALGORITHMS; ++k) {
            td_cli_table_cell(&cells, "%s", td_cli_grouped(number, lane->rays[k]));
        }
        td_cli_table_cell(&cells, "%s", td_cli_grouped(number, lane->retries));
        td_cli_table_cell(&cells, "%s", td_cli_grouped(number, lane->waits));
    }
    td_cli_table_end(&cells, output, 2);
}

static void td_put_speedups(td_cli_output *output, const td_trace_figures *figures) {
    td_cli_print(output, "\nFigs. 6 and 7: pipeline against naive, times faster\n");
    td_cli_table cells = td_cli_table_begin("lrrr");
    td_cli_table_cell(&cells, "rays");
    td_cli_table_cell(&cells, "native");
    td_cli_table_cell(&cells, "device");
    td_cli_table_cell(&cells, "published");
    for (int iterative = 0; iterative < 2; ++iterative) {
        td_cli_table_cell(&cells, iterative ? "full + iterative" : "full");
        for (int place = 0; place < 2; ++place) {
            td_ratio_cell(&cells,
                          td_speedup(td_find_lane(figures, "naive", iterative, place),
                                     td_find_lane(figures, "pipeline", iterative, place), 0),
                          "");
        }
        td_ratio_cell(&cells,
                      figures->sheets > 0 ? (iterative ? td_published_003.fig7 : NAN)
                                          : td_published_003.fig6[iterative],
                      "");
    }
    td_cli_table_end(&cells, output, 2);
    const td_trace_lane *full = td_find_lane(figures, "pipeline", false, false),
                        *both = td_find_lane(figures, "pipeline", true, false);
    if (full && both && both->ray_ms[1] > 0) {
        td_cli_print(
            output,
            "  native, per-ray step, temporal data made in it: full + iterative is %.2f times faster "
            "than full over\n"
            "  all %u steps, the first included; %.2f times in the last quarter\n",
            full->all_ray_ms / both->all_ray_ms, figures->steps, full->ray_ms[1] / both->ray_ms[1]);
    }
}

static double td_reduction(const td_trace_figures *figures) {
    const td_trace_lane *eq1 = td_find_lane(figures, "ignore, Eq. 1", true, false),
                        *eq2 = td_find_lane(figures, "ignore, Eq. 2", true, false);
    return eq1 && eq2 && eq2->missed > 0 ? 1 - (double)eq1->missed / (double)eq2->missed : NAN;
}

static void td_put_prediction(td_cli_output *output, const td_trace_figures *figures) {
    td_cli_print(
        output,
        "\nTable 1: exact counts against prediction, ms per step that prediction saves on the device\n");
    td_cli_table cells = td_cli_table_begin("lrr");
    td_cli_table_cell(&cells, "rays");
    td_cli_table_cell(&cells, "measured");
    td_cli_table_cell(&cells, "published");
    for (int iterative = 0; iterative < 2; ++iterative) {
        const td_trace_lane *exact = td_find_lane(figures, "pipeline, exact counts", iterative, true),
                            *predicted = td_find_lane(figures, "pipeline", iterative, true);
        td_cli_table_cell(&cells, iterative ? "full + iterative" : "full");
        td_ratio_cell(
            &cells, exact && predicted ? td_mean(exact->ms[0] - predicted->ms[0], figures->counted[0]) : NAN,
            "");
        td_ratio_cell(&cells,
                      figures->sheets > 0 ? (iterative ? td_published_003.table1[2] : NAN)
                                          : td_published_003.table1[iterative],
                      "");
    }
    td_cli_table_end(&cells, output, 2);
    const td_trace_lane *eq1 = td_find_lane(figures, "ignore, Eq. 1", true, false),
                        *eq2 = td_find_lane(figures, "ignore, Eq. 2", true, false);
    uint64_t missed = 0, again = 0;
    for (uint32_t i = 0; i < figures->lane_count; ++i) {
        missed += figures->lanes[i].lossy ? 0 : figures->lanes[i].missed;
        again += figures->lanes[i].lossy ? 0 : figures->lanes[i].retries;
    }
    td_cli_print(output, "\nWith backtrack, all ways: %llu rays missed, %llu steps made again\n",
                 (unsigned long long)missed, (unsigned long long)again);
    td_cli_print(output, "\nTable 2: rays missed at confidence 1.02\n");
    td_cli_print(output, "  Eq. 1: %llu, Eq. 2: %llu", (unsigned long long)eq1->missed,
                 (unsigned long long)eq2->missed);
    if (td_reduction(figures) >= 0) {
        td_cli_print(output, "; %.0f %% fewer", 100 * td_reduction(figures));
    } else if (!isnan(td_reduction(figures))) {
        td_cli_print(output, "; %.1f times as many", 1 - td_reduction(figures));
    }
    td_cli_print(output, " (published: %.0f %% fewer)\n", 100 * td_published_003.table2[figures->sheets > 0]);
}

static void td_trace_as_tables(td_cli_session *session, const td_trace_figures *figures) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_output *output = session->output;
    td_cli_print(output,
                 "Scene %s: %u objects, %u sheets, %u steps, up to %llu pairs, %.0f contacts per step\n",
                 figures->scene, figures->objects, figures->sheets, figures->steps,
                 (unsigned long long)figures->most_pairs, figures->contacts);
    td_cli_print(output, "native: %s; device: %s; published: %s\n", td_cli_processor_name(processor),
                 figures->device[0] ? figures->device : "none", td_published_003.hardware);
    td_put_lanes(output, figures);
    td_put_speedups(output, figures);
    td_put_prediction(output, figures);
}

// ---------------------------------------------------------------------------------------------------------
// For programs

static void td_trace_as_csv(td_cli_session *session, const td_trace_figures *figures) {
    td_cli_put(session->output,
               "scene,objects,sheets,settle,steps,awake,place,way,iterative,ms,ray_ms,late_ms,late_ray_"
               "ms,bvh,basic,iterative_rays,"
               "missed,retries,fallbacks,open,handed,waits,all_ray_ms\n");
    for (uint32_t i = 0; i < figures->lane_count; ++i) {
        const td_trace_lane *lane = &figures->lanes[i];
        if (!lane->tracer) {
            continue;
        }
        td_cli_put_csv(session->output, figures->scene);
        td_cli_print(session->output, ",%u,%u,%u,%u,%d,%s,", figures->objects, figures->sheets,
                     figures->settle, figures->steps, figures->awake, lane->on_device ? "device" : "native");
        td_cli_put_csv(session->output, lane->name);
        td_cli_print(session->output, ",%d,%.6g,%.6g,%.6g,%.6g", lane->iterative,
                     td_mean(lane->ms[0], figures->counted[0]), td_mean(lane->ray_ms[0], figures->counted[0]),
                     td_mean(lane->ms[1], figures->counted[1]),
                     td_mean(lane->ray_ms[1], figures->counted[1]));
        const uint64_t counts[] = {lane->rays[0],   lane->rays[1], lane->rays[2], lane->missed, lane->retries,
                                   lane->fallbacks, lane->open,    lane->handed,  lane->waits};
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
            td_cli_print(session->output, ",%llu", (unsigned long long)counts[k]);
        }
        td_cli_print(session->output, ",%.6g\n", td_mean(lane->all_ray_ms, figures->steps));
    }
}

static void td_trace_as_json(td_cli_session *session, const td_trace_figures *figures) {
    char processor[TD_CLI_PROCESSOR_NAME];
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "scene", figures->scene);
    td_cli_json_text(&json, "cpu", td_cli_processor_name(processor));
    td_cli_json_text(&json, "device", figures->device);
    td_cli_json_count(&json, "objects", figures->objects);
    td_cli_json_count(&json, "sheets", figures->sheets);
    td_cli_json_count(&json, "steps", figures->steps);
    td_cli_json_number(&json, "contacts", figures->contacts);
    td_cli_json_number(&json, "missed_reduction", td_reduction(figures));
    td_cli_json_array(&json, "lanes", TD_JSON_LINES);
    for (uint32_t i = 0; i < figures->lane_count; ++i) {
        const td_trace_lane *lane = &figures->lanes[i];
        if (!lane->tracer) {
            continue;
        }
        td_cli_json_object(&json, NULL, TD_JSON_INLINE);
        td_cli_json_text(&json, "place", lane->on_device ? "device" : "native");
        td_cli_json_text(&json, "way", lane->name);
        td_cli_json_bool(&json, "iterative", lane->iterative);
        td_cli_json_number(&json, "ms", td_mean(lane->ms[0], figures->counted[0]));
        td_cli_json_number(&json, "late_ms", td_mean(lane->ms[1], figures->counted[1]));
        td_cli_json_number(&json, "ray_ms", td_mean(lane->ray_ms[0], figures->counted[0]));
        td_cli_json_number(&json, "late_ray_ms", td_mean(lane->ray_ms[1], figures->counted[1]));
        td_cli_json_number(&json, "all_ray_ms", td_mean(lane->all_ray_ms, figures->steps));
        td_cli_json_count(&json, "missed", lane->missed);
        td_cli_json_count(&json, "retries", lane->retries);
        td_cli_json_count(&json, "fallbacks", lane->fallbacks);
        td_cli_json_count(&json, "waits", lane->waits);
        td_cli_json_end(&json);
    }
    td_cli_json_end(&json);
    td_cli_json_end(&json);
}

void td_trace_figures_write(td_cli_session *session, const td_trace_figures *figures) {
    if (session->format == TD_CLI_JSON) {
        td_trace_as_json(session, figures);
    } else if (session->format == TD_CLI_CSV) {
        td_trace_as_csv(session, figures);
    } else {
        td_trace_as_tables(session, figures);
    }
}
