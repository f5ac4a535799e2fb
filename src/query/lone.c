#include "lone.h"

#include "../core/context.h"
#include "../core/memory.h"

static td_lone_rays *td_make_lone(const td_mesh *mesh) {
    const td_trimesh *triangles = &mesh->triangles;
    td_lone_rays *lone = TD_NEW(triangles->context, td_lone_rays, 1);
    if (lone == NULL) {
        return NULL;
    }
    if (td_fan_tree_create(&lone->fans, &mesh->hierarchy, triangles->context) != TD_OK) {
        TD_DELETE(triangles->context, td_lone_rays, lone, 1);
        return NULL;
    }
    for (int mode = 0; mode < 2; ++mode) {
        lone->batches[mode] = (td_ray_batch){.mesh = triangles,
                                             .hierarchy = &mesh->hierarchy,
                                             .fans = &lone->fans,
                                             .mode = (td_ray_mode)mode,
                                             .grain = td_ray_grain(&mesh->hierarchy)};
        lone->run[mode] =
            lone->fans.fans != NULL ? td_ray_run_one_for(triangles->context->isa, (td_ray_mode)mode) : NULL;
    }
    return lone;
}

// To make fans takes time for every block, so it waits until rays have come in proportion.
const td_lone_rays *td_mesh_prepare_lone(const td_mesh *mesh, uint32_t rays) {
    td_mesh_late *late = mesh->late;
    td_lone_rays *lone = atomic_load_explicit(&late->lone, memory_order_acquire);
    if (lone != NULL || rays == 0) {
        return lone;
    }
    const uint32_t before = atomic_fetch_add_explicit(&late->lone_rays, rays, memory_order_relaxed);
    if (before + rays <= mesh->hierarchy.block_count / 4 || pthread_mutex_trylock(&late->lock) != 0) {
        return NULL; // too early, or another thread is at it
    }
    lone = atomic_load(&late->lone);
    if (lone == NULL) {
        lone = td_make_lone(mesh);
        atomic_store(&late->lone_rays, 0); // without the memory, another attempt later
        atomic_store(&late->lone, lone);
    }
    pthread_mutex_unlock(&late->lock);
    return lone;
}

void td_mesh_forget_lone(const td_mesh *mesh) {
    td_lone_rays *lone = atomic_load(&mesh->late->lone);
    if (lone != NULL) {
        td_fan_tree_destroy(&lone->fans, mesh->triangles.context);
        TD_DELETE(mesh->triangles.context, td_lone_rays, lone, 1);
        atomic_store(&mesh->late->lone, NULL);
    }
    atomic_store(&mesh->late->lone_rays, 0);
}
