// All bodies of a frame as one mesh file.
#include "../core/error.h"
#include "../core/memory.h"
#include "../math/rigid.h"
#include "decimal.h"
#include "export.h"
#include "export_names.h"
#include "mesh_writer.h"

#include <inttypes.h>
#include <string.h>

static td_rigid td_rigid_of_pose(const td_pose *pose) {
    const double *p = pose->position, *q = pose->rotation;
    return td_rigid_make(td_vec3_make(p[0], p[1], p[2]), q[0], q[1], q[2], q[3]);
}

static const td_mesh_arrays *td_mesh_of_body(const td_export *task, uint32_t body) {
    return td_recording_mesh(task->recording, td_recording_body(task->recording, body).mesh);
}

// Where the vertices of a body are in the world, x y z each.
static td_result td_place_vertices(double *out, const td_export *task, uint32_t body, const td_pose *pose) {
    if (td_recording_body(task->recording, body).kind == TD_BODY_SOFT) {
        return td_read_positions(out, task->recording, task->def.first, body);
    }
    const td_mesh_arrays *mesh = td_mesh_of_body(task, body);
    const td_rigid place = td_rigid_of_pose(pose);
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const double *p = mesh->positions + 3 * v;
        const td_vec3 at = td_rigid_apply(place, td_vec3_make(p[0], p[1], p[2]));
        out[3 * v] = at.x;
        out[3 * v + 1] = at.y;
        out[3 * v + 2] = at.z;
    }
    return TD_OK;
}

// ---------------------------------------------------------------------------------------------------------
// OBJ: an object per body, straight to the file

static void td_put_obj_vertex(FILE *file, const double coordinates[3]) {
    char line[3 * (TD_DECIMAL_BYTES + 1) + 2];
    size_t length = 1;
    line[0] = 'v';
    for (int k = 0; k < 3; ++k) {
        line[length++] = ' ';
        length += (size_t)td_decimal_format(line + length, coordinates[k]);
    }
    line[length++] = '\n';
    fwrite(line, 1, length, file);
}

// `first` is the number of its first vertex in the file, which counts from 1.
static void td_put_obj_body(FILE *file, const td_mesh_arrays *mesh, const double *positions, uint64_t first) {
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        td_put_obj_vertex(file, positions + 3 * v);
    }
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *corners = mesh->triangles + 3 * t;
        fprintf(file, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", first + corners[0], first + corners[1],
                first + corners[2]);
    }
}

static td_result td_put_obj_scene(td_export *task, const td_pose *poses, const td_export_names *names,
                                  double *positions) {
    fprintf(task->file, "# frame %" PRIu64 " of a recording, tandem %s\n", task->def.first, td_version());
    uint64_t first = 1;
    for (uint32_t body = 0; body < task->info.bodies && !ferror(task->file); ++body) {
        const td_mesh_arrays *mesh = td_mesh_of_body(task, body);
        fprintf(task->file, "o %s\n", td_export_name(names, body));
        TD_TRY(td_place_vertices(positions, task, body, &poses[body]));
        td_put_obj_body(task->file, mesh, positions, first);
        first += mesh->vertex_count;
        TD_TRY(td_export_advance(task, body + 1, task->info.bodies));
    }
    return TD_OK;
}

static td_result td_write_obj_scene(td_export *task, const td_pose *poses) {
    td_export_names names = {0};
    td_result result = TD_OK;
    for (uint32_t body = 0; body < task->info.bodies && result == TD_OK; ++body) {
        result =
            td_add_export_name(&names, task->context, td_recording_body(task->recording, body).name, "body");
    }
    if (result == TD_OK) {
        result = td_tell_names_apart(&names, task->context);
    }
    size_t most = 0;
    for (uint32_t body = 0; body < task->info.bodies; ++body) {
        const size_t vertices = td_mesh_of_body(task, body)->vertex_count;
        most = vertices > most ? vertices : most;
    }
    double *positions = TD_NEW(task->context, double, 3 * most);
    if (result == TD_OK) {
        result = positions != NULL ? td_put_obj_scene(task, poses, &names, positions) : TD_ERROR_MEMORY;
    }
    TD_DELETE(task->context, double, positions, 3 * most);
    td_release_export_names(&names, task->context);
    return result;
}

