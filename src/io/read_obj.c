// Wavefront OBJ: vertices and polygonal faces. Everything else (texture coordinates, normals, groups,
// materials, lines, points) is passed over. A face may name vertices that come later in the file.
#include "mesh_reader.h"

#include "../core/context.h"
#include "scan.h"

#include <string.h>

typedef struct td_obj {
    td_mesh_reader *reader;
    td_scan scan;
    // The largest index that named a vertex not yet read, and where.
    uint64_t farthest;
    const char *farthest_at;
    // The first line that is no OBJ statement.
    const char *unknown_at;
    uint64_t unknown_lines;
    uint64_t faces;
} td_obj;

// Passed over without a word. What is not here, free-form curves and surfaces among it, is noted in the log.
static const char *const td_obj_skipped[] = {"vt",     "vn",     "vp",     "o",        "g",       "s",
                                             "mg",     "usemtl", "mtllib", "l",        "p",       "usemap",
                                             "maplib", "bevel",  "lod",    "c_interp", "d_interp"};

static bool td_obj_is_skipped(td_word word) {
    for (size_t i = 0; i < sizeof td_obj_skipped / sizeof *td_obj_skipped; ++i) {
        if (td_word_is(word, td_obj_skipped[i])) {
            return true;
        }
    }
    return false;
}

static td_result td_obj_vertex(td_obj *obj) {
    double position[3] = {0};
    TD_TRY(td_scan_point(position, &obj->scan, "vertex", td_reader_vertex_count(obj->reader) + 1));
    td_scan_skip_line(&obj->scan); // a weight, or a colour
    return td_reader_add_vertex(obj->reader, position);
}

// The part of a corner behind its vertex: "/2", "//3", "/2/3".
static void td_obj_skip_references(td_scan *scan) {
    while (scan->at < scan->end &&
           ((unsigned char)(*scan->at - '0') < 10 || *scan->at == '/' || *scan->at == '-')) {
        ++scan->at;
    }
}

static td_result td_obj_resolve(uint32_t *out, td_obj *obj, uint64_t written, bool negative,
                                const char *start) {
    const uint64_t so_far = td_reader_vertex_count(obj->reader);
    if (written == 0) {
        return td_scan_fail(&obj->scan, start, "vertex 0 in face %llu: indices start at 1",
                            (unsigned long long)obj->faces);
    }
    if (negative) {
        if (written > so_far) {
            return td_scan_fail(
                &obj->scan, start, "vertex -%llu in face %llu: only %llu vertices come before it",
                (unsigned long long)written, (unsigned long long)obj->faces, (unsigned long long)so_far);
        }
        *out = (uint32_t)(so_far - written);
        return TD_OK;
    }
    if (written > so_far && written > obj->farthest) {
        obj->farthest = written;
        obj->farthest_at = start;
    }
    *out = (uint32_t)(written - 1); // beyond 32 bits: the file is refused at its end
    return TD_OK;
}

// One corner of a face: a vertex index, from 1, or from -1 backwards; then references that are passed over.
static td_result td_obj_corner(uint32_t *out, td_obj *obj) {
    td_scan *scan = &obj->scan;
    const char *start = scan->at;
    const bool negative = *start == '-';
    scan->at += negative;
    const char *digits = scan->at;
    uint64_t written = 0;
    for (; scan->at < scan->end && (unsigned char)(*scan->at - '0') < 10; ++scan->at) {
        if (written < UINT64_C(1) << 40) { // enough to be out of range
            written = written * 10 + (uint64_t)(*scan->at - '0');
        }
    }
    const bool some = scan->at > digits;
    if (some && scan->at < scan->end && *scan->at == '/') {
        td_obj_skip_references(scan);
    }
    if (!some || td_scan_kind(scan) == TD_CHAR_WORD) {
        scan->at = start;
        return td_scan_expected(scan, "a vertex index like 7, 7/1, 7//3 or -1 in face %llu",
                                (unsigned long long)obj->faces);
    }
    return td_obj_resolve(out, obj, written, negative, start);
}

static td_result td_obj_face(td_obj *obj) {
    td_fan fan = {0};
    ++obj->faces;
    const char *start = obj->scan.at;
    while (!td_scan_line_done(&obj->scan)) {
        uint32_t vertex = 0;
        TD_TRY(td_obj_corner(&vertex, obj));
        TD_TRY(td_fan_add(&fan, obj->reader, vertex));
    }
    if (fan.corners < 3) {
        return td_scan_fail(&obj->scan, start, "face %llu has %llu vertices, expected at least 3",
                            (unsigned long long)obj->faces, (unsigned long long)fan.corners);
    }
    td_scan_skip_line(&obj->scan);
    return TD_OK;
}

static td_result td_obj_statement(td_obj *obj) {
    const td_word word = td_scan_word(&obj->scan);
    if (word.length == 1 && *word.at == 'v') {
        return td_obj_vertex(obj);
    }
    if ((word.length == 1 && *word.at == 'f') || td_word_is(word, "fo")) {
        return td_obj_face(obj);
    }
    if (!td_obj_is_skipped(word) && obj->unknown_lines++ == 0) {
        obj->unknown_at = word.at;
    }
    td_scan_skip_line(&obj->scan);
    return TD_OK;
}

static td_result td_obj_check_end(td_obj *obj) {
    const uint64_t vertices = td_reader_vertex_count(obj->reader);
    if (obj->farthest > vertices) {
        return td_scan_fail(&obj->scan, obj->farthest_at,
                            "a face names vertex %llu, but the file has %llu vertices",
                            (unsigned long long)obj->farthest, (unsigned long long)vertices);
    }
    if (obj->faces == 0 && obj->unknown_lines > 0) {
        obj->scan.at = obj->unknown_at;
        return td_scan_expected(&obj->scan, "an OBJ statement such as v or f (the file has no faces)");
    }
    if (obj->unknown_lines > 0) {
        td_log(obj->reader->context, TD_LOG_WARNING,
               "%s:%llu: not a known OBJ statement; %llu such lines were passed over", obj->reader->name,
               (unsigned long long)td_scan_line(&obj->scan, obj->unknown_at),
               (unsigned long long)obj->unknown_lines);
    }
    return TD_OK;
}

td_result td_read_obj(td_mesh_reader *reader) {
    td_obj obj = {.reader = reader,
                  .scan = td_scan_make(&td_dialect_obj, reader->bytes, reader->size, reader->name)};
    while (td_scan_next_line(&obj.scan)) {
        TD_TRY(td_obj_statement(&obj));
        TD_TRY(td_reader_progress(reader, obj.scan.at));
    }
    return td_obj_check_end(&obj);
}
