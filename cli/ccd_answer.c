// {"edge_edge": [[a, b, t], ...], "vertex_face": [[v, f, t], ...], "face_vertex": [[f, v, t], ...],
// "earliest": t, "touching": bool, "certain": bool, ...}, and a row per contact as CSV.
#include "ccd_answer.h"

#include "json.h"

#include <math.h>

const char *td_cli_contact_name(td_contact_kind kind) {
    static const char *const names[TD_CONTACT_KINDS] = {"edge_edge", "vertex_face", "face_vertex"};
    return names[kind];
}

int td_cli_contact_kinds(const td_cli_ccd_answer *answer) {
    return answer->b ? TD_CONTACT_KINDS : TD_CONTACT_KINDS - 1;
}

// ---------------------------------------------------------------------------------------------------------------------
// JSON

static void td_json_contacts(td_cli_json *json, const td_cli_ccd_answer *answer) {
    for (int kind = 0; kind < td_cli_contact_kinds(answer); ++kind) {
        const td_feature_contact *contacts = answer->result->contacts[kind];
        td_cli_json_array(json, td_cli_contact_name((td_contact_kind)kind), TD_JSON_INLINE);
        for (uint64_t i = 0; i < answer->result->count[kind] && !td_cli_output_failed(json->output); ++i) {
            td_cli_json_array(json, NULL, TD_JSON_INLINE);
            td_cli_json_count(json, NULL, contacts[i].a);
            td_cli_json_count(json, NULL, contacts[i].b);
            td_cli_json_number(json, NULL, contacts[i].time);
            td_cli_json_end(json);
        }
        td_cli_json_end(json);
    }
}

// The vertices of the edges that contacts name, so that no one needs to number edges to read them.
static void td_json_edges(td_cli_json *json, const td_cli_ccd_answer *answer) {
    const td_continuous_result *result = answer->result;
    const td_feature_contact *contacts = result->contacts[TD_CONTACT_EDGE_EDGE];
    td_cli_json_array(json, "edge_vertices", TD_JSON_INLINE);
    for (uint64_t i = 0; i < result->count[TD_CONTACT_EDGE_EDGE] && !td_cli_output_failed(json->output);
         ++i) {
        const td_pair a = result->edges_a[contacts[i].a], b = result->edges_b[contacts[i].b];
        td_cli_json_array(json, NULL, TD_JSON_INLINE);
        td_cli_json_pair(json, a.a, a.b);
        td_cli_json_pair(json, b.a, b.b);
        td_cli_json_end(json);
    }
    td_cli_json_end(json);
}

static void td_json_counts(td_cli_json *json, const td_cli_ccd_answer *answer) {
    td_cli_json_object(json, "counts", TD_JSON_INLINE);
    for (int kind = 0; kind < td_cli_contact_kinds(answer); ++kind) {
        td_cli_json_count(json, td_cli_contact_name((td_contact_kind)kind), answer->result->count[kind]);
    }
    td_cli_json_end(json);
}

static void td_json_earliest(td_cli_json *json, const td_continuous_result *result) {
    td_cli_json_number(json, "earliest", result->touching ? result->earliest : NAN); // null
    if (result->touching) {
        td_cli_json_object(json, "earliest_contact", TD_JSON_INLINE);
        td_cli_json_text(json, "kind", td_cli_contact_name(result->earliest_kind));
        td_cli_json_count(json, "a", result->earliest_contact.a);
        td_cli_json_count(json, "b", result->earliest_contact.b);
        td_cli_json_end(json);
    }
    td_cli_json_bool(json, "touching", result->touching);
    td_cli_json_bool(json, "certain", result->certain);
}

static void td_json_frames(td_cli_json *json, const char *key, const td_cli_frames *frames) {
    td_cli_json_object(json, key, TD_JSON_INLINE);
    td_cli_json_text(json, "start", frames->start.name);
    td_cli_json_text(json, "end", frames->end.name);
    td_cli_json_count(json, "vertices", td_mesh_vertex_count(frames->start.mesh));
    td_cli_json_count(json, "triangles", td_mesh_triangle_count(frames->start.mesh));
    td_cli_json_end(json);
}

