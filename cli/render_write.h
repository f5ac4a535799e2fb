// Draws frame after frame into the file, or the files, of -o.
#ifndef TD_CLI_RENDER_WRITE_H
#define TD_CLI_RENDER_WRITE_H

#include "render_report.h"

// Fills in the totals, whose rate is that of a film. False: the error was told, and no unfinished file is
// left.
bool td_render_write(td_render_totals *totals, td_cli_session *session, const td_render_options *options,
                     td_render_source *source, const td_render_range *range);

#endif