// ---------------------------------------------------------------------------------------------------------
// The others: one mesh, for the writers of meshes

typedef struct td_scene_arrays {
    double *positions;
    uint32_t *triangles;
    uint64_t vertex_count, triangle_count;
} td_scene_arrays;

static td_result td_fill_scene_arrays(td_scene_arrays *out, const td_export *task, const td_pose *poses) {
    double *position = out->positions;
    uint32_t *corner = out->triangles;
    uint32_t first = 0;
    for (uint32_t body = 0; body < task->info.bodies; ++body) {
        const td_mesh_arrays *mesh = td_mesh_of_body(task, body);
        TD_TRY(td_place_vertices(position, task, body, &poses[body]));
        position += 3 * (size_t)mesh->vertex_count;
        for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i) {
            *corner++ = first + mesh->triangles[i];
        }
        first += mesh->vertex_count;
    }
    return TD_OK;
}

static td_result td_make_scene_mesh(td_mesh **out, const td_export *task, const td_pose *poses,
                                    td_scene_arrays *arrays) {
    TD_TRY(td_fill_scene_arrays(arrays, task, poses));
    td_mesh_def def = td_default_mesh_def();
    def.positions = arrays->positions;
    def.triangles = arrays->triangles;
    def.vertex_count = (uint32_t)arrays->vertex_count;
    def.triangle_count = (uint32_t)arrays->triangle_count;
    def.borrow = true;
    def.name = task->path;
    def.progress = task->def.progress;
    def.progress_user = task->def.progress_user;
    return td_create_mesh(out, task->context, &def);
}

static td_result td_write_scene_mesh(td_export *task, const td_mesh *mesh) {
    td_write_format_fn *write = task->def.format == TD_EXPORT_PLY   ? td_write_ply
                                : task->def.format == TD_EXPORT_OFF ? td_write_off
                                                                    : td_write_stl;
    const td_result result = write(task->file, mesh);
    return result == TD_OK ? TD_OK : td_fail_within(result, task->path);
}

static td_result td_write_joined(td_export *task, const td_pose *poses) {
    td_scene_arrays arrays = {.triangle_count = task->report.triangles};
    for (uint32_t body = 0; body < task->info.bodies; ++body) {
        arrays.vertex_count += td_mesh_of_body(task, body)->vertex_count;
    }
    if (arrays.vertex_count > INT32_MAX || arrays.triangle_count > INT32_MAX) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "%s: %" PRIu64 " vertices and %" PRIu64 " triangles are more than one mesh can have: "
                       "expected .obj",
                       task->path, arrays.vertex_count, arrays.triangle_count);
    }
    const size_t coordinates = 3 * (size_t)arrays.vertex_count, corners = 3 * (size_t)arrays.triangle_count;
    arrays.positions = TD_NEW(task->context, double, coordinates);
    arrays.triangles = TD_NEW(task->context, uint32_t, corners);
    td_mesh *mesh = NULL;
    td_result result = TD_ERROR_MEMORY;
    if (arrays.positions != NULL && arrays.triangles != NULL) {
        result = td_make_scene_mesh(&mesh, task, poses, &arrays);
    }
    if (result == TD_OK) {
        result = td_write_scene_mesh(task, mesh);
    }
    td_destroy_mesh(mesh);
    TD_DELETE(task->context, double, arrays.positions, coordinates);
    TD_DELETE(task->context, uint32_t, arrays.triangles, corners);
    return result;
}

td_result td_export_mesh(td_export *task) {
    td_pose *poses = TD_NEW(task->context, td_pose, task->info.bodies);
    if (poses == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_result result = td_read_frame(poses, NULL, task->recording, task->def.first);
    if (result == TD_OK) {
        result = task->def.format == TD_EXPORT_OBJ ? td_write_obj_scene(task, poses)
                                                   : td_write_joined(task, poses);
    }
    TD_DELETE(task->context, td_pose, poses, task->info.bodies);
    return result;
}