static void td_json_work(td_cli_json *json, const td_cli_session *session, const td_cli_ccd_answer *answer) {
    const td_continuous_result *result = answer->result;
    td_cli_json_object(json, "counters", TD_JSON_INLINE);
    td_cli_json_count(json, "box_tests", result->counters.box_tests);
    td_cli_json_count(json, "triangle_tests", result->counters.triangle_tests);
    td_cli_json_count(json, "feature_tests", result->counters.feature_tests);
    td_cli_json_count(json, "bytes", result->counters.bytes);
    td_cli_json_end(json);
    td_cli_json_object(json, "ms", TD_JSON_INLINE);
    td_cli_json_number(json, "query", answer->query_ms);
    td_cli_json_number(json, "fit", result->fit_ms);
    td_cli_json_number(json, "walk", result->walk_ms);
    td_cli_json_end(json);
    td_cli_json_number(json, "separation", answer->separation);
    td_cli_json_count(json, "budget", answer->budget);
    td_cli_json_count(json, "repeat", answer->repeat);
    td_json_frames(json, "a", answer->a);
    if (answer->b) {
        td_json_frames(json, "b", answer->b);
    }
    td_cli_json_text(json, "strategy", session->strategy ? session->strategy : "auto");
    td_cli_json_text(json, "volume", td_volume_name(result->volume));
    char label[TD_CLI_DEVICE_LABEL];
    td_cli_json_text(json, "device", td_cli_device_label(label, session->opened_device));
    td_cli_json_text(json, "isa", td_isa_name(td_context_isa(session->context)));
    td_cli_json_count(json, "threads", td_context_thread_count(session->context));
}

static void td_ccd_as_json(td_cli_session *session, const td_cli_ccd_answer *answer) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    if (answer->mode != TD_CONTINUOUS_COUNT) {
        td_json_contacts(&json, answer);
        td_json_edges(&json, answer);
    }
    td_json_earliest(&json, answer->result);
    if (answer->mode != TD_CONTINUOUS_EARLIEST) {
        td_json_counts(&json, answer);
    }
    td_json_work(&json, session, answer);
    td_cli_json_end(&json);
}

// ---------------------------------------------------------------------------------------------------------------------
// CSV

static void td_ccd_as_csv(td_cli_session *session, const td_cli_ccd_answer *answer) {
    td_cli_output *output = session->output;
    const td_continuous_result *result = answer->result;
    const bool counted = answer->mode == TD_CONTINUOUS_COUNT;
    td_cli_put(output, counted ? "kind,count\n" : "kind,a,b,time,certain,a0,a1,b0,b1\n");
    for (int kind = 0; kind < td_cli_contact_kinds(answer); ++kind) {
        const char *name = td_cli_contact_name((td_contact_kind)kind);
        if (counted) {
            td_cli_print(output, "%s,%llu\n", name, (unsigned long long)result->count[kind]);
            continue;
        }
        for (uint64_t i = 0; i < result->count[kind] && !td_cli_output_failed(output); ++i) {
            const td_feature_contact *contact = &result->contacts[kind][i];
            td_cli_print(output, "%s,%u,%u,%.17g,%s", name, contact->a, contact->b, contact->time,
                         contact->certain ? "true" : "false");
            if (kind == TD_CONTACT_EDGE_EDGE) {
                const td_pair a = result->edges_a[contact->a], b = result->edges_b[contact->b];
                td_cli_print(output, ",%u,%u,%u,%u\n", a.a, a.b, b.a, b.b);
            } else {
                td_cli_put(output, ",,,,\n");
            }
        }
    }
}

void td_cli_write_ccd(td_cli_session *session, const td_cli_ccd_answer *answer) {
    switch (session->format) {
    case TD_CLI_JSON:
        td_ccd_as_json(session, answer);
        break;
    case TD_CLI_CSV:
        td_ccd_as_csv(session, answer);
        break;
    case TD_CLI_TABLE:
        td_cli_ccd_as_table(session, answer);
        break;
    }
}
