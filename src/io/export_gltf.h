// A glTF 2.0 document as it is put together: the JSON in cJSON, the binary buffer beside it, and both as a
// .glb file at last (Khronos, glTF 2.0 specification, sections 4.4 and 5).
//
// cJSON allocates for itself: a failure is kept in `out_of_memory`, and told by td_write_glb.
#ifndef TD_IO_EXPORT_GLTF_H
#define TD_IO_EXPORT_GLTF_H

#include "../core/array.h"

#include <cjson/cJSON.h>
#include <stdio.h>

// Names of the specification.
enum {
    TD_GLTF_UNSIGNED_BYTE = 5121,
    TD_GLTF_UNSIGNED_SHORT = 5123,
    TD_GLTF_UNSIGNED_INT = 5125,
    TD_GLTF_FLOAT = 5126
};
typedef enum td_gltf_target {
    TD_GLTF_KEYS = 0, // of animations, which have no target
    TD_GLTF_VERTICES = 34962,
    TD_GLTF_CORNERS = 34963
} td_gltf_target;

// The lists of the document.
typedef enum td_gltf_list {
    TD_GLTF_NODES,
    TD_GLTF_MESHES,
    TD_GLTF_MATERIALS,
    TD_GLTF_CAMERAS,
    TD_GLTF_ANIMATIONS,
    TD_GLTF_ACCESSORS,
    TD_GLTF_VIEWS,
    TD_GLTF_BUFFERS,
    TD_GLTF_SCENES,
    TD_GLTF_LISTS
} td_gltf_list;

typedef struct td_gltf {
    td_context *context;
    cJSON *root;
    cJSON *lists[TD_GLTF_LISTS]; // null as long as they have no entries: the specification has no empty ones
    uint32_t counts[TD_GLTF_LISTS];
    TD_ARRAY(unsigned char) bytes; // of the buffer; a multiple of four
    uint64_t most_bytes;           // of the file: its size is written in 32 bits
    bool out_of_memory;
} td_gltf;

td_gltf td_begin_gltf(td_context *context);
void td_release_gltf(td_gltf *gltf);

// Header, JSON and buffer. TD_ERROR_UNSUPPORTED if they are beyond 4 GiB.
td_result td_write_glb(FILE *file, td_gltf *gltf);

// ---------------------------------------------------------------------------------------------------------
// JSON. `key`, which must be a literal, is null within arrays; a null parent, left by an earlier failure, is
// fine.

cJSON *td_gltf_object(td_gltf *gltf, cJSON *parent, const char *key);
cJSON *td_gltf_array(td_gltf *gltf, cJSON *parent, const char *key);
void td_gltf_number(td_gltf *gltf, cJSON *parent, const char *key, double number);
void td_gltf_numbers(td_gltf *gltf, cJSON *parent, const char *key, const double *numbers, int count);
void td_gltf_text(td_gltf *gltf, cJSON *parent, const char *key, const char *text);
void td_gltf_true(td_gltf *gltf, cJSON *parent, const char *key);

// A new object at the end of a list; its number there is the count of the list before.
cJSON *td_gltf_entry(td_gltf *gltf, td_gltf_list list);

// ---------------------------------------------------------------------------------------------------------
// The buffer

// Appends, little-endian, and pads to four bytes. TD_ERROR_UNSUPPORTED if a .glb cannot hold so much.
td_result td_gltf_append_floats(td_gltf *gltf, const float *numbers, size_t count);
td_result td_gltf_append_shorts(td_gltf *gltf, const uint32_t *numbers, size_t count); // as 16 bits each
td_result td_gltf_append_ints(td_gltf *gltf, const uint32_t *numbers, size_t count);
td_result td_gltf_append_zeros(td_gltf *gltf, size_t count); // bytes

// The part of the buffer from `offset` to its end; `stride` in bytes, 0: none. Returns its number.
uint32_t td_gltf_view(td_gltf *gltf, size_t offset, td_gltf_target target, int stride);

typedef struct td_gltf_accessor {
    uint32_t view;
    size_t offset; // in the view
    int component;
    bool normalized; // the largest number of the component means 1
    size_t count;
    const char *type;            // "SCALAR", "VEC3", "VEC4"
    const double *lower, *upper; // null: not told
    int bounds;                  // how many numbers these have
} td_gltf_accessor;

uint32_t td_gltf_add_accessor(td_gltf *gltf, const td_gltf_accessor *accessor);

#endif
