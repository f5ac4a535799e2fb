// The header of a PLY file: which elements follow, and what each entry of them is made of.
#ifndef TD_IO_PLY_HEADER_H
#define TD_IO_PLY_HEADER_H

#include "../core/array.h"
#include "scan.h"

typedef enum td_ply_encoding { TD_PLY_ASCII, TD_PLY_LITTLE_ENDIAN, TD_PLY_BIG_ENDIAN } td_ply_encoding;

typedef enum td_ply_type {
    TD_PLY_INT8,
    TD_PLY_UINT8,
    TD_PLY_INT16,
    TD_PLY_UINT16,
    TD_PLY_INT32,
    TD_PLY_UINT32,
    TD_PLY_FLOAT32,
    TD_PLY_FLOAT64
} td_ply_type;

size_t td_ply_type_size(td_ply_type type); // bytes
bool td_ply_type_is_integer(td_ply_type type);

// What a property is to us.
typedef enum td_ply_role { TD_PLY_OTHER, TD_PLY_X, TD_PLY_Y, TD_PLY_Z, TD_PLY_CORNERS } td_ply_role;

typedef struct td_ply_property {
    td_ply_type type; // of the value, or of each value of a list
    bool list;
    td_ply_type count_type; // of a list
    td_ply_role role;
} td_ply_property;

typedef enum td_ply_kind { TD_PLY_VERTICES, TD_PLY_FACES, TD_PLY_OTHERS } td_ply_kind;

typedef struct td_ply_element {
    td_word name; // in the header's text
    td_ply_kind kind;
    uint64_t count;
    size_t first_property; // in the header's properties
    size_t property_count;
    size_t least_bytes; // of one entry in binary: its lists empty
} td_ply_element;

typedef struct td_ply_header {
    td_ply_encoding encoding;
    TD_ARRAY(td_ply_element) elements;
    TD_ARRAY(td_ply_property) properties;
    const td_ply_element *vertices; // point into elements
    const td_ply_element *faces;
} td_ply_header;

// Leaves the cursor on the first byte behind the header. Sees to it that there is one vertex element with x,
// y and z and one face element with a list of corners. On success the header is to be released.
td_result td_ply_read_header(td_ply_header *out, td_context *context, td_scan *scan);
void td_ply_release_header(td_ply_header *header, td_context *context);

// "vertex 12 of 100": the name of an entry, counted from 1, in messages.
#define TD_PLY_ENTRY_BYTES 80
void td_ply_name_entry(char out[TD_PLY_ENTRY_BYTES], const td_ply_element *element, uint64_t index);

#endif
