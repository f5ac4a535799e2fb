// The answer to `ccd`, and its three forms: a table for people, JSON, CSV.
#ifndef TD_CLI_CCD_ANSWER_H
#define TD_CLI_CCD_ANSWER_H

#include "load.h"

#include <tandem/continuous.h>

// The two frames of a mesh: the first as a mesh, the second as positions.
typedef struct td_cli_frames {
    td_cli_mesh start, end;
    double *positions; // of `end`, x y z per vertex; from malloc
} td_cli_frames;

typedef struct td_cli_ccd_answer {
    const td_cli_frames *a, *b; // `b` null: `a` against itself
    td_continuous_mode mode;
    double separation;
    uint32_t budget, repeat;
    const td_continuous_result *result;
    double query_ms; // median of the repeated questions
} td_cli_ccd_answer;

// "edge_edge", "vertex_face", "face_vertex".
const char *td_cli_contact_name(td_contact_kind kind);

// How many kinds of contacts there are between what was asked about.
int td_cli_contact_kinds(const td_cli_ccd_answer *answer);

void td_cli_write_ccd(td_cli_session *session, const td_cli_ccd_answer *answer);
void td_cli_ccd_as_table(td_cli_session *session, const td_cli_ccd_answer *answer);

#endif
