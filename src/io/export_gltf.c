#include "export_gltf.h"

#include "../core/error.h"
#include "mesh_writer.h"

#include <inttypes.h>
#include <string.h>

enum { TD_GLB_HEADER = 12, TD_GLB_CHUNK_HEADER = 8 };

td_gltf td_begin_gltf(td_context *context) {
    td_gltf gltf = {.context = context, .root = cJSON_CreateObject(), .most_bytes = UINT32_MAX};
    gltf.out_of_memory = gltf.root == NULL;
    cJSON *asset = td_gltf_object(&gltf, gltf.root, "asset");
    char generator[64];
    snprintf(generator, sizeof generator, "tandem %s", td_version());
    td_gltf_text(&gltf, asset, "version", "2.0");
    td_gltf_text(&gltf, asset, "generator", generator);
    return gltf;
}

void td_release_gltf(td_gltf *gltf) {
    cJSON_Delete(gltf->root);
    td_array_release(gltf->context, &gltf->bytes);
}

// ---------------------------------------------------------------------------------------------------------
// JSON

static cJSON *td_gltf_put(td_gltf *gltf, cJSON *parent, const char *key, cJSON *item) {
    const bool added =
        item != NULL && parent != NULL &&
        (key != NULL ? cJSON_AddItemToObjectCS(parent, key, item) : cJSON_AddItemToArray(parent, item));
    if (!added) {
        gltf->out_of_memory = true;
        cJSON_Delete(item);
        return NULL;
    }
    return item;
}

cJSON *td_gltf_object(td_gltf *gltf, cJSON *parent, const char *key) {
    return td_gltf_put(gltf, parent, key, cJSON_CreateObject());
}

cJSON *td_gltf_array(td_gltf *gltf, cJSON *parent, const char *key) {
    return td_gltf_put(gltf, parent, key, cJSON_CreateArray());
}

void td_gltf_number(td_gltf *gltf, cJSON *parent, const char *key, double number) {
    td_gltf_put(gltf, parent, key, cJSON_CreateNumber(number));
}

void td_gltf_numbers(td_gltf *gltf, cJSON *parent, const char *key, const double *numbers, int count) {
    td_gltf_put(gltf, parent, key, cJSON_CreateDoubleArray(numbers, count));
}

void td_gltf_text(td_gltf *gltf, cJSON *parent, const char *key, const char *text) {
    td_gltf_put(gltf, parent, key, cJSON_CreateString(text));
}

void td_gltf_true(td_gltf *gltf, cJSON *parent, const char *key) {
    td_gltf_put(gltf, parent, key, cJSON_CreateTrue());
}

cJSON *td_gltf_entry(td_gltf *gltf, td_gltf_list list) {
    static const char *const names[TD_GLTF_LISTS] = {"nodes",       "meshes",     "materials",
                                                     "cameras",     "animations", "accessors",
                                                     "bufferViews", "buffers",    "scenes"};
    if (gltf->lists[list] == NULL) {
        gltf->lists[list] = td_gltf_array(gltf, gltf->root, names[list]);
    }
    ++gltf->counts[list];
    return td_gltf_object(gltf, gltf->lists[list], NULL);
}

// ---------------------------------------------------------------------------------------------------------
// The buffer

static td_result td_gltf_too_large(const td_gltf *gltf) {
    return td_fail(TD_ERROR_UNSUPPORTED,
                   "more than %" PRIu64 " bytes, which a .glb cannot hold: expected fewer frames or a larger "
                   "tolerance",
                   gltf->most_bytes);
}

static td_result td_gltf_append(td_gltf *gltf, const void *numbers, size_t count, size_t from, size_t to) {
    const uint64_t size = ((uint64_t)count * to + 3) / 4 * 4;
    if (count > UINT32_MAX || size > gltf->most_bytes || gltf->bytes.count > gltf->most_bytes - size) {
        return td_gltf_too_large(gltf);
    }
    TD_TRY(td_array_reserve(gltf->context, &gltf->bytes, (size_t)size));
    unsigned char *out = gltf->bytes.items + gltf->bytes.count;
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, (const unsigned char *)numbers + i * from, sizeof bits);
        out = td_store_little(out, bits, to);
    }
    gltf->bytes.count += (size_t)size;
    memset(out, 0, (size_t)(gltf->bytes.items + gltf->bytes.count - out));
    return TD_OK;
}

td_result td_gltf_append_floats(td_gltf *gltf, const float *numbers, size_t count) {
    return td_gltf_append(gltf, numbers, count, sizeof *numbers, 4);
}

td_result td_gltf_append_shorts(td_gltf *gltf, const uint32_t *numbers, size_t count) {
    return td_gltf_append(gltf, numbers, count, sizeof *numbers, 2);
}

