// STL, binary and ascii. Each triangle has its own three vertices; welding puts them together.
#include "mesh_reader.h"

#include "../core/context.h"
#include "scan.h"
#include "stl_layout.h"

#include <math.h>
#include <string.h>

static uint32_t td_load_little_32(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static td_result td_stl_add_triangle(td_mesh_reader *reader, const double corners[3][3]) {
    const size_t first = td_reader_vertex_count(reader);
    for (int k = 0; k < 3; ++k) {
        TD_TRY(td_reader_add_vertex(reader, corners[k]));
    }
    const uint32_t v = (uint32_t)first;
    return td_reader_add_triangle(reader, v, v + 1, v + 2);
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_stl_binary_triangle(td_mesh_reader *reader, const char *record, uint32_t index) {
    double corners[3][3];
    for (int k = 0; k < 9; ++k) {
        const char *at = record + TD_STL_CORNER_OFFSET + 4 * k;
        const uint32_t bits = td_load_little_32(at);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            return td_fail(TD_ERROR_FORMAT,
                           "%s: triangle %u (byte %zu): %c of corner %d is not a finite number", reader->name,
                           index + 1, (size_t)(at - reader->bytes), "xyz"[k % 3], k / 3 + 1);
        }
        corners[k / 3][k % 3] = (double)value;
    }
    return td_stl_add_triangle(reader, (const double(*)[3])corners);
}

static td_result td_stl_read_binary(td_mesh_reader *reader) {
    if (reader->size < TD_STL_HEADER_BYTES) {
        return td_fail(TD_ERROR_FORMAT,
                       "%s: %zu bytes are no STL file: expected 'solid', or a binary header of %d bytes",
                       reader->name, reader->size, TD_STL_HEADER_BYTES);
    }
    const uint32_t count = td_load_little_32(reader->bytes + TD_STL_COUNT_OFFSET);
    const uint64_t room = (reader->size - TD_STL_HEADER_BYTES) / TD_STL_TRIANGLE_BYTES;
    if (count > room) {
        return td_fail(TD_ERROR_FORMAT,
                       "%s: triangle %llu of %u (byte %llu): the file ends here, it is truncated",
                       reader->name, (unsigned long long)room + 1, count,
                       (unsigned long long)(TD_STL_HEADER_BYTES + TD_STL_TRIANGLE_BYTES * room));
    }
    const uint64_t used = TD_STL_HEADER_BYTES + (uint64_t)TD_STL_TRIANGLE_BYTES * count;
    if (used < reader->size) {
        td_log(reader->context, TD_LOG_WARNING, "%s: %llu bytes behind the last triangle were not read",
               reader->name, (unsigned long long)(reader->size - used));
    }
    const uint32_t most = TD_MOST_VERTICES / 3;
    if (count > most) {
        return td_reader_too_many(reader, "triangles in an STL file", most);
    }
    TD_TRY(td_reader_expect_vertices(reader, 3 * (uint64_t)count, reader->size, 12));
    TD_TRY(td_reader_expect_triangles(reader, count, reader->size, TD_STL_TRIANGLE_BYTES));
    reader->single_precision = true;
    const char *record = reader->bytes + TD_STL_HEADER_BYTES;
    for (uint32_t i = 0; i < count; ++i, record += TD_STL_TRIANGLE_BYTES) {
        TD_TRY(td_stl_binary_triangle(reader, record, i));
        TD_TRY(td_reader_progress(reader, record));
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_stl_expect_word(td_scan *scan, const char *wanted, uint64_t triangle) {
    td_scan_next_line(scan);
    const char *start = scan->at;
    if (!td_word_is_any_case(td_scan_word(scan), wanted)) {
        scan->at = start;
        return td_scan_expected(scan, "'%s' in triangle %llu", wanted, (unsigned long long)triangle);
    }
    return TD_OK;
}

// Behind "facet". The normal may be anything: it follows from the corners, and writers put nan there.
static td_result td_stl_ascii_triangle(td_mesh_reader *reader, td_scan *scan, uint64_t index) {
    TD_TRY(td_stl_expect_word(scan, "normal", index));
    for (int k = 0; k < 3; ++k) {
        if (td_scan_line_done(scan)) {
            return td_scan_expected(scan, "three components of the normal of triangle %llu",
                                    (unsigned long long)index);
        }
        td_scan_word(scan);
    }
    TD_TRY(td_stl_expect_word(scan, "outer", index));
    TD_TRY(td_stl_expect_word(scan, "loop", index));
    double corners[3][3];
    for (int k = 0; k < 3; ++k) {
        TD_TRY(td_stl_expect_word(scan, "vertex", index));
        TD_TRY(td_scan_point(corners[k], scan, "a vertex of triangle", index));
    }
    TD_TRY(td_stl_expect_word(scan, "endloop", index));
    TD_TRY(td_stl_expect_word(scan, "endfacet", index));
    return td_stl_add_triangle(reader, (const double(*)[3])corners);
}

static td_result td_stl_read_ascii(td_mesh_reader *reader) {
    td_scan scan = td_scan_make(&td_dialect_plain, reader->bytes, reader->size, reader->name);
    bool inside = false; // between solid and endsolid; a file may have several
    uint64_t triangles = 0;
    while (td_scan_next_line(&scan)) {
        const char *start = scan.at;
        const td_word word = td_scan_word(&scan);
        if (inside && td_word_is_any_case(word, "facet")) {
            TD_TRY(td_stl_ascii_triangle(reader, &scan, ++triangles));
            TD_TRY(td_reader_progress(reader, scan.at));
        } else if (td_word_is_any_case(word, inside ? "endsolid" : "solid")) {
            inside = !inside;
            td_scan_skip_line(&scan); // its name
        } else {
            scan.at = start;
            return td_scan_expected(&scan, "%s", inside ? "'facet' or 'endsolid'" : "'solid'");
        }
    }
    if (inside) {
        return td_scan_expected(&scan, "'facet' or 'endsolid' after triangle %llu",
                                (unsigned long long)triangles);
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

bool td_stl_size_matches(const char *bytes, size_t size) {
    if (size < TD_STL_HEADER_BYTES) {
        return false;
    }
    const uint64_t count = td_load_little_32(bytes + TD_STL_COUNT_OFFSET);
    return size == TD_STL_HEADER_BYTES + TD_STL_TRIANGLE_BYTES * count;
}

// Binary files may begin with "solid", too: their size gives them away, or a zero byte, which text never has.
td_result td_read_stl(td_mesh_reader *reader) {
    td_scan scan = td_scan_make(&td_dialect_plain, reader->bytes, reader->size, reader->name);
    td_scan_next_line(&scan);
    const bool solid = td_word_is_any_case(td_scan_word(&scan), "solid");
    const size_t probed = reader->size < TD_STL_HEADER_BYTES ? reader->size : TD_STL_HEADER_BYTES;
    const bool text = solid && !td_stl_size_matches(reader->bytes, reader->size) &&
                      memchr(reader->bytes, '\0', probed) == NULL;
    return text ? td_stl_read_ascii(reader) : td_stl_read_binary(reader);
}
