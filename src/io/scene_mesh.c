// The meshes of a scene: a built-in shape, a file or arrays, then fitted, scaled, rotated and moved.
#include "../core/error.h"
#include "../mesh/arrays.h"
#include "../mesh/shapes.h"
#include "scene.h"
#include "scene_rotation.h"

#include <stdio.h>
#include <string.h>

static const char *const td_mesh_keys[] = {"shape",    "subdivide", "cells", "file",
                                           "vertices", "triangles", "fit",   "scale",
                                           "rotate",   "translate", NULL};

enum { TD_SUBDIVIDE_MOST = 12, TD_PATH_SIZE = 4096, TD_CELLS_MOST = 4096 };

// ---------------------------------------------------------------------------------------------------------
// Sources

static td_result td_read_shape(td_mesh_arrays *out, td_scene_reader *reader, const td_json *shape,
                               const td_json *mesh) {
    const char *name = NULL;
    uint32_t subdivide = 0;
    TD_TRY(td_json_text(&name, shape));
    TD_TRY(td_json_optional_count(&subdivide, mesh, "subdivide", 0, TD_SUBDIVIDE_MOST));
    td_json cells;
    if (td_json_get(&cells, mesh, "cells")) {
        uint32_t count;
        TD_TRY(td_json_count(&count, &cells, 1, TD_CELLS_MOST));
        td_json other;
        if (strcmp(name, "sheet") != 0 || td_json_get(&other, mesh, "subdivide")) {
            return td_json_fail(&cells, "expected it of a \"sheet\" only, and without \"subdivide\"");
        }
        return td_sheet_arrays(out, reader->context, count);
    }
    const td_result result = td_shape_arrays(out, reader->context, name, subdivide);
    return result == TD_OK ? TD_OK : td_json_fail_within(shape, result);
}

static td_result td_default_read_mesh(td_mesh_arrays *out, const td_scene_reader *reader, const char *path) {
    td_load_def load = td_default_load_def();
    load.progress = reader->def->progress;
    load.progress_user = reader->def->progress_user;
    return td_read_mesh_file(out, reader->context, path, &load);
}

// `folder`: where relative paths begin; null: here. The path, as seen from here, takes the place of the one
// in the text, which then can be read without its folder.
static td_result td_read_file(td_mesh_arrays *out, td_scene_reader *reader, const td_json *file,
                              const char *folder) {
    const char *written;
    TD_TRY(td_json_text(&written, file));
    char path[TD_PATH_SIZE];
    const bool beside = folder != NULL && written[0] != '/';
    const int length =
        snprintf(path, sizeof path, "%s%s%s", beside ? folder : "", beside ? "/" : "", written);
    if (length < 0 || (size_t)length >= sizeof path) {
        return td_json_fail(file, "the path is too long");
    }
    if (cJSON_SetValuestring(file->item, path) == NULL) {
        return td_fail(TD_ERROR_MEMORY, "out of memory");
    }
    const td_scene_def *def = reader->def;
    const td_result result = def->read_mesh != NULL
                                 ? def->read_mesh(out, reader->context, path, def->read_mesh_user)
                                 : td_default_read_mesh(out, reader, path);
    return result == TD_OK ? TD_OK : td_json_fail_within(file, result);
}

static td_result td_fill_arrays(td_mesh_arrays *arrays, const td_json *vertices, const td_json *triangles) {
    td_json row = {0};
    while (td_json_next(&row, vertices)) {
        TD_TRY(td_json_numbers(arrays->positions + 3 * row.index, 3, &row, &td_json_any));
    }
    row = (td_json){0};
    while (td_json_next(&row, triangles)) {
        if (!cJSON_IsArray(row.item) || cJSON_GetArraySize(row.item) != 3) {
            return td_json_fail(&row, "expected a triangle: the numbers of 3 vertices");
        }
        td_json corner = {0};
        while (td_json_next(&corner, &row)) {
            TD_TRY(td_json_count(&arrays->triangles[3 * row.index + corner.index], &corner, 0,
                                 arrays->vertex_count - 1));
        }
    }
    return TD_OK;
}

static td_result td_read_arrays(td_mesh_arrays *out, td_scene_reader *reader, const td_json *vertices,
                                const td_json *triangles) {
    TD_TRY(td_json_check_array(vertices));
    TD_TRY(td_json_check_array(triangles));
    const int vertex_count = cJSON_GetArraySize(vertices->item);
    const int triangle_count = cJSON_GetArraySize(triangles->item);
    if (vertex_count < 1 || triangle_count < 1) {
        return td_json_fail(vertex_count < 1 ? vertices : triangles, "expected at least one");
    }
    TD_TRY(td_arrays_create(out, reader->context, (uint32_t)vertex_count, (uint32_t)triangle_count));
    out->single_precision = false;
    const td_result result = td_fill_arrays(out, vertices, triangles);
    if (result != TD_OK) {
        td_arrays_release(out, reader->context);
    }
    return result;
}

