#include "view_write.h"

#include "json.h"
#include "message.h"
#include "table.h"
#include "view_pack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// What browsers were seen to refuse, or to run out of memory with, begins somewhere above.
static const uint64_t td_large_page = 500000000;

bool td_view_write(td_cli_output *output, const td_view_page *page, const td_view_source *source,
                   td_cli_session *session, uint64_t *bytes) {
    char *start = td_view_data_start(source->name);
    if (!start) {
        td_cli_error("out of memory");
        return false;
    }
    const char *highlights = source->highlights ? source->highlights : "";
    td_cli_write(output, page->head, page->head_size);
    td_cli_put(output, start);
    td_cli_progress_stage(&session->progress, "packing %.60s", source->name);
    uint64_t packed = 0;
    const bool success =
        td_view_pack(output, source->file, source->size, source->path, &session->progress, &packed);
    td_cli_put(output, td_view_data_end);
    td_cli_put(output, highlights);
    td_cli_write(output, page->tail, page->tail_size);
    *bytes = page->head_size + strlen(start) + packed + strlen(td_view_data_end) + strlen(highlights) +
             page->tail_size;
    free(start);
    return success;
}

// ---------------------------------------------------------------------------------------------------------

static void td_tell_as_json(td_cli_session *session, const td_view_source *source, const char *path,
                            uint64_t bytes) {
    td_cli_json json = td_cli_json_begin(session->output);
    td_cli_json_object(&json, NULL, TD_JSON_LINES);
    td_cli_json_text(&json, "path", path);
    td_cli_json_count(&json, "bytes", bytes);
    td_cli_json_count(&json, "recording_bytes", source->size);
    td_cli_json_count(&json, "frames", source->frames);
    td_cli_json_count(&json, "bodies", source->bodies);
    td_cli_json_count(&json, "meshes", source->meshes);
    td_cli_json_bool(&json, "complete", source->complete);
    td_cli_json_count(&json, "lost_bytes", source->lost_bytes);
    td_cli_json_count(&json, "highlighted_triangles", source->highlighted);
    td_cli_json_end(&json);
}

static void td_tell_as_csv(td_cli_session *session, const td_view_source *source, const char *path,
                           uint64_t bytes) {
    td_cli_output *output = session->output;
    td_cli_put(output,
               "path,bytes,recording_bytes,frames,bodies,meshes,complete,lost_bytes,highlighted_triangles\n");
    td_cli_put_csv(output, path);
    td_cli_print(output, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%s,%" PRIu64 ",%" PRIu64 "\n", bytes,
                 source->size, source->frames, source->bodies, source->meshes,
                 source->complete ? "true" : "false", source->lost_bytes, source->highlighted);
}

static void td_tell_as_text(td_cli_session *session, const td_view_source *source, const char *path,
                            uint64_t bytes) {
    char size[TD_CLI_NUMBER_SIZE], frames[TD_CLI_NUMBER_SIZE], bodies[TD_CLI_NUMBER_SIZE];
    td_cli_print(session->output, "%s: %s, %s %s of %s %s; open it in a browser\n", path,
                 td_cli_bytes(size, bytes), td_cli_grouped(frames, source->frames),
                 source->frames == 1 ? "frame" : "frames", td_cli_grouped(bodies, source->bodies),
                 source->bodies == 1 ? "body" : "bodies");
}

void td_view_tell(td_cli_session *session, const td_view_source *source, const char *path, uint64_t bytes) {
    td_cli_progress_end(&session->progress);
    if (bytes > td_large_page && !session->quiet) {
        td_cli_warning(
            "%s is larger than 500 MB: browsers may refuse to open it; 'tandem view --serve' sends "
            "the recording in pieces",
            path);
    }
    if (session->format == TD_CLI_JSON) {
        td_tell_as_json(session, source, path, bytes);
    } else if (session->format == TD_CLI_CSV) {
        td_tell_as_csv(session, source, path, bytes);
    } else if (!session->quiet) {
        td_tell_as_text(session, source, path, bytes);
    }
}
