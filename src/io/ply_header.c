#include "ply_header.h"

#include "../core/error.h"
#include "mesh_reader.h"

#include <stdio.h>

static const struct {
    const char *name, *other_name;
    size_t size;
} td_ply_types[] = {
    [TD_PLY_INT8] = {"char", "int8", 1},        [TD_PLY_UINT8] = {"uchar", "uint8", 1},
    [TD_PLY_INT16] = {"short", "int16", 2},     [TD_PLY_UINT16] = {"ushort", "uint16", 2},
    [TD_PLY_INT32] = {"int", "int32", 4},       [TD_PLY_UINT32] = {"uint", "uint32", 4},
    [TD_PLY_FLOAT32] = {"float", "float32", 4}, [TD_PLY_FLOAT64] = {"double", "float64", 8},
};

size_t td_ply_type_size(td_ply_type type) {
    return td_ply_types[type].size;
}

bool td_ply_type_is_integer(td_ply_type type) {
    return type != TD_PLY_FLOAT32 && type != TD_PLY_FLOAT64;
}

void td_ply_name_entry(char out[TD_PLY_ENTRY_BYTES], const td_ply_element *element, uint64_t index) {
    char name[25];
    const size_t most = sizeof name - 1;
    const size_t length = element->name.length < most ? element->name.length : most;
    for (size_t i = 0; i < length; ++i) {
        const char c = element->name.at[i];
        name[i] = c > ' ' && c <= '~' ? c : '?';
    }
    name[length] = '\0';
    snprintf(out, TD_PLY_ENTRY_BYTES, "%s %llu of %llu", name, (unsigned long long)index,
             (unsigned long long)element->count);
}

static td_word td_ply_word(td_scan *scan) {
    td_scan_skip_blanks(scan);
    return td_scan_word(scan);
}

static td_result td_ply_read_type(td_ply_type *out, td_scan *scan) {
    td_scan_skip_blanks(scan);
    const char *start = scan->at;
    const td_word word = td_scan_word(scan);
    for (size_t type = 0; type < sizeof td_ply_types / sizeof *td_ply_types; ++type) {
        if (td_word_is(word, td_ply_types[type].name) || td_word_is(word, td_ply_types[type].other_name)) {
            *out = (td_ply_type)type;
            return TD_OK;
        }
    }
    scan->at = start;
    return td_scan_expected(scan, "a PLY type (char, uchar, short, ushort, int, uint, float, double)");
}

static td_result td_ply_read_format(td_ply_header *header, td_scan *scan) {
    td_scan_skip_blanks(scan);
    const char *start = scan->at;
    const td_word word = td_scan_word(scan);
    if (td_word_is(word, "ascii")) {
        header->encoding = TD_PLY_ASCII;
    } else if (td_word_is(word, "binary_little_endian")) {
        header->encoding = TD_PLY_LITTLE_ENDIAN;
    } else if (td_word_is(word, "binary_big_endian")) {
        header->encoding = TD_PLY_BIG_ENDIAN;
    } else {
        scan->at = start;
        return td_scan_expected(scan, "the format ascii, binary_little_endian or binary_big_endian");
    }
    td_scan_skip_blanks(scan);
    start = scan->at;
    if (!td_word_is(td_scan_word(scan), "1.0")) {
        scan->at = start;
        return td_scan_expected(scan, "format version 1.0");
    }
    return TD_OK;
}

static td_result td_ply_read_element(td_ply_header *header, td_context *context, td_scan *scan) {
    td_ply_element element = {.name = td_ply_word(scan), .first_property = header->properties.count};
    if (element.name.length == 0) {
        return td_scan_expected(scan, "the name of an element");
    }
    if (td_scan_unsigned(&element.count, scan) != TD_DECIMAL_OK) {
        return td_scan_expected(scan, "the number of entries of the element");
    }
    element.kind = td_word_is(element.name, "vertex") ? TD_PLY_VERTICES
                   : td_word_is(element.name, "face") ? TD_PLY_FACES
                                                      : TD_PLY_OTHERS;
    const uint64_t most = element.kind == TD_PLY_VERTICES ? TD_MOST_VERTICES : TD_MOST_TRIANGLES;
    if (element.kind != TD_PLY_OTHERS && element.count > most) {
        return td_scan_fail(scan, element.name.at, "%llu entries announced, at most %llu can be read",
                            (unsigned long long)element.count, (unsigned long long)most);
    }
    TD_TRY(td_array_reserve(context, &header->elements, 1));
    header->elements.items[header->elements.count++] = element;
    return TD_OK;
}

static td_ply_role td_ply_find_role(td_ply_kind kind, bool list, td_word name) {
    if (kind == TD_PLY_VERTICES && !list) {
        return td_word_is(name, "x")   ? TD_PLY_X
               : td_word_is(name, "y") ? TD_PLY_Y
               : td_word_is(name, "z") ? TD_PLY_Z
                                       : TD_PLY_OTHER;
    }
    const bool corners = td_word_is(name, "vertex_indices") || td_word_is(name, "vertex_index");
    return kind == TD_PLY_FACES && list && corners ? TD_PLY_CORNERS : TD_PLY_OTHER;
}

// Whether the element has a property of this role.
static bool td_ply_has_role(const td_ply_header *header, const td_ply_element *element, td_ply_role role) {
    for (size_t i = 0; i < element->property_count; ++i) {
        if (header->properties.items[element->first_property + i].role == role) {
            return true;
        }
    }
    return false;
}

