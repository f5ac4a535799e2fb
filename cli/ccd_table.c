// `ccd` for people: a summary, and the first contacts.
#include "ccd_answer.h"

#include "table.h"

enum { TD_CONTACTS_SHOWN = 20 };

typedef struct td_listed_contact {
    td_contact_kind kind;
    td_feature_contact contact;
} td_listed_contact;

// By time; contacts of one time as they come.
static bool td_listed_before(const td_listed_contact *a, const td_listed_contact *b) {
    return a->contact.time < b->contact.time;
}

// The first contacts of all kinds; returns how many.
static size_t td_first_contacts(td_listed_contact first[TD_CONTACTS_SHOWN],
                                const td_continuous_result *result) {
    size_t count = 0;
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        for (uint64_t i = 0; i < result->count[kind]; ++i) {
            const td_listed_contact next = {(td_contact_kind)kind, result->contacts[kind][i]};
            if (count == TD_CONTACTS_SHOWN && !td_listed_before(&next, &first[count - 1])) {
                continue;
            }
            size_t place = count < TD_CONTACTS_SHOWN ? count++ : count - 1;
            for (; place > 0 && td_listed_before(&next, &first[place - 1]); --place) {
                first[place] = first[place - 1];
            }
            first[place] = next;
        }
    }
    return count;
}

static void td_edge_cell(td_cli_table *table, uint32_t edge, td_pair ends) {
    td_cli_table_cell(table, "edge %u (%u, %u)", edge, ends.a, ends.b);
}

static void td_table_contacts(td_cli_output *output, const td_cli_ccd_answer *answer, uint64_t total) {
    const td_continuous_result *result = answer->result;
    td_listed_contact first[TD_CONTACTS_SHOWN];
    const size_t count = td_first_contacts(first, result);
    if (count == 0) {
        return;
    }
    td_cli_table table = td_cli_table_begin("rlll");
    td_cli_table_cell(&table, "time");
    td_cli_table_cell(&table, "%s", answer->b ? "of A" : "");
    td_cli_table_cell(&table, "%s", answer->b ? "of B" : "");
    td_cli_table_cell(&table, "%s", "");
    for (size_t i = 0; i < count; ++i) {
        const td_feature_contact *contact = &first[i].contact;
        td_cli_table_cell(&table, "%.12f", contact->time);
        if (first[i].kind == TD_CONTACT_EDGE_EDGE) {
            td_edge_cell(&table, contact->a, result->edges_a[contact->a]);
            td_edge_cell(&table, contact->b, result->edges_b[contact->b]);
        } else {
            const bool turned = first[i].kind == TD_CONTACT_FACE_VERTEX;
            td_cli_table_cell(&table, "%s %u", turned ? "face" : "vertex", contact->a);
            td_cli_table_cell(&table, "%s %u", turned ? "vertex" : "face", contact->b);
        }
        td_cli_table_cell(&table, "%s", contact->certain ? "" : "not certain");
    }
    td_cli_put(output, "\n");
    td_cli_table_end(&table, output, 2);
    if (total > count) {
        char number[TD_CLI_NUMBER_SIZE];
        td_cli_print(output, "  ... and %s more (--csv or --json gives all)\n",
                     td_cli_grouped(number, total - count));
    }
}

static void td_table_counts(td_cli_table *table, const td_cli_ccd_answer *answer) {
    static const char *const names[TD_CONTACT_KINDS] = {"edge-edge", "vertex-face", "face-vertex"};
    char number[TD_CLI_NUMBER_SIZE];
    for (int kind = 0; kind < td_cli_contact_kinds(answer); ++kind) {
        td_cli_table_cell(table, "%s", names[kind]);
        td_cli_table_cell(table, "%s%s", td_cli_grouped(number, answer->result->count[kind]),
                          answer->result->count[kind] == 1 ? " pair" : " pairs");
    }
}

static void td_table_summary(td_cli_table *table, const td_cli_session *session,
                             const td_cli_ccd_answer *answer) {
    const td_continuous_result *result = answer->result;
    char number[TD_CLI_NUMBER_SIZE], build[TD_CLI_NUMBER_SIZE], fit[TD_CLI_NUMBER_SIZE];
    if (answer->mode != TD_CONTINUOUS_EARLIEST) {
        td_table_counts(table, answer);
    }
    td_cli_table_cell(table, "earliest");
    if (result->touching) {
        td_cli_table_cell(table, "%.17g%s", result->earliest,
                          result->earliest_contact.certain ? "" : ", not certain: no contact is earlier");
    } else {
        td_cli_table_cell(table, "none: nothing touches");
    }
    td_cli_table_cell(table, "box tests");
    td_cli_table_cell(table, "%s", td_cli_grouped(number, result->counters.box_tests));
    td_cli_table_cell(table, "triangle pairs");
    td_cli_table_cell(table, "%s", td_cli_grouped(number, result->counters.triangle_tests));
    td_cli_table_cell(table, "feature tests");
    td_cli_table_cell(table, "%s", td_cli_grouped(number, result->counters.feature_tests));
    td_cli_table_cell(table, "memory");
    td_cli_table_cell(table, "%s", td_cli_bytes(number, result->counters.bytes));
    const double build_ms = answer->a->start.build_ms + (answer->b ? answer->b->start.build_ms : 0);
    td_cli_table_cell(table, "time");
    td_cli_table_cell(table, "build %s, query %s%s, of this fit %s", td_cli_time(build, build_ms),
                      td_cli_time(number, answer->query_ms), answer->repeat > 1 ? " (median)" : "",
                      td_cli_time(fit, result->fit_ms));
    td_cli_table_cell(table, "ran on");
    td_cli_table_cell(
        table, "%s, %u thread%s, strategy %s, %s", td_isa_name(td_context_isa(session->context)),
        td_context_thread_count(session->context), td_context_thread_count(session->context) == 1 ? "" : "s",
        session->strategy ? session->strategy : "auto", td_volume_name(result->volume));
}

static void td_table_title(td_cli_output *output, const td_cli_ccd_answer *answer) {
    char a[TD_CLI_NUMBER_SIZE], b[TD_CLI_NUMBER_SIZE];
    td_cli_table table = td_cli_table_begin("l");
    td_cli_grouped(a, td_mesh_triangle_count(answer->a->start.mesh));
    if (answer->b) {
        td_cli_grouped(b, td_mesh_triangle_count(answer->b->start.mesh));
        td_cli_table_cell(&table, "A %s to %s (%s triangles), B %s to %s (%s triangles)",
                          answer->a->start.name, answer->a->end.name, a, answer->b->start.name,
                          answer->b->end.name, b);
    } else {
        td_cli_table_cell(&table, "%s to %s (%s triangles) against itself", answer->a->start.name,
                          answer->a->end.name, a);
    }
    td_cli_table_end(&table, output, 0);
}

void td_cli_ccd_as_table(td_cli_session *session, const td_cli_ccd_answer *answer) {
    uint64_t total = 0;
    for (int kind = 0; kind < TD_CONTACT_KINDS; ++kind) {
        total += answer->result->count[kind];
    }
    td_table_title(session->output, answer);
    td_cli_table table = td_cli_table_begin("ll");
    td_table_summary(&table, session, answer);
    td_cli_table_end(&table, session->output, 2);
    if (answer->mode != TD_CONTINUOUS_COUNT) {
        td_table_contacts(session->output, answer, total);
    }
}