static td_result td_read_source(td_mesh_arrays *out, td_scene_reader *reader, const td_json *mesh,
                                const char *folder) {
    td_json shape, file, vertices, triangles, finer;
    const bool has_shape = td_json_get(&shape, mesh, "shape"), has_file = td_json_get(&file, mesh, "file");
    const bool has_vertices = td_json_get(&vertices, mesh, "vertices");
    const bool has_triangles = td_json_get(&triangles, mesh, "triangles");
    if (has_shape + has_file + has_vertices != 1 || has_vertices != has_triangles) {
        return td_json_fail(mesh, "expected one of \"shape\", \"file\", or \"vertices\" with \"triangles\"");
    }
    if (has_shape) {
        return td_read_shape(out, reader, &shape, mesh);
    }
    if (td_json_get(&finer, mesh, "subdivide") || td_json_get(&finer, mesh, "cells")) {
        return td_json_fail(&finer, "only a shape can be subdivided");
    }
    return has_file ? td_read_file(out, reader, &file, folder)
                    : td_read_arrays(out, reader, &vertices, &triangles);
}

// ---------------------------------------------------------------------------------------------------------
// Placement

typedef struct td_mesh_placement {
    double fit;      // m, of the largest extent; 0: as it is
    double scale[3]; // behind that
    td_quat rotation;
    double move[3]; // m
} td_mesh_placement;

static td_result td_read_placement(td_mesh_placement *out, const td_json *mesh) {
    *out = (td_mesh_placement){.scale = {1, 1, 1}, .rotation = {0, 0, 0, 1}};
    td_json scale;
    if (td_json_get(&scale, mesh, "scale")) {
        if (cJSON_IsArray(scale.item)) {
            TD_TRY(td_json_numbers(out->scale, 3, &scale, &td_json_positive));
        } else {
            TD_TRY(td_json_number(&out->scale[0], &scale, &td_json_positive));
            out->scale[1] = out->scale[2] = out->scale[0];
        }
    }
    TD_TRY(td_json_optional_number(&out->fit, mesh, "fit", &td_json_positive));
    TD_TRY(td_read_optional_rotation(&out->rotation, mesh, "rotate"));
    return td_json_optional_numbers(out->move, 3, mesh, "translate", &td_json_any);
}

// The bounds of what the triangles use; false if there is nothing.
static bool td_bounds_of(double lower[3], double upper[3], const td_mesh_arrays *arrays) {
    bool any = false;
    for (size_t i = 0; i < 3 * (size_t)arrays->triangle_count; ++i) {
        if (arrays->triangles[i] >= arrays->vertex_count) {
            continue; // told when the mesh is made
        }
        const double *p = arrays->positions + 3 * (size_t)arrays->triangles[i];
        for (int k = 0; k < 3; ++k) {
            lower[k] = any && lower[k] < p[k] ? lower[k] : p[k];
            upper[k] = any && upper[k] > p[k] ? upper[k] : p[k];
        }
        any = true;
    }
    return any;
}

// Centred, and of the size asked for.
static td_result td_fit_arrays(td_mesh_arrays *arrays, double size, const td_json *mesh) {
    double lower[3] = {0}, upper[3] = {0}, extent = 0;
    if (td_bounds_of(lower, upper, arrays)) {
        for (int k = 0; k < 3; ++k) {
            extent = extent > upper[k] - lower[k] ? extent : upper[k] - lower[k];
        }
    }
    if (!(extent > 0)) {
        return td_json_fail(mesh, "a mesh of no size cannot be fitted");
    }
    for (uint32_t i = 0; i < arrays->vertex_count; ++i) {
        double *p = arrays->positions + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            p[k] = (p[k] - 0.5 * (lower[k] + upper[k])) * (size / extent);
        }
    }
    return TD_OK;
}

