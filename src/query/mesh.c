#include "mesh.h"
#include "lone.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/memory.h"
#include "../device/device.h"
#include "../mesh/shapes.h"
#include "inspect.h"

td_mesh_def td_default_mesh_def(void) {
    return (td_mesh_def){.cookie = TD_COOKIE_MESH, .scalar = TD_FLOAT64};
}

td_result td_create_mesh(td_mesh **out, td_context *context, const td_mesh_def *def) {
    *out = NULL;
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_MESH, "td_default_mesh_def"));
    if (def->device != NULL && td_device_context(def->device) != context) {
        return td_fail(TD_ERROR_ARGUMENT, "the device and the mesh are of different contexts");
    }
    td_mesh *mesh = TD_NEW(context, td_mesh, 1);
    td_mesh_late *late = TD_NEW(context, td_mesh_late, 1);
    if (mesh == NULL || late == NULL) {
        TD_DELETE(context, td_mesh, mesh, 1);
        TD_DELETE(context, td_mesh_late, late, 1);
        return TD_ERROR_MEMORY;
    }
    td_result result = td_trimesh_create(&mesh->triangles, context, def);
    if (result == TD_OK) {
        const td_blocked_def how = {def->builder,       def->deformable, def->progress,
                                    def->progress_user, def->device,     def->device_by_levels};
        result = td_blocked_create(&mesh->hierarchy, &mesh->triangles, &how);
        if (result != TD_OK) {
            td_trimesh_destroy(&mesh->triangles);
        }
    }
    if (result != TD_OK) {
        TD_DELETE(context, td_mesh, mesh, 1);
        TD_DELETE(context, td_mesh_late, late, 1);
        return result;
    }
    *late = (td_mesh_late){.post = {0}};
    atomic_init(&late->lone, NULL);
    atomic_init(&late->lone_rays, 0);
    pthread_mutex_init(&late->lock, NULL);
    mesh->late = late;
    mesh->builder = def->builder;
    mesh->device = def->device != NULL ? td_device_retain(def->device) : NULL;
    mesh->device_by_levels = def->device_by_levels;
    mesh->serial = atomic_fetch_add(&context->next_serial, 1);
    mesh->identity = mesh->structure = mesh->serial;
    mesh->refits = 0;
    *out = mesh;
    return TD_OK;
}

void td_destroy_mesh(td_mesh *mesh) {
    if (mesh == NULL) {
        return;
    }
    td_context *context = mesh->triangles.context;
    td_postorder_destroy(&mesh->late->post, context);
    td_mesh_forget_split(mesh);
    td_mesh_forget_lone(mesh);
    pthread_mutex_destroy(&mesh->late->lock);
    TD_DELETE(context, td_mesh_late, mesh->late, 1);
    td_blocked_destroy(&mesh->hierarchy, context);
    td_trimesh_destroy(&mesh->triangles);
    td_destroy_device(mesh->device);
    TD_DELETE(context, td_mesh, mesh, 1);
}

td_result td_mesh_prepare_postorder(const td_mesh *mesh, td_volume volume) {
    td_postorder *post = &mesh->late->post;
    td_result result = TD_OK;
    pthread_mutex_lock(&mesh->late->lock);
    if (post->links == NULL) {
        result = td_postorder_create(post, &mesh->triangles, &mesh->hierarchy);
    }
    if (result == TD_OK && volume == TD_VOLUME_OBB) {
        result = td_postorder_fit_obbs(post, &mesh->triangles, &mesh->hierarchy);
    }
    pthread_mutex_unlock(&mesh->late->lock);
    return result;
}

static td_result td_make_split(const td_mesh *mesh) {
    td_mesh_late *late = mesh->late;
    if (late->split.nodes != NULL) {
        return TD_OK;
    }
    TD_TRY(td_split_create(&late->split, &mesh->hierarchy, mesh->triangles.context));
    late->split_serial = mesh->serial;
    return TD_OK;
}

