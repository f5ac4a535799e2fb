// OFF, the object file format of Geomview, as text: OFF and its variants with normals (N), colours (C) and
// texture coordinates (ST) per vertex, which are passed over. One vertex or face per line.
#include "mesh_reader.h"

#include "scan.h"

#include <string.h>

typedef struct td_off {
    td_mesh_reader *reader;
    td_scan scan;
    uint64_t vertex_count;
    uint64_t face_count;
} td_off;

// "OFF" behind any of "ST", "C", "N", "4", "n", in this order. The last two change what a vertex is.
static td_result td_off_read_keyword(td_off *off) {
    const char *start = off->scan.at;
    const td_word word = td_scan_word(&off->scan);
    if (word.length < 3 || memcmp(word.at + word.length - 3, "OFF", 3) != 0) {
        off->scan.at = start; // no keyword: the counts come first
        return TD_OK;
    }
    if (memchr(word.at, '4', word.length) != NULL || memchr(word.at, 'n', word.length) != NULL) {
        off->scan.at = start;
        return td_scan_expected(&off->scan, "vertices of three coordinates (OFF, COFF, NOFF, STOFF)");
    }
    td_scan_skip_blanks(&off->scan);
    td_scan ahead = off->scan;
    if (td_word_is(td_scan_word(&ahead), "BINARY")) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%s: binary OFF is not supported, only text", off->scan.name);
    }
    return TD_OK;
}

// "vertices faces edges"; the edges are not used, and may be left out.
static td_result td_off_read_counts(td_off *off) {
    td_scan *scan = &off->scan;
    td_scan_next_line(scan);
    const char *start = scan->at;
    if (td_scan_unsigned(&off->vertex_count, scan) != TD_DECIMAL_OK) {
        return td_scan_expected(scan, "the number of vertices");
    }
    if (td_scan_unsigned(&off->face_count, scan) != TD_DECIMAL_OK) {
        return td_scan_expected(scan, "the number of faces");
    }
    uint64_t edges;
    if (!td_scan_line_done(scan) && td_scan_unsigned(&edges, scan) != TD_DECIMAL_OK) {
        return td_scan_expected(scan, "the number of edges");
    }
    if (!td_scan_line_done(scan)) {
        return td_scan_expected(scan, "the end of the line");
    }
    if (off->vertex_count > TD_MOST_VERTICES || off->face_count > TD_MOST_TRIANGLES) {
        return td_scan_fail(scan, start, "%llu vertices and %llu faces announced, at most %u can be read",
                            (unsigned long long)off->vertex_count, (unsigned long long)off->face_count,
                            TD_MOST_VERTICES);
    }
    td_scan_skip_line(scan);
    return TD_OK;
}

static td_result td_off_read_vertices(td_off *off) {
    for (uint64_t i = 1; i <= off->vertex_count; ++i) {
        if (!td_scan_next_line(&off->scan)) {
            return td_scan_expected(&off->scan, "vertex %llu of %llu", (unsigned long long)i,
                                    (unsigned long long)off->vertex_count);
        }
        double position[3] = {0};
        TD_TRY(td_scan_point(position, &off->scan, "vertex", i));
        td_scan_skip_line(&off->scan); // normal, colour, texture coordinates
        TD_TRY(td_reader_add_vertex(off->reader, position));
        TD_TRY(td_reader_progress(off->reader, off->scan.at));
    }
    return TD_OK;
}

static td_result td_off_read_face(td_off *off, uint64_t index) {
    td_scan *scan = &off->scan;
    const unsigned long long shown = index;
    const char *start = scan->at;
    uint64_t corners;
    if (td_scan_unsigned(&corners, scan) != TD_DECIMAL_OK) {
        return td_scan_expected(scan, "the number of vertices of face %llu", shown);
    }
    if (corners < 3) {
        return td_scan_fail(scan, start, "face %llu has %llu vertices, expected at least 3", shown,
                            (unsigned long long)corners);
    }
    td_fan fan = {0};
    for (uint64_t i = 0; i < corners; ++i) {
        uint64_t vertex;
        if (td_scan_unsigned(&vertex, scan) != TD_DECIMAL_OK) {
            return td_scan_expected(scan, "a vertex index in face %llu", shown);
        }
        if (vertex >= off->vertex_count) {
            return td_scan_fail(scan, start,
                                "face %llu names vertex %llu, but the file has %llu vertices from 0", shown,
                                (unsigned long long)vertex, (unsigned long long)off->vertex_count);
        }
        TD_TRY(td_fan_add(&fan, off->reader, (uint32_t)vertex));
    }
    td_scan_skip_line(scan); // a colour
    return TD_OK;
}

static td_result td_off_read_faces(td_off *off) {
    for (uint64_t i = 1; i <= off->face_count; ++i) {
        if (!td_scan_next_line(&off->scan)) {
            return td_scan_expected(&off->scan, "face %llu of %llu", (unsigned long long)i,
                                    (unsigned long long)off->face_count);
        }
        TD_TRY(td_off_read_face(off, i));
        TD_TRY(td_reader_progress(off->reader, off->scan.at));
    }
    return TD_OK;
}

td_result td_read_off(td_mesh_reader *reader) {
    td_off off = {.reader = reader,
                  .scan = td_scan_make(&td_dialect_hash, reader->bytes, reader->size, reader->name)};
    td_scan_next_line(&off.scan);
    TD_TRY(td_off_read_keyword(&off));
    TD_TRY(td_off_read_counts(&off));
    const size_t least_vertex = 6, least_face = 8; // "0 0 0\n", "3 0 0 0\n"
    const size_t left = (size_t)(off.scan.end - off.scan.at);
    TD_TRY(td_reader_expect_vertices(reader, off.vertex_count, left, least_vertex));
    TD_TRY(td_reader_expect_triangles(reader, off.face_count, left, least_face));
    TD_TRY(td_off_read_vertices(&off));
    return td_off_read_faces(&off);
}
