// td_save_mesh: which writer gets the mesh, and what the writers share.
#include "../core/error.h"
#include "decimal.h"
#include "mesh_writer.h"
#include "output.h"
#include "path.h"

#include <tandem/io.h>

#include <string.h>

size_t td_format_vertex_line(char out[TD_VERTEX_LINE_BYTES], const char *prefix, const td_mesh *mesh,
                             uint32_t vertex) {
    double position[3];
    td_mesh_vertex(position, mesh, vertex);
    size_t length = (size_t)(stpcpy(out, prefix) - out);
    for (int k = 0; k < 3; ++k) {
        length += (size_t)td_decimal_format(out + length, position[k]);
        out[length++] = k < 2 ? ' ' : '\n';
    }
    return length;
}

unsigned char *td_store_little(unsigned char *out, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        out[i] = (unsigned char)(bits >> (8 * i));
    }
    return out + size;
}

static const struct {
    const char *extension;
    td_write_format_fn *write;
} td_written_formats[] = {
    {".obj", td_write_obj},
    {".ply", td_write_ply},
    {".off", td_write_off},
    {".stl", td_write_stl},
};

static td_write_format_fn *td_find_writer(const char *path) {
    for (size_t i = 0; i < sizeof td_written_formats / sizeof *td_written_formats; ++i) {
        if (td_path_has_extension(path, td_written_formats[i].extension)) {
            return td_written_formats[i].write;
        }
    }
    return NULL;
}

td_result td_save_mesh(td_context *context, const td_mesh *mesh, const char *path) {
    if (context == NULL || mesh == NULL || path == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "saving a mesh needs a context, a mesh and a path");
    }
    td_write_format_fn *write = td_find_writer(path);
    if (write == NULL) {
        return td_fail(TD_ERROR_UNSUPPORTED, "%s: unknown mesh format, expected .obj, .ply, .off or .stl",
                       path);
    }
    td_output output;
    TD_TRY(td_output_open(&output, path));
    const td_result result = write(output.file, mesh);
    if (result != TD_OK) {
        td_output_abandon(&output);
        return td_fail_within(result, path);
    }
    return td_output_commit(&output);
}
