#include "subject.h"

#include "core/error.h"
#include "core/memory.h"
#include "mesh/subdivide.h"

#include <tandem/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A source without what stands behind its colon, which is `subdivide`.
static td_result td_split_source(char *out, size_t capacity, uint32_t *subdivide, const char *source) {
    const char *slash = strrchr(source, '/'), *colon = strrchr(slash != NULL ? slash : source, ':');
    const size_t length = colon != NULL ? (size_t)(colon - source) : strlen(source);
    *subdivide = 0;
    if (length >= capacity) {
        return td_fail(TD_ERROR_ARGUMENT, "%s: neither a mesh file nor a shape", source);
    }
    memcpy(out, source, length);
    out[length] = '\0';
    if (colon != NULL) {
        char *end;
        const unsigned long value = strtoul(colon + 1, &end, 10);
        if (end == colon + 1 || *end != '\0' || value > 16) {
            return td_fail(TD_ERROR_ARGUMENT, "%s: expected MESH:SUBDIVISIONS, 0 to 16 of them", source);
        }
        *subdivide = (uint32_t)value;
    }
    return TD_OK;
}

// The arrays become those of the mesh with every triangle in four.
static td_result td_subdivide_arrays(td_mesh_arrays *arrays, td_context *context) {
    td_mesh_arrays finer;
    TD_TRY(td_subdivide(&finer, context, arrays, NULL));
    td_release_mesh_arrays(arrays, context);
    *arrays = finer;
    return TD_OK;
}

static td_result td_open_file(td_mesh **out, td_context *context, const char *path, uint32_t subdivide) {
    const td_load_def load = td_default_load_def();
    td_mesh_arrays arrays;
    TD_TRY(td_read_mesh_file(&arrays, context, path, &load));
    td_result result = TD_OK;
    for (uint32_t i = 0; i < subdivide && result == TD_OK; ++i) {
        result = td_subdivide_arrays(&arrays, context);
    }
    if (result == TD_OK) {
        td_mesh_def def = td_default_mesh_def();
        def.positions = arrays.positions;
        def.vertex_count = arrays.vertex_count;
        def.triangles = arrays.triangles;
        def.triangle_count = arrays.triangle_count;
        result = td_create_mesh(out, context, &def);
    }
    td_release_mesh_arrays(&arrays, context);
    return result;
}

static td_result td_open_source(td_mesh **out, td_context *context, const char *source) {
    char name[4096];
    uint32_t subdivide;
    TD_TRY(td_split_source(name, sizeof name, &subdivide, source));
    return td_mesh_format_known(name) ? td_open_file(out, context, name, subdivide)
                                      : td_create_shape(out, context, name, subdivide);
}

// "armadillo.obj:2" becomes "armadillo:2".
static void td_name_subject(td_subject *subject, const char *source) {
    const char *slash = strrchr(source, '/');
    const char *start = slash != NULL ? slash + 1 : source;
    const char *dot = strrchr(start, '.'), *colon = strrchr(start, ':');
    const int length = dot != NULL ? (int)(dot - start) : (int)strcspn(start, ":");
    snprintf(subject->name, sizeof subject->name, "%.*s%s", length, start, colon != NULL ? colon : "");
}

td_result td_load_subject(td_subject *out, td_context *context, const char *source) {
    td_mesh *mesh = NULL;
    TD_TRY(td_open_source(&mesh, context, source));
    *out = (td_subject){0};
    td_name_subject(out, source);
    const uint32_t vertex_count = td_mesh_vertex_count(mesh);
    const uint32_t triangle_count = td_mesh_triangle_count(mesh);
    out->positions = TD_NEW(context, double, 3 * (size_t)vertex_count);
    out->triangles = TD_NEW(context, uint32_t, 3 * (size_t)triangle_count);
    out->arrays = (td_peer_mesh){out->positions, out->triangles, vertex_count, triangle_count};
    if (out->positions == NULL || out->triangles == NULL) {
        td_release_subject(out, context);
        td_destroy_mesh(mesh);
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < vertex_count; ++i) {
        td_mesh_vertex(out->positions + 3 * (size_t)i, mesh, i);
    }
    for (uint32_t i = 0; i < triangle_count; ++i) {
        td_mesh_triangle(out->triangles + 3 * (size_t)i, mesh, i);
    }
    td_destroy_mesh(mesh);
    return TD_OK;
}

void td_release_subject(td_subject *subject, td_context *context) {
    TD_DELETE(context, double, subject->positions, 3 * (size_t)subject->arrays.vertex_count);
    TD_DELETE(context, uint32_t, subject->triangles, 3 * (size_t)subject->arrays.triangle_count);
    *subject = (td_subject){0};
}

td_result td_subject_mesh(td_mesh **out, td_context *context, const td_subject *subject) {
    td_mesh_def def = td_default_mesh_def();
    def.scalar = TD_FLOAT64;
    def.positions = subject->arrays.positions;
    def.vertex_count = subject->arrays.vertex_count;
    def.triangles = subject->arrays.triangles;
    def.triangle_count = subject->arrays.triangle_count;
    def.borrow = true;
    def.name = subject->name;
    return td_create_mesh(out, context, &def);
}
