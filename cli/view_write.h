// `tandem view -o PAGE`: one self-contained file with the viewer and what it shows.
#ifndef TD_CLI_VIEW_WRITE_H
#define TD_CLI_VIEW_WRITE_H

#include "view_page.h"
#include "view_source.h"

// Writes the page; *bytes is its size. False: the error was told, unless it is of the output, which tells
// when it is closed.
bool td_view_write(td_cli_output *output, const td_view_page *page, const td_view_source *source,
                   td_cli_session *session, uint64_t *bytes);

// Says what was written, in the session's format, to the session's output.
void td_view_tell(td_cli_session *session, const td_view_source *source, const char *path, uint64_t bytes);

#endif
