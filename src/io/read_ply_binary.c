// The body of a binary PLY file, of either endianness.
#include "read_ply.h"

#include <math.h>
#include <string.h>

typedef struct td_ply_bytes {
    td_mesh_reader *reader;
    const td_ply_header *header;
    td_scan *scan; // only its cursor: there are no words here
    const td_ply_element *element;
    uint64_t index; // of the entry, from 1
    bool swap;      // the file has the other byte order
} td_ply_bytes;

static bool td_host_is_big_endian(void) {
    const uint16_t probe = 1;
    unsigned char first;
    memcpy(&first, &probe, 1);
    return first == 0;
}

// ---------------------------------------------------------------------------------------------------------
// Values. The bytes are known to be there.

static uint16_t td_load_16(const char *at, bool swap) {
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    return swap ? __builtin_bswap16(bits) : bits;
}

static uint32_t td_load_32(const char *at, bool swap) {
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    return swap ? __builtin_bswap32(bits) : bits;
}

static uint64_t td_load_64(const char *at, bool swap) {
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return swap ? __builtin_bswap64(bits) : bits;
}

// Not for the two floating types.
static int64_t td_load_integer(td_ply_type type, const char *at, bool swap) {
    switch (type) {
    case TD_PLY_INT8:
        return (signed char)*at;
    case TD_PLY_UINT8:
        return (unsigned char)*at;
    case TD_PLY_INT16:
        return (int16_t)td_load_16(at, swap);
    case TD_PLY_UINT16:
        return td_load_16(at, swap);
    case TD_PLY_INT32:
        return (int32_t)td_load_32(at, swap);
    default:
        return td_load_32(at, swap);
    }
}

