// What `tandem render` says about what it wrote.
#ifndef TD_CLI_RENDER_REPORT_H
#define TD_CLI_RENDER_REPORT_H

#include "render_options.h"

typedef struct td_render_totals {
    uint64_t pictures;
    td_render_report rays; // sums over all pictures
    double rate;           // of a film; 0: none
    double ms;             // from the first picture to the last byte
    uint64_t bytes;
    uint64_t first_frame, last_frame;
} td_render_totals;

void td_render_tell(td_cli_session *session, const td_render_options *options, const td_render_source *source,
                    const td_render_totals *totals);

#endif
