// Rays as callers cast them: checked, taken into the mesh's coordinates, shared out over threads.
#include "../traverse/ray.h"
#include "../traverse/ray_device.h"

#include "../core/context.h"
#include "../core/error.h"
#include "../core/tasks.h"
#include "lone.h"
#include "pose.h"
#include "query.h"

#include <stdatomic.h>

#define TD_COOKIE_RAY 0x7d00000du

enum { TD_RAYS_OF_TASK = 256 };

typedef struct td_casting {
    const td_mesh *source;
    td_ray_batch batch;
    size_t count;
    td_ray_run_fn *run;
    atomic_size_t first_bad; // the lowest number of a ray that cannot be cast; `count`: none
} td_casting;

td_ray_def td_default_ray_def(void) {
    return (td_ray_def){.cookie = TD_COOKIE_RAY};
}

static td_result td_fail_ray(const td_ray *ray, size_t index) {
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(ray->origin[k]) < TD_RAY_FARTHEST)) {
            return td_fail(TD_ERROR_ARGUMENT, "ray %zu: origin %c is %g; expected a number of size below %g",
                           index, "xyz"[k], ray -> origin[k], TD_RAY_FARTHEST);
        }
        if (!isfinite(ray->direction[k])) {
            return td_fail(TD_ERROR_ARGUMENT, "ray %zu: direction %c is %g; expected a finite number", index,
                           "xyz"[k], ray -> direction[k]);
        }
    }
    if (isnan(ray->t_min) || isnan(ray->t_max)) {
        return td_fail(TD_ERROR_ARGUMENT, "ray %zu: t_min is %g and t_max is %g; expected numbers", index,
                       ray->t_min, ray->t_max);
    }
    const bool zero = ray->direction[0] == 0 && ray->direction[1] == 0 && ray->direction[2] == 0;
    return td_fail(TD_ERROR_ARGUMENT, "ray %zu: its direction is zero%s", index,
                   zero ? "" : " once it is turned by the pose");
}

// Fans are made once enough rays went alone without them, so until they are there it is asked from time to
// time.
static size_t td_cast_range(const td_casting *casting, size_t first, size_t end) {
    td_ray_batch batch = casting->batch;
    const td_lone_rays *lone = td_mesh_prepare_lone(casting->source, 0);
    while (first < end) {
        uint32_t alone = 0;
        batch.fans = lone != NULL && lone->fans.fans != NULL ? &lone->fans : NULL;
        batch.alone = &alone;
        const size_t next = lone != NULL || end - first < TD_RAYS_OF_TASK ? end : first + TD_RAYS_OF_TASK;
        const size_t bad = casting->run(&batch, first, next);
        if (bad < next) {
            return bad;
        }
        lone = td_mesh_prepare_lone(casting->source, alone);
        first = next;
    }
    return end;
}

static void td_ray_task(uint32_t item, void *payload) {
    td_casting *casting = payload;
    const size_t first = (size_t)item * TD_RAYS_OF_TASK, left = casting->count - first;
    const size_t end = left < TD_RAYS_OF_TASK ? casting->count : first + TD_RAYS_OF_TASK;
    const size_t bad = td_cast_range(casting, first, end);
    if (bad < end) {
        size_t lowest = atomic_load(&casting->first_bad);
        while (bad < lowest && !atomic_compare_exchange_weak(&casting->first_bad, &lowest, bad)) {
        }
    }
}

static td_result td_check_casting(const td_mesh *source, const td_pose *pose, const td_ray_def *def) {
    const td_trimesh *mesh = &source->triangles;
    TD_TRY(td_check_cookie(def->cookie, TD_COOKIE_RAY, "td_default_ray_def"));
    if (def->mode != TD_RAY_CLOSEST && def->mode != TD_RAY_ANY) {
        return td_fail(TD_ERROR_ARGUMENT, "mode %d of rays is neither closest nor any", (int)def->mode);
    }
    if (!(mesh->largest < TD_RAY_FARTHEST)) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "mesh '%s' has a coordinate of size %g: the largest that rays can be cast at is %g",
                       mesh->name, mesh->largest, TD_RAY_FARTHEST);
    }
    if (pose == NULL) {
        return TD_OK;
    }
    TD_TRY(td_check_pose(pose));
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(pose->position[k]) < TD_RAY_FARTHEST)) {
            return td_fail(TD_ERROR_POSE, "the pose takes mesh '%s' beyond the range of float64", mesh->name);
        }
    }
    return TD_OK;
}

// So many that the number of tasks is one of 32 bits.
static const size_t td_most_rays = (size_t)TD_RAYS_OF_TASK << 20;

static td_result td_cast_some(td_casting *casting, td_context *context, bool one_thread) {
    const size_t count = casting->count;
    atomic_init(&casting->first_bad, count);
    if (one_thread || context->worker_count == 1) {
        atomic_store(&casting->first_bad, td_cast_range(casting, 0, count));
    } else {
        td_run_tasks(context, td_ray_task, (uint32_t)((count - 1) / TD_RAYS_OF_TASK + 1), casting);
    }
    return atomic_load(&casting->first_bad) == count ? TD_OK : TD_ERROR_ARGUMENT;
}

