// The body of an ascii PLY file: one line per entry.
#include "read_ply.h"

typedef struct td_ply_text {
    td_mesh_reader *reader;
    const td_ply_header *header;
    td_scan *scan;
    const td_ply_element *element;
    uint64_t index; // of the entry, from 1
} td_ply_text;

static td_result td_ply_text_expected(const td_ply_text *text, const char *what) {
    char entry[TD_PLY_ENTRY_BYTES];
    td_ply_name_entry(entry, text->element, text->index);
    return td_scan_expected(text->scan, "%s in %s", what, entry);
}

static td_result td_ply_text_coordinate(double *out, const td_ply_text *text) {
    const td_decimal_status status = td_scan_number(out, text->scan);
    if (status == TD_DECIMAL_OK) {
        return TD_OK;
    }
    return td_ply_text_expected(text, status == TD_DECIMAL_NOT_FINITE ? "a finite number" : "a number");
}

static td_result td_ply_text_skip(const td_ply_text *text) {
    if (td_scan_line_done(text->scan)) {
        return td_ply_text_expected(text, "a value for each property");
    }
    td_scan_word(text->scan);
    return TD_OK;
}

static td_result td_ply_text_corners(const td_ply_text *text, uint64_t count) {
    const char *start = text->scan->at;
    char entry[TD_PLY_ENTRY_BYTES];
    if (count < 3) {
        td_ply_name_entry(entry, text->element, text->index);
        return td_scan_fail(text->scan, start, "%s has %llu vertices, expected at least 3", entry,
                            (unsigned long long)count);
    }
    td_fan fan = {0};
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t vertex;
        if (td_scan_unsigned(&vertex, text->scan) != TD_DECIMAL_OK) {
            return td_ply_text_expected(text, "a vertex index");
        }
        if (vertex >= text->header->vertices->count) {
            td_ply_name_entry(entry, text->element, text->index);
            return td_scan_fail(text->scan, start, "%s names vertex %llu, but there are only 0 to %llu",
                                entry, (unsigned long long)vertex,
                                (unsigned long long)text->header->vertices->count - 1);
        }
        TD_TRY(td_fan_add(&fan, text->reader, (uint32_t)vertex));
    }
    return TD_OK;
}

static td_result td_ply_text_list(const td_ply_text *text, const td_ply_property *property) {
    uint64_t count;
    if (td_scan_unsigned(&count, text->scan) != TD_DECIMAL_OK) {
        return td_ply_text_expected(text, "the length of a list");
    }
    if (property->role == TD_PLY_CORNERS) {
        return td_ply_text_corners(text, count);
    }
    for (uint64_t i = 0; i < count; ++i) {
        TD_TRY(td_ply_text_skip(text));
    }
    return TD_OK;
}

static td_result td_ply_text_entry(const td_ply_text *text) {
    const td_ply_property *property = text->header->properties.items + text->element->first_property;
    double position[3] = {0};
    for (size_t i = 0; i < text->element->property_count; ++i, ++property) {
        if (property->list) {
            TD_TRY(td_ply_text_list(text, property));
        } else if (property->role == TD_PLY_OTHER) {
            TD_TRY(td_ply_text_skip(text));
        } else {
            TD_TRY(td_ply_text_coordinate(&position[property->role - TD_PLY_X], text));
        }
    }
    if (!td_scan_line_done(text->scan)) {
        return td_ply_text_expected(text, "the end of the line");
    }
    td_scan_skip_line(text->scan);
    return text->element->kind == TD_PLY_VERTICES ? td_reader_add_vertex(text->reader, position) : TD_OK;
}

static td_result td_ply_text_element(td_ply_text *text) {
    for (text->index = 1; text->index <= text->element->count; ++text->index) {
        if (!td_scan_next_line(text->scan)) {
            return td_ply_text_expected(text, "the values"); // "..., found the end of the file"
        }
        TD_TRY(td_ply_text_entry(text));
        TD_TRY(td_reader_progress(text->reader, text->scan->at));
    }
    return TD_OK;
}

td_result td_ply_read_ascii(td_mesh_reader *reader, const td_ply_header *header, td_scan *scan) {
    const size_t least_vertex = 6, least_face = 8; // "0 0 0\n", "3 0 0 0\n"
    const size_t left = (size_t)(scan->end - scan->at);
    TD_TRY(td_reader_expect_vertices(reader, header->vertices->count, left, least_vertex));
    TD_TRY(td_reader_expect_triangles(reader, header->faces->count, left, least_face));
    td_ply_text text = {.reader = reader, .header = header, .scan = scan};
    for (size_t i = 0; i < header->elements.count; ++i) {
        text.element = &header->elements.items[i];
        if (text.element->property_count > 0) { // without any, there is nothing in the file
            TD_TRY(td_ply_text_element(&text));
        }
    }
    td_scan_next_line(scan); // blank lines at the end are no content
    return TD_OK;
}