static double td_load_number(td_ply_type type, const char *at, bool swap) {
    if (type == TD_PLY_FLOAT32) {
        const uint32_t bits = td_load_32(at, swap);
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    if (type == TD_PLY_FLOAT64) {
        const uint64_t bits = td_load_64(at, swap);
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return (double)td_load_integer(type, at, swap);
}

// ---------------------------------------------------------------------------------------------------------

// "NAME: face 3 of 12 (byte 345): " is how every message here begins.
static td_result td_ply_bytes_fail(const td_ply_bytes *bytes, const char *at, const char *sentence) {
    char entry[TD_PLY_ENTRY_BYTES];
    td_ply_name_entry(entry, bytes->element, bytes->index);
    return td_fail(TD_ERROR_FORMAT, "%s: %s (byte %zu): %s", bytes->reader->name, entry,
                   (size_t)(at - bytes->scan->begin), sentence);
}

// Steps over `count` values of `size` bytes and returns where they are; null, with the error kept, if the
// file ends before.
static const char *td_ply_take(const td_ply_bytes *bytes, uint64_t count, size_t size) {
    td_scan *scan = bytes->scan;
    if (count > (size_t)(scan->end - scan->at) / size) {
        td_ply_bytes_fail(bytes, scan->at, "the file ends here, it is truncated");
        return NULL;
    }
    const char *start = scan->at;
    scan->at += (size_t)count * size;
    return start;
}

static td_result td_ply_bytes_coordinate(double *out, const td_ply_bytes *bytes,
                                         const td_ply_property *property) {
    const char *at = td_ply_take(bytes, 1, td_ply_type_size(property->type));
    if (at == NULL) {
        return TD_ERROR_FORMAT;
    }
    *out = td_load_number(property->type, at, bytes->swap);
    return isfinite(*out) ? TD_OK : td_ply_bytes_fail(bytes, at, "a coordinate is not a finite number");
}

static td_result td_ply_bytes_corners(const td_ply_bytes *bytes, td_ply_type type, const char *at,
                                      int64_t count) {
    if (count < 3) {
        return td_ply_bytes_fail(bytes, at, "a face needs at least 3 vertices");
    }
    const size_t size = td_ply_type_size(type);
    td_fan fan = {0};
    for (int64_t i = 0; i < count; ++i, at += size) {
        const int64_t vertex = td_load_integer(type, at, bytes->swap);
        if (vertex < 0 || (uint64_t)vertex >= bytes->header->vertices->count) {
            return td_ply_bytes_fail(bytes, at, "a vertex index is out of range");
        }
        TD_TRY(td_fan_add(&fan, bytes->reader, (uint32_t)vertex));
    }
    return TD_OK;
}

static td_result td_ply_bytes_list(const td_ply_bytes *bytes, const td_ply_property *property) {
    const char *start = td_ply_take(bytes, 1, td_ply_type_size(property->count_type));
    if (start == NULL) {
        return TD_ERROR_FORMAT;
    }
    const int64_t count = td_load_integer(property->count_type, start, bytes->swap);
    if (count < 0) {
        return td_ply_bytes_fail(bytes, start, "the length of a list is negative");
    }
    const char *values = td_ply_take(bytes, (uint64_t)count, td_ply_type_size(property->type));
    if (values == NULL) {
        return TD_ERROR_FORMAT;
    }
    return property->role == TD_PLY_CORNERS ? td_ply_bytes_corners(bytes, property->type, values, count)
                                            : TD_OK;
}

static td_result td_ply_bytes_entry(const td_ply_bytes *bytes) {
    const td_ply_property *property = bytes->header->properties.items + bytes->element->first_property;
    double position[3] = {0};
    for (size_t i = 0; i < bytes->element->property_count; ++i, ++property) {
        if (property->list) {
            TD_TRY(td_ply_bytes_list(bytes, property));
        } else if (property->role != TD_PLY_OTHER) {
            TD_TRY(td_ply_bytes_coordinate(&position[property->role - TD_PLY_X], bytes, property));
        } else if (td_ply_take(bytes, 1, td_ply_type_size(property->type)) == NULL) {
            return TD_ERROR_FORMAT;
        }
    }
    return bytes->element->kind == TD_PLY_VERTICES ? td_reader_add_vertex(bytes->reader, position) : TD_OK;
}

static td_result td_ply_bytes_element(td_ply_bytes *bytes) {
    for (bytes->index = 1; bytes->index <= bytes->element->count; ++bytes->index) {
        TD_TRY(td_ply_bytes_entry(bytes));
        TD_TRY(td_reader_progress(bytes->reader, bytes->scan->at));
    }
    return TD_OK;
}

static bool td_ply_all_float32(const td_ply_header *header) {
    const td_ply_property *property = header->properties.items + header->vertices->first_property;
    for (size_t i = 0; i < header->vertices->property_count; ++i) {
        if (property[i].role != TD_PLY_OTHER && property[i].type != TD_PLY_FLOAT32) {
            return false;
        }
    }
    return true;
}

td_result td_ply_read_binary(td_mesh_reader *reader, const td_ply_header *header, td_scan *scan) {
    const size_t left = (size_t)(scan->end - scan->at);
    const size_t least_corners = 3; // three indices of a byte
    TD_TRY(td_reader_expect_vertices(reader, header->vertices->count, left, header->vertices->least_bytes));
    TD_TRY(td_reader_expect_triangles(reader, header->faces->count, left,
                                      header->faces->least_bytes + least_corners));
    reader->single_precision = td_ply_all_float32(header);
    td_ply_bytes bytes = {.reader = reader,
                          .header = header,
                          .scan = scan,
                          .swap = (header->encoding == TD_PLY_BIG_ENDIAN) != td_host_is_big_endian()};
    for (size_t i = 0; i < header->elements.count; ++i) {
        bytes.element = &header->elements.items[i];
        if (bytes.element->property_count > 0) { // without any, there is nothing in the file
            TD_TRY(td_ply_bytes_element(&bytes));
        }
    }
    return TD_OK;
}
