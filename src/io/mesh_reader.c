#include "mesh_reader.h"

#include "../mesh/weld.h"

#include <string.h>

td_result td_reader_report(td_mesh_reader *reader, size_t offset) {
    const size_t step = (size_t)1 << 20; // a few milliseconds of text
    reader->next_report = offset + step;
    const td_load_def *def = reader->def;
    if (def->progress != NULL && !def->progress(offset, reader->size, def->progress_user)) {
        return td_fail(TD_ERROR_CANCELLED, "%s: reading was cancelled", reader->name);
    }
    return TD_OK;
}

td_result td_reader_too_many(const td_mesh_reader *reader, const char *what, uint64_t most) {
    return td_fail(TD_ERROR_FORMAT, "%s: more than %llu %s", reader->name, (unsigned long long)most, what);
}

static size_t td_plausible_count(uint64_t count, size_t bytes_left, size_t least_bytes) {
    const size_t room = bytes_left / least_bytes;
    return count < room ? (size_t)count : room;
}

td_result td_reader_expect_vertices(td_mesh_reader *reader, uint64_t count, size_t bytes_left,
                                    size_t least_bytes) {
    const size_t plausible = td_plausible_count(count, bytes_left, least_bytes);
    return td_array_reserve(reader->context, &reader->positions, 3 * plausible);
}

td_result td_reader_expect_triangles(td_mesh_reader *reader, uint64_t count, size_t bytes_left,
                                     size_t least_bytes) {
    const size_t plausible = td_plausible_count(count, bytes_left, least_bytes);
    return td_array_reserve(reader->context, &reader->triangles, 3 * plausible);
}

void td_reader_release(td_mesh_reader *reader) {
    td_array_release(reader->context, &reader->positions);
    td_array_release(reader->context, &reader->triangles);
}

// Keeps the first vertex of each position, in order, and points the triangles there.
static td_result td_reader_weld(td_mesh_reader *reader) {
    const uint32_t vertex_count = (uint32_t)td_reader_vertex_count(reader);
    double *positions = reader->positions.items;
    uint32_t *first = TD_NEW(reader->context, uint32_t, vertex_count);
    if (first == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_result result = td_weld(first, reader->context, (const unsigned char *)positions, TD_FLOAT64,
                                     3 * sizeof(double), vertex_count);
    if (result == TD_OK) {
        uint32_t kept = 0;
        for (uint32_t v = 0; v < vertex_count; ++v) {
            if (first[v] == v) {
                memmove(positions + 3 * (size_t)kept, positions + 3 * (size_t)v, 3 * sizeof(double));
                first[v] = kept++;
            } else {
                first[v] = first[first[v]]; // below v: its new index is already there
            }
        }
        reader->positions.count = 3 * (size_t)kept;
        for (size_t i = 0; i < reader->triangles.count; ++i) {
            reader->triangles.items[i] = first[reader->triangles.items[i]];
        }
    }
    TD_DELETE(reader->context, uint32_t, first, vertex_count);
    return result;
}

static td_result td_reader_hand_over(td_mesh_arrays *out, td_mesh_reader *reader) {
    td_context *context = reader->context;
    double *positions = TD_NEW(context, double, reader->positions.count);
    uint32_t *triangles = TD_NEW(context, uint32_t, reader->triangles.count);
    if (positions == NULL || triangles == NULL) {
        TD_DELETE(context, double, positions, reader->positions.count);
        TD_DELETE(context, uint32_t, triangles, reader->triangles.count);
        return TD_ERROR_MEMORY;
    }
    memcpy(positions, reader->positions.items, reader->positions.count * sizeof *positions);
    memcpy(triangles, reader->triangles.items, reader->triangles.count * sizeof *triangles);
    *out = (td_mesh_arrays){.positions = positions,
                            .triangles = triangles,
                            .vertex_count = (uint32_t)(reader->positions.count / 3),
                            .triangle_count = (uint32_t)(reader->triangles.count / 3),
                            .single_precision = reader->single_precision};
    return TD_OK;
}

td_result td_reader_finish(td_mesh_arrays *out, td_mesh_reader *reader) {
    td_result result = TD_OK;
    if (reader->triangles.count == 0) {
        result = td_fail(TD_ERROR_FORMAT, "%s: no triangles", reader->name);
    }
    if (result == TD_OK && reader->def->weld) {
        result = td_reader_weld(reader);
    }
    if (result == TD_OK) {
        result = td_reader_hand_over(out, reader);
    }
    td_reader_release(reader);
    return result;
}
