// A deformable mesh gets new positions: its hierarchies are refitted, or built anew.
#include "../bvh/postorder_refit.h"
#include "../bvh/refit.h"
#include "../core/clock.h"
#include "../core/context.h"
#include "../core/error.h"
#include "../mesh/positions.h"
#include "lone.h"

static td_result td_check_deformable(const td_mesh *mesh, td_rebuild rebuild) {
    if (!mesh->triangles.deformable) {
        return td_fail(TD_ERROR_ARGUMENT, "%s is not deformable: td_mesh_def says so at creation",
                       mesh->triangles.name[0] != '\0' ? mesh->triangles.name : "the mesh");
    }
    if (rebuild != TD_REBUILD_AUTO && rebuild != TD_REBUILD_NEVER && rebuild != TD_REBUILD_ALWAYS) {
        return td_fail(TD_ERROR_ARGUMENT, "rebuild is %d, expected TD_REBUILD_AUTO, _NEVER or _ALWAYS",
                       (int)rebuild);
    }
    return TD_OK;
}

// Post-order and split hierarchies name quads, so they go with the old ones, to be made again when asked for.
static td_result td_rebuild_mesh(td_mesh *mesh) {
    td_context *context = mesh->triangles.context;
    const td_blocked_def how = {.builder = mesh->builder,
                                .keep_plan = true,
                                .device = mesh->device,
                                .by_levels = mesh->device_by_levels};
    td_blocked hierarchy;
    TD_TRY(td_blocked_create(&hierarchy, &mesh->triangles, &how));
    td_blocked_destroy(&mesh->hierarchy, context);
    mesh->hierarchy = hierarchy;
    td_postorder_destroy(&mesh->late->post, context);
    td_mesh_forget_split(mesh);
    return TD_OK;
}

static void td_refit_mesh(td_refit_report *report, td_mesh *mesh) {
    const double start = td_clock_ms();
    td_refit_blocked(&mesh->hierarchy, &mesh->triangles);
    report->refit_ms = td_clock_ms() - start;
    report->decay = td_blocked_cost(&mesh->hierarchy) / mesh->hierarchy.built_cost;
}

// Without the memory for it, the post-order hierarchy is made again when asked for. False: there is another
// structure then.
static bool td_refit_late(td_refit_report *report, td_mesh *mesh) {
    td_postorder *post = &mesh->late->post;
    if (post->links == NULL) {
        return true;
    }
    const double start = td_clock_ms();
    const bool refitted = td_postorder_refit(post, &mesh->triangles, &mesh->hierarchy) == TD_OK;
    if (!refitted) {
        td_postorder_destroy(post, mesh->triangles.context);
    }
    report->post_ms = td_clock_ms() - start;
    return refitted;
}

// Sets *same if whoever stood where still does.
static td_result td_update_hierarchy(td_refit_report *report, bool *same, td_mesh *mesh, td_rebuild rebuild) {
    if (rebuild != TD_REBUILD_ALWAYS) {
        td_refit_mesh(report, mesh);
    }
    const bool decayed = rebuild == TD_REBUILD_AUTO && report->decay > TD_REBUILD_DECAY;
    if (rebuild == TD_REBUILD_ALWAYS || decayed) {
        const double start = td_clock_ms();
        const td_result result = td_rebuild_mesh(mesh);
        report->rebuilt = result == TD_OK;
        if (result != TD_OK && rebuild == TD_REBUILD_ALWAYS) {
            return result;
        }
        report->rebuild_ms = td_clock_ms() - start;
        report->decay = report->rebuilt ? 1 : report->decay;
    }
    if (decayed && !report->rebuilt) {
        td_log(mesh->triangles.context, TD_LOG_WARNING,
               "%s: its hierarchy costs %.2f times what it did and stays so: %s", mesh->triangles.name,
               report->decay, td_error_message());
    }
    *same = !report->rebuilt && td_refit_late(report, mesh);
    return TD_OK;
}

td_result td_set_positions(td_refit_report *out, td_mesh *mesh, td_scalar scalar, const void *positions,
                           size_t position_stride, td_rebuild rebuild) {
    TD_TRY(td_check_deformable(mesh, rebuild));
    td_refit_report report = {0};
    const td_trimesh before = mesh->triangles;
    const double start = td_clock_ms();
    const td_new_positions given = {positions, position_stride, scalar};
    TD_TRY(td_trimesh_set_positions(&mesh->triangles, &given));
    report.read_ms = td_clock_ms() - start;
    bool same = false;
    const td_result result = td_update_hierarchy(&report, &same, mesh, rebuild);
    if (result != TD_OK) {
        mesh->triangles = before;
        return result;
    }
    td_mesh_forget_lone(mesh);
    mesh->serial = atomic_fetch_add(&mesh->triangles.context->next_serial, 1);
    mesh->structure = same ? mesh->structure : mesh->serial;
    mesh->refits = same ? mesh->refits + 1 : 0;
    if (out != NULL) {
        *out = report;
    }
    return TD_OK;
}