static td_result td_place_arrays(td_mesh_arrays *arrays, const td_json *mesh) {
    td_mesh_placement placement;
    TD_TRY(td_read_placement(&placement, mesh));
    if (placement.fit > 0) {
        TD_TRY(td_fit_arrays(arrays, placement.fit, mesh));
    }
    const td_quat q = placement.rotation;
    const td_vec3 move = td_vec3_make(placement.move[0], placement.move[1], placement.move[2]);
    const td_rigid motion = td_rigid_make(move, q.x, q.y, q.z, q.w);
    for (uint32_t i = 0; i < arrays->vertex_count; ++i) {
        const td_vec3 p = td_arrays_vertex(arrays, i);
        const td_vec3 scaled =
            td_vec3_make(p.x * placement.scale[0], p.y * placement.scale[1], p.z * placement.scale[2]);
        td_arrays_set_vertex(arrays, i, td_rigid_apply(motion, scaled));
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------

static td_result td_build_mesh(td_scene_reader *reader, const td_json *entry, const td_mesh_arrays *arrays) {
    td_scene *scene = reader->scene;
    td_mesh_def def = td_default_mesh_def();
    def.positions = arrays->positions;
    def.vertex_count = arrays->vertex_count;
    def.triangles = arrays->triangles;
    def.triangle_count = arrays->triangle_count;
    def.name = entry->item->string;
    def.progress = reader->def->progress;
    def.progress_user = reader->def->progress_user;
    TD_TRY(td_array_reserve(reader->context, &scene->meshes, 1));
    td_scene_mesh_entry made = {.name = td_copy_text(reader->context, def.name)};
    if (made.name == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_result result = td_create_mesh(&made.mesh, reader->context, &def);
    if (result != TD_OK) {
        td_release_text(reader->context, made.name);
        return td_json_fail_within(entry, result);
    }
    scene->meshes.items[scene->meshes.count++] = made;
    return TD_OK;
}

// Each is "name=file", of a mesh that there is.
static td_result td_check_replacements(const td_scene_reader *reader) {
    const char *scene = reader->root.document->name;
    for (size_t i = 0; i < reader->def->mesh_count; ++i) {
        const char *setting = reader->def->meshes[i];
        const size_t length = strcspn(setting, "=");
        if (length == 0 || setting[length] == 0 || setting[length + 1] == 0) {
            return td_fail(TD_ERROR_ARGUMENT, "%s: expected \"name=file\" for a mesh, got \"%.60s\"", scene,
                           setting);
        }
        const td_json *meshes = &reader->meshes;
        td_json entry = {0};
        bool known = false;
        while (!known && meshes->item != NULL && td_json_next(&entry, meshes)) {
            known = strlen(entry.item->string) == length && memcmp(entry.item->string, setting, length) == 0;
        }
        if (!known) {
            return td_fail(TD_ERROR_ARGUMENT, "%s: has no mesh \"%.*s\", which was to be read from %.200s",
                           scene, length < 60 ? (int)length : 60, setting, setting + length + 1);
        }
    }
    return TD_OK;
}

// The file that takes the place of the source of this mesh; null: none.
static const char *td_replacement_of(const td_scene_reader *reader, const char *name) {
    const char *path = NULL;
    const size_t length = strlen(name);
    for (size_t i = 0; i < reader->def->mesh_count; ++i) {
        const char *setting = reader->def->meshes[i];
        if (strncmp(setting, name, length) == 0 && setting[length] == '=') {
            path = setting + length + 1;
        }
    }
    return path;
}

static td_result td_replace_source(cJSON *mesh, const char *path) {
    static const char *const sources[] = {"shape", "subdivide", "cells", "file", "vertices", "triangles"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        cJSON_DeleteItemFromObjectCaseSensitive(mesh, sources[i]);
    }
    return cJSON_AddStringToObject(mesh, "file", path) != NULL ? TD_OK
                                                               : td_fail(TD_ERROR_MEMORY, "out of memory");
}

static td_result td_read_mesh_entry(td_scene_reader *reader, const td_json *entry) {
    TD_TRY(td_json_check_object(entry, td_mesh_keys));
    const char *path = td_replacement_of(reader, entry->item->string);
    if (path != NULL) {
        TD_TRY(td_replace_source(entry->item, path));
    }
    td_mesh_arrays arrays = {0};
    TD_TRY(td_read_source(&arrays, reader, entry, path != NULL ? NULL : reader->folder));
    td_result result = td_place_arrays(&arrays, entry);
    if (result == TD_OK) {
        result = td_build_mesh(reader, entry, &arrays);
    }
    td_release_mesh_arrays(&arrays, reader->context);
    return result;
}

static td_result td_take_recorded_meshes(td_scene_reader *reader) {
    const uint32_t count =
        reader->meshes.item != NULL ? (uint32_t)cJSON_GetArraySize(reader->meshes.item) : 0;
    if (count != reader->recorded_count) {
        return td_json_fail(&reader->root, "the scene has %u meshes, the recording %u", count,
                            reader->recorded_count);
    }
    td_json entry = {0};
    while (reader->meshes.item != NULL && td_json_next(&entry, &reader->meshes)) {
        TD_TRY(td_build_mesh(reader, &entry, &reader->recorded[entry.index]));
    }
    return TD_OK;
}

td_result td_read_scene_meshes(td_scene_reader *reader) {
    if (td_json_get(&reader->meshes, &reader->root, "meshes")) {
        TD_TRY(td_json_check_map(&reader->meshes));
    }
    if (reader->recorded != NULL) {
        return td_take_recorded_meshes(reader);
    }
    TD_TRY(td_check_replacements(reader));
    td_json entry = {0};
    while (reader->meshes.item != NULL && td_json_next(&entry, &reader->meshes)) {
        TD_TRY(td_read_mesh_entry(reader, &entry));
    }
    return TD_OK;
}
