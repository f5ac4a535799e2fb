// What the readers of mesh formats have in common: the bytes they read, the arrays they fill, and what is
// done to these at the end.
#ifndef TD_IO_MESH_READER_H
#define TD_IO_MESH_READER_H

#include "../core/array.h"
#include "../core/error.h"

#include <tandem/io.h>

// Indices are 32 bits wide, and one value is kept free for "none".
#define TD_MOST_VERTICES  4294967294u
#define TD_MOST_TRIANGLES 4294967294u

typedef struct td_mesh_reader {
    td_context *context;
    const td_load_def *def;
    const char *name; // of the file, for messages
    const char *bytes;
    size_t size;
    TD_ARRAY(double) positions;   // three per vertex
    TD_ARRAY(uint32_t) triangles; // three per triangle
    bool single_precision;        // every coordinate was read from a float32
    size_t next_report;           // byte at which progress is told next
} td_mesh_reader;

// The formats. Each appends to the arrays; indices must be below the final number of vertices and coordinates
// finite when it succeeds. On failure the caller releases the arrays.
typedef td_result td_read_format_fn(td_mesh_reader *reader);

td_result td_read_obj(td_mesh_reader *reader);
td_result td_read_ply(td_mesh_reader *reader);
td_result td_read_off(td_mesh_reader *reader);
td_result td_read_stl(td_mesh_reader *reader);

// Welds if def->weld and hands over exactly sized arrays. TD_ERROR_FORMAT if there is no triangle. Releases
// what the reader holds in any case.
td_result td_reader_finish(td_mesh_arrays *out, td_mesh_reader *reader);
void td_reader_release(td_mesh_reader *reader);

td_result td_reader_report(td_mesh_reader *reader, size_t offset);
td_result td_reader_too_many(const td_mesh_reader *reader, const char *what, uint64_t most);

// Tells the progress every now and then; TD_ERROR_CANCELLED if the caller wants to stop.
static inline td_result td_reader_progress(td_mesh_reader *reader, const char *at) {
    const size_t offset = (size_t)(at - reader->bytes);
    return offset < reader->next_report ? TD_OK : td_reader_report(reader, offset);
}

static inline size_t td_reader_vertex_count(const td_mesh_reader *reader) {
    return reader->positions.count / 3;
}

static inline td_result td_reader_add_vertex(td_mesh_reader *reader, const double position[3]) {
    if (reader->positions.count >= 3 * (size_t)TD_MOST_VERTICES) {
        return td_reader_too_many(reader, "vertices", TD_MOST_VERTICES);
    }
    TD_TRY(td_array_reserve(reader->context, &reader->positions, 3));
    double *at = reader->positions.items + reader->positions.count;
    at[0] = position[0];
    at[1] = position[1];
    at[2] = position[2];
    reader->positions.count += 3;
    return TD_OK;
}

static inline td_result td_reader_add_triangle(td_mesh_reader *reader, uint32_t a, uint32_t b, uint32_t c) {
    if (reader->triangles.count >= 3 * (size_t)TD_MOST_TRIANGLES) {
        return td_reader_too_many(reader, "triangles", TD_MOST_TRIANGLES);
    }
    TD_TRY(td_array_reserve(reader->context, &reader->triangles, 3));
    uint32_t *at = reader->triangles.items + reader->triangles.count;
    at[0] = a;
    at[1] = b;
    at[2] = c;
    reader->triangles.count += 3;
    return TD_OK;
}

// A polygon on its way to triangles: the fan (v0 v1 v2), (v0 v2 v3), ... in the order of the corners.
typedef struct td_fan {
    uint32_t first;
    uint32_t last;
    uint64_t corners;
} td_fan;

static inline td_result td_fan_add(td_fan *fan, td_mesh_reader *reader, uint32_t vertex) {
    if (fan->corners == 0) {
        fan->first = vertex;
    } else if (fan->corners >= 2) {
        TD_TRY(td_reader_add_triangle(reader, fan->first, fan->last, vertex));
    }
    fan->last = vertex;
    ++fan->corners;
    return TD_OK;
}

// Room for what a header announces, as far as `bytes_left` bytes can hold so many at `least_bytes` each: a
// header cannot make the reader allocate more than a small multiple of the file.
td_result td_reader_expect_vertices(td_mesh_reader *reader, uint64_t count, size_t bytes_left,
                                    size_t least_bytes);
td_result td_reader_expect_triangles(td_mesh_reader *reader, uint64_t count, size_t bytes_left,
                                     size_t least_bytes);

#endif
