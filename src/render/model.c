#include "model.h"

#include "../core/error.h"
#include "../core/memory.h"
#include "../mesh/creases.h"

// Normals do not depend on place and size: taken out, no product over- or underflows.
static void td_copy_positions(td_render_mesh *model) {
    const td_trimesh *mesh = &model->mesh->triangles;
    const td_vec3 half = td_sub(td_scale(mesh->upper, 0.5), td_scale(mesh->lower, 0.5));
    const td_vec3 middle = td_add(td_scale(mesh->upper, 0.5), td_scale(mesh->lower, 0.5));
    const double size = fmax(half.x, fmax(half.y, half.z)), scale = size > 0 ? size : 1;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const td_vec3 p = td_sub(td_trimesh_vertex(mesh, v), middle);
        double *to = model->positions + 3 * (size_t)v;
        to[0] = p.x / scale;
        to[1] = p.y / scale;
        to[2] = p.z / scale;
    }
}

static void td_copy_and_find_faces(td_render_mesh *model) {
    const td_trimesh *mesh = &model->mesh->triangles;
    td_copy_positions(model);
    td_find_face_normals(model->face_normals, model->positions, mesh->indices, mesh->triangle_count);
}

static void td_find_normals(td_render_mesh *model) {
    const td_trimesh *mesh = &model->mesh->triangles;
    td_find_shared_normals(model->normals, model->normal_count, model->shared, model->face_normals,
                           model->positions, mesh->indices, mesh->triangle_count);
}

static td_result td_fill_model(td_render_mesh *model) {
    const td_trimesh *mesh = &model->mesh->triangles;
    const td_connectivity connectivity = {.triangles = mesh->indices,
                                          .triangle_count = mesh->triangle_count,
                                          .weld = mesh->weld,
                                          .vertex_count = mesh->vertex_count};
    td_copy_and_find_faces(model);
    TD_TRY(td_find_creases(model->shared, &model->normal_count, model->context, &connectivity,
                           model->face_normals));
    model->normals = TD_NEW(model->context, td_vec3, model->normal_count);
    if (model->normals == NULL) {
        return TD_ERROR_MEMORY;
    }
    td_find_normals(model);
    return TD_OK;
}

td_result td_create_render_mesh(td_render_mesh **out, td_context *context, const td_mesh *mesh) {
    *out = NULL;
    td_render_mesh *model = TD_NEW(context, td_render_mesh, 1);
    if (model == NULL) {
        return TD_ERROR_MEMORY;
    }
    const td_trimesh *triangles = &mesh->triangles;
    *model = (td_render_mesh){.context = context, .mesh = mesh};
    model->positions = TD_NEW(context, double, 3 * (size_t)triangles->vertex_count);
    model->face_normals = TD_NEW(context, td_vec3, triangles->triangle_count);
    model->shared = TD_NEW(context, uint32_t, 3 * (size_t)triangles->triangle_count);
    td_result result = TD_ERROR_MEMORY;
    if (model->positions != NULL && model->face_normals != NULL && model->shared != NULL) {
        result = td_fill_model(model);
    }
    if (result != TD_OK) {
        td_destroy_render_mesh(model);
        return result;
    }
    *out = model;
    return TD_OK;
}

void td_update_render_mesh(td_render_mesh *mesh) {
    td_copy_and_find_faces(mesh);
    td_find_normals(mesh);
}

void td_destroy_render_mesh(td_render_mesh *mesh) {
    if (mesh == NULL) {
        return;
    }
    const td_trimesh *triangles = &mesh->mesh->triangles;
    td_context *context = mesh->context;
    TD_DELETE(context, double, mesh->positions, 3 * (size_t)triangles->vertex_count);
    TD_DELETE(context, td_vec3, mesh->face_normals, triangles->triangle_count);
    TD_DELETE(context, uint32_t, mesh->shared, 3 * (size_t)triangles->triangle_count);
    TD_DELETE(context, td_vec3, mesh->normals, mesh->normal_count);
    TD_DELETE(context, td_render_mesh, mesh, 1);
}
