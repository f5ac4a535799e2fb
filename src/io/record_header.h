// The header chunks of a recording, both ways: what is constant over all of its frames.
#ifndef TD_IO_RECORD_HEADER_H
#define TD_IO_RECORD_HEADER_H

#include "record.h"
#include "record_chunk.h"
#include "record_soft.h"

static inline uint32_t td_version_with(const td_soft_bodies *soft) {
    return soft->count > 0 ? TD_RECORD_SOFT : TD_RECORD_RIGID;
}

// Writes the start and all header chunks at the file's end.
td_result td_write_header(int file, const char *path, td_context *context, const td_crc_tables *tables,
                          const td_record_content *content, const td_pose_grid *grid,
                          const td_soft_bodies *soft);

typedef struct td_record_header {
    td_record_bytes info_bytes, text_bytes, body_bytes; // of their chunks, into which the texts point
    double step;
    td_pose_grid grid;
    uint32_t format; // version of the file: 2 or 3
    const char *version, *scene, *text;
    uint32_t mesh_count, body_count;
    td_record_bytes *mesh_names; // each ends with a zero; null until there is room for all
    td_mesh_arrays *meshes;      // likewise
    td_recorded_body *bodies;
    uint64_t bytes; // from the start of the file to the end of the header
} td_record_header;

// TD_ERROR_FORMAT names the chunk, its offset and what is wrong with it. `out` is to be released in any case.
td_result td_read_header(td_record_header *out, td_context *context, const td_chunk_source *source);
void td_release_header(td_record_header *header, td_context *context);

#endif