td_result td_gltf_append_ints(td_gltf *gltf, const uint32_t *numbers, size_t count) {
    return td_gltf_append(gltf, numbers, count, sizeof *numbers, 4);
}

td_result td_gltf_append_zeros(td_gltf *gltf, size_t count) {
    const uint64_t size = ((uint64_t)count + 3) / 4 * 4;
    if (count > UINT32_MAX || size > gltf->most_bytes || gltf->bytes.count > gltf->most_bytes - size) {
        return td_gltf_too_large(gltf);
    }
    TD_TRY(td_array_reserve(gltf->context, &gltf->bytes, (size_t)size));
    memset(gltf->bytes.items + gltf->bytes.count, 0, (size_t)size);
    gltf->bytes.count += (size_t)size;
    return TD_OK;
}

uint32_t td_gltf_view(td_gltf *gltf, size_t offset, td_gltf_target target, int stride) {
    const uint32_t index = gltf->counts[TD_GLTF_VIEWS];
    cJSON *view = td_gltf_entry(gltf, TD_GLTF_VIEWS);
    td_gltf_number(gltf, view, "buffer", 0);
    td_gltf_number(gltf, view, "byteOffset", (double)offset);
    td_gltf_number(gltf, view, "byteLength", (double)(gltf->bytes.count - offset));
    if (stride > 0) {
        td_gltf_number(gltf, view, "byteStride", stride);
    }
    if (target != TD_GLTF_KEYS) {
        td_gltf_number(gltf, view, "target", target);
    }
    return index;
}

uint32_t td_gltf_add_accessor(td_gltf *gltf, const td_gltf_accessor *accessor) {
    const uint32_t index = gltf->counts[TD_GLTF_ACCESSORS];
    cJSON *entry = td_gltf_entry(gltf, TD_GLTF_ACCESSORS);
    td_gltf_number(gltf, entry, "bufferView", accessor->view);
    if (accessor->offset > 0) {
        td_gltf_number(gltf, entry, "byteOffset", (double)accessor->offset);
    }
    td_gltf_number(gltf, entry, "componentType", accessor->component);
    if (accessor->normalized) {
        td_gltf_true(gltf, entry, "normalized");
    }
    td_gltf_number(gltf, entry, "count", (double)accessor->count);
    td_gltf_text(gltf, entry, "type", accessor->type);
    if (accessor->lower != NULL) {
        td_gltf_numbers(gltf, entry, "min", accessor->lower, accessor->bounds);
        td_gltf_numbers(gltf, entry, "max", accessor->upper, accessor->bounds);
    }
    return index;
}

// ---------------------------------------------------------------------------------------------------------
// The file

static void td_write_chunk_header(FILE *file, uint64_t size, const char kind[4]) {
    unsigned char header[TD_GLB_CHUNK_HEADER];
    memcpy(td_store_little(header, size, 4), kind, 4);
    fwrite(header, 1, sizeof header, file);
}

// `text` is padded with blanks, the buffer is a multiple of four already.
static td_result td_write_chunks(FILE *file, const td_gltf *gltf, const char *text) {
    const uint64_t length = strlen(text), padding = (4 - length % 4) % 4, buffer = gltf->bytes.count;
    uint64_t size = TD_GLB_HEADER + TD_GLB_CHUNK_HEADER + length + padding;
    size += buffer > 0 ? TD_GLB_CHUNK_HEADER + buffer : 0;
    if (size > gltf->most_bytes) {
        return td_gltf_too_large(gltf);
    }
    unsigned char header[TD_GLB_HEADER] = "glTF";
    td_store_little(td_store_little(header + 4, 2, 4), size, 4);
    fwrite(header, 1, sizeof header, file);
    td_write_chunk_header(file, length + padding, "JSON");
    fwrite(text, 1, (size_t)length, file);
    fwrite("   ", 1, (size_t)padding, file);
    if (buffer > 0) {
        td_write_chunk_header(file, buffer, (const char[4]){'B', 'I', 'N', 0});
        fwrite(gltf->bytes.items, 1, (size_t)buffer, file);
    }
    return TD_OK;
}

td_result td_write_glb(FILE *file, td_gltf *gltf) {
    if (gltf->bytes.count > 0) {
        cJSON *buffer = td_gltf_entry(gltf, TD_GLTF_BUFFERS);
        td_gltf_number(gltf, buffer, "byteLength", (double)gltf->bytes.count);
    }
    char *text = gltf->out_of_memory ? NULL : cJSON_PrintUnformatted(gltf->root);
    if (text == NULL) {
        return td_fail(TD_ERROR_MEMORY, "out of memory");
    }
    const td_result result = td_write_chunks(file, gltf, text);
    cJSON_free(text);
    return result;
}