static td_result td_check_ray_device(const td_mesh *mesh, const td_ray_def *def) {
    if (def->brute) {
        return td_fail(TD_ERROR_UNSUPPORTED, "rays are cast by brute force natively only");
    }
    if (!td_device_has_float64(def->device)) {
        return td_fail(TD_ERROR_UNSUPPORTED,
                       "rays need float64, which the device does not have or may not use");
    }
    if (def->query == NULL) {
        return td_fail(TD_ERROR_ARGUMENT, "rays on a device need a query: expected one, found null");
    }
    if (td_device_context(def->device) != mesh->triangles.context ||
        def->query->context != mesh->triangles.context) {
        return td_fail(TD_ERROR_ARGUMENT, "the device, the query and the mesh are of different contexts");
    }
    return TD_OK;
}

static td_result td_cast_on_device(const td_ray_batch *batch, const td_mesh *mesh, size_t count,
                                   const td_ray_def *def) {
    size_t bad;
    TD_TRY(td_check_ray_device(mesh, def));
    TD_TRY(td_query_ready_device(def->query, def->device));
    TD_TRY(td_ray_run_on_device(&bad, def->query->device_state, batch, td_mesh_stamp_of(mesh), count));
    return bad < count ? td_fail_ray(&batch->rays[bad], bad) : TD_OK;
}

// Any number of rays, once the call is checked.
static td_result td_cast_checked(td_ray_hit *out, const td_mesh *mesh, const td_pose *pose,
                                 const td_ray *rays, size_t count, const td_ray_def *def) {
    td_context *context = mesh->triangles.context;
    td_casting casting = {.source = mesh,
                          .batch = {.mesh = &mesh->triangles,
                                    .hierarchy = &mesh->hierarchy,
                                    .mode = def->mode,
                                    .placed = pose != NULL,
                                    .grain = td_ray_grain(&mesh->hierarchy),
                                    .rays = rays,
                                    .out = out},
                          .run = def->brute ? td_ray_run_brute : td_ray_run_for(context->isa)};
    if (pose != NULL) {
        casting.batch.rigid = td_pose_rigid(pose);
    }
    if (def->device != NULL) {
        return td_cast_on_device(&casting.batch, mesh, count, def);
    }
    if (count <= TD_RAYS_OF_TASK) { // nothing to be shared out
        const size_t bad = td_cast_range(&casting, 0, count);
        return bad == count ? TD_OK : td_fail_ray(&rays[bad], bad);
    }
    for (size_t first = 0; first < count; first += casting.count) {
        casting.batch.rays = rays + first;
        casting.batch.out = out + first;
        casting.count = count - first < td_most_rays ? count - first : td_most_rays;
        if (td_cast_some(&casting, context, def->one_thread) != TD_OK) {
            const size_t bad = first + atomic_load(&casting.first_bad);
            return td_fail_ray(&rays[bad], bad);
        }
    }
    return TD_OK;
}

// Beside td_cast_rays, so that the way of a lone ray without a pose needs no more than it has to.
static __attribute__((noinline)) td_result td_cast_with_care(td_ray_hit *out, const td_mesh *mesh,
                                                             const td_pose *pose, const td_ray *rays,
                                                             size_t count, const td_ray_def *def) {
    TD_TRY(td_check_casting(mesh, pose, def));
    if (count == 1 && !def->brute && def->device == NULL) {
        const td_lone_rays *lone = td_mesh_prepare_lone(mesh, 1);
        if (lone != NULL && lone->run[def->mode] != NULL) {
            td_ray_batch batch = lone->batches[def->mode];
            batch.placed = pose != NULL;
            if (pose != NULL) {
                batch.rigid = td_pose_rigid(pose);
            }
            return lone->run[def->mode](out, &batch, rays) ? TD_OK : td_fail_ray(rays, 0);
        }
    }
    return td_cast_checked(out, mesh, pose, rays, count, def);
}

// A call per ray is common. What is there for lone rays, the mesh has been checked for.
td_result td_cast_rays(td_ray_hit *out, const td_mesh *mesh, const td_pose *pose, const td_ray *rays,
                       size_t count, const td_ray_def *def) {
    const bool plain = count == 1 && pose == NULL && def->cookie == TD_COOKIE_RAY &&
                       (unsigned)def->mode <= TD_RAY_ANY && !def->brute && def->device == NULL;
    const td_lone_rays *lone = atomic_load_explicit(&mesh->late->lone, memory_order_acquire);
    if (!plain || lone == NULL || lone->run[def->mode] == NULL) {
        return td_cast_with_care(out, mesh, pose, rays, count, def);
    }
    return lone->run[def->mode](out, &lone->batches[def->mode], rays) ? TD_OK : td_fail_ray(rays, 0);
}