static td_result td_fit_split(const td_mesh *mesh, td_volume volume) {
    td_context *context = mesh->triangles.context;
    td_mesh_late *late = mesh->late;
    TD_TRY(td_make_split(mesh));
    if (late->split_serial != mesh->serial) {
        td_split_refit(&late->split, &mesh->hierarchy, context);
        late->split_serial = mesh->serial;
    }
    if (volume != TD_VOLUME_OBB) {
        return TD_OK;
    }
    if (late->split.obbs == NULL) {
        TD_TRY(td_split_obbs_create(&late->obbs, &late->split, context));
        late->split.obbs = late->obbs.obbs;
    }
    if (!late->obbs.fitted || late->obb_serial != mesh->serial) {
        td_split_obbs_fit(&late->obbs, &late->split, &mesh->triangles, &mesh->hierarchy);
        late->obb_serial = mesh->serial;
    }
    return TD_OK;
}

td_result td_mesh_prepare_split(const td_mesh *mesh, td_volume volume) {
    pthread_mutex_lock(&mesh->late->lock);
    const td_result result = td_fit_split(mesh, volume);
    pthread_mutex_unlock(&mesh->late->lock);
    return result;
}

td_result td_mesh_prepare_split_nodes(const td_mesh *mesh) {
    pthread_mutex_lock(&mesh->late->lock);
    const td_result result = td_make_split(mesh);
    pthread_mutex_unlock(&mesh->late->lock);
    return result;
}

void td_mesh_forget_split(const td_mesh *mesh) {
    td_obb_tree_destroy(&mesh->late->obbs, mesh->triangles.context);
    td_split_destroy(&mesh->late->split, mesh->triangles.context);
}

td_result td_create_shape(td_mesh **out, td_context *context, const char *name, uint32_t subdivide) {
    *out = NULL;
    td_mesh_arrays arrays;
    TD_TRY(td_shape_arrays(&arrays, context, name, subdivide));
    td_mesh_def def = td_default_mesh_def();
    def.name = name;
    def.positions = arrays.positions;
    def.vertex_count = arrays.vertex_count;
    def.triangles = arrays.triangles;
    def.triangle_count = arrays.triangle_count;
    const td_result result = td_create_mesh(out, context, &def);
    TD_DELETE(context, double, arrays.positions, 3 * (size_t)arrays.vertex_count);
    TD_DELETE(context, uint32_t, arrays.triangles, 3 * (size_t)arrays.triangle_count);
    return result;
}

const char *td_mesh_name(const td_mesh *mesh) {
    return mesh->triangles.name;
}

uint32_t td_mesh_vertex_count(const td_mesh *mesh) {
    return mesh->triangles.vertex_count;
}

uint32_t td_mesh_triangle_count(const td_mesh *mesh) {
    return mesh->triangles.triangle_count;
}

static void td_store(double out[3], td_vec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

void td_mesh_vertex(double out[3], const td_mesh *mesh, uint32_t vertex) {
    td_store(out, td_trimesh_vertex(&mesh->triangles, vertex));
}

void td_mesh_triangle(uint32_t out[3], const td_mesh *mesh, uint32_t triangle) {
    for (size_t k = 0; k < 3; ++k) {
        out[k] = mesh->triangles.indices[3 * (size_t)triangle + k];
    }
}

void td_mesh_bounds(double lower[3], double upper[3], const td_mesh *mesh) {
    td_store(lower, mesh->triangles.lower);
    td_store(upper, mesh->triangles.upper);
}

bool td_mesh_is_closed(const td_mesh *mesh) {
    return mesh->triangles.closed;
}

td_result td_inspect_mesh(td_mesh_report *out, td_context *context, const td_mesh *mesh) {
    return td_inspect_trimesh(out, context, &mesh->triangles);
}

td_result td_inspect_hierarchy(td_hierarchy_report *out, td_context *context, const td_mesh *mesh) {
    (void)context;
    td_blocked_statistics(out, &mesh->hierarchy);
    out->mesh_bytes = td_trimesh_bytes(&mesh->triangles);
    return TD_OK;
}
