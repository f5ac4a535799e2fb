// PLY (Greg Turk, 1994): a text header that describes elements and their properties, then the elements as
// text or binary. Of these, vertex x y z and face vertex_indices are read, the rest is passed over.
#include "read_ply.h"

#include "../core/context.h"

td_result td_read_ply(td_mesh_reader *reader) {
    td_scan scan = td_scan_make(&td_dialect_plain, reader->bytes, reader->size, reader->name);
    td_ply_header header;
    TD_TRY(td_ply_read_header(&header, reader->context, &scan));
    const td_result result = header.encoding == TD_PLY_ASCII ? td_ply_read_ascii(reader, &header, &scan)
                                                             : td_ply_read_binary(reader, &header, &scan);
    if (result == TD_OK && scan.at < scan.end) {
        td_log(reader->context, TD_LOG_WARNING, "%s: %zu bytes behind the last element were not read",
               reader->name, (size_t)(scan.end - scan.at));
    }
    td_ply_release_header(&header, reader->context);
    return result;
}
