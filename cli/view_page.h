// The viewer's page, built from viewer/ and put into the program by the build (cmake/viewer.cmake). It is one
// self-contained HTML file, with the one marker "<!--tandem:data-->" where a recording goes.
#ifndef TD_CLI_VIEW_PAGE_H
#define TD_CLI_VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#ifndef TANDEM_NO_VIEWER
extern const unsigned char td_viewer_page[];
extern const size_t td_viewer_page_size;
#endif

// What stands in front of the marker and behind it.
typedef struct td_view_page {
    const char *head, *tail;
    size_t head_size, tail_size;
} td_view_page;

// False: this program has no page, which was told.
bool td_view_find_page(td_view_page *out);

// The elements that take the marker's place; each for free(), null if out of memory.

// The element of a recording, up to where its base64 begins.
char *td_view_data_start(const char *name);
extern const char td_view_data_end[];
// The element of a recording that the page fetches from `live`, relative to its own address.
char *td_view_live_data(const char *name, const char *live);

#endif
