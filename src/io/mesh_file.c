// Which reader gets a mesh file, and the calls of io.h that read one.
#include "../core/context.h"
#include "file.h"
#include "mesh_reader.h"
#include "path.h"
#include "scan.h"
#include "stl_layout.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// The formats and how they are told apart: by what the content begins with, else by the extension.

static bool td_no_signature(const char *bytes, size_t size) {
    (void)bytes;
    (void)size;
    return false;
}

static bool td_is_ply(const char *bytes, size_t size) {
    return size >= 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r');
}

// The first word is OFF, COFF, NOFF, STOFF, ...
static bool td_is_off(const char *bytes, size_t size) {
    static const char prefixes[] = {'S', 'T', 'C', 'N', '4', 'n'};
    td_scan scan = td_scan_make(&td_dialect_hash, bytes, size, "");
    td_scan_next_line(&scan);
    const td_word word = td_scan_word(&scan);
    if (word.length < 3 || word.length > 8 || memcmp(word.at + word.length - 3, "OFF", 3) != 0) {
        return false;
    }
    for (size_t i = 0; i < word.length - 3; ++i) {
        if (memchr(prefixes, word.at[i], sizeof prefixes) == NULL) {
            return false;
        }
    }
    return true;
}

static const struct {
    const char *extension;
    bool (*recognise)(const char *bytes, size_t size);
    td_read_format_fn *read;
} td_mesh_formats[] = {
    {".obj", td_no_signature, td_read_obj},
    {".ply", td_is_ply, td_read_ply},
    {".off", td_is_off, td_read_off},
    {".stl", td_stl_size_matches, td_read_stl},
};

#define TD_MESH_FORMAT_COUNT (sizeof td_mesh_formats / sizeof *td_mesh_formats)

bool td_mesh_format_known(const char *path) {
    for (size_t i = 0; i < TD_MESH_FORMAT_COUNT; ++i) {
        if (td_path_has_extension(path, td_mesh_formats[i].extension)) {
            return true;
        }
    }
    return false;
}

static td_read_format_fn *td_find_format(const char *bytes, size_t size, const char *name) {
    for (size_t i = 0; i < TD_MESH_FORMAT_COUNT; ++i) {
        if (td_mesh_formats[i].recognise(bytes, size)) {
            return td_mesh_formats[i].read;
        }
    }
    for (size_t i = 0; i < TD_MESH_FORMAT_COUNT; ++i) {
        if (td_path_has_extension(name, td_mesh_formats[i].extension)) {
            return td_mesh_formats[i].read;
        }
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------

td_load_def td_default_load_def(void) {
    return (td_load_def){.cookie = TD_COOKIE_LOAD, .weld = true};
}

static td_result td_check_load(const void *out, const td_context *context, const void *source,
                               const td_load_def *def) {
    if (out == NULL || context == NULL || source == NULL || def == NULL) {
        return td_fail(TD_ERROR_ARGUMENT,
                       "reading a mesh needs an output, a context, a source and a td_load_def");
    }
    return td_check_cookie(def->cookie, TD_COOKIE_LOAD, "td_default_load_def");
}

td_result td_read_mesh_memory(td_mesh_arrays *out, td_context *context, const void *bytes, size_t size,
                              const char *name, const td_load_def *def) {
    TD_TRY(td_check_load(out, context, name, def));
    *out = (td_mesh_arrays){0};
    if (size == 0 || bytes == NULL) {
        return td_fail(TD_ERROR_FORMAT, "%s: the file is empty", name);
    }
    td_read_format_fn *read = td_find_format(bytes, size, name);
    if (read == NULL) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%s: unknown mesh format, expected .obj, .ply, .off or .stl",
                       name);
    }
    td_mesh_reader reader = {
        .context = context, .def = def, .name = name, .bytes = (const char *)bytes, .size = size};
    td_result result = read(&reader);
    if (result == TD_OK) {
        result = td_reader_report(&reader, size);
    }
    if (result != TD_OK) {
        td_reader_release(&reader);
        return result;
    }
    return td_reader_finish(out, &reader);
}

td_result td_read_mesh_file(td_mesh_arrays *out, td_context *context, const char *path,
                            const td_load_def *def) {
    TD_TRY(td_check_load(out, context, path, def));
    *out = (td_mesh_arrays){0};
    td_file_bytes bytes;
    TD_TRY(td_read_whole_file(&bytes, context, path, def->progress, def->progress_user));
    const td_result result = td_read_mesh_memory(out, context, bytes.items, bytes.count, path, def);
    td_array_release(context, &bytes);
    return result;
}

void td_release_mesh_arrays(td_mesh_arrays *arrays, td_context *context) {
    TD_DELETE(context, double, arrays->positions, 3 * (size_t)arrays->vertex_count);
    TD_DELETE(context, uint32_t, arrays->triangles, 3 * (size_t)arrays->triangle_count);
    *arrays = (td_mesh_arrays){0};
}

td_result td_load_mesh(td_mesh **out, td_context *context, const char *path, const td_load_def *def) {
    TD_TRY(td_check_load(out, context, path, def));
    *out = NULL;
    td_mesh_arrays arrays;
    TD_TRY(td_read_mesh_file(&arrays, context, path, def));
    td_mesh_def mesh_def = td_default_mesh_def();
    mesh_def.positions = arrays.positions;
    mesh_def.vertex_count = arrays.vertex_count;
    mesh_def.triangles = arrays.triangles;
    mesh_def.triangle_count = arrays.triangle_count;
    mesh_def.name = td_path_file_name(path);
    const td_result result = td_create_mesh(out, context, &mesh_def);
    td_release_mesh_arrays(&arrays, context);
    return result;
}