static td_result td_ply_read_property(td_ply_header *header, td_context *context, td_scan *scan) {
    if (header->elements.count == 0) {
        return td_scan_fail(scan, scan->at, "a property before the first element");
    }
    td_ply_element *element = &header->elements.items[header->elements.count - 1];
    td_ply_property property = {0};
    td_scan_skip_blanks(scan);
    const char *start = scan->at;
    property.list = td_word_is(td_scan_word(scan), "list");
    if (property.list) {
        TD_TRY(td_ply_read_type(&property.count_type, scan));
        if (!td_ply_type_is_integer(property.count_type)) {
            return td_scan_fail(scan, start, "the length of a list must have an integer type");
        }
    } else {
        scan->at = start;
    }
    TD_TRY(td_ply_read_type(&property.type, scan));
    const td_word name = td_ply_word(scan);
    if (name.length == 0) {
        return td_scan_expected(scan, "the name of a property");
    }
    property.role = td_ply_find_role(element->kind, property.list, name);
    if (property.role == TD_PLY_CORNERS && !td_ply_type_is_integer(property.type)) {
        return td_scan_fail(scan, start, "vertex indices must have an integer type");
    }
    if (property.role != TD_PLY_OTHER && td_ply_has_role(header, element, property.role)) {
        return td_scan_fail(scan, start, "property %.*s is there twice", (int)name.length, name.at);
    }
    element->least_bytes += td_ply_type_size(property.list ? property.count_type : property.type);
    ++element->property_count;
    TD_TRY(td_array_reserve(context, &header->properties, 1));
    header->properties.items[header->properties.count++] = property;
    return TD_OK;
}

static td_result td_ply_check_elements(td_ply_header *header, const td_scan *scan) {
    bool strips = false;
    for (size_t i = 0; i < header->elements.count; ++i) {
        const td_ply_element *element = &header->elements.items[i];
        const td_ply_element **known = element->kind == TD_PLY_VERTICES ? &header->vertices
                                       : element->kind == TD_PLY_FACES  ? &header->faces
                                                                        : NULL;
        strips |= td_word_is(element->name, "tristrips");
        if (known != NULL && *known != NULL) {
            return td_scan_fail(scan, element->name.at, "element %.*s is there twice",
                                (int)element->name.length, element->name.at);
        }
        if (known != NULL) {
            *known = element;
        }
    }
    if (header->vertices == NULL) {
        return td_fail(TD_ERROR_FORMAT, "%s: the PLY header has no element vertex", scan->name);
    }
    for (td_ply_role role = TD_PLY_X; role <= TD_PLY_Z; ++role) {
        if (!td_ply_has_role(header, header->vertices, role)) {
            return td_scan_fail(scan, header->vertices->name.at, "element vertex has no property %c",
                                "xyz"[role - TD_PLY_X]);
        }
    }
    if (header->faces == NULL && strips) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%s: PLY triangle strips are not supported, only faces",
                       scan->name);
    }
    if (header->faces == NULL) {
        return td_fail(TD_ERROR_FORMAT, "%s: the PLY header has no element face: no triangles", scan->name);
    }
    if (!td_ply_has_role(header, header->faces, TD_PLY_CORNERS)) {
        return td_scan_fail(scan, header->faces->name.at, "element face has no list property vertex_indices");
    }
    return TD_OK;
}

// One line of the header; *done at its end.
static td_result td_ply_read_line(bool *done, bool *has_format, td_ply_header *header, td_context *context,
                                  td_scan *scan) {
    const char *start = scan->at;
    const td_word word = td_scan_word(scan);
    *done = td_word_is(word, "end_header");
    if (*done) {
        return TD_OK;
    }
    if (td_word_is(word, "comment") || td_word_is(word, "obj_info")) {
        return TD_OK;
    }
    if (td_word_is(word, "format")) {
        *has_format = true;
        return td_ply_read_format(header, scan);
    }
    if (td_word_is(word, "element")) {
        return td_ply_read_element(header, context, scan);
    }
    if (td_word_is(word, "property")) {
        return td_ply_read_property(header, context, scan);
    }
    scan->at = start;
    return td_scan_expected(scan, "format, comment, element, property or end_header");
}

static td_result td_ply_read_lines(td_ply_header *header, td_context *context, td_scan *scan) {
    bool done = false, has_format = false;
    td_scan_skip_line(scan); // "ply", which brought us here
    while (!done) {
        if (!td_scan_next_line(scan)) {
            return td_scan_fail(scan, scan->at, "the PLY header has no end_header: the file is truncated");
        }
        TD_TRY(td_ply_read_line(&done, &has_format, header, context, scan));
        td_scan_skip_line(scan);
    }
    if (!has_format) {
        return td_fail(TD_ERROR_FORMAT, "%s: the PLY header has no format line", scan->name);
    }
    return td_ply_check_elements(header, scan);
}

td_result td_ply_read_header(td_ply_header *out, td_context *context, td_scan *scan) {
    *out = (td_ply_header){0};
    const td_result result = td_ply_read_lines(out, context, scan);
    if (result != TD_OK) {
        td_ply_release_header(out, context);
    }
    return result;
}

void td_ply_release_header(td_ply_header *header, td_context *context) {
    td_array_release(context, &header->elements);
    td_array_release(context, &header->properties);
}
