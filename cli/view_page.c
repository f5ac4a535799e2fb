#include "view_page.h"

#include "core/utf8.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TANDEM_NO_VIEWER

bool td_view_find_page(td_view_page *out) {
    *out = (td_view_page){0};
    td_cli_error("this program was built without the viewer: expected a build with -DTANDEM_VIEWER=ON, the "
                 "default, which needs Node.js");
    return false;
}

#else

bool td_view_find_page(td_view_page *out) {
    static const char marker[] = "<!--tandem:data-->";
    const size_t marker_size = sizeof marker - 1;
    const char *page = (const char *)td_viewer_page;
    const char *at = memmem(page, td_viewer_page_size, marker, marker_size);
    if (!at) {
        td_cli_error("the viewer's page in this program has no %s: expected a whole build of viewer/",
                     marker);
        return false;
    }
    out->head = page;
    out->head_size = (size_t)(at - page);
    out->tail = at + marker_size;
    out->tail_size = td_viewer_page_size - out->head_size - marker_size;
    return true;
}

#endif

// ---------------------------------------------------------------------------------------------------------

const char td_view_data_end[] = "</script>";

// As the value of an attribute in double quotes.
static void td_put_attribute(FILE *out, const char *text) {
    while (*text) {
        const size_t length = td_utf8_length(text);
        if (length == 0) {
            fputs("&#xfffd;", out);
        } else if (strchr("&<>\"'", *text) || (unsigned char)*text < ' ') {
            fprintf(out, "&#%d;", *text);
        } else {
            fwrite(text, 1, length, out);
        }
        text += length ? length : 1;
    }
}

// `what` and `value` are the attribute that says where the bytes come from.
static char *td_data_element(const char *name, const char *what, const char *value, const char *end) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    fputs("<script id=\"tandem-data\" type=\"application/octet-stream\" data-name=\"", out);
    td_put_attribute(out, name);
    fprintf(out, "\" %s=\"%s\">%s", what, value, end);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *td_view_data_start(const char *name) {
    return td_data_element(name, "data-encoding", "gzip-base64", "");
}

char *td_view_live_data(const char *name, const char *live) {
    return td_data_element(name, "data-live", live, td_view_data_end);
}
